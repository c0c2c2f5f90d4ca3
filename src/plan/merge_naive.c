/* Consecutive groups, in the order in which the members came.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/bucket_int.h"

static bool merge(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options, uint32_t *bucket_of,
                  struct ts_error *err) {
  (void)err;
  for (size_t m = 0; m < tree->input->member_count; m++) bucket_of[m] = (uint32_t)(m / options->max_bucket_size);
  return true;
}

const struct ts_merger ts_merger_naive = {
    .name = "naive", .help = "consecutive groups of --max-bucket-size", .needs_size = true, .merge = merge};
