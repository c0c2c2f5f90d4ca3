/* Runs and stages in the replies of 'store du' and 'store gc'.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/store/store_json.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

json_t *ts_store_run_json(const struct usage_run *run) {
  char started[32];
  return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "run", run->row->id, "command", run->row->command, "name",
                   run->name, "file", run->row->file, "state", run->row->state, "started",
                   ts_clock_print_utc(run->row->started_unix_ns, started));
}

struct stage_sum {
  const char *name; /* borrowed */
  uint64_t products, bytes, unpacked;
  double seconds;
};

static int compare_sums(const void *a, const void *b) {
  const struct stage_sum *left = a, *right = b;
  if (left->bytes != right->bytes) return left->bytes < right->bytes ? 1 : -1;
  return strcmp(left->name, right->name);
}

/* A task with several products counts once. */
static void add(struct store_usage *usage, const struct used_product *product, struct stage_sum *sum) {
  sum->products++;
  sum->bytes += product->packed_bytes;
  sum->unpacked += product->size_bytes;
  struct used_record *record = product->record == USAGE_NONE ? NULL : &usage->records[product->record];
  if (!record || record->mark == usage->mark) return;
  record->mark = usage->mark;
  sum->seconds += record->seconds;
}

json_t *ts_store_stages_json(struct store_usage *usage, bool (*is_meant)(const struct used_product *product)) {
  struct stage_sum *sums = ts_calloc(usage->stage_count + 1, sizeof *sums);
  json_t *list = json_array();
  usage->mark++;
  for (size_t i = 0; i < usage->product_count; i++) {
    const struct used_product *product = &usage->products[i];
    const char *name = ts_usage_stage(usage, product);
    const union ts_map_value *number = ts_map_find_name(&usage->by_stage, name);
    struct stage_sum *sum = &sums[number ? number->number : usage->stage_count];
    if (!is_meant(product)) continue;
    sum->name = name;
    add(usage, product, sum);
  }
  size_t count = 0;
  for (size_t i = 0; i <= usage->stage_count; i++)
    if (sums[i].products > 0) sums[count++] = sums[i];
  if (count > 0) qsort(sums, count, sizeof *sums, compare_sums);
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list,
                          json_pack("{s:s, s:o, s:o, s:o, s:f}", "stage", sums[i].name, "products",
                                    ts_json_count(sums[i].products), "bytes", ts_json_count(sums[i].bytes),
                                    "unpacked_bytes", ts_json_count(sums[i].unpacked), "seconds", sums[i].seconds));
  free(sums);
  return list;
}
