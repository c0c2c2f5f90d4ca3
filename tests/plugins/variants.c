/* A plugin whose operations have variants by device: one that keeps its promise, one that lies, one for later.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing here needs a device: a variant is a second function. Each of its calls adds a letter to the file that the
 * environment variable VARIANTS_LOG names. */
#include "tessera_op.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int scale(struct ts_op_call *call, double factor, double more, char letter) {
  const struct ts_op_view *in = call->inputs[0];
  const char *path = getenv("VARIANTS_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (file) {
    fputc(letter, file);
    fclose(file);
  }
  double *out = call->host->output_table(call, 0, in->rows, in->columns, in->names);
  if (!out) return -1;
  for (size_t i = 0; i < in->rows * in->columns; i++) out[i] = factor * in->cells[i] + more;
  return 0;
}

static int on_cpu(struct ts_op_call *call) { return scale(call, 2, 0, 'c'); }
static int on_cuda(struct ts_op_call *call) { return scale(call, 2, 0, 'g'); }
static int on_cuda_roughly(struct ts_op_call *call) { return scale(call, 2, 1e-9, 'r'); }
static int on_later_device(struct ts_op_call *call) { return scale(call, 3, 0, 'l'); }

static const struct ts_op_port *const table[] = {TS_OP_PORT("table", "table", "")};
static const struct ts_op_variant *const right[] = {TS_OP_VARIANT("later", .run = on_later_device),
                                                    TS_OP_VARIANT("cuda", .run = on_cuda, .scratch_per_input_byte = 5)};
static const struct ts_op_variant *const liar[] = {TS_OP_VARIANT("cuda", .run = on_cuda_roughly)};

#define HEAD(text) TS_OP_DESCRIPTOR_HEAD, .name = (text), .version = 1
#define REST       .inputs = table, .input_count = 1, .outputs = table, .output_count = 1, .run = on_cpu

static const struct ts_op_descriptor right_operation = {HEAD("variants.right"), REST, .variants = right,
                                                        .variant_count = COUNT(right)};
static const struct ts_op_descriptor liar_operation = {HEAD("variants.liar"), REST, .variants = liar,
                                                       .variant_count = COUNT(liar)};
static const struct ts_op_descriptor plain_operation = {HEAD("variants.plain"), REST};

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *const operations[] = {&right_operation, &liar_operation, &plain_operation};
  *count = COUNT(operations);
  return host_api == TESSERA_OP_API ? operations : NULL;
}
