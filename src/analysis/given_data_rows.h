/* The usable rows and bootstrap intervals over rows, for the methods for given data.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_ANALYSIS_GIVEN_DATA_ROWS_H
#define TS_ANALYSIS_GIVEN_DATA_ROWS_H

#include "analysis/method.h"

/* The rows with an output and all inputs. Inputs stay where they are; a method copies one column at a time. */
struct ts_given {
  size_t count;           /* usable rows */
  size_t parameter_count; /* k */
  const double *values;   /* borrowed; all rows */
  uint32_t *rows;         /* owned; which rows of `values` are usable */
  double *outputs;        /* owned; of the usable rows */
  bool *constant;         /* owned; per parameter: a single value in all usable rows */
  bool output_constant;
};
/* Drops failed rows, notes loss, constant inputs and rows that are not independent; groups are left aside with a note
 * unless `with_groups`. BAD_VALUE with fewer than `least` usable rows; nothing is to be released then. */
bool ts_given_init(struct ts_given *given, const struct ts_runs *runs, const struct ts_analysis_options *options,
                   size_t least, bool with_groups, struct ts_indices *indices, struct ts_error *err);
void ts_given_release(struct ts_given *given);
/* Copies the column of a parameter (`count` numbers). */
void ts_given_column(const struct ts_given *given, size_t parameter, double *column);
/* Its order, as ts_sort_order. */
void ts_given_order(const struct ts_given *given, size_t parameter, uint32_t *order);
/* The orders of all parameters, `count` numbers for each. Owned result. */
uint32_t *ts_given_orders(const struct ts_given *given);

/* Makes the indices those of single parameters, with a note if there are groups. */
void ts_leave_groups_aside(const struct ts_runs *runs, const struct ts_analysis_options *options,
                           struct ts_indices *indices);

/* Statistics of rows that can be had for a resample. */
struct ts_estimator {
  /* Working memory for the rows; it is shared by all threads and only read. */
  void *(*prepare)(const struct ts_given *given, const void *settings);
  /* All statistics of the sample in which row i occurs counts[i] times. */
  void (*estimate)(const void *prepared, const uint32_t *counts, double *statistics);
  void (*destroy)(void *prepared);
};

struct ts_given_bootstrap {
  const struct ts_estimator *estimator; /* borrowed */
  const void *settings;                 /* borrowed; handed to prepare */
  size_t resamples;                     /* default */
  size_t largest; /* from more rows than this, that many are drawn without replacement, and the spread that resamples of
                     them show is scaled by sqrt(largest / count); 0: always all rows */
  double share;   /* of the rows that a resample draws; 0: 1 */
  enum ts_interval kind;  /* what TS_INTERVAL_DEFAULT means */
  size_t statistic_count; /* what `estimate` fills */
};
/* Intervals of cells whose values are known; sets indices->resamples. With `mean` (may be NULL; statistic_count
 * numbers) the means of the bootstrap values are stored too. */
void ts_given_intervals(const struct ts_given_bootstrap *bootstrap, const struct ts_given *given,
                        const struct ts_analysis_options *options, struct ts_pool *pool, struct ts_indices *indices,
                        struct ts_index *cells, double *mean);

#endif
