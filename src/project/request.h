/* What every call does with its request: paths relative to the project folder, and the store.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_REQUEST_H
#define TS_PROJECT_REQUEST_H

#include "request/request.h"

#include "base/arena.h"
#include "project/issues.h"
#include "store/store.h"

/* A store that is open already, in place of the one of the request: several runs of one process share it. */
struct ts_lent_store {
  struct ts_store *store; /* borrowed */
  void *user;
  /* The run of this id begins or goes on here; false: it is under way already. From any thread; may be NULL. */
  bool (*claim)(void *user, const char *run);
};
/* Claims a run of the store; true without a lent one, whose process is its only writer. */
bool ts_lent_claim(const struct ts_lent_store *lent, const char *run);

const char *ts_request_folder(const struct ts_request *request); /* of the project */
/* The path below the folder, unless that is "." or the path is absolute. In the arena. */
const char *ts_path_below(struct ts_arena *arena, const char *folder, const char *path);
/* A path of the request: relative to the project folder. In the arena. */
const char *ts_request_path(const struct ts_request *request, struct ts_arena *arena, const char *path);
/* The store of the request, to close; NULL: a fault. */
struct ts_store *ts_request_open_store(const struct ts_request *request, bool read_only, bool must_exist,
                                       struct ts_issues *issues);

#endif
