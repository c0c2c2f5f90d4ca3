/* Failures of tasks, for people and for rows of the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/failure.h"

#include "base/alloc.h"
#include "base/error_json.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_DIGITS 3 /* of an error: "T507" */

void ts_failure_release(struct ts_failure *failure) {
  ts_str_release(&failure->log);
  ts_str_release(&failure->remark);
  json_decref(failure->params);
  failure->params = NULL;
  ts_error_clear(&failure->error);
}

void ts_failure_print(const struct ts_error *error, const char *log, struct ts_str *out) {
  ts_str_add(out, error->text);
  if (error->help[0]) ts_str_addf(out, "\n%s", error->help);
  if (log[0]) ts_str_addf(out, "\n%s", log);
}

void ts_failure_add_json(json_t *task, const struct ts_error *error, const char *log) {
  ts_auto(ts_str_release) struct ts_str message = {0};
  const bool has_failed = error->code != TS_ERR_OK;
  if (has_failed)
    ts_failure_print(error, log, &message);
  else
    ts_str_add(&message, log);
  json_object_set_new(task, "message", json_string(ts_str_get(&message)));
  if (log[0]) json_object_set_new(task, "log", json_string(log));
  if (!has_failed) return;
  json_object_set_new(task, "code", json_integer(ts_error_number(error->code)));
  json_object_set_new(task, "text", json_string(error->text));
  json_object_set_new(task, "help", json_string(error->help));
  const struct ts_place *where = &error->where;
  if (where->file[0])
    json_object_set_new(task, "where",
                        json_pack("{s:s, s:i, s:i, s:s}", "file", where->file, "line", where->line, "column",
                                  where->column, "path", where->path));
}

char *ts_failure_pack(const struct ts_error *error, const char *log, const char *remark, json_t *params) {
  if (!error && !log[0]) return ts_strdup("");
  json_auto_t *object = error ? ts_error_to_json(error) : json_object();
  if (log[0]) json_object_set_new(object, "log", json_string(log));
  if (remark[0]) json_object_set_new(object, "remark", json_string(remark));
  if (json_object_size(params) > 0) json_object_set(object, "params", params);
  return ts_json_dump(object, false, false);
}

/* "T507: text", as earlier versions wrote the errors that do not say "task failed"; *text is moved behind the number.
 * */
static enum ts_error_code take_number(const char **text) {
  const char *digits = *text + 1;
  if (**text != 'T' || strspn(digits, "0123456789") != NUMBER_DIGITS || strncmp(digits + NUMBER_DIGITS, ": ", 2) != 0)
    return TS_ERR_TASK_FAILED;
  *text = digits + NUMBER_DIGITS + 2;
  return ts_error_of_number((int)strtol(digits, NULL, 10), TS_ERR_TASK_FAILED);
}

static void take_text(const char *message, struct ts_failure *failure) {
  const enum ts_error_code code = take_number(&message);
  const size_t length = strcspn(message, "\n");
  ts_fail(&failure->error, code, "%.*s", (int)length, message);
  if (message[length]) ts_str_add(&failure->log, message + length + 1);
}

void ts_failure_unpack(const char *message, struct ts_failure *failure) {
  *failure = (struct ts_failure){0};
  json_auto_t *object = message[0] == '{' ? json_loads(message, 0, NULL) : NULL;
  const bool has_failed = json_is_integer(json_object_get(object, "code"));
  const char *log = json_string_value(json_object_get(object, "log"));
  const char *remark = json_string_value(json_object_get(object, "remark"));
  if (has_failed) ts_error_from_json(object, TS_ERR_TASK_FAILED, &failure->error);
  if (has_failed || log) {
    if (log) ts_str_add(&failure->log, log);
    if (remark) ts_str_add(&failure->remark, remark);
    failure->params = json_incref(json_object_get(object, "params"));
  } else if (message[0]) {
    take_text(message, failure);
  }
}
