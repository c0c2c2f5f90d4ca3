/* Why a task failed, and what its operation wrote, also if it did not fail.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DATA_FAILURE_H
#define TS_DATA_FAILURE_H

#include "base/error.h"
#include "base/str.h"

#include <jansson.h>

struct ts_failure {
  struct ts_error error; /* TS_ERR_OK: it did not fail */
  struct ts_str log;     /* output of a command, valid UTF-8; often empty */
  struct ts_str remark;  /* the line of its error output that people should see; often empty */
  json_t *params;        /* owned: {NAME: VALUE} of the task's parameters; NULL: not known */
};
void ts_failure_release(struct ts_failure *failure);

/* For people: text, help and log, each on lines of its own. */
void ts_failure_print(const struct ts_error *error, const char *log, struct ts_str *out);

/* "message" (all of it, for people) and "log", what the operation wrote, if it wrote anything. Of a task that failed
 * also "code", "text" and "help", and "where" if its error has a place. */
void ts_failure_add_json(json_t *task, const struct ts_error *error, const char *log);

/* As the message of a task row (data/batch.h): one JSON object, the error's with "log", "remark" and "params"; for a
 * task that did not fail (NULL) these alone. "" if there is nothing. params (may be NULL) is borrowed. Owned result. */
char *ts_failure_pack(const struct ts_error *error, const char *log, const char *remark, json_t *params);
/* Reads such a message. One of an earlier version is a text alone: its first line becomes the error TASK_FAILED, or the
 * one that its number names ("T507: "), and the rest the log. */
void ts_failure_unpack(const char *message, struct ts_failure *failure);

#endif
