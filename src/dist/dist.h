/* Work on a plan by several processes that share nothing but the store: the coordinator's side and the worker's.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The coordinator owns the store and serves it over a local socket. It starts the workers; each makes the same whole
 * plan, so that numbers of nodes mean the same everywhere, and takes buckets (a window of the dataset and the wanted
 * products of it) until there are none. Task events and wanted products come back over a second socket and are
 * reported as ts_run reports them. A worker holds its bucket under a lease; one that dies or stops answering loses it
 * to another. */
#ifndef TS_DIST_DIST_H
#define TS_DIST_DIST_H

#include "plan/bucket.h"
#include "run/run.h"

/* The same for the coordinator and all workers, or their plans differ: tasks, parameters, operations, files, tiles. */
void ts_dist_fingerprint(const struct ts_plan *plan, const struct ts_dataset *dataset, struct ts_sha256 *fingerprint);

#define TS_DIST_LEASE_S 10 /* on one machine: a busy one delays a heartbeat by less */

struct ts_dist_options {
  size_t workers;          /* processes, at least one */
  const char *program;     /* borrowed: the program, started as PROGRAM worker --connect ID@SOCKET */
  const char *description; /* borrowed: given to every worker as it is */
  /* Buckets of the algorithms that group stages; NULL: by pieces of the dataset. The plan keeps its instances. */
  const struct ts_plan_bucket_options *grouping;
  /* As for ts_run: registry, store (always there, as workers use it), run_id, no_cutoff, stop, user, callbacks.
   * Callbacks come from the calling thread. on_task gets the first outcome of every task and unit. */
  struct ts_run_options run;
  /* Borrowed: seconds per task of the workflow, by which tiles are split; NULL: measured by one run that goes first.
   * With given costs the same contents are split in the same way every time. */
  const double *costs;
  bool no_store;  /* products are neither looked up nor kept */
  double lease_s; /* a worker that does not renew its lease for so long loses its bucket; 0: TS_DIST_LEASE_S */
  /* Further faults of a worker that cannot work, beyond the error of ts_dist_run; may be NULL. */
  void (*on_fault)(void *user, const struct ts_error *fault);
  /* An execution beyond the first of a task and unit; may be NULL. */
  void (*on_repeated)(void *user, const struct ts_task_event *event);
  /* Before the start: so many repeated executions of a task are planned; may be NULL. */
  void (*on_planned)(void *user, size_t task, uint64_t repeated);
};

/* Like ts_run. */
bool ts_dist_run(const struct ts_plan *plan, const struct ts_dataset *dataset, const struct ts_dist_options *options,
                 struct ts_run_result *result, struct ts_error *err);

/* ---- the worker ---- */
struct ts_dist_link; /* to the coordinator */
/* Announces this process to the coordinator under the identity that it was given (place: "ID@SOCKET"), and keeps its
 * lease from then on (dist/link.h). Warnings of this process go to the coordinator until ts_dist_disconnect.
 * may_end: the process does nothing else, and ends if the coordinator is gone and an operation does not give up. */
struct ts_dist_link *ts_dist_connect(const char *place, bool may_end, struct ts_error *err);
void ts_dist_disconnect(struct ts_dist_link *link);               /* NULL is allowed */
const char *ts_dist_description(const struct ts_dist_link *link); /* borrowed: what the coordinator was given */
const char *ts_dist_store(const struct ts_dist_link *link);       /* borrowed: the socket of the store */
/* Why this process cannot work: ends the run. */
void ts_dist_give_up(struct ts_dist_link *link, const struct ts_faults *faults);

struct ts_dist_worker {
  struct ts_dist_link *link; /* borrowed */
  struct ts_store *store;    /* borrowed: remote */
  const struct ts_plan *plan;
  const struct ts_dataset *dataset;
  struct ts_run_options run; /* as for ts_run; part, setup, halt, user and callbacks are set here */
};
/* Takes buckets until there are none, or the run is stopped. WORKER if the coordinator is gone. */
bool ts_dist_work(const struct ts_dist_worker *worker, struct ts_error *err);

#endif
