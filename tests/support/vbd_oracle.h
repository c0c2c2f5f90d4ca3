/* Variance-based indices by the textbook, one loop per formula, and test functions: what analysis/vbd*.c is compared
 * with.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_SUPPORT_VBD_ORACLE_H
#define TS_TESTS_SUPPORT_VBD_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The outputs of a Saltelli design, base sample by base sample: A, AB_1..AB_g, [BA_1..BA_g,] B. */
struct oracle_data {
  const double *outputs; /* borrowed */
  size_t sample_count, group_count;
  bool second_order;
};

enum oracle_estimator { ORACLE_SALTELLI, ORACLE_JANSEN, ORACLE_JANON, ORACLE_MARTINEZ };

/* Copy of the outputs, owned by the caller: standardised over the finite rows of base samples that have A and B. */
double *oracle_standardise(const struct oracle_data *data);
/* Indices over the chosen base samples of standardised data (NULL: all), leaving out those that lack a run the index
 * needs. */
double oracle_first(const struct oracle_data *data, enum oracle_estimator estimator, size_t group,
                    const uint32_t *chosen, size_t count);
double oracle_total(const struct oracle_data *data, size_t group, const uint32_t *chosen, size_t count);
double oracle_second(const struct oracle_data *data, size_t a, size_t b, const uint32_t *chosen, size_t count);

#define ORACLE_MAX_K 15
/* Ishigami (3 parameters) and Sobol-G (8 parameters) on the unit cube. */
double oracle_ishigami(const double *unit);
double oracle_sobol_g(const double *unit);
extern const double oracle_ishigami_s1[3], oracle_ishigami_st[3];
extern const double oracle_sobol_g_s1[8], oracle_sobol_g_st[8];

/* The outputs of a function at a Saltelli design with A and B from independent uniform numbers, owned by the caller.
 * unit (may be NULL) becomes the rows. group_of NULL: every parameter for itself. */
double *oracle_run(double (*function)(const double *), size_t k, const size_t *group_of, size_t group_count, size_t n,
                   bool second_order, uint64_t seed, double *unit);

#endif
