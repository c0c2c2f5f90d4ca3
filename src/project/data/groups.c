/* Groups of the dataset: which files have which value in a column of the manifest that the study declares as a group.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/project.h"

#include "base/map.h"

#include <string.h>

/* The files of every value of one group, after those that are listed already. */
static void list_values(const struct ts_project *project, size_t group, struct ts_arena *arena,
                        struct ts_group_files *list, size_t *count) {
  const struct ts_dataset *dataset = &project->dataset;
  ts_auto(ts_map_release) struct ts_map positions = {0};
  size_t *position = ts_arena_array(arena, dataset->item_count, sizeof *position);
  for (size_t i = 0; i < dataset->item_count; i++) {
    const char *value = dataset->items[i].groups[group];
    bool inserted = false;
    union ts_map_value *slot = ts_map_insert(&positions, value, strlen(value), &inserted);
    if (inserted) {
      slot->number = *count;
      list[(*count)++] = (struct ts_group_files){.group = project->study.groups[group], .value = value};
    }
    position[i] = slot->number;
    list[position[i]].count++;
  }
  for (size_t i = 0; i < dataset->item_count; i++) {
    struct ts_group_files *files = &list[position[i]];
    if (!files->files) {
      files->files = ts_arena_array(arena, files->count, sizeof *files->files);
      files->count = 0; /* counted again while it is filled */
    }
    files->files[files->count++] = i;
  }
}

const struct ts_group_files *ts_project_group_files(const struct ts_project *project, struct ts_arena *arena,
                                                    size_t *count) {
  const struct ts_dataset *dataset = &project->dataset;
  const size_t groups = project->study.group_count;
  struct ts_group_files *list = ts_arena_array(arena, groups * dataset->item_count + 1, sizeof *list);
  *count = 0;
  /* Files of the command line have no groups. */
  if (dataset->item_count == 0 || !dataset->items[0].groups) return list;
  for (size_t g = 0; g < groups; g++) list_values(project, g, arena, list, count);
  return list;
}
