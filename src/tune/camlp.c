/* Labels that spread along the edges of a graph.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/camlp.h"

#include "base/alloc.h"

#include <string.h>

void ts_camlp(const struct ts_near_graph *graph, const enum ts_label *labels, double beta, size_t sweeps,
              double *belief) {
  static const double prior[] = {[TS_LABEL_NONE] = 0.5, [TS_LABEL_ORDINARY] = 0, [TS_LABEL_OPTIMAL] = 1};
  ts_auto_free double *before = ts_calloc(graph->count + 1, sizeof *before);
  for (size_t i = 0; i < graph->count; i++) belief[i] = prior[labels[i]];
  for (size_t sweep = 0; sweep < sweeps; sweep++) {
    memcpy(before, belief, graph->count * sizeof *before);
    for (size_t i = 0; i < graph->count; i++) {
      double sum = 0;
      for (size_t e = graph->first[i]; e < graph->first[i + 1]; e++) sum += before[graph->neighbours[e]];
      double degree = (double)(graph->first[i + 1] - graph->first[i]);
      belief[i] = (prior[labels[i]] + beta * sum) / (1 + beta * degree);
    }
  }
}
