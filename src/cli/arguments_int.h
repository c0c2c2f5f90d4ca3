/* Parts of reading the command line: faults of values, and quoting for a shell.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_ARGUMENTS_INT_H
#define TS_CLI_ARGUMENTS_INT_H

#include "base/str.h"
#include "cli/arguments.h"

/* What the library finds wrong with a value, as an error; false. */
bool ts_argument_fail(const struct tessera_fault *fault, struct ts_error *err);

/* A word as a POSIX shell would have to see it. */
void ts_shell_quote(struct ts_str *out, const char *word);

#endif
