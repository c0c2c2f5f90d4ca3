/* The canonical encoded form "TSD2" of data ("TSD3" of volumes), its digests, and the compressed form for the store.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Encoded: header, then payload. All numbers little endian.
 *   4 bytes "TSD2", u32 size of the header, u64 size of the payload, text type name, then by kind
 *   pixels: i64 x, y, width, height, i32 level, z, t, u32 coding (0: bytes, 1: bits)
 *   volumes, which are pixels of more than one plane, begin with "TSD3" and have i32 depth, frames before the coding
 *   table:  u64 rows, u64 columns, and a text per column name
 *   file:   32 bytes SHA-256 of the file, text path
 * A text is u32 length and bytes. The payload: pixels frame by frame, plane by plane, row by row, cells row by row, the
 * bytes; nothing for a file.
 * Masks of nothing but 0 and 255 are coded as bits (mask_bits.c), all else as the bytes in memory.
 * Packed: the header as it is, then one zstd frame (with checksum) that holds the payload; bits usually as runs
 * (mask_runs.c) instead. The digest covers the encoded form, with the changes of a mask (mask_changes.c) in place of
 * its bits. */
#include "data/data_int.h"

#include "base/alloc.h"
#include "message/wire.h"

#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#define MAGIC          "TSD2"
#define VOLUME_MAGIC   "TSD3"
#define FIXED_BYTES    16 /* magic, header size, payload size */
#define PACK_LEVEL     1
#define COLOUR_LEVEL   (-3)       /* photographs shrink by a fifth at any level, at this one five times as fast */
#define PIECE_BYTES    (32 << 10) /* on the stack */
#define TEXT_MAX_BYTES (1U << 20) /* of a type, column or path name */

static void add_text(struct ts_str *out, const char *text) {
  size_t length = strlen(text);
  ts_wire_add_u32(out, (uint32_t)length);
  ts_str_add_bytes(out, text, length);
}

static void add_pixels(struct ts_str *out, const struct ts_region *region, enum ts_coding coding) {
  const int64_t wide[] = {region->x, region->y, region->width, region->height};
  const int32_t narrow[] = {region->level, region->z, region->t};
  for (size_t i = 0; i < 4; i++) ts_wire_add_i64(out, wide[i]);
  for (size_t i = 0; i < 3; i++) ts_wire_add_u32(out, (uint32_t)narrow[i]);
  if (ts_region_is_volume(region)) {
    ts_wire_add_u32(out, (uint32_t)region->depth);
    ts_wire_add_u32(out, (uint32_t)region->frames);
  }
  ts_wire_add_u32(out, (uint32_t)coding);
}

static void add_table(struct ts_str *out, const struct ts_data *data) {
  ts_wire_add_u64(out, data->rows);
  ts_wire_add_u64(out, data->columns);
  for (size_t i = 0; i < data->columns; i++) add_text(out, data->names[i]);
}

static bool is_volume(const struct ts_data *data) {
  return data->type->kind == TS_DATA_PIXELS && ts_region_is_volume(&data->region);
}

static void encode_header(const struct ts_data *data, const char *path, const struct ts_payload *payload,
                          struct ts_str *out) {
  size_t start = out->length;
  ts_str_add_bytes(out, is_volume(data) ? VOLUME_MAGIC : MAGIC, 4);
  ts_wire_add_u32(out, 0);
  ts_wire_add_u64(out, payload->size_bytes);
  add_text(out, data->type->name);
  switch (data->type->kind) {
  case TS_DATA_PIXELS: add_pixels(out, &data->region, payload->coding); break;
  case TS_DATA_TABLE: add_table(out, data); break;
  case TS_DATA_BYTES: break;
  case TS_DATA_FILE:
    ts_str_add_bytes(out, data->digest.bytes, sizeof data->digest.bytes);
    add_text(out, path);
    break;
  }
  size_t size = out->length - start;
  for (size_t i = 0; i < 4; i++) out->data[start + 4 + i] = (char)(unsigned char)(size >> (8 * i));
}

void ts_data_encode(const struct ts_data *data, struct ts_str *out) {
  ts_auto(ts_payload_release) struct ts_payload payload;
  ts_data_payload(data, &payload);
  encode_header(data, data->path, &payload, out);
  if (payload.size_bytes > 0) ts_str_add_bytes(out, payload.bytes, payload.size_bytes);
}

/* A file counts as its bytes: the same bytes under another name are the same data. */
struct ts_xxh128 ts_data_run_digest(const struct ts_data *data) {
  ts_auto(ts_str_release) struct ts_str header = {0};
  ts_auto(ts_payload_release) struct ts_payload payload;
  ts_data_payload(data, &payload);
  encode_header(data, "", &payload, &header);
  XXH3_state_t *state = XXH3_createState();
  if (!state) TS_BUG("out of memory");
  XXH3_128bits_reset(state);
  XXH3_128bits_update(state, header.data, header.length);
  if (payload.size_bytes > 0) XXH3_128bits_update(state, payload.bytes, payload.size_bytes);
  XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return (struct ts_xxh128){.low = hash.low64, .high = hash.high64};
}

void ts_data_digest(const struct ts_data *data, struct ts_sha256 *digest) {
  if (data->type->kind == TS_DATA_FILE) {
    *digest = data->digest;
    return;
  }
  ts_auto(ts_str_release) struct ts_str header = {0};
  struct ts_payload payload;
  ts_data_payload(data, &payload);
  encode_header(data, data->path, &payload, &header);
  struct ts_sha256_stream *stream = ts_sha256_stream_create();
  ts_sha256_stream_add(stream, header.data, header.length);
  if (payload.coding == TS_CODING_BITS)
    ts_mask_changes_digest(payload.bytes, payload.size_bytes, stream);
  else if (payload.size_bytes > 0)
    ts_sha256_stream_add(stream, payload.bytes, payload.size_bytes);
  ts_sha256_stream_finish(stream, digest);
  ts_payload_return(data, &payload);
}

struct extent {
  size_t header_bytes;
  size_t payload_bytes;
  bool is_volume; /* the bytes begin with VOLUME_MAGIC */
};

static char *read_text(struct ts_wire *wire) {
  size_t length = ts_wire_u32(wire);
  if (length > TEXT_MAX_BYTES) wire->failed = true;
  const unsigned char *bytes = ts_wire_bytes(wire, length);
  if (bytes && memchr(bytes, 0, length)) wire->failed = true;
  return wire->failed ? NULL : ts_strndup((const char *)bytes, length);
}

static struct ts_data *damaged(struct ts_error *err, const char *what) {
  ts_fail(err, TS_ERR_BAD_PRODUCT, "stored data is damaged: %s", what);
  ts_error_help(err, "remove the stored product; it will be computed again");
  return NULL;
}

static bool read_coding(struct ts_wire *wire, const struct ts_type *type, enum ts_coding *coding) {
  uint64_t number = ts_wire_u32(wire);
  *coding = number == 0 ? TS_CODING_BYTES : TS_CODING_BITS;
  return number == 0 || (number == 1 && strcmp(type->name, "mask") == 0);
}

static struct ts_data *read_pixels(struct ts_wire *wire, const struct ts_type *type, const struct extent *extent,
                                   enum ts_coding *coding, struct ts_error *err) {
  struct ts_region region = {0};
  int64_t *const wide[] = {&region.x, &region.y, &region.width, &region.height};
  int32_t *const narrow[] = {&region.level, &region.z, &region.t, &region.depth, &region.frames};
  for (size_t i = 0; i < 4; i++) *wide[i] = ts_wire_i64(wire);
  for (size_t i = 0; i < (extent->is_volume ? 5 : 3); i++) *narrow[i] = (int32_t)ts_wire_u32(wire);
  if (extent->is_volume && (region.depth < 1 || region.frames < 1 || !ts_region_is_volume(&region)))
    return damaged(err, "it is not a volume");
  if (!read_coding(wire, type, coding)) return damaged(err, "its coding is unknown");
  size_t size_bytes = 0;
  bool fits = !wire->failed && ts_pixels_size(type, &region, &size_bytes);
  if (fits && *coding == TS_CODING_BITS) size_bytes = ts_mask_bits_size(size_bytes);
  if (!fits || size_bytes != extent->payload_bytes) return damaged(err, "the sizes of the image do not fit");
  return ts_data_create_pixels(type, &region, err);
}

static struct ts_data *read_table(struct ts_wire *wire, size_t payload_bytes, struct ts_error *err) {
  uint64_t rows = ts_wire_u64(wire);
  uint64_t columns = ts_wire_u64(wire);
  size_t size_bytes = 0;
  if (wire->failed || columns > wire->left / 4 || !ts_table_size(rows, columns, &size_bytes) ||
      size_bytes != payload_bytes) {
    return damaged(err, "the sizes of the table do not fit");
  }
  char **names = ts_calloc(columns + 1, sizeof *names);
  for (size_t i = 0; i < columns; i++) names[i] = read_text(wire);
  struct ts_data *data = wire->failed ? damaged(err, "a column name is cut")
                                      : ts_data_create_table(rows, columns, (const char *const *)names, err);
  for (size_t i = 0; i < columns; i++) free(names[i]);
  free(names);
  return data;
}

static struct ts_data *read_file(struct ts_wire *wire, size_t payload_bytes, struct ts_error *err) {
  struct ts_sha256 digest;
  ts_wire_raw(wire, digest.bytes, sizeof digest.bytes);
  ts_auto_free char *path = read_text(wire);
  if (!path || payload_bytes != 0) return damaged(err, "the file name is cut");
  return ts_data_create_file(path, &digest);
}

static struct ts_data *read_kind(struct ts_wire *wire, const struct ts_type *type, const struct extent *extent,
                                 enum ts_coding *coding, struct ts_error *err) {
  size_t payload_bytes = extent->payload_bytes;
  *coding = TS_CODING_BYTES;
  if (extent->is_volume && type->kind != TS_DATA_PIXELS) return damaged(err, "it is not a volume");
  switch (type->kind) {
  case TS_DATA_PIXELS: return read_pixels(wire, type, extent, coding, err);
  case TS_DATA_TABLE: return read_table(wire, payload_bytes, err);
  case TS_DATA_BYTES: return ts_data_create_bytes(type, payload_bytes, err);
  case TS_DATA_FILE: return read_file(wire, payload_bytes, err);
  }
  return damaged(err, "unknown kind");
}

/* Sizes in the fixed part; the payload may have at most the given size. */
static bool read_extent(const void *bytes, size_t size, uint64_t payload_max_bytes, struct extent *extent,
                        struct ts_error *err) {
  struct ts_wire wire = ts_wire_of(bytes, size);
  const unsigned char *magic = ts_wire_bytes(&wire, 4);
  uint64_t header_bytes = ts_wire_u32(&wire);
  uint64_t payload_bytes = ts_wire_u64(&wire);
  extent->is_volume = !wire.failed && memcmp(magic, VOLUME_MAGIC, 4) == 0;
  if (wire.failed || (!extent->is_volume && memcmp(magic, MAGIC, 4) != 0)) {
    damaged(err, "it does not begin with " MAGIC " or " VOLUME_MAGIC);
    return false;
  }
  if (header_bytes < FIXED_BYTES || header_bytes > size || payload_bytes > payload_max_bytes) {
    damaged(err, "it is cut");
    return false;
  }
  extent->header_bytes = (size_t)header_bytes;
  extent->payload_bytes = (size_t)payload_bytes;
  return true;
}

/* New data with the header's shape and an unfilled payload. */
static struct ts_data *read_header(const void *bytes, const struct extent *extent, enum ts_coding *coding,
                                   struct ts_error *err) {
  struct ts_wire wire = ts_wire_of((const unsigned char *)bytes + FIXED_BYTES, extent->header_bytes - FIXED_BYTES);
  ts_auto_free char *name = read_text(&wire);
  const struct ts_type *type = name ? ts_type_find(name) : NULL;
  if (!type) return damaged(err, "its type is unknown");
  struct ts_data *data = read_kind(&wire, type, extent, coding, err);
  if (!data || wire.left == 0) return data;
  ts_data_unref(data);
  return damaged(err, "its header is too long");
}

/* Whether a payload is the one that ts_data_payload would have chosen: equal data have one encoded form only. */
static bool is_canonical(const struct ts_data *data, enum ts_coding coding, const uint8_t *coded, size_t size_bytes) {
  size_t pixels = ts_data_size_bytes(data);
  if (coding == TS_CODING_BITS) return pixels % 8 == 0 || coded[size_bytes - 1] >> pixels % 8 == 0;
  ts_auto(ts_payload_release) struct ts_payload payload;
  ts_data_payload(data, &payload);
  return payload.coding == TS_CODING_BYTES;
}

/* Turns the coded payload into what lies in memory (`coded` may lie there already). */
static bool fill(struct ts_data *data, enum ts_coding coding, const uint8_t *coded, size_t size_bytes) {
  if (size_bytes == 0) return true;
  uint8_t *target = ts_data_writable(data);
  if (coding == TS_CODING_BITS)
    ts_mask_unpack_bits(coded, ts_data_size_bytes(data), target);
  else if (coded != target)
    memcpy(target, coded, size_bytes);
  return is_canonical(data, coding, coded, size_bytes);
}

struct ts_data *ts_data_decode(const void *bytes, size_t size, struct ts_error *err) {
  struct extent extent = {0};
  enum ts_coding coding;
  if (!read_extent(bytes, size, size, &extent, err)) return NULL;
  if (extent.payload_bytes != size - extent.header_bytes) return damaged(err, "it has another length than it says");
  struct ts_data *data = read_header(bytes, &extent, &coding, err);
  const unsigned char *payload = (const unsigned char *)bytes + extent.header_bytes;
  if (!data || fill(data, coding, payload, extent.payload_bytes)) return data;
  ts_data_unref(data);
  return damaged(err, "its mask is not coded as it should be");
}

/* A zstd block takes at least 4 bytes and holds at most 128 KiB: a header that claims more is damaged, and no memory is
 * asked for on its word. */
static uint64_t most_payload_bytes(size_t packed_bytes) {
  return (uint64_t)packed_bytes / 4 * ZSTD_BLOCKSIZE_MAX + ZSTD_BLOCKSIZE_MAX;
}

/* Piece by piece: the worst case is larger than the data, and nearly always far more than is needed. */
static size_t compress(ZSTD_CCtx *context, int level, const struct ts_payload *payload, struct ts_str *out) {
  char piece[PIECE_BYTES];
  ZSTD_CCtx_reset(context, ZSTD_reset_session_only);
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setPledgedSrcSize(context, payload->size_bytes);
  ZSTD_inBuffer from = {.src = payload->bytes, .size = payload->size_bytes};
  size_t left;
  do {
    ZSTD_outBuffer to = {.dst = piece, .size = sizeof piece};
    left = ZSTD_compressStream2(context, &to, &from, ZSTD_e_end);
    ts_str_add_bytes(out, piece, to.pos);
  } while (left > 0 && !ZSTD_isError(left));
  return left;
}

/* Masks of noise take less room when compressed; of hardly any runs, more than a reader would believe. */
static bool pack_runs(const struct ts_payload *payload, struct ts_str *out) {
  size_t before = out->length;
  if (payload->coding != TS_CODING_BITS ||
      !ts_mask_runs_pack(payload->bytes, payload->size_bytes, payload->size_bytes / 2, out))
    return false;
  if (payload->size_bytes <= most_payload_bytes(out->length - before)) return true;
  out->length = before;
  return false;
}

static int level_of(const struct ts_type *type) {
  return type->kind == TS_DATA_PIXELS && type->channels >= 3 && type->element == TS_U8 ? COLOUR_LEVEL : PACK_LEVEL;
}

bool ts_data_pack(const struct ts_data *data, struct ts_str *out, struct ts_error *err) {
  ts_auto(ts_payload_release) struct ts_payload payload;
  ts_data_payload(data, &payload);
  encode_header(data, data->path, &payload, out);
  if (pack_runs(&payload, out)) return true;
  struct ts_pack_context *context = ts_pack_context_get();
  if (!context) return ts_fail(err, TS_ERR_NO_MEMORY, "no memory to compress %zu bytes", payload.size_bytes);
  size_t result = compress(context->pack, level_of(data->type), &payload, out);
  if (!ZSTD_isError(result)) return true;
  return ts_fail(err, TS_ERR_NO_MEMORY, "could not compress %zu bytes: %s", payload.size_bytes,
                 ZSTD_getErrorName(result));
}

static bool decompress(const unsigned char *frame, size_t frame_bytes, void *target, size_t payload_bytes) {
  struct ts_pack_context *context = ts_pack_context_get();
  if (!context || ZSTD_getFrameContentSize(frame, frame_bytes) != payload_bytes) return false;
  return ZSTD_decompressDCtx(context->unpack, target, payload_bytes, frame, frame_bytes) == payload_bytes;
}

/* Unpacks the payload into data that read_header made. */
static bool unpack_payload(struct ts_data *data, enum ts_coding coding, const unsigned char *frame, size_t frame_bytes,
                           size_t payload_bytes) {
  ts_auto_free uint8_t *bits = coding == TS_CODING_BITS ? ts_malloc(payload_bytes + 1) : NULL;
  void *target = bits ? bits : payload_bytes > 0 ? ts_data_writable(data) : NULL;
  if (bits && ts_mask_runs_is(frame, frame_bytes)) {
    if (!ts_mask_runs_unpack(frame, frame_bytes, bits, payload_bytes)) return false;
  } else if (!decompress(frame, frame_bytes, target, payload_bytes)) {
    return false;
  }
  return fill(data, coding, target, payload_bytes);
}

struct ts_data *ts_data_unpack(const void *bytes, size_t size, struct ts_error *err) {
  struct extent extent = {0};
  enum ts_coding coding;
  if (!read_extent(bytes, size, most_payload_bytes(size), &extent, err)) return NULL;
  const unsigned char *frame = (const unsigned char *)bytes + extent.header_bytes;
  size_t frame_bytes = size - extent.header_bytes;
  struct ts_data *data = read_header(bytes, &extent, &coding, err);
  if (!data || unpack_payload(data, coding, frame, frame_bytes, extent.payload_bytes)) return data;
  ts_data_unref(data);
  return damaged(err, "its compressed part cannot be read");
}
