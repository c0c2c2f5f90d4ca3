/* Whether the parameters that decide an output stay the same when one value of a group is left out.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STUDY_STABILITY_H
#define TS_STUDY_STABILITY_H

#include "study/course.h"

/* Parameters that are compared: those that decide over all files, at most this many. */
#define TS_STABILITY_FIRST 3

/* A value without which other parameters come first, or the same in another order. */
struct study_change {
  const char *value;        /* borrowed from the project */
  const char *const *first; /* in the arena: as many as over all files */
};

/* One group in one analysis. */
struct study_stability {
  const char *group;                        /* borrowed from the project */
  const struct ts_phase_analysis *analysis; /* borrowed: the one over all files */
  const char *const *first;                 /* in the arena: what decides over all files, most important first */
  size_t first_count;                       /* at least 1 */
  size_t value_count;                       /* values that were left out, one by one */
  const struct study_change *changes;       /* in the arena; in the order of the values */
  size_t change_count;
  bool is_settled;  /* the order of these, and the next one after them, is clear over all files */
  const char *text; /* in the arena: the same as a sentence */
};

/* Of all analyses of a phase, in their order, the groups of each as the study declares them. Groups with one value, and
 * analyses in which no parameter decides, are left out. In the arena. */
const struct study_stability *ts_stability_of(const struct study_course *course, const struct ts_phase *phase,
                                              struct ts_arena *arena, size_t *count);

#endif
