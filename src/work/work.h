/* What executes the plans of a project: its store, and what runs and forecasts keep between them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_WORK_H
#define TS_WORK_WORK_H

#include "project/project.h"

struct ts_costs;
struct ts_memo;
struct ts_trace;
struct ts_worker_class;

struct ts_work {
  const struct ts_project *project; /* borrowed */
  struct ts_arena arena;            /* owns most small things */
  struct ts_store *store;           /* owned unless it is lent; NULL without one */
  struct ts_worker_class *machine;  /* in the arena: what the request says it has; NULL: nothing */
  struct ts_trace *trace;           /* owned; NULL without one, and once the plan has run */
  struct ts_memo *memo;             /* owned: values of parts of calls, for all runs; NULL until one may use it */
  struct ts_costs *costs;           /* owned; NULL until the costs of operations are needed */
  struct ts_skipped {
    const char *product, *reason;
  } * skipped; /* in the arena: products that a run does not make, and why */
  size_t skipped_count;
  bool has_lent_store;
  bool plans_buckets; /* the plan is only shown: it may be grouped for workers */
};

/* False with a fault if the request says something impossible about the machine. Release in either case. */
bool ts_work_init(struct ts_work *work, const struct ts_project *project, struct ts_issues *issues);
void ts_work_release(struct ts_work *work);
/* The store that the project was lent, or that of the request; it then also remembers the digests of the project's
 * files. */
bool ts_work_open_store(struct ts_work *work, struct ts_project *project, bool read_only, struct ts_issues *issues);
/* With --trace: begins the file, so that a path that cannot be written is reported before any work. */
bool ts_work_open_trace(struct ts_work *work, struct ts_issues *issues);

#endif
