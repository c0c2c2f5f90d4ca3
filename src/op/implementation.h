/* The implementation digests of the built-in operations: a table that the build computes from their source files.
 * SPDX-License-Identifier: Apache-2.0
 *
 * tools/implementation-digest writes the table from the IMPLEMENTATION file of each operation library. A digest covers
 * the source files that the operation uses, their headers, and the versions of the libraries that produce pixels. The
 * operation's version number is part of its descriptor and joins the digest at run time. */
#ifndef TS_OP_IMPLEMENTATION_H
#define TS_OP_IMPLEMENTATION_H

#include <stddef.h>
#include <stdint.h>

struct ts_implementation {
  const char *operation; /* borrowed from the program's constants; NULL only in the entry after the last */
  uint8_t digest[32];    /* SHA-256 */
};

/* Sorted by the bytes of the operation's name, so that a binary search finds it. */
extern const struct ts_implementation ts_implementations[];
extern const size_t ts_implementation_count;

#endif
