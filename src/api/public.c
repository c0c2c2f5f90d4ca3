/* The public functions: bring the request of a program, which may be older or newer, to the size that is known here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/calls.h"

#include "base/error_json.h"
#include "base/json.h"
#include "base/log.h"
#include "base/version.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The reply of a call whose request cannot be read. */
static int refuse(const struct ts_error *err, char **reply) {
  json_t *object =
      json_pack("{s:s, s:[], s:[o]}", "schema", "tessera.error/1", "warnings", "faults", ts_error_to_json(err));
  *reply = ts_json_dump(object, false, true);
  json_decref(object);
  return ts_error_exit_code(err->code);
}

/* Whether all bytes behind the fields that are known here are zero, which is the default of every field. */
static bool is_known(const struct ts_request *given) {
  const char *bytes = (const char *)given;
  for (size_t i = sizeof *given; i < given->size_bytes; i++)
    if (bytes[i] != 0) return false;
  return true;
}

/* The first field after the size: a shorter request comes from no header of this library. */
#define LEAST_BYTES (offsetof(struct ts_request, folder) + sizeof(const char *))
#define MOST_BYTES  ((size_t)1 << 16) /* larger: it was not initialised */

static bool adopt(const struct ts_request *given, struct ts_request *request, struct ts_error *err) {
  *request = (struct ts_request){0};
  if (given->size_bytes < LEAST_BYTES || given->size_bytes > MOST_BYTES) {
    ts_fail(err, TS_ERR_USAGE, "the request says that it has %zu bytes, which no version of it has", given->size_bytes);
    ts_error_help(err, "begin every request with TESSERA_REQUEST_INIT");
    return false;
  }
  if (!is_known(given)) {
    ts_fail(err, TS_ERR_USAGE, "the request uses fields that this library, version %s, does not know", TS_VERSION);
    ts_error_help(err, "use the library of the header that the program was compiled with, or a newer one");
    return false;
  }
  memcpy(request, given, given->size_bytes < sizeof *request ? given->size_bytes : sizeof *request);
  request->size_bytes = sizeof *request;
  return true;
}

static int call(int (*function)(const struct ts_request *request, char **reply), const struct ts_request *given,
                char **reply) {
  struct ts_request request;
  struct ts_error err = {0};
  *reply = NULL;
  return adopt(given, &request, &err) ? function(&request, reply) : refuse(&err, reply);
}

#define X(public_name, name)                                                                                           \
  int public_name(const struct ts_request *request, char **reply) { return call(name, request, reply); }
TS_CALLS(X)
#undef X

void tessera_reply_free(char *reply) { free(reply); }

const char *tessera_version(void) { return TS_VERSION; }

/* ---- warnings ---- */

/* Written while no sink is set, read by the sink. */
static struct {
  void (*take)(void *user, const char *text);
  void *user; /* borrowed from the program */
} host;

static bool hand_over(void *unused, enum ts_log_level level, const char *text) {
  (void)unused;
  if (level == TS_LOG_WARN) host.take(host.user, text);
  return true;
}

void tessera_on_warning(void (*take)(void *user, const char *text), void *user) {
  ts_log_set_sink(NULL, NULL);
  host.take = take;
  host.user = user;
  if (take) ts_log_set_sink(hand_over, NULL);
}
