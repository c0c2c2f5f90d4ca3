/* The parameter sets of a study.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STUDY_SETS_H
#define TS_STUDY_SETS_H

#include "project/project.h"

struct parameter_sets {
  struct ts_space space;
  struct ts_design design;
  struct ts_value *values; /* owned: all parameters of all runs */
  size_t count;
  bool is_given;          /* from a CSV file: no indices can be computed */
  enum ts_layout layout;  /* how rows belong together */
  size_t block_rows;      /* rows of a trajectory or base sample; 1 */
  struct ts_arena arena;  /* owns what follows, and texts of values */
  const size_t *group_of; /* per column; NULL: no groups */
  const char **group_names;
  size_t group_count;        /* columns without groups */
  const double *correlation; /* NULL: independent */
};
/* The runs of the first phase, or those of a CSV file. The methods must be settled. */
bool ts_sets_of_study(const struct ts_project *project, struct parameter_sets *sets, struct ts_issues *issues);
/* The runs of one phase: `only` names the parameters it varies (NULL: all), `count` overrides the method's (0: as it
 * is). */
bool ts_sets_draw(const struct ts_project *project, const struct study_method *method, const char *const *only,
                  size_t only_count, size_t count, struct parameter_sets *sets, struct ts_issues *issues);
/* Appends rows from `first` on, with all parameters; columns that `more` lacks have their defaults. */
void ts_sets_append(const struct ts_project *project, struct parameter_sets *all, const struct parameter_sets *more,
                    size_t first);
/* One run: defaults and -p settings. */
bool ts_sets_single(const struct ts_project *project, struct parameter_sets *sets, struct ts_issues *issues);
void ts_sets_release(struct parameter_sets *sets);

/* until.c: checks before the first run: a phase has the column of the condition, and the first round fits the budget.
 */
bool ts_until_check(const struct ts_project *project, const struct parameter_sets *sets, struct ts_issues *issues);
/* phases.c: checks before the first run: the names that the user keeps are those of parameters or groups. */
bool ts_study_check_names(const struct ts_project *project, const struct parameter_sets *sets,
                          struct ts_issues *issues);

#endif
