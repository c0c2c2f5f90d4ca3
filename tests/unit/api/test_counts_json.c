/* Reuse as reported: every requested task is in exactly one column, and each column is the number that a recount
 * without plan and engine gives; where the time of a run went.
 * SPDX-License-Identifier: Apache-2.0
 * test-needs: api */
#include "unit/base/testing.h"

#include "api/api_int.h"
#include "base/alloc.h"
#include "base/map.h"
#include "support/study_case.h"
#include "support/toy_run.h"

enum { CASES = 40 };

/* What a recount of a task says, over all units. */
struct recount {
  uint64_t requested, stage, task, done, failed, skipped;
};

/* ---- The recount. ---- */

/* How many different copies of a stage the runs need: its tasks' identities, one after the other. */
static size_t stage_copies(const struct toy_subject *s, size_t stage_index) {
  const struct ts_stage *stage = &s->toy.workflow->stages[stage_index];
  ts_auto(ts_map_release) struct ts_map met = {0};
  for (size_t unit = 0; unit < toy_units(&s->data.dataset, stage->scope); unit++) {
    for (size_t set = 0; set < s->toy.set_count; set++) {
      uint64_t identity[16] = {0};
      assert_true(stage->task_count < COUNT_OF(identity));
      for (size_t t = 0; t < stage->task_count; t++) {
        const struct toy_instance *instance = toy_oracle_find(&s->oracle, set, stage->first_task + t, unit);
        identity[t] = instance ? instance->identity[TOY_BY_NODE] : 0;
      }
      identity[COUNT_OF(identity) - 1] = unit;
      ts_map_insert(&met, identity, sizeof identity, NULL);
    }
  }
  return ts_map_count(&met);
}

static uint64_t distinct(const struct toy_subject *s, size_t task, unsigned statuses) {
  const struct toy_filter filter = {.by = TOY_BY_NODE, .statuses = statuses, .task = &task, .design = true};
  return toy_distinct(&s->oracle, &filter);
}

static struct recount recount(const struct toy_subject *s, size_t task) {
  struct recount r = {0};
  for (size_t i = 0; i < s->oracle.count; i++)
    r.requested += s->oracle.instances[i].task == task && s->oracle.instances[i].set != TOY_REFERENCE;
  if (r.requested == 0) return r;
  const uint64_t copies = stage_copies(s, s->toy.workflow->tasks[task].stage);
  r.stage = r.requested - copies;
  r.task = copies - distinct(s, task, ~0U);
  r.done = distinct(s, task, 1U << TOY_DONE);
  r.failed = distinct(s, task, 1U << TOY_FAILED);
  r.skipped = distinct(s, task, 1U << TOY_SKIPPED);
  return r;
}

/* ---- Replies. ---- */

static uint64_t number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_integer(value)) fail_msg("'%s' is missing", key);
  return (uint64_t)json_integer_value(value);
}

static void assert_number(const struct toy_subject *s, const json_t *object, const char *key, uint64_t wanted) {
  if (number(object, key) == wanted) return;
  char *text = json_dumps(object, JSON_COMPACT);
  print_error("%s\n", text);
  free(text);
  fail_msg("seed %llu: '%s' is not %llu", s->seed, key, (unsigned long long)wanted);
}

/* requested = stage + task + cutoff + store + executed + failed + skipped. */
static void assert_adds_up(const struct toy_subject *s, const json_t *object, const char *stage, const char *task) {
  static const char *const outcomes[] = {"cutoff", "store", "executed", "failed", "skipped"};
  uint64_t sum = number(object, stage) + number(object, task);
  for (size_t i = 0; i < COUNT_OF(outcomes); i++) sum += number(object, outcomes[i]);
  assert_number(s, object, "requested", sum);
}

static void check_task(const struct toy_subject *s, const json_t *object, size_t task, const struct recount *wanted) {
  const struct ts_task *of = &s->toy.workflow->tasks[task];
  assert_string_equal(json_string_value(json_object_get(object, "stage")), s->toy.workflow->stages[of->stage].name);
  assert_string_equal(json_string_value(json_object_get(object, "task")), of->name);
  assert_string_equal(json_string_value(json_object_get(object, "op")), of->op->descriptor->name);
  assert_number(s, object, "requested", wanted->requested);
  assert_number(s, object, "stage_reused", wanted->stage);
  assert_number(s, object, "task_reused", wanted->task);
  assert_number(s, object, "failed", wanted->failed);
  assert_number(s, object, "skipped", wanted->skipped);
  assert_adds_up(s, object, "stage_reused", "task_reused");
}

/* Tasks that runs of the design need, one after the other; those of the reference run alone have none requested. */
static void check_tasks(const struct toy_subject *s, const json_t *list, struct recount *sum) {
  size_t place = 0;
  for (size_t t = 0; t < s->toy.workflow->task_count; t++) {
    if (!s->plan->active[t]) continue;
    const struct recount wanted = recount(s, t);
    check_task(s, json_array_get(list, place++), t, &wanted);
    sum->requested += wanted.requested;
    sum->stage += wanted.stage;
    sum->task += wanted.task;
    sum->done += wanted.done;
    sum->failed += wanted.failed;
    sum->skipped += wanted.skipped;
  }
  assert_int_equal(json_array_size(list), place);
}

static void check_reference(const struct toy_subject *s, const json_t *object) {
  const struct toy_filter only = {.by = TOY_BY_NODE, .statuses = ~0U, .reference = true};
  static const char *const outcomes[] = {"cutoff", "store", "executed", "failed", "skipped"};
  uint64_t sum = 0;
  for (size_t i = 0; i < COUNT_OF(outcomes); i++) sum += number(object, outcomes[i]);
  assert_number(s, object, "requested", toy_distinct(&s->oracle, &only));
  assert_number(s, object, "requested", sum);
}

/* All three replies about one run. executed: how many with success, the reference run's included. */
static void check_run(const struct toy_run *run, uint64_t executed) {
  const struct toy_subject *s = run->subject;
  const struct ts_request request = {0};
  struct ts_project project;
  struct ts_work work = {.project = &project};
  struct recount sum = {0};
  ts_project_init(&project, &request);
  project.workflow = s->toy.workflow;
  project.dataset = s->data.dataset;
  struct progress *progress = ts_progress_create(&work, work.project, s->plan, "", 2);
  json_t *reuse = ts_counts_reuse(&project, s->plan, &run->result);
  json_t *tasks = ts_counts_by_task(&project, s->plan, &run->result, progress);
  json_t *reference = ts_counts_reference(&project, s->plan, &run->result);
  check_tasks(s, tasks, &sum);
  check_reference(s, reference);
  assert_number(s, reuse, "requested", sum.requested);
  assert_number(s, reuse, "stage", sum.stage);
  assert_number(s, reuse, "task", sum.task);
  assert_number(s, reuse, "failed", sum.failed);
  assert_number(s, reuse, "skipped", sum.skipped);
  assert_adds_up(s, reuse, "stage", "task");
  assert_int_equal(number(reuse, "executed") + number(reference, "executed"), executed);
  assert_int_equal(number(reuse, "executed") + number(reuse, "cutoff") + number(reuse, "store"), sum.done);
  assert_null(json_object_get(reuse, "repeated")); /* there were no workers */
  json_decref(reuse);
  json_decref(tasks);
  json_decref(reference);
  ts_progress_destroy(progress);
  project.workflow = NULL;
  ts_work_release(&work);
  ts_project_release(&project);
}

static void subject_init(struct toy_subject *s, struct ts_registry *registry, const struct toy_settings *settings,
                         uint64_t seed) {
  *s = (struct toy_subject){.registry = registry, .seed = seed};
  toy_case_draw(&s->toy, registry, settings, seed);
  s->toy.options.merge = TS_MERGE_LINEAGE;
  toy_dataset_draw(&s->data, &s->toy, true, seed);
  toy_oracle_init(&s->oracle, &s->toy, &s->data.dataset);
  s->plan = toy_case_plan(&s->toy);
}

static void columns_are_those_of_a_recount(void **state) {
  for (uint64_t seed = 0; seed < CASES; seed++) {
    const struct toy_settings settings = {
        .stages = 4, .tasks = 3, .sets = 12, .digits = 9, .collapse = seed % 2 == 0, .faults = seed % 3 == 0};
    struct toy_subject s;
    subject_init(&s, *state, &settings, seed);
    for (int no_cutoff = 0; no_cutoff < 2; no_cutoff++) {
      struct toy_run run = {.subject = &s, .options = {.threads = 2, .no_cutoff = no_cutoff}};
      toy_run_do(&run);
      check_run(&run, toy_expected_executed(&s, no_cutoff, false));
      toy_run_release(&run);
    }
    toy_subject_release(&s);
  }
}

/* A second run over the same store executes nothing: all that was done is in the store. */
static void a_full_store_leaves_nothing_to_execute(void **state) {
  const struct toy_settings settings = {.stages = 4, .tasks = 3, .sets = 8, .digits = 3, .collapse = true};
  for (uint64_t seed = 100; seed < 100 + CASES / 4; seed++) {
    struct toy_subject s;
    subject_init(&s, *state, &settings, seed);
    struct ts_store *store = toy_store_open(NULL);
    for (int again = 0; again < 2; again++) {
      struct toy_run run = {.subject = &s, .options = {.threads = 2, .store = store, .keep_all = true}};
      toy_run_do(&run);
      check_run(&run, again ? 0 : toy_expected_executed(&s, false, true));
      toy_run_release(&run);
    }
    ts_store_close(store);
    toy_subject_release(&s);
  }
}

/* ---- Time, from events and results made by hand. ---- */

static uint32_t node_of(const struct ts_plan *plan, enum ts_node_kind kind, uint32_t task) {
  uint32_t n = 0;
  while (n < plan->node_count && (plan->nodes[n].kind != kind || plan->nodes[n].task != task)) n++;
  assert_true(n < plan->node_count);
  return n;
}

static double seconds(const json_t *object, const char *key) { return json_number_value(json_object_get(object, key)); }

/* Two tiles, of 4 x 4 and 2 x 4 pixels. All numbers are exact in binary: sums are compared as they are. */
static struct progress *progress_of_events(struct study_case *c, const struct ts_plan *plan) {
  struct progress *progress = ts_progress_create(&c->work, c->work.project, plan, "", 1);
  const uint32_t read = node_of(plan, TS_NODE_SOURCE, 0), count = node_of(plan, TS_NODE_TASK, 0);
  struct ts_error why = {0};
  ts_fail(&why, TS_ERR_TASK_FAILED, "no");
  const struct ts_task_event events[] = {
      {.node = read, .unit = 0, .wall_s = 0.25, .cpu_s = 0.125, .log = "", .remark = ""},
      {.node = read, .unit = 1, .wall_s = 0.5, .cpu_s = 0.25, .log = "", .remark = ""},
      {.node = count, .unit = 0, .wall_s = 2, .cpu_s = 1.5, .log = "", .remark = ""},
      {.node = count,
       .unit = 1,
       .wall_s = 4,
       .cpu_s = 3,
       .outcome = TS_OUTCOME_FAILED,
       .error = &why,
       .log = "",
       .remark = ""},
      {.node = count, .unit = 1, .outcome = TS_OUTCOME_STORE, .log = "", .remark = ""}, /* was not called */
  };
  for (size_t i = 0; i < COUNT_OF(events); i++) ts_progress_task(progress, &events[i]);
  return progress;
}

static void check_profile(const json_t *profile) {
  const json_t *reading = json_object_get(profile, "read");
  assert_true(seconds(profile, "run_s") == 9);
  assert_true(seconds(profile, "process_cpu_s") == 8);
  assert_true(seconds(profile, "tasks_cpu_s") == 5.375);
  assert_true(seconds(profile, "external_s") == 0);
  assert_true(seconds(reading, "cpu_s") == 0.375);
  assert_true(seconds(reading, "wall_s") == 0.75);
  assert_true(seconds(reading, "px") == 16 + 8);
  assert_int_equal(number(reading, "calls"), 2);
  assert_true(seconds(profile, "engine_cpu_s") == 8 - 5.375 - 0.375);
  assert_string_equal(json_string_value(json_object_get(profile, "trace")), "t.json");
}

static void check_first_task(const json_t *counted) {
  assert_int_equal(number(counted, "calls"), 2); /* a call that failed takes time, too */
  assert_true(seconds(counted, "wall_s") == 6);
  assert_true(seconds(counted, "px") == 16 + 8);
  assert_true(seconds(counted, "cpu_s") == 4.5);
}

/* Failures are equal if task, error and text are: two tiles with one text and a third call with another. Remarks of
 * calls that went well are counted by task; only the first is kept. */
static void equal_failures_are_counted(void **state) {
  (void)state;
  static const struct toy_image images[] = {{"one", 6, 4}};
  struct study_case c = {0};
  struct ts_value values[4];
  const struct parameter_sets sets = {.values = values, .count = 1};
  struct ts_error no = {0}, other = {0};
  ts_fail(&no, TS_ERR_TASK_FAILED, "no");
  ts_fail(&other, TS_ERR_TASK_FAILED, "other");
  for (size_t i = 0; i < COUNT_OF(values); i++) values[i] = ts_value_real(0.5);
  assert_true(study_case_init(&c, probe_workflow, NULL, NULL));
  study_case_images(&c, images, 1, 4);
  struct ts_plan *plan = study_case_plan(&c, &sets);
  struct progress *progress = ts_progress_create(&c.work, c.work.project, plan, "", 1);
  const uint32_t count = node_of(plan, TS_NODE_TASK, 0);
  const struct ts_task_event events[] = {
      {.node = count, .unit = 1, .outcome = TS_OUTCOME_FAILED, .error = &no, .log = "", .remark = ""},
      {.node = count, .unit = 0, .outcome = TS_OUTCOME_FAILED, .error = &no, .log = "", .remark = ""},
      {.node = count, .unit = 0, .outcome = TS_OUTCOME_FAILED, .error = &no, .log = "", .remark = ""},
      {.node = count, .unit = 0, .outcome = TS_OUTCOME_FAILED, .error = &other, .log = "", .remark = ""},
      {.node = count, .unit = 0, .outcome = TS_OUTCOME_EXECUTED, .log = "a", .remark = "a"},
      {.node = count, .unit = 1, .outcome = TS_OUTCOME_EXECUTED, .log = "b", .remark = "b"}};
  for (size_t i = 0; i < COUNT_OF(events); i++) ts_progress_task(progress, &events[i]);
  json_t *failed = ts_counts_failed(progress), *kinds = ts_counts_failures(progress);
  const json_t *first = json_array_get(kinds, 0), *second = json_array_get(kinds, 1);
  assert_int_equal(json_array_size(failed), 4);
  assert_int_equal(json_array_size(kinds), 2);
  assert_true(number(first, "count") == 3 && number(first, "units") == 2);
  assert_int_equal(json_integer_value(json_array_get(json_object_get(first, "tile"), 0)), 0);
  assert_string_equal(json_string_value(json_object_get(first, "per")), "tile");
  assert_true(number(second, "count") == 1 && number(second, "units") == 1);
  struct ts_issues issues = {0};
  ts_progress_end(progress, &issues);
  assert_int_equal(issues.warning_count, 1);
  assert_non_null(strstr(issues.warnings[0], "said: a, or like it in 2 calls"));
  ts_issues_release(&issues);
  json_decref(failed);
  json_decref(kinds);
  ts_progress_destroy(progress);
  ts_plan_destroy(plan);
  study_case_release(&c);
}

static void the_engine_has_the_time_that_is_left(void **state) {
  (void)state;
  static const struct toy_image images[] = {{"one", 6, 4}};
  struct study_case c = {.request = {.trace = "t.json"}};
  struct ts_value values[4];
  const struct parameter_sets sets = {.values = values, .count = 1};
  for (size_t i = 0; i < COUNT_OF(values); i++) values[i] = ts_value_real(0.5);
  assert_true(study_case_init(&c, probe_workflow, NULL, NULL));
  study_case_images(&c, images, 1, 4);
  struct ts_plan *plan = study_case_plan(&c, &sets);
  struct progress *progress = progress_of_events(&c, plan);
  double cpu_s[4] = {4.5, 0.5, 0.25, 0.125};
  struct ts_run_counts tasks[4] = {0};
  assert_int_equal(c.project.workflow->task_count, COUNT_OF(cpu_s));
  const struct ts_run_result result = {.tasks = tasks, .cpu_s = cpu_s, .wall_s = 9, .cpu_total_s = 8};
  json_t *profile = ts_counts_profile(&c.project, &result, progress);
  json_t *list = ts_counts_by_task(&c.project, plan, &result, progress);
  check_profile(profile);
  check_first_task(json_array_get(list, 0));
  json_decref(profile);
  json_decref(list);
  ts_progress_destroy(progress);
  ts_plan_destroy(plan);
  study_case_release(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_those_of_a_recount),
      cmocka_unit_test(a_full_store_leaves_nothing_to_execute),
      cmocka_unit_test(equal_failures_are_counted),
      cmocka_unit_test(the_engine_has_the_time_that_is_left),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
