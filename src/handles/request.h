/* Requests of runs that are started from a project.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_HANDLES_REQUEST_H
#define TS_HANDLES_REQUEST_H

#include "request/typed.h"

#include "base/arena.h"
#include "base/error.h"

/* A typed request as the one that is used inside, with its texts in the arena; USAGE if it cannot be read. */
bool ts_handle_request_take(struct ts_arena *arena, const struct ts_request_type *type, const void *given,
                            struct ts_request *request, struct ts_error *err);
/* Whether the request leaves to the project and to the handle of the run what is theirs: USAGE otherwise. */
bool ts_handle_request_is_for_project(const struct ts_request *request, struct ts_error *err);

#endif
