/* Runs a plan for a command: passes the request's settings on.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/engine.h"
#include "work/costs.h"
#include "work/trace.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/pool.h"
#include "op/watch.h"
#include "work/workers.h"

#include <stdlib.h>

static void on_task(void *user, const struct ts_task_event *event) {
  struct engine_run *run = user;
  if (run->progress) ts_progress_task(run->progress, event);
}

static void on_start(void *user, uint32_t node) {
  struct engine_run *run = user;
  if (run->progress) ts_progress_start(run->progress, node);
}

static void on_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct engine_run *run = user;
  run->on_product(run->user, node, port, unit, data);
}

#define ASIDE_BYTES ((uint64_t)64 << 20)
#define ASIDE_SHARE 32 /* at most this part of the budget */

/* For products that linger, and as much for parts of calls. */
static uint64_t aside_bytes(uint64_t memory_bytes) {
  return memory_bytes / ASIDE_SHARE < ASIDE_BYTES ? memory_bytes / ASIDE_SHARE : ASIDE_BYTES;
}

#define BATCH_BYTES ((uint64_t)32 << 20)
#define BATCH_SHARE 64 /* at most this part of the budget, within reason */
#define BATCH_LEAST ((uint64_t)8 << 20)

/* Products that wait to be written take memory beside what the engine counts. */
static size_t batch_bytes(uint64_t memory_bytes) {
  const uint64_t share = memory_bytes / BATCH_SHARE;
  return (size_t)(share < BATCH_LEAST ? BATCH_LEAST : share < BATCH_BYTES ? share : BATCH_BYTES);
}

/* The environment can set a limit for files that have none, such as workflows. */
static double task_limit(const struct ts_project *project) {
  const char *text = getenv("TESSERA_TASK_LIMIT");
  double limit_s = 0;
  if (project->study.task_limit_s > 0 || !text || !ts_parse_double(text, &limit_s)) return project->study.task_limit_s;
  return limit_s > 0 && limit_s <= 1e9 ? limit_s : 0;
}

struct ts_run_options ts_engine_options(struct ts_work *work) {
  const struct ts_project *project = work->project;
  const struct ts_request *r = project->request;
  const uint64_t memory_bytes = r->memory_bytes ? r->memory_bytes : ts_memory_default();
  if (work->store) ts_store_set_batch_bytes(work->store, batch_bytes(memory_bytes));
  return (struct ts_run_options){.threads = r->threads ? r->threads : ts_cpu_count(),
                                 .registry = project->registry,
                                 .store = r->no_reuse ? NULL : work->store,
                                 .run_id = "",
                                 .memory_bytes = memory_bytes,
                                 .linger_bytes = aside_bytes(memory_bytes),
                                 .no_cutoff = r->no_cutoff || r->no_reuse,
                                 .keep_all = project->study.phase_count > 1 || project->study.until.text,
                                 .stop = r->stop,
                                 .task_limit_s = task_limit(project),
                                 .shares_process = !r->watch,
                                 .worker = work->machine,
                                 .store_speed = ts_costs_store_speed(work)};
}

/* Ways to merge other than by lineage exist for comparisons: they share whole tasks or stages, nothing smaller. */
struct ts_memo *ts_engine_memo(struct ts_work *work, const struct ts_plan *plan, const struct ts_run_options *options) {
  if (work->project->request->no_parts || options->no_cutoff || plan->options.merge != TS_MERGE_LINEAGE) return NULL;
  if (!work->memo) work->memo = ts_memo_create(aside_bytes(options->memory_bytes));
  return work->memo;
}

static void count_kept(const void *user, uint64_t *given, uint64_t *kept) { ts_store_counts(user, given, kept); }

/* The command that continues the run after an operation ended the process. */
char *ts_engine_resume_line(const struct engine_run *run) {
  const struct ts_request *r = run->work->project->request;
  struct ts_str line = {0};
  if (!run->command) return ts_strdup("");
  ts_str_addf(&line, "tessera %s", run->command);
  if (r->folder && r->folder[0]) ts_str_addf(&line, " -C %s", r->folder);
  if (r->file) ts_str_addf(&line, " %s", r->file);
  if (r->store) ts_str_addf(&line, " --store %s", r->store);
  ts_str_addf(&line, " --resume %s", run->run_id);
  return ts_str_detach(&line);
}

bool ts_engine_watch(const struct ts_work *work, const char *resume, bool is_worker, bool *watching,
                     struct ts_error *err) {
  const struct ts_watch_options options = {.resume = resume,
                                           .limit_s = task_limit(work->project),
                                           .is_worker = is_worker,
                                           .user = work->store,
                                           .progress = work->store ? count_kept : NULL};
  *watching = false;
  return !work->project->request->watch || ts_watch_start(&options, watching, err);
}

static bool run_by_threads(struct engine_run *run, const struct ts_run_options *options, struct ts_error *err) {
  const struct ts_project *project = run->work->project;
  ts_auto_free char *resume = ts_engine_resume_line(run);
  bool watching = false;
  bool ok = ts_engine_watch(run->work, resume, false, &watching, err) &&
            ts_run(run->plan, run->dataset ? run->dataset : &project->dataset, options, &run->result, err);
  if (watching) ts_watch_stop();
  return ok;
}

/* Folders of commands whose study was killed. */
static void sweep_scratch(const struct ts_project *project) {
  for (size_t i = 0; i < project->workflow->task_count; i++) {
    if (project->workflow->tasks[i].op->origin != TS_OP_COMMAND) continue;
    ts_folder_sweep_scratch(NULL, TS_COMMAND_SCRATCH);
    return;
  }
}

bool ts_engine_run(struct engine_run *run) {
  struct ts_work *work = run->work;
  const struct ts_project *project = work->project;
  struct ts_run_options options = ts_engine_options(work);
  struct ts_error err = {0};
  options.run_id = run->run_id;
  options.user = run;
  options.halt = &run->halt;
  options.part = run->part;
  options.on_start = on_start;
  options.on_task = on_task;
  options.on_product = run->on_product ? on_product : NULL;
  options.memo = ts_engine_memo(work, run->plan, &options);
  sweep_scratch(project);
  if (run->quiet_store) options.store = work->store;
  bool ok = project->request->workers > 0 && run->values ? ts_workers_run(run, &options, &err)
                                                         : run_by_threads(run, &options, &err);
  /* A worker or a decoder that meets a changed file reports another error than the change. */
  struct ts_error changed = {0};
  if (!run->result.stopped && !run->quiet_store && !ts_project_confirm_files(project, &changed)) {
    err = changed;
    ok = false;
  }
  ts_memory_trim(); /* later work, such as pictures, needs blocks of other sizes */
  if (!ok && err.code != TS_ERR_OK) ts_issues_fault(run->issues, &err);
  return ok;
}
