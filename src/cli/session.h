/* One call of the program: its arguments, its settings, and how its output looks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_SESSION_H
#define TS_CLI_SESSION_H

#include "cli/arguments.h"
#include "cli/settings.h"
#include "cli/view.h"

#include <limits.h>

struct ts_cli_session {
  struct ts_arguments arguments;
  struct ts_settings settings;
  struct ts_view results;  /* on standard output */
  struct ts_view messages; /* on standard error */
  char *program;           /* owned; both views borrow it */
  char own_path[PATH_MAX]; /* of this program: workers are started from it */
  int text_errno;          /* why the text of a design could not be written; 0: it could, or there was none */
};

/* Commands that the program answers itself; each returns the exit code. */
int ts_answer_help(const struct ts_cli_session *session, struct ts_error *err);
int ts_answer_version(const struct ts_cli_session *session);
int ts_answer_completion(const struct ts_cli_session *session);
int ts_answer_man(const struct ts_cli_session *session, struct ts_error *err);
int ts_answer_words(const struct ts_cli_session *session);
int ts_answer_config(const struct ts_cli_session *session);

/* Calls the library and shows what it says. */
int ts_cli_session_call(struct ts_cli_session *session);
/* Faults as text on standard error and, with --json, as an object on standard output. */
void ts_cli_session_report(const struct ts_cli_session *session, bool json, const struct ts_faults *faults);

#endif
