/* Opens and closes what executes the plans of a project.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/work.h"
#include "work/costs.h"
#include "work/trace.h"

#include "base/memo.h"
#include "sched/resources.h"

bool ts_work_init(struct ts_work *work, const struct ts_project *project, struct ts_issues *issues) {
  const char *has = project->request->has;
  struct ts_error err = {0};
  *work = (struct ts_work){.project = project};
  if (!has) return true;
  work->machine = ts_arena_alloc(&work->arena, sizeof *work->machine);
  if (ts_worker_class_parse(work->machine, has, &err)) return true;
  return ts_issues_fault(issues, &err);
}

void ts_work_release(struct ts_work *work) {
  struct ts_error ignored = {0};
  ts_trace_close(work->trace, &ignored); /* only where nothing was run */
  ts_costs_destroy(work->costs);
  ts_memo_destroy(work->memo);
  if (!work->has_lent_store) ts_store_close(work->store);
  ts_arena_release(&work->arena);
}

bool ts_work_open_store(struct ts_work *work, struct ts_project *project, bool read_only, struct ts_issues *issues) {
  work->has_lent_store = project->lent != NULL;
  work->store = project->store =
      project->lent ? project->lent->store : ts_request_open_store(project->request, read_only, false, issues);
  return work->store != NULL;
}

bool ts_work_open_trace(struct ts_work *work, struct ts_issues *issues) {
  const struct ts_request *request = work->project->request;
  struct ts_error err = {0};
  if (!request->trace) return true;
  work->trace = ts_trace_open(ts_request_path(request, &work->arena, request->trace), &err);
  if (!work->trace) ts_issues_fault(issues, &err);
  return work->trace != NULL;
}
