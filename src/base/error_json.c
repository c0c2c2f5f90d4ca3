/* Writes errors as JSON objects and reads them back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error_json.h"

#include <stdint.h>
#include <string.h>

/* The texts of an error are UTF-8, whatever they were made of (error.c). */
json_t *ts_error_to_json(const struct ts_error *err) {
  return json_pack("{s:i, s:s, s:s, s:i, s:i, s:s, s:s}", "code", ts_error_number(err->code), "text", err->text, "file",
                   err->where.file, "line", err->where.line, "column", err->where.column, "path", err->where.path,
                   "help", err->help);
}

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

static int number_of(const json_t *object, const char *name) {
  const json_int_t number = json_integer_value(json_object_get(object, name));
  return number > 0 && number <= INT32_MAX ? (int)number : 0;
}

void ts_error_from_json(const json_t *object, enum ts_error_code unknown, struct ts_error *err) {
  memset(err, 0, sizeof *err);
  ts_fail(err, ts_error_of_number(number_of(object, "code"), unknown), "%s", text_of(object, "text"));
  ts_error_place(err, text_of(object, "file"), number_of(object, "line"), number_of(object, "column"),
                 text_of(object, "path"));
  if (*text_of(object, "help")) ts_error_help(err, "%s", text_of(object, "help"));
}
