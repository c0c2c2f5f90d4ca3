/* The text of a table: a file as it is, or unpacked if it is gz.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/file.h"
#include "csv/scan.h"
#include "replay/replay_int.h"

#include <zlib.h>

#define PIECE_BYTES 65536
#define MOST_BYTES  ((size_t)1 << 30) /* a table of a GB is hundreds of times the largest recorded; a bomb is more */

/* Where the text ends that could be unpacked. */
static bool fail_at_end(const char *path, const struct ts_str *text, const char *reason, struct ts_error *err) {
  const char *start = ts_str_get(text), *row = start;
  int line = 1, column = 1;
  for (const char *p = start; p < start + text->length; p++) {
    if (*p != '\n') continue;
    line++;
    row = p + 1;
  }
  ts_csv_place(row, start + text->length, &line, &column);
  ts_fail(err, TS_ERR_CSV_SYNTAX, "the gz file %s", reason);
  ts_error_help(err, "copy the file again; 'gzip -t' says whether it is whole");
  ts_error_place(err, path, line, column, NULL);
  return false;
}

/* A gz file may consist of several parts, one after the other. */
static bool unpack(const char *path, const struct ts_str *packed, struct ts_str *text, struct ts_error *err) {
  z_stream stream = {.next_in = (Bytef *)packed->data, .avail_in = (uInt)packed->length};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
    return ts_fail(err, TS_ERR_NO_MEMORY, "no memory to unpack a file");
  ts_auto_free char *piece = ts_malloc(PIECE_BYTES);
  int state = Z_OK;
  bool ended = false;
  while (state == Z_OK && text->length <= MOST_BYTES) {
    stream.next_out = (Bytef *)piece;
    stream.avail_out = PIECE_BYTES;
    state = inflate(&stream, Z_NO_FLUSH);
    ts_str_add_bytes(text, piece, PIECE_BYTES - stream.avail_out);
    ended = state == Z_STREAM_END;
    if (ended && stream.avail_in > 0) state = inflateReset(&stream);
  }
  inflateEnd(&stream);
  if (ended && state == Z_STREAM_END) return true;
  if (text->length > MOST_BYTES) return fail_at_end(path, text, "unpacks to more than a gigabyte", err);
  return fail_at_end(path, text, state == Z_BUF_ERROR ? "is cut short" : "is damaged", err);
}

bool ts_table_text_read(const char *path, struct ts_str *text, struct ts_error *err) {
  struct ts_str packed = {0};
  if (!ts_file_read(path, MOST_BYTES, &packed, err)) return false;
  const unsigned char *bytes = (const unsigned char *)ts_str_get(&packed);
  bool is_packed = packed.length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
  if (!is_packed && ts_str_ends_with(path, ".gz")) {
    fail_at_end(path, text, packed.length < 2 ? "is cut short" : "is not one", err);
    ts_str_release(&packed);
    return false;
  }
  bool made = true;
  if (is_packed) {
    made = unpack(path, &packed, text, err);
  } else {
    ts_str_add_bytes(text, ts_str_get(&packed), packed.length);
  }
  ts_str_release(&packed);
  return made;
}
