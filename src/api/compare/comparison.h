/* A comparison of runs under way, and the parts of its reply.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_COMPARE_COMPARISON_H
#define TS_API_COMPARE_COMPARISON_H

#include "api/api_int.h"
#include "api/compare/compared_run.h"
#include "report/report.h"

/* A picture of the page, with its bytes. */
struct comparison_picture {
  char *role, *caption; /* owned */
  struct ts_str bytes;  /* owned */
};

struct comparison {
  const struct ts_request *request; /* borrowed */
  struct ts_store *store;           /* borrowed */
  struct ts_issues *issues;         /* borrowed */
  struct ts_compared_run *runs;     /* owned */
  size_t count;
  struct comparison_picture *pictures; /* owned */
  size_t picture_count, picture_capacity;
  size_t pictured; /* pairs of masks that have pictures */
};

/* compare_json.c: what the orders and the results of the runs say. New references. */
json_t *ts_comparison_runs(const struct comparison *c);
json_t *ts_comparison_parameters(const struct comparison *c);
json_t *ts_comparison_differs(const struct comparison *c);
json_t *ts_comparison_measures(const struct comparison *c, const char *file); /* NULL: over all files */
/* compare_masks.c: per file that all runs have, what the masks of each run have and those of the first have not; draws
 * the pictures where a page is asked for. A new reference. */
json_t *ts_comparison_files(struct comparison *c);

#endif
