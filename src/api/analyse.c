/* Sensitivity indices of the runs of any model.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "model/model.h"

int ts_analyse_runs(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  json_t *object = ts_reply_new("tessera.analyse/1");
  ts_model_analyse(request, object, &issues);
  return ts_reply_finish(object, 0, reply, NULL, &issues);
}
