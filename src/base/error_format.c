/* Writes errors for people; the only place that knows their look.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error_format.h"

#define RED_BOLD "\x1b[1;31m"
#define BLUE     "\x1b[34m"
#define GREEN    "\x1b[32m"
#define RESET    "\x1b[0m"

static void add_plain(struct ts_str *out, const char *text) {
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    ts_str_add_char(out, c < 0x20 || c == 0x7f ? '?' : *text);
  }
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
  add_plain(out, err->text);
  ts_str_add_char(out, '\n');
  add_place(&err->where, color, out);
  if (err->help[0] == '\0') return;
  add_colored(out, color, GREEN, "help:");
  ts_str_add_char(out, ' ');
  add_plain(out, err->help);
  ts_str_add_char(out, '\n');
}

void ts_faults_format(const struct ts_faults *faults, bool color, struct ts_str *out) {
  for (size_t i = 0; i < faults->count; i++) {
    if (i > 0) ts_str_add_char(out, '\n');
    ts_error_format(&faults->items[i], color, out);
  }
}
