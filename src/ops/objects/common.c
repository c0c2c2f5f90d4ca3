/* What the operations on objects of tiles share: parameters, places, failures, threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/objects/objects_int.h"

#include <string.h>

const char *const ts_objects_stitch_names[TS_STITCH_WAYS + 1] = {[TS_STITCH_COMPONENTS] = "components",
                                                                 [TS_STITCH_LABELS] = "labels",
                                                                 [TS_STITCH_VALUES] = "values",
                                                                 [TS_STITCH_NONE] = "none"};

enum ts_stitch ts_objects_stitch(const struct ts_op_view *view, const struct ts_op_value *value) {
  int way = 0;
  while (way < TS_STITCH_WAYS - 1 && strcmp(value->string, ts_objects_stitch_names[way]) != 0) way++;
  return view->element == TS_OP_U32 || way == TS_STITCH_NONE ? (enum ts_stitch)way : TS_STITCH_COMPONENTS;
}

bool ts_objects_box(struct ts_op_call *call, const struct ts_op_view *view, struct ts_tile_box *box) {
  const int64_t most = INT32_MAX - 1; /* the row and the column behind a tile have numbers, too */
  if (view->x < -most || view->y < -most || view->x > most - view->width || view->y > most - view->height) {
    call->host->fail(call, "its pixels at %lld, %lld are too far from the corner of the image", (long long)view->x,
                     (long long)view->y);
    return false;
  }
  *box = (struct ts_tile_box){.left = (int32_t)view->x,
                              .top = (int32_t)view->y,
                              .right = (int32_t)(view->x + view->width),
                              .bottom = (int32_t)(view->y + view->height)};
  return true;
}

int ts_objects_done(struct ts_op_call *call, bool ok, const struct ts_error *err) {
  return ok ? 0 : call->host->fail(call, "%s", err->text);
}

static void run_parallel(void *user, size_t count, void (*body)(void *argument, size_t index), void *argument) {
  struct ts_op_call *call = user;
  call->host->parallel_for(call, count, body, argument);
}

struct ts_kernel_threads ts_objects_threads(struct ts_op_call *call) {
  return (struct ts_kernel_threads){.count = call->host->thread_count(call), .run = run_parallel, .user = call};
}

bool ts_objects_output(struct ts_op_call *call, size_t port, const struct ts_str *bytes) {
  void *to = call->host->output_bytes(call, port, bytes->length);
  if (to && bytes->length > 0) memcpy(to, bytes->data, bytes->length);
  return to != NULL;
}
