/* Reads Pegasus DAX files (XML): jobs with a runtime and the files they use, and the parents of each job.
 * SPDX-License-Identifier: Apache-2.0
 *
 * expat reads the text as a stream and builds no tree. A document type declaration is refused: DAX needs none, and
 * entities that expand without end cannot exist without one. */
#include "graph/read_int.h"

#include "base/alloc.h"
#include "base/str.h"

#include <expat.h>
#include <string.h>

#define DEPTH_MAX   64
#define MOST_FAULTS 100

/* One file that a job reads or writes. */
struct use {
  const char *file; /* in the arena */
  double bytes;
  bool is_output;
};

struct uses {
  struct use *items; /* owned */
  size_t count, capacity;
};

/* A parent as the file names it: jobs may come later. */
struct parent {
  const char *child, *parent; /* in the arena */
  int line, column;
};

struct dax {
  XML_Parser parser;
  const char *name;
  struct ts_task_graph *graph;
  struct ts_faults *faults;
  struct ts_arena arena;
  struct uses *uses; /* owned, by task */
  size_t use_capacity;
  struct parent *parents; /* owned */
  size_t parent_count, parent_capacity;
  const char *child; /* the one whose parents are being read; NULL: none */
  bool is_in_job;
  int depth;
  bool has_root;
};

static int line_of(const struct dax *d) { return (int)XML_GetCurrentLineNumber(d->parser); }
static int column_of(const struct dax *d) { return (int)XML_GetCurrentColumnNumber(d->parser) + 1; }

/* Adds a fault at the element that is being read; `ends` stops the reading. */
static void fault(struct dax *d, const struct ts_error *err, bool ends) {
  ts_graph_fault_at(d->faults, err, d->name, line_of(d), column_of(d));
  if (ends || d->faults->count >= MOST_FAULTS) XML_StopParser(d->parser, XML_FALSE);
}

static const char *attribute(const char *const *attributes, const char *name) {
  for (size_t i = 0; attributes[i]; i += 2) {
    if (strcmp(attributes[i], name) == 0) return attributes[i + 1];
  }
  return NULL;
}

static void missing(struct dax *d, const char *element, const char *name) {
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_MISSING_KEY, "<%s> has no '%s'", element, name);
  ts_error_help(&err, "add %s=\"...\"", name);
  fault(d, &err, false);
}

static void begin_job(struct dax *d, const char *const *attributes) {
  const char *id = attribute(attributes, "id"), *runtime = attribute(attributes, "runtime");
  struct ts_error err = {0};
  double time = 0;
  if (!id || !runtime) {
    missing(d, "job", id ? "runtime" : "id");
    return;
  }
  if (!ts_parse_double(runtime, &time)) {
    ts_fail(&err, TS_ERR_BAD_VALUE, "the runtime of job '%s' is not a number: '%s'", id, runtime);
    ts_error_help(&err, "write seconds, such as runtime=\"2.5\"");
    fault(d, &err, false);
    return;
  }
  if (!ts_task_graph_add_task(d->graph, id, time, &err)) {
    fault(d, &err, d->graph->task_count == TS_TASK_GRAPH_MAX_TASKS);
    return;
  }
  size_t task = d->graph->task_count - 1;
  d->graph->tasks[task].line = line_of(d);
  d->graph->tasks[task].column = column_of(d);
  d->uses = ts_grow(d->uses, task, &d->use_capacity, sizeof *d->uses);
  d->uses[task] = (struct uses){0};
  d->is_in_job = true;
}

static void add_use(struct dax *d, const char *const *attributes) {
  const char *file = attribute(attributes, "file"), *link = attribute(attributes, "link");
  const char *size = attribute(attributes, "size");
  struct ts_error err = {0};
  double bytes = 0;
  if (!file) file = attribute(attributes, "name"); /* DAX 3 */
  if (!d->is_in_job || !file || !link) return;
  if (size && (!ts_parse_double(size, &bytes) || bytes < 0)) {
    ts_fail(&err, TS_ERR_BAD_VALUE, "the size of file '%s' is not a number of at least 0: '%s'", file, size);
    ts_error_help(&err, "write bytes, such as size=\"4096\"");
    fault(d, &err, false);
    return;
  }
  struct uses *uses = &d->uses[d->graph->task_count - 1];
  uses->items = ts_grow(uses->items, uses->count, &uses->capacity, sizeof *uses->items);
  uses->items[uses->count++] = (struct use){.file = ts_arena_strdup(&d->arena, file),
                                            .bytes = bytes,
                                            .is_output = strcmp(link, "output") == 0 || strcmp(link, "inout") == 0};
}

static void begin_child(struct dax *d, const char *const *attributes) {
  const char *ref = attribute(attributes, "ref");
  if (!ref) missing(d, "child", "ref");
  d->child = ref ? ts_arena_strdup(&d->arena, ref) : NULL;
}

static void add_parent(struct dax *d, const char *const *attributes) {
  const char *ref = attribute(attributes, "ref");
  if (!ref) missing(d, "parent", "ref");
  if (!ref || !d->child) return;
  d->parents = ts_grow(d->parents, d->parent_count, &d->parent_capacity, sizeof *d->parents);
  d->parents[d->parent_count++] = (struct parent){
      .child = d->child, .parent = ts_arena_strdup(&d->arena, ref), .line = line_of(d), .column = column_of(d)};
}

static void XMLCALL on_begin(void *user, const char *element, const char **attributes) {
  struct dax *d = user;
  const char *const *list = (const char *const *)attributes;
  struct ts_error err = {0};
  if (++d->depth > DEPTH_MAX) {
    ts_fail(&err, TS_ERR_BAD_VALUE, "elements are nested deeper than %d levels", DEPTH_MAX);
    ts_error_help(&err, "a DAX file has <adag>, <job> and <uses>, <child> and <parent>");
    fault(d, &err, true);
    return;
  }
  if (d->depth == 1) {
    d->has_root = strcmp(element, "adag") == 0;
    const char *name = attribute(list, "name");
    if (name) d->graph->name = ts_arena_strdup(&d->graph->arena, name);
    if (d->has_root) return;
    ts_fail(&err, TS_ERR_BAD_VALUE, "the XML file begins with <%s>, not with <adag>", element);
    ts_error_help(&err, "a DAX file is <adag> with <job> and <child> elements");
    fault(d, &err, true);
    return;
  }
  if (strcmp(element, "job") == 0) begin_job(d, list);
  if (strcmp(element, "uses") == 0) add_use(d, list);
  if (strcmp(element, "child") == 0) begin_child(d, list);
  if (strcmp(element, "parent") == 0) add_parent(d, list);
}

static void XMLCALL on_end(void *user, const char *element) {
  struct dax *d = user;
  d->depth--;
  if (strcmp(element, "job") == 0) d->is_in_job = false;
  if (strcmp(element, "child") == 0) d->child = NULL;
}

static void XMLCALL on_doctype(void *user, const char *name, const char *system, const char *public, int internal) {
  struct ts_error err = {0};
  (void)name, (void)system, (void)public, (void)internal;
  ts_fail(&err, TS_ERR_BAD_VALUE, "the XML file declares a document type");
  ts_error_help(&err, "remove <!DOCTYPE ...>: entities and outside files are not read");
  fault(user, &err, true);
}

/* Bytes that the parent writes and the child reads. */
static double bytes_between(const struct dax *d, size_t parent, size_t child) {
  const struct uses *out = &d->uses[parent], *in = &d->uses[child];
  double bytes = 0;
  ts_auto(ts_map_release) struct ts_map read = {0};
  for (size_t i = 0; i < in->count; i++) {
    if (!in->items[i].is_output) ts_map_insert_name(&read, in->items[i].file, NULL);
  }
  for (size_t i = 0; i < out->count; i++) {
    if (out->items[i].is_output && ts_map_find_name(&read, out->items[i].file)) bytes += out->items[i].bytes;
  }
  return bytes;
}

static void add_edges(struct dax *d) {
  for (size_t i = 0; i < d->parent_count && d->faults->count < MOST_FAULTS; i++) {
    const struct parent *p = &d->parents[i];
    size_t child = ts_task_graph_find(d->graph, p->child), parent = ts_task_graph_find(d->graph, p->parent);
    struct ts_error err = {0};
    if (child == SIZE_MAX || parent == SIZE_MAX) {
      ts_fail(&err, TS_ERR_NO_PRODUCER, "there is no job '%s'", child == SIZE_MAX ? p->child : p->parent);
      ts_error_help(&err, "name the id of a <job>");
    } else {
      const uint32_t pair[2] = {(uint32_t)parent, (uint32_t)child};
      if (ts_map_find(&d->graph->pairs, pair, sizeof pair)) continue; /* named twice */
      ts_task_graph_add_bytes(d->graph, parent, child, bytes_between(d, parent, child), &err);
    }
    if (err.code != TS_ERR_OK) ts_graph_fault_at(d->faults, &err, d->name, p->line, p->column);
  }
}

static void dax_release(struct dax *d) {
  for (size_t t = 0; t < d->graph->task_count; t++) free(d->uses[t].items);
  free(d->uses);
  free(d->parents);
  ts_arena_release(&d->arena);
  XML_ParserFree(d->parser);
}

bool ts_graph_read_dax(struct ts_task_graph *graph, const char *name, const char *text, size_t length,
                       struct ts_faults *faults) {
  ts_auto(dax_release) struct dax d = {
      .name = name, .graph = graph, .faults = faults, .parser = XML_ParserCreate(NULL)};
  size_t before = faults->count;
  if (!d.parser) TS_BUG("expat has no memory");
  graph->is_seconds = true;
  XML_SetUserData(d.parser, &d);
  XML_SetElementHandler(d.parser, on_begin, on_end);
  XML_SetStartDoctypeDeclHandler(d.parser, on_doctype);
  bool parsed = XML_Parse(d.parser, text, (int)length, 1) == XML_STATUS_OK;
  if (!parsed && faults->count == before) {
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_BAD_VALUE, "the file is not XML: %s", XML_ErrorString(XML_GetErrorCode(d.parser)));
    ts_error_help(&err, "correct the text at this place");
    ts_graph_fault_at(faults, &err, name, line_of(&d), column_of(&d));
  }
  if (faults->count == before) add_edges(&d);
  return faults->count == before;
}
