/* Masks as changes between neighbours: the short form that the digest of a mask is taken of.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bits of a mask (mask_bits.c) are one line. A word of changes has a bit for each of 64 pixels, the first lowest:
 * set where the pixel differs from the one before it (the first of all from 0). Objects and background are mostly words
 * of 0, which are left out: for every 64 words comes first a word with a bit for each of them that is not 0, then
 * these. All little endian; pixels beyond the end are 0. No branch depends on the pixels, so noise takes no longer than
 * order, and SHA-256 over what is left takes a fraction of the time that it takes over the bits. */
#include "data/data_int.h"

#include <string.h>

#define WORDS_AT_ONCE 64
#define PIECE_WORDS   ((size_t)8 * (WORDS_AT_ONCE + 1)) /* on the stack */

/* Eight bytes as a word whose lowest bit is the first pixel; beyond the end are zeros. */
static uint64_t load_word(const uint8_t *bits, size_t size, size_t at) {
  uint64_t word = 0;
  memcpy(&word, bits + at, size - at < sizeof word ? size - at : sizeof word);
  return word;
}

/* The changes of at most 64 words from `at` on; returns how many words they take in `to`. */
static size_t write_changes(const uint8_t *bits, size_t size, size_t at, uint64_t *before, uint64_t *to) {
  uint64_t flags = 0;
  size_t count = 1;
  for (unsigned i = 0; i < WORDS_AT_ONCE && at < size; i++, at += sizeof(uint64_t)) {
    uint64_t word = load_word(bits, size, at);
    uint64_t changes = word ^ (word << 1 | *before);
    *before = word >> 63;
    to[count] = changes;
    count += changes != 0;
    flags |= (uint64_t)(changes != 0) << i;
  }
  to[0] = flags;
  return count;
}

void ts_mask_changes_digest(const uint8_t *bits, size_t size, struct ts_sha256_stream *stream) {
  uint64_t piece[PIECE_WORDS];
  uint64_t before = 0; /* the pixel before the word */
  size_t filled = 0;
  for (size_t at = 0; at < size; at += WORDS_AT_ONCE * sizeof(uint64_t)) {
    filled += write_changes(bits, size, at, &before, piece + filled);
    if (PIECE_WORDS - filled > WORDS_AT_ONCE) continue;
    ts_sha256_stream_add(stream, piece, filled * sizeof *piece);
    filled = 0;
  }
  if (filled > 0) ts_sha256_stream_add(stream, piece, filled * sizeof *piece);
}
