/* Direction numbers of Sobol' sequences, from the packed table of Joe and Kuo (design/joe_kuo.inc, with their notice).
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table is a stream of bits, six to a character (A-Z a-z 0-9 + /, lowest bit first). For each dimension from the
 * second on: the degree s of its primitive polynomial (5 bits), the s-1 inner coefficients a (the one of the highest
 * power in the highest bit), then for j = 2..s the initial number m_j without its last bit, which is always 1 (j-1
 * bits). m_1 is 1 throughout. The first dimension has m_j = 1 for all j. */
#include "design/sequence_int.h"

#include "design/joe_kuo.inc"

#define LINE_CHARACTERS (sizeof packed[0] - 1)

static unsigned six_bits(char c) {
  if (c >= 'A' && c <= 'Z') return (unsigned)(c - 'A');
  if (c >= 'a' && c <= 'z') return (unsigned)(c - 'a') + 26;
  if (c >= '0' && c <= '9') return (unsigned)(c - '0') + 52;
  return c == '+' ? 62 : 63;
}

/* Takes the next `count` bits (at most 17) of the stream. */
static unsigned take(size_t *position, unsigned count) {
  unsigned value = 0, have = 0;
  while (have < count) {
    size_t character = *position / 6;
    unsigned offset = (unsigned)(*position % 6);
    unsigned bits = 6 - offset < count - have ? 6 - offset : count - have;
    unsigned six = six_bits(packed[character / LINE_CHARACTERS][character % LINE_CHARACTERS]);
    value |= ((six >> offset) & ((1u << bits) - 1)) << have;
    have += bits;
    *position += bits;
  }
  return value;
}

/* The j binary digits of m / 2^j, the first in the lowest bit. */
static uint64_t digits_of(unsigned m, unsigned j) {
  uint64_t digits = 0;
  for (unsigned digit = 0; digit < j; digit++) digits |= (uint64_t)(m >> (j - 1 - digit) & 1) << digit;
  return digits;
}

/* The recurrence v_j = a_1 v_{j-1} + ... + a_{s-1} v_{j-s+1} + v_{j-s} + v_{j-s} / 2^s (sums without carry). */
static void extend(uint64_t *numbers, size_t stride, size_t bits, unsigned degree, unsigned coefficients) {
  for (size_t j = degree; j < bits; j++) {
    uint64_t oldest = numbers[(j - degree) * stride];
    uint64_t number = oldest ^ oldest << degree;
    for (unsigned k = 1; k < degree; k++) {
      if (coefficients >> (degree - 1 - k) & 1) number ^= numbers[(j - k) * stride];
    }
    numbers[j * stride] = number;
  }
}

void ts_joe_kuo_directions(size_t dimensions, size_t bits, uint64_t *directions) {
  if (dimensions > TS_JOE_KUO_DIMENSIONS) TS_BUG("no direction numbers for %zu dimensions", dimensions);
  size_t position = 0;
  for (size_t bit = 0; dimensions > 0 && bit < bits; bit++) directions[bit * dimensions] = UINT64_C(1) << bit;
  for (size_t dimension = 1; dimension < dimensions; dimension++) {
    unsigned degree = take(&position, 5), coefficients = take(&position, degree - 1);
    for (unsigned j = 1; j <= degree; j++) {
      unsigned m = take(&position, j - 1) << 1 | 1;
      if (j <= bits) directions[(j - 1) * dimensions + dimension] = digits_of(m, j);
    }
    extend(directions + dimension, dimensions, bits, degree, coefficients);
  }
}
