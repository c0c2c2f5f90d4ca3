/* Draws parameter sets for any model.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "model/model.h"

int ts_sample_space(const struct ts_request *request, char **reply) {
  struct session s;
  struct ts_request changed = *request;
  changed.file = request->space; /* what a session reads, if it is a workflow or a study */
  ts_session_init(&s, &changed);
  json_t *object = ts_reply_new("tessera.sample/1");
  int trouble = ts_model_sample(&s, object) ? 0 : ts_error_exit_code(TS_ERR_FILE_IO);
  int code = ts_reply_finish(&s, object, trouble, reply);
  ts_session_release(&s);
  return code;
}
