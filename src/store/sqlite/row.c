/* Encoding and decoding of a record's inputs and outputs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/row_int.h"

#include <string.h>

#define SIZE_BYTES 8

static void add_text(struct ts_str *out, const char *text) { ts_str_add_bytes(out, text, strlen(text) + 1); }

void ts_sqlite_encode_inputs(const struct ts_record *record, struct ts_str *out) {
  for (size_t i = 0; i < record->input_count; i++) {
    add_text(out, record->inputs[i].port);
    ts_str_add_bytes(out, &record->inputs[i].key, sizeof record->inputs[i].key);
  }
}

void ts_sqlite_encode_outputs(const struct ts_record *record, struct ts_str *out) {
  for (size_t i = 0; i < record->output_count; i++) {
    const struct ts_record_output *output = &record->outputs[i];
    unsigned char size[SIZE_BYTES];
    for (size_t byte = 0; byte < SIZE_BYTES; byte++) size[byte] = (unsigned char)(output->size_bytes >> (8 * byte));
    add_text(out, output->port);
    add_text(out, output->type);
    ts_str_add_bytes(out, &output->digest, sizeof output->digest);
    ts_str_add_bytes(out, size, sizeof size);
  }
}

/* Reads forward through bytes that may be damaged: never beyond the end. */
struct reader {
  const char *next; /* borrowed */
  size_t left;
};

static const char *read_bytes(struct reader *reader, size_t size) {
  if (size > reader->left) return NULL;
  const char *bytes = reader->next;
  reader->next += size;
  reader->left -= size;
  return bytes;
}

static const char *read_text(struct reader *reader) {
  return read_bytes(reader, strnlen(reader->next, reader->left) + 1);
}

/* The number of entries, each of the given count of texts and further bytes; false if it does not come out even. */
static bool count_entries(const void *bytes, size_t size, int texts, size_t further_bytes, size_t *count) {
  struct reader reader = {.next = bytes, .left = size};
  *count = 0;
  while (reader.left > 0) {
    for (int i = 0; i < texts; i++) {
      if (!read_text(&reader)) return false;
    }
    if (!read_bytes(&reader, further_bytes)) return false;
    ++*count;
  }
  return true;
}

bool ts_sqlite_decode_inputs(const void *bytes, size_t size, struct ts_arena *arena, struct ts_record *record) {
  if (!count_entries(bytes, size, 1, sizeof(struct ts_key), &record->input_count)) return false;
  struct ts_record_input *inputs = ts_arena_array(arena, record->input_count, sizeof *inputs);
  struct reader reader = {.next = ts_arena_memdup(arena, bytes, size), .left = size};
  for (size_t i = 0; i < record->input_count; i++) {
    inputs[i].port = read_text(&reader);
    memcpy(&inputs[i].key, read_bytes(&reader, sizeof inputs[i].key), sizeof inputs[i].key);
  }
  record->inputs = inputs;
  return true;
}

static uint64_t read_size(struct reader *reader) {
  const unsigned char *bytes = (const unsigned char *)read_bytes(reader, SIZE_BYTES);
  uint64_t size = 0;
  for (size_t i = 0; i < SIZE_BYTES; i++) size |= (uint64_t)bytes[i] << (8 * i);
  return size;
}

bool ts_sqlite_decode_outputs(const void *bytes, size_t size, struct ts_arena *arena, struct ts_record *record) {
  const size_t further_bytes = sizeof(struct ts_sha256) + SIZE_BYTES;
  if (!count_entries(bytes, size, 2, further_bytes, &record->output_count)) return false;
  struct ts_record_output *outputs = ts_arena_array(arena, record->output_count, sizeof *outputs);
  struct reader reader = {.next = ts_arena_memdup(arena, bytes, size), .left = size};
  for (size_t i = 0; i < record->output_count; i++) {
    outputs[i].port = read_text(&reader);
    outputs[i].type = read_text(&reader);
    memcpy(&outputs[i].digest, read_bytes(&reader, sizeof outputs[i].digest), sizeof outputs[i].digest);
    outputs[i].size_bytes = read_size(&reader);
  }
  record->outputs = outputs;
  return true;
}
