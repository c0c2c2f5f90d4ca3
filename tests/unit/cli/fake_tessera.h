/* A stand-in for the library: gives canned replies, remembers the request, and tells of progress.
 * SPDX-License-Identifier: Apache-2.0
 *
 * It defines every function of tessera.h, so that the linker takes none of them from the real library. */
#ifndef TS_TESTS_UNIT_CLI_FAKE_TESSERA_H
#define TS_TESTS_UNIT_CLI_FAKE_TESSERA_H

#include "unit/base/testing.h"

#include "tessera.h"

/* What the next calls give back; NULL: an object with the schema alone. */
static const char *fake_reply_text;
static int fake_code;
/* Called in place of the work, with the request; may be NULL. */
static void (*fake_work)(const struct ts_request *request);
/* Which function was called last, and a few fields as it saw them. */
static const char *fake_called = "";
static struct ts_request fake_request;

static int fake_call(const char *name, const struct ts_request *request, char **reply) {
  fake_called = name;
  fake_request = *request;
  if (fake_work) fake_work(request);
  *reply = strdup(fake_reply_text ? fake_reply_text : "{\"schema\": \"tessera.fake/1\"}");
  return fake_code;
}

#define FAKE(function)                                                                                                 \
  int function(const struct ts_request *request, char **reply) { return fake_call(#function, request, reply); }
FAKE(tessera_check)
FAKE(tessera_plan)
FAKE(tessera_run)
FAKE(tessera_study)
FAKE(tessera_work)
FAKE(tessera_status)
FAKE(tessera_log)
FAKE(tessera_explain)
FAKE(tessera_costs)
FAKE(tessera_verify)
FAKE(tessera_report)
FAKE(tessera_init)
FAKE(tessera_list)
FAKE(tessera_bench)
FAKE(tessera_sample)
FAKE(tessera_analyse)
FAKE(tessera_schedule)
FAKE(tessera_tune)
#undef FAKE

void tessera_reply_free(char *reply) { free(reply); }
const char *tessera_version(void) { return "1.2.3"; }
void tessera_on_warning(void (*take)(void *user, const char *text), void *user) {
  (void)take;
  (void)user;
}

#endif
