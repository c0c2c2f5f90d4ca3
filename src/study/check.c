/* Checks files without running anything, and lists what this build knows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/check_data.h"

#include "base/alloc.h"
#include "study/embedded.h"
#include "study/schedule_int.h"
#include "study/sensitivity_int.h"
#include "study/tune_table_int.h"

#include <string.h>

static size_t varied_count(const struct ts_workflow *w) {
  size_t count = 0;
  for (size_t p = 0; p < w->parameter_count; p++)
    count += w->parameters[p].levels || w->parameters[p].has_range ? 1 : 0;
  return count;
}

static void add_summary(struct session *s, json_t *object) {
  const struct ts_workflow *w = s->workflow;
  json_t *summary =
      json_pack("{s:I, s:I, s:I, s:I}", "stages", (json_int_t)w->stage_count, "tasks", (json_int_t)w->task_count,
                "parameters", (json_int_t)w->parameter_count, "varied", (json_int_t)varied_count(w));
  if (s->dataset.item_count > 0) {
    json_object_set_new(summary, "files", json_integer((json_int_t)s->dataset.item_count));
    json_object_set_new(summary, "tiles", json_integer((json_int_t)s->dataset.tile_count));
  }
  if (!s->study.is_bare_workflow) {
    struct parameter_sets sets;
    if (ts_sets_of_study(s, &sets)) json_object_set_new(summary, "runs", json_integer((json_int_t)sets.count));
    ts_sets_release(&sets);
  }
  json_object_set_new(object, "summary", summary);
}

/* Where results would go, without leaving anything there. */
static void check_outputs(struct session *s) {
  if (!s->study.is_bare_workflow && !ts_check_output_folder(s, ts_session_study_folder(s))) return;
  ts_check_output_folder(s, ts_session_run_folder(s));
}

static void warn(struct session *s) {
  size_t count = 0;
  ts_warn_about_defaults(s);
  if (s->dataset.tile_count == 0) return;
  struct ts_source *wanted = ts_session_all_products(s, NULL, NULL, &count);
  ts_warn_about_files(s, wanted, count);
  ts_session_warn_tiling(s);
}

int ts_check(const struct ts_request *request, char **reply) {
  struct session s;
  ts_session_init(&s, request);
  json_t *object = ts_reply_new("tessera.check/1");
  bool read = ts_session_read(&s);
  /* The data of a study is looked at even if another part of it is wrong: all faults at once. */
  if (s.workflow && (!s.study.is_bare_workflow || request->data_count > 0))
    ts_session_open_dataset(&s, !s.study.is_bare_workflow);
  if (read) check_outputs(&s);
  json_object_set_new(object, "file", json_string(s.study.path ? s.study.path : request->file ? request->file : ""));
  json_object_set_new(object, "kind", json_string(s.study.is_bare_workflow ? "workflow" : "study"));
  if (read && s.workflow) add_summary(&s, object);
  if (read && ts_session_ok(&s)) warn(&s);
  json_object_set_new(object, "ok", json_boolean(ts_session_ok(&s)));
  int code = ts_reply_finish(&s, object, 0, reply);
  ts_session_release(&s);
  return code;
}

static json_t *ports_json(const struct ts_op_port *const *ports, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", ports[i]->name, "type", ports[i]->type, "help",
                                          ports[i]->help ? ports[i]->help : ""));
  return list;
}

static json_t *parameters_json(const struct ts_op_descriptor *d) {
  static const char *const types[] = {"", "integer", "real", "boolean", "string"};
  json_t *list = json_array();
  for (size_t i = 0; i < d->parameter_count; i++) {
    const struct ts_op_parameter *p = d->parameters[i];
    json_t *object =
        json_pack("{s:s, s:s, s:s}", "name", p->name, "type", types[p->type], "help", p->help ? p->help : "");
    if (p->low <= p->high && p->type != TS_OP_STRING)
      json_object_set_new(object, "domain", json_pack("[f, f]", p->low, p->high));
    json_array_append_new(list, object);
  }
  return list;
}

/* What was declared; the words are those of manifests. */
static json_t *needs_json(const struct ts_op_needs *needs) {
  json_t *object = json_object();
  if (needs->cores) json_object_set_new(object, "cores", json_integer(needs->cores));
  if (needs->memory_bytes) json_object_set_new(object, "memory_bytes", json_integer((json_int_t)needs->memory_bytes));
  if (needs->gpus) json_object_set_new(object, "gpu", json_integer(needs->gpus));
  if (needs->exclusive) json_object_set_new(object, "exclusive", json_true());
  if (needs->site) json_object_set_new(object, "site", json_string(needs->site));
  if (needs->gang) json_object_set_new(object, "gang", json_integer(needs->gang));
  return object;
}

static json_t *devices_json(const struct ts_op_descriptor *d) {
  json_t *list = json_array();
  json_array_append_new(list, json_string(TS_OP_OWN_DEVICE));
  for (size_t i = 0; i < d->variant_count; i++) json_array_append_new(list, json_string(d->variants[i]->device));
  return list;
}

static json_t *operation_json(const struct ts_op *op) {
  static const char *const origins[] = {"built in", "plugin", "command"};
  const struct ts_op_descriptor *d = op->descriptor;
  char digest[65];
  ts_hex_encode(op->implementation.bytes, 32, digest);
  return json_pack("{s:s, s:I, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name", d->name, "version",
                   (json_int_t)d->version, "origin", origins[op->origin], "numeric", op->numeric, "help",
                   d->help ? d->help : "", "implementation", digest, "inputs", ports_json(d->inputs, d->input_count),
                   "outputs", ports_json(d->outputs, d->output_count), "parameters", parameters_json(d), "needs",
                   needs_json(&op->needs), "devices", devices_json(d));
}

int ts_list(const struct ts_request *request, char **reply) {
  struct session s;
  ts_session_init(&s, request);
  json_t *object = ts_reply_new("tessera.list/1");
  s.registry = ts_session_registry();
  if (request->file) { /* also the operations a workflow brings along */
    ts_registry_destroy(s.registry);
    s.registry = NULL;
    ts_session_read(&s);
  }
  json_t *operations = json_array();
  for (size_t i = 0; s.registry && i < ts_registry_count(s.registry); i++)
    json_array_append_new(operations, operation_json(ts_registry_at(s.registry, i)));
  json_object_set_new(object, "operations", operations);
  json_object_set_new(object, "demos", ts_demo_list());
  json_object_set_new(object, "methods", ts_study_method_list());
  json_object_set_new(object, "samplers", ts_sampler_list());
  json_object_set_new(object, "analyses", ts_analysis_list());
  json_object_set_new(object, "schedulers", ts_scheduler_list());
  json_object_set_new(object, "tuners", ts_tuner_list());
  int code = ts_reply_finish(&s, object, 0, reply);
  ts_session_release(&s);
  return code;
}
