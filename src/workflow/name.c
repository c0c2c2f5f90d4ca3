/* Names of workflows, stages, tasks, inputs and parameters: which are allowed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "workflow/workflow_int.h"

#define NAME_LENGTH 64

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static bool is_name(const char *name) {
  if (!is_letter(name[0])) return false;
  size_t length = 0;
  for (; name[length]; length++) {
    char c = name[length];
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  }
  return length <= NAME_LENGTH;
}

bool ts_name_check(const char *name, const char *what, struct ts_error *err) {
  if (is_name(name)) return true;
  ts_fail(err, TS_ERR_BAD_NAME, "'%.80s' cannot be the name of %s", name, what);
  return ts_error_help(
      err,
      "a name starts with a letter from A to Z or a to z; these, digits, '_' and '-' may follow, %d characters at most",
      NAME_LENGTH);
}

bool ts_reader_name(struct ts_reader *reader, const char *name, const char *pointer, enum ts_json_part part,
                    const char *what) {
  struct ts_error err = {0};
  if (ts_name_check(name, what, &err)) return true;
  ts_json_place(&err, reader->doc, pointer, part);
  *ts_faults_add(reader->faults) = err;
  return false;
}
