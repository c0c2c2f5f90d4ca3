/* Plans of the products that a command wants.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_PLANNING_H
#define TS_WORK_PLANNING_H

#include "work/work.h"

struct ts_plan *ts_planning_make(struct ts_work *work, const struct ts_value *values, size_t set_count,
                                 const struct ts_source *wanted, size_t wanted_count, bool want_reference,
                                 struct ts_issues *issues);
/* Distinct wanted products of the study's outputs, as output.wanted and output.tiles.wanted count them; all that a run
 * makes if every output is a cost. Owned by the arena. */
struct ts_source *ts_planning_study_products(struct ts_work *work, size_t *count);
/* All stage outputs that one run with these values writes (or those of one stage); those that it cannot make go to
 * work.skipped. Images that another stage reads are left out unless the request wants all outputs,
 * pieces of objects always.
 * Without values (NULL) also those that compare the default parameters with themselves. */
struct ts_source *ts_planning_all_products(struct ts_work *work, const struct ts_value *values, const char **names,
                                           size_t *count, struct ts_issues *issues);
/* The plan of project.order, once the dataset is open. NULL: a fault. */
struct ts_plan *ts_planning_of_order(struct ts_work *work, struct ts_issues *issues);

#endif
