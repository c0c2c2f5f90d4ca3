/* Shared by the operations on objects of tiles: descriptors, parameters, and the few lines that every one needs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OPS_OBJECTS_OBJECTS_INT_H
#define TS_OPS_OBJECTS_OBJECTS_INT_H

#include "base/error.h"
#include "kernels/threads.h"
#include "ops/objects/chain.h"
#include "tessera_op.h"

#define OBJECTS_COUNT(array)     (sizeof(array) / sizeof *(array))
#define OBJECTS_OPERATION(title) TS_OP_DESCRIPTOR_HEAD, .version = 1, .name = "objects." title
#define OBJECTS_PORTS(in, out)                                                                                         \
  .inputs = (in), .input_count = OBJECTS_COUNT(in), .outputs = (out), .output_count = OBJECTS_COUNT(out)
#define OBJECTS_PARAMETERS(list)  .parameters = (list), .parameter_count = OBJECTS_COUNT(list)
#define OBJECTS_PIECES_PORT(text) TS_OP_PORT(.name = "pieces", .type = "pieces", .help = (text))
#define OBJECTS_STITCH(parameter, text)                                                                                \
  TS_OP_PARAMETER(.name = (parameter), .type = TS_OP_STRING, .choices = ts_objects_stitch_names, .help = (text))

extern const struct ts_op_descriptor ts_objects_op_measure_tile, ts_objects_op_measure, ts_objects_op_compare_tile,
    ts_objects_op_compare;

/* The words for enum ts_stitch, NULL behind them. */
extern const char *const ts_objects_stitch_names[TS_STITCH_WAYS + 1];
/* How the objects of an input are joined: masks have no labels, their objects are always components. */
enum ts_stitch ts_objects_stitch(const struct ts_op_view *view, const struct ts_op_value *value);
/* Where the pixels of an input lie; false with the failure reported if that is too far out. */
bool ts_objects_box(struct ts_op_call *call, const struct ts_op_view *view, struct ts_tile_box *box);
/* Reports a kernel's error and returns the result of the operation. */
int ts_objects_done(struct ts_op_call *call, bool ok, const struct ts_error *err);
/* The threads that tessera lends to this call. */
struct ts_kernel_threads ts_objects_threads(struct ts_op_call *call);
/* Makes an output of bytes; false: out of memory. */
bool ts_objects_output(struct ts_op_call *call, size_t port, const struct ts_str *bytes);

#endif
