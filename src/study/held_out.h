/* The held-out files of a study: what its outputs are there, at the defaults and at the best set.
 * SPDX-License-Identifier: Apache-2.0
 *
 * They are run once all sets of the study are known, so that nothing that they give can reach a strategy or an index;
 * tasks of it are in the record of the run, but not in its counts of reuse. */
#ifndef TS_STUDY_HELD_OUT_H
#define TS_STUDY_HELD_OUT_H

#include "study/sets.h"
#include "study/variant.h"

#include "analysis/aggregate.h"
#include "work/collect.h"

#define TS_HELD_OUT_SETS 2

/* What one set gave. */
struct held_out_set {
  size_t set;                     /* of the study; TS_NONE: the defaults */
  struct ts_total *totals;        /* owned: per output, over the held-out files */
  struct ts_files_spread *ranges; /* owned: per output, over these files */
};

struct study_held_out {
  struct study_variant *variant; /* owned: a project of the held-out files; NULL: it was not run */
  struct ts_plan *plan;          /* owned */
  struct collector *collector;   /* owned */
  struct parameter_sets sets;
  struct held_out_set items[TS_HELD_OUT_SETS];
  size_t count;      /* 1: the study has no goal, or no set of it is better than the defaults */
  size_t goal;       /* the first output that should be high or low; TS_NONE: none */
  uint64_t executed; /* tasks */
  bool is_run;
};

struct study_result;
/* Runs the defaults, and the best set if the study has a goal, on the files that the study holds out; nothing if there
 * are none, or if every output is a cost. False with a fault, or if the user paused. */
bool ts_held_out_run(struct ts_work *work, struct study_result *r, struct ts_issues *issues);
void ts_held_out_release(struct study_held_out *held_out);

#endif
