/* The operations that measure, compare and outline the objects of a whole file from those of its tiles.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OPS_OBJECTS_OBJECTS_H
#define TS_OPS_OBJECTS_OBJECTS_H

#include "tessera_op.h"

#include <stddef.h>

extern const struct ts_op_descriptor *const ts_objects_operations[];
extern const size_t ts_objects_operation_count;

#endif
