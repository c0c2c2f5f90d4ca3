/* A plugin that is compiled with a longer and with a shorter tessera_op.h than tessera itself, and works with both.
 * SPDX-License-Identifier: Apache-2.0
 *
 * vary-header makes the two headers. With the longer one (LATER), structs of tessera end before the members
 * `added_later`, and those of the plugin have garbage there. With the shorter one every struct ends with the last field
 * that the plugin needs. */
#include "tessera_op.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#ifdef LATER
#define GARBAGE , .added_later = {0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef}
/* Whether tessera has what it cannot have. */
#define HAS_MORE(pointer) TS_OP_HAS(pointer, added_later)
#define LEVEL             , .level = 1
#else
#define GARBAGE
#define HAS_MORE(pointer) 0
#define LEVEL
#endif

#ifdef LATER
static int opened; /* stands for what open makes */

static int open_it(const struct ts_op_open *open, void **state) {
  *state = &opened;
  return HAS_MORE(open) ? open->fail(open, "tessera has what it cannot have") : 0;
}
#endif

/* Doubles a mask's place and inverts it; the table says what was seen. */
static int run(struct ts_op_call *call) {
  const struct ts_op_view *mask = call->inputs[0], *table = call->inputs[1];
  static const char *const names[] = {"factor", "cell", "more"};
  uint8_t *out = call->host->output_pixels(call, 0, mask->width, mask->height, 1, TS_OP_U8);
  double *cells = call->host->output_table(call, 1, 1, COUNT(names), names);
  if (!out || !cells) return -1;
  for (size_t i = 0; i < mask->size_bytes; i++) out[i] = (uint8_t)(255 - ((const uint8_t *)mask->data)[i]);
  call->host->output_place(call, 0, TS_OP_PLACE(.x = 2 * mask->x, .y = 2 * mask->y LEVEL GARBAGE));
  cells[0] = call->parameters[0]->real;
  cells[1] = table->cells[0];
#ifdef LATER
  if (call->state != &opened) return call->host->fail(call, "not opened");
#endif
  cells[2] = HAS_MORE(call) + HAS_MORE(call->host) + HAS_MORE(mask) + HAS_MORE(call->parameters[0]);
  if (!TS_OP_HAS(call->host, fail) || !TS_OP_HAS(mask, cells)) return call->host->fail(call, "too little");
  return 0;
}

static const struct ts_op_port *const inputs[] = {TS_OP_PORT(.name = "mask", .type = "mask" GARBAGE),
                                                  TS_OP_PORT(.name = "table", .type = "table" GARBAGE)};
static const struct ts_op_port *const outputs[] = {TS_OP_PORT(.name = "mask", .type = "mask" GARBAGE),
                                                   TS_OP_PORT(.name = "table", .type = "table" GARBAGE)};
#ifdef LATER
static void whole(struct ts_op_value *value) { value->real = (double)(int64_t)value->real; }

static const struct ts_op_parameter *const parameters[] = {
    TS_OP_PARAMETER(.name = "factor", .type = TS_OP_REAL, .low = 0, .high = 9, .canonical = whole GARBAGE)};
static const struct ts_op_column *const columns[] = {TS_OP_COLUMN("table", "factor" GARBAGE),
                                                     TS_OP_COLUMN("table", "cell" GARBAGE),
                                                     TS_OP_COLUMN("table", "more" GARBAGE)};
static const struct ts_op_term *const above[] = {TS_OP_TERM("factor", 1 GARBAGE)}, *const below[] = {
                                                                                       TS_OP_TERM("more", 1 GARBAGE)};
static const struct ts_op_variant *const variants[] = {TS_OP_VARIANT("cuda", .run = run GARBAGE)};
static const struct ts_op_ratio *const ratios[] = {
    TS_OP_RATIO(TS_OP_COLUMN("table", "cell" GARBAGE), above, 1, below, 1 GARBAGE)};
#else
static const struct ts_op_parameter *const parameters[] = {
    TS_OP_PARAMETER(.name = "factor", .type = TS_OP_REAL, .low = 0, .high = 9)};
#endif

static const struct ts_op_descriptor operation = {TS_OP_DESCRIPTOR_HEAD,
                                                  .name = "grown.both",
                                                  .version = 1,
                                                  .inputs = inputs,
                                                  .input_count = COUNT(inputs),
                                                  .outputs = outputs,
                                                  .output_count = COUNT(outputs),
                                                  .parameters = parameters,
                                                  .parameter_count = COUNT(parameters),
#ifdef LATER
                                                  .open = open_it,
                                                  .needs = TS_OP_NEEDS(.cores = 2, .gang = 3 GARBAGE),
                                                  .variants = variants,
                                                  .variant_count = 1,
                                                  .columns = columns,
                                                  .column_count = COUNT(columns),
                                                  .ratios = ratios,
                                                  .ratio_count = COUNT(ratios),
#endif
                                                  .run = run GARBAGE};

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *const operations[] = {&operation};
  *count = 1;
  return host_api == TESSERA_OP_API ? operations : NULL;
}
