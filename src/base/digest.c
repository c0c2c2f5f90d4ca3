/* SHA-256 by libcrypto, XXH3-128 by libxxhash.
 * SPDX-License-Identifier: Apache-2.0 */
/* The plain functions of libcrypto are deprecated in favour of EVP, whose contexts cost more to make than a small
 * digest takes and cannot be copied without allocating. They use the same code for the processor at hand. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/digest.h"

#include "base/alloc.h"
#include "base/file_int.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#define CHUNK_BYTES ((size_t)256 * 1024)

struct ts_sha256_stream {
  SHA256_CTX context;
};

_Static_assert(sizeof(SHA256_CTX) <= sizeof(struct ts_sha256_state), "a state holds libcrypto's context");

static void context_start(SHA256_CTX *context) {
  if (SHA256_Init(context) != 1) TS_BUG("SHA-256 cannot be started");
}

static void context_add(SHA256_CTX *context, const void *data, size_t size) {
  if (size && SHA256_Update(context, data, size) != 1) TS_BUG("SHA-256 failed");
}

static void context_finish(SHA256_CTX *context, struct ts_sha256 *digest) {
  if (SHA256_Final(digest->bytes, context) != 1) TS_BUG("SHA-256 failed");
}

void ts_sha256_of(const void *data, size_t size, struct ts_sha256 *digest) {
  SHA256_CTX context;
  context_start(&context);
  context_add(&context, data, size);
  context_finish(&context, digest);
}

void ts_sha256_start(struct ts_sha256_state *state, const void *data, size_t size) {
  SHA256_CTX context;
  context_start(&context);
  context_add(&context, data, size);
  memcpy(state, &context, sizeof context);
}

void ts_sha256_end(const struct ts_sha256_state *state, const void *data, size_t size, struct ts_sha256 *digest) {
  SHA256_CTX context;
  memcpy(&context, state, sizeof context);
  context_add(&context, data, size);
  context_finish(&context, digest);
}

struct ts_xxh128 ts_xxh128_of(const void *data, size_t size, uint64_t seed) {
  XXH128_hash_t hash = XXH3_128bits_withSeed(data, size, seed);
  return (struct ts_xxh128){.low = hash.low64, .high = hash.high64};
}

struct ts_sha256_stream *ts_sha256_stream_create(void) {
  struct ts_sha256_stream *stream = ts_malloc(sizeof *stream);
  context_start(&stream->context);
  return stream;
}

void ts_sha256_stream_add(struct ts_sha256_stream *stream, const void *data, size_t size) {
  context_add(&stream->context, data, size);
}

void ts_sha256_stream_finish(struct ts_sha256_stream *stream, struct ts_sha256 *digest) {
  context_finish(&stream->context, digest);
  free(stream);
}

bool ts_sha256_of_file(const char *path, struct ts_sha256 *digest, struct ts_error *err) {
  int fd = ts_fd_open_read(path, err);
  if (fd < 0) return false;
  ts_auto_free char *chunk = ts_malloc(CHUNK_BYTES);
  struct ts_sha256_stream *stream = ts_sha256_stream_create();
  size_t got;
  bool ok;
  while ((ok = ts_fd_read(fd, path, chunk, CHUNK_BYTES, &got, err)) && got > 0)
    ts_sha256_stream_add(stream, chunk, got);
  close(fd);
  struct ts_sha256 result;
  ts_sha256_stream_finish(stream, &result);
  if (ok) *digest = result;
  return ok;
}
