/* The list of nuclei operations, and functions that they share.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei.h"
#include "ops/nuclei/nuclei_int.h"

#include "base/block.h"
#include "kernels/kernels.h"

#include <string.h>

const struct ts_op_descriptor *const ts_nuclei_operations[] = {
    &ts_nuclei_op_normalise,      &ts_nuclei_op_red_cells, &ts_nuclei_op_background, &ts_nuclei_op_candidates,
    &ts_nuclei_op_candidate_size, &ts_nuclei_op_refine,    &ts_nuclei_op_split,      &ts_nuclei_op_final_size,
    &ts_nuclei_op_compare,        &ts_nuclei_op_features,  &ts_nuclei_op_objects};
const size_t ts_nuclei_operation_count = NUCLEI_COUNT(ts_nuclei_operations);

uint8_t *ts_nuclei_plane(struct ts_op_call *call, size_t port, int32_t channels) {
  const struct ts_op_view *first = &call->inputs[0];
  return call->host->output_pixels(call, port, first->width, first->height, channels, TS_OP_U8);
}

int ts_nuclei_done(struct ts_op_call *call, bool ok, const struct ts_error *err) {
  return ok ? 0 : call->host->fail(call, "%s", err->text);
}

static void run_parallel(void *user, size_t count, void (*body)(void *argument, size_t index), void *argument) {
  struct ts_op_call *call = user;
  call->host->parallel_for(call, count, body, argument);
}

struct ts_kernel_threads ts_nuclei_threads(struct ts_op_call *call) {
  return (struct ts_kernel_threads){.count = call->host->thread_count(call), .run = run_parallel, .user = call};
}

static size_t recall(void *user, const void *key, size_t key_bytes, void *value, size_t value_bytes) {
  struct ts_op_call *call = user;
  size_t size = call->host->recall(call, key, key_bytes, value, value_bytes);
  return size != TS_OP_NOT_KNOWN ? size : TS_KERNEL_NOT_KNOWN;
}

static void remember(void *user, const void *key, size_t key_bytes, const void *value, size_t value_bytes) {
  struct ts_op_call *call = user;
  call->host->remember(call, key, key_bytes, value, value_bytes);
}

const struct ts_kernel_memo *ts_nuclei_memo(struct ts_op_call *call, size_t input, struct ts_kernel_memo *memo) {
  *memo = (struct ts_kernel_memo){.recall = recall, .remember = remember, .user = call};
  return call->host->input_digest(call, input, memo->prefix) ? memo : NULL;
}

bool ts_nuclei_same_size(struct ts_op_call *call, size_t input_count) {
  for (size_t i = 1; i < input_count; i++) {
    if (call->inputs[i].width != call->inputs[0].width || call->inputs[i].height != call->inputs[0].height) {
      call->host->fail(call, "its inputs differ in size: %lld x %lld and %lld x %lld", (long long)call->inputs[0].width,
                       (long long)call->inputs[0].height, (long long)call->inputs[i].width,
                       (long long)call->inputs[i].height);
      return false;
    }
  }
  return true;
}

void ts_nuclei_canonical_connectivity(struct ts_op_value *value) { value->integer = value->integer == 8 ? 8 : 4; }

uint32_t *ts_nuclei_labels(struct ts_op_call *call, const struct ts_op_view *view) {
  size_t pixels = (size_t)view->width * (size_t)view->height;
  uint32_t *labels = ts_block_take(pixels * sizeof *labels + 1);
  if (!labels) {
    call->host->fail(call, "not enough memory for the labels of %zu pixels", pixels);
    return NULL;
  }
  if (view->element == TS_OP_U32) {
    memcpy(labels, view->data, pixels * sizeof *labels);
    return labels;
  }
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint32_t count = 0;
  if (!ts_label(view->data, view->width, view->height, 8, labels, &count, &threads, &err)) {
    call->host->fail(call, "%s", err.text);
    ts_block_give(labels);
    return NULL;
  }
  return labels;
}
