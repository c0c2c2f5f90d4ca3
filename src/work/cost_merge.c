/* Rows of costs of a store: read into bins, and calls added to them, also while other runs add to the same rows.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A row is read, merged and written back only if it is still the one that was read; otherwise all is done again with
 * what is there now. So runs that end at the same time, in any process, lose nothing of each other. */
#include "work/costs.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <string.h>

#define DEVICE_MARK "; device "
/* Each says that another run has written in between: so many do not end at once. */
#define MOST_TRIES 1000

/* False: it is damaged. */
static bool read_bin(const struct ts_cost_row *row, struct ts_cost_bin *bin) {
  *bin = (struct ts_cost_bin){.number = row->bin, .calls = row->calls, .asked = row->asked, .cut = row->cut};
  return ts_cost_bin_decode(bin, row->samples, row->samples_bytes);
}

/* The device follows the class of machine in its column; rows that name none are of the CPU. */
static const char *machine_text(const struct ts_cost_key *key, struct ts_arena *arena) {
  if (strcmp(key->device, TS_DEVICE_CPU) == 0) return key->machine;
  return ts_arena_printf(arena, "%s" DEVICE_MARK "%s", key->machine, key->device);
}

static struct ts_cost_key key_of(const struct ts_cost_row *row, struct ts_arena *arena) {
  const char *mark = strstr(row->machine, DEVICE_MARK);
  struct ts_cost_key key = {row->operation, row->implementation, row->machine, row->measure, TS_DEVICE_CPU};
  if (!mark) return key;
  key.machine = ts_arena_printf(arena, "%.*s", (int)(mark - row->machine), row->machine);
  key.device = mark + strlen(DEVICE_MARK);
  return key;
}

struct ts_cost_entry *ts_cost_entries(const struct ts_cost_row *rows, size_t row_count, struct ts_arena *arena,
                                      size_t *count, size_t *damaged) {
  struct ts_cost_entry *entries = ts_arena_array(arena, row_count, sizeof *entries);
  *count = *damaged = 0;
  for (size_t i = 0; i < row_count; i++) {
    const struct ts_cost_row *row = &rows[i];
    struct ts_cost_bin *bin = ts_arena_alloc(arena, sizeof *bin);
    if (!read_bin(row, bin)) {
      ++*damaged;
      continue;
    }
    entries[(*count)++] = (struct ts_cost_entry){key_of(row, arena), bin};
  }
  return entries;
}

/* The bin as it becomes by the new calls, and what was known of it. */
static struct ts_cost_row make_row(const struct ts_cost_entry *learnt, const struct ts_cost_row *known,
                                   size_t known_count, struct ts_arena *arena) {
  struct ts_cost_bin bin = {.number = learnt->bin->number};
  struct ts_cost_row row = {.operation = learnt->key.operation,
                            .implementation = learnt->key.implementation,
                            .machine = machine_text(&learnt->key, arena),
                            .measure = learnt->key.measure,
                            .bin = bin.number,
                            .updated_unix_ns = ts_clock_unix_ns()};
  for (size_t i = 0; i < known_count; i++) {
    const struct ts_cost_key key = key_of(&known[i], arena);
    if (known[i].bin != bin.number || !ts_cost_key_equal(&key, &learnt->key)) continue;
    row.seen_calls = known[i].calls;
    row.seen_asked = known[i].asked;
    if (!read_bin(&known[i], &bin)) bin = (struct ts_cost_bin){.number = bin.number};
  }
  ts_cost_bin_merge(&bin, learnt->bin);
  ts_auto(ts_str_release) struct ts_str samples = {0};
  ts_cost_bin_encode(&bin, &samples);
  row.calls = bin.calls;
  row.asked = bin.asked;
  row.cut = bin.cut;
  row.samples = ts_arena_memdup(arena, ts_str_get(&samples), samples.length);
  row.samples_bytes = samples.length;
  return row;
}

static bool try_to_add(struct ts_store *store, const struct ts_cost_entry *learnt, size_t count, bool *outdated,
                       struct ts_error *err) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_cost_row *known = NULL;
  size_t known_count = 0;
  if (!ts_store_cost_list(store, &arena, &known, &known_count, err)) return false;
  struct ts_cost_row *rows = ts_arena_array(&arena, count, sizeof *rows);
  for (size_t i = 0; i < count; i++) rows[i] = make_row(&learnt[i], known, known_count, &arena);
  return ts_store_cost_put(store, rows, count, outdated, err);
}

bool ts_costs_add(struct ts_store *store, const struct ts_cost_entry *learnt, size_t count, struct ts_error *err) {
  bool outdated = true;
  for (int i = 0; outdated && i < MOST_TRIES; i++) {
    if (!try_to_add(store, learnt, count, &outdated, err)) return false;
  }
  if (!outdated) return true;
  ts_fail(err, TS_ERR_STORE_BUSY, "other runs change them all the time (%d tries)", MOST_TRIES);
  ts_error_help(err, "nothing else is lost; the next run measures again");
  return false;
}
