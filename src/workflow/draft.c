/* Stages and tasks as written: names, operations and connections, not yet resolved.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#include "base/alloc.h"
#include "base/const.h"

#include <string.h>

enum { STAGE_NAME, STAGE_PER, STAGE_REGION, STAGE_SAMPLE, STAGE_IN, STAGE_OUT, STAGE_TASKS, STAGE_FIELDS };
enum { TASK_NAME, TASK_OP, TASK_IN, TASK_PARAMS, TASK_FIELDS };

const char *ts_scope_name(enum ts_scope scope) {
  switch (scope) {
  case TS_PER_TILE: return "tile";
  case TS_PER_FILE: return "file";
  case TS_PER_DATASET: return "dataset";
  }
  TS_BUG("no such scope: %d", (int)scope);
}

/* A user who wants to feed a port from two places writes a list: the answer is about producers, not about JSON. */
static void report_link(struct ts_reader *reader, const json_t *value, const struct ts_link *link,
                        const char *example) {
  const char *first = json_string_value(json_array_get(value, 0));
  const char *second = json_string_value(json_array_get(value, 1));
  if (!first || !second) {
    const char *label = ts_arena_printf(reader->arena, "'%s'", link->name);
    ts_reader_want(reader, value, link->pointer, label, TS_WANT_STRING,
                   ts_arena_printf(reader->arena, "\"%s\": %s", link->name, example));
    return;
  }
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_TWO_PRODUCERS, link->pointer, TS_JSON_VALUE,
                                         "'%s' has two producers, '%s' and '%s'", link->name, first, second);
  ts_error_help(err, "keep one of them, or let an operation with two inputs combine them");
}

static void read_links(struct ts_reader *reader, const struct ts_field *field, const char *pointer, const char *example,
                       struct ts_links *links) {
  links->known = !field->faulty;
  links->items = ts_arena_array(reader->arena, json_object_size(field->value), sizeof *links->items);
  if (!field->value) return;
  const char *key;
  json_t *value;
  json_object_foreach(ts_without_const(field->value), key, value) {
    struct ts_link *link = &links->items[links->count++];
    link->name = ts_arena_strdup(reader->arena, key);
    link->pointer = ts_reader_child(reader, pointer, key);
    if (json_is_string(value)) {
      link->text = ts_arena_strdup(reader->arena, json_string_value(value));
    } else {
      report_link(reader, value, link, example);
    }
  }
}

static void check_link_names(struct ts_reader *reader, const struct ts_links *links, const char *what) {
  for (size_t i = 0; i < links->count; i++) {
    ts_reader_name(reader, links->items[i].name, links->items[i].pointer, TS_JSON_KEY, what);
  }
}

static const char *read_name(struct ts_reader *reader, const struct ts_field *field, const char *pointer,
                             const char *what) {
  const char *name = json_string_value(field->value);
  if (!name) return NULL;
  if (!ts_reader_name(reader, name, ts_reader_child(reader, pointer, "name"), TS_JSON_VALUE, what)) return NULL;
  return ts_arena_strdup(reader->arena, name);
}

/* An operation that is not there may come from a file that could not be loaded, unless its library is there. */
static bool library_is_known(const struct ts_registry *registry, const char *name) {
  size_t length = strcspn(name, ".");
  for (size_t i = 0; i < ts_registry_count(registry); i++) {
    const char *other = ts_registry_at(registry, i)->descriptor->name;
    if (strcspn(other, ".") == length && memcmp(other, name, length) == 0) return true;
  }
  return false;
}

static void find_operation(struct ts_builder *builder, const char *name, struct ts_task_draft *task) {
  task->op = ts_registry_find(builder->registry, name);
  if (task->op) return;
  /* A file that could not be loaded may have it: then only a name that looks misspelt is reported. */
  const char *nearest = ts_registry_nearest(builder->registry, name);
  if (!builder->operations_known && !(nearest && library_is_known(builder->registry, name))) return;
  struct ts_error *err = ts_reader_fault(&builder->reader, TS_ERR_UNKNOWN_OPERATION,
                                         ts_reader_child(&builder->reader, task->pointer, "op"), TS_JSON_VALUE,
                                         "there is no operation '%s'", name);
  if (nearest) {
    ts_error_help(err, "did you mean '%s'?", nearest);
    return;
  }
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < ts_registry_count(builder->registry); i++) {
    ts_names_add(&names, ts_registry_at(builder->registry, i)->descriptor->name);
  }
  ts_auto(ts_str_release) struct ts_str list = {0};
  ts_names_print(&names, &list);
  ts_error_help(err, "name its file in \"operations\", or use %s",
                names.count ? ts_str_get(&list) : "a build of tessera that has it");
}

static void read_task(struct ts_builder *builder, const json_t *object, struct ts_task_draft *task) {
  struct ts_reader *reader = &builder->reader;
  struct ts_field fields[TASK_FIELDS] = {
      [TASK_NAME] = {"name", TS_WANT_STRING, true, "\"background\"", NULL, false},
      [TASK_OP] = {"op", TS_WANT_STRING, true, "\"nuclei.background\"", NULL, false},
      [TASK_IN] = {"in", TS_WANT_OBJECT, false, "{\"image\": \"normalise.image\"}", NULL, false},
      [TASK_PARAMS] = {"params", TS_WANT_ANY, false, "[\"RC\"]", NULL, false},
  };
  if (!ts_reader_want(reader, object, task->pointer, "a task", TS_WANT_OBJECT,
                      "{\"name\": \"background\", \"op\": \"nuclei.background\"}")) {
    builder->uses_known = false;
    return;
  }
  ts_reader_fields(reader, object, task->pointer, "a task", fields, TASK_FIELDS);
  task->name = read_name(reader, &fields[TASK_NAME], task->pointer, "a task");
  read_links(reader, &fields[TASK_IN], ts_reader_child(reader, task->pointer, "in"), "\"background.rc\"", &task->in);
  task->params = fields[TASK_PARAMS].value;
  task->params_faulty = fields[TASK_PARAMS].faulty;
  if (fields[TASK_OP].value) find_operation(builder, json_string_value(fields[TASK_OP].value), task);
}

static void check_task_names(struct ts_reader *reader, struct ts_stage_draft *stage) {
  for (size_t i = 0; i < stage->task_count; i++) {
    for (size_t j = 0; stage->tasks[i].name && j < i; j++) {
      if (!stage->tasks[j].name || strcmp(stage->tasks[i].name, stage->tasks[j].name) != 0) continue;
      struct ts_error *err =
          ts_reader_fault(reader, TS_ERR_DUPLICATE_NAME, ts_reader_child(reader, stage->tasks[i].pointer, "name"),
                          TS_JSON_VALUE, "two tasks of this stage are called '%s'", stage->tasks[i].name);
      ts_error_help(err, "give one of them another name; connections refer to it as NAME.PORT");
      break;
    }
  }
}

static void read_tasks(struct ts_builder *builder, const struct ts_field *field, struct ts_stage_draft *stage) {
  struct ts_reader *reader = &builder->reader;
  stage->tasks_known = !field->faulty;
  if (field->faulty) builder->uses_known = false;
  stage->task_count = json_array_size(field->value);
  stage->tasks = ts_arena_array(&builder->scratch, stage->task_count, sizeof *stage->tasks);
  const char *pointer = ts_reader_child(reader, stage->pointer, "tasks");
  if (field->value && stage->task_count == 0) {
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE, "a stage must have at least one task");
    ts_error_help(err, "add a task, as in {\"name\": \"background\", \"op\": \"nuclei.background\"}");
    stage->tasks_known = false;
  }
  for (size_t i = 0; i < stage->task_count; i++) {
    stage->tasks[i].pointer = ts_reader_item(reader, pointer, i);
    read_task(builder, json_array_get(field->value, i), &stage->tasks[i]);
    if (!stage->tasks[i].name) stage->tasks_known = false;
  }
  check_task_names(reader, stage);
}

static void read_scope(struct ts_reader *reader, const struct ts_field *field, struct ts_stage_draft *stage) {
  const char *text = json_string_value(field->value);
  if (!text) return;
  const char *wanted = strcmp(text, "image") == 0 ? "file" : text;
  ts_auto(ts_names_release) struct ts_names names = {0};
  bool found = false;
  for (int scope = 0; scope < TS_SCOPE_COUNT && !found; scope++) {
    stage->scope = (enum ts_scope)scope;
    found = strcmp(ts_scope_name(stage->scope), wanted) == 0;
    ts_names_add(&names, ts_scope_name(stage->scope));
  }
  if (!found) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, ts_reader_child(reader, stage->pointer, "per"),
                                           TS_JSON_VALUE, "a stage cannot run per '%s'", text);
    ts_names_suggest(&names, err, text, "a stage runs once per", "");
  }
}

static bool read_region_word(struct ts_reader *reader, const char *text, const char *pointer) {
  if (strcmp(text, "core") == 0) return true;
  if (strcmp(text, "tile") == 0) return false;
  struct ts_error *err =
      ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE, "a stage has no region '%s'", text);
  ts_error_help(err, "write \"tile\" (tiles with their halo) or \"core\" (without it)");
  return false;
}

/* One line of a region that names inputs of the stage. */
static void read_region_of_input(struct ts_reader *reader, const char *name, const json_t *value, const char *pointer,
                                 struct ts_links *in) {
  ts_auto(ts_names_release) struct ts_names names = {0};
  struct ts_link *link = NULL;
  for (size_t i = 0; i < in->count; i++) {
    ts_names_add(&names, in->items[i].name);
    if (strcmp(in->items[i].name, name) == 0) link = &in->items[i];
  }
  if (!link && in->known) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_UNKNOWN_KEY, pointer, TS_JSON_KEY,
                                           "\"region\" names '%s', which is not an input of this stage", name);
    ts_names_suggest(&names, err, name, "inputs of this stage", "declare it in the \"in\" of this stage");
  }
  const char *label = ts_arena_printf(reader->arena, "'%s'", name);
  if (!ts_reader_want(reader, value, pointer, label, TS_WANT_STRING, "\"core\"")) return;
  bool core = read_region_word(reader, json_string_value(value), pointer);
  if (link) link->core = core;
}

/* "core": tiles lose their halo before they enter the stage; an object says it of some inputs only. */
static void read_region(struct ts_reader *reader, const struct ts_field *field, struct ts_stage_draft *stage) {
  if (!field->value) return;
  const char *pointer = ts_reader_child(reader, stage->pointer, "region");
  if (json_is_string(field->value)) {
    stage->core_only = read_region_word(reader, json_string_value(field->value), pointer);
    return;
  }
  if (!json_is_object(field->value)) {
    ts_reader_wrong_type(reader, field->value, pointer, "'region'", "a string or an object",
                         "\"core\" or {\"mask\": \"core\"}");
    return;
  }
  const char *name;
  json_t *value;
  json_object_foreach(ts_without_const(field->value), name, value) {
    read_region_of_input(reader, name, value, ts_reader_child(reader, pointer, name), &stage->in);
  }
}

/* Images of the dataset are sampled where they are read whole: in stages per file. */
static void read_sample(struct ts_reader *reader, const struct ts_field *field, struct ts_stage_draft *stage) {
  if (!field->value || field->faulty) return;
  const char *pointer = ts_reader_child(reader, stage->pointer, "sample_px");
  stage->sample_px = json_integer_value(field->value);
  if (stage->sample_px < TS_SAMPLE_PX_MIN || stage->sample_px > TS_SAMPLE_PX_MAX) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE,
                                           "a sample cannot have %lld pixels", (long long)stage->sample_px);
    ts_error_help(err, "give a whole number from %d to %d", TS_SAMPLE_PX_MIN, TS_SAMPLE_PX_MAX);
  } else if (stage->scope != TS_PER_FILE) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_KEY,
                                           "a stage per %s cannot sample its images", ts_scope_name(stage->scope));
    ts_error_help(err, "let the stage run per file, or remove \"sample_px\"");
  }
}

static void check_outputs(struct ts_reader *reader, const struct ts_field *field, const struct ts_stage_draft *stage) {
  if (!field->value || stage->out.count > 0) return;
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_BAD_VALUE, ts_reader_child(reader, stage->pointer, "out"),
                                         TS_JSON_VALUE, "a stage must have at least one output");
  ts_error_help(err, "name what it makes, as in \"out\": {\"mask\": \"final_size.mask\"}");
}

static void read_stage(struct ts_builder *builder, const json_t *object, struct ts_stage_draft *stage) {
  struct ts_reader *reader = &builder->reader;
  struct ts_field fields[STAGE_FIELDS] = {
      [STAGE_NAME] = {"name", TS_WANT_STRING, true, "\"segment\"", NULL, false},
      [STAGE_PER] = {"per", TS_WANT_STRING, true, "\"tile\"", NULL, false},
      [STAGE_REGION] = {"region", TS_WANT_ANY, false, "\"core\"", NULL, false},
      [STAGE_SAMPLE] = {"sample_px", TS_WANT_INTEGER, false, "16777216", NULL, false},
      [STAGE_IN] = {"in", TS_WANT_OBJECT, false, "{\"image\": \"normalise.image\"}", NULL, false},
      [STAGE_OUT] = {"out", TS_WANT_OBJECT, true, "{\"mask\": \"final_size.mask\"}", NULL, false},
      [STAGE_TASKS] = {"tasks", TS_WANT_LIST, true, "[{\"name\": \"background\", \"op\": \"nuclei.background\"}]", NULL,
                       false},
  };
  if (!ts_reader_want(reader, object, stage->pointer, "a stage", TS_WANT_OBJECT,
                      "{\"name\": \"segment\", \"per\": \"tile\", \"out\": {}, \"tasks\": []}")) {
    builder->uses_known = false;
    return;
  }
  ts_reader_fields(reader, object, stage->pointer, "a stage", fields, STAGE_FIELDS);
  stage->name = read_name(reader, &fields[STAGE_NAME], stage->pointer, "a stage");
  read_scope(reader, &fields[STAGE_PER], stage);
  read_sample(reader, &fields[STAGE_SAMPLE], stage);
  read_links(reader, &fields[STAGE_IN], ts_reader_child(reader, stage->pointer, "in"), "\"normalise.image\"",
             &stage->in);
  read_links(reader, &fields[STAGE_OUT], ts_reader_child(reader, stage->pointer, "out"), "\"final_size.mask\"",
             &stage->out);
  read_region(reader, &fields[STAGE_REGION], stage);
  check_link_names(reader, &stage->in, "an input");
  check_link_names(reader, &stage->out, "an output");
  check_outputs(reader, &fields[STAGE_OUT], stage);
  read_tasks(builder, &fields[STAGE_TASKS], stage);
}

void ts_read_stages(struct ts_builder *builder, const json_t *list, const char *pointer) {
  struct ts_reader *reader = &builder->reader;
  builder->stage_count = json_array_size(list);
  builder->stages = ts_arena_array(&builder->scratch, builder->stage_count, sizeof *builder->stages);
  if (builder->stage_count == 0) {
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE, "a workflow must have at least one stage");
    ts_error_help(err, "add a stage with its tasks; docs/workflow-file.md shows how");
    builder->stages_known = false;
  }
  for (size_t i = 0; i < builder->stage_count; i++) {
    struct ts_stage_draft *stage = &builder->stages[i];
    stage->pointer = ts_reader_item(reader, pointer, i);
    read_stage(builder, json_array_get(list, i), stage);
    if (!stage->name) builder->stages_known = false;
    for (size_t j = 0; stage->name && j < i; j++) {
      if (!builder->stages[j].name || strcmp(stage->name, builder->stages[j].name) != 0) continue;
      struct ts_error *err =
          ts_reader_fault(reader, TS_ERR_DUPLICATE_NAME, ts_reader_child(reader, stage->pointer, "name"), TS_JSON_VALUE,
                          "two stages are called '%s'", stage->name);
      ts_error_help(err, "give one of them another name; connections refer to it as NAME.OUTPUT");
      break;
    }
  }
}
