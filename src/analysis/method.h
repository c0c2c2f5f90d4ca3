/* Methods of sensitivity analysis: one contract and one table of results for all methods.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Methods are listed in analysis/methods.c, one file each; adding one is a file and a line. */
#ifndef TS_ANALYSIS_METHOD_H
#define TS_ANALYSIS_METHOD_H

#include "base/arena.h"
#include "base/error.h"
#include "base/pool.h"
#include "design/points.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One output of all runs of a design. Several outputs are several calls. */
struct ts_runs {
  const char *const *names; /* borrowed; of the parameters */
  size_t parameter_count;   /* k */
  size_t row_count;
  enum ts_layout layout;  /* of the rows; TS_LAYOUT_FREE if it is not known */
  const double *unit;     /* borrowed; row by row, unit coordinates; NULL if the method does not ask for them */
  const double *values;   /* borrowed; row by row, numbers as the model saw them (enumerations: level); NULL as above */
  const double *outputs;  /* borrowed; one per row; NaN or infinite: the run failed or is missing */
  const size_t *group_of; /* borrowed; per parameter; NULL: no groups */
  size_t group_count;     /* parameter_count without groups */
  const char *const *group_names; /* borrowed; NULL without groups */
};

enum ts_interval { TS_INTERVAL_DEFAULT, TS_INTERVAL_PERCENTILE, TS_INTERVAL_NORMAL };
enum ts_vbd_estimator { TS_S1_SALTELLI, TS_S1_JANSEN, TS_S1_JANON, TS_S1_MARTINEZ };

/* The options of all methods; each ignores those of others, zero is the default. */
struct ts_analysis_options {
  size_t resamples;  /* bootstrap; 0: the method's default; TS_NO_RESAMPLES: no intervals */
  double confidence; /* 0: 0.95 */
  enum ts_interval interval;
  uint64_t seed;
  size_t levels;                   /* morris: p; 0: steps are taken from the design */
  bool scaled;                     /* morris: effects times std(x)/std(y) of the trajectory */
  enum ts_vbd_estimator estimator; /* vbd: of S1 */
  bool convergence;                /* vbd: indices at n/8, n/4, n/2, n too */
  size_t harmonics;                /* fast, rbd-fast: M */
  size_t slices;                   /* pawn, delta, given-data: conditioning intervals */
  size_t degree;                   /* pce: largest total degree */
  double step;                     /* dgsm: of the unit range */
};
#define TS_NO_RESAMPLES ((size_t)-1)

/* Share of runs, or of base samples, without a usable output from which on the user is warned. */
#define TS_LOSS_TO_NOTE 0.05

/* NaN means unknown. */
struct ts_index {
  double value, low, high;
};
struct ts_pair_index {
  size_t a, b; /* indices of names, a < b */
  struct ts_index index;
};
struct ts_convergence {
  size_t n;               /* base samples, trajectories or runs used */
  struct ts_index *cells; /* like ts_indices.cells */
};

struct ts_indices {
  struct ts_arena arena; /* owns all below but the method */
  const struct ts_method *method;
  size_t name_count; /* parameters, or groups */
  const char **names;
  size_t column_count;    /* as method->columns */
  struct ts_index *cells; /* name by name */
  size_t *usable;         /* per name: effects, base samples or runs behind its row */
  struct ts_pair_index *pairs;
  size_t pair_count; /* second-order indices; 0: none */
  struct ts_convergence *convergence;
  size_t convergence_count;
  size_t row_count, lost_count; /* runs given; runs without a usable output */
  size_t resamples;             /* used for the intervals */
  double confidence;
  struct {
    const char *name; /* "LOO error", "R2" */
    double value;
  } facts[8]; /* further facts about the method */
  size_t fact_count;
  const char **notes; /* warnings for the user: loss above 5 %, constant output, split halves that disagree */
  size_t note_count;
};
/* Allocates names (groups if there are any), cells (NaN) and usable (0). */
void ts_indices_init(struct ts_indices *indices, const struct ts_method *method, const struct ts_runs *runs,
                     const struct ts_analysis_options *options);
void ts_indices_release(struct ts_indices *indices);
void ts_indices_note(struct ts_indices *indices, const char *format, ...) TS_PRINTF(2, 3);
/* Counts lost rows; notes a loss above 5 % and an output that never changes. BAD_VALUE without a single usable
 * output. */
bool ts_indices_check_outputs(struct ts_indices *indices, const struct ts_runs *runs, struct ts_error *err);
/* The column of a name ("S1"), or TS_NONE. */
size_t ts_indices_column(const struct ts_indices *indices, const char *column);

/* The runs that a method needs. */
enum ts_needs { TS_NEEDS_UNIT = 1, TS_NEEDS_VALUES = 2 };

struct ts_method {
  const char *name;              /* "vbd" */
  const char *alias;             /* "sobol"; NULL: none */
  const char *title;             /* "Variance-based indices (Saltelli 2010, Jansen)" */
  const char *assumes;           /* one sentence: what must hold for the indices to mean something */
  const char *interval;          /* one sentence: how the interval is made and what it covers */
  const char *columns[8];        /* NULL-ended: "S1", "ST" */
  const char *rank_by;           /* the column that orders the parameters */
  bool rank_by_size;             /* by its absolute value: correlations and other measures with a sign */
  bool has_classes;              /* its columns are mu, mu_star and sigma: parameters fall into the classes of morris */
  bool zero_is_exact;            /* an inert input has exactly 0 in that column, for any sample */
  const char *inert_fact;        /* name of the fact that states the level of an inert input; NULL: it is 0 */
  const enum ts_layout *layouts; /* accepted ones; layout_count 0: any design, also given data */
  size_t layout_count;
  unsigned needs; /* enum ts_needs */
  /* Deterministic for a seed with any pool (may be NULL). */
  bool (*analyse)(const struct ts_runs *runs, const struct ts_analysis_options *options, struct ts_pool *pool,
                  struct ts_indices *indices, struct ts_error *err);
};
/* All methods, NULL-terminated. */
extern const struct ts_method *const ts_methods[];
/* By name or alias; NULL and an error with the nearest word if there is none. */
const struct ts_method *ts_method_find(const char *name, struct ts_error *err);
/* Checks layout and inputs, then calls the method. The indices are released on failure. */
bool ts_analyse(const struct ts_method *method, const struct ts_runs *runs, const struct ts_analysis_options *options,
                struct ts_pool *pool, struct ts_indices *indices, struct ts_error *err);

/* bootstrap.c: low and high end of the interval of each of `count` statistics from `resamples` bootstrap values (value
 * r of statistic s at samples[r * count + s]; NaN values are left out). */
void ts_interval_of(const double *samples, size_t resamples, size_t count, double confidence, enum ts_interval kind,
                    struct ts_index *indices);
/* Draws of resample r: `count` indices below `population`, the same for every thread. */
void ts_bootstrap_draw(uint64_t seed, size_t resample, size_t population, size_t count, uint32_t *draws);

#endif
