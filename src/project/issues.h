/* What is to be said about a call so far: faults, which end it, warnings, which do not, and notes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything that can complain takes an issues as its last argument. Faults are gathered; a step returns false as soon
 * as one of them ends the call. */
#ifndef TS_PROJECT_ISSUES_H
#define TS_PROJECT_ISSUES_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct ts_issues {
  struct ts_faults faults;
  char **warnings; /* owned, each of them owned too */
  size_t warning_count, warning_capacity;
  char **notes; /* the same: what the call chose by itself, for the user to know */
  size_t note_count, note_capacity;
};

/* False, for the caller to return. A file that has changed is reported once: every task that reads it reports it. */
bool ts_issues_fault(struct ts_issues *issues, const struct ts_error *err);
/* A mistake of the command line: a fault with its help. False, for the caller to return. */
bool ts_issues_usage(struct ts_issues *issues, const char *help, const char *format, ...) TS_PRINTF(3, 4);
void ts_issues_warn(struct ts_issues *issues, const char *format, ...) TS_PRINTF(2, 3);
/* The same text is reported once. */
void ts_issues_warn_once(struct ts_issues *issues, const char *format, ...) TS_PRINTF(2, 3);
void ts_issues_note(struct ts_issues *issues, const char *format, ...) TS_PRINTF(2, 3);
bool ts_issues_ok(const struct ts_issues *issues); /* no faults so far */
void ts_issues_release(struct ts_issues *issues);

#endif
