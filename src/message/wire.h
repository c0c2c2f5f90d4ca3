/* Numbers, texts and bytes in messages: written to the end of a string, read back without ever passing the end.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Little endian. A text is its length (u32), its bytes and a NUL, so that it can be used where it lies; a blob is its
 * length (u64) and its bytes. Reading is sticky: after the first thing that does not fit every further one is 0, "" or
 * NULL, and ts_wire_is_whole is false; a reader checks once, at the end, but never trusts a count before
 * (ts_wire_count). */
#ifndef TS_MESSAGE_WIRE_H
#define TS_MESSAGE_WIRE_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void ts_wire_add_u8(struct ts_str *out, uint8_t number);
void ts_wire_add_u32(struct ts_str *out, uint32_t number);
void ts_wire_add_u64(struct ts_str *out, uint64_t number);
void ts_wire_add_i64(struct ts_str *out, int64_t number);
void ts_wire_add_f64(struct ts_str *out, double number);
void ts_wire_add_text(struct ts_str *out, const char *text);     /* NULL counts as "" */
void ts_wire_add_optional(struct ts_str *out, const char *text); /* NULL comes back as NULL */
void ts_wire_add_blob(struct ts_str *out, const void *bytes, size_t count);
void ts_wire_add_raw(struct ts_str *out, const void *bytes, size_t count); /* the reader knows the length */
void ts_wire_add_error(struct ts_str *out, const struct ts_error *err);

struct ts_wire {
  const unsigned char *next; /* borrowed */
  size_t left;
  bool failed;
};

struct ts_wire ts_wire_of(const void *bytes, size_t count);
uint8_t ts_wire_u8(struct ts_wire *wire);
uint32_t ts_wire_u32(struct ts_wire *wire);
uint64_t ts_wire_u64(struct ts_wire *wire);
int64_t ts_wire_i64(struct ts_wire *wire);
double ts_wire_f64(struct ts_wire *wire);
/* Borrowed from the bytes that are read; never NULL. */
const char *ts_wire_text(struct ts_wire *wire);
const char *ts_wire_optional(struct ts_wire *wire); /* or NULL */
const void *ts_wire_blob(struct ts_wire *wire, size_t *count);
/* Fills `bytes`, with zeros if that many are not there. */
void ts_wire_raw(struct ts_wire *wire, void *bytes, size_t count);
/* That many bytes where they lie; NULL if they are not there. */
const unsigned char *ts_wire_bytes(struct ts_wire *wire, size_t count);
/* Sets an error, whatever the bytes are; of the kind `unknown` if they name none. */
void ts_wire_error(struct ts_wire *wire, enum ts_error_code unknown, struct ts_error *err);
/* A number (u64) of things of at least `least_bytes` each: fails, and is 0, if they cannot all be there. */
size_t ts_wire_count(struct ts_wire *wire, size_t least_bytes);
/* Everything fitted and nothing is left. */
bool ts_wire_is_whole(const struct ts_wire *wire);

#endif
