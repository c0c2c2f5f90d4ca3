/* SHA-256 by libcrypto, XXH3-128 by libxxhash.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/digest.h"

#include "base/alloc.h"
#include "base/file_int.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#define CHUNK_BYTES ((size_t)256 * 1024)

struct ts_sha256_stream {
  EVP_MD_CTX *context; /* owned */
};

/* Fetched once: libcrypto otherwise looks the algorithm up, under a lock, for every digest. */
static EVP_MD *algorithm; /* owned, for the life of the process */
static pthread_once_t algorithm_once = PTHREAD_ONCE_INIT;

static void fetch_algorithm(void) {
  algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
  if (!algorithm) TS_BUG("libcrypto offers no SHA-256");
}

static EVP_MD_CTX *context_create(void) {
  pthread_once(&algorithm_once, fetch_algorithm);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (!context || EVP_DigestInit_ex(context, algorithm, NULL) != 1) TS_BUG("SHA-256 cannot be started");
  return context;
}

static void context_add(EVP_MD_CTX *context, const void *data, size_t size) {
  if (size && EVP_DigestUpdate(context, data, size) != 1) TS_BUG("SHA-256 failed");
}

static void context_finish(EVP_MD_CTX *context, struct ts_sha256 *digest) {
  unsigned size = 0;
  if (EVP_DigestFinal_ex(context, digest->bytes, &size) != 1 || size != 32) TS_BUG("SHA-256 failed");
  EVP_MD_CTX_free(context);
}

void ts_sha256_of(const void *data, size_t size, struct ts_sha256 *digest) {
  EVP_MD_CTX *context = context_create();
  context_add(context, data, size);
  context_finish(context, digest);
}

struct ts_xxh128 ts_xxh128_of(const void *data, size_t size, uint64_t seed) {
  XXH128_hash_t hash = XXH3_128bits_withSeed(data, size, seed);
  return (struct ts_xxh128){.low = hash.low64, .high = hash.high64};
}

struct ts_sha256_stream *ts_sha256_stream_create(void) {
  struct ts_sha256_stream *stream = ts_malloc(sizeof *stream);
  stream->context = context_create();
  return stream;
}

void ts_sha256_stream_add(struct ts_sha256_stream *stream, const void *data, size_t size) {
  context_add(stream->context, data, size);
}

void ts_sha256_stream_finish(struct ts_sha256_stream *stream, struct ts_sha256 *digest) {
  context_finish(stream->context, digest);
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
