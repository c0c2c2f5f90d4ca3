/* The table of operations on the objects of tiles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/objects/objects.h"
#include "ops/objects/objects_int.h"

const struct ts_op_descriptor *const ts_objects_operations[] = {&ts_objects_op_measure_tile, &ts_objects_op_measure,
                                                                &ts_objects_op_compare_tile, &ts_objects_op_compare};
const size_t ts_objects_operation_count = OBJECTS_COUNT(ts_objects_operations);
