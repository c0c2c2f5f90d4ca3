/* Shared by the nuclei operations: descriptors, and the few lines that every one of them needs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OPS_NUCLEI_NUCLEI_INT_H
#define TS_OPS_NUCLEI_NUCLEI_INT_H

#include "base/error.h"
#include "kernels/threads.h"
#include "tessera_op.h"

#include <stdbool.h>
#include <stdint.h>

#define NUCLEI_COUNT(array)                (sizeof(array) / sizeof *(array))
#define NUCLEI_OPERATION_OF(title, number) TS_OP_DESCRIPTOR_HEAD, .version = (number), .name = "nuclei." title
#define NUCLEI_OPERATION(title)            NUCLEI_OPERATION_OF(title, 1)

/* Descriptors also say how much memory the kernels take beside the outputs: measured on tissue and doubled where it
 * depends on how much is found. */

#define NUCLEI_SIZE_MAX 2147483647.0

#define NUCLEI_IMAGE_PORT(text)             TS_OP_PORT(.name = "image", .type = "image/rgb8", .help = (text))
#define NUCLEI_PLANE_PORT(port, kind, text) TS_OP_PORT(.name = (port), .type = (kind), .help = (text))
#define NUCLEI_INTEGER(parameter, lowest, highest, text)                                                               \
  TS_OP_PARAMETER(.name = (parameter), .type = TS_OP_INTEGER, .low = (lowest), .high = (highest), .help = (text))
#define NUCLEI_CONNECTIVITY(parameter, text)                                                                           \
  TS_OP_PARAMETER(.name = (parameter), .type = TS_OP_INTEGER, .low = 4, .high = 8, .help = (text),                     \
                  .canonical = ts_nuclei_canonical_connectivity)
#define NUCLEI_PORTS(in, out)                                                                                          \
  .inputs = (in), .input_count = NUCLEI_COUNT(in), .outputs = (out), .output_count = NUCLEI_COUNT(out)
#define NUCLEI_PARAMETERS(list) .parameters = (list), .parameter_count = NUCLEI_COUNT(list)

extern const struct ts_op_descriptor ts_nuclei_op_stain, ts_nuclei_op_normalise, ts_nuclei_op_normalise_slide,
    ts_nuclei_op_red_cells, ts_nuclei_op_background, ts_nuclei_op_candidates, ts_nuclei_op_candidate_size,
    ts_nuclei_op_refine, ts_nuclei_op_split, ts_nuclei_op_final_size, ts_nuclei_op_compare, ts_nuclei_op_features,
    ts_nuclei_op_objects;

/* The columns of a stain table: the pixels that were counted, then mean and standard deviation of l, alpha and beta. */
#define NUCLEI_STAIN_LIST(F)                                                                                           \
  F("pixels"), F("l_mean"), F("alpha_mean"), F("beta_mean"), F("l_std"), F("alpha_std"), F("beta_std")
enum { NUCLEI_STAIN_COLUMNS = 7 };

/* An output plane of the size of the first input, one byte per pixel and channel. */
uint8_t *ts_nuclei_plane(struct ts_op_call *call, size_t port, int32_t channels);
/* Turns a kernel's result into the operation's. */
int ts_nuclei_done(struct ts_op_call *call, bool ok, const struct ts_error *err);
/* The threads that tessera lends to this call. */
struct ts_kernel_threads ts_nuclei_threads(struct ts_op_call *call);
/* Inputs must be of one size; false with the failure reported. */
bool ts_nuclei_same_size(struct ts_op_call *call, size_t input_count);
/* Any connectivity but 8 acts as 4. */
void ts_nuclei_canonical_connectivity(struct ts_op_value *value);
/* Labels of a mask (8-connected) or a copy of labels; NULL on failure, which is then reported. To be given to
 * ts_block_give. */
uint32_t *ts_nuclei_labels(struct ts_op_call *call, const struct ts_op_view *view);

#endif
