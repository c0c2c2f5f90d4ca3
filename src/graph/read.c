/* Recognises the format of a task graph and hands the text to its reader.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/read_int.h"

#include "base/alloc.h"
#include "base/file.h"

#include <string.h>

#define MOST_BYTES (64u << 20)
/* Objects of a JSON file, each of which costs memory before it is looked at. WfFormat has one per file and two per
 * task. */
#define MOST_OBJECTS 500000

void ts_graph_fault_at(struct ts_faults *faults, const struct ts_error *err, const char *file, int line, int column) {
  struct ts_error *fault = ts_faults_add(faults);
  *fault = *err;
  ts_error_place(fault, file, line, column, "");
}

void ts_graph_fault(const struct ts_reader *reader, const struct ts_error *err, const char *pointer) {
  struct ts_error *fault = ts_reader_fault(reader, err->code, pointer, TS_JSON_VALUE, "%s", err->text);
  if (err->help[0]) ts_error_help(fault, "%s", err->help);
}

/* Refuses a file whose mere parsing would take long. */
static bool has_few_objects(const char *name, const char *text, size_t length, struct ts_faults *faults) {
  size_t objects = 0;
  int line = 1;
  const char *line_start = text;
  for (const char *c = text; c < text + length; c++) {
    if (*c == '\n') {
      line++;
      line_start = c + 1;
    }
    if (*c != '{' || ++objects <= MOST_OBJECTS) continue;
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_BAD_VALUE, "the file has more than %d objects: more tasks and edges than can be scheduled",
            MOST_OBJECTS);
    ts_error_help(&err, "schedule a part of the graph; %d tasks are the limit", TS_TASK_GRAPH_MAX_TASKS);
    ts_graph_fault_at(faults, &err, name, line, (int)(c - line_start) + 1);
    return false;
  }
  return true;
}

/* The circle's place: tasks of the formats that are not JSON know theirs, the others' index is that in the list. */
static void report_unfinished(const struct ts_task_graph *graph, const struct ts_error *err, const char *name,
                              const struct ts_reader *reader, struct ts_faults *faults) {
  bool has_task = err->code == TS_ERR_CYCLE;
  if (reader) {
    bool is_own = json_object_get(reader->doc->root, "tasks") != NULL;
    const char *list = is_own ? "/tasks" : "/workflow";
    ts_graph_fault(reader, err, is_own && has_task ? ts_reader_item(reader, list, graph->circle_task) : list);
    return;
  }
  const struct ts_graph_task *task = has_task ? &graph->tasks[graph->circle_task] : NULL;
  ts_graph_fault_at(faults, err, name, task ? task->line : 1, task ? task->column : 1);
}

static bool parse_json(struct ts_task_graph *graph, const char *name, const char *text, size_t length,
                       struct ts_faults *faults) {
  struct ts_json_doc doc = {0};
  struct ts_arena arena = {0};
  struct ts_error err = {0};
  if (!has_few_objects(name, text, length, faults)) return false;
  if (!ts_json_doc_parse(&doc, name, text, length, &err)) {
    *ts_faults_add(faults) = err;
    return false;
  }
  struct ts_reader reader = {.doc = &doc, .arena = &arena, .faults = faults};
  bool ok = json_object_get(doc.root, "workflow") ? ts_graph_read_wfformat(graph, &reader)
                                                  : ts_graph_read_own(graph, &reader);
  if (ok && !ts_task_graph_finish(graph, &err)) {
    report_unfinished(graph, &err, name, &reader, faults);
    ok = false;
  }
  ts_json_doc_close(&doc);
  ts_arena_release(&arena);
  return ok;
}

bool ts_task_graph_parse(struct ts_task_graph *graph, const char *name, const char *text, size_t length,
                         double bandwidth, struct ts_faults *faults) {
  size_t start = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (start < length && ts_graph_is_space(text[start])) start++;
  char first = start < length ? text[start] : '\0';
  struct ts_error err = {0};
  bool ok = false;
  if (first == '<') {
    ok = ts_graph_read_dax(graph, name, text, length, faults);
  } else if ((first >= '0' && first <= '9') || first == '#') {
    ok = ts_graph_read_stg(graph, name, text, length, faults);
  } else {
    ok = parse_json(graph, name, text, length, faults);
    if (ok) ts_task_graph_set_bandwidth(graph, bandwidth);
    return ok;
  }
  if (ok && !ts_task_graph_finish(graph, &err)) {
    report_unfinished(graph, &err, name, NULL, faults);
    ok = false;
  }
  if (ok) ts_task_graph_set_bandwidth(graph, bandwidth);
  return ok;
}

bool ts_task_graph_read(struct ts_task_graph *graph, const char *path, double bandwidth, struct ts_faults *faults) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_error err = {0};
  bool ok = ts_file_read(path, MOST_BYTES, &text, &err);
  if (!ok) {
    if (err.code != TS_ERR_FILE_NOT_FOUND) ts_error_help(&err, "a graph file has at most 64 MB");
    *ts_faults_add(faults) = err;
  } else {
    ok = ts_task_graph_parse(graph, path, ts_str_get(&text), text.length, bandwidth, faults);
  }
  return ok;
}
