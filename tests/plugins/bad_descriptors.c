/* A plugin whose descriptors have a fault of nearly every kind; the loader must list them all and crash on none.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tessera_op.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD(text)   TS_OP_DESCRIPTOR_HEAD, .name = (text), .version = 1

static int run(struct ts_op_call *call) {
  (void)call;
  return 0;
}

static void out_of_domain(struct ts_op_value *value) { value->integer = 100; }
static void never_settles(struct ts_op_value *value) { value->integer = value->integer == 1 ? 2 : 1; }

static const struct ts_op_port *const good_port[] = {TS_OP_PORT("table", "table", "", 0)};
static const struct ts_op_port *const bad_ports[] = {
    TS_OP_PORT("1st", "table", "", 0), TS_OP_PORT("in", "picture", "", 0), TS_OP_PORT("in", "mask|nothing", "", 0),
    TS_OP_PORT("x", NULL, "", 0)};
static const struct ts_op_port *const file_port[] = {TS_OP_PORT("file", "bytes|file", "", 0)};
static const char *const no_choices[] = {NULL};
static const struct ts_op_parameter *const bad_parameters[] = {
    TS_OP_PARAMETER("zero", TS_OP_REAL, 0, 0, NULL, "domain forgotten", NULL),
    TS_OP_PARAMETER("nan", TS_OP_REAL, NAN, NAN, NULL, "", NULL),
    TS_OP_PARAMETER("half", TS_OP_INTEGER, 0.5, 3, NULL, "", NULL),
    TS_OP_PARAMETER("list", (enum ts_op_value_type)9, 0, 1, NULL, "", NULL),
    TS_OP_PARAMETER("empty", TS_OP_STRING, 0, 0, no_choices, "", NULL),
    TS_OP_PARAMETER("far", TS_OP_INTEGER, 1, 9, NULL, "", out_of_domain),
    TS_OP_PARAMETER("flip", TS_OP_INTEGER, 1, 9, NULL, "", never_settles),
    TS_OP_PARAMETER("zero", TS_OP_BOOLEAN, 0, 0, NULL, "twice", NULL),
    TS_OP_PARAMETER(NULL, TS_OP_BOOLEAN, 0, 0, NULL, "", NULL),
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
static const struct ts_op_descriptor whole = {TS_OP_DESCRIPTOR_HEAD, .name = "bad.whole", .numeric = "sloppy",
                                              .radius_px = 3};
static const struct ts_op_descriptor huge = {
    HEAD("bad.huge"),  .input_count = 1000000, .inputs = good_port,          .outputs = good_port,
    .output_count = 1, .parameter_count = 3,   .reach = (enum ts_op_reach)9, .run = run};
static const struct ts_op_descriptor small = {.api = TESSERA_OP_API, .struct_bytes = 16, .name = "bad.small"};
/* Structs that end before the fields without which they make no sense, and one that is not there. */
static const struct ts_op_port headless_port = {.name = "table", .type = "table"};
static const struct ts_op_port *const headless_ports[] = {TS_OP_PORT("table", "table", "", 0), &headless_port, NULL};
static const struct ts_op_parameter half_parameter = {.struct_bytes = offsetof(struct ts_op_parameter, high)};
static const struct ts_op_parameter *const half_parameters[] = {&half_parameter};
static const struct ts_op_ratio *const loose_ratios[] = {TS_OP_RATIO(.column = NULL)};
static const struct ts_op_descriptor headless = {HEAD("bad.headless"),
                                                 .outputs = headless_ports,
                                                 .output_count = COUNT(headless_ports),
                                                 .parameters = half_parameters,
                                                 .parameter_count = 1,
                                                 .ratios = loose_ratios,
                                                 .ratio_count = 1,
                                                 .run = run};
static const struct ts_op_descriptor needy = {HEAD("bad.needy"), .outputs = good_port, .output_count = 1,
                                              .needs = TS_OP_NEEDS(.cores = 1000000, .site = "no such name"),
                                              .run = run};
static void close_nothing(void *state) { (void)state; }
static const struct ts_op_descriptor closes = {HEAD("bad.closes"), .outputs = good_port, .output_count = 1,
                                               .close = close_nothing, .run = run};
static const struct ts_op_descriptor reaches = {HEAD("bad.reaches"), .outputs = good_port, .output_count = 1,
                                                .reach = TS_OP_REACH_RADIUS, .run = run};
static const struct ts_op_parameter *const half_radius[] = {TS_OP_PARAMETER("r", TS_OP_REAL, 1, 9, NULL, "", NULL)};
static const struct ts_op_descriptor half_reach = {
    HEAD("bad.half_reach"), .outputs = good_port,           .output_count = 1,       .parameters = half_radius,
    .parameter_count = 1,   .reach = TS_OP_REACH_COMPONENT, .radius_parameter = "r", .run = run};
static const struct ts_op_needs headless_needs = {.cores = 1};
static const struct ts_op_descriptor short_needs = {HEAD("bad.short_needs"), .outputs = good_port, .output_count = 1,
                                                    .needs = &headless_needs, .run = run};
static const struct ts_op_descriptor nameless = {HEAD(NULL), .outputs = good_port, .output_count = 1, .run = run};
static const struct ts_op_descriptor good = {HEAD("bad.good"), .outputs = good_port, .output_count = 1, .run = run};

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *const operations[] = {&no_dot,      &ports,  &parameters, &whole,      &huge,
                                                              &small,       NULL,    &nameless,   &headless,   &needy,
                                                              &short_needs, &closes, &reaches,    &half_reach, &good};
  (void)host_api;
  *count = COUNT(operations);
  return operations;
}
