/* Maps the tasks of a graph to processors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "model/model.h"

#define EXIT_UNMET 4

int ts_schedule(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  json_t *object = ts_reply_new("tessera.schedule/1");
  const int unmet = ts_model_schedule(request, object, &issues) ? 0 : EXIT_UNMET;
  return ts_reply_finish(object, unmet, reply, NULL, &issues);
}
