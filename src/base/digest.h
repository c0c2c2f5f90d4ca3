/* Content digests: XXH3-128 within a run, SHA-256 for everything that outlives it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_DIGEST_H
#define TS_BASE_DIGEST_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_sha256 {
  uint8_t bytes[32];
};

struct ts_xxh128 {
  uint64_t low;
  uint64_t high;
};

void ts_sha256_of(const void *data, size_t size, struct ts_sha256 *digest);
/* A beginning that many messages share, hashed once: start with it, end with what follows as often as wanted. */
struct ts_sha256_state {
  uint64_t words[14]; /* opaque */
};
void ts_sha256_start(struct ts_sha256_state *state, const void *data, size_t size);
void ts_sha256_end(const struct ts_sha256_state *state, const void *data, size_t size, struct ts_sha256 *digest);
struct ts_xxh128 ts_xxh128_of(const void *data, size_t size, uint64_t seed);

/* Streaming SHA-256. */
struct ts_sha256_stream;
struct ts_sha256_stream *ts_sha256_stream_create(void);
void ts_sha256_stream_add(struct ts_sha256_stream *stream, const void *data, size_t size);
void ts_sha256_stream_finish(struct ts_sha256_stream *stream, struct ts_sha256 *digest); /* destroys the stream */

/* SHA-256 of a file's bytes, streamed. */
bool ts_sha256_of_file(const char *path, struct ts_sha256 *digest, struct ts_error *err);

#endif
