/* Why a task failed: its error, and what the operation wrote meanwhile.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DATA_FAILURE_H
#define TS_DATA_FAILURE_H

#include "base/error.h"
#include "base/str.h"

#include <jansson.h>

struct ts_failure {
  struct ts_error error; /* TS_ERR_OK: it did not fail */
  struct ts_str log;     /* output of a command, valid UTF-8; often empty */
};
void ts_failure_release(struct ts_failure *failure);

/* For people: text, help and log, each on lines of its own. */
void ts_failure_print(const struct ts_error *error, const char *log, struct ts_str *out);

/* "code", "text", "help" and "message" (all of it, for people) of a task that failed, and "where" if its error has a
 * place. */
void ts_failure_add_json(json_t *task, const struct ts_error *error, const char *log);

/* As the message of a task row (data/batch.h): one JSON object, the error's with "log". Owned result. */
char *ts_failure_pack(const struct ts_error *error, const char *log);
/* Reads such a message. One of an earlier version is a text alone: its first line becomes the error TASK_FAILED, or the
 * one that its number names ("T507: "), and the rest the log. */
void ts_failure_unpack(const char *message, struct ts_failure *failure);

#endif
