/* The files of the dataset: their digests, reading them outside tasks, and changes since a run began.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/order.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

struct part_list {
  struct ts_source_part *items; /* owned; paths in the session's arena */
  size_t count, capacity;
};

static void add_part(struct session *s, struct part_list *list, const char *path) {
  list->items = ts_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  ts_auto_free char *place = ts_path_absolute(path);
  list->items[list->count++] =
      (struct ts_source_part){.path = ts_arena_strdup(&s->arena, path), .place = ts_arena_strdup(&s->arena, place)};
}

static int compare_parts(const void *a, const void *b) {
  const struct ts_source_part *x = a, *y = b;
  return strcmp(x->path, y->path);
}

/* A slide of MIRAX is a small picture, slide.mrxs, and a folder beside it, slide, with the pixels. */
static void add_companions(struct session *s, struct part_list *list, const char *path) {
  const char *ending = strrchr(ts_path_name(path), '.');
  if (!ending || !ts_word_equal(ending, ".mrxs")) return;
  ts_auto_free char *folder = ts_strndup(path, (size_t)(ending - path));
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    ts_auto_free char *companion = ts_path_join(folder, entry->d_name);
    if (entry->d_name[0] != '.' && !ts_folder_exists(companion)) add_part(s, list, companion);
  }
  if (dir) closedir(dir);
  if (list->count > 2) qsort(list->items + 1, list->count - 1, sizeof *list->items, compare_parts);
}

static bool digest_part(struct session *s, struct ts_source_part *part, struct ts_error *err) {
  return s->store ? ts_store_file_digest(s->store, part->path, &part->digest, &part->identity, err)
                  : ts_file_digest(part->path, &part->digest, &part->identity, err);
}

bool ts_session_open_file(struct session *s, const char *path, struct ts_item_source *source, struct ts_error *err) {
  struct part_list parts = {0};
  bool ok = true;
  add_part(s, &parts, path);
  add_companions(s, &parts, path);
  for (size_t i = 0; ok && i < parts.count; i++) ok = digest_part(s, &parts.items[i], err);
  if (ok) {
    source->path = parts.items[0].path;
    source->file = ts_source_file_create(&s->arena, parts.items, parts.count);
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
  excerpt->data = ts_image_read(excerpt->source->path, excerpt->source->type, excerpt->region, err);
  return excerpt->data != NULL;
}

struct ts_data *ts_source_read_image(const struct ts_item_source *source, const struct ts_region *region,
                                     struct ts_error *err) {
  struct excerpt excerpt = {.source = source, .region = region};
  if (ts_source_file_read(source->file, read_excerpt, &excerpt, err)) return excerpt.data;
  ts_data_unref(excerpt.data);
  return NULL;
}

bool ts_session_confirm_files(const struct session *s, struct ts_error *err) {
  for (size_t i = 0; i < s->dataset.item_count; i++) {
    for (size_t k = 0; k < s->workflow->input_count; k++) {
      if (!ts_source_file_confirm(s->dataset.items[i].sources[k].file, err)) return false;
    }
  }
  return true;
}

/* ---- what a run was begun with ---- */

#define CHANGED_NAMED 5 /* files; further ones are only counted */

static bool has_changed(const json_t *then, const json_t *now, const char *input) {
  const char *was = json_string_value(json_object_get(json_object_get(then, input), "digest"));
  const char *is = json_string_value(json_object_get(json_object_get(now, input), "digest"));
  return was && is && strcmp(was, is) != 0;
}

static bool has_name(const json_t *item, const char *name) {
  const char *other = json_string_value(json_object_get(item, "name"));
  return other && strcmp(other, name) == 0;
}

/* Of the item with this name, which is mostly the one with the same number. Items that were added or left out since
 * are not reported. */
static const json_t *inputs_of(const json_t *items, size_t number, const char *name) {
  const json_t *item = json_array_get(items, number);
  for (size_t i = 0; i < json_array_size(items) && !has_name(item, name); i++) item = json_array_get(items, i);
  return has_name(item, name) ? json_object_get(item, "inputs") : NULL;
}

void ts_session_warn_changed(struct session *s, const char *run) {
  ts_auto(json_decrefp) json_t *now = ts_order_items(s);
  const json_t *then = ts_order_begun_items(s->begun);
  size_t changed = 0;
  for (size_t i = 0; i < s->dataset.item_count; i++) {
    const struct ts_item *item = &s->dataset.items[i];
    const json_t *was = inputs_of(then, i, item->name), *is = json_object_get(json_array_get(now, i), "inputs");
    for (size_t k = 0; k < s->workflow->input_count; k++) {
      if (!has_changed(was, is, s->workflow->inputs[k].name) || changed++ >= CHANGED_NAMED) continue;
      ts_session_warn(s, "'%s' has changed since run %s began; everything that depends on it is computed again",
                      item->sources[k].path, run);
    }
  }
  if (changed > CHANGED_NAMED)
    ts_session_warn(s, "%zu more files have changed since run %s began", changed - CHANGED_NAMED, run);
}
