/* A plugin whose operations do honest work until the environment tells one of them to misbehave, at one of its calls.
 * SPDX-License-Identifier: Apache-2.0
 *
 * FAULTY=KIND@N: call number N (from 1) of faulty.sum has the fault; FAULTY=KIND: every call has. The environment is no
 * part of a key, so a run can be continued as if the operation had been mended. */
#include "tessera_op.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIDE 1024

static atomic_int calls;
static volatile int sink;

/* Whether this call has the fault. */
static int has_fault(const char *kind, int number) {
  const char *text = getenv("FAULTY");
  size_t length = strlen(kind);
  if (!text || strncmp(text, kind, length) != 0) return 0;
  if (text[length] == '\0') return 1;
  return text[length] == '@' && atoi(text + length + 1) == number;
}

/* ---- faulty.make: a mask of pseudo-random pixels, which does not pack, and a small table. ---- */

static int make(struct ts_op_call *call) {
  const struct ts_op_view *table = call->inputs[0];
  double factor = call->parameters[0]->real;
  static const char *const names[] = {"y"};
  uint8_t *mask = call->host->output_pixels(call, 0, SIDE, SIDE, 1, TS_OP_U8);
  double *cells = call->host->output_table(call, 1, 1, 1, names);
  if (!mask || !cells) return -1;
  uint64_t state = (uint64_t)(factor * 1000) * 2654435761u + 12345;
  for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    mask[i] = state >> 63 ? 255 : 0;
  }
  cells[0] = 0;
  for (size_t row = 0; row < table->rows; row++) cells[0] += factor * table->cells[row * table->columns];
  return 0;
}

/* ---- faulty.sum: white pixels and the table, weighted. ---- */

static volatile int deepest = 1 << 30;

static int overflow(int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  return depth < deepest ? overflow(depth + 1) + frame[0] : 0;
}

/* A crash in a thread of the operation's own. */
static void *crash_here(void *unused) {
  *(volatile int *)(uintptr_t)sink = 1;
  return unused;
}

static void crash_elsewhere(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, crash_here, NULL) == 0) pthread_join(thread, NULL);
}

/* Says so by making the file FAULTY_WAITING; until the test has made the file FAULTY_GATE. */
static void wait_for_gate(void) {
  const char *path = getenv("FAULTY_GATE"), *told = getenv("FAULTY_WAITING");
  FILE *file = told ? fopen(told, "w") : NULL;
  if (file) fclose(file);
  while (path && access(path, F_OK) != 0) usleep(2000);
}

/* Faults before the output is made. */
static int misbehave(struct ts_op_call *call, int number) {
  if (has_fault("crash", number)) *(volatile int *)(uintptr_t)sink = 1;
  if (has_fault("abort", number)) abort();
  if (has_fault("thread", number)) crash_elsewhere();
  if (has_fault("divide", number)) sink = 12345 / sink;
  if (has_fault("stack", number)) sink = overflow(0);
  while (has_fault("hang", number)) sink++;
  if (has_fault("gate", number)) wait_for_gate();
  if (has_fault("patient", number)) {
    while (!call->host->cancelled(call)) sink++;
    return call->host->fail(call, "no end in sight");
  }
  if (has_fault("refuse", number)) return call->host->fail(call, "the weight is too heavy");
  if (has_fault("input", number)) ((uint8_t *)(uintptr_t)call->inputs[0]->data)[7] ^= 0xff;
  if (has_fault("memory", number)) {
    static const char *const names[] = {"score"};
    return call->host->output_table(call, 0, (size_t)1 << 40, 1, names) ? 0 : -1;
  }
  return 0;
}

static int sum(struct ts_op_call *call) {
  int number = atomic_fetch_add(&calls, 1) + 1;
  static const char *const names[] = {"score"};
  int status = misbehave(call, number);
  if (status != 0 || has_fault("memory", number)) return status;
  if (has_fault("nothing", number)) return 0;
  double *out = call->host->output_table(call, 0, has_fault("empty", number) ? 0 : 1, 1, names);
  if (!out) return -1;
  const uint8_t *mask = call->inputs[0]->data;
  double white = 0;
  for (size_t i = 0; i < call->inputs[0]->size_bytes; i++) white += mask[i] != 0;
  double score = call->parameters[0]->real * white + call->inputs[1]->cells[0];
  if (!has_fault("empty", number))
    out[0] = has_fault("nan", number) ? NAN : has_fault("inf", number) ? INFINITY : score;
  if (has_fault("beyond", number)) out[1] = score;
  if (has_fault("before", number)) ((uint8_t *)out)[-1] = 0;
  return 0;
}

/* ---- faulty.paint: a mask, which may hold what no mask may, or be of another size than its input. ---- */

static int paint(struct ts_op_call *call) {
  int wide = has_fault("wide", 0), nowhere = has_fault("nowhere", 0);
  uint8_t *out = call->host->output_pixels(call, 0, wide ? (int64_t)1 << 40 : nowhere ? 0 : SIDE, SIDE, 1, TS_OP_U8);
  if (!out) return -1;
  memcpy(out, call->inputs[0]->data, (size_t)SIDE * SIDE);
  if (has_fault("grey", 0)) out[1000] = 7;
  if (has_fault("row", 0)) memset(out + (size_t)SIDE * SIDE, 1, 60);
  return 0;
}

static const struct ts_op_port *const make_inputs[] = {TS_OP_PORT("table", "table", "", 0)};
static const struct ts_op_port *const make_outputs[] = {TS_OP_PORT("mask", "mask", "", 0),
                                                        TS_OP_PORT("table", "table", "", 0)};
static const struct ts_op_parameter *const make_parameters[] = {
    TS_OP_PARAMETER("factor", TS_OP_REAL, 0, 100, NULL, "", NULL)};
static const struct ts_op_port *const sum_inputs[] = {TS_OP_PORT("mask", "mask", "", 0),
                                                      TS_OP_PORT("table", "table", "", 0)};
static const struct ts_op_port *const sum_outputs[] = {TS_OP_PORT("table", "table", "", 0)};
static const struct ts_op_parameter *const sum_parameters[] = {
    TS_OP_PARAMETER("weight", TS_OP_REAL, 0, 100, NULL, "", NULL)};
static const struct ts_op_port *const mask_port[] = {TS_OP_PORT("mask", "mask", "", 0)};

#define HEAD TS_OP_DESCRIPTOR_HEAD, .version = 1
static const struct ts_op_descriptor make_operation = {HEAD,
                                                       .name = "faulty.make",
                                                       .inputs = make_inputs,
                                                       .input_count = 1,
                                                       .outputs = make_outputs,
                                                       .output_count = 2,
                                                       .parameters = make_parameters,
                                                       .parameter_count = 1,
                                                       .run = make};
static const struct ts_op_descriptor sum_operation = {HEAD,
                                                      .name = "faulty.sum",
                                                      .inputs = sum_inputs,
                                                      .input_count = 2,
                                                      .outputs = sum_outputs,
                                                      .output_count = 1,
                                                      .parameters = sum_parameters,
                                                      .parameter_count = 1,
                                                      .run = sum};
static const struct ts_op_descriptor paint_operation = {
    HEAD,        .name = "faulty.paint", .inputs = mask_port, .input_count = 1, .outputs = mask_port, .output_count = 1,
    .run = paint};

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *const operations[] = {&make_operation, &sum_operation, &paint_operation};
  *count = sizeof operations / sizeof *operations;
  return host_api == TESSERA_OP_API ? operations : NULL;
}
