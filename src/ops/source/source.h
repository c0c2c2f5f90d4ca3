/* The operations that bring files into a workflow: image.read, image.sample, polygons.read, table.read, bytes.read.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OPS_SOURCE_SOURCE_H
#define TS_OPS_SOURCE_SOURCE_H

#include "tessera_op.h"

#include <stddef.h>

/* Shared by the operations that read images. */
#define TS_SOURCE_COORDINATE_MAX 2147483647.0
#define TS_SOURCE_LEVEL_MAX      63.0
#define TS_SOURCE_IMAGE_TYPES    "image/rgb8|image/gray8|image/gray16|mask|labels"

extern const struct ts_op_descriptor *const ts_source_operations[];
extern const size_t ts_source_operation_count;

extern const struct ts_op_descriptor ts_image_read_operation;
extern const struct ts_op_descriptor ts_image_sample_operation;
extern const struct ts_op_descriptor ts_polygons_read_operation;
extern const struct ts_op_descriptor ts_table_read_operation;
extern const struct ts_op_descriptor ts_bytes_read_operation;

#endif
