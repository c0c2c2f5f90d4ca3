/* Rows in messages.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/remote/wire_int.h"

#include <stdio.h>
#include <string.h>

static void add_digest(struct ts_str *out, const struct ts_sha256 *digest) {
  ts_wire_add_raw(out, digest->bytes, sizeof digest->bytes);
}

static void read_digest(struct ts_wire *wire, struct ts_sha256 *digest) {
  ts_wire_raw(wire, digest->bytes, sizeof digest->bytes);
}

void ts_remote_add_row(struct ts_str *out, const struct ts_columns *columns, const void *row) {
  for (size_t i = 0; i < columns->count; i++) {
    const void *member = (const char *)row + columns->items[i].offset;
    switch (columns->items[i].kind) {
    case TS_COLUMN_TEXT: ts_wire_add_text(out, *(const char *const *)member); break;
    case TS_COLUMN_OPTIONAL: ts_wire_add_optional(out, *(const char *const *)member); break;
    case TS_COLUMN_RUN_ID: ts_wire_add_text(out, member); break;
    case TS_COLUMN_DIGEST: add_digest(out, member); break;
    case TS_COLUMN_BOOL: ts_wire_add_u8(out, *(const bool *)member); break;
    case TS_COLUMN_I32: ts_wire_add_u32(out, (uint32_t) * (const int32_t *)member); break;
    case TS_COLUMN_I64: ts_wire_add_i64(out, *(const int64_t *)member); break;
    case TS_COLUMN_U64: ts_wire_add_u64(out, *(const uint64_t *)member); break;
    case TS_COLUMN_F64: ts_wire_add_f64(out, *(const double *)member); break;
    }
  }
}

void ts_remote_read_row(struct ts_wire *wire, const struct ts_columns *columns, void *row) {
  for (size_t i = 0; i < columns->count; i++) {
    void *member = (char *)row + columns->items[i].offset;
    switch (columns->items[i].kind) {
    case TS_COLUMN_TEXT: *(const char **)member = ts_wire_text(wire); break;
    case TS_COLUMN_OPTIONAL: *(const char **)member = ts_wire_optional(wire); break;
    case TS_COLUMN_RUN_ID: snprintf(member, TS_RUN_ID_BYTES, "%s", ts_wire_text(wire)); break;
    case TS_COLUMN_DIGEST: read_digest(wire, member); break;
    case TS_COLUMN_BOOL: *(bool *)member = ts_wire_u8(wire) != 0; break;
    case TS_COLUMN_I32: *(int32_t *)member = (int32_t)ts_wire_u32(wire); break;
    case TS_COLUMN_I64: *(int64_t *)member = ts_wire_i64(wire); break;
    case TS_COLUMN_U64: *(uint64_t *)member = ts_wire_u64(wire); break;
    case TS_COLUMN_F64: *(double *)member = ts_wire_f64(wire); break;
    }
  }
}

#define INPUT_BYTES  (5 + 32)
#define OUTPUT_BYTES (5 + 5 + 32 + 8)

void ts_remote_add_record(struct ts_str *out, const struct ts_record *record) {
  ts_remote_add_row(out, &ts_record_columns, record);
  ts_wire_add_u64(out, record->input_count);
  for (size_t i = 0; i < record->input_count; i++) {
    ts_wire_add_text(out, record->inputs[i].port);
    add_digest(out, &record->inputs[i].key.digest);
  }
  ts_wire_add_u64(out, record->output_count);
  for (size_t i = 0; i < record->output_count; i++) {
    ts_wire_add_text(out, record->outputs[i].port);
    ts_wire_add_text(out, record->outputs[i].type);
    add_digest(out, &record->outputs[i].digest);
    ts_wire_add_u64(out, record->outputs[i].size_bytes);
  }
}

static void read_inputs(struct ts_wire *wire, struct ts_arena *arena, struct ts_record *record) {
  record->input_count = ts_wire_count(wire, INPUT_BYTES);
  struct ts_record_input *inputs = ts_arena_array(arena, record->input_count, sizeof *inputs);
  for (size_t i = 0; i < record->input_count; i++) {
    inputs[i].port = ts_wire_text(wire);
    read_digest(wire, &inputs[i].key.digest);
  }
  record->inputs = inputs;
}

static void read_outputs(struct ts_wire *wire, struct ts_arena *arena, struct ts_record *record) {
  record->output_count = ts_wire_count(wire, OUTPUT_BYTES);
  struct ts_record_output *outputs = ts_arena_array(arena, record->output_count, sizeof *outputs);
  for (size_t i = 0; i < record->output_count; i++) {
    outputs[i].port = ts_wire_text(wire);
    outputs[i].type = ts_wire_text(wire);
    read_digest(wire, &outputs[i].digest);
    outputs[i].size_bytes = ts_wire_u64(wire);
  }
  record->outputs = outputs;
}

void ts_remote_read_record(struct ts_wire *wire, struct ts_arena *arena, struct ts_record *record) {
  memset(record, 0, sizeof *record);
  ts_remote_read_row(wire, &ts_record_columns, record);
  read_inputs(wire, arena, record);
  read_outputs(wire, arena, record);
}

#define PRODUCT_BYTES (32 + 8 + 8)
#define ENTRY_BYTES   TS_REMOTE_TASK_BYTES /* the shorter kind */

void ts_remote_add_batch(struct ts_str *out, const struct ts_batch *batch) {
  ts_wire_add_u64(out, batch->product_count);
  for (size_t i = 0; i < batch->product_count; i++) {
    add_digest(out, &batch->products[i].digest);
    ts_wire_add_u64(out, batch->products[i].size_bytes);
    ts_wire_add_blob(out, batch->products[i].packed, batch->products[i].packed_bytes);
  }
  ts_wire_add_u64(out, batch->entry_count);
  for (size_t i = 0; i < batch->entry_count; i++) {
    const struct ts_batch_entry *entry = &batch->entries[i];
    ts_wire_add_u8(out, entry->record != NULL);
    if (entry->record) {
      ts_remote_add_record(out, entry->record);
    } else {
      ts_wire_add_text(out, entry->run);
      ts_remote_add_row(out, &ts_task_columns, entry->task);
    }
  }
}

static void read_entry(struct ts_wire *wire, struct ts_arena *arena, struct ts_batch_entry *entry) {
  if (ts_wire_u8(wire)) {
    struct ts_record *record = ts_arena_alloc(arena, sizeof *record);
    ts_remote_read_record(wire, arena, record);
    entry->record = record;
  } else {
    struct ts_task_row *task = ts_arena_alloc(arena, sizeof *task);
    entry->run = ts_wire_text(wire);
    ts_remote_read_row(wire, &ts_task_columns, task);
    entry->task = task;
  }
}

void ts_remote_read_batch(struct ts_wire *wire, struct ts_arena *arena, struct ts_batch *batch) {
  batch->product_count = ts_wire_count(wire, PRODUCT_BYTES);
  struct ts_batch_product *products = ts_arena_array(arena, batch->product_count, sizeof *products);
  for (size_t i = 0; i < batch->product_count; i++) {
    read_digest(wire, &products[i].digest);
    products[i].size_bytes = ts_wire_u64(wire);
    products[i].packed = ts_wire_blob(wire, &products[i].packed_bytes);
  }
  batch->products = products;
  batch->entry_count = ts_wire_count(wire, ENTRY_BYTES);
  struct ts_batch_entry *entries = ts_arena_array(arena, batch->entry_count, sizeof *entries);
  for (size_t i = 0; i < batch->entry_count && !wire->failed; i++) read_entry(wire, arena, &entries[i]);
  batch->entries = entries;
}
