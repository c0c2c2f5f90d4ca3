/* Philox 4x32-10 and the draws made from it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

#include "base/error.h"

#include <sys/random.h>

#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define WEYL_0       0x9E3779B9u
#define WEYL_1       0xBB67AE85u
#define ROUNDS       10

void ts_philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t product_0 = (uint64_t)MULTIPLIER_0 * c0;
    uint64_t product_1 = (uint64_t)MULTIPLIER_1 * c2;
    uint32_t next_0 = (uint32_t)(product_1 >> 32) ^ c1 ^ k0;
    uint32_t next_2 = (uint32_t)(product_0 >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)product_1;
    c3 = (uint32_t)product_0;
    c0 = next_0;
    c2 = next_2;
    k0 += WEYL_0;
    k1 += WEYL_1;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

void ts_random_init(struct ts_random *random, uint64_t seed, uint64_t stream) {
  *random = (struct ts_random){.seed = seed, .stream = stream};
}

/* The seed is the key; the counter is (position / 2, stream); each block holds two draws. */
uint64_t ts_random_u64(struct ts_random *random) {
  uint64_t block = random->position / 2;
  uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)random->stream,
                         (uint32_t)(random->stream >> 32)};
  uint32_t key[2] = {(uint32_t)random->seed, (uint32_t)(random->seed >> 32)};
  uint32_t out[4];
  ts_philox4x32(counter, key, out);
  const uint32_t *half = out + 2 * (random->position % 2);
  random->position++;
  return (uint64_t)half[1] << 32 | half[0];
}

double ts_random_unit(struct ts_random *random) { return (double)(ts_random_u64(random) >> 11) * 0x1p-53; }

uint64_t ts_random_below(struct ts_random *random, uint64_t bound) {
  if (bound == 0) TS_BUG("a random number below 0");
  /* The lowest 2^64 mod bound draws are refused: the rest is a whole multiple of the bound. */
  uint64_t refused = (UINT64_MAX - bound + 1) % bound;
  uint64_t draw;
  do {
    draw = ts_random_u64(random);
  } while (draw < refused);
  return draw % bound;
}

void ts_random_shuffle(struct ts_random *random, size_t *items, size_t count) {
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)ts_random_below(random, i);
    size_t kept = items[i - 1];
    items[i - 1] = items[j];
    items[j] = kept;
  }
}

uint64_t ts_random_name(void) {
  uint64_t name = 0;
  /* Blocks only while a machine starts; interrupted by signals only for more bytes than these. */
  while (name == 0)
    if (getrandom(&name, sizeof name, 0) != (ssize_t)sizeof name) TS_BUG("the system gives no random numbers");
  return name;
}
