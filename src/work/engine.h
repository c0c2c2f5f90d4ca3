/* How the study module runs a plan: options from the request, progress, and collected products.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_ENGINE_H
#define TS_WORK_ENGINE_H

#include "run/run.h"
#include "work/progress.h"
#include "work/work.h"

struct engine_run {
  struct ts_work *work;     /* borrowed */
  struct ts_issues *issues; /* borrowed */
  const struct ts_plan *plan;
  const struct ts_value *values; /* borrowed: the sets of the plan, for workers; NULL: threads of this process do it */
  uint64_t planned_repeated;     /* with workers: repetitions that are still to come */
  const struct ts_dataset *dataset; /* NULL: the project's */
  const struct ts_run_part *part;   /* borrowed: a part of the plan alone; NULL: all of it */
  const char *run_id;               /* "" if not recorded */
  const char *command;              /* how the run is continued: "study" or "run"; NULL if it cannot be */
  struct progress *progress;        /* may be NULL */
  bool quiet_store;                 /* use the store although the request says no reuse: for pictures */
  void *user;
  void (*on_product)(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data);
  volatile int halt; /* set by on_product if the run cannot succeed any more; see ts_run_options */
  struct ts_run_result result;
};

/* Runs the plan; false if it could not go on (the fault is among the issues). The result must be released. */
bool ts_engine_run(struct engine_run *run);
struct ts_run_options ts_engine_options(struct ts_work *work);
/* The memo of parts of calls for a run of the plan with these options; NULL: the user wants less reuse. */
struct ts_memo *ts_engine_memo(struct ts_work *work, const struct ts_plan *plan, const struct ts_run_options *options);
/* The command line that continues the run; "" if there is none. Owned. */
char *ts_engine_resume_line(const struct engine_run *run);
/* Starts to watch operations, if the request asks for it; `resume` is borrowed until ts_watch_stop. */
bool ts_engine_watch(const struct ts_work *work, const char *resume, bool is_worker, bool *watching,
                     struct ts_error *err);

#endif
