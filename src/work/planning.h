/* Plans of the products that a command wants.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_PLANNING_H
#define TS_WORK_PLANNING_H

#include "project/session.h"

/* What the request says about plans of these products. */
bool ts_session_plan_options(struct session *s, const struct ts_source *wanted, size_t wanted_count,
                             struct ts_plan_options *options, struct ts_error *err);
struct ts_plan *ts_session_plan(struct session *s, const struct ts_value *values, size_t set_count,
                                const struct ts_source *wanted, size_t wanted_count, bool want_reference);
/* Distinct wanted products of the study's outputs; sets output.wanted. Owned by the arena. */
struct ts_source *ts_session_study_products(struct session *s, size_t *count);
/* All stage outputs that one run with these values makes (or those of one stage); the others go to session.skipped.
 * Without values (NULL) also those that compare the default parameters with themselves. */
struct ts_source *ts_session_all_products(struct session *s, const struct ts_value *values, const char **names,
                                          size_t *count);
/* The plan of session.order, once the dataset is open. NULL: an error. */
struct ts_plan *ts_session_plan_of_order(struct session *s, struct ts_error *err);

#endif
