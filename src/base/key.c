/* Encoding the fields of a key, byte for byte as specified, and its text form.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/key.h"

#include "base/alloc.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX             "k1:"
#define FIELD_HEADER_BYTES ((size_t)9) /* tag and length */
#define FEW_INPUTS         8
#define FEW_BYTES          512

/* Least significant byte first, on every machine. */
static void put_u64(uint8_t bytes[8], uint64_t number) {
  for (int i = 0; i < 8; i++) bytes[i] = (uint8_t)(number >> (8 * i));
}

static void add_u64(struct ts_str *out, uint64_t number) {
  uint8_t bytes[8];
  put_u64(bytes, number);
  ts_str_add_bytes(out, bytes, sizeof bytes);
}

static void add_field(struct ts_str *out, char tag, const void *data, size_t size) {
  ts_str_add_char(out, tag);
  add_u64(out, size);
  ts_str_add_bytes(out, data, size);
}

static void add_text_field(struct ts_str *out, char tag, const char *text) { add_field(out, tag, text, strlen(text)); }

static void add_u64_field(struct ts_str *out, char tag, uint64_t number) {
  uint8_t bytes[8];
  put_u64(bytes, number);
  add_field(out, tag, bytes, sizeof bytes);
}

static bool add_real(struct ts_str *out, const char *name, double real, struct ts_error *err) {
  if (!isfinite(real)) {
    ts_fail(err, TS_ERR_BAD_VALUE, "parameter '%s' is not a finite number", name);
    return ts_error_help(err, "give a finite number");
  }
  if (real == 0) real = 0; /* -0 */
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  add_u64_field(out, 'r', bits);
  return true;
}

static bool add_value(struct ts_str *out, const char *name, const struct ts_value *value, struct ts_error *err);

static bool add_list(struct ts_str *out, const char *name, const struct ts_value_list *list, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str body = {0};
  add_u64(&body, list->count);
  bool ok = true;
  for (size_t i = 0; ok && i < list->count; i++) ok = add_value(&body, name, &list->items[i], err);
  if (ok) add_field(out, 'l', body.data, body.length);
  return ok;
}

static bool add_value(struct ts_str *out, const char *name, const struct ts_value *value, struct ts_error *err) {
  switch (value->type) {
  case TS_VALUE_INTEGER: add_u64_field(out, 'i', (uint64_t)value->as.integer); return true;
  case TS_VALUE_REAL: return add_real(out, name, value->as.real, err);
  case TS_VALUE_BOOLEAN: add_field(out, 'b', value->as.boolean ? "\1" : "\0", 1); return true;
  case TS_VALUE_STRING: add_text_field(out, 's', value->as.string); return true;
  case TS_VALUE_LIST: return add_list(out, name, value->as.list, err);
  }
  TS_BUG("no such value type: %d", (int)value->type);
}

/* strcmp compares unsigned bytes, in every locale. */
static int compare_parameters(const void *left, const void *right) {
  const struct ts_key_parameter *const *a = left;
  const struct ts_key_parameter *const *b = right;
  return strcmp((*a)->name, (*b)->name);
}

static int compare_inputs(const void *left, const void *right) {
  const struct ts_key_input *const *a = left;
  const struct ts_key_input *const *b = right;
  return strcmp((*a)->port, (*b)->port);
}

static bool duplicate(const char *what, const char *name, struct ts_error *err) {
  ts_fail(err, TS_ERR_BAD_VALUE, "%s '%s' is given twice", what, name);
  return ts_error_help(err, "give each name once");
}

static bool add_parameters(struct ts_str *out, const struct ts_key_fields *fields, struct ts_error *err) {
  size_t count = fields->parameter_count;
  add_u64_field(out, 'P', count);
  if (count == 0) return true;
  ts_auto_free const struct ts_key_parameter **sorted = ts_calloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++) sorted[i] = &fields->parameters[i];
  qsort(sorted, count, sizeof *sorted, compare_parameters);
  for (size_t i = 0; i < count; i++) {
    const char *name = sorted[i]->name;
    if (i > 0 && strcmp(name, sorted[i - 1]->name) == 0) return duplicate("parameter", name, err);
    add_text_field(out, 'n', name);
    if (!add_value(out, name, &sorted[i]->value, err)) return false;
  }
  return true;
}

static bool add_inputs(struct ts_str *out, const struct ts_key_fields *fields, struct ts_error *err) {
  size_t count = fields->input_count;
  add_u64_field(out, 'U', count);
  if (count == 0) return true;
  ts_auto_free const struct ts_key_input **sorted = ts_calloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++) sorted[i] = &fields->inputs[i];
  qsort(sorted, count, sizeof *sorted, compare_inputs);
  for (size_t i = 0; i < count; i++) {
    const char *port = sorted[i]->port;
    if (i > 0 && strcmp(port, sorted[i - 1]->port) == 0) return duplicate("input", port, err);
    add_text_field(out, 'n', port);
    add_field(out, 'k', sorted[i]->key.digest.bytes, sizeof sorted[i]->key.digest.bytes);
  }
  return true;
}

static bool add_prefix(struct ts_str *bytes, const struct ts_key_fields *fields, struct ts_error *err) {
  if (!fields->domain || !fields->operation || !fields->numeric_class)
    TS_BUG("a key without domain, operation or class");
  add_text_field(bytes, 'D', fields->domain);
  add_text_field(bytes, 'S', fields->salt ? fields->salt : "");
  add_text_field(bytes, 'O', fields->operation);
  add_field(bytes, 'I', fields->implementation.bytes, sizeof fields->implementation.bytes);
  add_text_field(bytes, 'N', fields->numeric_class);
  return add_parameters(bytes, fields, err);
}

bool ts_key_encode(const struct ts_key_fields *fields, struct ts_str *bytes, struct ts_error *err) {
  return add_prefix(bytes, fields, err) && add_inputs(bytes, fields, err);
}

bool ts_key_compute(const struct ts_key_fields *fields, struct ts_key *key, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  bool ok = ts_key_encode(fields, &bytes, err);
  if (ok) ts_sha256_of(bytes.data, bytes.length, &key->digest);
  return ok;
}

bool ts_key_begin(const struct ts_key_fields *fields, struct ts_key_prefix *prefix, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  bool ok = add_prefix(&bytes, fields, err);
  if (ok) ts_sha256_start(&prefix->state, bytes.data, bytes.length);
  return ok;
}

static uint8_t *put_field(uint8_t *out, char tag, const void *data, size_t size) {
  *out = (uint8_t)tag;
  put_u64(out + 1, size);
  memcpy(out + FIELD_HEADER_BYTES, data, size);
  return out + FIELD_HEADER_BYTES + size;
}

/* The inputs of an ordinary call without any allocation: once per task and key. False if they are too many or too long,
 * or if there is a fault to report. */
static bool put_few_inputs(const struct ts_key_input *inputs, size_t count, uint8_t bytes[FEW_BYTES], size_t *size) {
  const struct ts_key_input *sorted[FEW_INPUTS];
  size_t lengths[FEW_INPUTS];
  size_t left = FEW_BYTES;
  if (count > FEW_INPUTS) return false;
  for (size_t i = 0; i < count; i++) {
    size_t k = i;
    for (; k > 0 && strcmp(sorted[k - 1]->port, inputs[i].port) > 0; k--) sorted[k] = sorted[k - 1];
    if (k > 0 && strcmp(sorted[k - 1]->port, inputs[i].port) == 0) return false;
    sorted[k] = &inputs[i];
  }
  for (size_t i = 0; i < count; i++) {
    lengths[i] = strlen(sorted[i]->port);
    size_t room = 2 * FIELD_HEADER_BYTES + lengths[i] + sizeof(struct ts_key);
    if (lengths[i] > FEW_BYTES || room > left - FIELD_HEADER_BYTES - 8) return false;
    left -= room;
  }
  uint8_t number[8];
  put_u64(number, count);
  uint8_t *end = put_field(bytes, 'U', number, sizeof number);
  for (size_t i = 0; i < count; i++) {
    end = put_field(end, 'n', sorted[i]->port, lengths[i]);
    end = put_field(end, 'k', sorted[i]->key.digest.bytes, sizeof sorted[i]->key.digest.bytes);
  }
  *size = (size_t)(end - bytes);
  return true;
}

bool ts_key_end(const struct ts_key_prefix *prefix, const struct ts_key_input *inputs, size_t input_count,
                struct ts_key *key, struct ts_error *err) {
  uint8_t few[FEW_BYTES];
  size_t size = 0;
  if (put_few_inputs(inputs, input_count, few, &size)) {
    ts_sha256_end(&prefix->state, few, size, &key->digest);
    return true;
  }
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  const struct ts_key_fields fields = {.inputs = inputs, .input_count = input_count};
  bool ok = add_inputs(&bytes, &fields, err);
  if (ok) ts_sha256_end(&prefix->state, bytes.data, bytes.length, &key->digest);
  return ok;
}

void ts_key_of_output(const struct ts_key *task, const char *port, bool single_output, struct ts_key *key) {
  if (single_output) {
    *key = *task;
    return;
  }
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  add_text_field(&bytes, 'D', TS_KEY_DOMAIN_OUTPUT);
  add_field(&bytes, 'k', task->digest.bytes, sizeof task->digest.bytes);
  add_text_field(&bytes, 'n', port);
  ts_sha256_of(bytes.data, bytes.length, &key->digest);
}

void ts_key_print(const struct ts_key *key, char text[TS_KEY_TEXT_SIZE]) {
  memcpy(text, PREFIX, sizeof PREFIX - 1);
  ts_hex_encode(key->digest.bytes, sizeof key->digest.bytes, text + sizeof PREFIX - 1);
}

bool ts_key_equal(const struct ts_key *a, const struct ts_key *b) {
  return memcmp(a->digest.bytes, b->digest.bytes, sizeof a->digest.bytes) == 0;
}
