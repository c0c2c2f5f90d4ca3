/* Copies rows: first the arrays, then the strings, so that alignment needs no care.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/copy.h"

#include <string.h>

static size_t text_bytes(const char *text) { return text ? strlen(text) + 1 : 1; }

/* Copies a string to the cursor and moves it on. */
static const char *put_text(char **cursor, const char *text) {
  char *copy = *cursor;
  size_t size = text_bytes(text);
  memcpy(copy, text ? text : "", size);
  *cursor += size;
  return copy;
}

static size_t record_array_bytes(const struct ts_record *record) {
  return record->input_count * sizeof *record->inputs + record->output_count * sizeof *record->outputs;
}

size_t ts_record_extra_bytes(const struct ts_record *record) {
  size_t size = record_array_bytes(record);
  size += text_bytes(record->operation) + text_bytes(record->parameters_json) + text_bytes(record->numeric);
  size += text_bytes(record->run) + text_bytes(record->producer);
  for (size_t i = 0; i < record->input_count; i++) size += text_bytes(record->inputs[i].port);
  for (size_t i = 0; i < record->output_count; i++) {
    size += text_bytes(record->outputs[i].port) + text_bytes(record->outputs[i].type);
  }
  return size;
}

void ts_record_copy_to(const struct ts_record *record, struct ts_record *copy, void *extra) {
  struct ts_record_output *outputs = extra;
  struct ts_record_input *inputs = (struct ts_record_input *)(outputs + record->output_count);
  char *cursor = (char *)extra + record_array_bytes(record);
  *copy = *record;
  copy->outputs = outputs;
  copy->inputs = inputs;
  copy->operation = put_text(&cursor, record->operation);
  copy->parameters_json = put_text(&cursor, record->parameters_json);
  copy->numeric = put_text(&cursor, record->numeric);
  copy->run = put_text(&cursor, record->run);
  copy->producer = put_text(&cursor, record->producer);
  for (size_t i = 0; i < record->input_count; i++) {
    inputs[i] = record->inputs[i];
    inputs[i].port = put_text(&cursor, record->inputs[i].port);
  }
  for (size_t i = 0; i < record->output_count; i++) {
    outputs[i] = record->outputs[i];
    outputs[i].port = put_text(&cursor, record->outputs[i].port);
    outputs[i].type = put_text(&cursor, record->outputs[i].type);
  }
}

size_t ts_task_row_extra_bytes(const struct ts_task_row *row) {
  return text_bytes(row->stage) + text_bytes(row->name) + text_bytes(row->outcome) + text_bytes(row->message);
}

void ts_task_row_copy_to(const struct ts_task_row *row, struct ts_task_row *copy, void *extra) {
  char *cursor = extra;
  *copy = *row;
  copy->stage = put_text(&cursor, row->stage);
  copy->name = put_text(&cursor, row->name);
  copy->outcome = put_text(&cursor, row->outcome);
  copy->message = put_text(&cursor, row->message);
}

void ts_record_copy(const struct ts_record *record, struct ts_arena *arena, struct ts_record *copy) {
  ts_record_copy_to(record, copy, ts_arena_alloc(arena, ts_record_extra_bytes(record)));
}

void ts_task_row_copy(const struct ts_task_row *row, struct ts_arena *arena, struct ts_task_row *copy) {
  ts_task_row_copy_to(row, copy, ts_arena_alloc(arena, ts_task_row_extra_bytes(row)));
}

static const char *arena_text(struct ts_arena *arena, const char *text) {
  return ts_arena_strdup(arena, text ? text : "");
}

void ts_store_run_copy(const struct ts_store_run *run, struct ts_arena *arena, struct ts_store_run *copy) {
  *copy = *run;
  copy->row.command = arena_text(arena, run->row.command);
  copy->row.file = arena_text(arena, run->row.file);
  copy->row.state = arena_text(arena, run->row.state);
  copy->row.settings_json = arena_text(arena, run->row.settings_json);
  copy->row.result_json = arena_text(arena, run->row.result_json);
  copy->process = arena_text(arena, run->process);
}
