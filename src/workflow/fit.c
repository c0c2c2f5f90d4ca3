/* Whether connected ports fit in type, with a sentence when they do not.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include "base/alloc.h"

#include <string.h>

/* Takes the next alternative of "mask|labels" off; NULL after the last. */
static const char *next_word(struct ts_arena *arena, const char **rest) {
  if (!*rest) return NULL;
  size_t length = strcspn(*rest, "|");
  const char *word = ts_arena_strndup(arena, *rest, length);
  *rest = (*rest)[length] ? *rest + length + 1 : NULL;
  return word;
}

/* The consumer must take everything that the producer may make. */
static bool fits(struct ts_arena *arena, const char *made, const char *needed) {
  const char *rest = made;
  for (const char *word = next_word(arena, &rest); word; word = next_word(arena, &rest)) {
    const struct ts_type *type = ts_type_find(word);
    if (!type || !ts_type_fits(type, needed)) return false;
  }
  return true;
}

const char *ts_type_in_words(struct ts_arena *arena, const char *declaration) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  const char *rest = declaration;
  for (const char *word = next_word(arena, &rest); word; word = next_word(arena, &rest)) {
    const struct ts_type *type = ts_type_find(word);
    ts_str_addf(&text, "%s%s", text.length ? " or " : "", type ? type->article : word);
  }
  return ts_arena_strdup(arena, ts_str_get(&text));
}

static void help_misfit(struct ts_builder *builder, const struct ts_names *names, const char *needed,
                        struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str list = {0};
  ts_names_print(names, &list);
  const char *words = ts_type_in_words(&builder->scratch, needed);
  if (names->count > 0) {
    ts_error_help(err, "connect %s%s, or put an operation between them that makes %s",
                  names->count > 1 ? "one of " : "", ts_str_get(&list), words);
  } else {
    ts_error_help(err, "put an operation between them that makes %s", words);
  }
}

static void report_misfit(struct ts_builder *builder, const struct ts_link *link, const char *port, const char *needed,
                          const char *made, const struct ts_names *alternatives) {
  const char *needed_words = ts_type_in_words(&builder->scratch, needed);
  const char *made_words = ts_type_in_words(&builder->scratch, made);
  struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_PORT_TYPE, link->pointer, TS_JSON_VALUE,
                                         "'%s' needs %s, but '%s' is %s", port, needed_words, link->text, made_words);
  help_misfit(builder, alternatives, needed, err);
}

/* Other sources that a stage could use: inputs of the workflow and outputs of other stages that fit. */
static void offer_to_stage(struct ts_builder *builder, const struct ts_stage_draft *stage, const char *needed,
                           struct ts_names *names) {
  struct ts_arena *arena = &builder->scratch;
  for (size_t i = 0; i < builder->stage_count; i++) {
    const struct ts_stage_draft *other = &builder->stages[i];
    for (size_t j = 0; other != stage && other->name && j < other->out.count; j++) {
      const char *made = ts_link_type(builder, other, &other->out.items[j]);
      if (made && fits(arena, made, needed)) {
        ts_names_add(names, ts_arena_printf(arena, "%s.%s", other->name, other->out.items[j].name));
      }
    }
  }
  for (size_t i = 0; i < builder->input_count; i++) {
    const char *made = builder->inputs[i].input.declaration;
    if (made && fits(arena, made, needed)) ts_names_add(names, builder->inputs[i].input.name);
  }
}

/* Other sources that a task could use: inputs of its stage and outputs of its other tasks that fit. */
static void offer_to_task(struct ts_builder *builder, const struct ts_stage_draft *stage,
                          const struct ts_task_draft *task, const char *needed, struct ts_names *names) {
  struct ts_arena *arena = &builder->scratch;
  for (size_t i = 0; i < stage->in.count; i++) {
    const char *made = ts_link_type(builder, stage, &stage->in.items[i]);
    if (made && fits(arena, made, needed)) ts_names_add(names, stage->in.items[i].name);
  }
  for (size_t i = 0; i < stage->task_count; i++) {
    const struct ts_task_draft *other = &stage->tasks[i];
    if (other == task || !other->op || !other->name) continue;
    for (size_t j = 0; j < other->op->descriptor->output_count; j++) {
      const struct ts_op_port *port = other->op->descriptor->outputs[j];
      if (fits(arena, port->type, needed))
        ts_names_add(names, ts_arena_printf(arena, "%s.%s", other->name, port->name));
    }
  }
}

/* If none of the tasks that use a stage's input can take it, the stage's connection is wrong, not each of theirs. */
static void check_stage_input(struct ts_builder *builder, struct ts_stage_draft *stage, size_t index) {
  struct ts_link *link = &stage->in.items[index];
  const char *made = ts_link_type(builder, stage, link);
  const char *needed = NULL;
  for (size_t i = 0; made && i < stage->task_count; i++) {
    const struct ts_task_draft *task = &stage->tasks[i];
    for (size_t port = 0; task->op && port < task->op->descriptor->input_count; port++) {
      size_t line = task->link_of_port[port];
      if (line == TS_NONE) continue;
      const struct ts_link *user = &task->in.items[line];
      if (user->kind != TS_LINK_STAGE_INPUT || user->index != index) continue;
      const char *type = task->op->descriptor->inputs[port]->type;
      if (fits(&builder->scratch, made, type)) return;
      if (!needed) needed = type;
    }
  }
  if (!needed) return;
  link->misfit = true;
  const char *port = ts_arena_printf(&builder->scratch, "%s.%s", stage->name ? stage->name : "stage", link->name);
  ts_auto(ts_names_release) struct ts_names names = {0};
  offer_to_stage(builder, stage, needed, &names);
  report_misfit(builder, link, port, needed, made, &names);
}

static void check_task_input(struct ts_builder *builder, const struct ts_stage_draft *stage,
                             const struct ts_task_draft *task, size_t port) {
  if (task->link_of_port[port] == TS_NONE) return;
  const struct ts_link *link = &task->in.items[task->link_of_port[port]];
  if (link->kind == TS_LINK_STAGE_INPUT && stage->in.items[link->index].misfit) return;
  const char *needed = task->op->descriptor->inputs[port]->type;
  const char *made = ts_link_type(builder, stage, link);
  if (!made || fits(&builder->scratch, made, needed)) return;
  const char *name = ts_arena_printf(&builder->scratch, "%s.%s", task->name ? task->name : "task", link->name);
  ts_auto(ts_names_release) struct ts_names names = {0};
  offer_to_task(builder, stage, task, needed, &names);
  report_misfit(builder, link, name, needed, made, &names);
}

static void check_default_run(struct ts_builder *builder, struct ts_input_draft *draft) {
  const char *needed = draft->input.declaration;
  const char *made = draft->default_run ? ts_link_type(builder, NULL, &draft->default_link) : NULL;
  if (!needed || !made || fits(&builder->scratch, made, needed)) return;
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < builder->stage_count; i++) {
    const struct ts_stage_draft *stage = &builder->stages[i];
    for (size_t j = 0; stage->name && j < stage->out.count; j++) {
      const char *type = ts_link_type(builder, stage, &stage->out.items[j]);
      if (type && fits(&builder->scratch, type, needed)) {
        ts_names_add(&names, ts_arena_printf(&builder->scratch, "%s.%s", stage->name, stage->out.items[j].name));
      }
    }
  }
  report_misfit(builder, &draft->default_link, draft->input.name, needed, made, &names);
}

/* "sample_px" needs an image of the dataset to take a sample of. */
static void check_sample(struct ts_builder *builder, const struct ts_stage_draft *stage) {
  bool any = stage->sample_px == 0 || !stage->in.known;
  for (size_t i = 0; !any && i < stage->in.count; i++) {
    const struct ts_link *link = &stage->in.items[i];
    const char *type = link->kind == TS_LINK_INPUT ? builder->inputs[link->index].input.declaration : NULL;
    any = link->kind == TS_LINK_BROKEN || (link->kind == TS_LINK_INPUT && (!type || ts_type_is_image(type)));
  }
  if (any) return;
  struct ts_error *err = ts_reader_fault(
      &builder->reader, TS_ERR_BAD_VALUE, ts_reader_child(&builder->reader, stage->pointer, "sample_px"), TS_JSON_KEY,
      "stage '%s' reads no image of the dataset that could be sampled", stage->name ? stage->name : "");
  ts_error_help(err, "connect one of its inputs with an input of the workflow of type image/..., or remove "
                     "\"sample_px\"");
}

void ts_check_types(struct ts_builder *builder) {
  for (size_t i = 0; i < builder->input_count; i++) check_default_run(builder, &builder->inputs[i]);
  for (size_t i = 0; i < builder->stage_count; i++) {
    struct ts_stage_draft *stage = &builder->stages[i];
    for (size_t j = 0; j < stage->in.count; j++) check_stage_input(builder, stage, j);
    check_sample(builder, stage);
    for (size_t j = 0; j < stage->task_count; j++) {
      const struct ts_task_draft *task = &stage->tasks[j];
      for (size_t port = 0; task->op && port < task->op->descriptor->input_count; port++) {
        check_task_input(builder, stage, task, port);
      }
    }
  }
}
