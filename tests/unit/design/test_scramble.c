/* Tests of design/scramble.c: nested structure, uniform and independent flips, unbiased integrals that converge fast.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sample_support.h"

#include "design/sequence_int.h"

#define SEEDS 3000

/* Scrambles one number of one dimension, for many seeds. */
static void scramble_all(uint64_t digits, double *units) {
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ts_scrambler scrambler;
    ts_scrambler_init(&scrambler, TS_SCRAMBLE_OWEN, 1, seed);
    ts_scrambler_row(&scrambler, &digits, &units[seed]);
    ts_scrambler_release(&scrambler);
  }
}

/* Digit `place` (from 1 on) of a coordinate. */
static unsigned digit(double unit, int place) { return (unsigned)fmod(floor(ldexp(unit, place)), 2); }

/* Out of SEEDS throws of a coin, a count within five standard deviations of the half. */
static void is_a_fair_coin(size_t count, const char *what, int place) {
  double deviation = ((double)count - SEEDS / 2.0) / sqrt(SEEDS / 4.0);
  if (fabs(deviation) > 5) fail_msg("%s, digit %d: %zu of %d", what, place, count, SEEDS);
}

static void every_digit_is_uniform_over_seeds(void **state) {
  (void)state;
  static double units[SEEDS];
  const uint64_t digits[] = {0, 1, UINT64_C(0xfedcba9876543210)};
  for (size_t k = 0; k < 3; k++) {
    scramble_all(digits[k], units);
    for (int place = 1; place <= 53; place++) {
      size_t ones = 0, agree = 0;
      for (size_t i = 0; i < SEEDS; i++) {
        ones += digit(units[i], place);
        agree += place > 1 && digit(units[i], place) == digit(units[i], place - 1);
      }
      is_a_fair_coin(ones, "ones", place);
      if (place > 1) is_a_fair_coin(agree, "equal to the digit before", place);
    }
  }
}

/* Two numbers that part at a digit: equal before it, opposite there, independent below. */
static void numbers_that_part_are_independent_below(void **state) {
  (void)state;
  static double left[SEEDS], right[SEEDS];
  const int parts[] = {1, 2, 5, 8, 9, 10, 11, 13, 14, 15, 16, 20, 30};
  const uint64_t bases[] = {0, UINT64_C(0x123456789abcdef)};
  for (size_t b = 0; b < 2; b++) {
    scramble_all(bases[b], left);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
      int at = parts[k];
      scramble_all(bases[b] ^ UINT64_C(1) << (at - 1), right);
      for (int place = 1; place <= at; place++) {
        for (size_t i = 0; i < SEEDS; i++) {
          assert_int_equal(digit(left[i], place) == digit(right[i], place), place < at);
        }
      }
      for (int place = at + 1; place <= 53; place++) {
        size_t agree = 0;
        for (size_t i = 0; i < SEEDS; i++) agree += digit(left[i], place) == digit(right[i], place);
        is_a_fair_coin(agree, "agreement below", place);
      }
    }
  }
}

/* Four numbers from two digits: a hash that only adds shows in the parity of their flips. */
static void four_prefixes_are_independent(void **state) {
  (void)state;
  static double units[4][SEEDS];
  const int pairs[][2] = {{1, 2}, {2, 5}, {7, 8}, {8, 9}, {9, 10}, {9, 11}, {10, 12}, {12, 13}};
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
    uint64_t one = UINT64_C(1) << (pairs[k][0] - 1), two = UINT64_C(1) << (pairs[k][1] - 1);
    scramble_all(0x5a5a1234, units[0]);
    scramble_all(0x5a5a1234 ^ one, units[1]);
    scramble_all(0x5a5a1234 ^ two, units[2]);
    scramble_all(0x5a5a1234 ^ one ^ two, units[3]);
    for (int place = pairs[k][1] + 1; place <= 53; place++) {
      size_t odd = 0;
      for (size_t i = 0; i < SEEDS; i++) {
        odd += digit(units[0][i], place) ^ digit(units[1][i], place) ^ digit(units[2][i], place) ^
               digit(units[3][i], place);
      }
      is_a_fair_coin(odd, "parity of four", place);
    }
  }
}

static void dimensions_are_independent(void **state) {
  (void)state;
  size_t agree = 0, equal_top = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ts_scrambler scrambler;
    ts_scrambler_init(&scrambler, TS_SCRAMBLE_OWEN, 2, seed);
    const uint64_t digits[2] = {77, 77};
    double units[2];
    ts_scrambler_row(&scrambler, digits, units);
    agree += digit(units[0], 12) == digit(units[1], 12);
    equal_top += digit(units[0], 1) == digit(units[1], 1);
    ts_scrambler_release(&scrambler);
  }
  is_a_fair_coin(agree, "two dimensions", 12);
  is_a_fair_coin(equal_top, "two dimensions", 1);
}

static void the_shift_moves_all_points_alike(void **state) {
  (void)state;
  struct ts_scrambler scrambler;
  ts_scrambler_init(&scrambler, TS_SCRAMBLE_SHIFT, 1, 9);
  double zero, one;
  const uint64_t digits[2] = {0, UINT64_C(0x1f)};
  ts_scrambler_row(&scrambler, &digits[0], &zero);
  ts_scrambler_row(&scrambler, &digits[1], &one);
  for (int place = 1; place <= 53; place++) assert_int_equal(digit(zero, place) != digit(one, place), place <= 5);
  ts_scrambler_release(&scrambler);
}

/* Integral of the product of (1 + (x_i - 1/2)) + x1 x2 x3 over four dimensions: 1 + 1/8. */
static double integral(size_t count, uint64_t seed, enum ts_scramble kind) {
  double points[1024 * 4], sum = 0;
  fill("sobol-sequence", 4, 0, count, &(struct ts_sample_options){.seed = seed, .scramble = kind}, points);
  for (size_t i = 0; i < count; i++) {
    const double *x = points + 4 * i;
    sum += (0.5 + x[0]) * (0.5 + x[1]) * (0.5 + x[2]) * (0.5 + x[3]) + x[0] * x[1] * x[2];
  }
  return sum / (double)count;
}

/* Mean and root mean square error over seeds. */
static void errors(size_t count, enum ts_scramble kind, double *mean, double *rms) {
  enum { REPEATS = 400 };
  *mean = *rms = 0;
  for (uint64_t seed = 0; seed < REPEATS; seed++) {
    double error = integral(count, seed, kind) - 1.125;
    *mean += error / REPEATS;
    *rms += error * error / REPEATS;
  }
  *rms = sqrt(*rms);
}

static void integrals_are_unbiased_and_converge(void **state) {
  (void)state;
  double mean, rms[2];
  for (int kind = TS_SCRAMBLE_OWEN; kind <= TS_SCRAMBLE_SHIFT; kind++) {
    errors(64, (enum ts_scramble)kind, &mean, &rms[0]);
    assert_true(fabs(mean) < 5 * rms[0] / sqrt(400));
    errors(1024, (enum ts_scramble)kind, &mean, &rms[1]);
    assert_true(fabs(mean) < 5 * rms[1] / sqrt(400));
    /* Monte Carlo gains 4 from 16 times the points; a net gains 16 at least, a nested scrambled one up to 64. */
    assert_true(rms[0] / rms[1] > (kind == TS_SCRAMBLE_OWEN ? 24 : 12));
  }
  /* The standard deviation of one value is 0.64: Monte Carlo with 1024 points would be off by 0.02. */
  assert_true(rms[1] < 0.001);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_digit_is_uniform_over_seeds), cmocka_unit_test(numbers_that_part_are_independent_below),
      cmocka_unit_test(four_prefixes_are_independent),     cmocka_unit_test(dimensions_are_independent),
      cmocka_unit_test(the_shift_moves_all_points_alike),  cmocka_unit_test(integrals_are_unbiased_and_converge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
