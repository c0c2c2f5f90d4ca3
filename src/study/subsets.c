/* Lists the subsets of the files of a study: single files, the files of each value of a group, all files but those.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/subsets.h"

#include "base/alloc.h"

#include <string.h>

static struct study_subset single_file(struct ts_arena *arena, size_t file) {
  return (struct study_subset){
      .kind = SUBSET_FILE, .group = "", .value = "", .files = ts_arena_memdup(arena, &file, sizeof file), .count = 1};
}

static struct study_subset files_of(const struct ts_group_files *value) {
  return (struct study_subset){
      .kind = SUBSET_GROUP, .group = value->group, .value = value->value, .files = value->files, .count = value->count};
}

/* Both lists of files ascend. */
static struct study_subset files_without(const struct ts_group_files *value, size_t file_count,
                                         struct ts_arena *arena) {
  size_t *files = ts_arena_array(arena, file_count - value->count, sizeof *files);
  size_t count = 0, next = 0;
  for (size_t f = 0; f < file_count; f++) {
    if (next < value->count && value->files[next] == f)
      next++;
    else
      files[count++] = f;
  }
  return (struct study_subset){
      .kind = SUBSET_WITHOUT, .group = value->group, .value = value->value, .files = files, .count = count};
}

/* How many values of the same group come before this one. */
static size_t place_in_group(const struct ts_group_files *values, size_t index) {
  size_t first = index;
  while (first > 0 && strcmp(values[first - 1].group, values[index].group) == 0) first--;
  return index - first;
}

void ts_subsets_list(struct study_subsets *subsets, const struct ts_project *project, struct ts_arena *arena) {
  const size_t files = project->dataset.item_count;
  size_t values = 0;
  const struct ts_group_files *groups = ts_project_group_files(project, arena, &values);
  struct study_subset *items = ts_arena_array(arena, files + 2 * values + 1, sizeof *items);
  size_t count = 0;
  for (size_t f = 0; f < files; f++) items[count++] = single_file(arena, f);
  for (size_t i = 0; i < values; i++) {
    if (place_in_group(groups, i) >= TS_SUBSET_VALUES) continue;
    items[count++] = files_of(&groups[i]);
    if (groups[i].count < files) items[count++] = files_without(&groups[i], files, arena);
  }
  *subsets = (struct study_subsets){items, count};
}

void ts_subsets_warn(const struct ts_project *project, struct ts_issues *issues) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  size_t values = 0;
  const struct ts_group_files *groups = ts_project_group_files(project, &arena, &values);
  for (size_t i = 0; i < values; i++) {
    const size_t place = place_in_group(groups, i) + 1;
    const bool is_last = i + 1 == values || strcmp(groups[i + 1].group, groups[i].group) != 0;
    if (is_last && place > TS_SUBSET_VALUES)
      ts_issues_warn(issues,
                     "the group '%s' has %zu values: indices by group are computed for the first %d of them; "
                     "results-by-group.csv has the outputs of all",
                     groups[i].group, place, TS_SUBSET_VALUES);
  }
}
