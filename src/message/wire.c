/* Writing and reading of the parts of messages.
 * SPDX-License-Identifier: Apache-2.0 */
#include "message/wire.h"

#include <string.h>

static void add_number(struct ts_str *out, uint64_t number, size_t size) {
  unsigned char bytes[8];
  for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(number >> (8 * i));
  ts_str_add_bytes(out, bytes, size);
}

void ts_wire_add_u8(struct ts_str *out, uint8_t number) { add_number(out, number, 1); }

void ts_wire_add_u32(struct ts_str *out, uint32_t number) { add_number(out, number, 4); }

void ts_wire_add_u64(struct ts_str *out, uint64_t number) { add_number(out, number, 8); }

void ts_wire_add_i64(struct ts_str *out, int64_t number) { add_number(out, (uint64_t)number, 8); }

void ts_wire_add_f64(struct ts_str *out, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  add_number(out, bits, 8);
}

void ts_wire_add_text(struct ts_str *out, const char *text) {
  const size_t length = text ? strlen(text) : 0;
  if (length > UINT32_MAX) TS_BUG("a text of %zu bytes", length);
  ts_wire_add_u32(out, (uint32_t)length);
  ts_str_add_bytes(out, text ? text : "", length + 1);
}

void ts_wire_add_optional(struct ts_str *out, const char *text) {
  ts_wire_add_u8(out, text != NULL);
  if (text) ts_wire_add_text(out, text);
}

void ts_wire_add_blob(struct ts_str *out, const void *bytes, size_t count) {
  ts_wire_add_u64(out, count);
  ts_str_add_bytes(out, bytes, count);
}

void ts_wire_add_raw(struct ts_str *out, const void *bytes, size_t count) { ts_str_add_bytes(out, bytes, count); }

void ts_wire_add_error(struct ts_str *out, const struct ts_error *err) {
  ts_wire_add_u32(out, (uint32_t)err->code);
  ts_wire_add_text(out, err->text);
  ts_wire_add_text(out, err->help);
  ts_wire_add_text(out, err->where.file);
  ts_wire_add_i64(out, err->where.line);
  ts_wire_add_i64(out, err->where.column);
  ts_wire_add_text(out, err->where.path);
}

struct ts_wire ts_wire_of(const void *bytes, size_t count) {
  return (struct ts_wire){.next = bytes, .left = count};
}

/* NULL, from then on, if that many are not there. */
static const unsigned char *take(struct ts_wire *wire, uint64_t count) {
  if (wire->failed || count > wire->left) {
    wire->failed = true;
    return NULL;
  }
  const unsigned char *bytes = wire->next;
  wire->next += count;
  wire->left -= (size_t)count;
  return bytes;
}

static uint64_t take_number(struct ts_wire *wire, size_t size) {
  const unsigned char *bytes = take(wire, size);
  uint64_t number = 0;
  for (size_t i = 0; bytes && i < size; i++) number |= (uint64_t)bytes[i] << (8 * i);
  return number;
}

uint8_t ts_wire_u8(struct ts_wire *wire) { return (uint8_t)take_number(wire, 1); }

uint32_t ts_wire_u32(struct ts_wire *wire) { return (uint32_t)take_number(wire, 4); }

uint64_t ts_wire_u64(struct ts_wire *wire) { return take_number(wire, 8); }

int64_t ts_wire_i64(struct ts_wire *wire) { return (int64_t)take_number(wire, 8); }

double ts_wire_f64(struct ts_wire *wire) {
  const uint64_t bits = take_number(wire, 8);
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

const char *ts_wire_text(struct ts_wire *wire) {
  const uint64_t length = ts_wire_u32(wire);
  const char *text = (const char *)take(wire, length + 1);
  if (!text) return "";
  if (strnlen(text, (size_t)length + 1) == length) return text;
  wire->failed = true;
  return "";
}

const char *ts_wire_optional(struct ts_wire *wire) { return ts_wire_u8(wire) ? ts_wire_text(wire) : NULL; }

const void *ts_wire_blob(struct ts_wire *wire, size_t *count) {
  const uint64_t length = ts_wire_u64(wire);
  const unsigned char *bytes = take(wire, length);
  *count = bytes ? (size_t)length : 0;
  return bytes;
}

void ts_wire_raw(struct ts_wire *wire, void *bytes, size_t count) {
  const unsigned char *given = take(wire, count);
  if (given) {
    memcpy(bytes, given, count);
  } else {
    memset(bytes, 0, count);
  }
}

const unsigned char *ts_wire_bytes(struct ts_wire *wire, size_t count) { return take(wire, count); }

void ts_wire_error(struct ts_wire *wire, enum ts_error_code unknown, struct ts_error *err) {
  const uint32_t code = ts_wire_u32(wire);
  const char *text = ts_wire_text(wire);
  const char *help = ts_wire_text(wire);
  const char *file = ts_wire_text(wire);
  const int line = (int)ts_wire_i64(wire);
  const int column = (int)ts_wire_i64(wire);
  const char *path = ts_wire_text(wire);
  const bool is_known = code > TS_ERR_OK && code < TS_ERR_COUNT;
  ts_fail(err, is_known ? (enum ts_error_code)code : unknown, "%s", text[0] ? text : "an error came without its text");
  if (help[0]) ts_error_help(err, "%s", help);
  if (file[0] && !wire->failed) ts_error_place(err, file, line, column, path);
}

size_t ts_wire_count(struct ts_wire *wire, size_t least_bytes) {
  const uint64_t count = ts_wire_u64(wire);
  if (count <= wire->left / (least_bytes ? least_bytes : 1)) return (size_t)count;
  wire->failed = true;
  return 0;
}

bool ts_wire_is_whole(const struct ts_wire *wire) { return !wire->failed && wire->left == 0; }
