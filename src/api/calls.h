/* The calls behind the public ones of tessera.h, which bring the typed request to struct ts_request first (public.c).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_CALLS_H
#define TS_API_CALLS_H

#include "request/request.h"

/* Every call that takes a request: X(name of the public one, its request, name of the one behind it). */
#define TS_CALLS(X)                                                                                                    \
  X(tessera_check, check, ts_check)                                                                                    \
  X(tessera_plan, plan, ts_plan_study)                                                                                 \
  X(tessera_run, run, ts_run_workflow)                                                                                 \
  X(tessera_study, study, ts_study)                                                                                    \
  X(tessera_work, work, ts_work)                                                                                       \
  X(tessera_status, status, ts_status)                                                                                 \
  X(tessera_log, task, ts_log_run)                                                                                     \
  X(tessera_explain, task, ts_explain)                                                                                 \
  X(tessera_costs, costs, ts_costs_of_store)                                                                           \
  X(tessera_verify, verify, ts_verify_store)                                                                           \
  X(tessera_compare, compare, ts_compare_recorded)                                                                     \
  X(tessera_store_usage, usage, ts_store_du)                                                                           \
  X(tessera_store_gc, gc, ts_store_gc)                                                                                 \
  X(tessera_report, report, ts_report)                                                                                 \
  X(tessera_init_project, init, ts_init)                                                                               \
  X(tessera_list, list, ts_list)                                                                                       \
  X(tessera_sample, sample, ts_sample_space)                                                                           \
  X(tessera_analyse, analyse, ts_analyse_runs)                                                                         \
  X(tessera_schedule, schedule, ts_schedule)                                                                           \
  X(tessera_tune, tune, ts_tune)                                                                                       \
  X(tessera_bench, bench, ts_bench)                                                                                    \
  X(tessera_call_operation, operation, ts_call_by_hand)                                                                \
  X(tessera_new_operation, new, ts_new_operation)

#define X(public_name, type, name) int name(const struct ts_request *request, char **reply);
TS_CALLS(X)
#undef X

#endif
