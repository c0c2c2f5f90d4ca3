/* Labels that spread over a graph (vector), and the graph of nearest rows against comparing all pairs.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/random.h"
#include "support/vectors.h"
#include "tune/camlp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING 12

/* Neighbours at distance 1 and 2 on a ring. */
static void make_ring(struct ts_near_graph *graph) {
  static const size_t steps[] = {1, 2, RING - 1, RING - 2};
  *graph = (struct ts_near_graph){.count = RING};
  graph->first = ts_calloc(RING + 1, sizeof *graph->first);
  graph->neighbours = ts_calloc(4 * RING, sizeof *graph->neighbours);
  for (size_t i = 0; i < RING; i++) {
    graph->first[i + 1] = 4 * (i + 1);
    for (size_t s = 0; s < 4; s++) graph->neighbours[4 * i + s] = (uint32_t)((i + steps[s]) % RING);
  }
}

static void beliefs_are_those_of_the_vector(void **state) {
  (void)state;
  const char *parent = vectors_parent("tuning/camlp_expected.json");
  if (!parent) skip();
  char path[1024];
  struct ts_json_doc doc;
  struct ts_error err = {0};
  snprintf(path, sizeof path, "%s/vectors/tuning/camlp_expected.json", parent);
  assert_true(ts_json_doc_open(&doc, path, &err));
  enum ts_label labels[RING] = {TS_LABEL_NONE};
  const char *node;
  json_t *label;
  json_object_foreach(json_object_get(doc.root, "labels"), node, label) {
    labels[atoi(node)] = json_integer_value(label) ? TS_LABEL_OPTIMAL : TS_LABEL_ORDINARY;
  }
  struct ts_near_graph graph;
  make_ring(&graph);
  double belief[RING];
  ts_camlp(&graph, labels, 0.1, 30, belief);
  for (size_t i = 0; i < RING; i++) {
    const json_t *row = json_array_get(json_object_get(doc.root, "F"), i);
    assert_true(fabs(belief[i] - json_real_value(json_array_get(row, 1))) < 1e-12);
    assert_true(fabs(1 - belief[i] - json_real_value(json_array_get(row, 0))) < 1e-12);
  }
  ts_near_graph_release(&graph);
  ts_json_doc_close(&doc);
}

#define ROWS    160
#define COLUMNS 3
#define K       7

static double rows[ROWS * COLUMNS], scaled[ROWS * COLUMNS];

/* On a coarse grid, so that many distances are equal; the last column is constant. */
static void draw_rows(void) {
  struct ts_random random;
  ts_random_init(&random, 5, 0);
  for (size_t i = 0; i < ROWS; i++) {
    rows[i * COLUMNS] = (double)ts_random_below(&random, 8);
    rows[i * COLUMNS + 1] = 100 * ts_random_unit(&random);
    rows[i * COLUMNS + 2] = 15;
  }
  for (size_t c = 0; c < COLUMNS; c++) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < ROWS; i++) mean += rows[i * COLUMNS + c] / ROWS;
    for (size_t i = 0; i < ROWS; i++) square += pow(rows[i * COLUMNS + c] - mean, 2) / ROWS;
    for (size_t i = 0; i < ROWS; i++)
      scaled[i * COLUMNS + c] = square > 0 ? (rows[i * COLUMNS + c] - mean) / sqrt(square) : 0;
  }
}

static double distance(size_t a, size_t b) {
  double sum = 0;
  for (size_t c = 0; c < COLUMNS; c++) sum += fabs(scaled[a * COLUMNS + c] - scaled[b * COLUMNS + c]);
  return sum;
}

/* Whether fewer than K others are nearer to a than b is, or as near and earlier. */
static bool chooses(size_t a, size_t b) {
  size_t nearer = 0;
  for (size_t i = 0; i < ROWS; i++) {
    if (i == a || i == b) continue;
    nearer += distance(a, i) < distance(a, b) || (distance(a, i) == distance(a, b) && i < b);
  }
  return nearer < K;
}

static void graph_joins_the_nearest(void **state) {
  (void)state;
  draw_rows();
  struct ts_near_graph graph;
  ts_near_graph_init(&graph, rows, ROWS, COLUMNS, K);
  size_t edges = 0;
  for (size_t a = 0; a < ROWS; a++) {
    for (size_t b = 0; b < ROWS; b++) {
      size_t listed = 0;
      for (size_t e = graph.first[a]; e < graph.first[a + 1]; e++) listed += graph.neighbours[e] == b;
      size_t wanted = a != b && (chooses(a, b) || chooses(b, a));
      if (listed != wanted) fail_msg("edge %zu - %zu is listed %zu times, not %zu", a, b, listed, wanted);
      edges += listed;
    }
  }
  assert_true(edges > ROWS * K);
  ts_near_graph_release(&graph);
}

static void few_rows_have_few_neighbours(void **state) {
  (void)state;
  for (size_t count = 1; count <= 4; count++) {
    struct ts_near_graph graph;
    ts_near_graph_init(&graph, (const double[]){1, 2, 4, 8}, count, 1, 10);
    assert_int_equal(graph.first[count], count * (count - 1)); /* all pairs */
    ts_near_graph_release(&graph);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beliefs_are_those_of_the_vector),
      cmocka_unit_test(graph_joins_the_nearest),
      cmocka_unit_test(few_rows_have_few_neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
