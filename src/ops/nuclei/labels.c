/* The objects of a mask or of labels, as labels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "base/block.h"
#include "kernels/kernels.h"

#include <string.h>

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
