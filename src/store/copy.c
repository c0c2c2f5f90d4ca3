/* Copies rows: first the arrays, then the strings, so that alignment needs no care.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/copy.h"

#include "store/rows.h"

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

static size_t texts_bytes(const struct ts_columns *columns, const void *row) {
  size_t size = 0;
  for (size_t i = 0; i < columns->count; i++) {
    if (columns->items[i].kind != TS_COLUMN_TEXT) continue;
    size += text_bytes(*(const char *const *)((const char *)row + columns->items[i].offset));
  }
  return size;
}

/* Of a copy that still has the texts of its original. */
static void put_texts(const struct ts_columns *columns, void *copy, char **cursor) {
  for (size_t i = 0; i < columns->count; i++) {
    const char **text = (const char **)((char *)copy + columns->items[i].offset);
    if (columns->items[i].kind == TS_COLUMN_TEXT) *text = put_text(cursor, *text);
  }
}

static size_t record_array_bytes(const struct ts_record *record) {
  return record->input_count * sizeof *record->inputs + record->output_count * sizeof *record->outputs;
}

size_t ts_record_extra_bytes(const struct ts_record *record) {
  size_t size = record_array_bytes(record) + texts_bytes(&ts_record_columns, record);
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
  put_texts(&ts_record_columns, copy, &cursor);
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

size_t ts_task_row_extra_bytes(const struct ts_task_row *row) { return texts_bytes(&ts_task_columns, row); }

void ts_task_row_copy_to(const struct ts_task_row *row, struct ts_task_row *copy, void *extra) {
  char *cursor = extra;
  *copy = *row;
  put_texts(&ts_task_columns, copy, &cursor);
}

void ts_record_copy(const struct ts_record *record, struct ts_arena *arena, struct ts_record *copy) {
  ts_record_copy_to(record, copy, ts_arena_alloc(arena, ts_record_extra_bytes(record)));
}

void ts_task_row_copy(const struct ts_task_row *row, struct ts_arena *arena, struct ts_task_row *copy) {
  ts_task_row_copy_to(row, copy, ts_arena_alloc(arena, ts_task_row_extra_bytes(row)));
}

void ts_store_run_copy(const struct ts_store_run *run, struct ts_arena *arena, struct ts_store_run *copy) {
  char *cursor = ts_arena_alloc(arena, texts_bytes(&ts_run_columns, run));
  *copy = *run;
  put_texts(&ts_run_columns, copy, &cursor);
}
