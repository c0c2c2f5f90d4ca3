/* The table of -v: columns, sums, shares; and replies that lack something.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/str.h"
#include "cli/view.h"

static void assert_shown(const char *json, const char *expected) {
  const struct ts_view view = {.program = "tessera"};
  json_error_t why;
  json_t *reply = json_loads(json, 0, &why);
  struct ts_str out = {0};
  assert_non_null(reply);
  ts_show_profile(reply, &view, &out);
  assert_string_equal(ts_str_get(&out), expected);
  ts_str_release(&out);
  json_decref(reply);
}

/* 4 s of tasks and 0.5 s of reading in a process of 5 s leave 0.5 s for the engine; 10 Mpx in 2 s are 5 Mpx/s. */
static void rows_add_up(void **state) {
  (void)state;
  assert_shown("{\"threads\": 2, \"peak_bytes\": 2000000, \"by_task\": ["
               "{\"stage\": \"a\", \"task\": \"first\", \"calls\": 1000, \"cpu_s\": 1, \"wall_s\": 2, \"px\": 1e7, "
               "\"stage_reused\": 1, \"task_reused\": 20, \"cutoff\": 300, \"store\": 4000}, "
               "{\"stage\": \"b\", \"task\": \"second\", \"calls\": 2, \"cpu_s\": 3, \"wall_s\": 3}, "
               "{\"stage\": \"b\", \"task\": \"idle\", \"calls\": 0, \"cpu_s\": 0, \"wall_s\": 0, \"store\": 9}], "
               "\"profile\": {\"run_s\": 4, \"process_cpu_s\": 5, \"tasks_cpu_s\": 4, \"external_s\": 0, "
               "\"engine_cpu_s\": 0.5, \"read\": {\"calls\": 4, \"cpu_s\": 0.5, \"wall_s\": 1}, "
               "\"crop\": {\"calls\": 0, \"cpu_s\": 0, \"wall_s\": 0}, \"process_peak_bytes\": 3000000, "
               "\"parts\": {\"asked\": 12000, \"recalled\": 9000}, "
               "\"trace\": \"t.json\"}}",
               "\nWhere the time went\n"
               "  task       calls  CPU s  wall s  mean ms  share  MPix/s  reused\n"
               "  a.first    1 000  1.000   2.000     2.00   20 %    5.00   4 321\n"
               "  b.second       2  3.000   3.000    1 500   60 %\n"
               "  b.idle                                                        9\n"
               "  (reading)      4  0.500   1.000      250   10 %\n"
               "  (engine)          0.500                    10 %\n"
               "  total      1 006  5.000   6.000     5.96  100 %           4 330\n"
               "  2 threads, 75 % busy with tasks for 4.0 s. Peak memory: 2.0 MB of data, 3.0 MB in all.\n"
               "  Parts of tasks: 9 000 of 12 000 recalled (75 %).\n"
               "  Trace: t.json\n");
}

/* A command is another process: its seconds are beside those of this one. */
static void commands_come_on_top(void **state) {
  (void)state;
  assert_shown("{\"threads\": 1, \"by_task\": [{\"stage\": \"a\", \"task\": \"fit\", \"calls\": 1, \"cpu_s\": 3, "
               "\"wall_s\": 3, \"external\": true}], \"profile\": {\"run_s\": 4, \"process_cpu_s\": 1, "
               "\"tasks_cpu_s\": 0, \"external_s\": 3, \"engine_cpu_s\": 1}}",
               "\nWhere the time went\n"
               "  task      calls  CPU s  wall s  mean ms  share\n"
               "  a.fit         1  3.000   3.000    3 000   75 %\n"
               "  (engine)         1.000                    25 %\n"
               "  total         1  4.000   3.000    3 000  100 %\n"
               "  1 thread, 75 % busy with tasks for 4.0 s. Peak memory: 0 B of data.\n");
}

static void odd_replies_do_no_harm(void **state) {
  (void)state;
  static const char *const replies[] = {"{\"profile\": {}}",
                                        "{\"profile\": {\"read\": 3, \"run_s\": \"x\"}, \"by_task\": [null, {}, 3]}"};
  assert_shown("{}", "");
  assert_shown("{\"profile\": 7}", "");
  const struct ts_view view = {.program = "tessera", .color = true};
  for (size_t i = 0; i < COUNT_OF(replies); i++) {
    json_t *reply = json_loads(replies[i], 0, NULL);
    struct ts_str out = {0};
    ts_show_profile(reply, &view, &out);
    assert_non_null(strstr(ts_str_get(&out), "total"));
    ts_str_release(&out);
    json_decref(reply);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_add_up),
      cmocka_unit_test(commands_come_on_top),
      cmocka_unit_test(odd_replies_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
