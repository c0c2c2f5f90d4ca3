/* CEAL step by step: what it spends on what, which model chooses, and what the components make of a workflow.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tune/components.h"
#include "tune/learner.h"
#include "tune_case.h"

#include <string.h>

static struct tune_case box;

static const struct ts_tuner *find(const char *name) {
  struct ts_error err = {0};
  const struct ts_tuner *tuner = ts_tuner_find(name, &err);
  assert_non_null(tuner);
  return tuner;
}

/* No run is lost or spent twice, whatever T and I are. */
static void batches_add_up(void **state) {
  (void)state;
  for (size_t guided = 0; guided < 60; guided++) {
    for (size_t batches = 1; batches < 12; batches++) {
      struct ts_batch_plan plan = {.guided = guided, .batches = batches};
      size_t sum = 0, done = 0;
      while (sum < guided) {
        size_t size = ts_batch_plan_next(&plan, guided - sum);
        assert_true(size > 0);
        sum += size;
        assert_true(++done <= batches);
      }
      assert_int_equal(ts_batch_plan_next(&plan, 0), 0);
    }
  }
}

/* The specification's example: m = 50 without history is 20 units of component runs, 8 random trials and 22 guided ones
 * in batches of 4, 5, 4, 5, 4 (round(22 i / 5)); with history 13 random (12.5 rounded) and 37 guided. */
static void budget_is_split_as_specified(void **state) {
  (void)state;
  static const size_t sizes[] = {4, 5, 4, 5, 4};
  const struct ts_tune_options options = {.no_confirmation = true};
  case_init(&box, true, 50, 1);
  struct ts_tune *tune = case_tune(&box, find("ceal"), &options);
  const struct ts_tune_history *history = ts_tune_history(tune);
  size_t per_batch[16] = {0};
  for (size_t t = 0; t < history->count; t++) per_batch[history->batches[t]]++;
  assert_int_equal(per_batch[1], 40); /* two components */
  assert_int_equal(per_batch[2], 8 + sizes[0]);
  for (size_t i = 1; i < 5; i++) assert_int_equal(per_batch[2 + i], sizes[i]);
  assert_int_equal(history->count, 70);
  ts_tune_destroy(tune);
  for (size_t j = 0; j < 2; j++) {
    for (size_t r = 0; r < CASE_PARTS; r++)
      box.part_outputs[j * CASE_PARTS + r] = case_part_output(&box.parts[2 * r], j);
    box.components[j].history = box.components[j].pool;
    box.components[j].history_outputs = &box.part_outputs[j * CASE_PARTS];
  }
  box.problem.charges_components = false;
  tune = case_tune(&box, find("ceal"), &options);
  history = ts_tune_history(tune);
  assert_int_equal(history->count, 50);
  size_t first = 0;
  for (size_t t = 0; t < history->count; t++) first += history->batches[t] == 1;
  assert_int_equal(first, 13 + 7); /* round(37 / 5) */
  ts_tune_destroy(tune);
}

/* With all rows of components that add up to the workflow, the first guided trials are its best rows. */
static void first_batch_follows_the_components(void **state) {
  (void)state;
  const struct ts_tune_options options = {.no_confirmation = true, .random_share = -1};
  case_init(&box, true, 20, 3);
  for (size_t j = 0; j < 2; j++) {
    for (size_t r = 0; r < CASE_PARTS; r++)
      box.part_outputs[j * CASE_PARTS + r] = case_part_output(&box.parts[2 * r], j);
    box.components[j].history = box.components[j].pool;
    box.components[j].history_outputs = &box.part_outputs[j * CASE_PARTS];
  }
  box.problem.charges_components = false;
  struct ts_tune *tune = case_tune(&box, find("ceal"), &options);
  const struct ts_tune_history *history = ts_tune_history(tune);
  double worst = 0;
  size_t first = 0;
  for (size_t t = 0; t < history->count && history->batches[t] == 1; t++, first++) {
    const double *numbers = &history->numbers[t * CASE_COLUMNS];
    worst = fmax(worst, case_part_output(numbers, 0) + case_part_output(numbers + 2, 1));
  }
  size_t better = 0;
  for (size_t r = 0; r < CASE_ROWS; r++) {
    const double *numbers = &box.rows[r * CASE_COLUMNS];
    better += case_part_output(numbers, 0) + case_part_output(numbers + 2, 1) < worst - 0.05;
  }
  assert_int_equal(first, 4);
  assert_true(better <= first); /* the trees follow the recorded rows to within 0.05 */
  ts_tune_destroy(tune);
}

/* A misleading low-fidelity model is left: the components say the opposite of the workflow, so M_H takes over and the
 * last batch is far better than the first guided one. */
static void high_fidelity_takes_over(void **state) {
  (void)state;
  case_init(&box, true, 60, 2);
  for (size_t j = 0; j < 2; j++) {
    for (size_t r = 0; r < CASE_PARTS; r++)
      box.part_outputs[j * CASE_PARTS + r] = 100 - case_part_output(&box.parts[2 * r], j);
    box.components[j].history = box.components[j].pool;
    box.components[j].history_outputs = &box.part_outputs[j * CASE_PARTS];
  }
  box.problem.charges_components = false;
  struct ts_tune *tune = case_tune(&box, find("ceal"), NULL);
  const struct ts_tune_history *history = ts_tune_history(tune);
  double sums[16] = {0}, counts[16] = {0};
  for (size_t t = 15; t < history->count; t++) { /* the first 15 are random */
    sums[history->batches[t]] += history->outputs[t];
    counts[history->batches[t]] += 1;
  }
  assert_true(sums[1] / counts[1] > 60);
  assert_true(sums[5] / counts[5] < 15);
  ts_tune_destroy(tune);
}

static void outputs_are_combined_as_measured(void **state) {
  (void)state;
  const double outputs[] = {3, 5, 4};
  static const double expected[] = {[TS_COMBINE_MAX] = 5, [TS_COMBINE_SUM] = 12, [TS_COMBINE_MIN] = 3};
  for (int how = TS_COMBINE_MAX; how <= TS_COMBINE_MIN; how++) {
    struct ts_tune_goal goal = {.name = "y", .combine = (enum ts_combine)how};
    assert_true(ts_combine_outputs(&goal, outputs, 3) == expected[how]);
    goal.negated = true; /* a throughput: the least is combined, and a high one is good */
    assert_true(ts_combine_outputs(&goal, outputs, 3) == -expected[how]);
  }
}

/* Negative predictions count 0; a constant is the mean of its runs. */
static void component_models_are_clamped(void **state) {
  (void)state;
  static const double below[] = {-5, -5, -5}, constants[] = {2, 4};
  static const double points[] = {0, 1, 2, 3, 4, 0};
  struct ts_error err = {0};
  case_init(&box, true, 10, 1);
  box.components[0].history = (struct ts_tune_points){3, points, NULL};
  box.components[0].history_outputs = below;
  box.components[1] = (struct ts_tune_component){.name = "plot", .history = {2, points, NULL}};
  box.components[1].history_outputs = constants;
  struct ts_component_models *models = ts_component_models_create(&box.problem, NULL, &err);
  double outputs[2];
  assert_true(ts_component_models_predict(models, &box.problem, box.rows, 1, outputs, &err));
  assert_true(outputs[0] == 0);
  assert_true(outputs[1] == 3);
  ts_component_models_destroy(models);
}

static void components_must_be_known(void **state) {
  (void)state;
  struct ts_error err = {0};
  case_init(&box, true, 10, 1);
  box.problem.charges_components = false; /* and no recorded runs */
  assert_null(ts_tune_create(find("ceal"), &box.problem, NULL, &err));
  assert_non_null(strstr(err.text, "recorded runs of every component"));
  box.problem.component_count = 0;
  err = (struct ts_error){0};
  assert_null(ts_tune_create(find("alph"), &box.problem, NULL, &err));
  assert_non_null(strstr(err.text, "needs components"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batches_add_up),
      cmocka_unit_test(budget_is_split_as_specified),
      cmocka_unit_test(first_batch_follows_the_components),
      cmocka_unit_test(high_fidelity_takes_over),
      cmocka_unit_test(outputs_are_combined_as_measured),
      cmocka_unit_test(component_models_are_clamped),
      cmocka_unit_test(components_must_be_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
