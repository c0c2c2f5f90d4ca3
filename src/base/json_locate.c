/* Finding the line and column of a JSON pointer by scanning the text again.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The scanner trusts that the text was parsed before, but never reads past its end, whatever it contains. */
#include "base/alloc.h"
#include "base/json.h"
#include "base/json_int.h"

#include <stdlib.h>
#include <string.h>

#define SCANNED_MAX ((size_t)256 << 20) /* about a second */

struct scanner {
  const char *text; /* borrowed from the document */
  size_t at;
  size_t length;
};

void ts_json_line_column(const char *text, size_t offset, int *line, int *column) {
  *line = 1;
  *column = 1;
  for (size_t i = 0; i < offset; i++) {
    if (text[i] == '\n') {
      ++*line;
      *column = 1;
    } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
      ++*column;
    }
  }
}

static char peek(const struct scanner *scan) { return scan->at < scan->length ? scan->text[scan->at] : '\0'; }

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void skip_space(struct scanner *scan) {
  while (is_space(peek(scan))) scan->at++;
}

/* From the opening quotation mark to behind the closing one. */
static void skip_string(struct scanner *scan) {
  scan->at++;
  while (scan->at < scan->length && peek(scan) != '"') scan->at += peek(scan) == '\\' ? 2 : 1;
  scan->at = scan->at < scan->length ? scan->at + 1 : scan->length;
}

static bool is_mark(char c) { return c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':'; }

/* A string, a mark or a word (number, true, ...); moves on by at least one byte unless at the end. */
static void skip_token(struct scanner *scan) {
  char c = peek(scan);
  if (c == '"') {
    skip_string(scan);
  } else if (is_mark(c)) {
    scan->at++;
  } else {
    do {
      scan->at++;
      c = peek(scan);
    } while (scan->at < scan->length && c != '"' && !is_mark(c) && !is_space(c));
  }
}

size_t ts_json_token_start(const char *text, size_t length, size_t position) {
  struct scanner scan = {.text = text, .length = length};
  size_t start = 0;
  for (skip_space(&scan); scan.at < length && scan.at < position; skip_space(&scan)) {
    start = scan.at;
    skip_token(&scan);
  }
  return start;
}

/* A whole value, by counting brackets: nesting costs no stack. */
static void skip_value(struct scanner *scan) {
  size_t depth = 0;
  do {
    skip_space(scan);
    char c = peek(scan);
    if (c == '{' || c == '[') depth++;
    if ((c == '}' || c == ']') && depth > 0) depth--;
    if (scan->at < scan->length) skip_token(scan);
  } while (depth > 0 && scan->at < scan->length);
}

static unsigned hex4(const char *digits) {
  unsigned value = 0;
  for (int i = 0; i < 4; i++) {
    char c = digits[i];
    unsigned digit = c >= 'a' ? (unsigned)(c - 'a') + 10 : c >= 'A' ? (unsigned)(c - 'A') + 10 : (unsigned)(c - '0');
    value = value * 16 + (digit & 15);
  }
  return value;
}

static void add_utf8(struct ts_str *out, unsigned c) {
  if (c < 0x80) {
    ts_str_add_char(out, (char)c);
  } else if (c < 0x800) {
    ts_str_add_char(out, (char)(0xC0 | c >> 6));
    ts_str_add_char(out, (char)(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    ts_str_add_char(out, (char)(0xE0 | c >> 12));
    ts_str_add_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
    ts_str_add_char(out, (char)(0x80 | (c & 0x3F)));
  } else {
    ts_str_add_char(out, (char)(0xF0 | c >> 18));
    ts_str_add_char(out, (char)(0x80 | (c >> 12 & 0x3F)));
    ts_str_add_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
    ts_str_add_char(out, (char)(0x80 | (c & 0x3F)));
  }
}

/* Decodes \uXXXX (p at the u), with its second half if it is a surrogate pair. Returns what follows. */
static const char *add_unicode_escape(struct ts_str *out, const char *p, const char *end) {
  if (end - p < 5) return end;
  unsigned c = hex4(p + 1);
  p += 5;
  if (c >= 0xD800 && c < 0xDC00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
    c = 0x10000 + ((c & 0x3FF) << 10) + (hex4(p + 2) & 0x3FF);
    p += 6;
  }
  add_utf8(out, c);
  return p;
}

/* The text of a JSON string, between its quotation marks. */
static void decode_string(const char *p, const char *end, struct ts_str *out) {
  static const char letters[] = "bfnrt";
  static const char meanings[] = "\b\f\n\r\t";
  while (p < end) {
    if (*p != '\\' || p + 1 == end) {
      ts_str_add_char(out, *p++);
      continue;
    }
    p++;
    if (*p == 'u') {
      p = add_unicode_escape(out, p, end);
      continue;
    }
    const char *letter = *p ? strchr(letters, *p) : NULL;
    ts_str_add_char(out, letter ? meanings[letter - letters] : *p);
    p++;
  }
}

/* Reads the string under the scanner and compares it. */
static bool take_key(struct scanner *scan, const struct ts_str *wanted) {
  size_t start = scan->at + 1;
  skip_string(scan);
  size_t end = scan->at > start ? scan->at - 1 : start;
  ts_auto(ts_str_release) struct ts_str key = {0};
  decode_string(scan->text + start, scan->text + end, &key);
  return key.length == wanted->length && memcmp(ts_str_get(&key), ts_str_get(wanted), key.length) == 0;
}

static void skip_mark(struct scanner *scan, char mark) {
  skip_space(scan);
  if (peek(scan) == mark) scan->at++;
}

/* Moves from '{' to the value of a key; *key_at is the place of the key. */
static bool enter_object(struct scanner *scan, const struct ts_str *name, size_t *key_at) {
  scan->at++;
  for (skip_space(scan); peek(scan) == '"'; skip_space(scan)) {
    *key_at = scan->at;
    bool found = take_key(scan, name);
    skip_mark(scan, ':');
    skip_space(scan);
    if (found) return true;
    skip_value(scan);
    skip_mark(scan, ',');
  }
  return false;
}

static bool parse_index(const struct ts_str *token, size_t *index) {
  const char *digits = ts_str_get(token);
  if (token->length == 0 || token->length > 18 || (digits[0] == '0' && token->length > 1)) return false;
  *index = 0;
  for (size_t i = 0; i < token->length; i++) {
    if (digits[i] < '0' || digits[i] > '9') return false;
    *index = *index * 10 + (size_t)(digits[i] - '0');
  }
  return true;
}

static bool enter_array(struct scanner *scan, const struct ts_str *token) {
  size_t index;
  if (!parse_index(token, &index)) return false;
  scan->at++;
  for (skip_space(scan); scan->at < scan->length && peek(scan) != ']'; skip_space(scan)) {
    if (index-- == 0) return true;
    skip_value(scan);
    skip_mark(scan, ',');
  }
  return false;
}

/* Takes "/name" off the pointer, with ~1 and ~0 undone. */
static const char *take_pointer_token(const char *pointer, struct ts_str *token) {
  ts_str_clear(token);
  for (pointer++; *pointer && *pointer != '/'; pointer++) {
    bool escaped = *pointer == '~' && (pointer[1] == '0' || pointer[1] == '1');
    if (escaped) pointer++;
    ts_str_add_char(token, !escaped ? *pointer : *pointer == '0' ? '~' : '/');
  }
  return pointer;
}

/* Leaves the scanner at the value; *key_at is the offset of the key naming it, or of the value where it has no key. */
static bool walk(struct scanner *scan, const char *pointer, size_t *key_at) {
  ts_auto(ts_str_release) struct ts_str token = {0};
  skip_space(scan);
  *key_at = scan->at;
  bool found = scan->at < scan->length;
  while (found && *pointer) {
    if (*pointer != '/') {
      found = false;
      break;
    }
    pointer = take_pointer_token(pointer, &token);
    char c = peek(scan);
    if (c == '{') {
      found = enter_object(scan, &token, key_at);
    } else {
      found = c == '[' && enter_array(scan, &token);
      *key_at = scan->at;
    }
  }
  return found;
}

bool ts_json_locate(const struct ts_json_doc *doc, const char *pointer, enum ts_json_part part, int *line,
                    int *column) {
  if (!doc->text) return false;
  struct scanner scan = {.text = doc->text, .length = doc->length};
  size_t key_at;
  bool found = walk(&scan, pointer, &key_at);
  if (doc->scanned) *doc->scanned += scan.at;
  if (!found) return false;
  ts_json_line_column(doc->text, part == TS_JSON_KEY ? key_at : scan.at, line, column);
  return true;
}

void ts_json_place(struct ts_error *err, const struct ts_json_doc *doc, const char *pointer, enum ts_json_part part) {
  if (!err || err->code == TS_ERR_OK) return;
  int line = 0;
  int column = 0;
  ts_auto_free char *known = ts_strdup(pointer);
  bool affordable = !doc->scanned || *doc->scanned < SCANNED_MAX;
  while (affordable && !ts_json_locate(doc, known, part, &line, &column)) {
    char *slash = strrchr(known, '/');
    if (!slash) break;
    *slash = '\0';
    part = TS_JSON_VALUE;
  }
  ts_error_place(err, doc->file, line, column, pointer);
}
