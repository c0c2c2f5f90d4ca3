/* A plugin whose operations keep the contract: masks, alternatives, tables, bytes, places, and calls that must not
 * overlap.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tessera_op.h"

#include <sched.h>
#include <string.h>

#define COUNT(array)       (sizeof(array) / sizeof((array)[0]))
#define HEAD(text, number) TS_OP_DESCRIPTOR_HEAD, .name = (text), .version = (number)

static const struct ts_op_port *const mask_port[] = {TS_OP_PORT("mask", "mask", "a mask", 0)};
static const struct ts_op_port *const table_port[] = {TS_OP_PORT("table", "table", "numbers", 0)};

static int invert(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  uint8_t *out = call->host->output_pixels(call, 0, in->width, in->height, 1, TS_OP_U8);
  if (!out) return -1;
  for (size_t i = 0; i < in->size_bytes; i++) out[i] = (uint8_t)(255 - ((const uint8_t *)in->data)[i]);
  return 0;
}

static const struct ts_op_descriptor invert_operation = {
    HEAD("good.invert", 3), .inputs = mask_port,
    .input_count = 1,       .outputs = mask_port,
    .output_count = 1,      .reach = TS_OP_REACH_PIXEL,
    .run = invert,          .needs = TS_OP_NEEDS(.cores = 2, .memory_bytes = 1000, .gang = 3)};

/* Says whether its input was a mask or labels by what it makes, and puts it ten pixels to the right. */
static int either(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  int is_mask = strcmp(in->type, "mask") == 0;
  /* The type may be told before or after the output is made. */
  if (is_mask) call->host->output_type(call, 0, "mask");
  uint8_t *out = call->host->output_pixels(call, 0, 2, 1, 1, TS_OP_U8);
  if (!out) return -1;
  if (!is_mask) call->host->output_type(call, 0, "image/gray8");
  call->host->output_place(call, 0, TS_OP_PLACE(.x = in->x + 10, .y = in->y, .level = in->level));
  memset(out, is_mask ? 255 : 7, 2);
  return 0;
}

static const struct ts_op_port *const either_inputs[] = {TS_OP_PORT("objects", "mask|labels", "", 0)};
static const struct ts_op_port *const either_outputs[] = {TS_OP_PORT("pixels", "image/gray8|mask", "", 0)};
static const struct ts_op_descriptor either_operation = {HEAD("good.either", 1), .inputs = either_inputs,
                                                         .input_count = 1,       .outputs = either_outputs,
                                                         .output_count = 1,      .run = either};

/* Three planes of two frames: the input, and 1, 2, ... more in each. */
static int stack(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  const struct ts_op_place *place =
      TS_OP_PLACE(.x = in->x, .y = in->y, .level = in->level, .z = in->z + 4, .t = in->t + 5, .width = in->width,
                  .height = in->height, .depth = 3, .frames = 2);
  uint8_t *out = call->host->output_region(call, 0, place, 1, TS_OP_U8);
  if (!out) return -1;
  for (size_t plane = 0; plane < 6; plane++)
    for (size_t i = 0; i < in->size_bytes; i++) *out++ = (uint8_t)(((const uint8_t *)in->data)[i] + plane);
  return 0;
}

static const struct ts_op_port *const grey_port[] = {TS_OP_PORT("image", "image/gray8", "")};
static const struct ts_op_descriptor stack_operation = {HEAD("good.stack", 1), .inputs = grey_port, .input_count = 1,
                                                        .outputs = grey_port,  .output_count = 1,   .run = stack};

/* The last plane of the last frame; the table of a volume says what its view is. */
static int last_plane(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  static const char *const names[] = {"depth", "frames", "z", "t", "row_bytes", "memory"};
  const size_t plane_bytes = (size_t)in->height * in->row_bytes;
  uint8_t *out = call->host->output_pixels(call, 0, in->width, in->height, 1, TS_OP_U8);
  double *cells = call->host->output_table(call, 1, 1, COUNT(names), names);
  if (!out || !cells) return -1;
  memcpy(out, (const uint8_t *)in->data + in->size_bytes - plane_bytes, plane_bytes);
  const double values[] = {in->depth, in->frames, in->z, in->t, (double)in->row_bytes, in->memory};
  memcpy(cells, values, sizeof values);
  return 0;
}

static const struct ts_op_port *const last_plane_inputs[] = {TS_OP_PORT("image", "image/gray8", "", .volumes = 1)};
static const struct ts_op_port *const last_plane_outputs[] = {TS_OP_PORT("image", "image/gray8", ""),
                                                              TS_OP_PORT("table", "table", "")};
static const struct ts_op_descriptor last_plane_operation = {HEAD("good.last_plane", 1), .inputs = last_plane_inputs,
                                                             .input_count = 1,           .outputs = last_plane_outputs,
                                                             .output_count = 2,          .run = last_plane};

/* A table with one row that repeats the parameters, and the size of the optional input. */
static int echo(struct ts_op_call *call) {
  static const char *const names[] = {"integer", "real", "boolean", "letters", "bytes"};
  double *out = call->host->output_table(call, 0, 1, COUNT(names), names);
  if (!out) return -1;
  out[0] = (double)call->parameters[0]->integer;
  out[1] = call->parameters[1]->real;
  out[2] = (double)call->parameters[2]->integer;
  out[3] = (double)strlen(call->parameters[3]->string);
  out[4] = call->inputs[0]->kind == TS_OP_BYTES ? (double)call->inputs[0]->size_bytes : -1;
  return 0;
}

static void neighbours(struct ts_op_value *value) { value->integer = value->integer == 8 ? 8 : 4; }

static const struct ts_op_port *const echo_inputs[] = {TS_OP_PORT("extra", "bytes", "may be missing", 1)};
static const char *const words[] = {"fast", "careful", NULL};
static const struct ts_op_parameter *const echo_parameters[] = {
    TS_OP_PARAMETER("neighbours", TS_OP_INTEGER, 4, 8, NULL, "anything but 8 acts as 4", neighbours),
    TS_OP_PARAMETER("size", TS_OP_REAL, 1, 0, NULL, "without bounds", NULL),
    TS_OP_PARAMETER("flag", TS_OP_BOOLEAN, 0, 0, NULL, "", NULL),
    TS_OP_PARAMETER("mode", TS_OP_STRING, 0, 0, words, "", NULL)};
static const struct ts_op_descriptor echo_operation = {HEAD("good.echo", 1),
                                                       .numeric = "tolerance:test",
                                                       .inputs = echo_inputs,
                                                       .input_count = 1,
                                                       .outputs = table_port,
                                                       .output_count = 1,
                                                       .parameters = echo_parameters,
                                                       .parameter_count = COUNT(echo_parameters),
                                                       .run = echo};

/* Fails if two calls of it are ever under way at once. The counter is not atomic on purpose: tessera holds the lock. */
static int serial(struct ts_op_call *call) {
  static volatile int inside;
  static const char *const names[] = {"inside"};
  double *out = call->host->output_table(call, 0, 1, 1, names);
  if (!out) return -1;
  int mine = inside + 1;
  inside = mine;
  for (int i = 0; i < 20; i++) sched_yield(); /* an invitation to every other thread */
  out[0] = inside;
  inside = inside - 1;
  return mine == 1 ? 0 : call->host->fail(call, "%d calls at once", mine);
}

static const struct ts_op_descriptor serial_operation = {HEAD("good.serial", 1), .outputs = table_port,
                                                         .output_count = 1, .not_thread_safe = 1, .run = serial};

static int wait_for_stop(struct ts_op_call *call) {
  while (!call->host->cancelled(call)) {
  }
  return call->host->fail(call, "stopped");
}

static const struct ts_op_descriptor wait_operation = {HEAD("good.wait", 1), .outputs = table_port, .output_count = 1,
                                                       .run = wait_for_stop};

static int outline(struct ts_op_call *call) {
  static const char text[] = "{\"type\":\"FeatureCollection\",\"features\":[]}";
  char *out = call->host->output_bytes(call, 0, sizeof(text) - 1);
  if (!out) return -1;
  memcpy(out, text, sizeof(text) - 1);
  return 0;
}

static const struct ts_op_port *const outline_outputs[] = {TS_OP_PORT("objects", "objects", "", 0)};
static const struct ts_op_descriptor outline_operation = {HEAD("good.outline", 1), .outputs = outline_outputs,
                                                          .output_count = 1, .run = outline};

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *const operations[] = {
      &invert_operation, &either_operation,  &echo_operation,  &serial_operation,
      &wait_operation,   &outline_operation, &stack_operation, &last_plane_operation};
  *count = COUNT(operations);
  return host_api == TESSERA_OP_API ? operations : NULL;
}
