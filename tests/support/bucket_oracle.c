/* Recounts by comparing every pair; the optimum by walking all partitions, cut off where a part is already too costly.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "support/bucket_oracle.h"

#include <math.h>

#define MOST_MEMBERS 12

double bucket_recount(const struct ts_bucket_input *input, const uint32_t *members, size_t count, size_t *tasks) {
  double cost = 0;
  *tasks = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t t = 0; t < input->task_count; t++) {
      uint32_t key = input->keys[members[i] * input->task_count + t];
      bool met = false;
      for (size_t k = 0; k < i && !met; k++) met = input->keys[members[k] * input->task_count + t] == key;
      if (met) continue;
      ++*tasks;
      cost += input->costs ? input->costs[t] : 1;
    }
  }
  return cost;
}

void bucket_check(const struct ts_bucket_input *input, const struct ts_buckets *buckets) {
  size_t *met = ts_calloc(input->member_count + 1, sizeof *met);
  size_t executed = 0, sum = 0;
  for (size_t b = 0; b < buckets->count; b++) {
    const struct ts_bucket *bucket = &buckets->items[b];
    size_t tasks = 0;
    double cost = bucket_recount(input, bucket->members, bucket->member_count, &tasks);
    assert_true(bucket->member_count > 0);
    assert_int_equal(tasks, bucket->tasks);
    assert_true(fabs(cost - bucket->cost) <= 1e-9 * (1 + cost));
    for (size_t i = 0; i < bucket->member_count; i++) met[bucket->members[i]]++;
    executed += tasks;
  }
  for (size_t m = 0; m < input->member_count; m++) assert_int_equal(met[m], 1);
  for (size_t t = 0; t < input->task_count; t++) sum += buckets->executed[t];
  assert_int_equal(sum, executed);
  free(met);
}

struct partition {
  const struct ts_bucket_input *input;
  size_t max_buckets;
  uint32_t parts[MOST_MEMBERS][MOST_MEMBERS];
  size_t sizes[MOST_MEMBERS];
  size_t used;
  double best;
};

static void place(struct partition *p, uint32_t member, double greatest) {
  if (greatest >= p->best) return;
  if (member == p->input->member_count) {
    p->best = greatest;
    return;
  }
  size_t choices = p->used < p->max_buckets ? p->used + 1 : p->used;
  for (size_t b = 0; b < choices; b++) {
    size_t used = p->used, tasks = 0;
    p->parts[b][p->sizes[b]++] = member;
    if (b == p->used) p->used++;
    double cost = bucket_recount(p->input, p->parts[b], p->sizes[b], &tasks);
    place(p, member + 1, cost > greatest ? cost : greatest);
    p->sizes[b]--;
    p->used = used;
  }
}

double bucket_optimum(const struct ts_bucket_input *input, size_t max_buckets) {
  struct partition p = {.input = input, .max_buckets = max_buckets, .best = INFINITY};
  assert_true(input->member_count <= MOST_MEMBERS);
  place(&p, 0, 0);
  return p.best;
}
