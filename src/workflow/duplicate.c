/* Keys that occur twice in one object: each is reported, and reading goes on with the first of the two.
 * SPDX-License-Identifier: Apache-2.0
 *
 * jansson refuses such a text with one syntax error. Works on text that is valid JSON but for repeated keys. The second
 * key and its value are overwritten with spaces, so that all places stay as they are. */
#include "base/alloc.h"
#include "base/map.h"
#include "workflow/workflow_int.h"

#include <string.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

struct scan {
  char *text; /* borrowed */
  size_t at;
  struct ts_str pointer;    /* of the value being scanned */
  const char *name;         /* of the file; borrowed */
  struct ts_faults *faults; /* borrowed */
};

static void skip_space(struct scan *scan) { scan->at += strspn(scan->text + scan->at, " \t\r\n"); }

static void skip_string(struct scan *scan) {
  for (scan->at++; scan->text[scan->at] != '"'; scan->at++) {
    if (scan->text[scan->at] == '\\') scan->at++;
  }
  scan->at++;
}

static void place(const struct scan *scan, size_t offset, struct ts_error *err) {
  int line = 1;
  int column = 1;
  for (size_t i = 0; i < offset; i++) {
    if (scan->text[i] == '\n') {
      line++;
      column = 1;
    } else if (((unsigned char)scan->text[i] & 0xC0) != 0x80) {
      column++;
    }
  }
  ts_error_place(err, scan->name, line, column, ts_str_get(&scan->pointer));
}

/* scan->pointer is that of the object. */
static void report(struct scan *scan, size_t offset, const char *key) {
  const char *pointer = ts_str_get(&scan->pointer);
  struct ts_error *err = ts_faults_add(scan->faults);
  if (ts_str_starts_with(pointer, "/stages/") && ts_str_ends_with(pointer, "/in")) {
    ts_fail(err, TS_ERR_TWO_PRODUCERS, "the input '%s' is connected twice", key);
    ts_error_help(err, "keep one of them, or let an operation with two inputs combine them");
  } else if (ts_str_starts_with(pointer, "/stages/") && ts_str_ends_with(pointer, "/out")) {
    ts_fail(err, TS_ERR_TWO_PRODUCERS, "the output '%s' has two producers", key);
    ts_error_help(err, "keep one of them, or give one another name");
  } else {
    const char *what = strcmp(pointer, "/parameters") == 0 ? "parameter"
                       : strcmp(pointer, "/inputs") == 0   ? "input"
                                                           : "key";
    ts_fail(err, TS_ERR_DUPLICATE_NAME, "the %s '%s' occurs twice in this object", what, key);
    ts_error_help(err, "remove or rename one of the two");
  }
  place(scan, offset, err);
}

static void wipe(struct scan *scan, size_t from, size_t to) {
  for (size_t i = from; i < to; i++) {
    if (scan->text[i] != '\n') scan->text[i] = ' ';
  }
}

static void scan_value(struct scan *scan);

/* Scans one member of an object, whose comma before it is at `comma`. */
static void scan_member(struct scan *scan, struct ts_map *keys, size_t comma) {
  size_t start = scan->at;
  skip_string(scan);
  json_t *json = json_loadb(scan->text + start, scan->at - start, JSON_DECODE_ANY, NULL);
  const char *key = json_string_value(json);
  if (!key) TS_BUG("a key that is not a string at byte %zu", start);
  bool fresh;
  ts_map_insert_name(keys, key, &fresh);
  if (!fresh) report(scan, start, key);
  size_t length = scan->pointer.length;
  ts_json_pointer_add(&scan->pointer, key);
  json_decref(json);
  skip_space(scan);
  scan->at++; /* ':' */
  scan_value(scan);
  scan->pointer.length = length;
  scan->pointer.data[length] = '\0';
  if (!fresh) wipe(scan, comma, scan->at);
}

static void scan_object(struct scan *scan) {
  ts_auto(ts_map_release) struct ts_map keys = {0};
  size_t comma = scan->at;
  scan->at++;
  for (skip_space(scan); scan->text[scan->at] != '}'; skip_space(scan)) {
    if (scan->text[scan->at] == ',') {
      comma = scan->at++;
    } else {
      scan_member(scan, &keys, comma);
    }
  }
  scan->at++;
}

static void scan_array(struct scan *scan) {
  size_t index = 0;
  size_t length = scan->pointer.length;
  scan->at++;
  for (skip_space(scan); scan->text[scan->at] != ']'; skip_space(scan)) {
    if (scan->text[scan->at] == ',') {
      scan->at++;
      continue;
    }
    ts_json_pointer_add_index(&scan->pointer, index++);
    scan_value(scan);
    scan->pointer.length = length;
    scan->pointer.data[length] = '\0';
  }
  scan->at++;
}

/* Recursion is bounded: jansson has parsed this text, and refuses to nest deeper than 2048. */
static void scan_value(struct scan *scan) {
  skip_space(scan);
  switch (scan->text[scan->at]) {
  case '{': scan_object(scan); return;
  case '[': scan_array(scan); return;
  case '"': skip_string(scan); return;
  default: scan->at += strcspn(scan->text + scan->at, ",]} \t\r\n"); return;
  }
}

bool ts_parse_with_duplicates(struct ts_json_doc *doc, const char *name, char *text, size_t length,
                              struct ts_faults *faults) {
  /* An empty file has no text at all; and a NUL byte, which jansson skips behind a number, would end the scan. */
  if (length == 0 || memchr(text, '\0', length)) return false;
  if (ts_str_starts_with(text, BYTE_ORDER_MARK)) {
    text += strlen(BYTE_ORDER_MARK); /* places do not count it */
    length -= strlen(BYTE_ORDER_MARK);
  }
  json_t *lenient = json_loadb(text, length, JSON_DECODE_ANY, NULL);
  if (!lenient) return false;
  json_decref(lenient);
  struct scan scan = {.text = text, .name = name, .faults = faults};
  scan_value(&scan);
  ts_str_release(&scan.pointer);
  struct ts_error err = {0};
  if (!ts_json_doc_parse(doc, name, text, length, &err)) TS_BUG("keys still occur twice in '%s'", name);
  return true;
}
