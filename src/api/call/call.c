/* Runs one operation by hand: files in, files out, no workflow and no store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/call/hand_call.h"
#include "op/watch.h"
#include "project/data/check_data.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* A folder that is absent or empty, where files can be made. */
static bool check_folder(struct hand_call *call, const char *folder, const char *option) {
  if (ts_folder_is_empty(folder)) return ts_check_output_folder(call->request, folder, call->issues);
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_OUTPUT_FOLDER, "'%s' is not empty", folder);
  ts_error_help(&err, "name a new folder with %s, or remove this one", option);
  return ts_issues_fault(call->issues, &err);
}

static bool settle_folders(struct hand_call *call) {
  const struct ts_request *request = call->request;
  const char *usual = ts_arena_printf(&call->arena, "call-%s", call->op->descriptor->name);
  call->folder = ts_request_path(request, &call->arena, request->output ? request->output : usual);
  if (!check_folder(call, call->folder, "-o")) return false;
  if (!request->has_keep_folder) return true;
  call->kept = request->keep_folder ? ts_request_path(request, &call->arena, request->keep_folder)
                                    : ts_path_below(&call->arena, call->folder, "call");
  if (!check_folder(call, call->kept, "--keep")) return false;
  struct ts_error err = {0};
  if (!ts_folder_create(call->kept, &err)) return ts_issues_fault(call->issues, &err);
  ts_auto_free char *absolute = realpath(call->kept, NULL); /* paths in call.json are absolute */
  call->kept = ts_arena_strdup(&call->arena, absolute ? absolute : call->kept);
  return true;
}

/* The place of what is left goes into the help, before what may be cut. */
static void add_place(const struct hand_call *call, struct ts_error *err) {
  char before[sizeof err->help];
  if (!call->kept) return;
  snprintf(before, sizeof before, "%s", err->help);
  err->help[0] = '\0';
  ts_error_help(err, "look into %s%s%s", call->kept, *before ? "; " : "", before);
}

static bool execute(struct hand_call *call) {
  const struct ts_op_context context = {.log = &call->log,
                                        .call_folder = call->kept,
                                        .shares_process = !call->request->watch,
                                        .pixel_size = call->pixel_size,
                                        .variant = ts_op_variant_chosen(call->op)};
  const struct ts_watch_options options = {.resume = ""};
  struct ts_error err = {0};
  bool watching = false;
  const uint64_t start_ns = ts_clock_ns();
  const bool done = (!call->request->watch || ts_watch_start(&options, &watching, &err)) &&
                    ts_op_execute(call->op, call->inputs, call->values, call->outputs, &context, &err);
  if (watching) ts_watch_stop();
  call->seconds = (double)(ts_clock_ns() - start_ns) / 1e9;
  if (done) return true;
  add_place(call, &err);
  return ts_issues_fault(call->issues, &err);
}

static json_t *inputs_json(const struct hand_call *call) {
  json_t *list = json_array();
  for (size_t i = 0; i < call->op->descriptor->input_count; i++) {
    if (!call->inputs[i]) continue;
    json_t *entry = json_pack("{s:s, s:s, s:s}", "port", call->op->descriptor->inputs[i]->name, "type",
                              ts_data_type(call->inputs[i])->name, "file", call->words[i]);
    json_array_append_new(list, entry);
  }
  return list;
}

static json_t *parameters_json(const struct hand_call *call) {
  json_t *list = json_array();
  for (size_t i = 0; i < call->op->descriptor->parameter_count; i++)
    json_array_append_new(list, json_pack("{s:s, s:o}", "name", call->op->descriptor->parameters[i]->name, "value",
                                          ts_value_to_json(&call->values[i])));
  return list;
}

static void run(struct hand_call *call, json_t *object) {
  json_t *outputs = json_array();
  json_object_set_new(object, "outputs", outputs);
  if (!ts_hand_call_find(call)) return;
  json_object_set_new(object, "operation", json_string(call->op->descriptor->name));
  json_object_set_new(object, "version", json_integer(call->op->descriptor->version));
  const bool complete = ts_hand_call_assign(call);
  if (!ts_hand_call_read(call) || !complete || !settle_folders(call)) return;
  json_object_set_new(object, "inputs", inputs_json(call));
  json_object_set_new(object, "parameters", parameters_json(call));
  json_object_set_new(object, "folder", json_string(call->folder));
  if (call->kept) json_object_set_new(object, "kept", json_string(call->kept));
  const bool done = execute(call);
  if (call->log.length > 0) ts_text_repair(call->log.data);
  json_object_set_new(object, "seconds", ts_json_real(call->seconds));
  json_object_set_new(object, "log", json_string(ts_str_get(&call->log)));
  if (done) ts_hand_call_write(call, outputs);
}

int ts_call_by_hand(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct hand_call call = {.request = request, .issues = &issues};
  json_t *object = ts_reply_new("tessera.call/1");
  ts_budget_set(&call.budget, ts_memory_default(), 0);
  run(&call, object);
  for (size_t i = 0; i < TS_OP_MAX_PORTS; i++) {
    ts_data_unref(call.inputs[i]);
    ts_data_unref(call.outputs[i]);
  }
  ts_registry_destroy(call.registry);
  ts_budget_set(&call.budget, 0, 0);
  ts_str_release(&call.log);
  ts_arena_release(&call.arena);
  return ts_reply_finish(object, 0, reply, NULL, &issues);
}
