/* The table of source operations.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/source/source.h"

const struct ts_op_descriptor *const ts_source_operations[] = {&ts_bytes_read_operation, &ts_image_read_operation,
                                                               &ts_image_sample_operation, &ts_polygons_read_operation,
                                                               &ts_table_read_operation};
const size_t ts_source_operation_count = sizeof ts_source_operations / sizeof ts_source_operations[0];
