/* What tasks need and what workers have: cores, memory, GPUs, a site; and which worker may run which task.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Needs belong to an operation, a class to all workers that are alike: the threads of one process are one worker with
 * as many cores. A need of zero is none, so a zeroed struct needs nothing that every worker has not. A policy decides
 * about the order of tasks, never about what may run where: that is decided here alone. */
#ifndef TS_SCHED_RESOURCES_H
#define TS_SCHED_RESOURCES_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define TS_SITE_BYTES 32

struct ts_task_needs {
  uint32_t cores;           /* of its worker, for itself; 0 counts as 1 */
  uint32_t gpus;            /* of its worker, for itself */
  uint32_t gang;            /* workers of one class that run it together; 0 counts as 1 */
  bool exclusive;           /* nothing else runs on its worker meanwhile */
  uint64_t memory_bytes;    /* its worker has at least */
  char site[TS_SITE_BYTES]; /* where it must run; "": anywhere */
};

struct ts_worker_class {
  uint32_t workers; /* of this class; 0 counts as 1 */
  uint32_t cores, gpus;
  uint64_t memory_bytes;
  char site[TS_SITE_BYTES]; /* "": none that has a name */
};

bool ts_task_needs_equal(const struct ts_task_needs *a, const struct ts_task_needs *b);
bool ts_worker_may_run(const struct ts_worker_class *worker, const struct ts_task_needs *needs);

/* Reads "gpu=1,memory=8G,site=a,cores=4": what is named replaces what the class has. False, with the place in the text
 * in words, for anything else; the class is then unchanged. */
bool ts_worker_class_parse(struct ts_worker_class *worker, const char *text, struct ts_error *err);
/* The same form, for messages: only what is not zero. */
void ts_task_needs_add(struct ts_str *out, const struct ts_task_needs *needs);
void ts_worker_class_add(struct ts_str *out, const struct ts_worker_class *worker);

/* What running tasks take of one worker. A zeroed struct is an idle worker. */
struct ts_places {
  uint32_t tasks, cores, gpus;
  bool exclusive; /* the one task that runs wants to be alone */
};
/* Whether a task that the worker may run can start now. An idle worker has room for each of them. */
bool ts_places_fit(const struct ts_places *places, const struct ts_worker_class *worker,
                   const struct ts_task_needs *needs);
void ts_places_take(struct ts_places *places, const struct ts_task_needs *needs);
void ts_places_leave(struct ts_places *places, const struct ts_task_needs *needs);

#endif
