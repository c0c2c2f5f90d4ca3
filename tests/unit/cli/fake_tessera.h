/* A stand-in for the library: gives canned replies, remembers the request, and tells of progress.
 * SPDX-License-Identifier: Apache-2.0
 *
 * It defines every function of api/public.c that the program calls, so that the linker takes none from there. */
#ifndef TS_TESTS_UNIT_CLI_FAKE_TESSERA_H
#define TS_TESTS_UNIT_CLI_FAKE_TESSERA_H

#include "unit/base/testing.h"

#include "request/table.h"

/* What the next calls give back; NULL: an object with the schema alone. */
static const char *fake_reply_text;
static int fake_code;
/* Called in place of the work, with the request; may be NULL. */
static void (*fake_work)(const struct ts_request *request);
static char fake_called[64]; /* the command that was called last, and its topic */

static int fake_reply(char **reply) {
  *reply = strdup(fake_reply_text ? fake_reply_text : "{\"schema\": \"tessera.fake/1\"}");
  return fake_code;
}

int tessera_call_make(const struct tessera_call *call, const struct tessera_context *context, char **reply) {
  struct ts_request request = *ts_call_request(call);
  const char *topic = ts_call_topic(call);
  snprintf(fake_called, sizeof fake_called, "%s%s%s", ts_call_command(call)->name, topic ? " " : "",
           topic ? topic : "");
  if (context) {
    request.stop = context->stop;
    request.observer = context->observer;
  }
  if (fake_work) fake_work(&request);
  return fake_reply(reply);
}

int tessera_list(const struct tessera_list_request *request, char **reply) {
  (void)request;
  return fake_reply(reply);
}

const char *tessera_event_name(enum tessera_event_kind kind) {
  static const char *const names[] = {"", "run_begin", "task_done", "run_end", "progress", "phase"};
  return names[kind];
}

void tessera_reply_free(char *reply) { free(reply); }
const char *tessera_version(void) { return "1.2.3"; }

#endif
