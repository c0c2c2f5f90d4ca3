/* nuclei.split: separates touching nuclei.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "kernels/memo.h"
#include "kernels/nuclei.h"

static const struct ts_op_port *const split_in[] = {NUCLEI_IMAGE_PORT("normalised tissue"),
                                                    NUCLEI_PLANE_PORT("open", "mask", "joined nuclei")};
static const struct ts_op_port *const split_out[] = {NUCLEI_PLANE_PORT("split", "mask", "separated nuclei")};
static const struct ts_op_parameter *const split_parameters[] = {
    NUCLEI_INTEGER("minSizePl", 0, NUCLEI_SIZE_MAX, "smallest area that is separated further, in pixels"),
    NUCLEI_CONNECTIVITY("WC", "neighbours when seeds of the watershed are found")};

static size_t recall(void *user, const void *key, size_t key_bytes, void *value, size_t value_bytes) {
  struct ts_op_call *call = user;
  size_t size = call->host->recall(call, key, key_bytes, value, value_bytes);
  return size != TS_OP_NOT_KNOWN ? size : TS_KERNEL_NOT_KNOWN;
}

static void remember(void *user, const void *key, size_t key_bytes, const void *value, size_t value_bytes) {
  struct ts_op_call *call = user;
  call->host->remember(call, key, key_bytes, value, value_bytes);
}

/* What tessera remembers of parts that depend on one large input, the prefix of their keys; NULL if it remembers
 * nothing, otherwise *memo, valid during the call. */
static const struct ts_kernel_memo *memo_of(struct ts_op_call *call, size_t input, struct ts_kernel_memo *memo) {
  *memo = (struct ts_kernel_memo){.recall = recall, .remember = remember, .user = call};
  return call->host->input_digest(call, input, memo->prefix) ? memo : NULL;
}

static int run_split(struct ts_op_call *call) {
  const struct ts_op_view *image = call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  struct ts_kernel_memo memo;
  if (!ts_nuclei_same_size(call, 2)) return -1;
  uint8_t *out = ts_nuclei_plane(call, 0, 1);
  if (!out) return -1;
  bool ok =
      ts_nuclei_split(image->data, call->inputs[1]->data, image->width, image->height, call->parameters[0]->integer,
                      (int)call->parameters[1]->integer, out, &threads, memo_of(call, 0, &memo), &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_split = {NUCLEI_OPERATION("split"),
                                                    .scratch_per_input_byte = 0.5,
                                                    .help = "separates touching nuclei by a watershed",
                                                    NUCLEI_PORTS(split_in, split_out),
                                                    NUCLEI_PARAMETERS(split_parameters),
                                                    .reach = TS_OP_REACH_COMPONENT,
                                                    .run = run_split};
