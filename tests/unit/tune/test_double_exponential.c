/* Tests of tune/double_exponential.c: exact recovery, minimum and neighbourhood, vectors, effort.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "tune/double_exponential.h"

#include "base/json.h"
#include "base/random.h"
#include "support/vectors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const int64_t five[] = {2, 27, 51, 76, 100};

static double between(struct ts_random *random, double low, double high) {
  return low + (high - low) * ts_random_unit(random);
}

static double truth(const double *p, double x) {
  double t = (x - 2) / 98;
  return p[0] * exp(-p[1] * t) + p[2] * exp(p[3] * (t - 1));
}

/* Noise-free curves: the squares that are left, and the minimum that a look at every value finds. Rates in powers of 10
 * that five samples can distinguish. */
static void curves_without_noise_are_recovered(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 11, 0);
  for (int i = 0; i < 300; i++) {
    double p[] = {between(&random, 10, 100), pow(10, between(&random, 0, 1.1)), between(&random, 10, 100),
                  pow(10, between(&random, -1, 1.1))};
    double y[5], squares = 0, mean = 0;
    for (size_t j = 0; j < 5; j++) mean += (y[j] = truth(p, (double)five[j])) / 5;
    for (size_t j = 0; j < 5; j++) squares += (y[j] / mean - 1) * (y[j] / mean - 1);
    struct ts_double_exponential curve;
    ts_double_exponential_fit(&curve, 2, 100, five, y, 5);
    if (!(curve.error < 1e-12 * squares)) {
      fail_msg("%g e^-%g + %g e^%g: %g of %g is left", p[0], p[1], p[2], p[3], curve.error, squares);
    }
    assert_true(1 - curve.r_squared < 1e-12);
    int64_t best = 2;
    for (int64_t x = 2; x <= 100; x++) {
      if (truth(p, (double)x) < truth(p, (double)best)) best = x;
    }
    int64_t found = ts_double_exponential_minimum(&curve);
    assert_true(found - best <= 1 && best - found <= 1);
  }
}

/* By looking at every integer of the range. */
static void the_neighbourhood_is_every_value_within_two_percent(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 12, 0);
  for (int i = 0; i < 200; i++) {
    struct ts_double_exponential curve = {.low = -50, .high = 950};
    curve.a = i % 10 == 0 ? 0 : between(&random, 1, 50);
    curve.c = i % 10 == 1 ? 0 : between(&random, 1, 50);
    curve.b = -pow(10, between(&random, -1.3, 1.9));
    curve.d = pow(10, between(&random, -1.6, 1.7));
    int64_t best = -50, first, last;
    for (int64_t x = -50; x <= 950; x++) {
      if (ts_double_exponential_at(&curve, (double)x) < ts_double_exponential_at(&curve, (double)best)) best = x;
    }
    int64_t found = ts_double_exponential_minimum(&curve);
    double least = ts_double_exponential_at(&curve, (double)best);
    assert_true(ts_double_exponential_at(&curve, (double)found) <= least * (1 + 1e-12));
    ts_double_exponential_neighbourhood(&curve, best, &first, &last);
    for (int64_t x = -50; x <= 950; x++) {
      bool is_near = ts_double_exponential_at(&curve, (double)x) <= 1.02 * least;
      assert_int_equal(is_near, x >= first && x <= last);
    }
  }
}

/* Times that only fall or only rise: the end, whatever the other term does. */
static void monotone_times_have_their_minimum_at_an_end(void **state) {
  (void)state;
  double falling[5], rising[5];
  for (size_t i = 0; i < 5; i++) {
    falling[i] = 40 * exp(-0.01 * (double)five[i]);
    rising[i] = 10 * exp(0.02 * (double)five[i]);
  }
  struct ts_double_exponential curve;
  ts_double_exponential_fit(&curve, 2, 100, five, falling, 5);
  assert_int_equal(ts_double_exponential_minimum(&curve), 100);
  ts_double_exponential_fit(&curve, 2, 100, five, rising, 5);
  assert_int_equal(ts_double_exponential_minimum(&curve), 2);
}

/* Amplitudes are never negative, rates within their bounds, whatever the times: the curve stays convex. */
static void no_times_make_it_bend_downwards(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 13, 0);
  for (int i = 0; i < 200; i++) {
    double y[5];
    for (size_t j = 0; j < 5; j++) y[j] = pow(10, between(&random, -6, 6));
    struct ts_double_exponential curve;
    ts_double_exponential_fit(&curve, 2, 100, five, y, 5);
    assert_true(curve.a >= 0 && curve.c >= 0 && curve.a + curve.c > 0 && isfinite(curve.error));
    assert_true(curve.b <= -0.05 * (1 - 1e-12) && curve.b >= -80 * (1 + 1e-12));
    assert_true(curve.d >= 0.02 * (1 - 1e-12) && curve.d <= 60 * (1 + 1e-12));
  }
}

/* A curve predicts a sample that it has not seen only if there is a curve. */
static void samples_left_out_tell_curves_from_noise(void **state) {
  (void)state;
  double p[] = {40, 5, 30, 1.5}, y[5], jumps[] = {10, 1, 10, 1, 10};
  for (size_t j = 0; j < 5; j++) y[j] = truth(p, (double)five[j]);
  assert_true(ts_double_exponential_left_out_error(2, 100, five, y, 5) < 1e-4);
  assert_true(ts_double_exponential_left_out_error(2, 100, five, jumps, 5) > 0.5);
}

/* The order of samples does not matter beyond rounding, and the same call gives the same bits. */
static void the_same_samples_give_the_same_curve(void **state) {
  (void)state;
  double y[] = {61, 30.5, 25.2, 27.7, 29.1};
  struct ts_double_exponential one, two;
  memset(&one, 0, sizeof one);
  memset(&two, 0, sizeof two);
  ts_double_exponential_fit(&one, 2, 100, five, y, 5);
  ts_double_exponential_fit(&two, 2, 100, five, y, 5);
  assert_memory_equal(&one, &two, sizeof one);
}

/* 5 ms of processor time for each fit; the least of many, because the machine may be busy. */
static void a_fit_takes_no_time(void **state) {
  (void)state;
  double y[] = {61, 30.5, 25.2, 27.7, 29.1}, least = INFINITY;
  for (int i = 0; i < 20; i++) {
    struct ts_double_exponential curve;
    clock_t start = clock();
    ts_double_exponential_fit(&curve, 2, 100, five, y, 5);
    least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC);
  }
  if (least >= 0.005) fail_msg("a fit takes %g s", least);
}

static void compare_with_vector(const char *name, const json_t *vector) {
  const json_t *x_array = json_object_get(vector, "x"), *y_array = json_object_get(vector, "y");
  int64_t x[8];
  double y[8];
  size_t count = json_array_size(x_array);
  assert_in_range(count, 4, 8);
  for (size_t i = 0; i < count; i++) {
    x[i] = (int64_t)json_number_value(json_array_get(x_array, i));
    y[i] = json_number_value(json_array_get(y_array, i));
  }
  struct ts_double_exponential curve;
  ts_double_exponential_fit(&curve, x[0], x[count - 1], x, y, count);
  int64_t best = ts_double_exponential_minimum(&curve), first, last;
  ts_double_exponential_neighbourhood(&curve, best, &first, &last);
  const json_t *within = json_object_get(vector, "within2pct");
  if (best != json_integer_value(json_object_get(vector, "argmin_int"))) fail_msg("%s: %ld", name, (long)best);
  assert_int_equal(first, json_integer_value(json_array_get(within, 0)));
  assert_int_equal(last, json_integer_value(json_array_get(within, 1)));
  /* The vector minimises absolute errors, this fit relative ones: they differ by less than the noise. */
  double least = json_number_value(json_object_get(vector, "min"));
  assert_true(fabs(ts_double_exponential_at(&curve, (double)best) / least - 1) < 1e-4);
}

static void vectors_are_met(void **state) {
  (void)state;
  const char *parent = vectors_parent("tuning/double_exponential_expected.json");
  assert_non_null(parent);
  char path[600];
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  snprintf(path, sizeof path, "%s/vectors/tuning/double_exponential_expected.json", parent);
  if (!ts_json_doc_open(&doc, path, &err)) fail_msg("%s", err.text);
  const char *name;
  json_t *vector;
  assert_int_equal(json_object_size(doc.root), 2);
  json_object_foreach(doc.root, name, vector) compare_with_vector(name, vector);
  ts_json_doc_close(&doc);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curves_without_noise_are_recovered),
      cmocka_unit_test(the_neighbourhood_is_every_value_within_two_percent),
      cmocka_unit_test(monotone_times_have_their_minimum_at_an_end),
      cmocka_unit_test(no_times_make_it_bend_downwards),
      cmocka_unit_test(samples_left_out_tell_curves_from_noise),
      cmocka_unit_test(the_same_samples_give_the_same_curve),
      cmocka_unit_test(a_fit_takes_no_time),
      cmocka_unit_test(vectors_are_met),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
