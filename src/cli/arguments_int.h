/* Parts of reading the command line: values of options, and quoting for a shell.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_ARGUMENTS_INT_H
#define TS_CLI_ARGUMENTS_INT_H

#include "base/str.h"
#include "cli/arguments.h"

/* Puts a value (NULL for none) where the option's entry says; `spelled` is how the user wrote the option. */
bool ts_argument_store(struct ts_arguments *arguments, const struct ts_option *option, const char *spelled,
                       const char *value, struct ts_error *err);
/* Whether the word is one of the NULL-terminated choices; sets the error if not. */
bool ts_argument_is_choice(const char *what, const char *word, const char *const *choices, struct ts_error *err);

/* A word as a POSIX shell would have to see it. */
void ts_shell_quote(struct ts_str *out, const char *word);

#endif
