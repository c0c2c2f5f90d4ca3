/* Descriptors for the tests of the workflow reader: the ports and parameters of the nuclei operations, and two of our
 * own.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The module lies below the real operations and cannot link them. That both have the same ports is checked end to end:
 * the program must print the same text for every folder of tests/cases. */
#ifndef TS_TESTS_UNIT_WORKFLOW_OPERATIONS_H
#define TS_TESTS_UNIT_WORKFLOW_OPERATIONS_H

#include "op/implementation.h"
#include "op/op.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define SIZE_MAX_PX     2147483647.0

/* Only described, never run. */
static inline int run_nothing(struct ts_op_call *call) {
  (void)call;
  return -1;
}

#define PORT(port, declaration) TS_OP_PORT(.name = (port), .type = (declaration), .help = "")
#define INTEGER(parameter, lowest, highest)                                                                            \
  TS_OP_PARAMETER(.name = (parameter), .type = TS_OP_INTEGER, .low = (lowest), .high = (highest), .help = "")
#define REAL(parameter, lowest, highest)                                                                               \
  TS_OP_PARAMETER(.name = (parameter), .type = TS_OP_REAL, .low = (lowest), .high = (highest), .help = "")

static const struct ts_op_port *const image_port[] = {PORT("image", "image/rgb8")};
static const struct ts_op_port *const rbc_port[] = {PORT("rbc", "mask")};
static const struct ts_op_port *const background_out[] = {PORT("rc", "image/gray8"), PORT("recon", "image/gray8")};
static const struct ts_op_port *const candidates_out[] = {PORT("diff", "image/gray8"), PORT("bw", "mask")};
static const struct ts_op_port *const bw_port[] = {PORT("bw", "mask")};
static const struct ts_op_port *const refine_in[] = {PORT("diff", "image/gray8"), PORT("bw", "mask"),
                                                     PORT("rbc", "mask")};
static const struct ts_op_port *const open_port[] = {PORT("open", "mask")};
static const struct ts_op_port *const split_in[] = {PORT("image", "image/rgb8"), PORT("open", "mask")};
static const struct ts_op_port *const split_port[] = {PORT("split", "mask")};
static const struct ts_op_port *const mask_port[] = {PORT("mask", "mask")};
static const struct ts_op_port *const compare_in[] = {PORT("mask", "mask|labels"), PORT("reference", "mask|labels")};
static const struct ts_op_port *const table_port[] = {PORT("table", "table")};
static const struct ts_op_port *const features_in[] = {PORT("image", "image/rgb8"), PORT("mask", "mask|labels")};
static const struct ts_op_port *const features_out[] = {PORT("objects", "table"), PORT("summary", "table")};
static const struct ts_op_port *const objects_in[] = {PORT("mask", "mask|labels")};
static const struct ts_op_port *const objects_out[] = {PORT("objects", "objects")};
static const struct ts_op_port *const options_in[] = {
    PORT("first", "table"), TS_OP_PORT(.name = "second", .type = "table", .help = "", .optional = 1)};

static const struct ts_op_parameter *const red_cells_parameters[] = {
    INTEGER("B", 0, 255), INTEGER("G", 0, 255), INTEGER("R", 0, 255), REAL("T1", 0, 1000), REAL("T2", 0, 1000)};
static const struct ts_op_parameter *const background_parameters[] = {INTEGER("RC", 4, 8)};
static const struct ts_op_parameter *const candidates_parameters[] = {INTEGER("FH", 4, 8), INTEGER("G1", 0, 255)};
static const struct ts_op_parameter *const candidate_size_parameters[] = {INTEGER("minSize", 0, SIZE_MAX_PX),
                                                                          INTEGER("maxSize", 0, SIZE_MAX_PX)};
static const struct ts_op_parameter *const refine_parameters[] = {INTEGER("G2", 0, 255)};
static const struct ts_op_parameter *const split_parameters[] = {INTEGER("minSizePl", 0, SIZE_MAX_PX),
                                                                 INTEGER("WC", 4, 8)};
static const struct ts_op_parameter *const final_parameters[] = {
    INTEGER("minSizeSeg", 0, SIZE_MAX_PX), INTEGER("maxSizeSeg", 0, SIZE_MAX_PX), INTEGER("FH", 4, 8)};
static const char *const option_modes[] = {"fast", "exact", NULL};
static const char *const option_levels[] = {"exact", "rough", NULL};
static const struct ts_op_parameter *const options_parameters[] = {
    TS_OP_PARAMETER(.name = "mode", .type = TS_OP_STRING, .choices = option_modes, .help = ""),
    TS_OP_PARAMETER(.name = "level", .type = TS_OP_STRING, .choices = option_levels, .help = ""),
    TS_OP_PARAMETER(.name = "verbose", .type = TS_OP_BOOLEAN, .help = ""), REAL("gain", 0.5, 2), REAL("offset", 1, -1)};

#define OPERATION(title, ins, outs)                                                                                    \
  TS_OP_DESCRIPTOR_HEAD, .version = 1, .name = (title), .help = "", .inputs = (ins), .input_count = COUNT_OF(ins),     \
                         .outputs = (outs), .output_count = COUNT_OF(outs), .run = run_nothing
#define TAKES(list) .parameters = (list), .parameter_count = COUNT_OF(list)

static const struct ts_op_descriptor operations[] = {
    {OPERATION("nuclei.background", image_port, background_out), TAKES(background_parameters)},
    {OPERATION("nuclei.candidate_size", bw_port, bw_port), TAKES(candidate_size_parameters)},
    {OPERATION("nuclei.candidates", background_out, candidates_out), TAKES(candidates_parameters)},
    {OPERATION("nuclei.compare", compare_in, table_port)},
    {OPERATION("nuclei.features", features_in, features_out)},
    {OPERATION("nuclei.final_size", split_port, mask_port), TAKES(final_parameters)},
    {OPERATION("nuclei.normalise", image_port, image_port)},
    {OPERATION("nuclei.objects", objects_in, objects_out)},
    {OPERATION("nuclei.red_cells", image_port, rbc_port), TAKES(red_cells_parameters)},
    {OPERATION("nuclei.refine", refine_in, open_port), TAKES(refine_parameters)},
    {OPERATION("nuclei.split", split_in, split_port), TAKES(split_parameters)},
    {OPERATION("test.options", options_in, table_port), TAKES(options_parameters)},
    {TS_OP_DESCRIPTOR_HEAD, .version = 1, .name = "test.source", .help = "", .outputs = table_port, .output_count = 1,
     .run = run_nothing},
};

static inline struct ts_registry *create_test_registry(void) {
  struct ts_implementation implementations[COUNT_OF(operations)];
  const struct ts_op_descriptor *descriptors[COUNT_OF(operations)];
  memset(implementations, 0, sizeof implementations);
  for (size_t i = 0; i < COUNT_OF(operations); i++) {
    implementations[i].operation = operations[i].name;
    descriptors[i] = &operations[i];
  }
  struct ts_registry *registry = ts_registry_create();
  ts_registry_add_built_in(registry, descriptors, COUNT_OF(operations), implementations, COUNT_OF(operations));
  return registry;
}

#endif
