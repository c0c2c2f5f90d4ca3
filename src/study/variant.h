/* A project and a work that differ from the study's in one respect alone: in the settings of the engine, for one set,
 * or in the data.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sets of a study that measures are run one by one, with nothing reused, so that nothing else uses the cores and every
 * set pays for all its tasks. */
#ifndef TS_STUDY_VARIANT_H
#define TS_STUDY_VARIANT_H

#include "study/course.h"
#include "work/work.h"

struct study_variant {
  struct ts_request request;
  struct ts_project project; /* a copy; owns only what its arena has: tiles of its own */
  struct ts_work work;       /* a copy; store, trace and costs are those of the study's work */
  struct ts_work *origin;    /* borrowed: the study's work */
};

/* `point` has the columns of the course. NULL: a fault. Plans and collectors of the variant point into it. */
struct study_variant *ts_variant_create(struct ts_work *work, const struct study_course *course,
                                        const struct ts_value *point, struct ts_issues *issues);
/* The study with the files that it holds out in place of those that it works on. */
struct study_variant *ts_variant_of_held_out(struct ts_work *work);
void ts_variant_destroy(struct study_variant *variant); /* NULL is allowed */
/* Threads of the set of a course that has most of them. */
size_t ts_variant_most_threads(const struct study_course *course);

#endif
