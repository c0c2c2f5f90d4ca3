/* Standard output and standard error: what they can show, and whether what was written arrived.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_OUTPUT_H
#define TS_CLI_OUTPUT_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdio.h>

/* Before any file is opened: a standard stream that is closed would otherwise be the number of the next file (the
 * store, say), and results would be written into it. */
void ts_cli_output_secure(void);
/* A terminal that can move its cursor. */
bool ts_cli_output_is_terminal(FILE *stream);
/* `when`: auto, always, never. */
bool ts_cli_output_color(FILE *stream, const char *when);
int ts_cli_output_width(FILE *stream); /* 0: not a terminal */
bool ts_cli_output_is_unicode(void);
/* Writes what is left and asks whether everything arrived; a reader that went away (a closed pipe) says so in `*gone`.
 * `earlier` is the errno of a write that failed before, 0 if none is known. */
bool ts_cli_output_finish(FILE *stream, int earlier, bool *gone, struct ts_error *err);

#endif
