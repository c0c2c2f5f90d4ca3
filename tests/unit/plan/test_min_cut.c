/* The least cut of drawn graphs against all cuts.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "plan/min_cut_int.h"

#define MOST  10
#define CASES 5000

static int64_t weight_of(const int64_t *weights, const uint32_t *vertices, size_t count, const bool *side) {
  int64_t sum = 0;
  for (size_t a = 0; a < count; a++) {
    for (size_t b = 0; b < a; b++) sum += side[a] != side[b] ? weights[vertices[a] * MOST + vertices[b]] : 0;
  }
  return sum;
}

/* The first vertex stays on one side; every set of others on the other. */
static int64_t least_of_all(const int64_t *weights, const uint32_t *vertices, size_t count) {
  int64_t least = INT64_MAX;
  for (unsigned set = 1; set < 1u << (count - 1); set++) {
    bool side[MOST] = {false};
    for (size_t i = 1; i < count; i++) side[i] = set >> (i - 1) & 1;
    int64_t weight = weight_of(weights, vertices, count, side);
    least = weight < least ? weight : least;
  }
  return least;
}

static void no_cut_is_less(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct ts_random random;
    ts_random_init(&random, 5, seed);
    int64_t weights[MOST * MOST] = {0};
    uint32_t vertices[MOST];
    size_t count = 2 + ts_random_below(&random, MOST - 1), on_side = 0;
    uint64_t most = 1 + ts_random_below(&random, 9);
    for (size_t a = 0; a < MOST; a++) {
      for (size_t b = 0; b < a; b++) {
        /* Clusters: within one, much is shared, so that the least cut is often not a single vertex. */
        uint64_t bonus = seed % 2 == 0 && a % 2 == b % 2 ? 20 : 0;
        weights[a * MOST + b] = weights[b * MOST + a] = (int64_t)(ts_random_below(&random, most) + bonus);
      }
    }
    for (size_t i = 0; i < count; i++) vertices[i] = (uint32_t)(MOST - count + i);
    bool side[MOST];
    int64_t found = ts_min_cut(weights, MOST, vertices, count, side);
    assert_int_equal(found, least_of_all(weights, vertices, count));
    assert_int_equal(found, weight_of(weights, vertices, count, side));
    for (size_t i = 0; i < count; i++) on_side += side[i];
    assert_true(on_side > 0 && on_side < count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_cut_is_less)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
