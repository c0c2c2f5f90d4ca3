/* Reading JSON documents, with complaints that say where and what to do.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* jansson points at the end of the offending token; people look at its beginning, or at the character inside a
 * string. */
static size_t error_offset(const struct ts_json_doc *doc, const json_error_t *failure) {
  size_t position = failure->position > 0 ? (size_t)failure->position : 0;
  if (position > doc->length) position = doc->length;
  bool inside_string = json_error_code(failure) == json_error_invalid_utf8 ||
                       strstr(failure->text, "control character") || strstr(failure->text, "unexpected newline");
  if (inside_string) return position;
  bool end = strstr(failure->text, "near end of file") != NULL;
  return end ? doc->length : ts_json_token_start(doc->text, doc->length, position);
}

static char last_visible_before(const char *text, size_t offset) {
  while (offset > 0 && strchr(" \t\r\n", text[offset - 1])) offset--;
  return offset > 0 ? text[offset - 1] : '\0';
}

static const char *help_by_character(const struct ts_json_doc *doc, size_t offset) {
  char c = doc->text[offset];
  if ((c == '}' || c == ']') && last_visible_before(doc->text, offset) == ',') return "remove the comma before it";
  if (c == '\'') return "use double quotation marks";
  if (c == '/' || c == '#') return "JSON has no comments; remove it";
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
    return "put text in double quotation marks; the only bare words are true, false and null";
  }
  return "check the commas, colons and brackets just before this place";
}

static const char *help_for(const struct ts_json_doc *doc, const json_error_t *failure, size_t offset) {
  switch (json_error_code(failure)) {
  case json_error_duplicate_key: return "remove or rename one of the two";
  case json_error_premature_end_of_input: return "close every bracket and quotation mark that is opened";
  case json_error_end_of_input_expected: return "a file holds one JSON value; remove what follows it";
  case json_error_numeric_overflow: return "use a number that fits 64 bits, or put it in double quotation marks";
  case json_error_invalid_utf8: return "save the file as UTF-8";
  case json_error_null_character: return "remove the \\u0000";
  case json_error_stack_overflow: return "nest less deeply";
  default: return help_by_character(doc, offset);
  }
}

static void report_syntax(const struct ts_json_doc *doc, const json_error_t *failure, struct ts_error *err) {
  size_t offset = error_offset(doc, failure);
  if (last_visible_before(doc->text, doc->length) == '\0') {
    ts_fail(err, TS_ERR_JSON_SYNTAX, "there is nothing in it");
    ts_error_help(err, "write a JSON value, such as {}");
  } else if (json_error_code(failure) == json_error_null_character) {
    ts_fail(err, TS_ERR_JSON_SYNTAX, "a string contains the character \\u0000");
  } else {
    ts_fail(err, TS_ERR_JSON_SYNTAX, "%s", failure->text);
  }
  ts_error_help(err, "%s", help_for(doc, failure, offset));
  int line;
  int column;
  ts_json_line_column(doc->text, offset, &line, &column);
  ts_error_place(err, doc->file, line, column, NULL);
}

/* jansson skips a NUL byte that follows a number; code that scans the text again would take it for the end. */
static void report_nul(const struct ts_json_doc *doc, size_t offset, struct ts_error *err) {
  int line;
  int column;
  ts_fail(err, TS_ERR_JSON_SYNTAX, "there is a NUL byte in it");
  ts_error_help(err, "remove it, or save the file as UTF-8 text");
  ts_json_line_column(doc->text, offset, &line, &column);
  ts_error_place(err, doc->file, line, column, NULL);
}

bool ts_json_doc_parse(struct ts_json_doc *doc, const char *name, const char *text, size_t length,
                       struct ts_error *err) {
  size_t skipped = length >= 3 && memcmp(text, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0;
  *doc = (struct ts_json_doc){.file = ts_strdup(name), .length = length - skipped};
  doc->scanned = ts_calloc(1, sizeof *doc->scanned);
  doc->text = ts_malloc(doc->length + 1);
  if (doc->length) memcpy(doc->text, text + skipped, doc->length);
  doc->text[doc->length] = '\0';
  json_error_t failure;
  doc->root = json_loadb(doc->text, doc->length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &failure);
  const char *nul = memchr(doc->text, '\0', doc->length);
  if (doc->root && !nul) return true;
  if (doc->root)
    report_nul(doc, (size_t)(nul - doc->text), err);
  else
    report_syntax(doc, &failure, err);
  ts_json_doc_close(doc);
  return false;
}

bool ts_json_doc_open(struct ts_json_doc *doc, const char *file, struct ts_error *err) {
  memset(doc, 0, sizeof *doc);
  ts_auto(ts_str_release) struct ts_str text = {0};
  return ts_file_read(file, 0, &text, err) && ts_json_doc_parse(doc, file, ts_str_get(&text), text.length, err);
}

void ts_json_doc_close(struct ts_json_doc *doc) {
  free(doc->file);
  free(doc->text);
  free(doc->scanned);
  json_decref(doc->root);
  memset(doc, 0, sizeof *doc);
}

void ts_json_pointer_add(struct ts_str *pointer, const char *name) {
  ts_str_add_char(pointer, '/');
  for (const char *p = name; *p; p++) {
    if (*p == '~') {
      ts_str_add(pointer, "~0");
    } else if (*p == '/') {
      ts_str_add(pointer, "~1");
    } else {
      ts_str_add_char(pointer, *p);
    }
  }
}

void ts_json_pointer_add_index(struct ts_str *pointer, size_t index) { ts_str_addf(pointer, "/%zu", index); }

const char *ts_json_kind(const json_t *value) {
  if (!value) return "nothing";
  switch (json_typeof(value)) {
  case JSON_OBJECT: return "an object";
  case JSON_ARRAY: return "a list";
  case JSON_STRING: return "a string";
  case JSON_INTEGER: return "an integer";
  case JSON_REAL: return "a real number";
  case JSON_TRUE:
  case JSON_FALSE: return "a boolean";
  case JSON_NULL: return "null";
  }
  return "nothing";
}

json_t *ts_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *ts_json_count(uint64_t value) { return json_integer((json_int_t)value); }
