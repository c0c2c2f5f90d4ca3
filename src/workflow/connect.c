/* Resolves connections: what each line of an "in", an "out" or a "default_run" refers to.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include "base/alloc.h"

#include <string.h>

/* "task.port" -> "task" and "port"; false without a dot. */
static bool split(struct ts_reader *reader, const char *text, const char **head, const char **tail) {
  const char *dot = strchr(text, '.');
  if (!dot) return false;
  *head = ts_arena_strndup(reader->arena, text, (size_t)(dot - text));
  *tail = dot + 1;
  return true;
}

static size_t find_input(const struct ts_builder *builder, const char *name) {
  for (size_t i = 0; i < builder->input_count; i++) {
    if (strcmp(builder->inputs[i].input.name, name) == 0) return i;
  }
  return TS_NONE;
}

static size_t find_stage(const struct ts_builder *builder, const char *name) {
  for (size_t i = 0; i < builder->stage_count; i++) {
    if (builder->stages[i].name && strcmp(builder->stages[i].name, name) == 0) return i;
  }
  return TS_NONE;
}

static size_t find_task(const struct ts_stage_draft *stage, const char *name) {
  for (size_t i = 0; i < stage->task_count; i++) {
    if (stage->tasks[i].name && strcmp(stage->tasks[i].name, name) == 0) return i;
  }
  return TS_NONE;
}

static size_t find_link(const struct ts_links *links, const char *name) {
  for (size_t i = 0; i < links->count; i++) {
    if (strcmp(links->items[i].name, name) == 0) return i;
  }
  return TS_NONE;
}

static struct ts_error *no_producer(struct ts_builder *builder, const struct ts_link *link, const char *text) {
  return ts_reader_fault(&builder->reader, TS_ERR_NO_PRODUCER, link->pointer, TS_JSON_VALUE, "%s", text);
}

static void suggest_links(const struct ts_links *links, struct ts_error *err, const char *word, const char *label,
                          const char *none) {
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < links->count; i++) ts_names_add(&names, links->items[i].name);
  ts_names_suggest(&names, err, word, label, none);
}

static void report_unknown_input(struct ts_builder *builder, const struct ts_link *link) {
  const char *text = ts_arena_printf(builder->reader.arena, "the workflow has no input '%s'", link->text);
  struct ts_error *err = no_producer(builder, link, text);
  size_t stage = find_stage(builder, link->text);
  if (stage != TS_NONE && builder->stages[stage].out.count > 0) {
    ts_error_help(err, "to use what stage '%s' makes, name its output: '%s.%s'", link->text, link->text,
                  builder->stages[stage].out.items[0].name);
    return;
  }
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < builder->input_count; i++) ts_names_add(&names, builder->inputs[i].input.name);
  ts_names_suggest(&names, err, link->text, "inputs of the workflow",
                   "declare it in \"inputs\", or name a stage's output as STAGE.OUTPUT");
}

static void report_unknown_stage(struct ts_builder *builder, const struct ts_link *link, const char *name) {
  const char *text = ts_arena_printf(builder->reader.arena, "there is no stage '%s'", name);
  struct ts_error *err = no_producer(builder, link, text);
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < builder->stage_count; i++) {
    if (builder->stages[i].name) ts_names_add(&names, builder->stages[i].name);
  }
  ts_names_suggest(&names, err, name, "stages", "add a stage that makes it");
}

/* Resolves "stage.output". */
static void connect_stage_output(struct ts_builder *builder, struct ts_link *link) {
  const char *head;
  const char *tail;
  if (!split(&builder->reader, link->text, &head, &tail)) {
    const char *text = ts_arena_printf(builder->reader.arena, "'%s' is not an output of a stage", link->text);
    ts_error_help(no_producer(builder, link, text), "write STAGE.OUTPUT, as in \"segment.mask\"");
    return;
  }
  size_t stage = find_stage(builder, head);
  if (stage == TS_NONE) {
    if (builder->stages_known) report_unknown_stage(builder, link, head);
    return;
  }
  const struct ts_links *outputs = &builder->stages[stage].out;
  size_t port = find_link(outputs, tail);
  if (port != TS_NONE) {
    link->kind = TS_LINK_STAGE;
    link->index = stage;
    link->port = port;
  } else if (outputs->known) {
    const char *text = ts_arena_printf(builder->reader.arena, "stage '%s' has no output '%s'", head, tail);
    suggest_links(outputs, no_producer(builder, link, text), tail, "outputs of this stage",
                  "add it to the \"out\" of that stage");
  }
}

static void connect_stage_input(struct ts_builder *builder, struct ts_link *link) {
  if (!link->text) return;
  if (strchr(link->text, '.')) {
    connect_stage_output(builder, link);
    return;
  }
  size_t input = find_input(builder, link->text);
  if (input != TS_NONE) {
    link->kind = TS_LINK_INPUT;
    link->index = input;
  } else if (builder->inputs_known) {
    report_unknown_input(builder, link);
  }
}

static void report_unknown_task(struct ts_builder *builder, const struct ts_stage_draft *stage,
                                const struct ts_link *link, const char *name, const char *port) {
  const char *text = ts_arena_printf(builder->reader.arena, "this stage has no task '%s'", name);
  struct ts_error *err = no_producer(builder, link, text);
  size_t other = find_stage(builder, name);
  if (other != TS_NONE) {
    ts_error_help(err, "'%s' is a stage: add \"%s\": \"%s\" to the \"in\" of this stage and connect '%s'", name, port,
                  link->text, port);
    return;
  }
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < stage->task_count; i++) {
    if (stage->tasks[i].name) ts_names_add(&names, stage->tasks[i].name);
  }
  ts_names_suggest(&names, err, name, "tasks of this stage", "add a task that makes it");
}

static void report_unknown_port(struct ts_builder *builder, const struct ts_task_draft *task,
                                const struct ts_link *link, const char *port) {
  const struct ts_op_descriptor *descriptor = task->op->descriptor;
  const char *text = ts_arena_printf(builder->reader.arena, "task '%s' has no output '%s'", task->name, port);
  struct ts_error *err = no_producer(builder, link, text);
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < descriptor->output_count; i++) ts_names_add(&names, descriptor->outputs[i]->name);
  const char *label = ts_arena_printf(builder->reader.arena, "outputs of '%s'", descriptor->name);
  ts_names_suggest(&names, err, port, label, "its operation makes nothing");
}

static void connect_task_output(struct ts_builder *builder, struct ts_stage_draft *stage, struct ts_link *link) {
  const char *head;
  const char *tail;
  if (!split(&builder->reader, link->text, &head, &tail)) TS_BUG("'%s' has no dot", link->text);
  size_t task = find_task(stage, head);
  if (task == TS_NONE) {
    if (stage->tasks_known) report_unknown_task(builder, stage, link, head, tail);
    return;
  }
  if (!stage->tasks[task].op) return;
  if (ts_op_find_output(stage->tasks[task].op, tail, &link->port)) {
    link->kind = TS_LINK_TASK;
    link->index = task;
  } else {
    report_unknown_port(builder, &stage->tasks[task], link, tail);
  }
}

static void connect_output(struct ts_builder *builder, struct ts_stage_draft *stage, struct ts_link *link) {
  if (!link->text) return;
  if (strchr(link->text, '.')) {
    connect_task_output(builder, stage, link);
    return;
  }
  const char *text = ts_arena_printf(builder->reader.arena, "'%s' is not an output of a task", link->text);
  ts_error_help(no_producer(builder, link, text), "write TASK.PORT, as in \"final_size.mask\"");
}

static void report_unknown_stage_input(struct ts_builder *builder, const struct ts_stage_draft *stage,
                                       const struct ts_link *link) {
  const char *text = ts_arena_printf(builder->reader.arena, "this stage has no input '%s'", link->text);
  struct ts_error *err = no_producer(builder, link, text);
  if (find_input(builder, link->text) != TS_NONE) {
    ts_error_help(err, "add \"%s\": \"%s\" to the \"in\" of this stage", link->text, link->text);
  } else if (find_task(stage, link->text) != TS_NONE) {
    ts_error_help(err, "'%s' is a task: name its output too, as in \"%s.PORT\"", link->text, link->text);
  } else {
    suggest_links(&stage->in, err, link->text, "inputs of this stage",
                  "declare it in the \"in\" of this stage, or name a task's output as TASK.PORT");
  }
}

static void connect_task_input(struct ts_builder *builder, struct ts_stage_draft *stage, struct ts_link *link) {
  if (!link->text) return;
  if (strchr(link->text, '.')) {
    connect_task_output(builder, stage, link);
    return;
  }
  size_t input = find_link(&stage->in, link->text);
  if (input != TS_NONE) {
    link->kind = TS_LINK_STAGE_INPUT;
    link->index = input;
  } else if (stage->in.known) {
    report_unknown_stage_input(builder, stage, link);
  }
}

/* A port that the operation does not have. The one that was probably meant counts as connected. */
static void report_unknown_op_input(struct ts_builder *builder, struct ts_task_draft *task, size_t index, bool *meant) {
  const struct ts_op_descriptor *descriptor = task->op->descriptor;
  const struct ts_link *link = &task->in.items[index];
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < descriptor->input_count; i++) {
    if (task->link_of_port[i] == TS_NONE) ts_names_add(&names, descriptor->inputs[i]->name);
  }
  struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_UNKNOWN_KEY, link->pointer, TS_JSON_KEY,
                                         "operation '%s' has no input '%s'", descriptor->name, link->name);
  const char *nearest = ts_names_suggest(&names, err, link->name, "inputs not connected yet", "remove it");
  if (!nearest && names.count == 1) nearest = names.items[0];
  for (size_t i = 0; nearest && i < descriptor->input_count; i++) {
    if (strcmp(descriptor->inputs[i]->name, nearest) == 0) meant[i] = true;
  }
}

/* Assigns the lines of a task's "in" to the ports of its operation. */
static void assign_ports(struct ts_builder *builder, struct ts_task_draft *task) {
  const struct ts_op_descriptor *descriptor = task->op->descriptor;
  bool *meant = ts_arena_array(&builder->scratch, descriptor->input_count, sizeof *meant);
  task->link_of_port = ts_arena_array(&builder->scratch, descriptor->input_count, sizeof *task->link_of_port);
  for (size_t i = 0; i < descriptor->input_count; i++) {
    task->link_of_port[i] = find_link(&task->in, descriptor->inputs[i]->name);
  }
  size_t port;
  for (size_t i = 0; i < task->in.count; i++) {
    if (!ts_op_find_input(task->op, task->in.items[i].name, &port)) report_unknown_op_input(builder, task, i, meant);
  }
  for (size_t i = 0; task->in.known && i < descriptor->input_count; i++) {
    const struct ts_op_port *needed = descriptor->inputs[i];
    if (task->link_of_port[i] != TS_NONE || needed->optional || meant[i]) continue;
    struct ts_error *err = ts_reader_fault(
        &builder->reader, TS_ERR_NO_PRODUCER, ts_reader_child(&builder->reader, task->pointer, "in"), TS_JSON_VALUE,
        "nothing is connected to the input '%s' of operation '%s'", needed->name, descriptor->name);
    ts_error_help(err, "add \"%s\": \"TASK.PORT\", or an input of the stage, to \"in\"; it takes %s", needed->name,
                  ts_type_in_words(&builder->scratch, needed->type));
  }
}

void ts_connect(struct ts_builder *builder) {
  for (size_t i = 0; i < builder->input_count; i++) {
    if (builder->inputs[i].default_run) connect_stage_output(builder, &builder->inputs[i].default_link);
  }
  for (size_t i = 0; i < builder->stage_count; i++) {
    struct ts_stage_draft *stage = &builder->stages[i];
    for (size_t j = 0; j < stage->in.count; j++) connect_stage_input(builder, &stage->in.items[j]);
    for (size_t j = 0; j < stage->out.count; j++) connect_output(builder, stage, &stage->out.items[j]);
    for (size_t j = 0; j < stage->task_count; j++) {
      struct ts_task_draft *task = &stage->tasks[j];
      for (size_t k = 0; k < task->in.count; k++) connect_task_input(builder, stage, &task->in.items[k]);
      if (task->op) assign_ports(builder, task);
    }
  }
}

const char *ts_link_type(const struct ts_builder *builder, const struct ts_stage_draft *stage,
                         const struct ts_link *link) {
  const struct ts_stage_draft *other;
  switch (link->kind) {
  case TS_LINK_INPUT: return builder->inputs[link->index].input.declaration;
  case TS_LINK_TASK: return stage->tasks[link->index].op->descriptor->outputs[link->port]->type;
  case TS_LINK_STAGE_INPUT: return ts_link_type(builder, stage, &stage->in.items[link->index]);
  case TS_LINK_STAGE:
    other = &builder->stages[link->index];
    return ts_link_type(builder, other, &other->out.items[link->port]);
  case TS_LINK_BROKEN: break;
  }
  return NULL;
}

struct ts_source ts_link_source(const struct ts_builder *builder, const struct ts_stage_draft *stage,
                                const struct ts_link *link) {
  const struct ts_stage_draft *other;
  switch (link->kind) {
  case TS_LINK_INPUT: return (struct ts_source){.kind = TS_SOURCE_INPUT, .index = link->index};
  case TS_LINK_TASK:
    return (struct ts_source){.kind = TS_SOURCE_TASK, .index = stage->tasks[link->index].place, .port = link->port};
  case TS_LINK_STAGE_INPUT: return ts_link_source(builder, stage, &stage->in.items[link->index]);
  case TS_LINK_STAGE:
    other = &builder->stages[link->index];
    return ts_link_source(builder, other, &other->out.items[link->port]);
  case TS_LINK_BROKEN: break;
  }
  TS_BUG("a broken connection in a workflow without faults");
}
