/* Writes errors for people; the only place that knows their look.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error_format.h"

#include "base/alloc.h"

#include <string.h>

#define RED_BOLD "\x1b[1;31m"
#define BLUE     "\x1b[34m"
#define GREEN    "\x1b[32m"
#define RESET    "\x1b[0m"

#define INDENT "  " /* of the second and later lines of a text: none can be taken for an error of its own */

static void add_plain(struct ts_str *out, const char *text) {
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    ts_str_add_char(out, c < 0x20 || c == 0x7f ? '?' : *text);
  }
}

/* A message of another program may have several lines; empty ones are left out. */
static void add_lines(struct ts_str *out, const char *text) {
  const char *indent = "";
  ts_auto(ts_str_release) struct ts_str line = {0};
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    if (length == 0) continue;
    ts_str_clear(&line);
    ts_str_add_bytes(&line, text, length > 1 && text[length - 1] == '\r' ? length - 1 : length);
    ts_str_add(out, indent);
    add_plain(out, ts_str_get(&line));
    ts_str_add_char(out, '\n');
    indent = INDENT;
  }
  if (!*indent) ts_str_add_char(out, '\n'); /* there was none */
}

static void add_colored(struct ts_str *out, bool color, const char *start, const char *text) {
  if (color) ts_str_add(out, start);
  add_plain(out, text);
  if (color) ts_str_add(out, RESET);
}

static void add_place(const struct ts_place *where, bool color, struct ts_str *out) {
  if (where->file[0] == '\0') return;
  ts_str_add(out, "  ");
  add_colored(out, color, BLUE, "-->");
  ts_str_add_char(out, ' ');
  add_plain(out, where->file);
  if (where->line > 0) ts_str_addf(out, ":%d", where->line);
  if (where->line > 0 && where->column > 0) ts_str_addf(out, ":%d", where->column);
  ts_str_add_char(out, '\n');
}

void ts_error_format(const struct ts_error *err, bool color, struct ts_str *out) {
  if (color) ts_str_add(out, RED_BOLD);
  ts_str_addf(out, "error[T%03d]", ts_error_number(err->code));
  if (color) ts_str_add(out, RESET);
  ts_str_add(out, ": ");
  add_lines(out, err->text);
  add_place(&err->where, color, out);
  if (err->help[0] == '\0') return;
  add_colored(out, color, GREEN, "help:");
  ts_str_add_char(out, ' ');
  add_lines(out, err->help);
}

void ts_faults_format(const struct ts_faults *faults, bool color, struct ts_str *out) {
  for (size_t i = 0; i < faults->count; i++) {
    if (i > 0) ts_str_add_char(out, '\n');
    ts_error_format(&faults->items[i], color, out);
  }
}
