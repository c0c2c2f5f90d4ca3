/* Gathers failed tasks and remarks of commands, and counts those that are equal.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/failures.h"

#include "base/alloc.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#define FAILED_MAX 100

struct ts_failures {
  struct ts_arena arena;         /* owns the texts */
  json_t *parameters;            /* owned: an array of the objects that the lists borrow */
  struct ts_failed_task *failed; /* owned: FAILED_MAX of them */
  size_t failed_count;
  struct ts_failure_kind *kinds; /* owned: FAILURE_KINDS_MAX of them */
  size_t kind_count;
  struct ts_map units;       /* (kind, unit) of every failure: the units of a kind are counted once */
  struct ts_remark *remarks; /* owned: one per task that remarked something */
  size_t remark_count, remark_capacity;
};

struct ts_failures *ts_failures_create(void) {
  struct ts_failures *failures = ts_calloc(1, sizeof *failures);
  failures->parameters = json_array();
  failures->failed = ts_calloc(FAILED_MAX, sizeof *failures->failed);
  failures->kinds = ts_calloc(FAILURE_KINDS_MAX, sizeof *failures->kinds);
  return failures;
}

void ts_failures_destroy(struct ts_failures *failures) {
  if (!failures) return;
  json_decref(failures->parameters);
  free(failures->failed);
  free(failures->kinds);
  free(failures->remarks);
  ts_map_release(&failures->units);
  ts_arena_release(&failures->arena);
  free(failures);
}

json_t *ts_node_parameters(const struct ts_plan *plan, const struct ts_node *node) {
  json_t *values = json_object();
  if (node->kind != TS_NODE_TASK) return values;
  const struct ts_task *task = &plan->workflow->tasks[node->task];
  for (size_t i = 0; i < task->op->descriptor->parameter_count; i++) {
    const size_t parameter = task->parameters[i].parameter;
    if (parameter == TS_NONE) continue;
    json_object_set_new(values, plan->workflow->parameters[parameter].name, ts_value_to_json(&node->parameters[i]));
  }
  return values;
}

static struct ts_failed_task describe(struct ts_failures *failures, const struct ts_project *project,
                                      const struct ts_plan *plan, const struct ts_task_event *event, const char *name,
                                      const char *key) {
  const struct ts_node *node = &plan->nodes[event->node];
  const struct ts_dataset *d = &project->dataset;
  const struct ts_tile *tile = ts_dataset_tile(d, node->scope, event->unit);
  json_t *parameters = ts_node_parameters(plan, node);
  json_array_append_new(failures->parameters, parameters);
  return (struct ts_failed_task){.task = ts_arena_strdup(&failures->arena, name),
                                 .key = ts_arena_strdup(&failures->arena, key),
                                 .file = d->items[ts_dataset_item(d, node->scope, event->unit)].name,
                                 .error = *event->error,
                                 .log = ts_arena_strdup(&failures->arena, event->log),
                                 .parameters = parameters,
                                 .has_tile = tile != NULL,
                                 .tile_x = tile ? tile->core.x : 0,
                                 .tile_y = tile ? tile->core.y : 0};
}

/* The reason alone: several operations read one file, and fail for the same. */
static const char *reason_of(const struct ts_error *error) {
  static const char mark[] = "' failed: ";
  const char *at = strstr(error->text, mark);
  return ts_str_starts_with(error->text, "operation '") && at ? at + strlen(mark) : error->text;
}

/* The kind that a failure is of, which may be a new one. */
static size_t kind_of(const struct ts_failures *failures, const char *name, const struct ts_error *error) {
  size_t i = 0;
  for (; i < failures->kind_count; i++) {
    const struct ts_failed_task *first = &failures->kinds[i].first;
    if (first->error.code == error->code && strcmp(reason_of(&first->error), reason_of(error)) == 0 &&
        strcmp(first->task, name) == 0)
      break;
  }
  return i < FAILURE_KINDS_MAX ? i : FAILURE_KINDS_MAX - 1;
}

static bool is_before(const struct ts_task_event *event, const struct ts_failure_kind *kind) {
  return event->unit != kind->unit ? event->unit < kind->unit : event->node < kind->node;
}

static void add_failure(struct ts_failures *failures, const struct ts_project *project, const struct ts_plan *plan,
                        const struct ts_task_event *event, const char *name, const char *key) {
  const size_t kind = kind_of(failures, name, event->error);
  const uint64_t place[2] = {kind, event->unit};
  struct ts_failure_kind *found = &failures->kinds[kind];
  const bool is_new = kind == failures->kind_count, is_listed = failures->failed_count < FAILED_MAX;
  const bool is_first = is_new || is_before(event, found);
  bool is_new_unit = false;
  if (is_first || is_listed) {
    const struct ts_failed_task task = describe(failures, project, plan, event, name, key);
    if (is_listed) failures->failed[failures->failed_count++] = task;
    if (is_first) {
      found->first = task;
      found->node = event->node;
      found->unit = event->unit;
      found->scope = plan->nodes[event->node].scope;
    }
  }
  failures->kind_count += is_new;
  ts_map_insert(&failures->units, place, sizeof place, &is_new_unit);
  found->count++;
  found->units += is_new_unit;
}

static void add_remark(struct ts_failures *failures, const char *name, const char *text) {
  size_t i = 0;
  while (i < failures->remark_count && strcmp(failures->remarks[i].task, name) != 0) i++;
  if (i == failures->remark_count) {
    failures->remarks =
        ts_grow(failures->remarks, failures->remark_count, &failures->remark_capacity, sizeof *failures->remarks);
    failures->remarks[failures->remark_count++] = (struct ts_remark){.task = ts_arena_strdup(&failures->arena, name),
                                                                     .text = ts_arena_strdup(&failures->arena, text)};
  }
  failures->remarks[i].count++;
}

void ts_failures_event(struct ts_failures *failures, const struct ts_project *project, const struct ts_plan *plan,
                       const struct ts_task_event *event, const char *name, const char *key) {
  if (event->error)
    add_failure(failures, project, plan, event, name, key);
  else if (event->remark[0])
    add_remark(failures, name, event->remark);
}

const struct ts_failed_task *ts_failures_list(const struct ts_failures *failures, size_t *count) {
  *count = failures->failed_count;
  return failures->failed;
}

const struct ts_failure_kind *ts_failures_kinds(const struct ts_failures *failures, size_t *count) {
  *count = failures->kind_count;
  return failures->kinds;
}

const struct ts_remark *ts_failures_remarks(const struct ts_failures *failures, size_t *count) {
  *count = failures->remark_count;
  return failures->remarks;
}
