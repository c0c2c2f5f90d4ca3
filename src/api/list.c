/* Lists what this build knows: operations, demos, methods, samplers, analyses.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "project/operand.h"
#include "project/study_method.h"
#include "request/table.h"

#include "base/alloc.h"
#include "model/model.h"
#include "replay/replay.h"

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

static json_t *methods_json(void) {
  json_t *list = json_array();
  for (size_t i = 0; ts_strategies[i]; i++) {
    const struct ts_strategy *strategy = ts_strategies[i];
    json_t *item = json_pack("{s:s, s:s}", "name", strategy->name, "title", strategy->title);
    if (strategy->aliases[0]) json_object_set_new(item, "alias", json_string(strategy->aliases[0]));
    json_array_append_new(list, item);
  }
  return list;
}

static json_t *samplers_json(void) {
  json_t *list = json_array();
  for (size_t i = 0; ts_samplers[i]; i++) {
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", ts_samplers[i]->name, "title",
                                          ts_samplers[i]->title, "help", ts_samplers[i]->help));
  }
  return list;
}

static json_t *texts(const char *const *items, size_t most) {
  json_t *list = json_array();
  for (size_t i = 0; i < most && items[i]; i++) json_array_append_new(list, json_string(items[i]));
  return list;
}

static json_t *analyses_json(void) {
  json_t *list = json_array();
  for (size_t i = 0; ts_methods[i]; i++) {
    const struct ts_method *method = ts_methods[i];
    json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", method->name, "title", method->title, "help",
                               method->assumes, "interval", method->interval, "rank_by", method->rank_by);
    if (method->alias) json_object_set_new(object, "alias", json_string(method->alias));
    json_object_set_new(object, "columns", texts(method->columns, sizeof method->columns / sizeof *method->columns));
    json_t *layouts = json_array();
    for (size_t l = 0; l < method->layout_count; l++) {
      json_array_append_new(layouts, json_string(ts_layout_name(method->layouts[l])));
    }
    json_object_set_new(object, "layouts", layouts);
    json_array_append_new(list, object);
  }
  return list;
}

static void read_named(struct ts_project *project, struct ts_issues *issues) {
  const char *path = ts_request_path(project->request, &project->arena, project->request->file);
  if (ts_operand_refuse_data(path, "a workflow or study", issues)) ts_project_read(project, issues);
}

int ts_list(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  ts_auto(ts_project_release) struct ts_project project;
  ts_project_init(&project, request);
  json_t *object = ts_reply_new("tessera.list/1");
  if (request->file) /* also the operations a workflow brings along */
    read_named(&project, &issues);
  else
    project.registry = ts_project_registry();
  json_t *operations = json_array();
  for (size_t i = 0; project.registry && i < ts_registry_count(project.registry); i++)
    json_array_append_new(operations, operation_json(ts_registry_at(project.registry, i)));
  json_object_set_new(object, "operations", operations);
  json_object_set_new(object, "demos", ts_demo_list());
  json_object_set_new(object, "methods", methods_json());
  json_object_set_new(object, "samplers", samplers_json());
  json_object_set_new(object, "analyses", analyses_json());
  json_object_set_new(object, "schedulers", ts_scheduler_list());
  json_object_set_new(object, "tuners", ts_tuner_list());
  json_object_set_new(object, "commands", ts_table_json());
  return ts_reply_finish(object, 0, reply, NULL, &issues);
}
