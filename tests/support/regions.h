/* Compares regions member by member: there may be anything in the gaps between them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TEST_REGIONS_H
#define TS_TEST_REGIONS_H

#include "data/data.h"

static inline bool same_region(const struct ts_region *one, const struct ts_region *other) {
  const struct ts_region a = ts_region_normal(one), b = ts_region_normal(other);
  return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height && a.level == b.level && a.z == b.z &&
         a.t == b.t && a.depth == b.depth && a.frames == b.frames;
}

#endif
