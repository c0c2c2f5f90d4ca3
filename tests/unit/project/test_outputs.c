/* How the column of an output becomes one number by default, and what cannot be asked for; defaults of methods.
 * SPDX-License-Identifier: Apache-2.0
 * test-needs: study
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "project/study_method.h"
#include "support/study_case.h"

/* Over tiles: pool for a ratio, sum for a count, else mean. Over files: sum for a count, else mean. */
static void defaults_follow_the_kind_of_column(void **state) {
  (void)state;
  static const struct {
    const char *output;
    enum ts_over tiles, files;
  } cases[] = {
      {"tile.table:share", TS_OVER_POOL, TS_OVER_MEAN}, {"tile.table:cells", TS_OVER_SUM, TS_OVER_SUM},
      {"tile.table:size", TS_OVER_MEAN, TS_OVER_MEAN},  {"tile.table:both", TS_OVER_SUM, TS_OVER_SUM},
      {"tile.table:other", TS_OVER_SUM, TS_OVER_SUM},   {"tile.free:share", TS_OVER_MEAN, TS_OVER_MEAN},
      {"tile.free:cells", TS_OVER_MEAN, TS_OVER_MEAN},  {"file.table:share", TS_OVER_POOL, TS_OVER_MEAN},
      {"all.table:cells", TS_OVER_SUM, TS_OVER_SUM},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct study_case c = {0};
    char outputs[100];
    snprintf(outputs, sizeof outputs, "[\"%s\"]", cases[i].output);
    if (!study_case_init(&c, probe_workflow, NULL, outputs)) fail_msg("%s", study_case_faults(&c));
    if (c.project.study.outputs[0].over_tiles != cases[i].tiles ||
        c.project.study.outputs[0].over_files != cases[i].files)
      fail_msg("%s: %s over tiles, %s over files", cases[i].output,
               ts_over_names[c.project.study.outputs[0].over_tiles],
               ts_over_names[c.project.study.outputs[0].over_files]);
    study_case_release(&c);
  }
}

static void check_refusal(const char *outputs, const char *text, const char *help) {
  struct study_case c = {0};
  assert_false(study_case_init(&c, probe_workflow, NULL, outputs));
  assert_string_equal(study_case_faults(&c), text);
  assert_string_equal(c.issues.faults.items[0].help, help);
  study_case_release(&c);
}

static void impossible_outputs_are_refused(void **state) {
  (void)state;
  check_refusal("[{\"output\": \"tile.table:size\", \"over_tiles\": \"pool\"}]",
                "'tile.table:size' cannot be pooled: operation 'probe.count' does not declare 'size' as a ratio",
                "use \"sum\", \"mean\", \"median\" or \"weighted\"; its ratios are share");
  check_refusal("[{\"output\": \"tile.free:size\", \"over_files\": \"pool\"}]",
                "'tile.free:size' cannot be pooled: operation 'probe.free' does not declare 'size' as a ratio",
                "use \"sum\", \"mean\", \"median\" or \"weighted\", or let the operation declare the ratio");
  check_refusal("[{\"output\": \"tile.table:share\", \"over_tiles\": \"mean\", \"over_files\": \"pool\"}]",
                "'tile.table:share' is pooled over files, but not over tiles",
                "write \"over_tiles\": \"pool\", or another \"over_files\"");
  check_refusal("[\"tile.table:shar\"]", "'tile.table' has no column 'shar'", "did you mean 'share'?");
  check_refusal("[\"tile.table:qqqqqqqq\"]", "'tile.table' has no column 'qqqqqqqq'",
                "its columns are size, cells, both, found, other, share");
}

/* The table of docs/workflow-file.md. */
static void methods_have_the_documented_defaults(void **state) {
  (void)state;
  static const struct {
    const char *name;
    size_t count, levels;
  } cases[] = {{"morris", 10, 4}, {"moat", 10, 4}, {"vbd", 128, 0},    {"sobol", 128, 0},
               {"lhs", 256, 0},   {"mc", 256, 0},  {"halton", 256, 0}, {"sobol-sequence", 256, 0},
               {"dgsm", 64, 0}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct study_case c = {0};
    char method[100];
    snprintf(method, sizeof method, "{\"name\": \"%s\"}", cases[i].name);
    if (!study_case_init(&c, probe_workflow, method, NULL)) fail_msg("%s", study_case_faults(&c));
    assert_int_equal(c.project.study.methods[0].count, cases[i].count);
    assert_int_equal(c.project.study.methods[0].levels, cases[i].levels);
    assert_int_equal(c.project.study.seed, 1);
    assert_int_equal(c.project.study.resamples, 1000);
    assert_true(c.project.study.confidence == 0.95);
    assert_int_equal(c.project.study.phase_count, 1);
    study_case_release(&c);
  }
}

/* What the command line says replaces what the file says; settings of the same kind stay. */
static void the_command_line_goes_on_top(void **state) {
  (void)state;
  struct study_case c = {.request = {.count = 32, .method = "vbd", .max_runs = 900, .until = "rank(2)"}};
  assert_true(study_case_init(&c, probe_workflow,
                              "{\"name\": \"vbd\", \"samples\": 8, \"second_order\": true, \"max_runs\": 5}", NULL));
  assert_true(ts_study_methods_settle(&c.project, &c.issues));
  assert_int_equal(c.project.study.methods[0].count, 32);
  assert_true(c.project.study.methods[0].second_order);
  assert_int_equal(c.project.study.max_runs, 900);
  assert_int_equal(c.project.study.until.top, 2);
  study_case_release(&c);
  c = (struct study_case){.request = {.trajectories = 1}};
  assert_true(study_case_init(&c, probe_workflow, NULL, NULL));
  assert_false(ts_study_methods_settle(&c.project, &c.issues));
  assert_string_equal(study_case_faults(&c), "a study needs at least 2 trajectories");
  assert_string_equal(c.issues.faults.items[0].help, "10 are usual: --trajectories 10");
  study_case_release(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_follow_the_kind_of_column),
      cmocka_unit_test(impossible_outputs_are_refused),
      cmocka_unit_test(methods_have_the_documented_defaults),
      cmocka_unit_test(the_command_line_goes_on_top),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
