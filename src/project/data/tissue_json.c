/* The tiles that tissue decides about, in work orders and replies.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/tissue.h"

#include "base/str.h"

#include <string.h>

static const char *const source_names[] = {
    [TS_TISSUE_OFF] = "off", [TS_TISSUE_OTSU] = "otsu", [TS_TISSUE_FILE] = "file"};

static void set_digest(json_t *object, const char *name, const struct ts_sha256 *digest) {
  char hex[65];
  ts_hex_encode(digest->bytes, sizeof digest->bytes, hex);
  json_object_set_new(object, name, json_string(hex));
}

void ts_tissue_write(const struct ts_tissue *tissue, json_t *item) {
  if (tissue->source == TS_TISSUE_OFF) return;
  json_t *runs = json_array();
  for (size_t i = 0; i < tissue->run_count; i++) json_array_append_new(runs, json_integer(tissue->runs[i]));
  json_t *object = json_pack("{s:s, s:o}", "source", source_names[tissue->source], "tiles", runs);
  set_digest(object, "key", &tissue->key);
  if (tissue->source == TS_TISSUE_FILE) set_digest(object, "mask", &tissue->mask);
  json_object_set_new(item, TS_TISSUE_COLUMN, object);
}

static bool get_digest(const json_t *object, const char *name, struct ts_sha256 *digest) {
  const char *hex = json_string_value(json_object_get(object, name));
  return hex && ts_hex_decode(hex, digest->bytes, sizeof digest->bytes);
}

static bool read_runs(struct ts_arena *arena, const json_t *list, struct ts_tissue *tissue) {
  uint32_t *runs = ts_arena_array(arena, json_array_size(list) + 1, sizeof *runs);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *run = json_array_get(list, i);
    if (!json_is_integer(run) || json_integer_value(run) < 0 || json_integer_value(run) > UINT32_MAX) return false;
    runs[i] = (uint32_t)json_integer_value(run);
  }
  tissue->runs = runs;
  tissue->run_count = json_array_size(list);
  return json_is_array(list);
}

bool ts_tissue_restore(struct ts_arena *arena, const json_t *item, const struct ts_tissue **kept,
                       struct ts_error *err) {
  const json_t *object = json_object_get(item, TS_TISSUE_COLUMN);
  *kept = NULL;
  if (!object) return true;
  struct ts_tissue *tissue = ts_arena_array(arena, 1, sizeof *tissue);
  const char *source = json_string_value(json_object_get(object, "source"));
  const bool is_file = source && strcmp(source, source_names[TS_TISSUE_FILE]) == 0;
  const bool is_found = source && strcmp(source, source_names[TS_TISSUE_OTSU]) == 0;
  tissue->source = is_file ? TS_TISSUE_FILE : TS_TISSUE_OTSU;
  if ((is_file || is_found) && get_digest(object, "key", &tissue->key) &&
      (!is_file || get_digest(object, "mask", &tissue->mask)) &&
      read_runs(arena, json_object_get(object, "tiles"), tissue)) {
    *kept = tissue;
    return true;
  }
  const char *name = json_string_value(json_object_get(item, "name"));
  ts_fail(err, TS_ERR_STORE_FORMAT, "the work order gives '%s' no proper '" TS_TISSUE_COLUMN "'", name ? name : "");
  return ts_error_help(err, "start a new run; if that happens often, check the store with: tessera store verify");
}

json_t *ts_tissue_json(const struct ts_project *project) {
  json_t *list = json_array();
  for (size_t i = 0; i < project->dataset.item_count; i++) {
    const struct ts_item *item = &project->dataset.items[i];
    const size_t all = ts_grid_count(&item->grid);
    if (all == 0) continue;
    json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:f, s:s}", "file", item->name, "tiles", (json_int_t)all,
                                          "without_tissue", (json_int_t)(all - item->tile_count), "share",
                                          (double)item->tile_count / (double)all, "source",
                                          source_names[item->tissue.source]));
  }
  return list;
}
