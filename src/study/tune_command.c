/* Tunes parameters: on recorded measurements.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/tune_table_int.h"

json_t *ts_tuner_list(void) {
  json_t *list = json_array();
  for (size_t i = 0; ts_tuners[i]; i++) {
    const struct ts_tuner *tuner = ts_tuners[i];
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:s, s:b, s:b}", "name", tuner->name, "title", tuner->title, "help",
                                    tuner->help, "needs_components", (tuner->flags & TS_TUNER_COMPONENTS) != 0,
                                    "several_goals", (tuner->flags & TS_TUNER_ONE_GOAL) == 0));
  }
  return list;
}

int ts_tune(const struct ts_request *request, char **reply) {
  struct session s;
  ts_session_init(&s, request);
  json_t *object = ts_reply_new("tessera.tune-table/1");
  struct ts_error err = {0};
  if (request->table) {
    ts_tune_replay_table(&s, object);
  } else {
    ts_fail(&err, TS_ERR_USAGE, "no table was given");
    ts_error_help(&err, "name the CSV file of the recorded runs: --table FILE.csv");
    ts_session_fault(&s, &err);
  }
  int code = ts_reply_finish(&s, object, 0, reply);
  ts_session_release(&s);
  return code;
}
