/* Explains why a task ran or was reused: in the user's words, by the same task of an earlier run, and by the fields in
 * which the nearest earlier record of its operation differs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/explain/explain_int.h"
#include "work/costs.h"
#include "work/engine.h"

#include "base/alloc.h"
#include "data/failure.h"

#include <string.h>

#define RECORDS_LOOKED_AT     2000
#define LOAD_BYTES_PER_SECOND 500e6 /* reading and unpacking a product, where it was not measured */
#define RUNS_LOOKED_AT        20    /* for the same task, before it counts as new */
#define CANDIDATES_MAX        100   /* of one run: a study has the task with many parameter sets */

/* A task that is explained. */
struct telling {
  struct ts_past *past;          /* borrowed */
  const struct ts_run_row *runs; /* newest first; borrowed */
  size_t run_count, at;          /* at: the run that is asked about */
  size_t seen;                   /* the run that the row is from: one that did not need the task leaves none */
  struct ts_task_row row;
  char name[160];
};

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

/* The row that says most: a task that ran, then one that failed; of a run that was continued each part has one. */
static int worth_of(const struct ts_task_row *row) {
  if (strcmp(row->outcome, "executed") == 0) return 3;
  return strcmp(row->outcome, "failed") == 0 ? 2 : 1;
}

static bool has_product(const struct ts_task_row *row) {
  return strcmp(row->outcome, "failed") != 0 && strcmp(row->outcome, "skipped") != 0;
}

static bool find_row_in(struct telling *t, const struct ts_task_row *rows, size_t count, const char *asked) {
  int most = 0;
  for (size_t i = 0; i < count; i++) {
    if (!ts_task_row_fits(&rows[i], asked) || worth_of(&rows[i]) <= most) continue;
    most = worth_of(&rows[i]);
    t->row = rows[i];
  }
  if (most > 0) ts_join_names(t->row.stage, t->row.name, t->name, sizeof t->name);
  return most > 0;
}

static bool list_rows(struct telling *t, size_t run, struct ts_task_row **rows, size_t *count,
                      struct ts_issues *issues) {
  struct ts_error err = {0};
  *count = 0;
  return ts_store_task_list(t->past->store, t->runs[run].id, &t->past->arena, rows, count, &err) ||
         ts_issues_fault(issues, &err);
}

/* A task whose consumers are all in the store is not looked up and leaves no row: an earlier run has one. */
static bool find_earlier_row(struct telling *t, const char *asked, struct ts_issues *issues) {
  struct ts_task_row *rows = NULL;
  size_t count = 0;
  for (t->seen = t->at + 1; t->seen < t->run_count; t->seen++) {
    if (!list_rows(t, t->seen, &rows, &count, issues)) return false;
    if (find_row_in(t, rows, count, asked)) return true;
  }
  return false;
}

/* ---- What an earlier run made of the same task ---- */

/* "0.6 ms", "2.5 s". */
static void print_time(double seconds, struct ts_str *out) {
  if (seconds < 1)
    ts_str_addf(out, "%s ms", TS_SIGNIFICANT(seconds * 1e3, 2));
  else
    ts_str_addf(out, "%s s", TS_SIGNIFICANT(seconds, 2));
}

static void print_not_kept(const char *run, const json_t *cost, struct ts_str *out) {
  ts_str_addf(out, "run %s computed it but did not keep it: computing takes ", run);
  print_time(json_number_value(json_object_get(cost, "recompute_s")), out);
  ts_str_add(out, ", loading ");
  print_time(json_number_value(json_object_get(cost, "load_s")), out);
}

static void compare_candidate(struct telling *t, const struct ts_record *record, const struct ts_told_run *here,
                              const struct ts_task_row *row, const struct ts_told_run *there,
                              struct ts_cause_list *best) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  ts_auto(ts_cause_list_release) struct ts_cause_list causes = {0};
  struct ts_record earlier;
  struct ts_error ignored = {0};
  if (!ts_store_find(t->past->store, &row->key, &arena, &earlier, &ignored)) return;
  ts_causes_find(t->past, record, here, t->row.set, &earlier, there, row->set, &causes);
  if (causes.count == 0 || (best->count > 0 && best->count <= causes.count)) return;
  const struct ts_cause_list other = *best;
  *best = causes;
  causes = other;
}

/* Compares with a run that has the same task on the same unit. Whether it settles the question: it has the same key, or
 * something differs. */
static bool compare_with_run(struct telling *t, const struct ts_record *record, const struct ts_told_run *here,
                             size_t run, struct ts_cause_list *causes, bool *is_same, struct ts_issues *issues) {
  struct ts_task_row *rows = NULL;
  size_t count = 0, met = 0;
  ts_auto(ts_order_release) struct ts_order order = {0};
  struct ts_error ignored = {0};
  if (!list_rows(t, run, &rows, &count, issues)) return true;
  for (size_t i = 0; i < count && !*is_same; i++)
    *is_same = ts_key_equal(&rows[i].key, &t->row.key) && has_product(&rows[i]);
  if (*is_same) return true;
  ts_order_load(t->past->store, &t->runs[run], &order, &ignored);
  const struct ts_told_run there = {.row = &t->runs[run], .order = order};
  for (size_t i = 0; i < count && met < CANDIDATES_MAX; i++) {
    if (rows[i].unit != t->row.unit || strcmp(rows[i].name, t->row.name) != 0 ||
        strcmp(rows[i].stage, t->row.stage) != 0)
      continue;
    compare_candidate(t, record, here, &rows[i], &there, causes);
    met++;
  }
  return causes->count > 0;
}

/* Why it was computed, behind "ran because". */
static void add_causes(struct telling *t, const struct ts_record *record, json_t *object, struct ts_str *because,
                       struct ts_issues *issues) {
  ts_auto(ts_cause_list_release) struct ts_cause_list causes = {0};
  ts_auto(ts_order_release) struct ts_order order = {0};
  struct ts_error ignored = {0};
  bool is_same = false, is_settled = false;
  size_t run = t->at + 1;
  ts_order_load(t->past->store, &t->runs[t->at], &order, &ignored);
  const struct ts_told_run here = {.row = &t->runs[t->at], .order = order};
  for (; run < t->run_count && run <= t->at + RUNS_LOOKED_AT; run++) {
    is_settled = compare_with_run(t, record, &here, run, &causes, &is_same, issues);
    if (is_settled) break;
  }
  if (is_settled) json_object_set_new(object, "compared_with", json_string(t->runs[run].id));
  if (is_same)
    print_not_kept(t->runs[run].id, json_object_get(object, "cost"), because);
  else if (causes.count > 0)
    ts_causes_print(&causes, because);
  else
    ts_str_add(because, "it had not been run before");
  json_object_set_new(object, "causes", ts_causes_json(&causes));
}

/* "segment.split ran because G1 = 40 (was 80)": the whole answer. */
static void add_because(struct telling *t, const struct ts_record *record, json_t *object, struct ts_issues *issues) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  const char *outcome = t->row.outcome, *run = t->runs[t->at].id;
  ts_str_add(&text, t->name);
  if (t->seen != t->at) {
    ts_str_addf(&text, " was not needed: a product that follows it is in the store");
  } else if (strcmp(outcome, "executed") == 0) {
    ts_str_add(&text, " ran because ");
    add_causes(t, record, object, &text, issues);
  } else if (strcmp(outcome, "store") == 0) {
    ts_str_add(&text, " was reused: ");
    ts_str_addf(&text, record->run && record->run[0] ? "the store has its product from run %s" : "%s", record->run);
  } else if (strcmp(outcome, "cutoff") == 0) {
    ts_str_add(&text, " was reused: what it reads has the same content as that of a task that ran");
  } else if (strcmp(outcome, "failed") == 0) {
    ts_auto(ts_failure_release) struct ts_failure failure;
    ts_failure_unpack(t->row.message, &failure);
    ts_str_add(&text, failure.params ? " failed with " : " failed");
    ts_values_print(failure.params, &text);
    ts_str_addf(&text, ": %s", failure.error.text);
    if (failure.params) json_object_set(object, "params", failure.params);
  } else {
    ts_str_addf(&text, " did not run: something that it needs failed; see: tessera log %s", run);
  }
  json_object_set_new(object, "because", json_string(ts_str_get(&text)));
}

static void add_not_needed(const struct telling *t, json_t *object) {
  char text[200];
  snprintf(text, sizeof text,
           "run %s did not need it: a product that follows it is in the store; run %s is the last that looked it up",
           t->runs[t->at].id, t->runs[t->seen].id);
  json_object_set_new(object, "outcome", json_string("store"));
  json_object_set_new(object, "reason", json_string(text));
}

/* How often the run did what with tasks of this name. */
static void add_outcomes(const struct telling *t, const struct ts_task_row *rows, size_t count, json_t *object) {
  json_t *outcomes = json_object();
  for (size_t i = 0; i < count; i++) {
    if (strcmp(rows[i].name, t->row.name) != 0 || strcmp(rows[i].stage, t->row.stage) != 0) continue;
    const json_int_t before = json_integer_value(json_object_get(outcomes, rows[i].outcome));
    json_object_set_new(outcomes, rows[i].outcome, json_integer(before + 1));
  }
  json_object_set_new(object, "outcomes", outcomes);
}

static void explain_row(struct telling *t, json_t *object, struct ts_issues *issues) {
  struct ts_record record = {0};
  struct ts_error err = {0};
  char key[TS_KEY_TEXT_SIZE];
  ts_key_print(&t->row.key, key);
  json_object_set_new(object, "task", json_string(t->name));
  json_object_set_new(object, "key", json_string(key));
  json_object_set_new(object, "outcome", json_string(t->row.outcome));
  if (ts_store_find(t->past->store, &t->row.key, &t->past->arena, &record, &err))
    add_record(t->past, &record, object, issues);
  add_because(t, &record, object, issues);
  if (t->seen == t->at)
    add_reason(&t->row, object);
  else
    add_not_needed(t, object);
}

/* Every task of a stage, by name. */
static void explain_stage(struct telling *t, const struct ts_task_row *rows, size_t count, const char *const *names,
                          size_t name_count, json_t *object, struct ts_issues *issues) {
  json_t *tasks = json_array();
  for (size_t i = 0; i < name_count; i++) {
    json_t *task = json_object();
    t->seen = t->at;
    find_row_in(t, rows, count, names[i]);
    add_outcomes(t, rows, count, task);
    explain_row(t, task, issues);
    json_array_append_new(tasks, task);
  }
  json_object_set_new(object, "stage", json_string(t->past->request->task));
  json_object_set_new(object, "tasks", tasks);
}

static void explain(struct telling *t, json_t *object, struct ts_issues *issues) {
  const char *asked = t->past->request->task;
  struct ts_task_row *rows = NULL;
  size_t count = 0, name_count = 0;
  struct ts_error err = {0};
  if (!list_rows(t, t->at, &rows, &count, issues)) return;
  t->seen = t->at;
  const char **names = ts_task_names_of_stage(rows, count, asked, &t->past->arena, &name_count);
  json_object_set_new(object, "run", json_string(t->runs[t->at].id));
  if (find_row_in(t, rows, count, asked)) {
    add_outcomes(t, rows, count, object);
    explain_row(t, object, issues);
  } else if (name_count > 0) {
    explain_stage(t, rows, count, names, name_count, object, issues);
  } else if (find_earlier_row(t, asked, issues)) {
    explain_row(t, object, issues);
  } else if (ts_issues_ok(issues)) {
    ts_task_fail_unknown(rows, count, t->runs[t->at].id, asked, &err);
    ts_issues_fault(issues, &err);
  }
}

int ts_explain(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct ts_past past;
  struct ts_run_row run;
  struct ts_run_row *runs = NULL;
  struct ts_error err = {0};
  struct telling t = {.past = &past};
  json_t *object = ts_reply_new("tessera.explain/1");
  if (ts_past_open(&past, request, &issues) && ts_past_find(&past, NULL, &run, &issues)) {
    if (!ts_store_run_list(past.store, &past.arena, &runs, &t.run_count, &err)) ts_issues_fault(&issues, &err);
    t.runs = runs;
    while (t.at < t.run_count && strcmp(runs[t.at].id, run.id) != 0) t.at++;
    if (t.at < t.run_count) explain(&t, object, &issues);
  }
  return ts_past_finish(&past, object, 0, reply, &issues);
}
