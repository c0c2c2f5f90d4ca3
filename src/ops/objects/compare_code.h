/* The letters of overlapping objects in a chain; compare_tile.c has the format.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OPS_OBJECTS_COMPARE_CODE_H
#define TS_OPS_OBJECTS_COMPARE_CODE_H

#include "ops/objects/chain.h"

#define TS_COMPARE_LETTERS                                                                                             \
  { 'O', 'B', 'C', '1' }

#endif
