/* The operations on pixels that any workflow may use: grey values, mean, threshold, components by size.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OPS_PIXELS_PIXELS_H
#define TS_OPS_PIXELS_PIXELS_H

#include "tessera_op.h"

#include <stddef.h>

extern const struct ts_op_descriptor *const ts_pixels_operations[];
extern const size_t ts_pixels_operation_count;

#endif
