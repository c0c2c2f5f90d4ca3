/* JSON documents that keep their text, so that every complaint can name line and column.
 * SPDX-License-Identifier: Apache-2.0
 *
 * jansson keeps no positions after parsing: readers carry the JSON pointer (RFC 6901, "/stages/0/tasks/1/op") of what
 * they look at, and a complaint rescans the text for its line and column. */
#ifndef TS_BASE_JSON_H
#define TS_BASE_JSON_H

#include "base/error.h"
#include "base/str.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_json_doc {
  char *file; /* owned, as the user wrote it */
  char *text; /* owned */
  size_t length;
  json_t *root;    /* owned */
  size_t *scanned; /* owned; bytes that complaints have rescanned for their places */
};

/* Readers name at most this many unknown keys of one object, and count the rest. */
#define TS_JSON_UNKNOWN_MAX 100

/* Reads and parses a file; duplicate keys are refused. Errors: FILE_NOT_FOUND, FILE_IO, JSON_SYNTAX with the place. */
bool ts_json_doc_open(struct ts_json_doc *doc, const char *file, struct ts_error *err);
/* The same from memory; `name` replaces the file's name in messages. */
bool ts_json_doc_parse(struct ts_json_doc *doc, const char *name, const char *text, size_t length,
                       struct ts_error *err);
void ts_json_doc_close(struct ts_json_doc *doc);

enum ts_json_part { TS_JSON_VALUE, TS_JSON_KEY };
/* Line and column (from 1) of the value, or of the key naming it, at a JSON pointer; false if it is not there. */
bool ts_json_locate(const struct ts_json_doc *doc, const char *pointer, enum ts_json_part part, int *line, int *column);
/* Fills err->where from a pointer (falls back to the nearest enclosing value that exists). Without line and column once
 * complaints about this document have rescanned 256 MB: a hostile one could have one for each of its keys. */
void ts_json_place(struct ts_error *err, const struct ts_json_doc *doc, const char *pointer, enum ts_json_part part);

/* Appends "/name" to a pointer, escaping ~ and /. */
void ts_json_pointer_add(struct ts_str *pointer, const char *name);
void ts_json_pointer_add_index(struct ts_str *pointer, size_t index);
/* "an object", "a string", ... for messages. */
const char *ts_json_kind(const json_t *value);

/* A number as a new value: null where it is not finite, which JSON cannot say. */
json_t *ts_json_real(double value);
json_t *ts_json_count(uint64_t value);

/* Serialises: sorted = keys in sorted order (canonical), otherwise as inserted; reals as shortest round trip. Owned
 * result. NULL is a value that jansson had no memory for: the program ends as in base/alloc.h. */
char *ts_json_dump(const json_t *value, bool sorted, bool indent);
/* Escapes `<` as \u003c on top, for embedding in HTML. */
char *ts_json_dump_html(const json_t *value);

#endif
