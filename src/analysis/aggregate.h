/* From cells to the number of a slide and of a run: pure arithmetic over rows, tiles and files.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A table of one tile (file, dataset) becomes a portion, the portions of a file become its total, the totals of all
 * files the total of the run. Cells that are missing (NaN) are left out; an empty table adds 0 to sums and nothing
 * to means. Only a portion that is not there, because its task failed, makes a total unusable. Sums go in the order
 * of rows, tiles and files, so that they do not depend on which task was done first. */
#ifndef TS_ANALYSIS_AGGREGATE_H
#define TS_ANALYSIS_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* pool: sum of numerators over sum of denominators, for ratios. mean, median: over all rows of all tiles. weighted:
 * the mean of the tiles' means, each weighted by its core pixels. Over files: the same of the files' values. */
enum ts_over { TS_OVER_POOL, TS_OVER_SUM, TS_OVER_MEAN, TS_OVER_MEDIAN, TS_OVER_WEIGHTED, TS_OVER_COUNT };
extern const char *const ts_over_names[TS_OVER_COUNT + 1]; /* "pool", ...; NULL-ended */

/* One side of a ratio: columns of the table, each with a factor. */
struct ts_terms {
  const size_t *columns;
  const double *factors;
  size_t count;
};

/* A column of a table as a portion is made from it. */
struct ts_column_view {
  const double *cells; /* row by row */
  size_t rows, columns;
  size_t column;
  struct ts_terms numerator, denominator; /* for pool only */
};

/* What one table adds. 24 bytes, since there is one for every task, unit and output of a study. */
struct ts_portion {
  double sum;    /* of the cells; pool: of the numerators */
  double weight; /* number of cells; pool: sum of the denominators; NaN: the portion is not there */
  union {
    double lowest; /* pool: of the cells, NaN if there is none */
    double rows;   /* sum: cells that are missing included */
    double *cells; /* median: owned, `weight` of them */
  } more;
};

struct ts_total {
  double value;                  /* NaN: missing, or failed */
  double numerator, denominator; /* pool only, NaN otherwise */
  double lowest;                 /* pool only: the lowest value that the operation gave; NaN otherwise */
  double px;                     /* what it weighs among others */
  size_t n;                      /* parts that have a value: tiles of a file, files of a run */
  bool failed;                   /* a part is not there: the value cannot be known */
};

struct ts_portion ts_portion_absent(void);
struct ts_portion ts_portion_of(enum ts_over over, const struct ts_column_view *view);
void ts_portion_release(enum ts_over over, struct ts_portion *portion);

/* Portions of one file: the first of them, and every `stride`th after it; px: core pixels of each, NULL or all 0:
 * each weighs the same. */
struct ts_portions {
  const struct ts_portion *first;
  size_t stride, count;
  const double *px;
};
struct ts_total ts_total_of_tiles(enum ts_over over, const struct ts_portions *portions);
struct ts_total ts_total_of_files(enum ts_over over, const struct ts_total *files, size_t count);

/* file_interval.c: how much a number over files would differ with other files of the same kind. */
struct ts_files_spread {
  double low, high; /* NaN: not known */
};
struct ts_files_resampling {
  size_t resamples;  /* 0: 1000; TS_NO_RESAMPLES of method.h: none, no interval */
  double confidence; /* 0: 0.95 */
  uint64_t seed;
};
/* The range of the middle share of the totals that bootstrap resamples of the files give; files are drawn, never tiles.
 * Not known with fewer than two files that have a value, if a file failed, and for a sum, which grows with the number
 * of files. */
struct ts_files_spread ts_files_spread_of(enum ts_over over, const struct ts_total *files, size_t count,
                                          const struct ts_files_resampling *how);

#endif
