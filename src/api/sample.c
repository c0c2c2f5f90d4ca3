/* Draws parameter sets for any model.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "model/model.h"

int ts_sample_space(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  json_t *object = ts_reply_new("tessera.sample/1");
  const int trouble = ts_model_sample(request, object, &issues) ? 0 : ts_error_exit_code(TS_ERR_FILE_IO);
  return ts_reply_finish(object, trouble, reply, NULL, &issues);
}
