/* A plugin whose operations say honestly how far they look: a smoothing, a threshold, a choice of objects by extent,
 * and a stretch by the largest value of the tile. Where the environment variable HALO_FAIL is set, the threshold fails.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tessera_op.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct ts_op_port *const image_port[] = {TS_OP_PORT("image", "image/gray8", "")};
static const struct ts_op_port *const mask_port[] = {TS_OP_PORT("mask", "mask", "")};
static const struct ts_op_port *const table_port[] = {TS_OP_PORT("table", "table", "")};
static const struct ts_op_parameter *const radius[] = {
    TS_OP_PARAMETER(.name = "radius", .type = TS_OP_INTEGER, .low = 0, .high = 100, .help = "")};
static const struct ts_op_parameter *const extent[] = {
    TS_OP_PARAMETER(.name = "extent", .type = TS_OP_INTEGER, .low = 0, .high = 100, .help = "")};
static const struct ts_op_column *const columns[] = {TS_OP_COLUMN("table", "pixels")};

static uint8_t *plane(struct ts_op_call *call) {
  return call->host->output_pixels(call, 0, call->inputs[0]->width, call->inputs[0]->height, 1, TS_OP_U8);
}

/* The mean over the pixels at most radius + 1 away in x and y, as far as the input has them. */
static int smooth(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  const uint8_t *pixels = in->data;
  const int64_t r = call->parameters[0]->integer + 1;
  uint8_t *out = plane(call);
  if (!out) return -1;
  for (int64_t y = 0; y < in->height; y++) {
    for (int64_t x = 0; x < in->width; x++) {
      int64_t sum = 0, count = 0;
      for (int64_t v = y > r ? y - r : 0; v <= y + r && v < in->height; v++)
        for (int64_t u = x > r ? x - r : 0; u <= x + r && u < in->width; u++, count++) sum += pixels[v * in->width + u];
      out[y * in->width + x] = (uint8_t)(sum / count);
    }
  }
  return 0;
}

static int threshold(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  uint8_t *out = plane(call);
  if (getenv("HALO_FAIL")) return call->host->fail(call, "asked to fail");
  if (!out) return -1;
  for (size_t i = 0; i < in->size_bytes; i++) out[i] = ((const uint8_t *)in->data)[i] < 100 ? 255 : 0;
  return 0;
}

struct object {
  int64_t left, right, top, bottom, count;
};

/* Collects one object of eight neighbours from its first pixel on, marking its pixels as seen. */
static struct object collect(const struct ts_op_view *in, uint8_t *seen, int64_t *stack, int64_t first) {
  const uint8_t *mask = in->data;
  const int64_t width = in->width;
  struct object o = {width, -1, in->height, -1, 0};
  int64_t next = 0;
  stack[o.count++] = first;
  seen[first] = 1;
  while (next < o.count) {
    const int64_t x = stack[next] % width, y = stack[next] / width;
    next++;
    if (x < o.left) o.left = x;
    if (x > o.right) o.right = x;
    if (y < o.top) o.top = y;
    if (y > o.bottom) o.bottom = y;
    for (int64_t v = y > 0 ? y - 1 : 0; v <= y + 1 && v < in->height; v++) {
      for (int64_t u = x > 0 ? x - 1 : 0; u <= x + 1 && u < width; u++) {
        if (!mask[v * width + u] || seen[v * width + u]) continue;
        seen[v * width + u] = 1;
        stack[o.count++] = v * width + u;
      }
    }
  }
  return o;
}

/* Objects that are at most extent wide and high. */
static int choose(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  const int64_t most = call->parameters[0]->integer, count = in->width * in->height;
  uint8_t *out = plane(call), *seen = calloc((size_t)count, 1);
  int64_t *stack = malloc((size_t)count * sizeof *stack);
  if (out && seen && stack) {
    memset(out, 0, (size_t)count);
    for (int64_t i = 0; i < count; i++) {
      if (!((const uint8_t *)in->data)[i] || seen[i]) continue;
      const struct object o = collect(in, seen, stack, i);
      if (o.right - o.left + 1 > most || o.bottom - o.top + 1 > most) continue;
      for (int64_t k = 0; k < o.count; k++) out[stack[k]] = 255;
    }
  }
  free(seen);
  free(stack);
  return out ? 0 : -1;
}

static int stretch(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  const uint8_t *pixels = in->data;
  uint8_t *out = plane(call), most = 1;
  if (!out) return -1;
  for (size_t i = 0; i < in->size_bytes; i++) most = pixels[i] > most ? pixels[i] : most;
  for (size_t i = 0; i < in->size_bytes; i++) out[i] = (uint8_t)(pixels[i] * 255 / most);
  return 0;
}

static int sum(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  static const char *const names[] = {"pixels"};
  double *cells = call->host->output_table(call, 0, 1, 1, names);
  if (!cells) return -1;
  cells[0] = 0;
  for (size_t i = 0; i < in->size_bytes; i++) cells[0] += ((const uint8_t *)in->data)[i] > 0;
  return 0;
}

#define OPERATION(name_, in, out, function)                                                                            \
  TS_OP_DESCRIPTOR_HEAD, .name = (name_), .version = 1, .inputs = (in), .input_count = 1, .outputs = (out),            \
                         .output_count = 1, .run = (function)
static const struct ts_op_descriptor smooth_operation = {OPERATION("halo.smooth", image_port, image_port, smooth),
                                                         .parameters = radius,
                                                         .parameter_count = 1,
                                                         .reach = TS_OP_REACH_RADIUS,
                                                         .radius_px = 1,
                                                         .radius_parameter = "radius"};
static const struct ts_op_descriptor threshold_operation = {
    OPERATION("halo.threshold", image_port, mask_port, threshold), .reach = TS_OP_REACH_PIXEL};
static const struct ts_op_descriptor choose_operation = {OPERATION("halo.choose", mask_port, mask_port, choose),
                                                         .parameters = extent, .parameter_count = 1,
                                                         .reach = TS_OP_REACH_COMPONENT, .radius_parameter = "extent"};
static const struct ts_op_descriptor stretch_operation = {OPERATION("halo.stretch", image_port, image_port, stretch)};
static const struct ts_op_descriptor sum_operation = {OPERATION("halo.sum", mask_port, table_port, sum),
                                                      .columns = columns, .column_count = COUNT(columns)};

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *const operations[] = {&smooth_operation, &threshold_operation,
                                                              &choose_operation, &stretch_operation, &sum_operation};
  *count = COUNT(operations);
  return host_api == TESSERA_OP_API ? operations : NULL;
}
