/* The state of a driver, shared by its files; not for tuners.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TUNE_TUNE_INT_H
#define TS_TUNE_TUNE_INT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/random.h"
#include "tune/tune.h"

struct ts_tune_batch {
  struct ts_tune *tune; /* borrowed */
  size_t first;         /* trial */
};

enum ts_tune_phase { TS_PHASE_CHOOSE, TS_PHASE_CONFIRM, TS_PHASE_DONE };

struct ts_tune {
  const struct ts_tuner *tuner;   /* borrowed */
  struct ts_tune_problem problem; /* a copy, with what the driver fills in */
  struct ts_tune_options options;
  struct ts_arena arena; /* unit coordinates, drawn pool, forecast */
  void *state;           /* owned; the tuner's */
  struct ts_tune_history history;
  size_t capacity;    /* of the history */
  size_t reported;    /* trials with an outcome: all below, since a batch is reported before the next begins */
  struct ts_map seen; /* component and numbers -> trial */
  double *key;        /* owned by the arena; scratch for one key: component, then numbers */
  bool *row_tried;    /* owned by the arena; per row of the pool */
  double pending;     /* expected charge of the trials that are not reported yet */
  double reserve;     /* kept for the confirmation, in the unit of the budget */
  size_t free_count;  /* trials in a row, up to the last that was reported, that cost nothing */
  size_t batch;       /* number of the current batch */
  struct ts_random weights;
  struct ts_tune_batch current;
  enum ts_tune_phase phase;
  struct ts_tune_forecast forecast;
  size_t *front; /* owned by the arena; made at the end */
  size_t front_count;
  const char *reason;
};

/* history.c */
/* Appends a trial without an outcome; the point in numbers and unit, both as wide as the space. */
size_t ts_trials_append(struct ts_tune *tune, enum ts_trial_kind kind, size_t component, size_t row,
                        const double *numbers, const double *unit);
void ts_trials_release(struct ts_tune_history *history);
/* Scores of all trials by the goals' weights (goal_count of them). */
void ts_trials_score(struct ts_tune_history *history, const double *weights);

/* points.c: checks the problem, fills in unit coordinates and draws a pool where one is needed. */
bool ts_tune_take_points(struct ts_tune *tune, struct ts_error *err);
/* Values that can be run nearest to unit coordinates: numbers, and the unit coordinates of these. */
void ts_tune_snap(const struct ts_space *space, const double *unit, double *numbers, double *snapped);

/* budget.c */
double ts_tune_charge(const struct ts_tune *tune, enum ts_trial_kind kind, size_t component, const double *unit);
/* What is left, the reserve taken off. */
double ts_tune_left(const struct ts_tune *tune);
bool ts_tune_fits(const struct ts_tune *tune, double charge);
/* Takes off what a trial was charged. */
void ts_tune_spend(struct ts_tune *tune, double charge);
/* Whether the budget is one of cost or seconds, and too little says yet what a trial costs. */
bool ts_tune_lacks_costs(const struct ts_tune *tune);
/* What the confirmation may cost. */
double ts_tune_reserve(const struct ts_tune *tune);

/* batch.c: appends a trial of the given kind at a row of the pool, or at unit coordinates (row TS_NONE). */
enum ts_added ts_tune_add(struct ts_tune *tune, enum ts_trial_kind kind, size_t row, const double *unit, size_t *trial);

/* Puts a trial that was run earlier into the history; its outcome is still to be reported. */
size_t ts_tune_add_recorded(struct ts_tune *tune, const double *numbers, const double *unit);

/* result.c */
void ts_tune_make_front(struct ts_tune *tune);
/* The best of the trials that `wanted` accepts, by score; TS_NONE: none. */
size_t ts_tune_best(const struct ts_tune *tune, bool (*wanted)(const struct ts_tune_history *, size_t));

#endif
