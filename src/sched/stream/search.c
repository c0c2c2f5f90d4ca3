/* The room that the phases of MOS work in.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/stream/stream_int.h"

void ts_search_init(struct search *search, const struct stream_model *s) {
  *search = (struct search){.s = s};
  ts_estimate_init(&search->estimate, s);
  ts_estimate_init(&search->trial, s);
  ts_mapping_init(&search->now, s);
}

void ts_search_release(struct search *search) {
  ts_mapping_release(&search->now);
  ts_mapping_release(&search->candidate);
  ts_mapping_release(&search->best);
  ts_estimate_release(&search->estimate);
  ts_estimate_release(&search->trial);
}
