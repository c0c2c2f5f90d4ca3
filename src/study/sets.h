/* Full rows of parameter values, as plans take them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STUDY_SETS_H
#define TS_STUDY_SETS_H

#include "project/project.h"

struct parameter_sets {
  struct ts_value *values; /* owned: all parameters of all sets; strings and lists are borrowed */
  size_t count;
  struct ts_arena arena; /* texts of values from the command line */
};
/* Appends rows in which these columns have the given values, set by set, and the others their defaults. Settings of the
 * engine among the columns are left out. */
void ts_sets_append(const struct ts_workflow *w, struct parameter_sets *sets, const char *const *columns,
                    size_t column_count, const struct ts_value *points, size_t count);
/* One set: defaults and -p settings. */
bool ts_sets_single(const struct ts_project *project, struct parameter_sets *sets, struct ts_issues *issues);
void ts_sets_release(struct parameter_sets *sets);

#endif
