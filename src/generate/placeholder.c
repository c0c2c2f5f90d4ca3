/* Placeholders in the texts of a descriptor: what they name, whether it exists, and what takes their place.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A placeholder is {NAME}, {NAME.PROPERTY}, {NAME[COLUMN]} or {NAME[COLUMN].PROPERTY} without blanks; every other brace
 * is an ordinary character of the program that is written. */
#include "generate/descriptor.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Form ---- */

static size_t word_length(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return strspn(text, letters) ? strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0;
}

static bool copy(const char *from, size_t length, char *to, size_t size) {
  snprintf(to, size, "%.*s", (int)length, from);
  return length > 0 && length < size;
}

/* Behind the opening brace; gives the length up to the closing one, 0 if this is no placeholder. */
static size_t match(const char *text, struct new_placeholder *found) {
  const char *at = text;
  size_t length = word_length(at);
  found->column[0] = found->property[0] = '\0';
  if (!copy(at, length, found->name, sizeof found->name)) return 0;
  at += length;
  if (*at == '[') {
    length = strcspn(at + 1, "]}\"\\");
    if (at[1 + length] != ']' || !copy(at + 1, length, found->column, sizeof found->column)) return 0;
    at += length + 2;
  }
  if (*at == '.') {
    length = word_length(at + 1);
    if (!copy(at + 1, length, found->property, sizeof found->property)) return 0;
    at += length + 1;
  }
  return *at == '}' ? (size_t)(at - text) : 0;
}

/* ---- Meaning ---- */

static void resolve(const struct new_operation *op, struct new_placeholder *found) {
  found->subject = strcmp(found->name, "result") == 0 ? NEW_RESULT : NEW_UNKNOWN;
  for (size_t i = 0; i < op->parameter_count; i++)
    if (strcmp(op->parameters[i].parameter->name, found->name) == 0) found->subject = NEW_PARAMETER, found->index = i;
  for (size_t i = 0; i < op->output_count; i++)
    if (strcmp(op->outputs[i].port->name, found->name) == 0) found->subject = NEW_OUTPUT, found->index = i;
  for (size_t i = 0; i < op->input_count; i++)
    if (strcmp(op->inputs[i].port->name, found->name) == 0) found->subject = NEW_INPUT, found->index = i;
}

bool ts_placeholder_next(const struct new_operation *op, const char *text, size_t *at, struct new_placeholder *found) {
  for (; text[*at]; ++*at) {
    const size_t length = text[*at] == '{' ? match(text + *at + 1, found) : 0;
    if (length == 0) continue;
    found->start = *at;
    found->end = *at = *at + length + 2;
    resolve(op, found);
    return true;
  }
  return false;
}

void ts_placeholder_expand(const struct new_operation *op, const char *text,
                           void (*print)(const struct new_operation *op, const struct new_placeholder *placeholder,
                                         struct ts_str *out),
                           struct ts_str *out) {
  struct new_placeholder found;
  size_t at = 0, done = 0;
  while (ts_placeholder_next(op, text, &at, &found)) {
    ts_str_add_bytes(out, text + done, found.start - done);
    print(op, &found, out);
    done = found.end;
  }
  ts_str_add(out, text + done);
}

bool ts_placeholder_is_used(const struct new_operation *op, const char *name, const char *property) {
  struct new_placeholder found;
  for (size_t i = 0; i < op->text_count; i++)
    for (size_t at = 0; ts_placeholder_next(op, op->texts[i].text, &at, &found);)
      if (strcmp(found.name, name) == 0 && !found.column[0] && strcmp(found.property, property) == 0) return true;
  return false;
}

void ts_placeholder_note_columns(struct new_operation *op, const struct new_text *text) {
  struct new_placeholder found;
  for (size_t at = 0; ts_placeholder_next(op, text->text, &at, &found);) {
    if (found.subject != NEW_INPUT || !found.column[0]) continue;
    struct new_input *input = &op->inputs[found.index];
    size_t c = 0;
    while (c < input->column_count && strcmp(input->columns[c], found.column) != 0) c++;
    if (c < input->column_count) continue;
    const char **longer = ts_arena_array(op->arena, input->column_count + 1, sizeof *longer);
    for (size_t i = 0; i < input->column_count; i++) longer[i] = input->columns[i];
    longer[input->column_count++] = ts_arena_strdup(op->arena, found.column);
    input->columns = longer;
  }
}

/* ---- Faults ---- */

static const char *const c_pixels_in[] = {"data",  "copy",   "doubles",  "bytes",  "count",
                                          "width", "height", "channels", "stride", NULL};
static const char *const c_pixels_out[] = {"data", "bytes", "count", "width", "height", "channels", "stride", NULL};
static const char *const c_table[] = {"rows", "columns", "cells", NULL};
static const char *const c_bytes_in[] = {"data", "copy", "bytes", "text", NULL};
static const char *const c_bytes_out[] = {"data", "bytes", NULL};
static const char *const python_pixels[] = {"path", "data", "x", "y", NULL};
static const char *const python_table[] = {"path", "data", "rows", NULL};
static const char *const python_other[] = {"path", "data", NULL};
static const char *const of_column[] = {"count", NULL};
static const char *const none[] = {NULL};

static const char *const *c_properties(const struct new_placeholder *found, const struct ts_type *type) {
  const bool is_input = found->subject == NEW_INPUT;
  switch (type->kind) {
  case TS_DATA_PIXELS: return is_input ? c_pixels_in : c_pixels_out;
  case TS_DATA_TABLE: return is_input ? c_table : none;
  case TS_DATA_BYTES: return is_input ? c_bytes_in : c_bytes_out;
  case TS_DATA_FILE: break;
  }
  return none;
}

static const char *const *properties(const struct new_operation *op, const struct new_placeholder *found,
                                     const struct ts_type *type) {
  if (found->column[0]) return of_column;
  if (op->kind == NEW_C) return c_properties(found, type);
  if (type->kind == TS_DATA_TABLE) return found->subject == NEW_INPUT ? python_table : python_other;
  return type->kind == TS_DATA_PIXELS && found->subject == NEW_INPUT ? python_pixels : python_other;
}

/* Characters of the file between the opening quotation mark of a string and a byte of its value. */
static int characters_before(const char *raw, size_t bytes) {
  int characters = 0;
  size_t value = 0;
  while (value < bytes && *raw) {
    size_t length = 1;
    while (((unsigned char)raw[length] & 0xC0) == 0x80) length++;
    value += length;
    if (*raw == '\\') {
      const bool is_unicode = raw[1] == 'u';
      const unsigned long code = is_unicode ? strtoul((char[]){raw[2], raw[3], raw[4], raw[5], '\0'}, NULL, 16) : 0;
      value += code < 0x80 ? 0 : code < 0x800 ? 1 : 2;
      length = is_unicode ? 6 : 2;
      characters += (int)length - 1;
    }
    raw += length;
    characters++;
  }
  return characters;
}

/* The text of the file from a line and column on; NULL: it has none. */
static const char *at_place(const struct ts_json_doc *doc, int line, int column) {
  const char *at = doc->text;
  for (; line > 1 && at; line--) {
    at = strchr(at, '\n');
    if (at) at++;
  }
  while (at && column > 1 && *at) {
    at++;
    while (((unsigned char)*at & 0xC0) == 0x80) at++;
    column--;
  }
  return at;
}

static struct ts_error *fault(const struct ts_reader *reader, const struct new_text *text,
                              const struct new_placeholder *found, const char *problem) {
  struct ts_error *err = ts_reader_fault(reader, TS_ERR_UNKNOWN_PARAMETER, text->pointer, TS_JSON_VALUE, "%.*s %s",
                                         (int)(found->end - found->start), text->text + found->start, problem);
  const char *raw = err->where.line > 0 ? at_place(reader->doc, err->where.line, err->where.column) : NULL;
  if (raw && *raw == '"') err->where.column += 1 + characters_before(raw + 1, found->start);
  return err;
}

static void check_property(const struct ts_reader *reader, const struct new_operation *op, const struct new_text *text,
                           const struct new_placeholder *found, const struct ts_type *type) {
  ts_auto(ts_names_release) struct ts_names names = {0};
  const char *const *list = properties(op, found, type);
  for (size_t i = 0; list[i]; i++) {
    if (strcmp(list[i], found->property) == 0) return;
    ts_names_add(&names, list[i]);
  }
  if (found->column[0] && !found->property[0]) return;
  char problem[160];
  snprintf(problem, sizeof problem,
           found->property[0] ? "names nothing of '%s', which is %s" : "does not say what of '%s', which is %s",
           found->name, type->article);
  struct ts_error *err = fault(reader, text, found, problem);
  ts_names_suggest(&names, err, found->property, "it has",
                   "the cells of a table that is made are given as its \"columns\"");
}

static void check_port(const struct ts_reader *reader, const struct new_operation *op, const struct new_text *text,
                       const struct new_placeholder *found) {
  const bool is_input = found->subject == NEW_INPUT;
  const struct ts_type *type = is_input ? op->inputs[found->index].type : op->outputs[found->index].type;
  if (!type) return; /* reported */
  if (found->column[0] && (!is_input || type->kind != TS_DATA_TABLE)) {
    ts_error_help(fault(reader, text, found, "names a column, which only a table that is given has"),
                  "write {NAME.PROPERTY}");
    return;
  }
  check_property(reader, op, text, found, type);
}

static void check_name(const struct ts_reader *reader, const struct new_operation *op, const struct new_text *text,
                       const struct new_placeholder *found) {
  ts_auto(ts_names_release) struct ts_names names = {0};
  for (size_t i = 0; i < op->input_count; i++) ts_names_add(&names, op->inputs[i].port->name);
  for (size_t i = 0; i < op->output_count; i++) ts_names_add(&names, op->outputs[i].port->name);
  for (size_t i = 0; i < op->parameter_count; i++) ts_names_add(&names, op->parameters[i].parameter->name);
  ts_names_suggest(&names, fault(reader, text, found, "names neither a port nor a parameter"), found->name, "there are",
                   "declare it in \"inputs\", \"outputs\" or \"parameters\"");
}

static void check_result(const struct ts_reader *reader, const struct new_operation *op, const struct new_text *text,
                         const struct new_placeholder *found) {
  if (op->kind == NEW_C && !op->returns)
    ts_error_help(fault(reader, text, found, "is the value of 'call', whose type is not known"),
                  "add its C type: \"returns\": \"int\"");
  if (op->kind == NEW_SCRIPT)
    ts_error_help(fault(reader, text, found, "is what a program wrote, but a script starts none"), "leave it out");
}

void ts_placeholder_check(const struct ts_reader *reader, const struct new_operation *op, const struct new_text *text) {
  struct new_placeholder found;
  for (size_t at = 0; ts_placeholder_next(op, text->text, &at, &found);) {
    switch (found.subject) {
    case NEW_UNKNOWN: check_name(reader, op, text, &found); break;
    case NEW_RESULT: check_result(reader, op, text, &found); break;
    case NEW_INPUT:
    case NEW_OUTPUT: check_port(reader, op, text, &found); break;
    case NEW_PARAMETER:
      if (found.property[0] || found.column[0])
        ts_error_help(fault(reader, text, &found, "is more than a parameter has"), "write {%s}", found.name);
      break;
    }
  }
}
