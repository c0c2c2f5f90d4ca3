/* Gathers faults and warnings of a call.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/issues.h"

#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ISSUE_BYTES 512 /* a longer text is cut */

bool ts_issues_fault(struct ts_issues *issues, const struct ts_error *err) {
  const struct ts_faults *faults = &issues->faults;
  for (size_t i = 0; err->code == TS_ERR_DATA_CHANGED && i < faults->count; i++) {
    if (faults->items[i].code == err->code && strcmp(faults->items[i].text, err->text) == 0) return false;
  }
  *ts_faults_add(&issues->faults) = *err;
  return false;
}

bool ts_issues_usage(struct ts_issues *issues, const char *help, const char *format, ...) {
  char text[ISSUE_BYTES];
  struct ts_error err = {0};
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ts_fail(&err, TS_ERR_USAGE, "%s", text);
  ts_error_help(&err, "%s", help);
  return ts_issues_fault(issues, &err);
}

static void add_warning(struct ts_issues *issues, const char *text) {
  issues->warnings =
      ts_grow(issues->warnings, issues->warning_count, &issues->warning_capacity, sizeof *issues->warnings);
  issues->warnings[issues->warning_count++] = ts_strdup(text);
}

void ts_issues_warn(struct ts_issues *issues, const char *format, ...) {
  char text[ISSUE_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  add_warning(issues, text);
}

void ts_issues_warn_once(struct ts_issues *issues, const char *format, ...) {
  char text[ISSUE_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (size_t i = 0; i < issues->warning_count; i++) {
    if (strcmp(issues->warnings[i], text) == 0) return;
  }
  add_warning(issues, text);
}

void ts_issues_note(struct ts_issues *issues, const char *format, ...) {
  char text[ISSUE_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  issues->notes = ts_grow(issues->notes, issues->note_count, &issues->note_capacity, sizeof *issues->notes);
  issues->notes[issues->note_count++] = ts_strdup(text);
}

bool ts_issues_ok(const struct ts_issues *issues) { return issues->faults.count == 0; }

void ts_issues_release(struct ts_issues *issues) {
  for (size_t i = 0; i < issues->warning_count; i++) free(issues->warnings[i]);
  free(issues->warnings);
  for (size_t i = 0; i < issues->note_count; i++) free(issues->notes[i]);
  free(issues->notes);
  ts_faults_release(&issues->faults);
  *issues = (struct ts_issues){0};
}
