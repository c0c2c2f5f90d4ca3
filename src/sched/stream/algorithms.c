/* The table of algorithms for streams.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/stream_int.h"

#include <string.h>

const struct ts_stream_algorithm *const ts_stream_algorithms[] = {
    &ts_stream_mos, &ts_stream_fcp, &ts_stream_fcp_e, &ts_stream_expert, &ts_stream_expert_e, &ts_stream_heft, NULL};

const struct ts_stream_algorithm *ts_stream_algorithm_find(const char *name) {
  for (size_t i = 0; ts_stream_algorithms[i]; i++) {
    if (strcmp(ts_stream_algorithms[i]->name, name) == 0) return ts_stream_algorithms[i];
  }
  return NULL;
}
