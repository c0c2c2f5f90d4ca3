/* Masks as lengths of runs: how the bits of a mask are packed for the store, five times as fast as a compressor.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bits are taken as one line that begins with a run of 0. A run is its length in groups of seven bits, the lowest
 * first, all but the last with the highest bit set; the run that reaches the end of the line is left out. Before them
 * stand the letters "RUN1", which no zstd frame begins with, and the XXH64 of the runs (little endian). */
#include "data/data_int.h"

#include <string.h>
#include <xxhash.h>

#define HEAD_BYTES  12 /* magic and checksum */
#define PIECE_BYTES 4096
#define RUN_BYTES   10 /* of the longest run */

static const uint8_t magic[4] = {'R', 'U', 'N', '1'};

/* Eight bytes as a word whose lowest bit is the first pixel; beyond the end are zeros. */
static uint64_t load_word(const uint8_t *bits, size_t size, size_t at) {
  uint64_t word = 0;
  memcpy(&word, bits + at, size - at < sizeof word ? size - at : sizeof word);
  return word;
}

static size_t write_run(uint8_t *to, uint64_t length) {
  size_t count = 0;
  for (; length > 127; length >>= 7) to[count++] = (uint8_t)(length | 128);
  to[count++] = (uint8_t)length;
  return count;
}

static void write_checksum(struct ts_str *out, size_t start) {
  char *head = out->data + start;
  uint64_t checksum = XXH64(head + HEAD_BYTES, out->length - start - HEAD_BYTES, 0);
  memcpy(head, magic, sizeof magic);
  memcpy(head + 4, &checksum, sizeof checksum);
}

bool ts_mask_runs_pack(const uint8_t *bits, size_t size, size_t most_bytes, struct ts_str *out) {
  const size_t start = out->length;
  uint8_t piece[PIECE_BYTES];
  size_t filled = HEAD_BYTES;
  uint64_t last = 0, before = 0; /* where the current run began; the pixel before the word */
  memset(piece, 0, HEAD_BYTES);
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = load_word(bits, size, at);
    uint64_t changes = word ^ (word << 1 | before);
    before = word >> 63;
    if (size - at < 8) changes &= (UINT64_C(1) << 8 * (size - at)) - 1; /* beyond the end nothing changes */
    if (sizeof piece - filled < (size_t)64 * RUN_BYTES) {
      ts_str_add_bytes(out, piece, filled);
      filled = 0;
      if (out->length - start > most_bytes) break;
    }
    for (; changes != 0; changes &= changes - 1) {
      uint64_t here = (uint64_t)at * 8 + (uint64_t)__builtin_ctzll(changes);
      filled += write_run(piece + filled, here - last);
      last = here;
    }
  }
  ts_str_add_bytes(out, piece, filled);
  if (out->length - start <= most_bytes) {
    write_checksum(out, start);
    return true;
  }
  out->length = start;
  return false;
}

bool ts_mask_runs_is(const uint8_t *packed, size_t packed_bytes) {
  return packed_bytes >= HEAD_BYTES && memcmp(packed, magic, sizeof magic) == 0;
}

/* Sets a bit where a run begins. */
static bool mark_changes(const uint8_t *runs, const uint8_t *end, uint8_t *bits, size_t size) {
  const uint64_t pixels = (uint64_t)size * 8;
  uint64_t at = 0;
  while (runs < end) {
    uint64_t length = 0;
    unsigned shift = 0;
    do {
      length |= (uint64_t)(*runs & 127) << shift;
      shift += 7;
    } while (*runs++ & 128 && runs < end && shift < 63);
    if (length >= pixels - at) return false;
    at += length;
    bits[at / 8] ^= (uint8_t)(1U << at % 8);
  }
  return true;
}

bool ts_mask_runs_unpack(const uint8_t *packed, size_t packed_bytes, uint8_t *bits, size_t size) {
  const uint8_t *runs = packed + HEAD_BYTES;
  uint64_t checksum;
  memcpy(&checksum, packed + 4, sizeof checksum);
  if (checksum != XXH64(runs, packed_bytes - HEAD_BYTES, 0)) return false;
  memset(bits, 0, size);
  if (!mark_changes(runs, packed + packed_bytes, bits, size)) return false;
  uint64_t inside = 0; /* all ones while the current run is of 1 */
  for (size_t at = 0; at < size; at += 8) {
    uint64_t word = load_word(bits, size, at);
    for (unsigned shift = 1; shift < 64; shift *= 2) word ^= word << shift; /* each bit: all changes up to it */
    word ^= inside;
    inside = (uint64_t)0 - (word >> 63);
    memcpy(bits + at, &word, size - at < sizeof word ? size - at : sizeof word);
  }
  return true;
}
