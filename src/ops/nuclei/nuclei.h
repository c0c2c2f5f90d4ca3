/* The operations of the nuclei workflow: normalisation, the seven tasks of segmentation, comparison, features, objects.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OPS_NUCLEI_NUCLEI_H
#define TS_OPS_NUCLEI_NUCLEI_H

#include "tessera_op.h"

#include <stddef.h>

extern const struct ts_op_descriptor *const ts_nuclei_operations[];
extern const size_t ts_nuclei_operation_count;

#endif
