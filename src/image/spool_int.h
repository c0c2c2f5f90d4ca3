/* The inside of a spooled image: shared by its keeper and its writer.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_IMAGE_SPOOL_INT_H
#define TS_IMAGE_SPOOL_INT_H

#include "image/spool.h"

struct ts_spool {
  const struct ts_type *type;
  int64_t width, height;
  size_t pixel_bytes;
  char *folder;       /* owned: for messages */
  int file;           /* owned: rows without padding */
  uint32_t label_max; /* of labels: the largest so far */
};

/* Some pixels of one row. 0 or the errno. */
int ts_spool_read_part(const struct ts_spool *spool, int64_t x, int64_t y, int64_t width, void *pixels);

#endif
