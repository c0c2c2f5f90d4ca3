/* Readers of task graphs: the four formats, what each means, and the place of what is wrong.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/read.h"

#include <string.h>

#define BANDWIDTH 100.0 /* bytes per second */

static bool parse(struct ts_task_graph *graph, const char *text, struct ts_faults *faults) {
  return ts_task_graph_parse(graph, "file", text, strlen(text), BANDWIDTH, faults);
}

/* Reads a text that is right; the graph has these many tasks and edges. */
static struct ts_task_graph read_good(const char *text, size_t tasks, size_t edges) {
  struct ts_task_graph graph = {0};
  struct ts_faults faults = {0};
  if (!parse(&graph, text, &faults)) fail_msg("refused: %s", faults.items[0].text);
  assert_int_equal(faults.count, 0);
  assert_int_equal(graph.task_count, tasks);
  assert_int_equal(graph.edge_count, edges);
  return graph;
}

static void check_edge(const struct ts_task_graph *graph, const char *from, const char *to, double time) {
  size_t a = ts_task_graph_find(graph, from), b = ts_task_graph_find(graph, to);
  for (size_t e = 0; e < graph->edge_count; e++) {
    if (graph->edges[e].from != a || graph->edges[e].to != b) continue;
    if (graph->edges[e].time != time) fail_msg("'%s' -> '%s' takes %g", from, to, graph->edges[e].time);
    return;
  }
  fail_msg("there is no edge '%s' -> '%s'", from, to);
}

static void own_format(void **state) {
  (void)state;
  struct ts_task_graph graph =
      read_good("{\"name\": \"n\", \"unit\": \"s\", \"note\": 1, \"tasks\": [{\"id\": 1, \"time\": 3}, {\"id\": \"b\", "
                "\"time\": 0.5, \"replicable\": false}, {\"id\": \"c\", \"time\": 0}], \"edges\": [{\"from\": 1, "
                "\"to\": \"b\", \"time\": 8}, {\"from\": \"b\", \"to\": \"c\", \"bytes\": 250}]}",
                3, 2);
  assert_string_equal(graph.name, "n");
  assert_true(graph.is_seconds);
  assert_true(graph.tasks[0].replicable && !graph.tasks[1].replicable);
  check_edge(&graph, "1", "b", 8);
  check_edge(&graph, "b", "c", 2.5);
  ts_task_graph_release(&graph);
}

static void wfformat_of_both_ages(void **state) {
  (void)state;
  struct ts_task_graph late = read_good(
      "{\"name\": \"w\", \"workflow\": {\"specification\": {\"tasks\": [{\"id\": \"a\", \"children\": [\"b\"], "
      "\"outputFiles\": [\"f\", \"g\", \"h\"]}, {\"id\": \"b\", \"parents\": [\"a\"], \"inputFiles\": [\"f\", "
      "\"g\"]}], "
      "\"files\": [{\"id\": \"f\", \"sizeInBytes\": 100}, {\"id\": \"g\", \"sizeInBytes\": 50}, {\"id\": \"h\", "
      "\"sizeInBytes\": 7}]}, \"execution\": {\"tasks\": [{\"id\": \"b\", \"runtimeInSeconds\": 4}, {\"id\": \"a\", "
      "\"runtimeInSeconds\": 3}]}}}",
      2, 1);
  check_edge(&late, "a", "b", 1.5);
  assert_true(late.tasks[0].time == 3 && late.tasks[1].time == 4 && late.is_seconds);
  ts_task_graph_release(&late);
  struct ts_task_graph early =
      read_good("{\"workflow\": {\"tasks\": [{\"name\": \"a\", \"runtime\": 3, \"files\": [{\"name\": \"f\", \"link\": "
                "\"output\", \"size\": 200}]}, {\"name\": \"b\", \"runtime\": 4, \"parents\": [\"a\"], \"files\": "
                "[{\"name\": \"f\", \"link\": \"input\", \"size\": 200}]}]}}",
                2, 1);
  check_edge(&early, "a", "b", 2);
  ts_task_graph_release(&early);
}

static void dax(void **state) {
  (void)state;
  struct ts_task_graph graph = read_good(
      "<?xml version=\"1.0\"?>\n<adag name=\"d\"><job id=\"a\" runtime=\"2.5\"><uses file=\"f\" link=\"output\" "
      "size=\"300\"/><uses file=\"x\" link=\"output\" size=\"9\"/></job><job id=\"b\" runtime=\"1\"><uses file=\"f\" "
      "link=\"input\" size=\"300\"/></job><job id=\"c\" runtime=\"1\"/><child ref=\"b\"><parent ref=\"a\"/></child>"
      "<child ref=\"c\"><parent ref=\"a\"/><parent ref=\"b\"/></child></adag>",
      3, 3);
  assert_string_equal(graph.name, "d");
  check_edge(&graph, "a", "b", 3);
  check_edge(&graph, "a", "c", 0);
  ts_task_graph_release(&graph);
}

static void stg(void **state) {
  (void)state;
  struct ts_task_graph graph =
      read_good("  2\n  0  0  0\n  1  9  1  0\n  2  4  2  0 1 # why\n 3 0 1 2\n# the end\n", 4, 4);
  assert_true(graph.tasks[1].time == 9 && graph.tasks[3].time == 0);
  check_edge(&graph, "1", "2", 0);
  ts_task_graph_release(&graph);
}

static void written_again(void **state) {
  (void)state;
  struct ts_task_graph graph = read_good("{\"tasks\": [{\"id\": 1, \"time\": 3}, {\"id\": 2, \"time\": 4}], \"edges\": "
                                         "[{\"from\": 1, \"to\": 2, \"time\": 2}]}",
                                         2, 1);
  struct ts_str text = {0};
  ts_task_graph_write_wfformat(&graph, BANDWIDTH, &text);
  struct ts_task_graph again = read_good(ts_str_get(&text), 2, 1);
  check_edge(&again, "1", "2", 2);
  assert_true(again.tasks[1].time == 4);
  ts_task_graph_release(&again);
  ts_task_graph_release(&graph);
  ts_str_release(&text);
}

static const struct bad {
  const char *text;
  enum ts_error_code code;
  int line, column;
  const char *word;
} bad_files[] = {
    {"{\"tasks\": [\n", TS_ERR_JSON_SYNTAX, 2, 0, ""},
    {"{\"tasks\": [{\"id\": 1,\n \"time\": -1}], \"edges\": []}", TS_ERR_BAD_VALUE, 2, 10, "time of task '1'"},
    {"{\"tasks\": [{\"id\": 1, \"time\": 1},\n{\"id\": 1, \"time\": 1}], \"edges\": []}", TS_ERR_DUPLICATE_NAME, 2, 8,
     "named '1'"},
    {"{\"tasks\": [{\"id\": 1, \"time\": 1}], \"edges\": [\n{\"from\": 1, \"to\": 1, \"time\": 1}]}", TS_ERR_CYCLE, 2,
     1, "itself"},
    {"{\"tasks\": [{\"id\": 1, \"time\": 1}, {\"id\": 2, \"time\": 1}], \"edges\": [\n{\"from\": 1, \"to\": 2}]}",
     TS_ERR_MISSING_KEY, 2, 1, "either"},
    {"{\"tasks\": [{\"id\": 1, \"time\": 1},\n {\"id\": 2, \"time\": 1}], \"edges\": [{\"from\": 1, \"to\": 2, "
     "\"time\": "
     "1}, {\"from\": 2, \"to\": 1, \"bytes\": 1}]}",
     TS_ERR_CYCLE, 0, 0, "circle: '"},
    {"{\"edges\": []}", TS_ERR_MISSING_KEY, 1, 1, "'tasks'"},
    {"3 3", TS_ERR_BAD_VALUE, 1, 3, "numbered in order"},
    {"1\n0 0 0\n1 x 0\n", TS_ERR_BAD_VALUE, 3, 3, "not a number"},
    {"0\n0 1 0\n1 1 0\n5", TS_ERR_BAD_VALUE, 4, 1, "more behind"},
    {"<adag>\n  <job id=\"a\"/></adag>", TS_ERR_MISSING_KEY, 2, 3, "runtime"},
    {"<adag><job id=\"a\" runtime=\"1\"/>\n<child ref=\"a\"><parent ref=\"q\"/></child></adag>", TS_ERR_NO_PRODUCER, 2,
     16, "'q'"},
    {"<!DOCTYPE adag [<!ENTITY a \"b\">]><adag/>", TS_ERR_BAD_VALUE, 1, 0, "document type"},
    {"<workflow/>", TS_ERR_BAD_VALUE, 1, 1, "<workflow>"},
    {"<adag></adag>", TS_ERR_MISSING_KEY, 1, 1, "no tasks"},
    {"", TS_ERR_JSON_SYNTAX, 0, 0, ""},
};

static void faults_have_places(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
    const struct bad *bad = &bad_files[i];
    struct ts_task_graph graph = {0};
    struct ts_faults faults = {0};
    if (parse(&graph, bad->text, &faults) || faults.count == 0) fail_msg("accepted: %s", bad->text);
    const struct ts_error *err = &faults.items[0];
    if (err->code != bad->code || !strstr(err->text, bad->word) || strcmp(err->where.file, "file") != 0)
      fail_msg("%s: %d %s in '%s'", bad->text, ts_error_number(err->code), err->text, err->where.file);
    if ((bad->line && err->where.line != bad->line) || (bad->column && err->where.column != bad->column))
      fail_msg("%s: place %d:%d, not %d:%d", bad->text, err->where.line, err->where.column, bad->line, bad->column);
    ts_task_graph_release(&graph);
    ts_faults_release(&faults);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(own_format),    cmocka_unit_test(wfformat_of_both_ages),
                                     cmocka_unit_test(dax),           cmocka_unit_test(stg),
                                     cmocka_unit_test(written_again), cmocka_unit_test(faults_have_places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
