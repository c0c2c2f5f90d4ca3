/* The typed requests of the public calls.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_REQUEST_TYPED_H
#define TS_REQUEST_TYPED_H

#include "request/request.h"

#include "base/arena.h"
#include "base/error.h"

struct ts_typed_field {
  const char *name;
  size_t at; /* in the typed request */
  size_t to; /* in struct ts_request */
  size_t bytes;
};

struct ts_request_type {
  const char *name; /* "tessera_study_request" */
  size_t size_bytes;
  const struct ts_typed_field *fields;
  size_t field_count;
};

extern const struct ts_request_type ts_check_request, ts_list_request, ts_init_request, ts_project_request,
    ts_plan_request, ts_run_request, ts_study_request, ts_work_request, ts_status_request, ts_task_request,
    ts_costs_request, ts_verify_request, ts_compare_request, ts_usage_request, ts_gc_request, ts_report_request,
    ts_sample_request, ts_analyse_request, ts_schedule_request, ts_tune_request, ts_bench_request, ts_operation_request,
    ts_new_request;

/* False if no version of the type can look like this, or if it uses fields that are not known here. */
bool ts_request_adopt(const struct ts_request_type *type, const void *given, struct ts_request *request,
                      struct ts_error *err);
/* A copy whose texts and lists are in the arena, so that it outlives what the caller has. */
void ts_request_copy(struct ts_arena *arena, const struct ts_request *given, struct ts_request *copy);

#endif
