/* The folder of a request and the store that it names.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/request.h"

#include "base/alloc.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

bool ts_lent_claim(const struct ts_lent_store *lent, const char *run) {
  return !lent || !lent->claim || lent->claim(lent->user, run);
}

const char *ts_request_folder(const struct ts_request *request) { return request->folder ? request->folder : "."; }

const char *ts_path_below(struct ts_arena *arena, const char *folder, const char *path) {
  ts_auto_free char *joined = ts_path_join(strcmp(folder, ".") == 0 ? "" : folder, path);
  return ts_arena_strdup(arena, joined);
}

const char *ts_request_path(const struct ts_request *request, struct ts_arena *arena, const char *path) {
  return ts_path_below(arena, ts_request_folder(request), path);
}

struct ts_store *ts_request_open_store(const struct ts_request *request, bool read_only, bool must_exist,
                                       struct ts_issues *issues) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  const char *asked = request->store ? request->store : ".tessera";
  bool memory = strcmp(asked, "memory") == 0;
  struct ts_store_options options = {.path = memory ? NULL : ts_request_path(request, &arena, asked),
                                     .read_only = read_only};
  struct ts_error err = {0};
  struct ts_store *store = NULL;
  if (must_exist && (memory || !ts_folder_exists(options.path))) {
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "there is no store in '%s', hence no run", memory ? "memory" : options.path);
    ts_error_help(&err, "run a study first, or name the project with -C DIR");
  } else {
    store = ts_store_open(&options, &err);
  }
  if (!store) ts_issues_fault(issues, &err);
  return store;
}
