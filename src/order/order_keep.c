/* Work orders in the store: kept as texts, which runs of equal orders share, and named by the row of the run.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The row itself stays short, because a list of runs reads all rows: the fingerprint of the order, the digests under
 * which the texts of order, further rounds and locations are found, the paths that the user wrote, and what tells
 * whether another file is the same study: its name and the digest of its text. */
#include "order/order.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static bool keep_text(struct ts_store *store, const char *text, const char *name, json_t *row, struct ts_error *err) {
  struct ts_sha256 digest;
  char hex[65];
  if (!ts_store_text_put(store, text, strlen(text), &digest, err)) return false;
  ts_hex_encode(digest.bytes, sizeof digest.bytes, hex);
  json_object_set_new(row, name, json_string(hex));
  return true;
}

void ts_order_file_digest(const struct ts_project *project, char hex[65]) {
  struct ts_sha256 digest;
  ts_sha256_of(project->doc.text, project->doc.length, &digest);
  ts_hex_encode(digest.bytes, sizeof digest.bytes, hex);
}

json_t *ts_order_keep(const struct ts_project *project, const struct ts_plan *plan, const struct ts_value *values,
                      size_t set_count, struct ts_error *err) {
  ts_auto(json_decrefp) json_t *order = ts_order_write(project, plan, values, set_count);
  ts_auto(json_decrefp) json_t *locations = ts_order_locations(project, false);
  struct ts_sha256 fingerprint;
  char hex[65], file[65];
  ts_auto_free char *text = ts_order_text(order, &fingerprint);
  ts_auto_free char *places_text = ts_json_dump(locations, true, false);
  json_t *places = json_object();
  ts_hex_encode(fingerprint.bytes, sizeof fingerprint.bytes, hex);
  ts_order_file_digest(project, file);
  ts_order_fields_write(project->request, TS_PART_PLACES, places);
  ts_auto(json_decrefp) json_t *row = json_pack("{s:s, s:s, s:o}", "fingerprint", hex, "file", file, "places", places);
  json_object_set_new(row, "command", json_string(project->request->command ? project->request->command : ""));
  json_object_set_new(row, "name", json_string(project->study.name));
  json_object_set_new(row, "rounds", json_array());
  if (!keep_text(project->store, text, "order", row, err) ||
      !keep_text(project->store, places_text, "locations", row, err))
    return NULL;
  return json_incref(row);
}

/* Leaves the first `count` rounds. */
static bool shorten(json_t *rounds, size_t count) {
  const bool is_longer = json_array_size(rounds) > count;
  while (json_array_size(rounds) > count) json_array_remove(rounds, json_array_size(rounds) - 1);
  return is_longer;
}

/* A run that is continued asks for its rounds again, and mostly for the same ones: they stay. */
bool ts_order_keep_round(const struct ts_project *project, json_t *row, size_t number, const struct ts_value *values,
                         size_t first, size_t end, bool *changed, struct ts_error *err) {
  json_t *rounds = json_object_get(row, "rounds");
  *changed = false;
  if (first < end) {
    ts_auto(json_decrefp) json_t *round = ts_order_round_write(project->workflow, values, first, end - first);
    ts_auto(json_decrefp) json_t *named = json_object();
    ts_auto_free char *text = ts_json_dump(round, true, false);
    if (!keep_text(project->store, text, "round", named, err)) return false;
    json_t *digest = json_object_get(named, "round");
    if (json_equal(digest, json_array_get(rounds, number))) return true;
    shorten(rounds, number);
    json_array_append(rounds, digest);
    *changed = true;
  } else {
    *changed = shorten(rounds, number);
  }
  return true;
}

const char *ts_order_row_text(const json_t *row, const char *name) {
  return json_string_value(json_object_get(row, name));
}

/* NULL without an error: there is no digest, or the store has lost its text. */
static json_t *load_text(struct ts_store *store, const char *hex, struct ts_error *err) {
  struct ts_sha256 digest;
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (!hex || !ts_hex_decode(hex, digest.bytes, sizeof digest.bytes)) return NULL;
  if (!ts_store_text_get(store, &digest, &text, err)) return NULL;
  return json_loadb(ts_str_get(&text), text.length, 0, NULL);
}

static bool fail_lost(const char *whose, struct ts_error *err) {
  if (err->code != TS_ERR_OK) return false;
  ts_fail(err, TS_ERR_STORE, "the store has lost the work order of %s", whose);
  ts_error_help(err, "start a new run: finished products are reused");
  return false;
}

static bool load_rounds(struct ts_store *store, struct ts_order *order, const char *whose, struct ts_error *err) {
  const json_t *digests = json_object_get(order->row, "rounds");
  if (!json_is_array(digests)) return true; /* of a program that kept only the first one */
  order->rounds = json_array();
  for (size_t i = 0; i < json_array_size(digests); i++) {
    json_t *round = load_text(store, json_string_value(json_array_get(digests, i)), err);
    if (!round) return fail_lost(whose, err);
    json_array_append_new(order->rounds, round);
    const char *schema = ts_order_row_text(round, "schema");
    if (!schema || strcmp(schema, TS_ORDER_ROUND_SCHEMA) != 0)
      return ts_order_fail_format(whose, schema, TS_ORDER_ROUND_SCHEMA, err);
  }
  return true;
}

bool ts_order_load(struct ts_store *store, const struct ts_run_row *row, struct ts_order *order, struct ts_error *err) {
  struct ts_error ignored = {0}; /* without hints the files are searched */
  char whose[32];
  *order = (struct ts_order){.file = row->file, .row = json_loads(row->settings_json, 0, NULL)};
  if (!ts_order_row_text(order->row, "order")) return true;
  snprintf(whose, sizeof whose, "run %s", row->id);
  order->root = load_text(store, ts_order_row_text(order->row, "order"), err);
  if (!order->root) return fail_lost(whose, err);
  order->locations = load_text(store, ts_order_row_text(order->row, "locations"), &ignored);
  return ts_order_check(order->root, whose, err) && load_rounds(store, order, whose, err);
}
