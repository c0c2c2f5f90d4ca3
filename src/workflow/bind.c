/* Binds the parameters of operations to parameters of the workflow or to fixed values, and finds unused ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include "base/alloc.h"
#include "base/const.h"

#include <string.h>

static size_t find_parameter(const struct ts_builder *builder, const char *name) {
  for (size_t i = 0; i < builder->parameter_count; i++) {
    if (strcmp(builder->parameters[i].parameter.name, name) == 0) return i;
  }
  return TS_NONE;
}

/* The parameter that was probably meant counts as used. */
static void report_unknown_parameter(struct ts_builder *builder, const char *pointer, const char *name) {
  if (!builder->parameters_known) return;
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < builder->parameter_count; i++) ts_names_add(&names, builder->parameters[i].parameter.name);
  struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_UNKNOWN_PARAMETER, pointer, TS_JSON_VALUE,
                                         "the workflow has no parameter '%s'", name);
  const char *nearest =
      ts_names_suggest(&names, err, name, "parameters of the workflow", "declare it in \"parameters\"");
  if (nearest) builder->parameters[find_parameter(builder, nearest)].used = true;
}

/* One task while its parameters are bound. */
struct binder {
  struct ts_builder *builder; /* borrowed */
  struct ts_task_draft *task; /* borrowed */
  bool *settled;              /* per parameter of the operation: bound, or complained about */
};

static void report_unknown_op_parameter(struct binder *binder, const char *pointer, enum ts_json_part part,
                                        const char *name) {
  const struct ts_op_descriptor *descriptor = binder->task->op->descriptor;
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < descriptor->parameter_count; i++) {
    if (!binder->settled[i]) ts_names_add(&names, descriptor->parameters[i]->name);
  }
  struct ts_error *err = ts_reader_fault(&binder->builder->reader, TS_ERR_UNKNOWN_PARAMETER, pointer, part,
                                         "operation '%s' has no parameter '%s'", descriptor->name, name);
  const char *nearest = ts_names_suggest(&names, err, name, "its parameters that are not bound yet",
                                         "remove it: all parameters of this operation are bound");
  if (!nearest && names.count == 1) nearest = names.items[0];
  size_t index;
  if (nearest && ts_op_find_parameter(binder->task->op, nearest, &index)) binder->settled[index] = true;
}

/* Looks up the operation's parameter `name` once; the second time is a fault. */
static bool claim(struct binder *binder, const char *pointer, enum ts_json_part part, const char *name, size_t *index) {
  if (!ts_op_find_parameter(binder->task->op, name, index)) {
    report_unknown_op_parameter(binder, pointer, part, name);
    return false;
  }
  if (binder->settled[*index]) {
    struct ts_error *err = ts_reader_fault(&binder->builder->reader, TS_ERR_DUPLICATE_NAME, pointer, part,
                                           "parameter '%s' is bound twice in this task", name);
    return ts_error_help(err, "remove one of the two");
  }
  binder->settled[*index] = true;
  return true;
}

/* Values with a unit become pixels, which an operation may want as whole numbers. */
static bool fits(const struct ts_parameter *parameter, enum ts_value_type wanted) {
  const bool is_number = wanted == TS_VALUE_INTEGER || wanted == TS_VALUE_REAL;
  return parameter->type == wanted || (parameter->unit != TS_UNIT_NONE && is_number);
}

static void bind_to_parameter(struct binder *binder, size_t index, const char *pointer, const char *name) {
  struct ts_builder *builder = binder->builder;
  const struct ts_op_descriptor *descriptor = binder->task->op->descriptor;
  size_t found = find_parameter(builder, name);
  if (found == TS_NONE) {
    report_unknown_parameter(builder, pointer, name);
    return;
  }
  struct ts_parameter_draft *draft = &builder->parameters[found];
  binder->task->bindings[index].parameter = found;
  binder->task->bindings[index].unit = draft->parameter.unit;
  enum ts_value_type wanted = ts_op_plain_type(descriptor->parameters[index]->type);
  if (!draft->sound || draft->clash || fits(&draft->parameter, wanted)) return;
  draft->clash = true;
  struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                                         "'%s' of operation '%s' is of type %s, but parameter '%s' is of type %s",
                                         descriptor->parameters[index]->name, descriptor->name,
                                         ts_value_type_name(wanted), name, ts_value_type_name(draft->parameter.type));
  if (draft->parameter.unit != TS_UNIT_NONE)
    ts_error_help(err, "a unit is for numbers: give this operation a parameter of its own");
  else
    ts_error_help(err, "write \"type\": \"%s\" in parameter '%s'", ts_value_type_name(wanted), name);
}

/* {"value": 8} */
static void bind_to_value(struct binder *binder, size_t index, const char *pointer, const json_t *object) {
  struct ts_reader *reader = &binder->builder->reader;
  const struct ts_op_parameter *parameter = binder->task->op->descriptor->parameters[index];
  struct ts_field field = {"value", TS_WANT_ANY, true, "8", NULL, false};
  ts_reader_fields(reader, object, pointer, "a fixed parameter", &field, 1);
  if (!field.value) return;
  const char *place = ts_reader_child(reader, pointer, "value");
  const char *label =
      ts_arena_printf(reader->arena, "'%s' of operation '%s'", parameter->name, binder->task->op->descriptor->name);
  struct ts_value *fixed = &binder->task->bindings[index].fixed;
  if (!ts_read_value(reader, field.value, place, ts_op_plain_type(parameter->type), label, fixed)) return;
  struct ts_error trouble = {0};
  if (ts_op_check_value(parameter, fixed, &trouble)) return;
  struct ts_error *err = ts_faults_add(reader->faults);
  *err = trouble;
  ts_json_place(err, reader->doc, place, TS_JSON_VALUE);
}

static void bind_list(struct binder *binder, const char *pointer) {
  struct ts_reader *reader = &binder->builder->reader;
  for (size_t i = 0; i < json_array_size(binder->task->params); i++) {
    const json_t *item = json_array_get(binder->task->params, i);
    const char *place = ts_reader_item(reader, pointer, i);
    if (!ts_reader_want(reader, item, place, "a name in 'params'", TS_WANT_STRING, "\"params\": [\"RC\"]")) continue;
    const char *name = ts_arena_strdup(reader->arena, json_string_value(item));
    size_t index;
    if (claim(binder, place, TS_JSON_VALUE, name, &index)) bind_to_parameter(binder, index, place, name);
  }
}

static void bind_entry(struct binder *binder, const char *pointer, const char *key, const json_t *value) {
  struct ts_reader *reader = &binder->builder->reader;
  size_t index;
  if (!claim(binder, pointer, TS_JSON_KEY, key, &index)) return;
  if (json_is_string(value)) {
    bind_to_parameter(binder, index, pointer, ts_arena_strdup(reader->arena, json_string_value(value)));
  } else if (json_is_object(value)) {
    bind_to_value(binder, index, pointer, value);
  } else {
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                        "'%s' must name a parameter of the workflow, but it is %s", key, ts_json_kind(value));
    ts_error_help(err, "to fix the value, write {\"value\": ...}");
  }
}

static void report_unbound(struct binder *binder, const char *pointer) {
  const struct ts_op_descriptor *descriptor = binder->task->op->descriptor;
  for (size_t i = 0; i < descriptor->parameter_count; i++) {
    if (binder->settled[i]) continue;
    const char *name = descriptor->parameters[i]->name;
    struct ts_error *err = ts_reader_fault(&binder->builder->reader, TS_ERR_MISSING_KEY, pointer, TS_JSON_VALUE,
                                           "parameter '%s' of operation '%s' is not bound", name, descriptor->name);
    size_t found = find_parameter(binder->builder, name);
    if (found != TS_NONE) {
      binder->builder->parameters[found].used = true;
      ts_error_help(err, "add \"%s\" to \"params\"", name);
    } else {
      ts_error_help(err,
                    "declare '%s' in \"parameters\" and add it to \"params\", or fix it: {\"%s\": {\"value\": ...}}",
                    name, name);
    }
  }
}

/* Apart from binding, because a task counts as a user even if its operation is unknown. */
static void mark_used(struct ts_builder *builder, const json_t *params) {
  size_t i;
  json_t *item;
  json_array_foreach(params, i, item) {
    size_t found = json_is_string(item) ? find_parameter(builder, json_string_value(item)) : TS_NONE;
    if (found != TS_NONE) builder->parameters[found].used = true;
  }
  const char *key;
  json_object_foreach(ts_without_const(params), key, item) {
    size_t found = json_is_string(item) ? find_parameter(builder, json_string_value(item)) : TS_NONE;
    if (found != TS_NONE) builder->parameters[found].used = true;
  }
}

static void bind_task(struct ts_builder *builder, struct ts_task_draft *task) {
  struct ts_reader *reader = &builder->reader;
  const char *pointer = ts_reader_child(reader, task->pointer, "params");
  if (task->params && !json_is_array(task->params) && !json_is_object(task->params)) {
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                        "'params' must be a list or an object, but it is %s", ts_json_kind(task->params));
    ts_error_help(err, "write it as in \"params\": [\"RC\"] or \"params\": {\"connectivity\": \"RC\"}");
    task->params_faulty = true;
  }
  if (task->params_faulty) builder->uses_known = false;
  mark_used(builder, task->params);
  if (!task->op || task->params_faulty) return;
  size_t count = task->op->descriptor->parameter_count;
  task->bindings = ts_arena_array(&builder->scratch, count, sizeof *task->bindings);
  for (size_t i = 0; i < count; i++) task->bindings[i].parameter = TS_NONE;
  struct binder binder = {builder, task, ts_arena_array(&builder->scratch, count, sizeof(bool))};
  bind_list(&binder, pointer);
  const char *key;
  json_t *value;
  json_object_foreach(ts_without_const(task->params), key, value) {
    bind_entry(&binder, ts_reader_child(reader, pointer, key), key, value);
  }
  report_unbound(&binder, pointer);
}

static void report_unused(struct ts_builder *builder) {
  for (size_t i = 0; builder->uses_known && i < builder->parameter_count; i++) {
    const struct ts_parameter_draft *draft = &builder->parameters[i];
    if (draft->used) continue;
    struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_UNUSED_PARAMETER, draft->pointer, TS_JSON_KEY,
                                           "no task uses parameter '%s'", draft->parameter.name);
    ts_error_help(err, "add it to the \"params\" of a task, or remove it");
  }
}

void ts_bind_parameters(struct ts_builder *builder) {
  for (size_t i = 0; i < builder->stage_count; i++) {
    for (size_t j = 0; j < builder->stages[i].task_count; j++) bind_task(builder, &builder->stages[i].tasks[j]);
  }
  ts_settle_domains(builder);
  report_unused(builder);
}
