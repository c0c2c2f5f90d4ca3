/* Subsets of the files of a study: single files, the files of each value of a group, all files but those.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "study/subsets.h"

#include <string.h>

#define MANY 40

static const char *declared[] = {"site", "patient"};
static const char *const cells[][2] = {{"north", "p1"}, {"south", "p1"}, {"north", "p1"}};

static struct ts_project project_of(struct ts_item *items, size_t count, size_t group_count) {
  struct ts_project project = {.dataset = {.items = items, .item_count = count}};
  project.study.groups = declared;
  project.study.group_count = group_count;
  return project;
}

static void subsets_are_files_then_values_each_with_its_rest(void **state) {
  (void)state;
  static const struct {
    enum study_subset_kind kind;
    const char *group, *value;
    size_t files[3], count;
  } wanted[] = {{SUBSET_FILE, "", "", {0}, 1},
                {SUBSET_FILE, "", "", {1}, 1},
                {SUBSET_FILE, "", "", {2}, 1},
                {SUBSET_GROUP, "site", "north", {0, 2}, 2},
                {SUBSET_WITHOUT, "site", "north", {1}, 1},
                {SUBSET_GROUP, "site", "south", {1}, 1},
                {SUBSET_WITHOUT, "site", "south", {0, 2}, 2},
                /* Nothing is left without the only patient. */
                {SUBSET_GROUP, "patient", "p1", {0, 1, 2}, 3}};
  struct ts_item items[3] = {{.groups = cells[0]}, {.groups = cells[1]}, {.groups = cells[2]}};
  const struct ts_project project = project_of(items, 3, 2);
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct study_subsets subsets;
  ts_subsets_list(&subsets, &project, &arena);
  assert_int_equal(subsets.count, COUNT_OF(wanted));
  for (size_t i = 0; i < COUNT_OF(wanted); i++) {
    const struct study_subset *subset = &subsets.items[i];
    assert_int_equal(subset->kind, wanted[i].kind);
    assert_string_equal(subset->group, wanted[i].group);
    assert_string_equal(subset->value, wanted[i].value);
    assert_int_equal(subset->count, wanted[i].count);
    for (size_t f = 0; f < subset->count; f++) assert_int_equal(subset->files[f], wanted[i].files[f]);
  }
}

static void files_of_the_command_line_have_no_groups(void **state) {
  (void)state;
  struct ts_item items[2] = {0};
  const struct ts_project project = project_of(items, 2, 2);
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct study_subsets subsets;
  ts_subsets_list(&subsets, &project, &arena);
  assert_int_equal(subsets.count, 2);
}

static void values_beyond_the_limit_are_left_out_with_a_warning(void **state) {
  (void)state;
  char names[MANY][8];
  const char *values[MANY];
  struct ts_item items[MANY] = {0};
  for (size_t i = 0; i < MANY; i++) {
    snprintf(names[i], sizeof names[i], "s%zu", i);
    values[i] = names[i];
    items[i].groups = &values[i];
  }
  const struct ts_project project = project_of(items, MANY, 1);
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct study_subsets subsets;
  struct ts_issues issues = {0};
  ts_subsets_list(&subsets, &project, &arena);
  assert_int_equal(subsets.count, MANY + 2 * TS_SUBSET_VALUES);
  assert_string_equal(subsets.items[subsets.count - 1].value, "s31");
  ts_subsets_warn(&project, &issues);
  assert_int_equal(issues.warning_count, 1);
  assert_non_null(strstr(issues.warnings[0], "'site' has 40 values: indices by group are computed for the first 32"));
  ts_issues_release(&issues);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(subsets_are_files_then_values_each_with_its_rest),
      cmocka_unit_test(files_of_the_command_line_have_no_groups),
      cmocka_unit_test(values_beyond_the_limit_are_left_out_with_a_warning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
