/* The output of a process, kept within bounds: its beginning and its end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/op_int.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define HEAD_BYTES ((size_t)32 * 1024)
#define TAIL_BYTES ((size_t)32 * 1024)

void ts_captured_add(struct ts_captured *captured, const char *bytes, size_t size) {
  size_t room = HEAD_BYTES - captured->head.length;
  size_t first = size < room ? size : room;
  if (first > 0) ts_str_add_bytes(&captured->head, bytes, first);
  if (size == first) return;
  struct ts_str *tail = &captured->tail;
  ts_str_add_bytes(tail, bytes + first, size - first);
  /* Cut only at twice the size, so that each byte is moved once at most. */
  if (tail->length < 2 * TAIL_BYTES) return;
  size_t excess = tail->length - TAIL_BYTES;
  memmove(tail->data, tail->data + excess, TAIL_BYTES + 1);
  tail->length = TAIL_BYTES;
  captured->left_out_bytes += excess;
}

void ts_captured_print(const struct ts_captured *captured, struct ts_str *out) {
  ts_str_add_bytes(out, ts_str_get(&captured->head), captured->head.length);
  if (captured->left_out_bytes > 0) ts_str_addf(out, "\n[%zu bytes left out]\n", captured->left_out_bytes);
  ts_str_add_bytes(out, ts_str_get(&captured->tail), captured->tail.length);
}

/* The start of the line that ends before `end`. */
static const char *line_start(const char *begin, const char *end) {
  while (end > begin && end[-1] != '\n') end--;
  return end;
}

static bool is_blank(const char *start, const char *end) {
  for (; start < end; start++)
    if (*start != ' ' && *start != '\t' && *start != '\r') return false;
  return true;
}

/* Puts a line before the text, joined by " | "; false if it does not fit. */
static bool prepend(struct ts_str *text, size_t size, const char *line, size_t length) {
  if (length + strlen(" | ") + text->length >= size) return false;
  struct ts_str joined = {0};
  ts_str_add_bytes(&joined, line, length);
  if (text->length > 0) ts_str_addf(&joined, " | %s", ts_str_get(text));
  ts_str_release(text);
  *text = joined;
  return true;
}

static void make_printable(char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 127) *text = ' ';
}

void ts_captured_last_lines(const struct ts_captured *captured, char *text, size_t size) {
  const struct ts_str *source = captured->tail.length > 0 ? &captured->tail : &captured->head;
  const char *begin = ts_str_get(source), *end = begin + source->length;
  ts_auto(ts_str_release) struct ts_str lines = {0};
  while (end > begin) {
    const char *start = line_start(begin, end);
    size_t length = (size_t)(end - start);
    if (!is_blank(start, end) && !prepend(&lines, size, start, length)) {
      if (lines.length == 0) ts_str_add_bytes(&lines, start, size - 1);
      break;
    }
    end = start > begin ? start - 1 : begin;
  }
  snprintf(text, size, "%s", ts_str_get(&lines));
  make_printable(text);
}

void ts_captured_release(struct ts_captured *captured) {
  ts_str_release(&captured->head);
  ts_str_release(&captured->tail);
}
