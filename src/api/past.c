/* Opens the store of a request to look at its runs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "order/order.h"

bool ts_past_open(struct ts_past *past, const struct ts_request *request, struct ts_issues *issues) {
  *past = (struct ts_past){.request = request, .store = ts_request_open_store(request, true, true, issues)};
  return past->store != NULL;
}

bool ts_past_find(struct ts_past *past, const char *command, struct ts_run_row *row, struct ts_issues *issues) {
  return ts_run_find(past->store, past->request->run, command, &past->arena, row, issues);
}

int ts_past_finish(struct ts_past *past, json_t *object, int exit_code, char **reply, struct ts_issues *issues) {
  exit_code = ts_reply_finish(object, exit_code, reply, past->store, issues);
  if (!past->has_lent_store) ts_store_close(past->store);
  ts_arena_release(&past->arena);
  return exit_code;
}
