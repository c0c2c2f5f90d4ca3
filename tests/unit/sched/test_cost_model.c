/* The cost model against costs that are known: drawn from a line, with noise and outliers; and what it does with gaps.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "sched/cost_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BINS 64

static const struct ts_cost_key here = {.operation = "op", .machine = "this", .measure = "px", .device = TS_DEVICE_CPU};

struct bins {
  struct ts_cost_bin items[BINS];
  size_t count;
};

static void add(struct bins *bins, const struct ts_cost_sample *sample) {
  int32_t number = ts_cost_bin_number(sample->size);
  size_t i = 0;
  while (i < bins->count && bins->items[i].number != number) i++;
  assert_true(i < BINS);
  if (i == bins->count) bins->items[bins->count++] = (struct ts_cost_bin){.number = number};
  ts_cost_bin_add(&bins->items[i], sample);
}

static struct ts_cost_model *model_of(const struct bins *bins, const struct ts_cost_key *key) {
  struct ts_cost_entry entries[BINS];
  for (size_t i = 0; i < bins->count; i++) entries[i] = (struct ts_cost_entry){*key, &bins->items[i]};
  return ts_cost_model_create(entries, bins->count);
}

static double log_uniform(struct ts_random *random, double low, double high) {
  return low * exp(ts_random_unit(random) * log(high / low));
}

/* Within a few percent of 0: mean 1. */
static double noise(struct ts_random *random) {
  return 1 + 0.1 * (ts_random_unit(random) + ts_random_unit(random) + ts_random_unit(random) - 1.5);
}

static void assert_near(double found, double wanted, double share, const char *what) {
  if (fabs(found - wanted) > share * wanted) fail_msg("%s: %g, not %g", what, found, wanted);
}

static void a_line_is_found_in_spite_of_noise_and_outliers(void **state) {
  (void)state;
  double worst = 0;
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct ts_random random;
    ts_random_init(&random, 5, seed);
    struct bins *bins = ts_calloc(1, sizeof *bins);
    double a = log_uniform(&random, 1e-9, 1e-6), b = log_uniform(&random, 1e-6, 1e-2);
    for (size_t i = 0; i < 5000; i++) {
      struct ts_cost_sample sample = {.size = floor(log_uniform(&random, 1e4, 4e6)), .peak_bytes = 7};
      bool outlier = ts_random_below(&random, 10) == 0;
      sample.seconds = (a * sample.size + b) * noise(&random) * (outlier ? log_uniform(&random, 5, 100) : 1);
      sample.bytes = 3 * sample.size;
      add(bins, &sample);
    }
    struct ts_cost_model *model = model_of(bins, &here);
    for (double size = 2e4; size < 3e6; size *= 1.3) {
      struct ts_cost_estimate found = ts_cost_model_predict(model, &here, size);
      assert_int_equal(found.knowledge, TS_COST_MEASURED);
      assert_near(found.seconds, a * size + b, 0.04, "seconds");
      assert_near(found.bytes, 3 * size, 0.04, "bytes");
      assert_true(found.peak_bytes == 7);
      worst = fmax(worst, fabs(found.seconds / (a * size + b) - 1));
    }
    ts_cost_model_destroy(model);
    free(bins);
  }
  printf("worst error %.1f %%\n", 100 * worst);
}

static void no_prediction_falls_with_size(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct ts_random random;
    ts_random_init(&random, 6, seed);
    struct bins *bins = ts_calloc(1, sizeof *bins);
    size_t calls = 1 + ts_random_below(&random, 60);
    for (size_t i = 0; i < calls; i++) {
      struct ts_cost_sample sample = {.size = floor(log_uniform(&random, 0.5, 1e7)),
                                      .seconds = ts_random_unit(&random),
                                      .bytes = (double)ts_random_below(&random, 1000),
                                      .peak_bytes = (double)ts_random_below(&random, 1000)};
      add(bins, &sample);
    }
    struct ts_cost_model *model = model_of(bins, &here);
    struct ts_cost_estimate before = {0};
    for (double size = 0; size < 1e9; size = size * 1.1 + 0.3) {
      struct ts_cost_estimate now = ts_cost_model_predict(model, &here, size);
      assert_true(now.seconds >= before.seconds * (1 - 1e-12) && now.bytes >= before.bytes * (1 - 1e-12) &&
                  now.peak_bytes >= before.peak_bytes * (1 - 1e-12));
      assert_true(isfinite(now.seconds) && isfinite(now.bytes) && isfinite(now.peak_bytes));
      before = now;
    }
    ts_cost_model_destroy(model);
    free(bins);
  }
}

static void beyond_what_was_seen_costs_grow_in_proportion(void **state) {
  (void)state;
  struct bins bins = {0};
  add(&bins, &(struct ts_cost_sample){.size = 1000, .seconds = 2, .bytes = 10});
  struct ts_cost_model *model = model_of(&bins, &here);
  assert_true(ts_cost_model_predict(model, &here, 3000).seconds == 6);
  assert_true(ts_cost_model_predict(model, &here, 500).seconds == 1);
  assert_int_equal(ts_cost_model_predict(model, &here, 3000).knowledge, TS_COST_MEASURED);
  assert_int_equal(ts_cost_model_predict(model, &here, 5000).knowledge, TS_COST_GUESS);
  assert_int_equal(ts_cost_model_predict(model, &here, 200).knowledge, TS_COST_GUESS);
  ts_cost_model_destroy(model);
}

static void the_best_that_is_known_answers(void **state) {
  (void)state;
  struct ts_cost_bin one = {.number = ts_cost_bin_number(100), .asked = 4, .cut = 1};
  ts_cost_bin_add(&one, &(struct ts_cost_sample){.size = 100, .seconds = 1});
  struct ts_cost_bin two = {.number = ts_cost_bin_number(100)};
  ts_cost_bin_add(&two, &(struct ts_cost_sample){.size = 100, .seconds = 2});
  struct ts_cost_bin three = {.number = ts_cost_bin_number(100)};
  ts_cost_bin_add(&three, &(struct ts_cost_sample){.size = 100, .seconds = 3});
  struct ts_cost_key other_machine = here, other_version = here;
  other_machine.machine = "that";
  other_version.implementation.bytes[5] = 1;
  const struct ts_cost_entry entries[] = {{other_machine, &three}, {other_version, &two}, {here, &one}};
  struct ts_cost_model *none = ts_cost_model_create(NULL, 0);
  assert_int_equal(ts_cost_model_predict(none, &here, 100).knowledge, TS_COST_UNKNOWN);
  assert_true(ts_cost_model_predict(none, &here, 100).executed_share == 1);
  ts_cost_model_destroy(none);
  for (size_t count = 1; count <= 3; count++) {
    struct ts_cost_model *model = ts_cost_model_create(entries, count);
    struct ts_cost_estimate found = ts_cost_model_predict(model, &here, 100);
    assert_true(found.seconds == (double)(4 - count));
    assert_int_equal(found.knowledge, count == 3 ? TS_COST_MEASURED : TS_COST_GUESS);
    assert_true(found.executed_share == (count == 3 ? 0.75 : 1));
    struct ts_cost_key unknown = here;
    unknown.operation = "another";
    assert_int_equal(ts_cost_model_predict(model, &unknown, 100).knowledge, TS_COST_UNKNOWN);
    unknown = here;
    unknown.measure = "bytes";
    assert_int_equal(ts_cost_model_predict(model, &unknown, 100).knowledge, TS_COST_UNKNOWN);
    assert_int_equal(ts_cost_model_count(model), count);
    ts_cost_model_destroy(model);
  }
}

/* A machine that became three times as fast: after a few runs the old times are gone. */
static void later_runs_count_for_more(void **state) {
  (void)state;
  struct ts_cost_bin bin = {.number = ts_cost_bin_number(100)};
  for (size_t run = 0; run < 50; run++) {
    struct ts_cost_bin later = {.number = bin.number};
    for (size_t i = 0; i < 100; i++)
      ts_cost_bin_add(&later, &(struct ts_cost_sample){.size = 100, .seconds = run < 30 ? 3 : 1});
    ts_cost_bin_merge(&bin, &later);
    assert_true(bin.count <= TS_COST_SAMPLES);
  }
  assert_int_equal(bin.calls, 5000);
  assert_int_equal(bin.count, TS_COST_SAMPLES);
  size_t old = 0;
  for (size_t i = 0; i < bin.count; i++) old += bin.samples[i].seconds == 3;
  assert_true(old <= 3);
}

/* Two runs of equal length have equal shares, small ones lose nothing. */
static void runs_share_the_sample(void **state) {
  (void)state;
  struct ts_cost_bin bin = {.number = ts_cost_bin_number(100)}, small = bin, later = bin;
  for (size_t i = 0; i < 200; i++) ts_cost_bin_add(&bin, &(struct ts_cost_sample){.size = 100, .seconds = 1});
  for (size_t i = 0; i < 200; i++) ts_cost_bin_add(&later, &(struct ts_cost_sample){.size = 100, .seconds = 2});
  for (size_t i = 0; i < 5; i++) ts_cost_bin_add(&small, &(struct ts_cost_sample){.size = 100, .seconds = 3});
  struct ts_cost_bin first = small;
  ts_cost_bin_merge(&first, &small);
  assert_int_equal(first.count, 10);
  ts_cost_bin_merge(&bin, &later);
  double sum = 0;
  for (size_t i = 0; i < bin.count; i++) sum += bin.samples[i].seconds;
  assert_near(sum / (double)bin.count, 1.5, 0.05, "mean of two runs");
  ts_cost_bin_merge(&bin, &small);
  size_t found = 0;
  for (size_t i = 0; i < bin.count; i++) found += bin.samples[i].seconds == 3;
  assert_true(found >= 1 && found <= 5 && bin.count == TS_COST_SAMPLES);
}

/* A stream of calls: its first and its last half have the same chance to be kept. */
static void the_sample_is_fair(void **state) {
  (void)state;
  size_t late = 0, all = 0;
  for (size_t length = 500; length < 600; length++) {
    struct ts_cost_bin bin = {.number = ts_cost_bin_number(100)};
    for (size_t i = 0; i < length; i++)
      ts_cost_bin_add(&bin, &(struct ts_cost_sample){.size = 100, .seconds = i >= length / 2});
    for (size_t i = 0; i < bin.count; i++) late += bin.samples[i].seconds > 0;
    all += bin.count;
  }
  assert_near((double)late / (double)all, 0.5, 0.15, "share of late calls");
}

static void bins_are_half_octaves(void **state) {
  (void)state;
  for (double size = 1; size < 1e12; size = size * 1.07 + 1) {
    int32_t wanted = (int32_t)floor(2 * log2(size) + 1e-12);
    assert_int_equal(ts_cost_bin_number(size), wanted);
  }
  assert_int_equal(ts_cost_bin_number(0), -1);
  assert_int_equal(ts_cost_bin_number(1), 0);
}

static void bytes_come_back_and_damage_is_seen(void **state) {
  (void)state;
  struct ts_cost_bin bin = {.number = ts_cost_bin_number(1e6), .asked = 5, .cut = 2};
  struct ts_random random;
  ts_random_init(&random, 8, 0);
  for (size_t i = 0; i < 20; i++)
    ts_cost_bin_add(&bin,
                    &(struct ts_cost_sample){
                        .size = 1e6, .seconds = ts_random_unit(&random), .bytes = (double)i, .peak_bytes = 1e300});
  struct ts_str bytes = {0};
  ts_cost_bin_encode(&bin, &bytes);
  struct ts_cost_bin back = {.number = bin.number, .calls = bin.calls, .asked = 5, .cut = 2};
  assert_true(ts_cost_bin_decode(&back, bytes.data, bytes.length));
  assert_int_equal(back.count, 20);
  assert_memory_equal(back.samples, bin.samples, 20 * sizeof bin.samples[0]);
  assert_false(ts_cost_bin_decode(&back, bytes.data, bytes.length - 1));
  back.number++;
  assert_false(ts_cost_bin_decode(&back, bytes.data, bytes.length));
  back.number--;
  back.calls = 19;
  assert_false(ts_cost_bin_decode(&back, bytes.data, bytes.length));
  back.calls = 20;
  back.cut = 6;
  assert_false(ts_cost_bin_decode(&back, bytes.data, bytes.length));
  back.cut = 0;
  memset(bytes.data + 8, 0xff, 8); /* no number any more */
  assert_false(ts_cost_bin_decode(&back, bytes.data, bytes.length));
  assert_int_equal(back.count, 0);
  ts_str_release(&bytes);
}

static void keys_are_equal_in_all_their_parts(void **state) {
  (void)state;
  char operation[] = "op"; /* another address */
  struct ts_cost_key same = here, others[4] = {here, here, here, here};
  same.operation = operation;
  assert_true(ts_cost_key_equal(&here, &same));
  others[0].operation = "op2";
  others[1].machine = "that";
  others[2].measure = "bytes";
  others[3].implementation.bytes[31] = 1;
  for (size_t i = 0; i < 4; i++) assert_false(ts_cost_key_equal(&here, &others[i]));
}

static void far_out_values_do_not_count(void **state) {
  (void)state;
  const double values[] = {10, 11, 12, 13, 14, 15, 16, 1000};
  assert_true(fabs(ts_robust_mean(values, 8) - 13) < 1e-12);
  assert_true(ts_robust_mean(values, 1) == 10);
  assert_true(ts_robust_mean((const double[]){3, 3, 3, 3, 9}, 5) == 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_is_found_in_spite_of_noise_and_outliers),
      cmocka_unit_test(no_prediction_falls_with_size),
      cmocka_unit_test(beyond_what_was_seen_costs_grow_in_proportion),
      cmocka_unit_test(the_best_that_is_known_answers),
      cmocka_unit_test(later_runs_count_for_more),
      cmocka_unit_test(runs_share_the_sample),
      cmocka_unit_test(the_sample_is_fair),
      cmocka_unit_test(bins_are_half_octaves),
      cmocka_unit_test(bytes_come_back_and_damage_is_seen),
      cmocka_unit_test(keys_are_equal_in_all_their_parts),
      cmocka_unit_test(far_out_values_do_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
