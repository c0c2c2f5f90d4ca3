/* Domains of workflow parameters against those of their operations: declared ones lie within, others are taken over.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

static bool contains(const char *const *choices, const char *word) {
  for (size_t i = 0; choices[i]; i++) {
    if (strcmp(choices[i], word) == 0) return true;
  }
  return false;
}

static void narrow_numbers(struct ts_builder *builder, struct ts_parameter_draft *draft, const char *operation,
                           const struct ts_op_parameter *accepted) {
  struct ts_parameter *parameter = &draft->parameter;
  if (accepted->low > accepted->high) return;
  if (!draft->has_domain) {
    parameter->domain_low = parameter->has_domain ? fmax(parameter->domain_low, accepted->low) : accepted->low;
    parameter->domain_high = parameter->has_domain ? fmin(parameter->domain_high, accepted->high) : accepted->high;
    parameter->has_domain = true;
    return;
  }
  if (parameter->domain_low >= accepted->low && parameter->domain_high <= accepted->high) return;
  draft->clash = true;
  ts_auto(ts_str_release) struct ts_str own = {0};
  ts_auto(ts_str_release) struct ts_str theirs = {0};
  ts_print_span(&own, parameter->domain_low, parameter->domain_high);
  ts_print_span(&theirs, accepted->low, accepted->high);
  struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_OUTSIDE_DOMAIN,
                                         ts_reader_child(&builder->reader, draft->pointer, "domain"), TS_JSON_VALUE,
                                         "the domain %s of parameter '%s' goes beyond %s, which operation '%s' accepts",
                                         ts_str_get(&own), parameter->name, ts_str_get(&theirs), operation);
  ts_error_help(err, "narrow the domain to %s or less, or leave it out to take over the operation's",
                ts_str_get(&theirs));
}

static void take_over_choices(struct ts_builder *builder, struct ts_parameter *parameter, const char *const *accepted) {
  size_t count = 0;
  if (parameter->choices) {
    struct ts_value *kept = ts_arena_array(builder->reader.arena, parameter->choice_count, sizeof *kept);
    for (size_t i = 0; i < parameter->choice_count; i++) {
      if (contains(accepted, parameter->choices[i].as.string)) kept[count++] = parameter->choices[i];
    }
    parameter->choices = kept;
    parameter->choice_count = count;
    return;
  }
  while (accepted[count]) count++;
  struct ts_value *choices = ts_arena_array(builder->reader.arena, count, sizeof *choices);
  for (size_t i = 0; i < count; i++) choices[i] = ts_value_string(ts_arena_strdup(builder->reader.arena, accepted[i]));
  parameter->choices = choices;
  parameter->choice_count = count;
}

static void narrow_choices(struct ts_builder *builder, struct ts_parameter_draft *draft, const char *operation,
                           const struct ts_op_parameter *accepted) {
  struct ts_parameter *parameter = &draft->parameter;
  if (!accepted->choices) return;
  if (!draft->has_choices) {
    take_over_choices(builder, parameter, accepted->choices);
    return;
  }
  for (size_t i = 0; i < parameter->choice_count && !draft->clash; i++) {
    const char *choice = parameter->choices[i].as.string;
    if (contains(accepted->choices, choice)) continue;
    draft->clash = true;
    struct ts_reader *reader = &builder->reader;
    const char *place = ts_reader_item(reader, ts_reader_child(reader, draft->pointer, "choices"), i);
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_OUTSIDE_DOMAIN, place, TS_JSON_VALUE,
                                           "the choice '%s' of parameter '%s' is not accepted by operation '%s'",
                                           choice, parameter->name, operation);
    ts_auto(ts_names_release) struct ts_names names = {0};
    for (size_t j = 0; accepted->choices[j]; j++) ts_names_add(&names, accepted->choices[j]);
    ts_names_suggest(&names, err, choice, "it accepts", "");
  }
}

/* The domain of an operation is in pixels: values with a unit are compared with it for each file. */
static void narrow(struct ts_builder *builder, const struct ts_task_draft *task) {
  const struct ts_op_descriptor *descriptor = task->op->descriptor;
  for (size_t i = 0; i < descriptor->parameter_count; i++) {
    if (task->bindings[i].parameter == TS_NONE) continue;
    struct ts_parameter_draft *draft = &builder->parameters[task->bindings[i].parameter];
    if (!draft->sound || draft->clash) continue;
    if (draft->parameter.type == TS_VALUE_STRING) {
      narrow_choices(builder, draft, descriptor->name, descriptor->parameters[i]);
    } else if (draft->parameter.type != TS_VALUE_BOOLEAN && draft->parameter.unit == TS_UNIT_NONE) {
      narrow_numbers(builder, draft, descriptor->name, descriptor->parameters[i]);
    }
  }
}

/* Only domains that were taken over are new; declared ones were checked when the parameter was read. */
static void check_taken_over(struct ts_builder *builder, struct ts_parameter_draft *draft, const json_t *object) {
  const struct ts_parameter *parameter = &draft->parameter;
  bool numbers = parameter->has_domain && !draft->has_domain;
  bool choices = parameter->choices && !draft->has_choices;
  if (!numbers && !choices) return;
  if ((numbers && parameter->domain_low > parameter->domain_high) || (choices && parameter->choice_count == 0)) {
    struct ts_error *err =
        ts_reader_fault(&builder->reader, TS_ERR_EMPTY_RANGE, draft->pointer, TS_JSON_KEY,
                        "no value of parameter '%s' is accepted by all operations that use it", parameter->name);
    ts_error_help(err, "use a parameter of its own for each of them");
    draft->sound = false;
    return;
  }
  if (!ts_check_parameter_values(&builder->reader, parameter, object, draft->pointer)) draft->sound = false;
}

void ts_settle_domains(struct ts_builder *builder) {
  for (size_t i = 0; i < builder->stage_count; i++) {
    for (size_t j = 0; j < builder->stages[i].task_count; j++) {
      const struct ts_task_draft *task = &builder->stages[i].tasks[j];
      if (task->op && task->bindings) narrow(builder, task);
    }
  }
  const json_t *parameters = json_object_get(builder->reader.doc->root, "parameters");
  for (size_t i = 0; i < builder->parameter_count; i++) {
    struct ts_parameter_draft *draft = &builder->parameters[i];
    if (draft->sound) check_taken_over(builder, draft, json_object_get(parameters, draft->parameter.name));
  }
}
