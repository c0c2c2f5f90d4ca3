/* Tests of design/samplers.c and design/source.c: the table, constraints, extending, for every sampler that is listed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sample_support.h"

static const char *const sources[] = {"mc", "lhs", "sobol-sequence", "halton"};

static void names_are_found_and_near_ones_proposed(void **state) {
  (void)state;
  struct ts_error err = {0};
  for (size_t i = 0; ts_samplers[i]; i++) {
    assert_ptr_equal(ts_sampler_find(ts_samplers[i]->name, &err), ts_samplers[i]);
    assert_true(ts_samplers[i]->title[0] && ts_samplers[i]->help[0] && ts_samplers[i]->draw);
  }
  assert_int_equal(err.code, TS_ERR_OK);
  assert_null(ts_sampler_find("sobol-sequenz", &err));
  assert_non_null(strstr(err.help, "'sobol-sequence'"));
  struct ts_error far = {0};
  assert_null(ts_sampler_find("zzzzzzzzzzzz", &far));
  assert_non_null(strstr(far.help, "lhs, halton"));
}

static void sources_are_found_and_near_ones_proposed(void **state) {
  (void)state;
  struct ts_error err = {0}, far = {0};
  double unit;
  assert_false(ts_source_fill("haltom", 1, 0, 1, &(struct ts_sample_options){0}, &unit, &err));
  assert_non_null(strstr(err.help, "'halton'"));
  assert_false(ts_source_fill("morris-like-thing", 1, 0, 1, &(struct ts_sample_options){0}, &unit, &far));
  assert_non_null(strstr(far.help, "sobol-sequence"));
}

static void the_same_seed_gives_the_same_bytes(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 3);
  for (size_t i = 0; ts_samplers[i]; i++) {
    struct ts_points one, two;
    struct ts_sample_options options = {.count = 256, .seed = 99};
    draw(ts_samplers[i]->name, &cube.space, &options, &one);
    draw(ts_samplers[i]->name, &cube.space, &options, &two);
    assert_int_equal(one.row_count, two.row_count);
    assert_true(one.row_count >= 125 && one.column_count == 3);
    for (size_t row = 0; row < one.row_count; row++) {
      double x[3], y[3];
      ts_points_row(&one, row, x);
      ts_points_row(&two, row, y);
      assert_memory_equal(x, y, sizeof x);
      for (size_t k = 0; k < 3; k++) assert_true(x[k] >= 0 && x[k] <= 1);
    }
    ts_points_release(&one);
    ts_points_release(&two);
  }
}

static void constraints_hold_for_every_sampler(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 3);
  cube_constrain(&cube);
  for (size_t k = 0; k < 4; k++) {
    struct ts_points points;
    draw(sources[k], &cube.space, &(struct ts_sample_options){.count = 512, .seed = 1}, &points);
    assert_int_equal(points.row_count, 512);
    for (size_t i = 0; i < 512; i++) assert_true(points.a[3 * i] < points.a[3 * i + 1]);
    assert_non_null(strstr(points.note, "constraints refused"));
    assert_non_null(strstr(points.note, "depend on each other"));
    /* Half of the space is left: about 512 were refused, 22 is one standard deviation for independent points. */
    size_t refused = strtoul(strstr(points.note, "refused ") + 8, NULL, 10);
    assert_true(refused > 380 && refused < 640);
    ts_points_release(&points);
  }
}

/* The allowed points of the source in their order, found by looking at all of them. */
static void constrained_samples_are_the_allowed_points_in_order(void **state) {
  (void)state;
  enum { N = 100 };
  struct cube cube;
  cube_init(&cube, 2);
  cube_constrain(&cube);
  for (size_t k = 0; k < 4; k++) {
    struct ts_sample_options options = {.count = N, .seed = 7, .scramble = TS_SCRAMBLE_OWEN};
    static double all[20 * N * 2];
    fill(sources[k], 2, 0, 20 * N, &options, all);
    struct ts_points points;
    draw(sources[k], &cube.space, &options, &points);
    size_t next = 0;
    for (size_t i = 0; i < N; i++, next++) {
      while (!(all[2 * next] < all[2 * next + 1])) next++;
      assert_memory_equal(points.a + 2 * i, all + 2 * next, 2 * sizeof *all);
    }
    ts_points_release(&points);
  }
}

static void more_points_keep_the_earlier_ones(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 4);
  for (int constrained = 0; constrained < 2; constrained++) {
    if (constrained) cube_constrain(&cube);
    for (size_t k = 0; k < 4; k++) {
      if (strcmp(sources[k], "lhs") == 0) continue; /* cannot be extended, and says so */
      struct ts_points few, many;
      draw(sources[k], &cube.space, &(struct ts_sample_options){.count = 128, .seed = 5}, &few);
      draw(sources[k], &cube.space, &(struct ts_sample_options){.count = 4096, .seed = 5}, &many);
      assert_memory_equal(few.a, many.a, 128 * 4 * sizeof *few.a);
      ts_points_release(&few);
      ts_points_release(&many);
    }
  }
}

static void impossible_constraints_are_refused(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 2);
  cube_constrain(&cube);
  cube.constraint.right = TS_NONE;
  cube.constraint.right_number = -1;
  for (size_t k = 0; k < 4; k++) {
    refuse(sources[k], &cube.space, &(struct ts_sample_options){.count = 10}, TS_ERR_CONSTRAINT);
  }
}

static void spaces_that_cannot_be_sampled_are_refused(void **state) {
  (void)state;
  struct cube cube;
  cube_init(&cube, 2);
  for (size_t i = 0; ts_samplers[i]; i++) {
    struct ts_space none = {0};
    refuse(ts_samplers[i]->name, &none, &(struct ts_sample_options){.count = 8}, TS_ERR_BAD_VALUE);
    cube.parameters[1].range_high = 0; /* one value only */
    refuse(ts_samplers[i]->name, &cube.space, &(struct ts_sample_options){.count = 8}, TS_ERR_BAD_VALUE);
    cube.parameters[1].range_high = 1;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_found_and_near_ones_proposed),
      cmocka_unit_test(sources_are_found_and_near_ones_proposed),
      cmocka_unit_test(the_same_seed_gives_the_same_bytes),
      cmocka_unit_test(constraints_hold_for_every_sampler),
      cmocka_unit_test(constrained_samples_are_the_allowed_points_in_order),
      cmocka_unit_test(more_points_keep_the_earlier_ones),
      cmocka_unit_test(impossible_constraints_are_refused),
      cmocka_unit_test(spaces_that_cannot_be_sampled_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
