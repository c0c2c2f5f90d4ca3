/* The public functions: typed requests and calls by name, both brought to the one request that is used inside.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/calls.h"
#include "request/table.h"
#include "request/typed.h"

#include "base/error_json.h"
#include "base/json.h"
#include "base/log.h"
#include "base/version.h"

#include <stdlib.h>
#include <string.h>

/* The reply of a call whose request cannot be read. */
static int refuse(const struct ts_error *err, char **reply) {
  json_t *object =
      json_pack("{s:s, s:[], s:[o]}", "schema", "tessera.error/1", "warnings", "faults", ts_error_to_json(err));
  *reply = ts_json_dump(object, false, true);
  json_decref(object);
  return ts_error_exit_code(err->code);
}

typedef int call_function(const struct ts_request *request, char **reply);

/* `run` and `study` with dry_run say what they would do. */
static int make(call_function *function, struct ts_request *request, char **reply) {
  if (!request->dry_run) return function(request, reply);
  request->single = function == ts_run_workflow;
  return ts_plan_study(request, reply);
}

static int call(call_function *function, const struct ts_request_type *type, const void *given, char **reply) {
  struct ts_request request;
  struct ts_error err = {0};
  *reply = NULL;
  return ts_request_adopt(type, given, &request, &err) ? make(function, &request, reply) : refuse(&err, reply);
}

#define X(public_name, type, name)                                                                                     \
  int public_name(const struct tessera_##type##_request *request, char **reply) {                                      \
    return call(name, &ts_##type##_request, request, reply);                                                           \
  }
TS_CALLS(X)
#undef X

/* ---- calls by name ---- */

/* NULL: the program answers the command itself. */
static call_function *const by_command[TS_COMMAND_COUNT] = {
    [TS_COMMAND_INIT] = ts_init,
    [TS_COMMAND_CHECK] = ts_check,
    [TS_COMMAND_LIST] = ts_list,
    [TS_COMMAND_PLAN] = ts_plan_study,
    [TS_COMMAND_RUN] = ts_run_workflow,
    [TS_COMMAND_STUDY] = ts_study,
    [TS_COMMAND_BENCH] = ts_bench,
    [TS_COMMAND_CALL] = ts_call_by_hand,
    [TS_COMMAND_NEW] = ts_new_operation,
    [TS_COMMAND_SAMPLE] = ts_sample_space,
    [TS_COMMAND_ANALYSE] = ts_analyse_runs,
    [TS_COMMAND_SCHEDULE] = ts_schedule,
    [TS_COMMAND_TUNE] = ts_tune,
    [TS_COMMAND_STATUS] = ts_status,
    [TS_COMMAND_LOG] = ts_log_run,
    [TS_COMMAND_EXPLAIN] = ts_explain,
    [TS_COMMAND_COMPARE] = ts_compare_recorded,
    [TS_COMMAND_REPORT] = ts_report,
    [TS_COMMAND_STORE] = ts_costs_of_store,
    [TS_COMMAND_WORKER] = ts_work,
};

static const struct {
  const char *topic;
  call_function *function;
} of_store[] = {{"costs", ts_costs_of_store}, {"verify", ts_verify_store}, {"du", ts_store_du}, {"gc", ts_store_gc}};

static call_function *function_of(const struct tessera_call *call) {
  const enum ts_command_id id = ts_command_id(ts_call_command(call));
  const char *topic = ts_call_topic(call);
  for (size_t i = 0; id == TS_COMMAND_STORE && topic && i < sizeof of_store / sizeof of_store[0]; i++)
    if (strcmp(topic, of_store[i].topic) == 0) return of_store[i].function;
  return by_command[id];
}

int tessera_call_make(const struct tessera_call *call, const struct tessera_context *context, char **reply) {
  const struct tessera_context none = {.size_bytes = sizeof none};
  if (!context) context = &none;
  struct ts_request request = *ts_call_request(call);
  request.command = context->command;
  request.program = context->program;
  request.watch = context->watch;
  request.stop = context->stop;
  request.observer = context->observer;
  request.on_text = context->on_text;
  request.text_user = context->text_user;
  call_function *function = function_of(call);
  *reply = NULL;
  if (function) return make(function, &request, reply);
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_USAGE, "'%s' is a command of the program, not a call", ts_call_command(call)->name);
  return refuse(&err, reply);
}

const char *tessera_event_name(enum tessera_event_kind kind) {
  switch (kind) {
  case TESSERA_RUN_BEGIN: return "run_begin";
  case TESSERA_TASK_DONE: return "task_done";
  case TESSERA_RUN_END: return "run_end";
  case TESSERA_PROGRESS: return "progress";
  case TESSERA_PHASE: return "phase";
  }
  return "";
}

void tessera_reply_free(char *reply) { free(reply); }

const char *tessera_version(void) { return TS_VERSION; }

/* ---- warnings ---- */

/* Written while no sink is set, read by the sink. */
static struct {
  void (*take)(void *user, const char *text);
  void *user; /* borrowed from the program */
} host;

static bool hand_over(void *unused, enum ts_log_level level, const char *text) {
  (void)unused;
  if (level == TS_LOG_WARN) host.take(host.user, text);
  return true;
}

void tessera_on_warning(void (*take)(void *user, const char *text), void *user) {
  ts_log_set_sink(NULL, NULL);
  host.take = take;
  host.user = user;
  if (take) ts_log_set_sink(hand_over, NULL);
}
