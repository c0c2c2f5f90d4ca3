/* Tunes parameters: on recorded measurements.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "replay/replay.h"

int ts_tune(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  json_t *object = ts_reply_new("tessera.tune-table/1");
  if (request->table) {
    ts_replay_table(request, object, &issues);
  } else {
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_USAGE, "no table was given");
    ts_error_help(&err, "name the CSV file of the recorded runs: --table FILE.csv");
    ts_issues_fault(&issues, &err);
  }
  return ts_reply_finish(object, 0, reply, NULL, &issues);
}
