/* The command line, read along the command table.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_ARGUMENTS_H
#define TS_CLI_ARGUMENTS_H

#include "base/error.h"
#include "cli/commands.h"
#include "tessera.h"

#include <stdbool.h>
#include <stddef.h>

struct ts_cli_text_list {
  const char **items; /* owned; the texts are borrowed from argv */
  size_t count, capacity;
};

struct ts_setting_list {
  struct ts_parameter_setting *items; /* owned; the names are owned, the values borrowed from argv */
  size_t count, capacity;
};

/* Texts are borrowed from argv unless a comment says otherwise. */
struct ts_arguments {
  const struct ts_cli_command *command; /* NULL: none was named */
  struct ts_request request;            /* its lists point to those below */
  struct ts_cli_text_list data;
  struct ts_cli_text_list data_roots, operations;
  struct ts_cli_text_list output_columns;
  struct ts_cli_text_list objectives, ignored;
  struct ts_setting_list settings, components;
  const char *change_folder; /* -C */
  const char *operand_folder;
  const char *topic; /* the command that help or man is asked about, the shell, the kind of words */
  const char *canonical;
  const char *color, *progress; /* NULL: not given */
  bool has_jobs;
  bool help, version, json, quiet, yes, dry_run, show_config, demo_wanted;
  int verbose;
  char *folder;       /* owned; NULL: the current one */
  char *command_line; /* owned; what was called, quoted for a shell */
  char *resume_line;  /* owned; the same without --resume */
  size_t resume_at;   /* where in it " --resume ID" goes */
};

/* GNU style: options and operands mixed, -jN, -j N, --jobs=N, --jobs N, -qv, "--" ends the options. On failure (USAGE)
 * `arguments` holds what was read so far. Release in either case. */
bool ts_arguments_parse(struct ts_arguments *arguments, int argc, char *const *argv, struct ts_error *err);
void ts_arguments_release(struct ts_arguments *arguments);

/* The nearest of the names: one that begins with the word, or one that is a slip away; NULL if none is. */
const char *ts_suggest(const char *word, const char *const *names, size_t count);
/* Adds "did you mean '--seed'?" (with the dashes), or the help text `otherwise`. */
void ts_suggest_help(struct ts_error *err, const char *word, const char *const *names, size_t count, const char *before,
                     const char *otherwise);

#endif
