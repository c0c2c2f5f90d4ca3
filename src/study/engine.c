/* Runs a plan for a command: passes the request's settings on.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/engine.h"

#include "base/pool.h"

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

struct ts_run_options ts_engine_options(struct session *s) {
  const struct ts_request *r = s->request;
  return (struct ts_run_options){.threads = r->threads ? r->threads : ts_cpu_count(),
                                 .registry = s->registry,
                                 .store = r->no_reuse ? NULL : s->store,
                                 .run_id = "",
                                 .no_cutoff = r->no_cutoff || r->no_reuse,
                                 .stop = r->stop,
                                 .scratch_folder = s->scratch};
}

bool ts_engine_run(struct engine_run *run) {
  struct session *s = run->s;
  struct ts_run_options options = ts_engine_options(s);
  struct ts_error err = {0};
  options.run_id = run->run_id;
  options.user = run;
  options.on_start = on_start;
  options.on_task = on_task;
  options.on_product = run->on_product ? on_product : NULL;
  if (run->quiet_store) options.store = s->store;
  if (!ts_run(run->plan, run->dataset ? run->dataset : &s->dataset, &options, &run->result, &err)) {
    ts_session_fault(s, &err);
    return false;
  }
  return true;
}
