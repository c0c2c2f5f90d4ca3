/* Where the expected results of other programs are: tests/vectors, or ../shared/vectors.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_SUPPORT_VECTORS_H
#define TS_TESTS_SUPPORT_VECTORS_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The folder that has vectors/NAME; NULL if neither has. Valid until the next call. */
static inline const char *vectors_parent(const char *name) {
  static char parent[400];
  char path[500];
  const char *source = getenv("TESSERA_SOURCE_DIR"), *shared = getenv("TESSERA_SHARED");
  for (int i = 0; i < 2; i++) {
    if (i == 1 && !shared) return NULL;
    snprintf(parent, sizeof parent, "%s%s", i == 1 ? shared : source ? source : ".", i == 1 ? "" : "/tests");
    snprintf(path, sizeof path, "%s/vectors/%s", parent, name);
    if (access(path, R_OK) == 0) return parent;
  }
  return NULL;
}

#endif
