/* The best set of a study with a goal: what it gives, what the defaults give, and how few changes bring most of it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The goal is the first output that should be high or low. Once all sets of the strategy are run, the defaults are run
 * as a further set, and then the shortest change is searched: parameters of the best set, one after the other, each the
 * one that brings most with those before it. Every value that is reported was run. best.c, shortest.c, choice.c. */
#ifndef TS_STUDY_BEST_H
#define TS_STUDY_BEST_H

#include "project/project.h"
#include "work/work.h"

#define TS_DEFAULT_SET   "default" /* what the defaults are called where sets have numbers */
#define TS_BEST_TOP      10
#define TS_SHORTEST_MOST 4   /* parameters: more are no short change */
#define TS_SHORTEST_GAIN 0.9 /* share of the way from the defaults to the best set that is enough */
#define TS_CHOICE_FILES  100 /* most files that are left out one by one: the work grows with their square */

/* One more parameter gets the value that it has in the best set. */
struct study_step {
  size_t parameter; /* of the workflow */
  size_t set;       /* in which it and those of the steps before have these values, and all others their defaults */
  double value;     /* of the goal */
  double share;     /* of the way from the defaults to the best set; above 1: it is better than the best set */
  size_t runs;      /* sets that were run to find it */
};

/* The set that would be best without one file. */
struct study_choice {
  size_t file, set;
  double rest; /* the goal over the other files */
};

struct study_best {
  size_t goal;                        /* an output; TS_NONE: there is none, and nothing below */
  size_t defaults;                    /* number of the further set; TS_NONE: not run */
  size_t best;                        /* of the sets of the strategy and the defaults; TS_NONE: none has a value */
  size_t top[TS_BEST_TOP], top_count; /* of the sets of the strategy, the best first, the first of equals */
  struct study_step steps[TS_SHORTEST_MOST]; /* up to the one that brings most */
  size_t step_count;
  size_t tried;                 /* sets that were run to find them; 0: nothing was to be found */
  struct study_choice *choices; /* owned; by file */
  size_t choice_count;
};

struct study_result;
/* Runs what is needed and finds the rest; nothing without a goal. A study that measures costs runs no further sets, and
 * neither does one that repeats the recorded sets of another. False with a fault, or if the user paused. */
bool ts_best_run(struct ts_work *work, struct study_result *r, struct ts_issues *issues);
void ts_best_release(struct study_best *best);

/* The first output that should be high or low: TS_NONE if the study does not say. */
size_t ts_study_goal(const struct study_file *study);
/* The most sets that a study runs beyond those of its strategy, which varies this many parameters; 0: none. */
size_t ts_study_most_further(const struct ts_project *project, size_t varied);
/* 1 if the goal should be high, -1 if it should be low. */
double ts_goal_sign(const struct study_file *study, size_t goal);
/* shortest.c */
bool ts_shortest_run(struct ts_work *work, struct study_result *r, struct ts_issues *issues);
/* choice.c: the choices, where the goal has a value for each of several files. */
void ts_choices_find(struct study_result *r);

#endif
