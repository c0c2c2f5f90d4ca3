/* Reads the last words of a worker process.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/process/last_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies the field at *line and moves behind it. */
static void take_field(const char **line, char *field, size_t size) {
  const size_t length = strcspn(*line, (const char[]){TS_LAST_WORDS_FIELD, '\0'});
  snprintf(field, size, "%.*s", (int)length, *line);
  for (char *c = field; *c; c++)
    if (*c == TS_LAST_WORDS_BREAK) *c = '\n';
  *line += length + ((*line)[length] != '\0');
}

bool ts_last_words_read(const char *line, struct ts_error *err) {
  char number[16], text[sizeof err->text], file[sizeof err->where.file], help[sizeof err->help];
  if (line[0] != TS_LAST_WORDS_MARK) return false;
  line++;
  take_field(&line, number, sizeof number);
  take_field(&line, text, sizeof text);
  take_field(&line, file, sizeof file);
  take_field(&line, help, sizeof help);
  const enum ts_error_code code = ts_error_of_number((int)strtol(number, NULL, 10), TS_ERR_OK);
  if (code == TS_ERR_OK || !text[0]) return false;
  ts_error_clear(err);
  ts_fail(err, code, "%s", text);
  if (file[0]) ts_error_place(err, file, 0, 0, "");
  if (help[0]) ts_error_help(err, "%s", help);
  return true;
}
