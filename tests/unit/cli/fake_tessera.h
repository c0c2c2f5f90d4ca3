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
FAKE(ts_check)
FAKE(ts_plan_study)
FAKE(ts_run_workflow)
FAKE(ts_study)
FAKE(ts_work)
FAKE(ts_status)
FAKE(ts_log_run)
FAKE(ts_explain)
FAKE(ts_costs_of_store)
FAKE(ts_verify_store)
FAKE(ts_report)
FAKE(ts_init)
FAKE(ts_list)
FAKE(ts_bench)
FAKE(ts_sample_space)
FAKE(ts_analyse_runs)
FAKE(ts_schedule)
FAKE(ts_tune)
#undef FAKE

void ts_reply_free(char *reply) { free(reply); }
const char *ts_version(void) { return "1.2.3"; }

#endif
