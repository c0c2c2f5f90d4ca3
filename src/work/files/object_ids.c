/* Makes the identifiers of objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/files/object_ids.h"

#include "base/alloc.h"
#include "order/order.h"
#include "project/data/tissue.h"

#include <stdlib.h>
#include <string.h>

#define DOMAIN "tessera.object.1"

/* What all files have in common. A new reference. */
static json_t *common_of(const struct ts_project *project, const json_t *order) {
  static const char *const members[] = {"workflow", "operations", "space", "sets"};
  json_t *common = json_object();
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    json_object_set(common, members[i], json_object_get(order, members[i]));
  json_object_set(common, "level", json_object_get(json_object_get(order, "grid"), "level"));
  if (project->request->only_stage) json_object_set_new(common, "only", json_string(project->request->only_stage));
  return common;
}

/* Of an item of the work order: which file it is, its resolution, and a tissue mask of its own. Not its groups, its
 * split and the tiles that have tissue. A new reference. */
static json_t *file_of(const json_t *item) {
  static const char *const members[] = {"name", "inputs", "mpp", "level"};
  json_t *file = json_object();
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    json_object_set(file, members[i], json_object_get(item, members[i]));
  json_object_set(file, TS_TISSUE_COLUMN, json_object_get(json_object_get(item, TS_TISSUE_COLUMN), "mask"));
  return file;
}

void ts_object_ids_init(struct ts_object_ids *ids, const struct ts_project *project, const struct ts_plan *plan,
                        const struct ts_value *values) {
  ts_auto(json_decrefp) json_t *order = ts_order_write(project, plan, values, 1);
  ts_auto(json_decrefp) json_t *common = common_of(project, order);
  const json_t *items = json_object_get(order, "items");
  ids->keys = ts_calloc(project->dataset.item_count + 1, sizeof *ids->keys);
  for (size_t i = 0; i < project->dataset.item_count; i++) {
    json_object_set_new(common, "item", file_of(json_array_get(items, i)));
    free(ts_order_text(common, &ids->keys[i]));
  }
}

void ts_object_ids_release(struct ts_object_ids *ids) {
  free(ids->keys);
  *ids = (struct ts_object_ids){0};
}

void ts_object_id(const struct ts_object_ids *ids, size_t item, const char *stage, const struct ts_tile *tile,
                  const char *name, char text[TS_UUID_TEXT_SIZE]) {
  char hex[65];
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  ts_hex_encode(ids->keys[item].bytes, sizeof ids->keys[item].bytes, hex);
  ts_str_addf(&bytes, "%s\n%s\n%s\n", DOMAIN, hex, stage);
  if (tile) ts_str_addf(&bytes, "%lld,%lld", (long long)tile->core.x, (long long)tile->core.y);
  ts_str_addf(&bytes, "\n%s", name);
  ts_uuid_of(bytes.data, bytes.length, text);
}
