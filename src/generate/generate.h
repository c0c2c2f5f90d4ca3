/* Writes a complete operation from a short descriptor: source or manifest, build, test, workflow, study, example data.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Three kinds: a plugin in C around functions of a library, a command around any program, a script of a few lines. The
 * descriptor is described in docs/new-operation.md. */
#ifndef TS_GENERATE_GENERATE_H
#define TS_GENERATE_GENERATE_H

#include "base/error.h"
#include "base/json.h"

#include <stddef.h>

struct ts_generate_request {
  const struct ts_json_doc *descriptor; /* borrowed, as all */
  const char *folder;                   /* to make: absent or empty; NULL: named after the operation, in `parent` */
  const char *parent;                   /* NULL: the current folder */
  const void *header;                   /* the text of tessera_op.h, which a plugin gets beside it */
  size_t header_bytes;
};

/* What was made, for the reply: owned by the caller. */
struct ts_generated {
  char *folder;
  json_t *files; /* names in the folder, in the order in which they were written */
};
void ts_generated_release(struct ts_generated *generated);

/* All faults of the descriptor; nothing is written if there is one. */
bool ts_generate(const struct ts_generate_request *request, struct ts_generated *generated, struct ts_faults *faults);

#endif
