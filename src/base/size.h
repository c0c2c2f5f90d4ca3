/* Sizes as people write them: "800M", "2.5G", "4GiB".
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_SIZE_H
#define TS_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* A number, then nothing, B, or k, M, G or T (powers of 1000; of 1024 with iB). False, and *bytes is unchanged, for
 * anything else, for a negative number and from 1e18 on. */
bool ts_parse_bytes(const char *text, uint64_t *bytes);

#endif
