/* Shared by the operations on pixels: descriptors, and the few lines that every one of them needs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OPS_PIXELS_PIXELS_INT_H
#define TS_OPS_PIXELS_PIXELS_INT_H

#include "kernels/threads.h"
#include "tessera_op.h"

#include <stdint.h>

#define PIXELS_COUNT(array)     (sizeof(array) / sizeof *(array))
#define PIXELS_OPERATION(title) TS_OP_DESCRIPTOR_HEAD, .version = 1, .name = "pixels." title

/* Descriptors also say how much memory the kernels take beside the outputs: measured on tissue and doubled where it
 * depends on how much is found. */

#define PIXELS_PORT(port, kind, text) TS_OP_PORT(.name = (port), .type = (kind), .help = (text))
#define PIXELS_INTEGER(parameter, lowest, highest, text)                                                               \
  TS_OP_PARAMETER(.name = (parameter), .type = TS_OP_INTEGER, .low = (lowest), .high = (highest), .help = (text))
#define PIXELS_PORTS(in, out)                                                                                          \
  .inputs = (in), .input_count = PIXELS_COUNT(in), .outputs = (out), .output_count = PIXELS_COUNT(out)
#define PIXELS_PARAMETERS(list) .parameters = (list), .parameter_count = PIXELS_COUNT(list)

extern const struct ts_op_descriptor ts_pixels_op_gray, ts_pixels_op_smooth, ts_pixels_op_threshold,
    ts_pixels_op_select;

/* The output, a plane of the size of the input with one byte per pixel; NULL on failure. */
uint8_t *ts_pixels_plane(struct ts_op_call *call);
/* The threads that tessera lends to this call. */
struct ts_kernel_threads ts_pixels_threads(struct ts_op_call *call);

#endif
