/* What 'init --data' sees in the data, and what it makes of it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_INIT_INT_H
#define TS_API_INIT_INT_H

#include "api/api_int.h"
#include "project/built_in.h"

#include "base/arena.h"

/* An image and the file with its truth. */
struct init_pair {
  const char *image, *truth; /* as found; truth NULL: none */
  int64_t width, height;
};

struct init_left_out {
  const char *file, *reason;
};

/* All in the arena. */
struct init_data {
  struct ts_arena arena;
  const struct ts_built_in *built_in;
  struct init_pair *pairs; /* what the study uses: all have a truth, or none has */
  size_t pair_count;
  struct init_left_out *left_out;
  size_t left_out_count, left_out_capacity;
  bool has_truth;
  const char *image_column, *truth_column; /* names of the inputs of the workflow */
};

/* look.c: looks at what the request names; false: a fault. To release in either case. */
bool ts_init_look(const struct ts_request *request, struct init_data *data, struct ts_issues *issues);
void ts_init_data_release(struct init_data *data);
/* files.c: the files of the data, their roles by name. In the arena; NULL: a fault. */
struct ts_paired_file;
struct ts_paired_file *ts_init_list(const struct ts_request *request, struct ts_arena *arena, size_t *count,
                                    struct ts_issues *issues);

/* write.c: 'init --data'. Adds what it wrote to `files`, and what it guessed to the object. */
bool ts_init_data(const struct ts_request *request, const char *folder, json_t *files, json_t *object,
                  struct ts_issues *issues);

/* init.c: writes a new file of the project. */
bool ts_init_write(const char *folder, const char *name, const void *bytes, size_t size, json_t *files,
                   struct ts_error *err);

#endif
