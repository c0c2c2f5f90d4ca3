/* A plugin whose descriptors have a fault of nearly every kind; the loader must list them all and crash on none.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tessera_op.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD(text)   .api = TESSERA_OP_API, .size_bytes = sizeof(struct ts_op_descriptor), .name = (text), .version = 1

static int run(struct ts_op_call *call) {
  (void)call;
  return 0;
}

static void out_of_domain(struct ts_op_value *value) { value->integer = 100; }
static void never_settles(struct ts_op_value *value) { value->integer = value->integer == 1 ? 2 : 1; }

static const struct ts_op_port good_port[] = {{"table", "table", "", 0}};
static const struct ts_op_port bad_ports[] = {
    {"1st", "table", "", 0}, {"in", "picture", "", 0}, {"in", "mask|nothing", "", 0}, {"x", NULL, "", 0}};
static const struct ts_op_port file_port[] = {{"file", "bytes|file", "", 0}};
static const char *const no_choices[] = {NULL};
static const struct ts_op_parameter bad_parameters[] = {
    {"zero", TS_OP_REAL, 0, 0, NULL, "domain forgotten", NULL},
    {"nan", TS_OP_REAL, NAN, NAN, NULL, "", NULL},
    {"half", TS_OP_INTEGER, 0.5, 3, NULL, "", NULL},
    {"list", (enum ts_op_value_type)9, 0, 1, NULL, "", NULL},
    {"empty", TS_OP_STRING, 0, 0, no_choices, "", NULL},
    {"far", TS_OP_INTEGER, 1, 9, NULL, "", out_of_domain},
    {"flip", TS_OP_INTEGER, 1, 9, NULL, "", never_settles},
    {"zero", TS_OP_BOOLEAN, 0, 0, NULL, "twice", NULL},
    {NULL, TS_OP_BOOLEAN, 0, 0, NULL, "", NULL},
};

static const struct ts_op_descriptor no_dot = {HEAD("nodot"), .outputs = good_port, .output_count = 1, .run = run};
static const struct ts_op_descriptor ports = {
    HEAD("bad.ports"),    .inputs = bad_ports, .input_count = COUNT(bad_ports),
    .outputs = file_port, .output_count = 1,   .run = run};
static const struct ts_op_descriptor parameters = {HEAD("bad.parameters"),
                                                   .outputs = good_port,
                                                   .output_count = 1,
                                                   .parameters = bad_parameters,
                                                   .parameter_count = COUNT(bad_parameters),
                                                   .run = run};
static const struct ts_op_descriptor whole = {.api = TESSERA_OP_API,
                                              .size_bytes = sizeof(struct ts_op_descriptor),
                                              .name = "bad.whole",
                                              .numeric = "sloppy",
                                              .radius_px = 3};
static const struct ts_op_descriptor huge = {
    HEAD("bad.huge"),  .input_count = 1000000, .inputs = good_port,          .outputs = good_port,
    .output_count = 1, .parameter_count = 3,   .reach = (enum ts_op_reach)9, .run = run};
static const struct ts_op_descriptor small = {.api = TESSERA_OP_API, .size_bytes = 16, .name = "bad.small"};
static const struct ts_op_descriptor nameless = {HEAD(NULL), .outputs = good_port, .output_count = 1, .run = run};
static const struct ts_op_descriptor good = {HEAD("bad.good"), .outputs = good_port, .output_count = 1, .run = run};

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *const operations[] = {&no_dot, &ports, &parameters, &whole, &huge,
                                                              &small,  NULL,   &nameless,   &good};
  (void)host_api;
  *count = COUNT(operations);
  return operations;
}
