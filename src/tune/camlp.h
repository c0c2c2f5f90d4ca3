/* Graphs over candidates, and labels that spread along their edges (CAMLP).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Y. Yamaguchi, C. Faloutsos, H. Kitagawa, "CAMLP: confidence-aware modulated label propagation", SDM 2016,
 * doi:10.1137/1.9781611974348.58. */
#ifndef TS_TUNE_CAMLP_H
#define TS_TUNE_CAMLP_H

#include <stddef.h>
#include <stdint.h>

/* Undirected, every edge of weight 1 and listed at both of its ends: the neighbours of node i are neighbours[first[i]]
 * .. neighbours[first[i + 1] - 1]. */
struct ts_near_graph {
  size_t count;
  size_t *first;        /* owned; count + 1 entries */
  uint32_t *neighbours; /* owned */
};
void ts_near_graph_release(struct ts_near_graph *graph);
/* Joins every row with its k nearest by the sum of the distances in each column (in units of its standard deviation),
 * of equally near ones those that come first; an edge exists if either of its ends chose it. */
void ts_near_graph_init(struct ts_near_graph *graph, const double *rows, size_t count, size_t columns, size_t k);

enum ts_label { TS_LABEL_NONE, TS_LABEL_ORDINARY, TS_LABEL_OPTIMAL };
/* The belief of each node that it is optimal, after `sweeps` of F <- (B + beta W F) / (1 + beta degree), all nodes at
 * once; nodes without a label start from 1/2. The belief that it is not is the rest to 1. */
void ts_camlp(const struct ts_near_graph *graph, const enum ts_label *labels, double beta, size_t sweeps,
              double *belief);

#endif
