/* The inputs and outputs of a record as they lie in its row: one blob each.
 * SPDX-License-Identifier: Apache-2.0
 *
 * An input is its port, NUL, 32 bytes of key. An output is its port, NUL, its type, NUL, 32 bytes of digest, 8 bytes of
 * size, little endian. Blobs instead of tables: a record is then written and found with one statement, at half the
 * cost. */
#ifndef TS_STORE_SQLITE_ROW_INT_H
#define TS_STORE_SQLITE_ROW_INT_H

#include "base/arena.h"
#include "base/str.h"
#include "store/store.h"

void ts_sqlite_encode_inputs(const struct ts_record *record, struct ts_str *out);
void ts_sqlite_encode_outputs(const struct ts_record *record, struct ts_str *out);
/* Read what encode made, into the arena; false if the bytes are damaged. */
bool ts_sqlite_decode_inputs(const void *bytes, size_t size, struct ts_arena *arena, struct ts_record *record);
bool ts_sqlite_decode_outputs(const void *bytes, size_t size, struct ts_arena *arena, struct ts_record *record);

#endif
