/* Plans of workflows small enough to count by hand: merging, the reference run, missing inputs, a stage on its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "support/toy_case.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void add_task(struct ts_str *json, const char *name, const char *from, const char *parameter) {
  ts_str_addf(json, "{\"name\": \"%s\", \"op\": \"toy.mix\", \"in\": {\"a\": \"%s\"}, \"params\": {\"p\": \"%s\"}}",
              name, from, parameter);
}

/* A stage of one task "t" with the output "out". */
static void add_stage(struct ts_str *json, const char *name, const char *from, const char *parameter) {
  ts_str_addf(json, "{\"name\": \"%s\", \"per\": \"tile\", \"in\": {\"a\": \"%s\"}, \"out\": {\"out\": \"t.out\"}, ",
              name, from);
  ts_str_add(json, "\"tasks\": [");
  add_task(json, "t", "a", parameter);
  ts_str_add(json, "]}");
}

static void add_head(struct ts_str *json, const char *more_inputs, const char *const *parameters, size_t count) {
  ts_str_addf(json, "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"data\": {\"type\": \"table\"}%s}, ",
              more_inputs);
  ts_str_add(json, "\"parameters\": {");
  for (size_t i = 0; i < count; i++)
    ts_str_addf(json, "%s\"%s\": {\"type\": \"integer\", \"default\": 0}", i > 0 ? ", " : "", parameters[i]);
  ts_str_add(json, "}, \"stages\": [");
}

static const char *const letters[] = {"A", "B", "C", "D"};

/* Four operations in a row, as stages of one task or as tasks of one stage. */
static char *four_in_a_row(bool stages) {
  static const char *const names[] = {"a", "b", "c", "d"};
  static const char *const before[] = {"", "a.out", "b.out", "c.out"};
  struct ts_str json = {0};
  add_head(&json, "", letters, 4);
  if (!stages)
    ts_str_add(&json, "{\"name\": \"s\", \"per\": \"tile\", \"in\": {\"a\": \"data\"}, \"out\": {\"out\": \"d.out\"}, "
                      "\"tasks\": [");
  for (size_t i = 0; i < 4; i++) {
    if (i > 0) ts_str_add(&json, ", ");
    if (stages)
      add_stage(&json, names[i], i > 0 ? before[i] : "data", letters[i]);
    else
      add_task(&json, names[i], i > 0 ? before[i] : "a", letters[i]);
  }
  ts_str_add(&json, stages ? "]}" : "]}]}");
  return ts_str_detach(&json);
}

/* The three parameter sets of P0's Figure 6: the second shares A and B with the first, the third A, B and C with the
 * second. */
static void make_figure6(struct toy_case *toy, bool stages, struct ts_registry *registry) {
  static const int64_t values[3][4] = {{1, 1, 1, 1}, {1, 1, 2, 1}, {1, 1, 2, 2}};
  ts_auto_free char *json = four_in_a_row(stages);
  toy_case_init(toy, json, registry);
  for (size_t s = 0; s < 3; s++) {
    for (size_t p = 0; p < 4; p++) toy_case_set(toy, s, letters[p], values[s][p]);
  }
}

static void check_totals(const struct toy_case *toy, size_t distinct, size_t by_stage, size_t by_task) {
  struct ts_plan *plan = toy_case_plan(toy);
  struct ts_task_count sum = {0};
  for (size_t t = 0; t < toy->workflow->task_count; t++) {
    sum.requested += plan->counts[t].requested;
    sum.distinct += plan->counts[t].distinct;
    sum.stage_reused += plan->counts[t].stage_reused;
    sum.task_reused += plan->counts[t].task_reused;
  }
  assert_int_equal(sum.requested, 12);
  assert_int_equal(sum.distinct, distinct);
  assert_int_equal(sum.stage_reused, by_stage);
  assert_int_equal(sum.task_reused, by_task);
  ts_plan_destroy(plan);
}

/* invariant 10: plans are made without a dataset, so they cannot know its tiles. */
static void figure6_has_7_of_12_tasks(void **state) {
  struct toy_case toy;
  make_figure6(&toy, true, *state);
  check_totals(&toy, 7, 5, 0);
  toy.options.merge = TS_MERGE_STAGE;
  check_totals(&toy, 7, 5, 0);
  toy.options.merge = TS_MERGE_NONE;
  check_totals(&toy, 12, 0, 0);
  toy_case_release(&toy);
  make_figure6(&toy, false, *state);
  check_totals(&toy, 7, 0, 5);
  toy.options.merge = TS_MERGE_STAGE;
  check_totals(&toy, 12, 0, 0);
  toy_case_release(&toy);
}

static void values_of_one_effect_are_one_task(void **state) {
  static const char json[] =
      "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"data\": {\"type\": \"table\"}},"
      "\"parameters\": {\"P\": {\"type\": \"integer\", \"default\": 0}}, \"stages\": ["
      "{\"name\": \"s\", \"per\": \"tile\", \"in\": {\"a\": \"data\"}, \"out\": {\"out\": \"t.out\"}, \"tasks\": ["
      "{\"name\": \"t\", \"op\": \"toy.fold\", \"in\": {\"a\": \"a\"}, \"params\": {\"p\": \"P\"}}]}]}";
  struct toy_case toy;
  toy_case_init(&toy, json, *state);
  for (size_t s = 0; s < 6; s++) toy_case_set(&toy, s, "P", (int64_t)s);
  struct ts_plan *plan = toy_case_plan(&toy);
  assert_int_equal(plan->counts[0].distinct, 3); /* by pairs */
  ts_plan_destroy(plan);
  toy.options.raw_values = true;
  plan = toy_case_plan(&toy);
  assert_int_equal(plan->counts[0].distinct, 6);
  ts_plan_destroy(plan);
  toy_case_release(&toy);
}

/* "b" compares the data with "ref", which is a.out of the run with default values unless the dataset has it. */
static void make_with_reference(struct toy_case *toy, struct ts_registry *registry) {
  struct ts_str json = {0};
  add_head(&json, ", \"ref\": {\"type\": \"table\", \"default_run\": \"a.out\"}", letters, 2);
  add_stage(&json, "a", "data", "A");
  ts_str_add(&json, ", {\"name\": \"b\", \"per\": \"tile\", \"in\": {\"ref\": \"ref\", \"data\": \"data\"}, "
                    "\"out\": {\"out\": \"t.out\"}, \"tasks\": [{\"name\": \"t\", \"op\": \"toy.mix\", "
                    "\"in\": {\"a\": \"data\", \"b\": \"ref\"}, \"params\": {\"p\": \"B\"}}]}]}");
  toy_case_init(toy, ts_str_get(&json), registry);
  ts_str_release(&json);
}

static void the_reference_run_is_counted_apart(void **state) {
  struct toy_case toy;
  make_with_reference(&toy, *state);
  toy_case_supply(&toy, "ref", false);
  toy_case_set(&toy, 0, "A", 1);
  toy_case_set(&toy, 1, "A", 2);
  struct ts_plan *plan = toy_case_plan(&toy);
  assert_int_equal(plan->counts[0].distinct, 2);
  assert_int_equal(plan->counts[0].reference_distinct, 1);
  assert_int_equal(plan->counts[1].distinct, 1);
  assert_int_equal(plan->counts[1].reference_distinct, 0);
  assert_int_equal(plan->reference_products[0].node, TS_NO_NODE);
  ts_plan_destroy(plan);
  toy_case_set(&toy, 1, "A", 0); /* now a run of the design needs it too */
  plan = toy_case_plan(&toy);
  assert_int_equal(plan->counts[0].distinct, 2);
  assert_int_equal(plan->counts[0].reference_distinct, 0);
  ts_plan_destroy(plan);
  toy_case_release(&toy);
}

/* Only "b" is wanted: its runs do not make "a", the reference run does. */
static void what_only_the_reference_run_needs_is_not_requested(void **state) {
  static const char *const wanted[] = {"b.out"};
  struct toy_case toy;
  make_with_reference(&toy, *state);
  toy_case_supply(&toy, "ref", false);
  toy_case_want(&toy, wanted, 1);
  toy_case_set(&toy, 0, "A", 1);
  toy_case_set(&toy, 1, "A", 2);
  struct ts_plan *plan = toy_case_plan(&toy);
  assert_false(plan->active[0]);
  assert_int_equal(plan->counts[0].requested, 0);
  assert_int_equal(plan->counts[0].distinct, 0);
  assert_int_equal(plan->counts[0].reference_distinct, 1);
  assert_int_equal(plan->counts[1].requested, 2);
  assert_int_equal(plan->counts[1].distinct, 1);
  ts_plan_destroy(plan);
  toy_case_supply(&toy, "ref", true);
  plan = toy_case_plan(&toy);
  assert_int_equal(plan->counts[0].reference_distinct, 0);
  ts_plan_destroy(plan);
  toy_case_release(&toy);
}

static void a_missing_input_is_refused(void **state) {
  struct toy_case toy;
  make_with_reference(&toy, *state);
  toy_case_supply(&toy, "data", false);
  struct ts_error err = {0};
  assert_null(ts_plan_create(toy.workflow, toy.sets, toy.set_count, &toy.options, false, &err));
  assert_int_equal(err.code, TS_ERR_NO_PRODUCER);
  assert_string_equal(err.text, "'a.t' needs its input 'a', which the dataset does not supply");
  assert_true(err.help[0] != '\0');
  const struct ts_source *source = &toy.workflow->stages[1].outputs[0].source;
  assert_false(ts_plan_can_make(toy.workflow, toy.options.supplied, source));
  toy_case_supply(&toy, "data", true);
  assert_true(ts_plan_can_make(toy.workflow, toy.options.supplied, source));
  toy_case_supply(&toy, "ref", false);
  assert_true(ts_plan_can_make(toy.workflow, toy.options.supplied, source));
  toy_case_release(&toy);
}

/* "second" runs alone on the image as it is; "third" cannot, nothing supplied is a table. */
static const char image_stages[] =
    "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"image\": {\"type\": \"image/gray8\"}},"
    "\"parameters\": {\"P\": {\"type\": \"integer\", \"default\": 0}}, \"stages\": ["
    "{\"name\": \"first\", \"per\": \"tile\", \"in\": {\"i\": \"image\"}, \"out\": {\"image\": \"t.image\"}, "
    "\"tasks\": "
    "[{\"name\": \"t\", \"op\": \"toy.stir\", \"in\": {\"image\": \"i\"}, \"params\": {\"p\": \"P\"}}]},"
    "{\"name\": \"second\", \"per\": \"tile\", \"in\": {\"i\": \"first.image\"}, \"out\": {\"out\": \"t.out\"}, "
    "\"tasks\": "
    "[{\"name\": \"t\", \"op\": \"toy.stat\", \"in\": {\"image\": \"i\"}, \"params\": {\"p\": {\"value\": 3}}}]},"
    "{\"name\": \"third\", \"per\": \"tile\", \"in\": {\"a\": \"second.out\"}, \"out\": {\"out\": \"t.out\"}, "
    "\"tasks\": "
    "[{\"name\": \"t\", \"op\": \"toy.same\", \"in\": {\"a\": \"a\"}}]}]}";

static void a_stage_runs_alone_on_what_fits(void **state) {
  static const char *const second[] = {"second.out"};
  static const char *const third[] = {"third.out"};
  struct toy_case toy;
  toy_case_init(&toy, image_stages, *state);
  toy_case_set(&toy, 1, "P", 5);
  toy_case_want(&toy, second, 1);
  assert_true(ts_workflow_find_stage(toy.workflow, "second", &toy.options.only_stage));
  struct ts_plan *plan = toy_case_plan(&toy);
  assert_int_equal(plan->node_count, 2); /* reading and the one task, whatever P is */
  char name[64];
  assert_string_equal(ts_plan_node_name(plan, 0, name, sizeof name), "read.image");
  assert_string_equal(ts_plan_node_name(plan, 1, name, sizeof name), "second.t");
  assert_int_equal(plan->nodes[1].inputs[0].node, 0);
  assert_int_equal(plan->products[0].node, 1);
  assert_int_equal(plan->products[1].node, 1);
  ts_plan_destroy(plan);
  toy_case_want(&toy, third, 1);
  assert_true(ts_workflow_find_stage(toy.workflow, "third", &toy.options.only_stage));
  struct ts_error err = {0};
  assert_null(ts_plan_create(toy.workflow, toy.sets, toy.set_count, &toy.options, false, &err));
  assert_int_equal(err.code, TS_ERR_NO_PRODUCER);
  assert_string_equal(err.text, "'third.t' needs its input 'a', which the dataset does not supply");
  toy_case_release(&toy);
}

static void a_design_without_runs_has_no_tasks(void **state) {
  struct toy_case toy;
  make_figure6(&toy, true, *state);
  toy.set_count = 0;
  struct ts_plan *plan = toy_case_plan(&toy);
  assert_int_equal(plan->node_count, 0);
  for (size_t t = 0; t < toy.workflow->task_count; t++) assert_int_equal(plan->counts[t].requested, 0);
  ts_plan_destroy(plan);
  toy_case_release(&toy);
}

static void merges_have_names(void **state) {
  (void)state;
  static const char *const names[] = {"none", "stage", "lineage", "naive", "sca", "rtma", "trtma"};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    enum ts_merge merge;
    assert_true(ts_merge_parse(names[i], &merge));
    assert_string_equal(ts_merge_name(merge), names[i]);
  }
  enum ts_merge merge;
  assert_false(ts_merge_parse("rtmb", &merge));
  assert_false(ts_merge_parse("", &merge));
}

static void wanted_ports_are_bits(void **state) {
  (void)state;
  /* Two runs want two products each; the third node makes one at its last port, the reference run lacks its second. */
  struct ts_node_input products[] = {{0, 0}, {2, 63}, {1, 1}, {2, 63}};
  struct ts_node_input reference[] = {{0, 2}, {TS_NO_NODE, 0}};
  const struct ts_plan plan = {
      .node_count = 4, .set_count = 2, .wanted_count = 2, .products = products, .reference_products = reference};
  uint64_t ports[4] = {0};
  ts_plan_mark_wanted(&plan, ports);
  assert_true(ports[0] == 5 && ports[1] == 2 && ports[2] == UINT64_C(0x8000000000000000) && ports[3] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figure6_has_7_of_12_tasks),
      cmocka_unit_test(values_of_one_effect_are_one_task),
      cmocka_unit_test(the_reference_run_is_counted_apart),
      cmocka_unit_test(what_only_the_reference_run_needs_is_not_requested),
      cmocka_unit_test(a_missing_input_is_refused),
      cmocka_unit_test(a_stage_runs_alone_on_what_fits),
      cmocka_unit_test(a_design_without_runs_has_no_tasks),
      cmocka_unit_test(merges_have_names),
      cmocka_unit_test(wanted_ports_are_bits),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
