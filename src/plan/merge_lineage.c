/* All members in one bucket, so that nothing runs twice; split in a balanced way only if more buckets are asked for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/bucket_int.h"

static bool merge(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options, uint32_t *bucket_of,
                  struct ts_error *err) {
  if (options->max_buckets > 1 || options->memory_limit_bytes > 0) {
    struct ts_bucket_options split = *options;
    if (split.max_buckets == 0) split.max_buckets = 1;
    return ts_trtma_merge(tree, &split, bucket_of, err);
  }
  for (size_t m = 0; m < tree->input->member_count; m++) bucket_of[m] = 0;
  return true;
}

const struct ts_merger ts_merger_lineage = {
    .name = "lineage", .help = "one bucket with everything, or --max-buckets balanced ones", .merge = merge};
