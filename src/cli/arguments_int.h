/* Parts of reading the command line: faults of values.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_ARGUMENTS_INT_H
#define TS_CLI_ARGUMENTS_INT_H

#include "cli/arguments.h"

/* What the library finds wrong with a value, as an error; false. */
bool ts_argument_fail(const struct tessera_fault *fault, struct ts_error *err);

#endif
