/* What every call does with its request: paths relative to the project folder, and the store.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_REQUEST_H
#define TS_PROJECT_REQUEST_H

#include "tessera.h"

#include "base/arena.h"
#include "project/issues.h"
#include "store/store.h"

const char *ts_request_folder(const struct ts_request *request); /* of the project */
/* The path below the folder, unless that is "." or the path is absolute. In the arena. */
const char *ts_path_below(struct ts_arena *arena, const char *folder, const char *path);
/* A path of the request: relative to the project folder. In the arena. */
const char *ts_request_path(const struct ts_request *request, struct ts_arena *arena, const char *path);
/* The store of the request, to close; NULL: a fault. */
struct ts_store *ts_request_open_store(const struct ts_request *request, bool read_only, bool must_exist,
                                       struct ts_issues *issues);

#endif
