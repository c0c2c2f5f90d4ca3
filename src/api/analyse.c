/* Sensitivity indices of the runs of any model.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "model/model.h"

int ts_analyse_runs(const struct ts_request *request, char **reply) {
  struct session s;
  struct ts_request changed = *request;
  changed.file = request->space; /* what a session reads, if it is a workflow or a study */
  ts_session_init(&s, &changed);
  json_t *object = ts_reply_new("tessera.analyse/1");
  ts_model_analyse(&s, object);
  int code = ts_reply_finish(&s, object, 0, reply);
  ts_session_release(&s);
  return code;
}
