/* The output of a process, kept within bounds: its beginning and its end, and the line of it that says most.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/op_int.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define HEAD_BYTES ((size_t)32 * 1024)
#define TAIL_BYTES ((size_t)32 * 1024)
/* Of the error output alone: more than the traceback of an exception. */
#define ERROR_BYTES ((size_t)8 * 1024)

/* Keeps the last bytes: cut only at twice the size, so that each byte is moved once at most. How many went. */
static size_t add_last(struct ts_str *last, const char *bytes, size_t size, size_t most) {
  ts_str_add_bytes(last, bytes, size);
  if (last->length < 2 * most) return 0;
  const size_t excess = last->length - most;
  memmove(last->data, last->data + excess, most + 1);
  last->length = most;
  return excess;
}

void ts_captured_add(struct ts_captured *captured, const char *bytes, size_t size, bool is_error) {
  const size_t room = HEAD_BYTES - captured->head.length;
  const size_t first = size < room ? size : room;
  if (is_error) add_last(&captured->errors, bytes, size, ERROR_BYTES);
  if (first > 0) ts_str_add_bytes(&captured->head, bytes, first);
  if (size > first) captured->left_out_bytes += add_last(&captured->tail, bytes + first, size - first, TAIL_BYTES);
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

static bool is_indented(const char *start, const char *end) { return start == end || *start == ' ' || *start == '\t'; }

static bool is_blank(const char *start, const char *end) {
  for (; start < end; start++)
    if (*start != ' ' && *start != '\t' && *start != '\r') return false;
  return true;
}

/* Whatever the case of its letters; the word is in upper case. */
static bool mentions(const char *start, const char *end, const char *word) {
  for (const char *at = start; at < end; at++) {
    size_t i = 0;
    while (word[i] && at + i < end && ts_char_upper(at[i]) == word[i]) i++;
    if (!word[i]) return true;
  }
  return false;
}

/* What a line is worth as the one that is shown. Python explains an exception in indented lines before it and a warning
 * in an indented one behind it, so indented lines say least. */
enum worth { BLANK, INDENTED, PLAIN, WARNING };

static enum worth worth_of(const char *start, const char *end, bool has_failed) {
  if (is_blank(start, end)) return BLANK;
  if (is_indented(start, end)) return INDENTED;
  return !has_failed && mentions(start, end, "WARNING") ? WARNING : PLAIN;
}

/* The exception of the last traceback of Python, which may be followed by further lines of its text. */
static const char *find_exception(const char *begin, const char *end, const char **line_end) {
  static const char mark[] = "Traceback (most recent call last):";
  const char *trace = NULL;
  for (const char *at = begin; (at = memmem(at, (size_t)(end - at), mark, strlen(mark))); at += strlen(mark))
    trace = at;
  for (const char *at = trace; at; at = *line_end < end ? *line_end + 1 : NULL) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *line_end = newline ? newline : end;
    if (at != trace && !is_indented(at, *line_end)) return at;
  }
  return NULL;
}

/* The last of the lines that are worth most. */
static const char *find_line(const char *begin, const char *end, bool has_failed, const char **line_end) {
  const char *best = NULL;
  enum worth most = BLANK;
  while (end > begin) {
    const char *start = line_start(begin, end);
    const enum worth worth = worth_of(start, end, has_failed);
    if (worth > most) {
      most = worth;
      best = start;
      *line_end = end;
    }
    end = start > begin ? start - 1 : begin;
  }
  return best;
}

static void copy_line(const char *start, const char *end, char *text, size_t size) {
  while (start < end && (*start == ' ' || *start == '\t')) start++;
  while (end > start && (end[-1] == ' ' || end[-1] == '\r')) end--;
  const size_t length = (size_t)(end - start);
  if (length < size)
    snprintf(text, size, "%.*s", (int)length, start);
  else
    snprintf(text, size, "%.*s...", (int)(size - sizeof "..."), start);
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 127) *text = ' ';
}

void ts_captured_remark(const struct ts_captured *captured, bool has_failed, char *text, size_t size) {
  const struct ts_str *output = captured->tail.length > 0 ? &captured->tail : &captured->head;
  const struct ts_str *source = has_failed && captured->errors.length == 0 ? output : &captured->errors;
  const char *begin = ts_str_get(source), *end = begin + source->length, *line_end = NULL;
  const char *line = has_failed ? find_exception(begin, end, &line_end) : NULL;
  if (!line) line = find_line(begin, end, has_failed, &line_end);
  text[0] = '\0';
  if (line) copy_line(line, line_end, text, size);
}

void ts_captured_release(struct ts_captured *captured) {
  ts_str_release(&captured->head);
  ts_str_release(&captured->tail);
  ts_str_release(&captured->errors);
}
