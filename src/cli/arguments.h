/* The command line, read along the command table.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_ARGUMENTS_H
#define TS_CLI_ARGUMENTS_H

#include "base/error.h"
#include "cli/commands.h"

#include <stdbool.h>
#include <stddef.h>

/* Texts are borrowed from argv or from the call unless a comment says otherwise. */
struct ts_arguments {
  const struct tessera_command *command; /* NULL: none was named */
  struct tessera_call *call;             /* owned; NULL: no command was named, or help or version was asked for */
  const char *change_folder;             /* -C */
  const char *topic;                     /* the command that help or man is asked about, the shell, the kind of words */
  const char *color, *progress;          /* NULL: not given */
  bool help, version, json, quiet, show_config;
  bool dry_run;
  int verbose;
  char *command_line; /* owned; what was called, quoted for a shell */
  char *resume_line;  /* owned; the same without --resume */
  size_t resume_at;   /* where in it " --resume ID" goes */
};

/* GNU style: options and operands mixed, -jN, -j N, --jobs=N, --jobs N, -qv, "--" ends the options. On failure (USAGE)
 * `arguments` holds what was read so far. Release in either case. */
bool ts_arguments_parse(struct ts_arguments *arguments, int argc, char *const *argv, struct ts_error *err);
void ts_arguments_release(struct ts_arguments *arguments);

/* The text of an option or operand of the call; NULL: it was not given. */
const char *ts_arguments_get(const struct ts_arguments *arguments, const char *name);

/* Adds "did you mean '--seed'?" (with the dashes), or the help text `otherwise`. */
void ts_suggest_help(struct ts_error *err, const char *word, const char *const *names, size_t count, const char *before,
                     const char *otherwise);

#endif
