/* The files of the dataset: their digests, reading them outside tasks, and whether they are as they were.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/polygon_files.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

struct part_list {
  struct ts_source_part *items; /* owned; paths in the arena */
  size_t count, capacity;
};

static void add_part(struct ts_arena *arena, struct part_list *list, const char *path) {
  list->items = ts_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  ts_auto_free char *place = ts_path_absolute(path);
  list->items[list->count++] =
      (struct ts_source_part){.path = ts_arena_strdup(arena, path), .place = ts_arena_strdup(arena, place)};
}

static int compare_parts(const void *a, const void *b) {
  const struct ts_source_part *x = a, *y = b;
  return strcmp(x->path, y->path);
}

/* A slide of MIRAX is a small picture, slide.mrxs, and a folder beside it, slide, with the pixels. */
static void add_companions(struct ts_arena *arena, struct part_list *list, const char *path) {
  const char *ending = strrchr(ts_path_name(path), '.');
  if (!ending || !ts_word_equal(ending, ".mrxs")) return;
  ts_auto_free char *folder = ts_strndup(path, (size_t)(ending - path));
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    ts_auto_free char *companion = ts_path_join(folder, entry->d_name);
    if (entry->d_name[0] != '.' && !ts_folder_exists(companion)) add_part(arena, list, companion);
  }
  if (dir) closedir(dir);
  if (list->count > 2) qsort(list->items + 1, list->count - 1, sizeof *list->items, compare_parts);
}

static bool digest_part(struct ts_store *store, struct ts_source_part *part, struct ts_error *err) {
  return store ? ts_store_file_digest(store, part->path, &part->digest, &part->identity, err)
               : ts_file_digest(part->path, &part->digest, &part->identity, err);
}

bool ts_source_open(struct ts_store *store, struct ts_arena *arena, const char *path, struct ts_item_source *source,
                    struct ts_error *err) {
  struct part_list parts = {0};
  bool ok = true;
  add_part(arena, &parts, path);
  add_companions(arena, &parts, path);
  for (size_t i = 0; ok && i < parts.count; i++) ok = digest_part(store, &parts.items[i], err);
  if (ok) {
    source->path = parts.items[0].path;
    source->file = ts_source_file_create(arena, parts.items, parts.count);
    ts_source_parts_digest(parts.items, parts.count, &source->digest);
  }
  free(parts.items);
  return ok;
}

struct inspection {
  const char *path;
  int32_t level;
  struct ts_image_info *info;
};

static bool inspect(void *user, struct ts_error *err) {
  const struct inspection *inspection = user;
  return ts_image_inspect(inspection->path, inspection->level, inspection->info, err);
}

bool ts_source_inspect(const struct ts_item_source *source, int32_t level, struct ts_image_info *info,
                       struct ts_error *err) {
  struct inspection inspection = {source->path, level, info};
  return ts_source_file_read(source->file, inspect, &inspection, err);
}

struct excerpt {
  const struct ts_item_source *source;
  const struct ts_region *region;
  struct ts_data *data; /* owned */
};

static bool read_excerpt(void *user, struct ts_error *err) {
  struct excerpt *excerpt = user;
  ts_data_unref(excerpt->data);
  const struct ts_item_source *source = excerpt->source;
  excerpt->data = source->polygons.x > 0 ? ts_polygons_excerpt(source, excerpt->region, err)
                                         : ts_image_read(source->path, source->type, excerpt->region, err);
  return excerpt->data != NULL;
}

struct ts_data *ts_source_read_image(const struct ts_item_source *source, const struct ts_region *region,
                                     struct ts_error *err) {
  struct excerpt excerpt = {.source = source, .region = region};
  if (ts_source_file_read(source->file, read_excerpt, &excerpt, err)) return excerpt.data;
  ts_data_unref(excerpt.data);
  return NULL;
}

bool ts_project_confirm_files(const struct ts_project *project, struct ts_error *err) {
  const struct ts_dataset *all = ts_project_all(project);
  for (size_t i = 0; i < all->item_count; i++) {
    for (size_t k = 0; k < project->workflow->input_count; k++) {
      if (!ts_source_file_confirm(all->items[i].sources[k].file, err)) return false;
    }
  }
  return true;
}
