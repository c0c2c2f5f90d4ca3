/* Random numbers: the known answers of Philox, streams, ranges, and shuffles that are fair.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/random.h"

/* The known-answer vectors that the authors of Philox publish with Random123. */
static void philox_gives_the_known_answers(void **state) {
  (void)state;
  static const struct {
    uint32_t counter[4], key[2], out[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < COUNT_OF(known); i++) {
    uint32_t out[4];
    ts_philox4x32(known[i].counter, known[i].key, out);
    assert_memory_equal(out, known[i].out, sizeof out);
  }
}

static void draws_are_blocks_of_philox(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 0, 0);
  assert_true(ts_random_u64(&random) == 0xe169c58d6627e8d5ULL);
  assert_true(ts_random_u64(&random) == 0x9b00dbd8bc57ac4cULL);
  struct ts_random odd = {.seed = 0x299f31d0a4093822ULL, .stream = 0x0370734413198a2eULL, .position = 2 * 5 + 1};
  const uint32_t counter[4] = {5, 0, 0x13198a2e, 0x03707344};
  const uint32_t key[2] = {0xa4093822, 0x299f31d0};
  uint32_t out[4];
  ts_philox4x32(counter, key, out);
  assert_true(ts_random_u64(&odd) == ((uint64_t)out[3] << 32 | out[2]));
}

static void streams_are_independent_and_can_be_entered_anywhere(void **state) {
  (void)state;
  uint64_t draws[100];
  struct ts_random random;
  ts_random_init(&random, 42, 7);
  for (size_t i = 0; i < 100; i++) draws[i] = ts_random_u64(&random);
  for (size_t i = 100; i-- > 0;) {
    struct ts_random jump = {.seed = 42, .stream = 7, .position = i};
    assert_true(ts_random_u64(&jump) == draws[i]);
  }
  struct ts_random other_stream, other_seed;
  ts_random_init(&other_stream, 42, 8);
  ts_random_init(&other_seed, 43, 7);
  for (size_t i = 0; i < 100; i++) {
    assert_true(ts_random_u64(&other_stream) != draws[i]);
    assert_true(ts_random_u64(&other_seed) != draws[i]);
  }
}

static void units_fill_the_interval(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 1, 0);
  double sum = 0;
  int bins[10] = {0};
  for (int i = 0; i < 100000; i++) {
    double unit = ts_random_unit(&random);
    assert_true(unit >= 0 && unit < 1);
    sum += unit;
    bins[(int)(unit * 10)]++;
  }
  /* Five standard deviations: sqrt(1/12/n) = 0.00091 for the mean, sqrt(n * 0.09) = 95 for a bin. */
  assert_true(sum / 100000 > 0.4954 && sum / 100000 < 0.5046);
  for (int i = 0; i < 10; i++) assert_true(bins[i] > 10000 - 475 && bins[i] < 10000 + 475);
}

static void ranges_are_fair(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 2, 0);
  int counts[7] = {0};
  for (int i = 0; i < 70000; i++) counts[ts_random_below(&random, 7)]++;
  for (int i = 0; i < 7; i++) assert_true(counts[i] > 10000 - 465 && counts[i] < 10000 + 465);
  assert_true(ts_random_below(&random, 1) == 0);
  /* With a bound of 3/4 of the range, plain `draw % bound` would hit the lower third twice as often as the rest. */
  uint64_t bound = 3ULL << 62;
  int low = 0;
  for (int i = 0; i < 30000; i++) {
    uint64_t draw = ts_random_below(&random, bound);
    assert_true(draw < bound);
    low += draw < bound / 3;
  }
  assert_true(low > 10000 - 410 && low < 10000 + 410);
}

static void draw_below_zero(void) {
  struct ts_random random;
  ts_random_init(&random, 2, 0);
  ts_random_below(&random, 0);
}

static void an_empty_range_is_a_bug(void **state) {
  (void)state;
  assert_true(aborts(draw_below_zero));
}

static void shuffles_are_fair(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 3, 0);
  int counts[24] = {0};
  for (int i = 0; i < 24000; i++) {
    size_t items[4] = {0, 1, 2, 3};
    ts_random_shuffle(&random, items, 4);
    size_t rank = 0; /* of the permutation, by its Lehmer code */
    for (size_t a = 0; a < 4; a++) {
      size_t smaller = 0;
      for (size_t b = a + 1; b < 4; b++) smaller += items[b] < items[a];
      rank = rank * (4 - a) + smaller;
    }
    counts[rank]++;
  }
  for (int i = 0; i < 24; i++) assert_true(counts[i] > 1000 - 155 && counts[i] < 1000 + 155);
  size_t one = 5;
  ts_random_shuffle(&random, &one, 1);
  ts_random_shuffle(&random, NULL, 0);
  assert_int_equal(one, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(philox_gives_the_known_answers),
      cmocka_unit_test(draws_are_blocks_of_philox),
      cmocka_unit_test(streams_are_independent_and_can_be_entered_anywhere),
      cmocka_unit_test(units_fill_the_interval),
      cmocka_unit_test(ranges_are_fair),
      cmocka_unit_test(an_empty_range_is_a_bug),
      cmocka_unit_test(shuffles_are_fair),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
