/* Counter-based random numbers (Philox 4x32-10): the same on every machine, for every order of drawing.
 * SPDX-License-Identifier: Apache-2.0
 *
 * J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011, doi:10.1145/2063384.2063405.
 * A stream is named by (seed, stream); draw i of a stream can be had without drawing the ones before it. */
#ifndef TS_BASE_RANDOM_H
#define TS_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

void ts_philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

struct ts_random {
  uint64_t seed;
  uint64_t stream;
  uint64_t position; /* draws of 64 bits made so far */
};

void ts_random_init(struct ts_random *random, uint64_t seed, uint64_t stream);
uint64_t ts_random_u64(struct ts_random *random);
double ts_random_unit(struct ts_random *random);                    /* [0, 1), 53 bits */
uint64_t ts_random_below(struct ts_random *random, uint64_t bound); /* unbiased, [0, bound); bound > 0 */
void ts_random_shuffle(struct ts_random *random, size_t *items, size_t count);

/* A number that no other process on any machine draws, from the system; never 0. For names, not for designs. */
uint64_t ts_random_name(void);

#endif
