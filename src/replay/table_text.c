/* The text of a table: a file as it is, or unpacked if it is gz.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/file.h"
#include "csv/scan.h"
#include "replay/replay_int.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
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

/* zlib is loaded with the first gz file, not with the program: a library that is searched for every symbol of a hundred
 * others costs each start half a million instructions (callgrind, 0.8 % of `tessera --version`). */
static struct {
  __typeof__(&inflateInit2_) init;
  __typeof__(&inflate) inflate;
  __typeof__(&inflateReset) reset;
  __typeof__(&inflateEnd) end;
} zlib;

static bool find(void *library, const char *name, void *place) {
  void *found = library ? dlsym(library, name) : NULL;
  memcpy(place, &found, sizeof found);
  return found != NULL;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char load_fault[256]; /* "" if it is there */

/* Never closed: other libraries use it too. */
static void load(void) {
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (find(library, "inflateInit2_", &zlib.init) && find(library, "inflate", &zlib.inflate) &&
      find(library, "inflateReset", &zlib.reset) && find(library, "inflateEnd", &zlib.end))
    return;
  const char *fault = dlerror();
  snprintf(load_fault, sizeof load_fault, "%s", fault ? fault : "zlib lacks a function");
}

static bool load_zlib(struct ts_error *err) {
  pthread_once(&once, load);
  if (load_fault[0] == '\0') return true;
  ts_fail(err, TS_ERR_SYSTEM, "gz files cannot be unpacked: %s", load_fault);
  return ts_error_help(err, "install zlib (zlib1g), or unpack the file with gunzip");
}

/* A gz file may consist of several parts, one after the other. */
static bool unpack(const char *path, const struct ts_str *packed, struct ts_str *text, struct ts_error *err) {
  z_stream stream = {.next_in = (Bytef *)packed->data, .avail_in = (uInt)packed->length};
  if (!load_zlib(err)) return false;
  if (zlib.init(&stream, 16 + MAX_WBITS, ZLIB_VERSION, (int)sizeof stream) != Z_OK)
    return ts_fail(err, TS_ERR_NO_MEMORY, "no memory to unpack a file");
  ts_auto_free char *piece = ts_malloc(PIECE_BYTES);
  int state = Z_OK;
  bool ended = false;
  while (state == Z_OK && text->length <= MOST_BYTES) {
    stream.next_out = (Bytef *)piece;
    stream.avail_out = PIECE_BYTES;
    state = zlib.inflate(&stream, Z_NO_FLUSH);
    ts_str_add_bytes(text, piece, PIECE_BYTES - stream.avail_out);
    ended = state == Z_STREAM_END;
    if (ended && stream.avail_in > 0) state = zlib.reset(&stream);
  }
  zlib.end(&stream);
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
