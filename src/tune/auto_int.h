/* The state of the tuner `auto`, shared by its files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TUNE_AUTO_INT_H
#define TS_TUNE_AUTO_INT_H

#include "base/random.h"
#include "tune/gp.h"
#include "tune/tuner.h"

/* A column of the model: a parameter that has more than one value, or the hint of the components. */
struct column {
  size_t parameter; /* of the space; TS_NONE: the hint */
  enum { BY_UNIT, BY_NUMBER, BY_LOGARITHM, BY_EQUALITY } kind;
  double low, high; /* of numbers or logarithms */
};

/* How scores become targets: z = (f(score) - centre) / spread. */
struct warp {
  enum { WARP_LOGARITHM, WARP_NEGATED_LOGARITHM, WARP_SHIFTED_LOGARITHM } kind;
  double shift, centre, spread;
};

struct ts_auto {
  const struct ts_tune_problem *problem; /* borrowed */
  const struct ts_tune_options *options; /* borrowed */
  struct ts_random random;
  struct column columns[TS_GP_MAX_COLUMNS];
  bool is_category[TS_GP_MAX_COLUMNS];
  size_t column_count;
  double *hints; /* owned; per row of the pool, in [0, 1]; NULL: none */
  /* Candidates: the pool, then points near good ones where the space is free. */
  size_t candidate_count, candidate_capacity;
  double *candidates;     /* owned; coordinates, candidate_capacity x column_count */
  double *near_units;     /* owned; unit coordinates of the candidates after the pool */
  size_t screened;        /* candidates whose means and bounds are those of the model as it is */
  double *means, *bounds; /* owned; per candidate (ts_gp_screen) */
  double *chances;        /* owned; per candidate (ts_auto_screen_chances) */
  bool *is_tried;         /* owned; per candidate */
  size_t marked;          /* trials whose rows of the pool are among these */
  double *failures;       /* owned; coordinates of failed trials */
  size_t failure_count;
  struct ts_gp gp;
  struct ts_gp chance; /* of failed and successful trials */
  bool has_chance;     /* some trial failed */
  bool has_learned;
  struct warp warp;
  double *points;  /* owned; coordinates of the rows that the model sees */
  double *targets; /* owned */
  size_t count;
  double best; /* least target */
};

/* auto_columns.c */
/* False: more columns than the model takes. */
bool ts_auto_init_columns(struct ts_auto *state);
/* Coordinates of a point; `row` of the pool for the hint (TS_NONE: none known, the middle). */
void ts_auto_coordinates(const struct ts_auto *state, const double *numbers, const double *unit, size_t row,
                         double *coordinates);

/* auto_model.c */
/* Fits the model to the history. False if no trial succeeded. */
bool ts_auto_fit(struct ts_auto *state, const struct ts_tune_history *history);
/* Counts a candidate as measured with the value that the model expects, for the rest of a batch. */
bool ts_auto_believe(struct ts_auto *state, size_t candidate);
double ts_auto_score_of_target(const struct ts_auto *state, double target);

/* auto_chance.c */
void ts_auto_fit_chance(struct ts_auto *state);
/* Logarithm of what the chance that a trial succeeds makes of its gain, 0 as long as none failed; below
 * -TS_AUTO_UNLIKELY where it will likely fail: more than logarithms of gains differ by. */
#define TS_AUTO_UNLIKELY 30.0
double ts_auto_log_chance(struct ts_auto *state, const double *point);
/* Upper bounds of ts_auto_log_chance of the candidates from `first` on. */
void ts_auto_screen_chances(struct ts_auto *state, size_t first);

/* auto_near.c: candidates near the best trials, where points outside the pool can be run. */
void ts_auto_draw_near(struct ts_auto *state, const struct ts_tune_history *history);
/* A few more, closer to one candidate. */
void ts_auto_draw_closer(struct ts_auto *state, const struct ts_tune_history *history, size_t candidate, double reach);

/* auto_search.c */
struct ts_auto_choice {
  double value; /* logarithm of the expected gain, per cost where costs are known; or minus the expected target; both
                 less TS_AUTO_UNLIKELY where the trial will likely fail */
  size_t candidate;
};
enum ts_auto_aim { TS_AUTO_GAIN, TS_AUTO_MEAN };
/* The best candidates from `first` on that were not tried (of TS_AUTO_MEAN: that did not fail), best first; at most
 * `most`. */
size_t ts_auto_search(struct ts_auto *state, enum ts_auto_aim aim, size_t first, struct ts_auto_choice *choices,
                      size_t most);
/* Brings means and bounds of all candidates up to date. */
void ts_auto_screen(struct ts_auto *state);
/* Unit coordinates of a candidate. */
const double *ts_auto_unit(const struct ts_auto *state, size_t candidate);

#endif
