/* Scrambling of binary digits: Owen's nested uniform scrambling and the digital shift.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nested scrambling flips a digit or not depending on all digits before it, at random for each prefix; the points stay
 * a net, and every point is uniform on its own. A. B. Owen, "Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995,
 * doi:10.1007/978-1-4612-2552-2_19.
 * Here the flips of the first eight digits are drawn one by one (255 nodes of a binary tree). Each of the 256 prefixes
 * has a random key of its own; mixed well it gives the 63 flips of the next six digits, and mixed with these six digits
 * the key for all that follow. Those pass through a hash of additions, odd multiplications and x ^= x * even, in which
 * a bit depends on the lower bits alone: as the first digit is the lowest bit, that is nested scrambling by
 * construction (S. Laine and T. Karras 2011, doi:10.1111/j.1467-8659.2011.02061.x; B. Burley 2020, JCGT 9(4)).
 * Nothing depends on how many points there will be, so more points keep the earlier ones. */
#include "design/sequence_int.h"

#include "base/alloc.h"
#include "base/random.h"

#define SCRAMBLE_STREAM (UINT64_C(0x4f77656e) << 32)
#define PREFIX_DIGITS   8
#define PREFIXES        ((size_t)1 << PREFIX_DIGITS)
/* Their flips, 2^6 - 1, fill a word. */
#define MIDDLE_DIGITS 6
#define MIDDLE_MASK   ((UINT64_C(1) << MIDDLE_DIGITS) - 1)

/* The tree node that flips digit number `digit` of x: 1 for the first, then 2 and 3, then 4 to 7. */
static inline size_t node_of(uint64_t x, size_t digit) {
  size_t first = (size_t)1 << digit;
  return first | (x & (first - 1));
}

/* Entry of a prefix: its eight digits after scrambling (low byte), the key for the digits below it (the rest). */
static void draw_tree(uint64_t *entries, struct ts_random *random) {
  uint64_t flips[PREFIXES / 64];
  for (size_t i = 0; i < PREFIXES / 64; i++) flips[i] = ts_random_u64(random);
  for (size_t prefix = 0; prefix < PREFIXES; prefix++) {
    uint64_t out = 0;
    for (size_t digit = 0; digit < PREFIX_DIGITS; digit++) {
      size_t node = node_of(prefix, digit);
      out |= ((flips[node / 64] >> node % 64 & 1) ^ (prefix >> digit & 1)) << digit;
    }
    entries[prefix] = (ts_random_u64(random) & ~(uint64_t)(PREFIXES - 1)) | out;
  }
}

void ts_scrambler_init(struct ts_scrambler *scrambler, enum ts_scramble kind, size_t dimensions, uint64_t seed) {
  if (kind == TS_SCRAMBLE_DEFAULT) kind = TS_SCRAMBLE_OWEN;
  *scrambler = (struct ts_scrambler){.kind = kind, .dimensions = dimensions};
  if (kind == TS_SCRAMBLE_NONE) return;
  size_t size = kind == TS_SCRAMBLE_OWEN ? PREFIXES : 1;
  scrambler->table = ts_calloc(dimensions, size * sizeof *scrambler->table);
  for (size_t i = 0; i < dimensions; i++) {
    struct ts_random random;
    ts_random_init(&random, seed, SCRAMBLE_STREAM + i);
    if (kind == TS_SCRAMBLE_OWEN) {
      draw_tree(scrambler->table + i * PREFIXES, &random);
    } else {
      scrambler->table[i] = ts_random_u64(&random);
    }
  }
}

void ts_scrambler_release(struct ts_scrambler *scrambler) {
  free(scrambler->table);
  *scrambler = (struct ts_scrambler){0};
}

/* Digits, the first in the lowest bit, to a coordinate of 53 digits. */
static inline double to_unit(uint64_t digits) {
  uint64_t x = __builtin_bswap64(digits);
  x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
  x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
  x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
  return (double)(int64_t)(x >> 11) * 0x1p-53;
}

/* A bijection of 64 bits in which every bit depends on every bit (D. Stafford's constants). */
static inline uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static inline uint64_t rotate(uint64_t x, int places) { return x >> places | x << (64 - places); }

/* Every step is a bijection in which no bit depends on a higher one. Chosen among several of its length by how little
 * the flips of two and of four prefixes have in common. */
static inline uint64_t hash_upwards(uint64_t x, uint64_t key) {
  x += key;
  x ^= x * (rotate(key, 16) & ~UINT64_C(1));
  x += rotate(key, 48);
  x *= rotate(key, 32) | 1;
  return x ^ x * UINT64_C(0x6d9f3a2c5e81b4f6);
}

static inline uint64_t flip(uint64_t flips, uint64_t x, size_t digit) {
  return (flips >> node_of(x, digit) & 1) << digit;
}

static inline uint64_t owen(const uint64_t *entries, uint64_t digits) {
  uint64_t entry = entries[digits & (PREFIXES - 1)];
  uint64_t x = digits >> PREFIX_DIGITS, flips = mix(entry >> PREFIX_DIGITS);
  /* MIDDLE_DIGITS times, written out because this is where the time goes. */
  uint64_t out = flip(flips, x, 0) | flip(flips, x, 1) | flip(flips, x, 2) | flip(flips, x, 3) | flip(flips, x, 4) |
                 flip(flips, x, 5);
  uint64_t middle = x & MIDDLE_MASK, key = mix(flips + middle * UINT64_C(0x9e3779b97f4a7c15));
  out = (out ^ middle) | hash_upwards(x >> MIDDLE_DIGITS, key) << MIDDLE_DIGITS;
  return out << PREFIX_DIGITS | (entry & (PREFIXES - 1));
}

void ts_scrambler_row(const struct ts_scrambler *scrambler, const uint64_t *digits, double *unit) {
  const uint64_t *table = scrambler->table;
  size_t dimensions = scrambler->dimensions;
  switch (scrambler->kind) {
  case TS_SCRAMBLE_OWEN:
    for (size_t i = 0; i < dimensions; i++) unit[i] = to_unit(owen(table + i * PREFIXES, digits[i]));
    break;
  case TS_SCRAMBLE_SHIFT:
    for (size_t i = 0; i < dimensions; i++) unit[i] = to_unit(digits[i] ^ table[i]);
    break;
  default:
    for (size_t i = 0; i < dimensions; i++) unit[i] = to_unit(digits[i]);
    break;
  }
}
