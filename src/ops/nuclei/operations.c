/* The table of nuclei operations.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei.h"
#include "ops/nuclei/nuclei_int.h"

const struct ts_op_descriptor *const ts_nuclei_operations[] = {
    &ts_nuclei_op_stain,      &ts_nuclei_op_normalise,  &ts_nuclei_op_normalise_slide, &ts_nuclei_op_red_cells,
    &ts_nuclei_op_background, &ts_nuclei_op_candidates, &ts_nuclei_op_candidate_size,  &ts_nuclei_op_refine,
    &ts_nuclei_op_split,      &ts_nuclei_op_final_size, &ts_nuclei_op_compare,         &ts_nuclei_op_features,
    &ts_nuclei_op_objects};
const size_t ts_nuclei_operation_count = NUCLEI_COUNT(ts_nuclei_operations);
