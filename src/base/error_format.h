/* How errors look to people: code and text, the place, and the action to take as the last line.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_ERROR_FORMAT_H
#define TS_BASE_ERROR_FORMAT_H

#include "base/error.h"
#include "base/str.h"

#include <stdbool.h>

/* Appends
 *     error[T203]: 'segment.image' needs an RGB tile, but 'split.mask' is a mask
 *       --> workflow.json:41:17
 *     help: connect 'normalise.image'
 * The second line is left out without a file, the third without a help text. Control characters, which may come from
 * the user's file, are replaced: a message cannot drive the terminal. */
void ts_error_format(const struct ts_error *err, bool color, struct ts_str *out);
/* All faults in their order, with an empty line between two of them. */
void ts_faults_format(const struct ts_faults *faults, bool color, struct ts_str *out);

#endif
