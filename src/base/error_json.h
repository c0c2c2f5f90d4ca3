/* Errors as JSON objects: the form of faults in replies, and of failures in the store.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_ERROR_JSON_H
#define TS_BASE_ERROR_JSON_H

#include "base/error.h"

#include <jansson.h>

/* {"code": 203, "text", "file", "line", "column", "path", "help"}; a new value. */
json_t *ts_error_to_json(const struct ts_error *err);
/* Sets an error, whatever the object holds; of the kind `unknown` if it names none that this program knows. */
void ts_error_from_json(const json_t *object, enum ts_error_code unknown, struct ts_error *err);

#endif
