/* The table of merging algorithms. A new one is a file and a line here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/bucket_int.h"

#include <string.h>

static const struct ts_merger *const mergers[] = {&ts_merger_naive, &ts_merger_sca, &ts_merger_rtma, &ts_merger_trtma,
                                                  &ts_merger_lineage};

const struct ts_merger *const *ts_merger_list(size_t *count) {
  *count = sizeof mergers / sizeof *mergers;
  return mergers;
}

const struct ts_merger *ts_merger_find(const char *name) {
  for (size_t i = 0; i < sizeof mergers / sizeof *mergers; i++) {
    if (strcmp(mergers[i]->name, name) == 0) return mergers[i];
  }
  return NULL;
}
