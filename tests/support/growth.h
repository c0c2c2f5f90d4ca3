/* How costs grow with the size of the work: what an item costs among eight times as many.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_SUPPORT_GROWTH_H
#define TS_TESTS_SUPPORT_GROWTH_H

#include <stddef.h>

#define GROWTH_TIMES 8

/* CPU seconds that so many items take. */
typedef double growth_cost(void *user, size_t items);

/* Fails the test if an item costs more than `most` times as much among GROWTH_TIMES as many. Where it
 * seems so it is measured again and the least counts, for others use the machine too: noise passes, a cost that grows
 * with the square (a ratio of 8) does not. Prints and returns the microseconds per item of the larger size. */
double growth_check(const char *what, growth_cost *cost, void *user, size_t items, double most);

#endif
