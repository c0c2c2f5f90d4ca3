/* Calls by name: what is set arrives, and what is wrong is named as the caller called it.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "request/table.h"

#include <string.h>

static void set(struct tessera_call *call, const char *name, const char *text) {
  struct tessera_fault fault;
  if (!tessera_call_set(call, name, text, NULL, &fault)) fail_msg("%s: %s", name, fault.text);
}

static void refuse(struct tessera_call *call, const char *name, const char *text, const char *called,
                   const char *expected, const char *help) {
  struct tessera_fault fault;
  const struct ts_request before = *ts_call_request(call);
  assert_false(tessera_call_set(call, name, text, called, &fault));
  assert_int_equal(fault.code, 901);
  assert_string_equal(fault.text, expected);
  assert_string_equal(fault.help, help);
  assert_memory_equal(&before, ts_call_request(call), sizeof before);
}

static void what_is_set_arrives(void **state) {
  (void)state;
  char text[] = "40";
  struct tessera_call *call = tessera_call_create("run");
  set(call, "file", "workflow.json");
  set(call, "jobs", "4");
  set(call, "memory", "2.5G");
  set(call, "data", "a");
  set(call, "data", "b");
  set(call, "tile", "0");
  set(call, "parameter", "G1=40");
  set(call, "only", text);
  set(call, "no-reuse", NULL);
  text[0] = 'x'; /* texts are copied */
  const struct ts_request *request = ts_call_request(call);
  assert_string_equal(request->file, "workflow.json");
  assert_int_equal(request->threads, 4);
  assert_int_equal(request->memory_bytes, 2500000000);
  assert_int_equal(request->data_count, 2);
  assert_string_equal(request->data[0], "a");
  assert_string_equal(request->data[1], "b");
  assert_true(request->has_tile && request->no_reuse && !request->resume);
  assert_string_equal(request->parameters[0].name, "G1");
  assert_string_equal(request->only_stage, "40");
  assert_string_equal(tessera_call_get(call, "jobs"), "4");
  assert_string_equal(tessera_call_get(call, "file"), "workflow.json");
  assert_string_equal(tessera_call_get(call, "no-reuse"), "");
  assert_null(tessera_call_get(call, "store"));
  assert_null(tessera_call_get(call, "nonsense"));
  tessera_call_destroy(call);
}

static void texts_that_may_be_left_out(void **state) {
  (void)state;
  struct tessera_call *call = tessera_call_create("init");
  set(call, "demo", NULL);
  assert_string_equal(ts_call_request(call)->demo, "nuclei");
  assert_string_equal(tessera_call_get(call, "demo"), "nuclei");
  set(call, "demo", "decay");
  assert_string_equal(ts_call_request(call)->demo, "decay");
  tessera_call_destroy(call);
  call = tessera_call_create("study");
  set(call, "resume", NULL);
  assert_true(ts_call_request(call)->resume);
  assert_null(ts_call_request(call)->resume_id);
  set(call, "resume", "7f3a91bc");
  assert_string_equal(ts_call_request(call)->resume_id, "7f3a91bc");
  tessera_call_destroy(call);
}

static void what_is_wrong_is_named(void **state) {
  (void)state;
  struct tessera_call *call = tessera_call_create("study");
  refuse(call, "jobs", "many", "-j", "'many' is not a number that '-j' takes", "give a whole number from 0 to 4096");
  refuse(call, "jobs", "9999", NULL, "'9999' is not a number that 'jobs' takes", "give a whole number from 0 to 4096");
  refuse(call, "jobs", NULL, NULL, "'jobs' has an empty value",
         "jobs N: tasks at once; 0: one for each CPU (the default)");
  refuse(call, "store", "", "TESSERA_STORE", "'TESSERA_STORE' has an empty value",
         "TESSERA_STORE FOLDER: where products and records are kept (.tessera); 'memory' keeps nothing");
  refuse(call, "mehtod", "morris", NULL, "'study' has no option 'mehtod'", "did you mean 'method'?");
  refuse(call, "processors", "4", NULL, "'study' has no option 'processors'", "'tessera study --help' lists them");
  refuse(call, "no-reuse", "no", NULL, "'no' is nothing that 'no-reuse' takes", "it takes true or false");
  set(call, "no-reuse", "true");
  assert_true(ts_call_request(call)->no_reuse);
  set(call, "no-reuse", "false");
  assert_false(ts_call_request(call)->no_reuse);
  refuse(call, "json", NULL, NULL, "'study' has no option 'json'", "'tessera study --help' lists them");
  refuse(call, "merge", "al", NULL, "'al' is nothing that 'merge' takes",
         "it takes none, stage, naive, sca, rtma, trtma or lineage");
  tessera_call_destroy(call);
  call = tessera_call_create("store");
  refuse(call, "topic", "cost", "WHAT", "'cost' is nothing that 'WHAT' takes",
         "did you mean 'costs'? it takes costs, verify, du or gc");
  tessera_call_destroy(call);
  assert_null(tessera_call_create("nonsense"));
}

/* Every option of every command takes what its kind says, by name. */
static void every_option_can_be_set(void **state) {
  (void)state;
  for (size_t c = 0; c < TS_COMMAND_COUNT; c++) {
    for (size_t i = 0; i < ts_option_row_count; i++) {
      const struct tessera_option *option = &ts_option_rows[i].shown;
      if (option->is_program || !tessera_option_applies(option, &ts_commands[c])) continue;
      struct tessera_call *call = tessera_call_create(ts_commands[c].name);
      char number[32];
      snprintf(number, sizeof number, "%llu", (unsigned long long)option->most);
      const char *text = option->kind == TESSERA_OPTION_REAL                                             ? "0.5"
                         : option->kind == TESSERA_OPTION_BYTES                                          ? "1G"
                         : option->kind == TESSERA_OPTION_COUNT || option->kind == TESSERA_OPTION_PIXELS ? number
                         : option->choices                                             ? option->choices[0]
                         : option->kind == TESSERA_OPTION_SEED                         ? "7"
                         : option->kind == TESSERA_OPTION_SETTING                      ? "a=b"
                         : option->argument && option->kind != TESSERA_OPTION_OPTIONAL ? "x"
                                                                                       : NULL;
      set(call, option->name, text);
      assert_non_null(tessera_call_get(call, option->name));
      tessera_call_destroy(call);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_set_arrives),
      cmocka_unit_test(texts_that_may_be_left_out),
      cmocka_unit_test(what_is_wrong_is_named),
      cmocka_unit_test(every_option_can_be_set),
  };
  return cmocka_run_group_tests_name("call", tests, NULL, NULL);
}
