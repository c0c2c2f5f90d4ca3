/* Projects for tests of studies: workflow and study as texts, data by name only, operations that declare their columns.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing is opened or run: tests make the tables, plans and indices that an engine would make. */
#ifndef TS_TESTS_SUPPORT_STUDY_CASE_H
#define TS_TESTS_SUPPORT_STUDY_CASE_H

#include "study/study_result.h"
#include "support/toy_data.h"

/* Operations beside those of toy_ops.h; tables have the columns below:
 *   probe.count  image    -> table  p, q   real, 0 to 1
 *   probe.free   image    -> table  p, q   the same table, of which nothing is declared
 *   probe.join   table    -> table         of a file or the dataset
 * share is declared as the ratio 2 both / (found + both - other / 2), cells as a count, size as neither. */
enum { PROBE_SIZE, PROBE_CELLS, PROBE_BOTH, PROBE_FOUND, PROBE_OTHER, PROBE_SHARE, PROBE_COLUMNS };
extern const char *const probe_columns[PROBE_COLUMNS]; /* "size", "cells", "both", "found", "other", "share" */
struct ts_registry *probe_registry_create(void);

/* Parameters A, B, C and D, real, 0 to 1, default 0.5; C and D are the group "pair" in grouped_workflow. Stages tile,
 * file and all with the output table each; stage tile also has the output free. */
extern const char *const probe_workflow, *const probe_grouped_workflow;

struct study_case {
  struct ts_request request; /* may be changed before study_case_init */
  struct ts_issues issues;
  struct ts_project project;
  struct ts_work work;
  struct toy_dataset data;
};

/* Reads the texts as ts_project_read reads files. `method` and `outputs` are the values of these keys of the study;
 * NULL: {"name": "morris"}, and the column size of stage tile. False if there are faults, which are in c->issues. */
bool study_case_init(struct study_case *c, const char *workflow, const char *method, const char *outputs);
/* One supplied file per image. */
void study_case_images(struct study_case *c, const struct toy_image *images, size_t count, int64_t tile_px);
void study_case_release(struct study_case *c);
/* The plan of the study's outputs for these sets; fails the test on an error. */
struct ts_plan *study_case_plan(struct study_case *c, const struct parameter_sets *sets);
/* Texts of the faults so far, a line each; valid until the next call. */
const char *study_case_faults(const struct study_case *c);
/* The same of warnings. */
const char *study_case_warnings(const struct study_case *c);

#endif
