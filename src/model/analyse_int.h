/* What the files of analyse share: the design and the outputs as they are read, and the reply.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_MODEL_ANALYSE_INT_H
#define TS_MODEL_ANALYSE_INT_H

#include "analysis/method.h"
#include "model/model.h"
#include "model/origin.h"

struct analysis {
  struct ts_request own;            /* what was asked, with what the file beside the design adds */
  const struct ts_request *request; /* that one */
  struct ts_arena arena;            /* owns what is known before the space */
  struct design_origin origin;      /* with has_origin */
  bool has_origin;
  struct ts_issues *issues; /* borrowed */
  const struct ts_method *method;
  struct space_file file;
  struct ts_pool *pool; /* owned */
  struct meter meter;
  const char *design_path, *outputs_path; /* in the arena of the space */
  /* analyse_design.c */
  size_t row_count;
  enum ts_layout layout;
  double *unit, *values; /* owned; row by row; NULL if the method does not need them */
  /* analyse_outputs.c */
  const char **output_names; /* in the arena of the space */
  size_t output_count;
};

/* analyse_origin.c: takes method, space and settings from the file beside the design, where they were not given. */
void ts_analysis_take_origin(struct analysis *a);
/* Whether the design is one that the method takes, and was drawn from the space. */
bool ts_analysis_check_origin(struct analysis *a);
/* How the design was drawn, as far as it is known; a new reference, NULL: it is not. */
json_t *ts_analysis_origin_json(const struct analysis *a);
/* Warns if the file beside the design says another number of runs. */
void ts_analysis_compare_origin(struct analysis *a);
/* analyse_design.c: streams the design: keeps the values that the method needs, checks the order of the rows and,
 * with --levels, their steps. */
bool ts_analysis_read_design(struct analysis *a);
/* analyse_outputs.c: which columns of the outputs are wanted. */
bool ts_analysis_choose_outputs(struct analysis *a);
/* Reads `count` of them, from `first`: one array of row_count numbers after the other, NaN for missing cells. */
bool ts_analysis_read_outputs(struct analysis *a, size_t first, size_t count, double *outputs);

#endif
