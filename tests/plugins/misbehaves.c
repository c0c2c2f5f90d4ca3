/* A plugin with proper descriptors whose calls break the contract, each operation in its own way.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tessera_op.h"

#include <string.h>

static const char *const names[] = {"a", "b"};
static const char *const same_names[] = {"a", "a"};
static const char *const no_names[] = {"a", ""};

static int make_nothing(struct ts_op_call *call) {
  (void)call;
  return 0;
}

static int make_twice(struct ts_op_call *call) {
  double *first = call->host->output_table(call, 0, 1, 1, names);
  if (first) first[0] = 1;
  call->host->output_table(call, 0, 1, 1, names);
  return 0;
}

static int make_pixels(struct ts_op_call *call) {
  call->host->output_pixels(call, 0, 1, 1, 1, TS_OP_U8);
  return 0;
}

static int fail_with_text(struct ts_op_call *call) { return call->host->fail(call, "no %s after %d rows", "cow", 3); }

static int fail_silently(struct ts_op_call *call) {
  (void)call;
  return 7;
}

static int fail_and_return_zero(struct ts_op_call *call) {
  double *cells = call->host->output_table(call, 0, 1, 1, names);
  if (cells) cells[0] = 1;
  call->host->fail(call, "told but not returned");
  return 0;
}

static int name_wrong_port(struct ts_op_call *call) {
  call->host->output_table(call, 5, 1, 1, names);
  return 0;
}

static int name_columns_alike(struct ts_op_call *call) {
  call->host->output_table(call, 0, 1, 2, same_names);
  return 0;
}

static int name_no_columns(struct ts_op_call *call) {
  call->host->output_table(call, 0, 1, 2, no_names);
  return 0;
}

static int fill_mask_with_seven(struct ts_op_call *call) {
  uint8_t *out = call->host->output_pixels(call, 0, 101, 3, 1, TS_OP_U8);
  if (!out) return -1;
  memset(out, 255, 303);
  /* The last byte: behind the last whole word of eight. */
  out[302] = 7;
  return 0;
}

static int make_wide_pixels(struct ts_op_call *call) {
  call->host->output_pixels(call, 0, 1, 1, 1, TS_OP_U16);
  return 0;
}

static int make_empty_pixels(struct ts_op_call *call) {
  call->host->output_pixels(call, 0, 0, 4, 1, TS_OP_U8);
  return 0;
}

static int make_negative_planes(struct ts_op_call *call) {
  call->host->output_region(call, 0, TS_OP_PLACE(.width = 1, .height = 1, .depth = -1), 1, TS_OP_U8);
  return 0;
}

static int make_region_of_no_size(struct ts_op_call *call) {
  const struct ts_op_place place = {.width = 1, .height = 1};
  call->host->output_region(call, 0, &place, 1, TS_OP_U8);
  return 0;
}

static int make_table(struct ts_op_call *call) {
  call->host->output_table(call, 0, 1, 1, names);
  return 0;
}

static int say_nothing(struct ts_op_call *call) {
  uint8_t *out = call->host->output_pixels(call, 0, 1, 1, 1, TS_OP_U8);
  if (!out) return -1;
  out[0] = 0;
  return 0;
}

static int say_another_type(struct ts_op_call *call) {
  call->host->output_type(call, 0, "labels");
  return say_nothing(call);
}

static int say_unfit_type(struct ts_op_call *call) {
  call->host->output_type(call, 0, "image/gray16");
  return say_nothing(call);
}

static const struct ts_op_port *const table_port[] = {TS_OP_PORT("table", "table", "", 0)};
static const struct ts_op_port *const mask_port[] = {TS_OP_PORT("mask", "mask", "", 0)};
static const struct ts_op_port *const open_port[] = {TS_OP_PORT("pixels", "mask|image/gray8|image/gray16", "", 0)};

#define OPERATION(label, port)                                                                                         \
  {                                                                                                                    \
    TS_OP_DESCRIPTOR_HEAD, .name = "misbehaves." #label, .version = 1, .outputs = (port), .output_count = 1,           \
                           .run = label                                                                                \
  }

static const struct ts_op_descriptor descriptors[] = {
    OPERATION(make_nothing, table_port),        OPERATION(make_twice, table_port),
    OPERATION(make_pixels, table_port),         OPERATION(fail_with_text, table_port),
    OPERATION(fail_silently, table_port),       OPERATION(fail_and_return_zero, table_port),
    OPERATION(name_wrong_port, table_port),     OPERATION(name_columns_alike, table_port),
    OPERATION(name_no_columns, table_port),     OPERATION(fill_mask_with_seven, mask_port),
    OPERATION(make_wide_pixels, mask_port),     OPERATION(make_empty_pixels, mask_port),
    OPERATION(make_negative_planes, mask_port), OPERATION(make_region_of_no_size, mask_port),
    OPERATION(make_table, mask_port),           OPERATION(say_nothing, open_port),
    OPERATION(say_another_type, open_port),     OPERATION(say_unfit_type, open_port),
};
#define COUNT (sizeof(descriptors) / sizeof(descriptors[0]))

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *operations[COUNT];
  (void)host_api;
  for (size_t i = 0; i < COUNT; i++) operations[i] = &descriptors[i];
  *count = COUNT;
  return operations;
}
