/* Reads WfFormat 1.x (wfcommons.org): tasks with parents and files; runtimes and sizes in one place or two.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Version 1.5 has "specification" (tasks, files) and "execution" (runtimes); earlier ones have one list of tasks with
 * "runtime" or "runtimeInSeconds", and "files" with "size" or "sizeInBytes" and "link". An edge moves the files that
 * its producer writes and its consumer reads. */
#include "graph/read_int.h"

#include "base/alloc.h"

#include <string.h>

#define MOST_FAULTS 100

/* Who writes and who reads which file: the sizes of edges. */
struct files {
  struct ts_map sizes; /* name -> index in `bytes` */
  double *bytes;       /* owned */
  size_t count, capacity;
  struct ts_map *inputs; /* owned, by task: names of files */
};

struct reading {
  struct ts_task_graph *graph;
  const struct ts_reader *reader;
  struct files files;
  struct ts_map by_name; /* names and ids of tasks -> number + 1; 0: a name that two tasks have */
};

static double number_of(const json_t *object, const char *name, const char *other_name) {
  const json_t *value = json_object_get(object, name);
  if (!json_is_number(value)) value = json_object_get(object, other_name);
  return json_is_number(value) ? json_number_value(value) : -1;
}

static const char *text_of(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name)); /* NULL: there is none, or it is not a text */
}

/* A list of the file at a path of two keys; NULL: there is none. */
static const json_t *list_at(const json_t *object, const char *first, const char *second) {
  const json_t *value = json_object_get(json_object_get(object, first), second);
  return json_is_array(value) ? value : NULL;
}

static void set_size(struct files *files, const char *name, double bytes) {
  bool inserted = false;
  union ts_map_value *value = ts_map_insert_name(&files->sizes, name, &inserted);
  if (inserted) {
    files->bytes = ts_grow(files->bytes, files->count, &files->capacity, sizeof *files->bytes);
    value->number = files->count++;
    files->bytes[value->number] = 0;
  }
  if (bytes > 0) files->bytes[value->number] = bytes;
}

static void add_name(struct reading *r, const char *name, size_t task) {
  bool inserted = false;
  if (!name) return;
  union ts_map_value *value = ts_map_insert_name(&r->by_name, name, &inserted);
  if (inserted)
    value->number = task + 1;
  else if (value->number != task + 1)
    value->number = 0;
}

/* The runtimes of version 1.5 by the id of the task. */
static void read_runtimes(const json_t *execution, struct ts_map *runtimes) {
  for (size_t i = 0; execution && i < json_array_size(execution); i++) {
    const json_t *item = json_array_get(execution, i);
    const char *id = text_of(item, "id");
    if (id) ts_map_insert_name(runtimes, id, NULL)->number = i;
  }
}

static void read_task(struct reading *r, const json_t *item, const json_t *execution, const struct ts_map *runtimes,
                      const char *pointer) {
  const char *name = text_of(item, "name"), *id = text_of(item, "id");
  struct ts_error err = {0};
  if (!id) id = name;
  if (!id) {
    struct ts_error *fault =
        ts_reader_fault(r->reader, TS_ERR_MISSING_KEY, pointer, TS_JSON_VALUE, "a task has neither 'id' nor 'name'");
    ts_error_help(fault, "add \"id\": \"detect\"");
    return;
  }
  const union ts_map_value *found = ts_map_find_name(runtimes, id);
  const json_t *source = found ? json_array_get(execution, (size_t)found->number) : item;
  const json_t *runtime = json_object_get(source, "runtimeInSeconds");
  if (!json_is_number(runtime)) runtime = json_object_get(source, "runtime");
  if (!json_is_number(runtime)) {
    struct ts_error *fault =
        ts_reader_fault(r->reader, TS_ERR_MISSING_KEY, pointer, TS_JSON_VALUE, "task '%s' has no runtime", id);
    ts_error_help(fault, "add \"runtimeInSeconds\" to the task, or to workflow.execution.tasks");
    return;
  }
  if (!ts_task_graph_add_task(r->graph, id, json_number_value(runtime), &err)) {
    ts_graph_fault(r->reader, &err, pointer);
    return;
  }
  add_name(r, id, r->graph->task_count - 1);
  if (name && strcmp(name, id) != 0) add_name(r, name, r->graph->task_count - 1);
}

/* Notes the files that a task reads; earlier versions give sizes here. */
static void read_inputs(struct reading *r, const json_t *item, size_t task) {
  const json_t *names = json_object_get(item, "inputFiles"), *links = json_object_get(item, "files");
  for (size_t i = 0; i < json_array_size(names); i++) {
    const char *name = json_string_value(json_array_get(names, i));
    if (name) ts_map_insert_name(&r->files.inputs[task], name, NULL);
  }
  for (size_t i = 0; i < json_array_size(links); i++) {
    const json_t *file = json_array_get(links, i);
    const char *name = text_of(file, "name"), *link = text_of(file, "link");
    if (!name) name = text_of(file, "id");
    if (!name || !link) continue;
    set_size(&r->files, name, number_of(file, "sizeInBytes", "size"));
    if (strcmp(link, "input") == 0) ts_map_insert_name(&r->files.inputs[task], name, NULL);
  }
}

/* Bytes of a file if the consumer reads it. */
static double bytes_read(const struct reading *r, const char *name, size_t consumer) {
  if (!name || !ts_map_find_name(&r->files.inputs[consumer], name)) return 0;
  const union ts_map_value *size = ts_map_find_name(&r->files.sizes, name);
  return size ? r->files.bytes[size->number] : 0;
}

static double bytes_between(const struct reading *r, const json_t *producer, size_t consumer) {
  const json_t *names = json_object_get(producer, "outputFiles"), *links = json_object_get(producer, "files");
  double bytes = 0;
  for (size_t i = 0; i < json_array_size(names); i++)
    bytes += bytes_read(r, json_string_value(json_array_get(names, i)), consumer);
  for (size_t i = 0; i < json_array_size(links); i++) {
    const json_t *file = json_array_get(links, i);
    const char *name = text_of(file, "name"), *link = text_of(file, "link");
    if (!link || strcmp(link, "output") != 0) continue;
    bytes += bytes_read(r, name ? name : text_of(file, "id"), consumer);
  }
  return bytes;
}

/* Adds the edge unless the other end has named it already. */
static void add_edge(struct reading *r, const json_t *tasks, size_t from, size_t to, const char *pointer) {
  struct ts_error err = {0};
  const uint32_t pair[2] = {(uint32_t)from, (uint32_t)to};
  if (ts_map_find(&r->graph->pairs, pair, sizeof pair)) return;
  if (!ts_task_graph_add_bytes(r->graph, from, to, bytes_between(r, json_array_get(tasks, from), to), &err))
    ts_graph_fault(r->reader, &err, pointer);
}

/* "parents" or "children" of a task. */
static void read_neighbours(struct reading *r, const json_t *tasks, size_t task, const char *key, bool are_parents,
                            const char *pointer) {
  const json_t *list = json_object_get(json_array_get(tasks, task), key);
  const char *list_pointer = ts_reader_child(r->reader, pointer, key);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *name = json_string_value(json_array_get(list, i));
    const union ts_map_value *found = name ? ts_map_find_name(&r->by_name, name) : NULL;
    const char *place = ts_reader_item(r->reader, list_pointer, i);
    if (!found || found->number == 0) {
      struct ts_error *fault = ts_reader_fault(r->reader, TS_ERR_NO_PRODUCER, place, TS_JSON_VALUE,
                                               "there is no single task '%s'", name ? name : "(not a text)");
      ts_error_help(fault, "name the id of a task");
      continue;
    }
    size_t other = (size_t)found->number - 1;
    add_edge(r, tasks, are_parents ? other : task, are_parents ? task : other, place);
  }
}

static void read_lists(struct reading *r, const json_t *tasks, const char *pointer, const json_t *execution) {
  size_t before = r->reader->faults->count, count = json_array_size(tasks);
  struct ts_map runtimes = {0};
  read_runtimes(execution, &runtimes);
  for (size_t i = 0; i < count && r->reader->faults->count < before + MOST_FAULTS; i++)
    read_task(r, json_array_get(tasks, i), execution, &runtimes, ts_reader_item(r->reader, pointer, i));
  ts_map_release(&runtimes);
  if (r->reader->faults->count > before) return;
  r->files.inputs = ts_calloc(count + 1, sizeof *r->files.inputs);
  for (size_t i = 0; i < count; i++) read_inputs(r, json_array_get(tasks, i), i);
  for (size_t i = 0; i < count && r->reader->faults->count < before + MOST_FAULTS; i++) {
    const char *place = ts_reader_item(r->reader, pointer, i);
    read_neighbours(r, tasks, i, "parents", true, place);
    read_neighbours(r, tasks, i, "children", false, place);
  }
  for (size_t i = 0; i < count; i++) ts_map_release(&r->files.inputs[i]);
  free(r->files.inputs);
}

bool ts_graph_read_wfformat(struct ts_task_graph *graph, const struct ts_reader *reader) {
  const json_t *root = reader->doc->root, *workflow = json_object_get(root, "workflow");
  const char *name = text_of(root, "name");
  size_t before = reader->faults->count;
  struct reading r = {.graph = graph, .reader = reader};
  const json_t *tasks = list_at(workflow, "specification", "tasks"),
               *files = list_at(workflow, "specification", "files");
  const char *pointer = "/workflow/specification/tasks";
  if (!tasks) {
    tasks = json_object_get(workflow, "tasks");
    pointer = "/workflow/tasks";
  }
  if (!json_is_array(tasks)) {
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_MISSING_KEY, "/workflow", TS_JSON_VALUE, "the workflow has no list of tasks");
    return ts_error_help(err,
                         "WfFormat 1.5 has it in workflow.specification.tasks, earlier versions in workflow.tasks");
  }
  if (name) graph->name = ts_arena_strdup(&graph->arena, name);
  graph->is_seconds = true;
  for (size_t i = 0; i < json_array_size(files); i++) {
    const json_t *file = json_array_get(files, i);
    if (text_of(file, "id")) set_size(&r.files, text_of(file, "id"), number_of(file, "sizeInBytes", "size"));
  }
  read_lists(&r, tasks, pointer, list_at(workflow, "execution", "tasks"));
  ts_map_release(&r.files.sizes);
  ts_map_release(&r.by_name);
  free(r.files.bytes);
  return reader->faults->count == before;
}
