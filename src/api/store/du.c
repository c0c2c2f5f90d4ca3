/* 'store du': what takes how much, by run and by stage.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "api/store/store_json.h"

#include "base/alloc.h"
#include "base/json.h"

/* The database is what its pages hold: small products, nothing, or rows and their indexes. */
static json_t *database_json(const struct store_usage *usage) {
  const struct ts_store_footprint *footprint = &usage->footprint;
  const uint64_t small = usage->product_bytes - usage->file_bytes;
  const uint64_t held = small + footprint->free_bytes;
  const uint64_t rest = footprint->database_bytes > held ? footprint->database_bytes - held : 0;
  return json_pack("{s:o, s:o, s:o, s:o}", "bytes", ts_json_count(footprint->database_bytes), "products",
                   ts_json_count(small), "free", ts_json_count(footprint->free_bytes), "rows", ts_json_count(rest));
}

static json_t *objects_json(const struct store_usage *usage) {
  const struct ts_store_footprint *footprint = &usage->footprint;
  return json_pack("{s:o, s:o, s:o}", "files", ts_json_count(footprint->object_files), "bytes",
                   ts_json_count(footprint->object_bytes), "stray_bytes", ts_json_count(ts_usage_stray_bytes(usage)));
}

static json_t *runs_json(const struct store_usage *usage) {
  json_t *list = json_array();
  for (size_t i = 0; i < usage->run_count; i++) {
    const struct usage_run *run = &usage->runs[i];
    json_t *object = ts_store_run_json(run);
    json_object_set_new(object, "task_rows", ts_json_count(run->task_rows));
    json_object_set_new(object, "products", ts_json_count(run->products));
    json_object_set_new(object, "bytes", ts_json_count(run->bytes));
    json_object_set_new(object, "own_bytes", ts_json_count(run->own_bytes));
    json_array_append_new(list, object);
  }
  return list;
}

static bool is_any(const struct used_product *product) { return !product->is_text; }

static void describe(struct store_usage *usage, const char *path, json_t *object) {
  uint64_t unpacked = 0, texts = 0, text_bytes = 0, unused = 0, unused_bytes = 0;
  for (size_t i = 0; i < usage->product_count; i++) {
    const struct used_product *product = &usage->products[i];
    const bool is_unused = !product->is_text && product->user_count == 0;
    unpacked += product->size_bytes;
    texts += product->is_text;
    text_bytes += product->is_text ? product->packed_bytes : 0;
    unused += is_unused;
    unused_bytes += is_unused ? product->packed_bytes : 0;
  }
  json_object_set_new(object, "store", json_string(path));
  json_object_set_new(object, "files", ts_json_count(usage->footprint.files));
  json_object_set_new(object, "bytes", ts_json_count(usage->footprint.bytes));
  json_object_set_new(object, "database", database_json(usage));
  json_object_set_new(object, "objects", objects_json(usage));
  json_object_set_new(object, "products",
                      json_pack("{s:o, s:o, s:o}", "count", ts_json_count(usage->product_count), "bytes",
                                ts_json_count(usage->product_bytes), "unpacked_bytes", ts_json_count(unpacked)));
  json_object_set_new(object, "records", ts_json_count(usage->record_count));
  json_object_set_new(object, "stages", ts_store_stages_json(usage, is_any));
  json_object_set_new(object, "orders",
                      json_pack("{s:o, s:o}", "texts", ts_json_count(texts), "bytes", ts_json_count(text_bytes)));
  json_object_set_new(object, "unused",
                      json_pack("{s:o, s:o}", "products", ts_json_count(unused), "bytes", ts_json_count(unused_bytes)));
  json_object_set_new(object, "runs", runs_json(usage));
}

int ts_store_du(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct ts_past past;
  struct ts_error err = {0};
  ts_auto(ts_usage_release) struct store_usage usage = {0};
  json_t *object = ts_reply_new("tessera.store-du/1");
  if (ts_past_open(&past, request, &issues)) {
    if (ts_usage_read(&usage, past.store, &err))
      describe(&usage, ts_store_path(past.store), object);
    else
      ts_issues_fault(&issues, &err);
  }
  return ts_past_finish(&past, object, 0, reply, &issues);
}
