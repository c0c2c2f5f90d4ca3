/* 'store gc': says what it would remove and what computing that again would cost; removes it with --yes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Without --yes the store is only read, which works while another process writes. With it the store is open for
 * writing, so that no other process can use what goes. Each product goes by itself: a process that is killed leaves a
 * sound store, and the next call goes on. */
#include "api/api_int.h"
#include "api/store/gc_choice.h"
#include "api/store/store_json.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"

/* What of a run is chosen. */
struct run_sum {
  uint64_t products, bytes;
  double seconds;
  uint32_t *counted; /* borrowed: per record, the run for which it was counted last, + 1 */
  uint32_t run;
};

static void add_chosen(void *user, struct store_usage *usage, uint32_t number) {
  struct run_sum *sum = user;
  const struct used_product *product = &usage->products[number];
  if (!product->is_chosen) return;
  sum->products++;
  sum->bytes += product->packed_bytes;
  if (product->record == USAGE_NONE || sum->counted[product->record] == sum->run + 1) return;
  sum->counted[product->record] = sum->run + 1;
  sum->seconds += usage->records[product->record].seconds;
}

static json_t *runs_json(struct store_usage *usage) {
  json_t *list = json_array();
  ts_auto_free uint32_t *counted = ts_calloc(usage->record_count + 1, sizeof *counted);
  for (size_t i = 0; i < usage->run_count; i++) {
    struct run_sum sum = {.counted = counted, .run = (uint32_t)i};
    const struct usage_run *run = &usage->runs[i];
    ts_usage_walk(usage, i, add_chosen, &sum);
    json_t *object = ts_store_run_json(run);
    json_object_set_new(object, "kept", json_boolean(run->kept_because != NULL));
    json_object_set_new(object, "because", json_string(run->kept_because ? run->kept_because : ""));
    json_object_set_new(object, "bytes", ts_json_count(run->bytes));
    json_object_set_new(object, "remove",
                        json_pack("{s:o, s:o, s:f}", "products", ts_json_count(sum.products), "bytes",
                                  ts_json_count(sum.bytes), "seconds", sum.seconds));
    json_array_append_new(list, object);
  }
  return list;
}

static bool is_chosen(const struct used_product *product) { return product->is_chosen; }

static void describe(struct gc_choice *choice, const struct ts_past *past, json_t *object) {
  struct store_usage *usage = choice->usage;
  json_object_set_new(object, "store", json_string(ts_store_path(past->store)));
  json_object_set_new(object, "bytes", ts_json_count(usage->footprint.bytes));
  json_object_set_new(object, "remove",
                      json_pack("{s:o, s:o, s:f, s:o}", "products", ts_json_count(choice->count), "bytes",
                                ts_json_count(choice->bytes), "seconds", choice->seconds, "stray_bytes",
                                ts_json_count(ts_usage_stray_bytes(usage))));
  json_object_set_new(object, "keep",
                      json_pack("{s:o, s:o}", "products", ts_json_count(usage->product_count - choice->count), "bytes",
                                ts_json_count(usage->product_bytes - choice->bytes)));
  json_object_set_new(object, "left_bytes", ts_json_count(choice->left_bytes));
  json_object_set_new(object, "stages", ts_store_stages_json(usage, is_chosen));
  json_object_set_new(object, "runs", runs_json(usage));
}

/* The database keeps the place of small products for later ones, unless there is much of it. */
static bool remove_chosen(struct gc_choice *choice, struct ts_past *past, json_t *object, struct ts_issues *issues) {
  struct ts_store_footprint after;
  struct ts_error err = {0}, compacting = {0};
  uint64_t stray_files = 0;
  size_t count = 0;
  const bool ok = ts_store_evict(past->store, choice->digests, choice->count, past->request->stop, &count, &err) &&
                  ts_store_sweep(past->store, &stray_files, &err);
  if (ok && !ts_store_compact(past->store, past->request->to_bytes > 0, &compacting))
    ts_issues_warn(issues, "the database was not made smaller: %s; later products take the place that is free in it",
                   compacting.text);
  if (!ts_store_footprint(past->store, &after, &err)) ts_issues_fault(issues, &err);
  choice->left_bytes = after.bytes;
  json_object_set_new(object, "removed",
                      json_pack("{s:o, s:o, s:o}", "products", ts_json_count(count), "stray_files",
                                ts_json_count(stray_files), "bytes_after", ts_json_count(after.bytes)));
  if (!ok) ts_issues_fault(issues, &err);
  return ok;
}

int ts_store_gc(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct ts_past past = {.request = request};
  struct ts_error err = {0};
  ts_auto(ts_usage_release) struct store_usage usage = {0};
  ts_auto(ts_gc_choice_release) struct gc_choice choice = {0};
  bool missed = false;
  json_t *object = ts_reply_new("tessera.store-gc/1");
  past.store = ts_request_open_store(request, !request->yes, true, &issues);
  if (past.store && !ts_usage_read(&usage, past.store, &err)) ts_issues_fault(&issues, &err);
  if (ts_issues_ok(&issues) && ts_gc_choose(&choice, &usage, request, ts_clock_unix_ns(), &issues)) {
    describe(&choice, &past, object);
    if (request->yes) remove_chosen(&choice, &past, object, &issues);
    missed = request->to_bytes > 0 && choice.left_bytes > request->to_bytes;
    json_object_set_new(object, "target_met", json_boolean(!missed));
  }
  return ts_past_finish(&past, object, missed ? 4 : 0, reply, &issues);
}
