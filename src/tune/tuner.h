/* Tuners: strategies that choose which trials to run next. Pure: no threads, no clock, no I/O; they run nothing.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A tuner sees a problem (space, goals, budget), is asked for batches of trials and sees what came out of them. It is
 * deterministic for a seed. Tuners are listed in tune/tuners.c, one file each; adding one is a file and a line. The
 * driver (tune/tune.h) stands between a tuner and its caller: it keeps every tuner within the budget, lets no trial be
 * run twice, keeps a run for confirming the predicted best and makes the recommendation. */
#ifndef TS_TUNE_TUNER_H
#define TS_TUNE_TUNER_H

#include "base/error.h"
#include "design/design.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the outputs of components make a guess at the output of the workflow. */
enum ts_combine { TS_COMBINE_MAX, TS_COMBINE_SUM, TS_COMBINE_MIN };

struct ts_tune_goal {
  const char *name; /* borrowed */
  /* Tuners minimise. What the user maximises arrives negated, and says so here: component models combine and clamp
   * outputs as they were measured. */
  bool negated;
  enum ts_combine combine; /* of the components */
};

/* Points of the space, or of the columns of a component. */
struct ts_tune_points {
  size_t count;
  const double *numbers; /* borrowed; row by row, as ts_space_number gives them */
  const double *unit;    /* borrowed; row by row; where it is NULL the driver computes it */
};

/* A part of the workflow that can be run alone. */
struct ts_tune_component {
  const char *name;      /* borrowed */
  const size_t *columns; /* borrowed; of the space. None: a constant, measured once */
  size_t column_count;
  struct ts_tune_points pool; /* what can be run alone; count 0: any values of its columns */
  /* Recorded runs, free of charge: numbers of its columns, and goal_count outputs per row (NaN: failed). */
  struct ts_tune_points history;
  const double *history_outputs; /* borrowed */
};

enum ts_budget_kind { TS_BUDGET_RUNS, TS_BUDGET_COST, TS_BUDGET_SECONDS };

struct ts_tune_problem {
  const struct ts_space *space;     /* borrowed */
  const struct ts_tune_goal *goals; /* borrowed; each minimised */
  size_t goal_count;
  /* The only points that can be run (a recorded table); count 0: every point of the space. A tuner that asks for
   * candidates (TS_TUNER_CANDIDATES) always sees a pool: without one the driver draws it. */
  struct ts_tune_points pool;
  bool pool_is_drawn;                         /* set by the driver: points outside the pool can be run too */
  const struct ts_tune_component *components; /* borrowed */
  size_t component_count;
  bool charges_components; /* components may be run alone: one run of each of them counts as one run */
  /* Borrowed; what models of the recorded runs of the components predict for the pool (component by component within a
   * row; ts_components_predict_pool), so that many seeds share them. NULL: the tuner trains its own. */
  const double *component_outputs;
  /* Recorded trials of the workflow, free of charge, goal_count outputs per row (NaN: failed). The driver puts them at
   * the beginning of the history. */
  struct ts_tune_points history;
  const double *history_outputs; /* borrowed */
  enum ts_budget_kind budget_kind;
  double budget; /* runs, cost or seconds */
  uint64_t seed;
  /* What the trial at a point (unit coordinates) would really cost the caller, after reuse: in cost or seconds, not
   * below 0. May be NULL. Called by tuners that weigh gain by cost, and by the driver for budgets that are not in runs:
   * these are never exceeded if it is right. Without it a budget may be exceeded by the last trial. */
  double (*cost)(void *user, const double *unit);
  void *user; /* borrowed */
};

/* Settings of all tuners; each ignores those of others, 0 is the default of the tuner. Shares are of the budget. */
struct ts_tune_options {
  double random_share;    /* m_0: first trials, drawn at random; negative: none */
  double component_share; /* m_R: runs of components alone; negative: none */
  size_t batches;         /* I */
  size_t batch;           /* trials that the caller can run at once; 0: the tuner's own choice */
  size_t candidates;      /* points drawn from a space without a pool; 0: TS_TUNE_CANDIDATES */
  bool no_confirmation;   /* no run is kept for the predicted best */
  bool pretrain;          /* ceal: M_H is trained on the random part before the first test */
  bool adaptive_random;   /* ceal: random trials only while M_H fails on its favourite */
};
/* With probability .982 one of them is among the best 1/500 of the space: -500 ln(1 - .982) = 2009, rounded. */
#define TS_TUNE_CANDIDATES 2000

/* RECORDED: of problem->history. SPARE: the run that was kept for a confirmation which was not needed. */
enum ts_trial_kind { TS_TRIAL_WORKFLOW, TS_TRIAL_COMPONENT, TS_TRIAL_CONFIRMATION, TS_TRIAL_SPARE, TS_TRIAL_RECORDED };

/* All trials so far, recorded ones first, then in the order in which they were asked for. Columns that a component
 * lacks are NaN. While a tuner fills a batch, the trials of that batch are at the end, without an outcome (NaN). */
struct ts_tune_history {
  size_t count;
  size_t column_count;
  size_t goal_count;
  enum ts_trial_kind *kinds;
  size_t *components; /* TS_NONE: of the workflow */
  size_t *rows;       /* of the pool (workflow) or of the component's pool; TS_NONE: not in a pool */
  size_t *batches;    /* from 1; 0: recorded */
  double *unit;       /* row by row */
  double *numbers;    /* row by row */
  double *outputs;    /* goal_count per trial; NaN where it failed */
  /* One number per trial to minimise: the goal, or several goals weighed against each other (the driver draws new
   * weights for every batch); NaN where the trial failed. */
  double *scores;
  double *costs; /* as reported */
  bool *failed;
  double spent; /* of the budget */
};
/* A successful trial of the whole workflow (confirmations too). */
bool ts_trials_is_measured(const struct ts_tune_history *history, size_t trial);

/* What the tuner asks for. Filled by ts_batch_add*, which refuse what the driver may not run. */
struct ts_tune_batch;
enum ts_added {
  TS_ADDED,
  TS_ADDED_BEFORE,    /* tried already, or in this batch; *trial is its number in the history */
  TS_ADD_NOT_ALLOWED, /* against a constraint of the space */
  TS_ADD_NO_BUDGET,   /* does not fit into what is left */
  TS_ADD_NOTHING_LEFT /* every point of the pool was tried */
};
/* A row of the pool. `trial` may be NULL. */
enum ts_added ts_batch_add_row(struct ts_tune_batch *batch, size_t row, size_t *trial);
/* Unit coordinates, snapped to values that can be run; with a pool that was given, to the nearest row not tried. */
enum ts_added ts_batch_add_unit(struct ts_tune_batch *batch, const double *unit, size_t *trial);
/* The row of the pool nearest to unit coordinates that was not tried; TS_NONE: all were. */
size_t ts_batch_nearest(const struct ts_tune_batch *batch, const double *unit);
/* A run of one component alone: a row of its pool, or unit coordinates (as wide as the space; other columns are not
 * looked at). A constant has one run: row 0. */
enum ts_added ts_batch_add_component_row(struct ts_tune_batch *batch, size_t component, size_t row);
enum ts_added ts_batch_add_component_unit(struct ts_tune_batch *batch, size_t component, const double *unit);
/* How many trials of the workflow still fit (the run for the confirmation taken off); for budgets in cost or seconds a
 * guess from the costs so far. */
size_t ts_batch_room(const struct ts_tune_batch *batch);
size_t ts_batch_count(const struct ts_tune_batch *batch);
/* Number in the history that trial `index` of this batch will have. */
size_t ts_batch_trial(const struct ts_tune_batch *batch, size_t index);

/* What a tuner expects at the end, filled in by finish. */
struct ts_tune_forecast {
  bool has_best;     /* the members below are set */
  size_t best_row;   /* of the pool, or TS_NONE: then best_unit counts */
  double *best_unit; /* column_count; allocated by the driver */
  double best_score;
  /* What a run would be spent on that is left over because the best was measured already. */
  bool has_spare;
  size_t spare_row;
  double *spare_unit; /* column_count; allocated by the driver */
  double *scores;     /* per row of the pool, allocated by the driver: the final model; NaN: none */
};

enum ts_tuner_flags {
  TS_TUNER_CANDIDATES = 1, /* chooses among the points of a pool */
  TS_TUNER_PREDICTS = 2,   /* finish has a forecast: a run is kept to confirm it */
  TS_TUNER_COMPONENTS = 4, /* needs components */
  TS_TUNER_ONE_GOAL = 8    /* refuses several goals: it does not beat random search at them */
};

struct ts_tuner {
  const char *name;  /* "ceal" */
  const char *title; /* "Component-based ensemble active learning" */
  const char *help;  /* one sentence: what it is good for */
  unsigned flags;    /* enum ts_tuner_flags */
  /* The problem outlives the state. NULL and an error if the tuner cannot work on it. */
  void *(*begin)(const struct ts_tune_problem *problem, const struct ts_tune_options *options, struct ts_error *err);
  /* Adds trials to the batch; a batch that stays empty means that the tuner is done, and *reason (a literal) why. All
   * trials of the batch before are in the history. False: an error. */
  bool (*next)(void *state, const struct ts_tune_history *history, struct ts_tune_batch *batch, const char **reason,
               struct ts_error *err);
  /* NULL unless TS_TUNER_PREDICTS. */
  bool (*finish)(void *state, const struct ts_tune_history *history, struct ts_tune_forecast *forecast,
                 struct ts_error *err);
  void (*destroy)(void *state); /* a NULL state is allowed */
};
/* All tuners, NULL-terminated; the default is the first. */
extern const struct ts_tuner *const ts_tuners[];
/* NULL and an error with the nearest word if there is none of that name. */
const struct ts_tuner *ts_tuner_find(const char *name, struct ts_error *err);

/* How many runs of the whole workflow the budget is worth, if all went there: exact for budgets in runs, otherwise from
 * problem->cost at a few points, and TS_TUNE_GUESSED_RUNS without it or if all of them are free. */
size_t ts_tune_expected_runs(const struct ts_tune_problem *problem);
#define TS_TUNE_GUESSED_RUNS 50
/* The streams of random numbers of one seed, so that tuners that draw the same draw alike. */
enum ts_tune_stream {
  TS_STREAM_POOL = 1,
  TS_STREAM_RANDOM,
  TS_STREAM_COMPONENTS,
  TS_STREAM_WEIGHTS,
  TS_STREAM_OWN,
  TS_STREAM_PILOT
};

#endif
