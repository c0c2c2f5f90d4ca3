/* The table of operations on pixels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/pixels/pixels.h"
#include "ops/pixels/pixels_int.h"

const struct ts_op_descriptor *const ts_pixels_operations[] = {&ts_pixels_op_gray, &ts_pixels_op_smooth,
                                                               &ts_pixels_op_threshold, &ts_pixels_op_select};
const size_t ts_pixels_operation_count = PIXELS_COUNT(ts_pixels_operations);
