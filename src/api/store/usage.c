/* Reads a store and finds out who uses what.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/store/usage.h"

#include "base/alloc.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_AT_ONCE 8192

void ts_usage_release(struct store_usage *usage) {
  for (size_t i = 0; i < usage->run_count; i++) free(usage->runs[i].roots);
  free(usage->products);
  free(usage->records);
  free(usage->input_keys);
  free(usage->inputs);
  free(usage->outputs);
  free(usage->runs);
  free(usage->stages);
  ts_map_release(&usage->by_digest);
  ts_map_release(&usage->by_key);
  ts_map_release(&usage->by_run);
  ts_map_release(&usage->by_stage);
  ts_arena_release(&usage->arena);
  *usage = (struct store_usage){0};
}

static uint32_t number_in(const struct ts_map *map, const void *key, size_t bytes) {
  const union ts_map_value *value = ts_map_find(map, key, bytes);
  return value ? (uint32_t)value->number : USAGE_NONE;
}

/* ---- products and records ---- */

static void add_product(void *user, const struct ts_store_product *given) {
  struct store_usage *usage = user;
  bool inserted = false;
  union ts_map_value *value = ts_map_insert(&usage->by_digest, &given->digest, sizeof given->digest, &inserted);
  if (!inserted) return;
  value->number = usage->product_count;
  usage->products = ts_grow(usage->products, usage->product_count, &usage->product_capacity, sizeof *usage->products);
  usage->products[usage->product_count++] = (struct used_product){.digest = given->digest,
                                                                  .size_bytes = given->size_bytes,
                                                                  .packed_bytes = given->packed_bytes,
                                                                  .record = USAGE_NONE,
                                                                  .is_file = given->is_file};
  usage->product_bytes += given->packed_bytes;
  if (given->is_file) usage->file_bytes += given->packed_bytes;
}

static uint32_t stage_number(struct store_usage *usage, const char *name) {
  bool inserted = false;
  union ts_map_value *value = ts_map_insert_name(&usage->by_stage, name, &inserted);
  if (inserted) {
    value->number = usage->stage_count;
    usage->stages = ts_grow(usage->stages, usage->stage_count, &usage->stage_capacity, sizeof *usage->stages);
    usage->stages[usage->stage_count++] = ts_arena_strdup(&usage->arena, name);
  }
  return (uint32_t)value->number;
}

/* A product that several tasks made is attributed to the one whose call it would take to have it again. */
static void claim(struct store_usage *usage, uint32_t product, uint32_t record) {
  struct used_product *claimed = &usage->products[product];
  const bool is_better =
      claimed->record == USAGE_NONE || usage->records[claimed->record].seconds < usage->records[record].seconds;
  if (is_better) claimed->record = record;
}

static void add_outputs(struct store_usage *usage, const struct ts_record *given, uint32_t number) {
  for (size_t i = 0; i < given->output_count; i++) {
    const struct ts_sha256 *digest = &given->outputs[i].digest;
    const uint32_t product = number_in(&usage->by_digest, digest, sizeof *digest);
    if (product == USAGE_NONE) continue;
    usage->outputs = ts_grow(usage->outputs, usage->output_count, &usage->output_capacity, sizeof *usage->outputs);
    usage->outputs[usage->output_count++] = product;
    usage->records[number].output_count++;
    claim(usage, product, number);
  }
}

static void add_record(void *user, const struct ts_record *given) {
  struct store_usage *usage = user;
  bool inserted = false;
  union ts_map_value *value = ts_map_insert(&usage->by_key, &given->key, sizeof given->key, &inserted);
  if (!inserted) return;
  const uint32_t number = (uint32_t)usage->record_count;
  const uint32_t operation = stage_number(usage, given->operation);
  value->number = number;
  usage->records = ts_grow(usage->records, usage->record_count, &usage->record_capacity, sizeof *usage->records);
  usage->records[usage->record_count++] =
      (struct used_record){.operation = usage->stages[operation],
                           .seconds = given->is_alias ? 0 : given->seconds,
                           .stage = USAGE_NONE,
                           .made_by = number_in(&usage->by_run, given->run, strlen(given->run)),
                           .first_input = (uint32_t)usage->input_count,
                           .input_count = (uint32_t)given->input_count,
                           .first_output = (uint32_t)usage->output_count};
  for (size_t i = 0; i < given->input_count; i++) {
    usage->input_keys =
        ts_grow(usage->input_keys, usage->input_count, &usage->input_capacity, sizeof *usage->input_keys);
    usage->input_keys[usage->input_count++] = given->inputs[i].key;
  }
  add_outputs(usage, given, number);
}

static void resolve_inputs(struct store_usage *usage) {
  usage->inputs = ts_calloc(usage->input_count + 1, sizeof *usage->inputs);
  for (size_t i = 0; i < usage->input_count; i++)
    usage->inputs[i] = number_in(&usage->by_key, &usage->input_keys[i], sizeof usage->input_keys[i]);
  free(ts_steal(usage->input_keys));
}

/* ---- runs ---- */

static void add_text(struct store_usage *usage, const json_t *hex) {
  struct ts_sha256 digest;
  if (!json_is_string(hex) || !ts_hex_decode(json_string_value(hex), digest.bytes, sizeof digest.bytes)) return;
  const uint32_t product = number_in(&usage->by_digest, &digest, sizeof digest);
  if (product != USAGE_NONE) usage->products[product].is_text = true;
}

/* What order/order_keep.c writes into the row of a run. */
static void read_settings(struct store_usage *usage, struct usage_run *run) {
  json_auto_t *settings = json_loads(run->row->settings_json, 0, NULL);
  const json_t *rounds = json_object_get(settings, "rounds");
  const char *name = json_string_value(json_object_get(settings, "name"));
  run->name = ts_arena_strdup(&usage->arena, name ? name : "");
  add_text(usage, json_object_get(settings, "order"));
  add_text(usage, json_object_get(settings, "locations"));
  for (size_t i = 0; i < json_array_size(rounds); i++) add_text(usage, json_array_get(rounds, i));
}

/* The newest run says of which stage a task is: runs are read in that order. */
static void add_root(struct store_usage *usage, struct usage_run *run, const struct ts_task_row *row) {
  const uint32_t record = number_in(&usage->by_key, &row->key, sizeof row->key);
  if (record == USAGE_NONE) return;
  if (usage->records[record].stage == USAGE_NONE) usage->records[record].stage = stage_number(usage, row->stage);
  run->roots = ts_grow(run->roots, run->root_count, &run->root_capacity, sizeof *run->roots);
  run->roots[run->root_count++] = record;
}

static bool read_tasks(struct store_usage *usage, struct ts_store *store, struct usage_run *run, struct ts_error *err) {
  uint64_t since = 0;
  size_t count = 0;
  do {
    ts_auto(ts_arena_release) struct ts_arena arena = {0};
    struct ts_task_row *rows = NULL;
    if (!ts_store_task_rows_since(store, run->row->id, since, ROWS_AT_ONCE, &arena, &rows, &count, err)) return false;
    for (size_t i = 0; i < count; i++) add_root(usage, run, &rows[i]);
    run->task_rows += count;
    if (count > 0) since = rows[count - 1].task + 1;
  } while (count == ROWS_AT_ONCE);
  return true;
}

static bool list_runs(struct store_usage *usage, struct ts_store *store, struct ts_error *err) {
  struct ts_run_row *rows = NULL;
  if (!ts_store_run_list(store, &usage->arena, &rows, &usage->run_count, err)) return false;
  usage->runs = ts_calloc(usage->run_count + 1, sizeof *usage->runs);
  for (size_t i = 0; i < usage->run_count; i++) {
    usage->runs[i].row = &rows[i];
    ts_map_insert_name(&usage->by_run, rows[i].id, NULL)->number = i;
  }
  return true;
}

/* ---- walks ---- */

struct walk {
  struct store_usage *usage; /* borrowed */
  uint32_t *stack;           /* owned: records whose products and inputs are still to be looked at */
  size_t count, capacity;
};

static void push(struct walk *walk, uint32_t record) {
  struct used_record *found = &walk->usage->records[record];
  if (found->mark == walk->usage->mark) return;
  found->mark = walk->usage->mark;
  walk->stack = ts_grow(walk->stack, walk->count, &walk->capacity, sizeof *walk->stack);
  walk->stack[walk->count++] = record;
}

static void look_at(struct walk *walk, uint32_t record, usage_visitor *visit, void *user) {
  struct store_usage *usage = walk->usage;
  const struct used_record *found = &usage->records[record];
  for (uint32_t i = 0; i < found->input_count; i++) {
    const uint32_t input = usage->inputs[found->first_input + i];
    if (input != USAGE_NONE) push(walk, input);
  }
  for (uint32_t i = 0; i < found->output_count; i++) {
    const uint32_t product = usage->outputs[found->first_output + i];
    if (usage->products[product].mark == usage->mark) continue;
    usage->products[product].mark = usage->mark;
    visit(user, usage, product);
  }
}

void ts_usage_walk(struct store_usage *usage, size_t run, usage_visitor *visit, void *user) {
  struct walk walk = {.usage = usage};
  usage->mark++;
  for (size_t i = 0; i < usage->runs[run].root_count; i++) push(&walk, usage->runs[run].roots[i]);
  for (size_t i = 0; i < usage->record_count; i++)
    if (usage->records[i].made_by == run) push(&walk, (uint32_t)i);
  while (walk.count > 0) look_at(&walk, walk.stack[--walk.count], visit, user);
  free(walk.stack);
}

static void count_product(void *user, struct store_usage *usage, uint32_t product) {
  struct usage_run *run = user;
  usage->products[product].user_count++;
  run->products++;
  run->bytes += usage->products[product].packed_bytes;
}

static void add_own(void *user, struct store_usage *usage, uint32_t product) {
  struct usage_run *run = user;
  if (usage->products[product].user_count == 1) run->own_bytes += usage->products[product].packed_bytes;
}

bool ts_usage_read(struct store_usage *usage, struct ts_store *store, struct ts_error *err) {
  const struct ts_store_visitor visitor = {usage, add_product, add_record};
  if (!list_runs(usage, store, err) || !ts_store_survey(store, &visitor, err) ||
      !ts_store_footprint(store, &usage->footprint, err))
    return false;
  resolve_inputs(usage);
  for (size_t i = 0; i < usage->run_count; i++) {
    read_settings(usage, &usage->runs[i]);
    if (!read_tasks(usage, store, &usage->runs[i], err)) return false;
  }
  for (size_t i = 0; i < usage->run_count; i++) ts_usage_walk(usage, i, count_product, &usage->runs[i]);
  for (size_t i = 0; i < usage->run_count; i++) ts_usage_walk(usage, i, add_own, &usage->runs[i]);
  return true;
}

const char *ts_usage_stage(const struct store_usage *usage, const struct used_product *product) {
  if (product->record == USAGE_NONE) return "";
  const struct used_record *record = &usage->records[product->record];
  return record->stage == USAGE_NONE ? record->operation : usage->stages[record->stage];
}

uint64_t ts_usage_stray_bytes(const struct store_usage *usage) {
  return usage->footprint.object_bytes > usage->file_bytes ? usage->footprint.object_bytes - usage->file_bytes : 0;
}
