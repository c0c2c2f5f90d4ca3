/* libtessera: parameter studies over data-analysis workflows that never compute the same thing twice.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every call takes its request (tessera_requests.h), gives back one JSON object as text, and returns what the program
 * would exit with: 0 done; 1 tasks failed; 2 usage; 3 invalid input; 4 finished, but a target was not met; 5 store or
 * worker trouble; 130 or 143 stopped by a signal, state saved. The object has a "schema" ("tessera.study/2"); fields
 * are added, never renamed. Whenever something is wrong it also has "faults": [{"code": 203, "text", "file", "line",
 * "column", "path", "help"}], all that were found; "warnings" is a list of texts. Texts are UTF-8. The reply is owned
 * by the caller: tessera_reply_free. Calls may be made from several threads.
 * The same calls by name, and the table of their options: tessera_table.h. */
#ifndef TESSERA_H
#define TESSERA_H

#include "tessera_requests.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TS_PUBLIC __attribute__((visibility("default")))

/* ---- events ---- */

/* How far a stage has come. Borrowed for the call. */
struct tessera_stage {
  size_t size_bytes; /* of this struct in the library: tessera_event_stage() finds the next one */
  const char *name;
  uint64_t total; /* distinct tasks to settle, reference run included; 0 while something runs: not known */
  uint64_t done;  /* settled: executed, cut off, found in the store, failed or skipped */
  uint64_t running;
  uint64_t reused; /* requested but not executed, at any level */
  uint64_t failed;
};

/* The list of events; new ones are added at its end. `--progress json` prints their names. */
#define TESSERA_EVENTS_VERSION 2
enum tessera_event_kind {
  TESSERA_RUN_BEGIN = 1, /* "run_begin" */
  TESSERA_TASK_DONE,     /* "task_done": a task was executed, found, failed or skipped */
  TESSERA_RUN_END,       /* "run_end": all tasks are settled; phases may follow */
  TESSERA_PROGRESS,      /* "progress": counts changed without a task: more tasks, or a call that has none */
  TESSERA_PHASE,         /* "phase": work beside the tasks begins, has come further, or ends */
};

struct tessera_event {
  size_t size_bytes; /* of this struct in the library; fields are added at the end */
  enum tessera_event_kind kind;
  const char *run; /* 8 hex digits; "" if the run is not recorded */
  double elapsed_s;
  double left_s; /* estimate; negative: unknown */
  size_t threads;
  const struct tessera_stage *stages; /* see tessera_event_stage() */
  size_t stage_count;
  /* TASK_DONE only */
  const char *stage;
  const char *task;    /* "segment.split" */
  const char *key;     /* first digits of the key */
  const char *outcome; /* "executed", "cutoff", "store", "failed", "skipped" */
  const char *file;
  int64_t tile_x, tile_y; /* -1: the task belongs to no tile */
  double seconds;
  const char *message; /* why it failed: text, help and the output of a command, on lines of their own; "" otherwise */
  int code;            /* number of its error, such as 504; 0 otherwise */
  const char *help;    /* what to do; "" if nothing is known */
  /* Of the whole call, from version 2 of the list on. */
  double share;     /* 0 to 1; does not fall while `part` stays the same; negative: unknown */
  const char *part; /* what of a call that grows: "round 2", "phase 1 of 2", "best values"; "" otherwise */
  /* PHASE only */
  const char *phase;       /* "reading", "tissue", "planning", "analysis", "tables", "pictures", "report", "writing" */
  const char *phase_state; /* "begin", "further", "end" */
  uint64_t phase_done;     /* steps of it */
  uint64_t phase_total;    /* 0: not known */
  double phase_seconds;    /* since it began */
};

/* The stage of a number below stage_count, also in a library whose struct is longer than here. */
static inline const struct tessera_stage *tessera_event_stage(const struct tessera_event *event, size_t number) {
  const char *first = (const char *)event->stages;
  return (const struct tessera_stage *)(const void *)(first + number * event->stages->size_bytes);
}
/* "task_done"; "" for a kind that this library does not know. */
TS_PUBLIC const char *tessera_event_name(enum tessera_event_kind kind);

/* Sees the events of a call: from any of its threads, one at a time. Begin with TESSERA_INIT. */
struct tessera_observer {
  size_t size_bytes;
  void (*on_event)(void *user, const struct tessera_event *event);
  void *user;
};

/* ---- calls ---- */

/* Checks a workflow or study file and all it names. Schema tessera.check/1. */
TS_PUBLIC int tessera_check(const struct tessera_check_request *request, char **reply);
/* What `study` or `run` would do. Schema tessera.plan/1. */
TS_PUBLIC int tessera_plan(const struct tessera_plan_request *request, char **reply);
/* One parameter set over the data. Schema tessera.run/2. */
TS_PUBLIC int tessera_run(const struct tessera_run_request *request, char **reply);
/* Design, plan, run, analyse, report. Schema tessera.study/2. */
TS_PUBLIC int tessera_study(const struct tessera_study_request *request, char **reply);
/* A worker of a run or study, which starts it and gives it its work. Schema tessera.worker/1. */
TS_PUBLIC int tessera_work(const struct tessera_work_request *request, char **reply);
/* Runs of a store, newest first; with `run` one of them in detail. Schema tessera.status/1. */
TS_PUBLIC int tessera_status(const struct tessera_status_request *request, char **reply);
/* What tasks said, failed ones first. Schema tessera.log/1. */
TS_PUBLIC int tessera_log(const struct tessera_task_request *request, char **reply);
/* Why a task ran or was reused: the nearest earlier key and the field that differs. Schema tessera.explain/1. */
TS_PUBLIC int tessera_explain(const struct tessera_task_request *request, char **reply);
/* What the store has learnt about the costs of operations. Schema tessera.costs/1. */
TS_PUBLIC int tessera_costs(const struct tessera_costs_request *request, char **reply);
/* Reads everything in the store again and removes what is damaged; with recompute, compares it with what its runs
 * compute from nothing, and removes what is wrong (then returns 1). Schema tessera.store-verify/1. */
TS_PUBLIC int tessera_verify(const struct tessera_verify_request *request, char **reply);
/* What differs between runs, and between the masks that they made. Schema tessera.compare/1. */
TS_PUBLIC int tessera_compare(const struct tessera_compare_request *request, char **reply);
/* What takes how much in a store, by stage and by run. Schema tessera.store-du/1. */
TS_PUBLIC int tessera_store_usage(const struct tessera_usage_request *request, char **reply);
/* What of a store could be removed, and what computing it again would cost; with `yes` removes it. Returns 4 if
 * to_bytes cannot be reached. Schema tessera.store-gc/1. */
TS_PUBLIC int tessera_store_gc(const struct tessera_gc_request *request, char **reply);
/* Writes the report of a past study. Schema tessera.report/1. */
TS_PUBLIC int tessera_report(const struct tessera_report_request *request, char **reply);
/* Makes a project folder, from a demo or with the smallest workflow. Schema tessera.init/1. */
TS_PUBLIC int tessera_init_project(const struct tessera_init_request *request, char **reply);
/* Operations, demos, methods of studies, samplers, analyses, algorithms for streams and tuners that this build knows,
 * and its calls, each with a JSON Schema of its options. Schema tessera.list/1. */
TS_PUBLIC int tessera_list(const struct tessera_list_request *request, char **reply);
/* Draws parameter sets. Schema tessera.sample/1. */
TS_PUBLIC int tessera_sample(const struct tessera_sample_request *request, char **reply);
/* Sensitivity indices of the runs of any model. "indices" are those of the first output, "outputs" those of each.
 * Schema tessera.analyse/1. */
TS_PUBLIC int tessera_analyse(const struct tessera_analyse_request *request, char **reply);
/* Maps the tasks of a graph to processors, for a stream of items. Returns 4 if a demand cannot be met. Schema
 * tessera.schedule/1. */
TS_PUBLIC int tessera_schedule(const struct tessera_schedule_request *request, char **reply);
/* Replays recorded runs with tuners, many seeds each. Schema tessera.tune-table/1. */
TS_PUBLIC int tessera_tune(const struct tessera_tune_request *request, char **reply);
/* CPU and wall time of each operation of a workflow on one image. Schema tessera.bench/1. */
TS_PUBLIC int tessera_bench(const struct tessera_bench_request *request, char **reply);
/* Runs one operation once, on files; no store is involved. Schema tessera.call/1. */
TS_PUBLIC int tessera_call_operation(const struct tessera_operation_request *request, char **reply);
/* Writes a complete operation, with a workflow and a study that use it, from a descriptor. Schema tessera.new/1. */
TS_PUBLIC int tessera_new_operation(const struct tessera_new_request *request, char **reply);

/* Where warnings go that come while a call is under way, such as that a worker process died; of all calls of the
 * process, from any thread, one at a time. take may not call the library. NULL, as at first: nowhere. */
TS_PUBLIC void tessera_on_warning(void (*take)(void *user, const char *text), void *user);
TS_PUBLIC void tessera_reply_free(char *reply);
TS_PUBLIC const char *tessera_version(void);

#ifdef __cplusplus
}
#endif

#include "tessera_handles.h" /* stores, projects, runs and products that live */
#endif
