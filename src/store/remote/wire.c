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

#define INPUT_BYTES  (5 + 32)
#define OUTPUT_BYTES (5 + 5 + 32 + 8)

void ts_remote_add_record(struct ts_str *out, const struct ts_record *record) {
  add_digest(out, &record->key.digest);
  add_digest(out, &record->content_key.digest);
  ts_wire_add_u8(out, record->is_alias);
  ts_wire_add_text(out, record->operation);
  ts_wire_add_text(out, record->parameters_json);
  add_digest(out, &record->implementation);
  ts_wire_add_text(out, record->numeric);
  ts_wire_add_f64(out, record->seconds);
  ts_wire_add_u64(out, record->peak_bytes);
  ts_wire_add_text(out, record->run);
  ts_wire_add_text(out, record->producer);
  ts_wire_add_i64(out, record->made_unix_ns);
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
  read_digest(wire, &record->key.digest);
  read_digest(wire, &record->content_key.digest);
  record->is_alias = ts_wire_u8(wire) != 0;
  record->operation = ts_wire_text(wire);
  record->parameters_json = ts_wire_text(wire);
  read_digest(wire, &record->implementation);
  record->numeric = ts_wire_text(wire);
  record->seconds = ts_wire_f64(wire);
  record->peak_bytes = ts_wire_u64(wire);
  record->run = ts_wire_text(wire);
  record->producer = ts_wire_text(wire);
  record->made_unix_ns = ts_wire_i64(wire);
  read_inputs(wire, arena, record);
  read_outputs(wire, arena, record);
}

void ts_remote_add_task(struct ts_str *out, const struct ts_task_row *row) {
  ts_wire_add_u64(out, row->task);
  ts_wire_add_text(out, row->stage);
  ts_wire_add_text(out, row->name);
  ts_wire_add_i64(out, row->set);
  ts_wire_add_i64(out, row->unit);
  add_digest(out, &row->key.digest);
  ts_wire_add_text(out, row->outcome);
  ts_wire_add_f64(out, row->start_s);
  ts_wire_add_f64(out, row->seconds);
  ts_wire_add_f64(out, row->cpu_seconds);
  ts_wire_add_u32(out, (uint32_t)row->worker);
  ts_wire_add_text(out, row->message);
}

void ts_remote_read_task(struct ts_wire *wire, struct ts_task_row *row) {
  memset(row, 0, sizeof *row);
  row->task = ts_wire_u64(wire);
  row->stage = ts_wire_text(wire);
  row->name = ts_wire_text(wire);
  row->set = ts_wire_i64(wire);
  row->unit = ts_wire_i64(wire);
  read_digest(wire, &row->key.digest);
  row->outcome = ts_wire_text(wire);
  row->start_s = ts_wire_f64(wire);
  row->seconds = ts_wire_f64(wire);
  row->cpu_seconds = ts_wire_f64(wire);
  row->worker = (int32_t)ts_wire_u32(wire);
  row->message = ts_wire_text(wire);
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
      ts_remote_add_task(out, entry->task);
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
    ts_remote_read_task(wire, task);
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

void ts_remote_add_run(struct ts_str *out, const struct ts_store_run *run) {
  ts_wire_add_text(out, run->row.id);
  ts_wire_add_text(out, run->row.command);
  ts_wire_add_text(out, run->row.file);
  ts_wire_add_text(out, run->row.state);
  ts_wire_add_i64(out, run->row.started_unix_ns);
  ts_wire_add_i64(out, run->row.finished_unix_ns);
  ts_wire_add_text(out, run->row.settings_json);
  ts_wire_add_text(out, run->row.result_json);
  ts_wire_add_i64(out, run->row.process_id);
  ts_wire_add_text(out, run->process);
}

void ts_remote_read_run(struct ts_wire *wire, struct ts_store_run *run) {
  memset(run, 0, sizeof *run);
  snprintf(run->row.id, sizeof run->row.id, "%s", ts_wire_text(wire));
  run->row.command = ts_wire_text(wire);
  run->row.file = ts_wire_text(wire);
  run->row.state = ts_wire_text(wire);
  run->row.started_unix_ns = ts_wire_i64(wire);
  run->row.finished_unix_ns = ts_wire_i64(wire);
  run->row.settings_json = ts_wire_text(wire);
  run->row.result_json = ts_wire_text(wire);
  run->row.process_id = ts_wire_i64(wire);
  run->process = ts_wire_text(wire);
}

void ts_remote_add_change(struct ts_str *out, const struct ts_store_run_change *change) {
  ts_wire_add_text(out, change->id);
  ts_wire_add_text(out, change->state);
  ts_wire_add_optional(out, change->result_json);
  ts_wire_add_i64(out, change->finished_unix_ns);
  ts_wire_add_i64(out, change->process_id);
  ts_wire_add_optional(out, change->process);
}

void ts_remote_read_change(struct ts_wire *wire, struct ts_store_run_change *change) {
  change->id = ts_wire_text(wire);
  change->state = ts_wire_text(wire);
  change->result_json = ts_wire_optional(wire);
  change->finished_unix_ns = ts_wire_i64(wire);
  change->process_id = ts_wire_i64(wire);
  change->process = ts_wire_optional(wire);
}

void ts_remote_add_file(struct ts_str *out, const struct ts_file_identity *file) {
  ts_wire_add_u64(out, file->device);
  ts_wire_add_u64(out, file->inode);
  ts_wire_add_u64(out, file->size_bytes);
  ts_wire_add_i64(out, file->mtime_ns);
  ts_wire_add_i64(out, file->ctime_ns);
}

void ts_remote_read_file(struct ts_wire *wire, struct ts_file_identity *file) {
  memset(file, 0, sizeof *file); /* it is compared as bytes */
  file->device = ts_wire_u64(wire);
  file->inode = ts_wire_u64(wire);
  file->size_bytes = ts_wire_u64(wire);
  file->mtime_ns = ts_wire_i64(wire);
  file->ctime_ns = ts_wire_i64(wire);
}
