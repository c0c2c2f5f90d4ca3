/* Explains why a task ran or was reused, by the nearest earlier record of its operation and the fields that differ.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "order/order.h"
#include "work/costs.h"
#include "work/engine.h"

#include "base/alloc.h"
#include "data/failure.h"

#include <string.h>

#define RECORDS_LOOKED_AT     2000
#define LOAD_BYTES_PER_SECOND 500e6 /* reading and unpacking a product, where it was not measured */

static void add_difference(json_t *list, const char *field, const char *here, const char *there) {
  json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "field", field, "here", here, "there", there));
}

static void differing_parameters(const struct ts_record *a, const struct ts_record *b, json_t *list) {
  json_auto_t *here = json_loads(a->parameters_json, 0, NULL);
  json_auto_t *there = json_loads(b->parameters_json, 0, NULL);
  const char *name;
  json_t *value;
  json_object_foreach(here, name, value) {
    json_t *other = json_object_get(there, name);
    if (other && json_equal(value, other)) continue;
    char field[160];
    ts_auto_free char *x = json_dumps(value, JSON_ENCODE_ANY);
    ts_auto_free char *y = other ? json_dumps(other, JSON_ENCODE_ANY) : NULL;
    snprintf(field, sizeof field, "parameter %s", name);
    add_difference(list, field, x, y ? y : "not there");
  }
}

static void differing_inputs(const struct ts_record *a, const struct ts_record *b, json_t *list) {
  for (size_t i = 0; i < a->input_count; i++) {
    for (size_t k = 0; k < b->input_count; k++) {
      if (strcmp(a->inputs[i].port, b->inputs[k].port) != 0 || ts_key_equal(&a->inputs[i].key, &b->inputs[k].key))
        continue;
      char field[160];
      char x[TS_KEY_TEXT_SIZE];
      char y[TS_KEY_TEXT_SIZE];
      snprintf(field, sizeof field, "input %s", a->inputs[i].port);
      ts_key_print(&a->inputs[i].key, x);
      ts_key_print(&b->inputs[k].key, y);
      add_difference(list, field, x, y);
    }
  }
}

static json_t *differences(const struct ts_record *a, const struct ts_record *b) {
  json_t *list = json_array();
  if (memcmp(&a->implementation, &b->implementation, sizeof a->implementation) != 0) {
    char x[65];
    char y[65];
    ts_hex_encode(a->implementation.bytes, 32, x);
    ts_hex_encode(b->implementation.bytes, 32, y);
    add_difference(list, "implementation", x, y);
  }
  differing_parameters(a, b, list);
  differing_inputs(a, b, list);
  return list;
}

/* The earlier record with the fewest differing fields; the newest among equals. */
static void add_nearest(struct ts_past *past, const struct ts_record *record, json_t *object,
                        struct ts_issues *issues) {
  struct ts_record *records = NULL;
  size_t count = 0;
  struct ts_error err = {0};
  if (!ts_store_records_of(past->store, record->operation, RECORDS_LOOKED_AT, &past->arena, &records, &count, &err)) {
    ts_issues_fault(issues, &err);
    return;
  }
  json_t *best = NULL;
  const struct ts_record *nearest = NULL;
  for (size_t i = 0; i < count; i++) {
    if (ts_key_equal(&records[i].key, &record->key) || records[i].made_unix_ns > record->made_unix_ns) continue;
    json_auto_t *list = differences(record, &records[i]);
    bool better = !best || json_array_size(list) < json_array_size(best);
    if (better) {
      json_decref(best);
      best = json_incref(list);
      nearest = &records[i];
    }
  }
  if (nearest) {
    char key[TS_KEY_TEXT_SIZE];
    ts_key_print(&nearest->key, key);
    json_object_set_new(object, "nearest",
                        json_pack("{s:s, s:s, s:o}", "key", key, "run", nearest->run, "differs", json_incref(best)));
  }
  json_decref(best);
}

/* How much of a value a sentence shows: of a key its first digits, which identify it. */
static int length_shown(const char *value) { return strncmp(value, "k1:", 3) == 0 ? 3 + 16 : 60; }

static void add_failure(const struct ts_task_row *row, char *text, size_t size) {
  ts_auto(ts_failure_release) struct ts_failure failure;
  ts_failure_unpack(row->message, &failure);
  snprintf(text, size, "it failed with T%d: %.300s", ts_error_number(failure.error.code), failure.error.text);
}

static void add_reason(const struct ts_task_row *row, json_t *object) {
  const json_t *differs = json_object_get(json_object_get(object, "nearest"), "differs");
  const json_t *first = json_array_get(differs, 0);
  const char *here = json_string_value(json_object_get(first, "here"));
  const char *there = json_string_value(json_object_get(first, "there"));
  char text[400];
  if (strcmp(row->outcome, "store") == 0)
    snprintf(text, sizeof text, "it was reused: the store has its product, or a product made from it");
  else if (strcmp(row->outcome, "cutoff") == 0)
    snprintf(text, sizeof text,
             "it was reused: its inputs have the same content as those of a task that ran, although their "
             "history differs");
  else if (strcmp(row->outcome, "failed") == 0)
    add_failure(row, text, sizeof text);
  else if (strcmp(row->outcome, "skipped") == 0)
    snprintf(text, sizeof text, "it did not run: something it needs failed");
  else if (here && there)
    snprintf(text, sizeof text,
             "it ran: no product of its key was in the store; the nearest earlier one differs in %zu %s, "
             "first in %s (%.*s here, %.*s there)",
             json_array_size(differs), json_array_size(differs) == 1 ? "field" : "fields",
             json_string_value(json_object_get(first, "field")), length_shown(here), here, length_shown(there), there);
  else
    snprintf(text, sizeof text, "it ran: the store had no earlier product of this operation");
  json_object_set_new(object, "reason", json_string(text));
}

/* The time that it took to compute, and that it would take to load. A task that was cut off cost nothing itself: the
 * one whose products it took did. */
static void add_cost(struct ts_past *past, const struct ts_record *record, json_t *object) {
  struct ts_record original = *record;
  struct ts_error ignored = {0};
  uint64_t bytes = 0;
  if (record->is_alias) ts_store_find_content(past->store, &record->content_key, &past->arena, &original, &ignored);
  for (size_t i = 0; i < original.output_count; i++) bytes += original.outputs[i].size_bytes;
  double measured = ts_costs_speed_of(past->store).load_bytes_per_s;
  double load_s = (double)bytes / (measured > 0 ? measured : LOAD_BYTES_PER_SECOND);
  json_object_set_new(object, "cost",
                      json_pack("{s:f, s:f, s:b, s:I, s:I}", "recompute_s", original.seconds, "load_s", load_s,
                                "load_measured", measured > 0, "bytes", (json_int_t)bytes, "peak_bytes",
                                (json_int_t)original.peak_bytes));
}

static void add_record(struct ts_past *past, const struct ts_record *record, json_t *object, struct ts_issues *issues) {
  json_t *inputs = json_array();
  for (size_t i = 0; i < record->input_count; i++) {
    char key[TS_KEY_TEXT_SIZE];
    ts_key_print(&record->inputs[i].key, key);
    struct ts_record made;
    struct ts_error ignored = {0};
    const char *operation =
        ts_store_find(past->store, &record->inputs[i].key, &past->arena, &made, &ignored) ? made.operation : "";
    json_array_append_new(inputs,
                          json_pack("{s:s, s:s, s:s}", "port", record->inputs[i].port, "key", key, "task", operation));
  }
  json_object_set_new(object, "operation", json_string(record->operation));
  json_object_set_new(object, "inputs", inputs);
  add_cost(past, record, object);
  add_nearest(past, record, object, issues);
}

/* A run that was continued has a row of the same task from each part. The one that ran says most; otherwise the last
 * one counts. */
static bool is_later_part(const struct ts_task_row *known, const struct ts_task_row *row) {
  return ts_key_equal(&known->key, &row->key) && known->unit == row->unit && strcmp(known->outcome, "executed") != 0;
}

static bool find_row_in(struct ts_past *past, const char *run, struct ts_task_row *found, struct ts_issues *issues) {
  struct ts_task_row *rows = NULL;
  size_t count = 0;
  struct ts_error err = {0};
  if (!ts_store_task_list(past->store, run, &past->arena, &rows, &count, &err)) {
    ts_issues_fault(issues, &err);
    return false;
  }
  bool is_found = false;
  for (size_t i = 0; i < count; i++) {
    if (!ts_task_row_fits(&rows[i], past->request->task)) continue;
    if (!is_found || is_later_part(found, &rows[i])) *found = rows[i];
    is_found = true;
  }
  return is_found;
}

/* A task whose consumers are all in the store is not looked up and leaves no row: an earlier run has one. *seen_in
 * is the run that the row is from. */
static bool find_row(struct ts_past *past, const char *run, struct ts_task_row *found, const char **seen_in,
                     struct ts_issues *issues) {
  struct ts_run_row *runs = NULL;
  size_t count = 0;
  struct ts_error err = {0};
  if (!ts_store_run_list(past->store, &past->arena, &runs, &count, &err)) {
    ts_issues_fault(issues, &err);
    return false;
  }
  size_t i = 0;
  while (i < count && strcmp(runs[i].id, run) != 0) i++;
  for (; i < count; i++) {
    *seen_in = runs[i].id;
    if (find_row_in(past, runs[i].id, found, issues)) return true;
  }
  ts_fail(&err, TS_ERR_NO_SUCH_RUN, "run %s has no task '%s'", run, past->request->task);
  ts_error_help(&err, "tasks are named STAGE.TASK or by the first digits of their key; see: tessera status %s", run);
  ts_issues_fault(issues, &err);
  return false;
}

static void add_not_needed(const char *run, const char *seen_in, json_t *object) {
  char text[200];
  snprintf(text, sizeof text,
           "run %s did not need it: a product that follows it is in the store; run %s is the last that looked it up",
           run, seen_in);
  json_object_set_new(object, "outcome", json_string("store"));
  json_object_set_new(object, "reason", json_string(text));
}

int ts_explain(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct ts_past past;
  struct ts_run_row run;
  struct ts_task_row row;
  const char *seen_in = NULL;
  json_t *object = ts_reply_new("tessera.explain/1");
  if (ts_past_open(&past, request, &issues) && ts_past_find(&past, NULL, &run, &issues) &&
      find_row(&past, run.id, &row, &seen_in, &issues)) {
    struct ts_record record;
    struct ts_error err = {0};
    char key[TS_KEY_TEXT_SIZE];
    char name[160];
    ts_key_print(&row.key, key);
    ts_join_names(row.stage, row.name, name, sizeof name);
    json_object_set_new(object, "run", json_string(run.id));
    json_object_set_new(object, "task", json_string(name));
    json_object_set_new(object, "key", json_string(key));
    json_object_set_new(object, "outcome", json_string(row.outcome));
    if (ts_store_find(past.store, &row.key, &past.arena, &record, &err)) add_record(&past, &record, object, &issues);
    if (strcmp(seen_in, run.id) == 0)
      add_reason(&row, object);
    else
      add_not_needed(run.id, seen_in, object);
  }
  return ts_past_finish(&past, object, 0, reply, &issues);
}
