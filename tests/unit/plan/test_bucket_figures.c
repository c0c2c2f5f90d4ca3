/* The worked examples of the paper on multi-level reuse, as data: figures 6, 9, 11, 12, 14, 15, 18 and 24.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "plan/bucket_int.h"
#include "support/bucket_oracle.h"
#include "support/vectors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16

static const char *shared;
static struct ts_json_doc doc;

/* A figure as an input with chain keys; stages of "buckets" come with the number of their bucket. */
struct figure {
  const json_t *json;
  struct ts_bucket_input input;
  uint32_t keys[MOST * MOST];
  uint32_t bucket_of[MOST];
  size_t bucket_count;
  const char *names[MOST];
  double costs[MOST];
};

static void add_stages(struct figure *f, json_t *stages, uint32_t bucket) {
  const char *name = NULL;
  json_t *tasks = NULL;
  json_object_foreach(stages, name, tasks) {
    size_t m = f->input.member_count++;
    f->names[m] = name;
    f->bucket_of[m] = bucket;
    assert_int_equal(json_array_size(tasks), f->input.task_count);
    for (size_t t = 0; t < f->input.task_count; t++)
      f->keys[m * f->input.task_count + t] = (uint32_t)json_integer_value(json_array_get(tasks, t));
  }
}

static void read_figure(struct figure *f, const char *name) {
  *f = (struct figure){.json = json_object_get(doc.root, name)};
  assert_non_null(f->json);
  f->input.task_count = (size_t)json_integer_value(json_object_get(f->json, "tasks"));
  json_t *buckets = json_object_get(f->json, "buckets");
  if (json_object_get(f->json, "stages")) add_stages(f, json_object_get(f->json, "stages"), 0);
  for (; f->bucket_count < json_array_size(buckets); f->bucket_count++)
    add_stages(f, json_array_get(buckets, f->bucket_count), (uint32_t)f->bucket_count);
  f->input.key_count = ts_chain_keys(f->keys, f->input.member_count, f->input.task_count, f->keys);
  f->input.chain = true;
  f->input.keys = f->keys;
  const json_t *costs = json_object_get(f->json, "task_costs");
  for (size_t t = 0; t < json_array_size(costs); t++) f->costs[t] = json_number_value(json_array_get(costs, t));
  if (costs) f->input.costs = f->costs;
}

static const json_t *expected(const struct figure *f, const char *name) {
  const json_t *value = json_object_get(json_object_get(f->json, "expected"), name);
  assert_non_null(value);
  return value;
}

static void make(const struct figure *f, const char *merger, size_t size, size_t count, struct ts_buckets *buckets) {
  const struct ts_bucket_options options = {.max_bucket_size = size, .max_buckets = count};
  struct ts_error err = {0};
  if (!ts_buckets_make(buckets, ts_merger_find(merger), &f->input, &options, &err)) fail_msg("%s", err.text);
  bucket_check(&f->input, buckets);
}

/* "abc": the members by name, in alphabetical order. */
static void names_of(const struct figure *f, const struct ts_bucket *bucket, char *text) {
  const char *names[MOST] = {0};
  for (size_t i = 0; i < bucket->member_count; i++) {
    size_t at = i;
    for (; at > 0 && strcmp(names[at - 1], f->names[bucket->members[i]]) > 0; at--) names[at] = names[at - 1];
    names[at] = f->names[bucket->members[i]];
  }
  *text = '\0';
  for (size_t i = 0; i < bucket->member_count; i++) strcat(strcat(text, names[i]), " ");
}

static bool has_bucket(const struct figure *f, const struct ts_buckets *buckets, const char *names) {
  char text[256];
  for (size_t b = 0; b < buckets->count; b++) {
    names_of(f, &buckets->items[b], text);
    if (strcmp(text, names) == 0) return true;
  }
  return false;
}

/* Every bucket of the list, and no other. */
static void check_listed(const struct figure *f, const struct ts_buckets *buckets, const json_t *list) {
  assert_int_equal(buckets->count, json_array_size(list));
  for (size_t b = 0; b < json_array_size(list); b++) {
    char names[256] = "";
    const json_t *bucket = json_array_get(list, b);
    for (size_t i = 0; i < json_array_size(bucket); i++)
      strcat(strcat(names, json_string_value(json_array_get(bucket, i))), " ");
    assert_true(has_bucket(f, buckets, names));
  }
}

static int compare_descending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x > y ? -1 : x < y;
}

/* The costs as given, in any order of the buckets. */
static void check_costs(const struct ts_buckets *buckets, const json_t *list) {
  double found[MOST] = {0}, wanted[MOST] = {0};
  assert_int_equal(buckets->count, json_array_size(list));
  for (size_t b = 0; b < buckets->count; b++) {
    found[b] = buckets->items[b].cost;
    wanted[b] = json_number_value(json_array_get(list, b));
  }
  qsort(found, buckets->count, sizeof *found, compare_descending);
  qsort(wanted, buckets->count, sizeof *wanted, compare_descending);
  for (size_t b = 0; b < buckets->count; b++) assert_true(fabs(found[b] - wanted[b]) < 5e-5);
}

static void figure_6_shares_stages_and_tasks(void **state) {
  (void)state;
  struct figure f;
  struct ts_buckets buckets;
  read_figure(&f, "figure6");
  assert_int_equal(f.input.member_count * f.input.task_count, json_integer_value(expected(&f, "requested")));
  assert_int_equal(ts_bucket_distinct(&f.input, NULL), json_integer_value(expected(&f, "executed")));
  make(&f, "lineage", 0, 0, &buckets);
  assert_int_equal(buckets.items[0].tasks, json_integer_value(expected(&f, "executed")));
  ts_buckets_release(&buckets);
}

static void figure_9_cuts_the_least_related_stage_first(void **state) {
  (void)state;
  struct figure f;
  struct ts_buckets buckets;
  char names[256];
  read_figure(&f, "figure9");
  make(&f, "sca", 2, 0, &buckets);
  check_listed(&f, &buckets, expected(&f, "buckets"));
  names_of(&f, &buckets.items[0], names);
  assert_string_equal(names, "d e ");
  ts_buckets_release(&buckets);
}

static size_t letters_in(const char *names, const char *letters) {
  size_t count = 0;
  for (const char *c = names; *c; c++) count += strchr(letters, *c) != NULL && *c != ' ';
  return count;
}

/* {a,b,c}; three of d..g; the fourth of them with h and i. */
static void figure_11_cuts_full_buckets_bottom_up(void **state) {
  (void)state;
  struct figure f;
  struct ts_buckets buckets;
  read_figure(&f, "figure11");
  make(&f, "rtma", 3, 0, &buckets);
  assert_true(has_bucket(&f, &buckets, "a b c "));
  bool three = false, fourth = false;
  for (size_t b = 0; b < buckets.count; b++) {
    char names[256];
    names_of(&f, &buckets.items[b], names);
    assert_true(buckets.items[b].member_count <= 3);
    three = three || letters_in(names, "defg") == 3;
    fourth = fourth || (letters_in(names, "defg") == 1 && letters_in(names, "hi") == 2);
  }
  assert_true(three && fourth);
  assert_int_equal(buckets.count, 4); /* 12 stages fill four buckets of 3 */
  ts_buckets_release(&buckets);
}

static void figure_12_merges_below_the_first_level_with_enough_nodes(void **state) {
  (void)state;
  struct figure f;
  struct ts_buckets buckets;
  read_figure(&f, "figure12");
  make(&f, "trtma", 0, 3, &buckets);
  check_listed(&f, &buckets, expected(&f, "buckets"));
  ts_buckets_release(&buckets);
}

/* Six buckets b1..b6 in descending order of cost; a group of the file is what joins one position. */
static void figure_14_folds_the_cheapest_onto_the_next(void **state) {
  (void)state;
  const json_t *figure = json_object_get(doc.root, "figure14");
  const json_t *groups = json_object_get(json_object_get(figure, "expected"), "groups");
  size_t most = (size_t)json_integer_value(json_object_get(figure, "max_buckets"));
  uint32_t target[6];
  assert_int_equal(json_array_size(json_object_get(figure, "costs")), 6);
  assert_int_equal(ts_fold_line(6, most, target), json_array_size(groups));
  for (size_t g = 0; g < json_array_size(groups); g++) {
    const json_t *group = json_array_get(groups, g);
    for (size_t i = 0; i < json_array_size(group); i++) {
      int bucket = 0, first = 0;
      assert_int_equal(sscanf(json_string_value(json_array_get(group, i)), "b%d", &bucket), 1);
      assert_int_equal(sscanf(json_string_value(json_array_get(group, 0)), "b%d", &first), 1);
      assert_int_equal(target[bucket - 1], first - 1);
    }
  }
  assert_int_equal(ts_fold_line(4, 4, target), 4);
  assert_int_equal(ts_fold_line(3, 4, target), 3);
}

/* The buckets of a figure, for the mergers below. */
static const uint32_t *given;
static size_t given_count;

static bool keep_given(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options, uint32_t *bucket_of,
                       struct ts_error *err) {
  (void)options;
  (void)err;
  memcpy(bucket_of, given, tree->input->member_count * sizeof *bucket_of);
  return true;
}

/* The balance of trtma alone, on given buckets. */
static bool balance_given(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options,
                          uint32_t *bucket_of, struct ts_error *err) {
  (void)err;
  struct balance b;
  ts_balance_init(&b, tree, options, given, given_count);
  ts_balance_run(&b);
  ts_balance_store(&b, bucket_of);
  ts_balance_release(&b);
  return true;
}

static void make_buckets(struct ts_buckets *buckets, const struct figure *f, const uint32_t *bucket_of, bool balanced) {
  const struct ts_merger merger = {.name = "given", .merge = balanced ? balance_given : keep_given};
  const struct ts_bucket_options options = {.no_swaps = true};
  given = bucket_of;
  given_count = f->bucket_count;
  assert_true(ts_buckets_make(buckets, &merger, &f->input, &options, NULL));
}

/* Balances the buckets of a figure and compares the costs before and after. */
static void check_balance(const char *name, const char *after) {
  struct figure f;
  struct ts_buckets buckets;
  read_figure(&f, name);
  make_buckets(&buckets, &f, f.bucket_of, false);
  check_costs(&buckets, expected(&f, "costs_before"));
  ts_buckets_release(&buckets);
  make_buckets(&buckets, &f, f.bucket_of, true);
  bucket_check(&f.input, &buckets);
  check_costs(&buckets, expected(&f, after));
  ts_buckets_release(&buckets);
}

/* The two moves that the text rejects: all of S4..S7, or S8 and S9, to the other bucket. */
static void check_rejected(void) {
  struct figure f;
  read_figure(&f, "figure15");
  const json_t *rejected = expected(&f, "rejected");
  static const char *const moved[2][4] = {{"S4", "S5", "S6", "S7"}, {"S8", "S9", "", ""}};
  for (size_t i = 0; i < 2; i++) {
    uint32_t bucket_of[MOST];
    struct ts_buckets buckets;
    memcpy(bucket_of, f.bucket_of, sizeof bucket_of);
    for (size_t m = 0; m < f.input.member_count; m++) {
      for (size_t k = 0; k < 4; k++) bucket_of[m] = strcmp(f.names[m], moved[i][k]) == 0 ? 1 : bucket_of[m];
    }
    make_buckets(&buckets, &f, bucket_of, false);
    check_costs(&buckets, json_array_get(rejected, i));
    ts_buckets_release(&buckets);
  }
}

static void figure_15_moves_one_leaf_and_no_false_improvement(void **state) {
  (void)state;
  check_rejected();
  check_balance("figure15", "costs_after");
}

static void figure_18_is_found_by_the_bucket_that_shares_most(void **state) {
  (void)state;
  check_balance("figure18a", "most_shared_policy_costs_after");
  check_balance("figure18b", "best_costs_after");
}

static void figure_24_tells_equal_numbers_of_tasks_apart_by_cost(void **state) {
  (void)state;
  struct figure f;
  struct ts_buckets buckets;
  read_figure(&f, "figure24");
  make_buckets(&buckets, &f, f.bucket_of, false);
  bucket_check(&f.input, &buckets);
  check_costs(&buckets, expected(&f, "costs"));
  for (size_t b = 0; b < 2; b++)
    assert_int_equal(buckets.items[b].tasks, json_integer_value(json_array_get(expected(&f, "tasks"), b)));
  assert_true(ts_buckets_imbalance(buckets.items, 2) > 0.2);
  ts_buckets_release(&buckets);
}

int main(void) {
  shared = vectors_parent("reuse");
  if (!shared) {
    printf("SKIP: there is no ../shared/vectors/reuse\n");
    return 77;
  }
  ts_auto_free char *path = ts_path_join(shared, "vectors/reuse/figures.json");
  struct ts_error err = {0};
  if (!ts_json_doc_open(&doc, path, &err)) {
    printf("%s\n", err.text);
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figure_6_shares_stages_and_tasks),
      cmocka_unit_test(figure_9_cuts_the_least_related_stage_first),
      cmocka_unit_test(figure_11_cuts_full_buckets_bottom_up),
      cmocka_unit_test(figure_12_merges_below_the_first_level_with_enough_nodes),
      cmocka_unit_test(figure_14_folds_the_cheapest_onto_the_next),
      cmocka_unit_test(figure_15_moves_one_leaf_and_no_false_improvement),
      cmocka_unit_test(figure_18_is_found_by_the_bucket_that_shares_most),
      cmocka_unit_test(figure_24_tells_equal_numbers_of_tasks_apart_by_cost),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ts_json_doc_close(&doc);
  return failed;
}
