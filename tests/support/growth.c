/* Measures two sizes in turn until their costs per item are near enough, or too many tries have not shown that they
 * are.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/growth.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define TRIES 7

double growth_check(const char *what, growth_cost *cost, void *user, size_t items, double most) {
  double few_s = INFINITY, many_s = INFINITY;
  for (size_t i = 0; i < TRIES; i++) {
    few_s = fmin(few_s, cost(user, items) / (double)items);
    many_s = fmin(many_s, cost(user, GROWTH_TIMES * items) / (double)(GROWTH_TIMES * items));
    if (many_s <= most * few_s) break;
  }
  print_message("%s: %.2f us of CPU per item among %zu, %.2f us among %zu\n", what, few_s * 1e6, items, many_s * 1e6,
                GROWTH_TIMES * items);
  if (many_s > most * few_s)
    fail_msg("%s: an item costs %.1f times as much among %d times as many", what, many_s / few_s, GROWTH_TIMES);
  return many_s * 1e6;
}
