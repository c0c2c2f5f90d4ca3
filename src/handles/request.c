/* Requests that outlive the call that brings them, and what in them is not theirs to say.
 * SPDX-License-Identifier: Apache-2.0 */
#include "handles/request.h"

bool ts_handle_request_take(struct ts_arena *arena, const struct ts_request_type *type, const void *given,
                            struct ts_request *request, struct ts_error *err) {
  struct ts_request adopted;
  if (!ts_request_adopt(type, given, &adopted, err)) return false;
  ts_request_copy(arena, &adopted, request);
  return true;
}

bool ts_handle_request_is_for_project(const struct ts_request *request, struct ts_error *err) {
  const struct {
    const char *member, *whose;
    bool is_given;
  } others[] = {{"file", "the project that it starts from", request->file != NULL},
                {"data", "the project that it starts from", request->data_count > 0},
                {"store", "the project that it starts from", request->store != NULL},
                {"dry_run", "tessera_plan", request->dry_run},
                {"stop", "its handle: use tessera_run_stop", request->stop != NULL}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (!others[i].is_given) continue;
    ts_fail(err, TS_ERR_USAGE, "the request of a run that is started has '%s', which belongs to %s", others[i].member,
            others[i].whose);
    ts_error_help(err, "leave it out of the request");
    return false;
  }
  return true;
}
