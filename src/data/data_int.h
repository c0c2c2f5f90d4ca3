/* The inside of struct ts_data, for the files of this module alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_DATA_DATA_INT_H
#define TS_DATA_DATA_INT_H

#include "data/data.h"

#include <zstd.h>

#include <stdatomic.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the encoded form holds the payload as it lies in memory, which must be little endian"
#endif

struct ts_data {
  atomic_size_t references;
  const struct ts_type *type; /* borrowed from the table in type.c */
  struct ts_region region;    /* pixels */
  size_t rows, columns;       /* tables */
  char **names;               /* owned: the column names and, in the same block, their text; NULL without columns */
  struct ts_buffer *buffer;   /* owned; NULL for files */
  char *path;                 /* owned; files only */
  struct ts_sha256 digest;    /* files only */
  _Atomic(uint8_t *) bits; /* owned: a mask's payload as bits (mask_bits.c), for its digest and its packing; or NULL */
};

/* Payload size of a shape; false if it cannot be addressed or an extent is not positive. */
bool ts_pixels_size(const struct ts_type *type, const struct ts_region *region, size_t *size_bytes);
bool ts_table_size(size_t rows, size_t columns, size_t *size_bytes);

/* What follows the header in the encoded form. Masks that hold only 0 and 255, as they should, are written as bits. */
enum ts_coding { TS_CODING_BYTES, TS_CODING_BITS };
struct ts_payload {
  const void *bytes; /* borrowed from the data, or `owned` */
  size_t size_bytes;
  enum ts_coding coding;
  void *owned;
};
const void *ts_data_payload(const struct ts_data *data, struct ts_payload *payload);
void ts_payload_release(struct ts_payload *payload);
/* Releases a payload that was not changed; bits stay with the data, for the next who asks. */
void ts_payload_return(const struct ts_data *data, struct ts_payload *payload);

/* mask_bits.c */
size_t ts_mask_bits_size(size_t pixel_count);
void ts_mask_unpack_bits(const uint8_t *bits, size_t count, uint8_t *pixels);

/* mask_changes.c: adds the short form of the bits to a digest. */
void ts_mask_changes_digest(const uint8_t *bits, size_t size, struct ts_sha256_stream *stream);

/* mask_runs.c: the packed form of bits. pack appends to `out`; false, with `out` as it was, if that takes more than
 * most_bytes. unpack: false if what is_runs has accepted is damaged. */
bool ts_mask_runs_pack(const uint8_t *bits, size_t size, size_t most_bytes, struct ts_str *out);
bool ts_mask_runs_is(const uint8_t *packed, size_t packed_bytes);
bool ts_mask_runs_unpack(const uint8_t *packed, size_t packed_bytes, uint8_t *bits, size_t size);

/* Reused by all packing and unpacking of one thread; NULL without memory. */
struct ts_pack_context {
  ZSTD_CCtx *pack;   /* owned */
  ZSTD_DCtx *unpack; /* owned */
};
struct ts_pack_context *ts_pack_context_get(void);

#endif
