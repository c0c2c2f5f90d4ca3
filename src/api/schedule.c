/* Maps the tasks of a graph to processors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "model/model.h"

#define EXIT_UNMET 4

int ts_schedule(const struct ts_request *request, char **reply) {
  struct session s;
  ts_session_init(&s, request);
  json_t *object = ts_reply_new("tessera.schedule/1");
  const int unmet = ts_model_schedule(&s, object) ? 0 : EXIT_UNMET;
  int code = ts_reply_finish(&s, object, unmet, reply);
  ts_session_release(&s);
  return code;
}
