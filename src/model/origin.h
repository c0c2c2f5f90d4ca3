/* How a design was made, as it stands beside it in DESIGN.csv.json: method, seed, options, and the space itself.
 * SPDX-License-Identifier: Apache-2.0
 *
 * `sample` writes it, so that `analyse` needs neither method nor space; docs/sensitivity.md names its fields. */
#ifndef TS_MODEL_ORIGIN_H
#define TS_MODEL_ORIGIN_H

#include "model/model.h"

#include <jansson.h>

#define TS_ORIGIN_SCHEMA "tessera.design/1"
#define TS_ORIGIN_SPACE  "/space" /* JSON pointer of the space in it */

struct design_origin {
  const char *path;           /* of the file; in the arena */
  const char *method, *title; /* of the sampler; in the arena */
  uint64_t seed;
  enum ts_layout layout;
  size_t run_count;
  size_t levels, harmonics; /* 0: the design has none, or those that are the default */
  double step;              /* the same */
  const char *space_digest; /* as ts_space_file_digest; in the arena */
};

/* "design.csv.json" for "design.csv"; in the arena. */
const char *ts_origin_path(const char *design, struct ts_arena *arena);
/* False: there is no such file beside the design, or it is something else. */
bool ts_origin_read(struct design_origin *origin, const char *design, struct ts_arena *arena);
/* The space in such a file; NULL if the document is something else. */
const json_t *ts_origin_space(const json_t *root);
/* Whether there is a file in its place that is something else, and must not be replaced. */
bool ts_origin_is_taken(const char *path);
/* `reply` is that of `sample`: what it says of the design is what is kept. */
bool ts_origin_write(const char *path, const struct ts_request *request, const struct space_file *file,
                     const json_t *reply, struct ts_error *err);

#endif
