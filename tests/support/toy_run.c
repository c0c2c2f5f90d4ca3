/* Runs a case with the engine, and compares what it tells with what it must be.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/toy_run.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "store/store_int.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Subjects. ---- */

void toy_subject_draw(struct toy_subject *s, struct ts_registry *registry, const struct toy_settings *settings,
                      bool twins, uint64_t seed) {
  s->registry = registry;
  s->seed = seed;
  toy_case_draw(&s->toy, registry, settings, seed);
  toy_dataset_draw(&s->data, &s->toy, twins, seed);
  toy_oracle_init(&s->oracle, &s->toy, &s->data.dataset);
  s->plan = toy_case_plan(&s->toy);
}

void toy_subject_complete(struct toy_subject *s, struct ts_registry *registry, const struct toy_image *images,
                          size_t image_count, int64_t tile_px, int64_t halo_px) {
  s->registry = registry;
  s->seed = 0;
  toy_dataset_init(&s->data, &s->toy, images, image_count, tile_px, halo_px);
  toy_oracle_init(&s->oracle, &s->toy, &s->data.dataset);
  s->plan = toy_case_plan(&s->toy);
}

void toy_subject_release(struct toy_subject *s) {
  ts_plan_destroy(s->plan);
  toy_oracle_release(&s->oracle);
  toy_dataset_release(&s->data);
  toy_case_release(&s->toy);
}

size_t toy_expected_executed(const struct toy_subject *s, bool no_cutoff, bool stored) {
  const struct toy_filter filter = {.by = no_cutoff ? TOY_BY_NODE : TOY_BY_CONTENT,
                                    .statuses = 1U << TOY_DONE,
                                    .design = true,
                                    .reference = true,
                                    .grouped = stored && !no_cutoff ? NULL : &s->plan->coarsest};
  if (no_cutoff && s->toy.options.merge != TS_MERGE_LINEAGE) { /* then only the plan says what is shared */
    size_t sum = 0;
    for (size_t n = 0; n < s->plan->node_count; n++) {
      if (s->plan->nodes[n].kind == TS_NODE_TASK) sum += toy_units(&s->data.dataset, s->plan->nodes[n].scope);
    }
    return sum;
  }
  return toy_distinct(&s->oracle, &filter);
}

/* ---- Runs. ---- */

static void enter(struct toy_run *run) {
  if (atomic_fetch_add(&run->inside, 1) != 0) run->repeated++;
}

static void on_task(void *user, const struct ts_task_event *event) {
  struct toy_run *run = user;
  enter(run);
  const size_t place[] = {event->node, event->unit};
  bool inserted = false;
  ts_map_insert(&run->events, place, sizeof place, &inserted)->number = event->outcome;
  run->repeated += !inserted;
  run->event_count++;
  if (run->subject->plan->nodes[event->node].kind == TS_NODE_TASK)
    ts_map_insert(&run->keys, &event->key, sizeof event->key, NULL)->number |= 1U << event->outcome;
  if (event->worker >= run->options.threads || event->start_s < 0 || event->wall_s < 0) run->wrong_messages++;
  bool reason = event->error != NULL;
  if (reason != (event->outcome == TS_OUTCOME_FAILED)) run->wrong_messages++;
  if (reason && (event->error->code != TS_ERR_TASK_FAILED || !strstr(event->error->text, TOY_REASON)))
    run->wrong_messages++;
  if (run->stop_after > 0 && run->event_count >= run->stop_after) __atomic_store_n(&run->stop, 1, __ATOMIC_RELAXED);
  if (run->on_event) run->on_event(run->user, event);
  atomic_fetch_sub(&run->inside, 1);
}

static void on_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct toy_run *run = user;
  enter(run);
  const size_t place[] = {node, port, unit};
  union ts_map_value *value = ts_map_insert(&run->products, place, sizeof place, NULL);
  if (value->pointer)
    run->repeated++;
  else
    value->pointer = ts_data_ref(data);
  atomic_fetch_sub(&run->inside, 1);
}

void toy_run_do(struct toy_run *run) { toy_run_do_on(run, &run->subject->data.dataset); }

void toy_run_do_on(struct toy_run *run, const struct ts_dataset *dataset) {
  const struct toy_subject *s = run->subject;
  struct ts_error err = {0};
  uint64_t before = toy_executions(s->registry);
  run->options.registry = s->registry;
  run->options.user = run;
  run->options.on_task = on_task;
  run->options.on_product = on_product;
  run->options.stop = &run->stop;
  if (!ts_run(s->plan, dataset, &run->options, &run->result, &err)) fail_msg("%s", err.text);
  assert_int_equal(err.code, TS_ERR_OK);
  run->executions = toy_executions(s->registry) - before;
}

void toy_run_release(struct toy_run *run) {
  for (size_t i = 0; i < ts_map_count(&run->products); i++) ts_data_unref(ts_map_value_at(&run->products, i)->pointer);
  ts_map_release(&run->products);
  ts_map_release(&run->events);
  ts_map_release(&run->keys);
  ts_run_result_release(&run->result);
  run->event_count = run->repeated = run->wrong_messages = 0;
  run->stop = 0;
}

uint64_t toy_run_sum(const struct toy_run *run, enum ts_outcome outcome) {
  uint64_t sum = run->result.reference.by_outcome[outcome];
  for (size_t t = 0; t < run->subject->toy.workflow->task_count; t++) sum += run->result.tasks[t].by_outcome[outcome];
  return sum;
}

/* ---- Products. ---- */

static const char *check_product(const struct toy_run *run, size_t set, size_t wanted) {
  const struct ts_plan *plan = run->subject->plan;
  const struct ts_source *source = &plan->options.wanted[wanted];
  struct ts_node_input product =
      set == TOY_REFERENCE ? plan->reference_products[wanted] : plan->products[set * plan->wanted_count + wanted];
  size_t units = toy_units(&run->subject->data.dataset, plan->nodes[product.node].scope);
  for (size_t u = 0; u < units; u++) {
    const size_t place[] = {product.node, product.port, u};
    const union ts_map_value *value = ts_map_find(&run->products, place, sizeof place);
    const struct toy_instance *expected = toy_oracle_find(&run->subject->oracle, set, source->index, u);
    if (!expected) return "a product that nobody asked for";
    if (expected->status != TOY_DONE) {
      if (value) return "a product of a task that cannot be done";
      continue;
    }
    if (!value) return "a product is missing";
    if (!toy_same_data(value->pointer, expected->outputs[source->port])) return "a product has another content";
  }
  return "";
}

const char *toy_check_products(const struct toy_run *run) {
  const struct toy_case *toy = &run->subject->toy;
  for (size_t i = 0; i < toy->options.wanted_count; i++) {
    for (size_t s = 0; s < toy->set_count; s++) {
      const char *wrong = check_product(run, s, i);
      if (wrong[0] != '\0') return wrong;
    }
    const char *wrong = toy->want_reference ? check_product(run, TOY_REFERENCE, i) : "";
    if (wrong[0] != '\0') return wrong;
  }
  return "";
}

/* ---- Counts. ---- */

static uint64_t all_outcomes(const struct ts_run_counts *counts) {
  uint64_t sum = 0;
  for (int o = 0; o < TS_OUTCOME_COUNT; o++) sum += counts->by_outcome[o];
  return sum;
}

/* Executions that ended in a failure: the different ones, once per group. */
static size_t failed_executions(const struct toy_run *run) {
  const struct toy_filter failed = {.by = run->options.no_cutoff ? TOY_BY_NODE : TOY_BY_CONTENT,
                                    .statuses = 1U << TOY_FAILED,
                                    .design = true,
                                    .reference = true,
                                    .grouped = &run->subject->plan->coarsest};
  return toy_distinct(&run->subject->oracle, &failed);
}

/* Without a store every task is met, so all keys are. */
static bool keys_agree(const struct toy_run *run) {
  const struct toy_filter all = {.by = TOY_BY_KEY, .statuses = ~0U, .design = true, .reference = true};
  return run->options.store || ts_map_count(&run->keys) == toy_distinct(&run->subject->oracle, &all);
}

/* invariants 5 and 6: outcomes add up for every task, and the operations counted as many executions as the engine. */
static const char *check_counts(const struct toy_run *run) {
  const struct toy_subject *s = run->subject;
  const struct ts_workflow *w = s->toy.workflow;
  uint64_t reference = 0;
  for (size_t t = 0; t < w->task_count; t++) {
    size_t units = toy_units(&s->data.dataset, w->stages[w->tasks[t].stage].scope);
    if (all_outcomes(&run->result.tasks[t]) != s->plan->counts[t].distinct * units) return "outcomes of a task";
    reference += s->plan->counts[t].reference_distinct * units;
  }
  if (all_outcomes(&run->result.reference) != reference) return "outcomes of the reference run";
  uint64_t executed = toy_run_sum(run, TS_OUTCOME_EXECUTED) + run->result.recomputed;
  if (run->executions != executed + failed_executions(run)) return "executions of operations";
  if (run->repeated > 0) return "something was told twice, or two things at once";
  if (run->wrong_messages > 0) return "a message, worker or time of a task";
  if (!keys_agree(run)) return "lineage keys";
  return run->result.stopped ? "it stopped" : "";
}

void toy_run_check(const struct toy_run *run, const char *what) {
  const char *wrong = toy_check_products(run);
  if (wrong[0] == '\0') wrong = check_counts(run);
  if (wrong[0] != '\0')
    fail_msg("seed %llu, %s, %zu threads: %s", run->subject->seed, what, run->options.threads, wrong);
}

void toy_run_check_sum(const struct toy_run *run, const char *what, enum ts_outcome outcome, uint64_t expected) {
  uint64_t sum = toy_run_sum(run, outcome);
  if (sum != expected)
    fail_msg("seed %llu, %s, %zu threads: %llu tasks are '%s' instead of %llu", run->subject->seed, what,
             run->options.threads, (unsigned long long)sum, ts_outcome_name(outcome), (unsigned long long)expected);
}

/* ---- Stores. ---- */

void toy_folder_create(char path[256]) {
  const char *parent = getenv("TMPDIR");
  snprintf(path, 256, "%s/tessera-run-XXXXXX", parent && parent[0] ? parent : P_tmpdir);
  assert_non_null(mkdtemp(path));
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status;
  (void)kind;
  (void)place;
  return remove(path);
}

void toy_folder_remove(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

struct ts_store *toy_store_open(const char *path) {
  struct ts_error err = {0};
  struct ts_store *store = ts_store_open(&(struct ts_store_options){.path = path}, &err);
  if (!store) fail_msg("%s", err.text);
  return store;
}

void toy_store_forget(struct ts_store *store, const struct ts_data *product) {
  struct ts_error err = {0};
  struct ts_sha256 digest;
  ts_data_digest(product, &digest);
  if (!ts_store_flush(store, &err) || !store->backend->forget(store->state, &digest, &err)) fail_msg("%s", err.text);
}
