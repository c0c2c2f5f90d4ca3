/* How many bytes of products are alive at once when the members of a bucket run depth first.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each distinct task runs when the first member needs it; its products stay until the last task that reads them has
 * run. An output of the stage is written out as soon as no task of the bucket needs it. */
#include "plan/bucket_int.h"

#include "base/alloc.h"

void ts_peak_init(struct ts_peak *peak, const struct ts_reuse_tree *tree) {
  *peak = (struct ts_peak){0};
  if (!tree->input->bytes) return;
  peak->done = ts_calloc(tree->input->key_count + 1, sizeof *peak->done);
  peak->last_use = ts_calloc(tree->input->key_count + 1, sizeof *peak->last_use);
}

void ts_peak_release(struct ts_peak *peak) {
  free(peak->done);
  free(peak->last_use);
  *peak = (struct ts_peak){0};
}

static bool reads(const struct ts_bucket_input *input, size_t task, size_t other) {
  return input->reads ? input->reads[task * input->task_count + other] : other + 1 == task;
}

/* First walk: when each product is used for the last time. */
static void note_uses(struct ts_peak *peak, const struct ts_reuse_tree *tree, const uint32_t *ranks, size_t count) {
  size_t now = 0;
  peak->call++;
  for (size_t i = 0; i < count; i++) {
    const uint32_t *keys = ts_tree_keys(tree, ranks ? ranks[i] : i);
    for (size_t t = 0; t < tree->input->task_count; t++) {
      if (peak->done[keys[t]] == peak->call) continue;
      peak->done[keys[t]] = peak->call;
      peak->last_use[keys[t]] = ++now;
      for (size_t u = 0; u < t; u++) {
        if (reads(tree->input, t, u)) peak->last_use[keys[u]] = now;
      }
    }
  }
}

uint64_t ts_peak_of(struct ts_peak *peak, const struct ts_reuse_tree *tree, const uint32_t *ranks, size_t count) {
  const struct ts_bucket_input *input = tree->input;
  if (!input->bytes) return 0;
  note_uses(peak, tree, ranks, count);
  uint64_t alive = 0, most = 0;
  size_t now = 0;
  peak->call++;
  for (size_t i = 0; i < count; i++) {
    const uint32_t *keys = ts_tree_keys(tree, ranks ? ranks[i] : i);
    for (size_t t = 0; t < input->task_count; t++) {
      if (peak->done[keys[t]] == peak->call) continue;
      peak->done[keys[t]] = peak->call;
      now++;
      alive += input->bytes[t];
      if (alive > most) most = alive;
      for (size_t u = 0; u <= t; u++) {
        if ((u == t || reads(input, t, u)) && peak->last_use[keys[u]] == now) alive -= input->bytes[u];
      }
    }
  }
  return most;
}
