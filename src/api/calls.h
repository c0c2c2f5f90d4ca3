/* The calls behind the public ones of tessera.h, which check the request first (public.c).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_CALLS_H
#define TS_API_CALLS_H

#include "tessera.h"

/* Every call that takes a request: X(name of the public one, name of the one behind it). */
#define TS_CALLS(X)                                                                                                    \
  X(tessera_check, ts_check)                                                                                           \
  X(tessera_plan, ts_plan_study)                                                                                       \
  X(tessera_run, ts_run_workflow)                                                                                      \
  X(tessera_study, ts_study)                                                                                           \
  X(tessera_work, ts_work)                                                                                             \
  X(tessera_status, ts_status)                                                                                         \
  X(tessera_log, ts_log_run)                                                                                           \
  X(tessera_explain, ts_explain)                                                                                       \
  X(tessera_costs, ts_costs_of_store)                                                                                  \
  X(tessera_verify, ts_verify_store)                                                                                   \
  X(tessera_report, ts_report)                                                                                         \
  X(tessera_init, ts_init)                                                                                             \
  X(tessera_list, ts_list)                                                                                             \
  X(tessera_sample, ts_sample_space)                                                                                   \
  X(tessera_analyse, ts_analyse_runs)                                                                                  \
  X(tessera_schedule, ts_schedule)                                                                                     \
  X(tessera_tune, ts_tune)                                                                                             \
  X(tessera_bench, ts_bench)

#define X(public_name, name) int name(const struct ts_request *request, char **reply);
TS_CALLS(X)
#undef X

#endif
