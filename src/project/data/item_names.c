/* Names of items, which their folders and messages have: those of their files, each once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/item_names.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/map.h"

#include <string.h>

#define NO_COMMON_FOLDER "" /* files of this name lie in several folders */

/* By stem, the folder that all files of this name lie in. */
static void note_folders(struct ts_arena *arena, const struct paths *files, struct ts_map *folders) {
  for (size_t i = 0; i < files->count; i++) {
    ts_auto_free char *stem = ts_path_safe_stem(files->items[i]);
    ts_auto_free char *folder = ts_path_folder(files->items[i]);
    bool is_new = false;
    union ts_map_value *known = ts_map_insert_name(folders, stem, &is_new);
    if (is_new)
      known->pointer = ts_arena_strdup(arena, folder);
    else if (strcmp(known->pointer, folder) != 0)
      known->pointer = ts_arena_strdup(arena, NO_COMMON_FOLDER);
  }
}

/* "slide", or "patient1-slide" where another folder has a file of this name. */
static const char *wished_name(struct ts_arena *arena, const char *path, const struct ts_map *folders) {
  ts_auto_free char *stem = ts_path_safe_stem(path);
  const union ts_map_value *common = ts_map_find_name(folders, stem);
  if (strcmp(common->pointer, NO_COMMON_FOLDER) != 0) return ts_arena_strdup(arena, stem);
  ts_auto_free char *folder = ts_path_folder(path);
  ts_auto_free char *name = ts_path_safe_stem(folder);
  return ts_arena_printf(arena, "%s-%s", name, stem);
}

const char *const *ts_item_names(struct ts_arena *arena, const struct paths *files) {
  ts_auto(ts_map_release) struct ts_map folders = {0}, taken = {0};
  const char **names = ts_arena_array(arena, files->count + 1, sizeof *names);
  note_folders(arena, files, &folders);
  for (size_t i = 0; i < files->count; i++) {
    const char *wished = wished_name(arena, files->items[i], &folders);
    bool is_new = false;
    names[i] = wished;
    ts_map_insert_name(&taken, names[i], &is_new);
    for (size_t number = 2; !is_new; number++) {
      names[i] = ts_arena_printf(arena, "%s-%zu", wished, number);
      ts_map_insert_name(&taken, names[i], &is_new);
    }
  }
  return names;
}
