/* Subsets of the files of a study that get indices of their own.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Single files come first, so that the number of a file is that of its subset. After them come, for each value of each
 * declared group, the files that have it, and then all files but those (leave one group out). Nothing else in a study
 * distinguishes them: the output of a set over a subset is the same arithmetic as over all files. */
#ifndef TS_STUDY_SUBSETS_H
#define TS_STUDY_SUBSETS_H

#include "project/project.h"

/* Values of a group that get indices. Each value means two analyses per method and output; 32 of them are more than a
 * reader compares, and a column with more, such as one of patients, names single files rather than groups. */
#define TS_SUBSET_VALUES 32

enum study_subset_kind { SUBSET_FILE, SUBSET_GROUP, SUBSET_WITHOUT };
struct study_subset {
  enum study_subset_kind kind;
  const char *group, *value; /* borrowed from the project; "" for a single file */
  const size_t *files;       /* in the arena: items, ascending */
  size_t count;              /* at least 1 */
};
struct study_subsets {
  const struct study_subset *items; /* in the arena */
  size_t count;
};

/* Of the project's dataset. */
void ts_subsets_list(struct study_subsets *subsets, const struct ts_project *project, struct ts_arena *arena);
/* A warning for each group with values that get no indices. */
void ts_subsets_warn(const struct ts_project *project, struct ts_issues *issues);

#endif
