/* The strategy of a study at work: what it varies, what it has asked for, and what came out of it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STUDY_COURSE_H
#define TS_STUDY_COURSE_H

#include "project/project.h"
#include "strategy/strategy.h"
#include "study/subsets.h"

struct study_course {
  const struct ts_project *project; /* borrowed */
  struct ts_issues *issues;         /* borrowed: gets the faults and notes of the strategy */
  struct ts_arena arena;            /* names and numbers of the space */
  struct ts_space space;            /* the parameters that it varies; empty for a given design */
  struct ts_design given;           /* from a CSV file; without rows: the strategy draws the sets */
  const char **columns;             /* borrowed: names of the parameters of a set */
  size_t column_count;
  struct study_subsets subsets; /* of the files: what a series over some of them refers to */
  struct ts_strategy_options options;
  struct ts_strategy_problem problem;
  struct ts_loop *loop; /* owned */
  struct ts_history history;
};

/* Opens the space, the file of the request's design or the sets of project.order, and checks what can be known before
 * the first set is run. The methods are settled, the dataset is open. Release in either case. */
bool ts_course_open(struct study_course *course, const struct ts_project *project, struct ts_issues *issues);
bool ts_course_is_given(const struct study_course *course);
/* The sets to run next; `batch` without any: the strategy is done. False: a fault. */
bool ts_course_ask(struct study_course *course, struct ts_strategy_batch *batch);
/* The analyses of what is known so far; phases are borrowed from the course. */
bool ts_course_finish(struct study_course *course, struct ts_strategy_result *result);
/* The parameter of a column. */
const struct ts_parameter *ts_course_parameter(const struct study_course *course, size_t column);
/* All sets so far as a design; borrowed from the course. */
struct ts_design ts_course_design(const struct study_course *course);
/* The sets of one phase as the file describes it, if it varies these parameters (NULL: all); false with a fault. */
bool ts_course_count_sets(const struct ts_project *project, const struct ts_strategy_options *phase,
                          const char *const *only, size_t only_count, size_t *count, struct ts_issues *issues);
void ts_course_release(struct study_course *course);

#endif
