/* Writing JSON: the same bytes for the same data, reals as the shortest text that reads back.
 * SPDX-License-Identifier: Apache-2.0
 *
 * jansson's own writer prints 0.1 as 0.10000000000000001. */
#include "base/alloc.h"
#include "base/const.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

struct dump {
  struct ts_str out;
  bool sorted;
  bool indent;
  bool html;
};

static void add_line(struct dump *dump, size_t depth) {
  if (!dump->indent) return;
  ts_str_add_char(&dump->out, '\n');
  for (size_t i = 0; i < depth; i++) ts_str_add(&dump->out, "  ");
}

/* The letter behind the backslash, 0 for characters that need \u, ' ' for those that are written as they are. */
static char escape_letter(unsigned char c, bool html) {
  switch (c) {
  case '"': return '"';
  case '\\': return '\\';
  case '\b': return 'b';
  case '\f': return 'f';
  case '\n': return 'n';
  case '\r': return 'r';
  case '\t': return 't';
  case '<': return html ? '\0' : ' ';
  default: return c < 0x20 ? '\0' : ' ';
  }
}

static void add_string(struct dump *dump, const char *text, size_t length) {
  ts_str_add_char(&dump->out, '"');
  size_t start = 0;
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    char letter = escape_letter(c, dump->html);
    if (letter == ' ') continue;
    ts_str_add_bytes(&dump->out, text + start, i - start);
    if (letter) {
      ts_str_add_char(&dump->out, '\\');
      ts_str_add_char(&dump->out, letter);
    } else {
      ts_str_addf(&dump->out, "\\u%04x", c);
    }
    start = i + 1;
  }
  ts_str_add_bytes(&dump->out, text + start, length - start);
  ts_str_add_char(&dump->out, '"');
}

/* A real must read back as a real: "5" becomes "5.0". */
static void add_real(struct dump *dump, double value) {
  size_t start = dump->out.length;
  ts_str_add_double(&dump->out, value);
  if (!strpbrk(dump->out.data + start, ".e")) ts_str_add(&dump->out, ".0");
}

static void add_value(struct dump *dump, const json_t *value, size_t depth);

static void add_array(struct dump *dump, const json_t *array, size_t depth) {
  size_t count = json_array_size(array);
  ts_str_add_char(&dump->out, '[');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ts_str_add_char(&dump->out, ',');
    add_line(dump, depth + 1);
    add_value(dump, json_array_get(array, i), depth + 1);
  }
  if (count) add_line(dump, depth);
  ts_str_add_char(&dump->out, ']');
}

struct member {
  const char *key; /* borrowed from the object */
  size_t key_length;
  json_t *value; /* borrowed from the object */
};

static int compare_members(const void *left, const void *right) {
  const struct member *a = left;
  const struct member *b = right;
  size_t shorter = a->key_length < b->key_length ? a->key_length : b->key_length;
  int order = memcmp(a->key, b->key, shorter);
  return order ? order : (a->key_length > b->key_length) - (a->key_length < b->key_length);
}

static struct member *collect_members(const json_t *object, size_t count) {
  json_t *iterable = ts_without_const(object); /* jansson's iterators take no const, and change nothing */
  struct member *members = ts_calloc(count, sizeof *members);
  size_t i = 0;
  for (void *it = json_object_iter(iterable); it && i < count; it = json_object_iter_next(iterable, it), i++) {
    members[i].key = json_object_iter_key(it);
    members[i].key_length = json_object_iter_key_len(it);
    members[i].value = json_object_iter_value(it);
  }
  return members;
}

static void add_object(struct dump *dump, const json_t *object, size_t depth) {
  size_t count = json_object_size(object);
  ts_auto_free struct member *members = collect_members(object, count);
  if (dump->sorted && count > 1) qsort(members, count, sizeof *members, compare_members);
  ts_str_add_char(&dump->out, '{');
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ts_str_add_char(&dump->out, ',');
    add_line(dump, depth + 1);
    add_string(dump, members[i].key, members[i].key_length);
    ts_str_add(&dump->out, dump->indent ? ": " : ":");
    add_value(dump, members[i].value, depth + 1);
  }
  if (count) add_line(dump, depth);
  ts_str_add_char(&dump->out, '}');
}

static void add_value(struct dump *dump, const json_t *value, size_t depth) {
  if (!value) ts_memory_fail("a JSON value"); /* texts are made valid UTF-8 before, so nothing else gives NULL */
  switch (json_typeof(value)) {
  case JSON_OBJECT: add_object(dump, value, depth); return;
  case JSON_ARRAY: add_array(dump, value, depth); return;
  case JSON_STRING: add_string(dump, json_string_value(value), json_string_length(value)); return;
  case JSON_INTEGER: ts_str_add_int64(&dump->out, json_integer_value(value)); return;
  case JSON_REAL: add_real(dump, json_real_value(value)); return;
  case JSON_TRUE: ts_str_add(&dump->out, "true"); return;
  case JSON_FALSE: ts_str_add(&dump->out, "false"); return;
  case JSON_NULL: ts_str_add(&dump->out, "null"); return;
  }
}

char *ts_json_dump(const json_t *value, bool sorted, bool indent) {
  struct dump dump = {.sorted = sorted, .indent = indent};
  add_value(&dump, value, 0);
  return ts_str_detach(&dump.out);
}

char *ts_json_dump_html(const json_t *value) {
  struct dump dump = {.html = true};
  add_value(&dump, value, 0);
  return ts_str_detach(&dump.out);
}
