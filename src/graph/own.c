/* Reads our own graph files: {"name", "tasks": [{"id", "time"}], "edges": [{"from", "to", "time" or "bytes"}]}.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/read_int.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_FAULTS 100 /* a file of another kind would have one for each of its lines */
#define ID_SIZE     24  /* holds every whole number */

/* Ids are texts or whole numbers. NULL: neither, and reported. */
static const char *id_text(const struct ts_reader *reader, const json_t *value, const char *pointer, char buffer[]) {
  if (json_is_string(value)) return json_string_value(value);
  if (json_is_integer(value)) {
    snprintf(buffer, ID_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return buffer;
  }
  ts_reader_wrong_type(reader, value, pointer, "a task's id", "a string or a whole number", "\"detect\"");
  return NULL;
}

static void read_task(struct ts_task_graph *graph, const struct ts_reader *reader, const json_t *item,
                      const char *pointer) {
  struct ts_field fields[] = {{.name = "id", .want = TS_WANT_ANY, .required = true, .example = "\"detect\""},
                              {.name = "time", .want = TS_WANT_NUMBER, .required = true, .example = "2.5"},
                              {.name = "replicable", .want = TS_WANT_BOOLEAN},
                              {.name = "name", .want = TS_WANT_STRING}};
  char buffer[ID_SIZE];
  struct ts_error err = {0};
  if (!ts_reader_want(reader, item, pointer, "a task", TS_WANT_OBJECT, NULL)) return;
  if (!ts_reader_fields(reader, item, pointer, "a task", fields, sizeof fields / sizeof *fields)) return;
  const char *id = id_text(reader, fields[0].value, ts_reader_child(reader, pointer, "id"), buffer);
  if (!id) return;
  if (!ts_task_graph_add_task(graph, id, json_number_value(fields[1].value), &err)) {
    ts_graph_fault(reader, &err, ts_reader_child(reader, pointer, err.code == TS_ERR_DUPLICATE_NAME ? "id" : "time"));
    return;
  }
  graph->tasks[graph->task_count - 1].is_number = json_is_integer(fields[0].value);
  if (json_is_false(fields[2].value)) graph->tasks[graph->task_count - 1].replicable = false;
}

/* The task that an edge names; SIZE_MAX: there is none, and that is reported. */
static size_t find_end(const struct ts_task_graph *graph, const struct ts_reader *reader, const json_t *value,
                       const char *pointer) {
  char buffer[ID_SIZE];
  const char *id = id_text(reader, value, pointer, buffer);
  size_t task = id ? ts_task_graph_find(graph, id) : SIZE_MAX;
  if (id && task == SIZE_MAX) {
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_NO_PRODUCER, pointer, TS_JSON_VALUE, "there is no task '%s'", id);
    ts_error_help(err, "name the id of a task in \"tasks\"");
  }
  return task;
}

static void read_edge(struct ts_task_graph *graph, const struct ts_reader *reader, const json_t *item,
                      const char *pointer) {
  struct ts_field fields[] = {{.name = "from", .want = TS_WANT_ANY, .required = true, .example = "\"detect\""},
                              {.name = "to", .want = TS_WANT_ANY, .required = true, .example = "\"count\""},
                              {.name = "time", .want = TS_WANT_NUMBER},
                              {.name = "bytes", .want = TS_WANT_NUMBER}};
  struct ts_error err = {0};
  if (!ts_reader_want(reader, item, pointer, "an edge", TS_WANT_OBJECT, NULL)) return;
  if (!ts_reader_fields(reader, item, pointer, "an edge", fields, sizeof fields / sizeof *fields)) return;
  if ((fields[2].value != NULL) == (fields[3].value != NULL)) {
    struct ts_error *fault =
        ts_reader_fault(reader, TS_ERR_MISSING_KEY, pointer, TS_JSON_VALUE, "an edge has either a 'time' or 'bytes'");
    ts_error_help(fault, "write one of them: \"time\": 0.5, or \"bytes\": 4e6, which --bandwidth turns into a time");
    return;
  }
  size_t from = find_end(graph, reader, fields[0].value, ts_reader_child(reader, pointer, "from"));
  size_t to = find_end(graph, reader, fields[1].value, ts_reader_child(reader, pointer, "to"));
  if (from == SIZE_MAX || to == SIZE_MAX) return;
  /* Bytes are checked as a time would be: at least 0 and finite. */
  double size = json_number_value(fields[2].value ? fields[2].value : fields[3].value);
  if (!ts_task_graph_add_edge(graph, from, to, size, &err)) {
    ts_graph_fault(reader, &err, pointer);
  } else if (fields[3].value) {
    graph->edges[graph->edge_count - 1].bytes = size;
  }
}

/* A list of the file; NULL: it is missing or of another kind, and that is reported. */
static const json_t *get_list(const struct ts_reader *reader, const char *name) {
  const json_t *value = json_object_get(reader->doc->root, name);
  if (!value) {
    struct ts_error *err =
        ts_reader_fault(reader, TS_ERR_MISSING_KEY, "", TS_JSON_VALUE, "the graph has no '%s'", name);
    ts_error_help(err, "a graph is {\"tasks\": [{\"id\": \"a\", \"time\": 2}], \"edges\": [{\"from\": \"a\", \"to\": "
                       "\"b\", \"time\": 1}]}");
    return NULL;
  }
  const char *pointer = ts_reader_child(reader, "", name);
  return ts_reader_want(reader, value, pointer, name, TS_WANT_LIST, NULL) ? value : NULL;
}

bool ts_graph_read_own(struct ts_task_graph *graph, const struct ts_reader *reader) {
  const json_t *root = reader->doc->root;
  size_t before = reader->faults->count;
  if (!ts_reader_want(reader, root, "", "the graph", TS_WANT_OBJECT, NULL)) return false;
  const json_t *tasks = get_list(reader, "tasks"), *edges = get_list(reader, "edges");
  if (!tasks || !edges) return false;
  const json_t *name = json_object_get(root, "name"), *unit = json_object_get(root, "unit");
  if (json_is_string(name)) graph->name = ts_arena_strdup(&graph->arena, json_string_value(name));
  graph->is_seconds = json_is_string(unit) && json_string_value(unit)[0] == 's';
  for (size_t i = 0; i < json_array_size(tasks) && reader->faults->count < before + MOST_FAULTS; i++)
    read_task(graph, reader, json_array_get(tasks, i), ts_reader_item(reader, "/tasks", i));
  for (size_t i = 0; i < json_array_size(edges) && reader->faults->count < before + MOST_FAULTS; i++)
    read_edge(graph, reader, json_array_get(edges, i), ts_reader_item(reader, "/edges", i));
  return reader->faults->count == before;
}
