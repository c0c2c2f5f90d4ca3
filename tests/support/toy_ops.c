/* The toy operations: hashes that collapse, pixels that move, and a few that misbehave.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/toy_ops.h"

#include "base/alloc.h"
#include "op/implementation.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MEET_SECONDS    20
#define HASH_VALUES     (UINT64_C(1) << 40) /* exact in a double */

atomic_int toy_overlaps;
static atomic_int calls_of_alone;

/* ---- Hashing. ---- */

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
  hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
  return hash ^ (hash >> 31);
}

static uint64_t mix_bytes(uint64_t hash, const void *data, size_t size) {
  const uint8_t *bytes = data;
  for (size_t i = 0; i < size; i++) hash = mix(hash, bytes[i]);
  return mix(hash, size);
}

static uint64_t mix_view(uint64_t hash, const struct ts_op_view *view) {
  hash = mix(hash, (uint64_t)view->kind);
  if (view->kind == TS_OP_TABLE) return mix_bytes(hash, view->cells, view->rows * view->columns * sizeof(double));
  if (view->kind != TS_OP_PIXELS) return hash;
  hash = mix(mix(hash, (uint64_t)view->x), (uint64_t)view->y);
  hash = mix(mix(hash, (uint64_t)view->width), (uint64_t)view->height);
  return mix_bytes(hash, view->data, view->size_bytes);
}

static uint64_t mix_value(uint64_t hash, const struct ts_op_value *value) {
  hash = mix(hash, (uint64_t)value->type);
  if (value->type == TS_OP_STRING) return mix_bytes(hash, value->string, strlen(value->string));
  if (value->type == TS_OP_REAL) return mix_bytes(hash, &value->real, sizeof value->real);
  return mix(hash, (uint64_t)value->integer);
}

uint8_t toy_pixel(const char *path, int64_t x, int64_t y) {
  return (uint8_t)(mix(mix(mix_bytes(11, path, strlen(path)), (uint64_t)x), (uint64_t)y) & 3);
}

/* ---- What each operation needs to know about itself; the descriptor's user pointer. ---- */

struct toy {
  const char *name;
  size_t input_count, parameter_count;
  uint64_t values[2]; /* per output: how many values it may have; 0: many */
};

static uint64_t hash_of(const struct ts_op_call *call) {
  const struct toy *toy = call->user;
  uint64_t hash = mix_bytes(1, toy->name, strlen(toy->name));
  for (size_t i = 0; i < toy->parameter_count; i++) hash = mix_value(hash, call->parameters[i]);
  for (size_t i = 0; i < toy->input_count; i++) hash = mix_view(hash, call->inputs[i]);
  return hash;
}

static int put_table(struct ts_op_call *call, size_t port, uint64_t hash) {
  static const char *const names[] = {"value", "port"};
  const struct toy *toy = call->user;
  double *cells = call->host->output_table(call, port, 1, 2, names);
  if (!cells) return call->host->fail(call, "no table");
  cells[0] = (double)(mix(hash, port) % (toy->values[port] ? toy->values[port] : HASH_VALUES));
  cells[1] = (double)port;
  return 0;
}

static int run_table(struct ts_op_call *call) { return put_table(call, 0, hash_of(call)); }

static int run_pair(struct ts_op_call *call) {
  uint64_t hash = hash_of(call);
  int status = put_table(call, 0, hash);
  return status ? status : put_table(call, 1, hash);
}

static int run_same(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  double *cells = call->host->output_table(call, 0, in->rows, in->columns, in->names);
  if (!cells) return call->host->fail(call, "no table");
  if (in->rows > 0) memcpy(cells, in->cells, in->rows * in->columns * sizeof(double));
  return 0;
}

static int run_risky(struct ts_op_call *call) {
  if (call->parameters[0]->integer == TOY_FAILS_FOR) return call->host->fail(call, TOY_REASON);
  return run_table(call);
}

/* Long enough that calls would meet if they could. */
static int run_alone(struct ts_op_call *call) {
  if (atomic_fetch_add(&calls_of_alone, 1) != 0) atomic_fetch_add(&toy_overlaps, 1);
  uint64_t hash = hash_of(call);
  for (int i = 0; i < 20000; i++) hash = mix(hash, 0);
  int status = put_table(call, 0, hash);
  atomic_fetch_sub(&calls_of_alone, 1);
  return status;
}

/* Waits until another call is inside, for at most a few seconds. */
static int run_meet(struct ts_op_call *call) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards both counters */
  static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  static size_t arrived, left;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += MEET_SECONDS;
  pthread_mutex_lock(&lock);
  size_t pair = arrived++ / 2;
  pthread_cond_broadcast(&changed);
  int status = 0;
  while (arrived < 2 * pair + 2 && status == 0) status = pthread_cond_timedwait(&changed, &lock, &until);
  left++;
  if (left == arrived) arrived = left = 0;
  pthread_mutex_unlock(&lock);
  return status == 0 ? run_table(call) : call->host->fail(call, TOY_REASON);
}

/* ---- Pixels. ---- */

static uint8_t *put_pixels(struct ts_op_call *call, int64_t width, int64_t height) {
  return call->host->output_pixels(call, 0, width, height, 1, TS_OP_U8);
}

static int run_shift(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  const uint8_t *from = in->data;
  uint8_t *to = put_pixels(call, in->width, in->height);
  if (!to) return call->host->fail(call, "no pixels");
  for (size_t i = 0; i < in->size_bytes; i++) to[i] = (uint8_t)((from[i] + call->parameters[0]->integer) & 3);
  return 0;
}

static uint8_t greatest_near(const struct ts_op_view *in, int64_t x, int64_t y) {
  const uint8_t *from = in->data;
  uint8_t most = 0;
  for (int64_t v = y > 0 ? y - 1 : 0; v <= y + 1 && v < in->height; v++) {
    for (int64_t u = x > 0 ? x - 1 : 0; u <= x + 1 && u < in->width; u++) {
      if (from[v * in->width + u] > most) most = from[v * in->width + u];
    }
  }
  return most;
}

static int run_near(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  uint8_t *to = put_pixels(call, in->width, in->height);
  if (!to) return call->host->fail(call, "no pixels");
  for (int64_t i = 0; i < in->width * in->height; i++) to[i] = greatest_near(in, i % in->width, i / in->width);
  return 0;
}

static int run_paint(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  const uint8_t *from = in->data;
  uint64_t hash = mix_view(3, call->inputs[1]);
  uint8_t *to = put_pixels(call, in->width, in->height);
  if (!to) return call->host->fail(call, "no pixels");
  for (size_t i = 0; i < in->size_bytes; i++) to[i] = (uint8_t)((from[i] ^ (hash >> (i % 8))) & 3);
  return 0;
}

/* Unlike shift it hardly ever gives the same pixels for other parameters or inputs. */
static int run_stir(struct ts_op_call *call) {
  const struct ts_op_view *in = call->inputs[0];
  const uint8_t *from = in->data;
  uint8_t *to = put_pixels(call, in->width, in->height);
  if (!to) return call->host->fail(call, "no pixels");
  uint64_t hash = mix(4, (uint64_t)call->parameters[0]->integer);
  for (size_t i = 0; i < in->size_bytes; i++) {
    hash = (hash ^ from[i]) * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    to[i] = (uint8_t)(hash >> 56);
  }
  return 0;
}

static int run_noise(struct ts_op_call *call) {
  int64_t size = call->parameters[0]->integer;
  uint64_t hash = hash_of(call);
  uint8_t *to = put_pixels(call, size, size);
  if (!to) return call->host->fail(call, "no pixels");
  for (int64_t i = 0; i < size * size; i++) {
    hash = hash * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    to[i] = (uint8_t)(hash >> 56);
  }
  return 0;
}

/* ---- Reading: what a path holds follows from the path. ---- */

enum { READ_X, READ_Y, READ_WIDTH, READ_HEIGHT, READ_LEVEL, READ_AS };

static int run_image_read(struct ts_op_call *call) {
  const struct ts_op_value *const *values = call->parameters;
  int64_t width = values[READ_WIDTH]->integer;
  int64_t height = values[READ_HEIGHT]->integer;
  uint8_t *to = put_pixels(call, width, height);
  if (!to) return call->host->fail(call, "no pixels");
  for (int64_t i = 0; i < width * height; i++)
    to[i] = toy_pixel(call->inputs[0]->path, values[READ_X]->integer + i % width, values[READ_Y]->integer + i / width);
  call->host->output_place(call, 0,
                           TS_OP_PLACE(.x = values[READ_X]->integer, .y = values[READ_Y]->integer,
                                       .level = (int32_t)values[READ_LEVEL]->integer));
  call->host->output_type(call, 0, values[READ_AS]->string);
  return 0;
}

static int run_table_read(struct ts_op_call *call) {
  if (strncmp(call->inputs[0]->path, TOY_MISSING "/", strlen(TOY_MISSING "/")) == 0)
    return call->host->fail(call, TOY_REASON);
  static const char *const names[] = {"value", "port"};
  uint64_t hash = mix_bytes(5, call->inputs[0]->path, strlen(call->inputs[0]->path));
  size_t rows = 1 + hash % 2;
  double *cells = call->host->output_table(call, 0, rows, 2, names);
  if (!cells) return call->host->fail(call, "no table");
  for (size_t i = 0; i < 2 * rows; i++) cells[i] = (double)(mix(hash, i) % HASH_VALUES);
  return 0;
}

static int run_bytes_read(struct ts_op_call *call) {
  size_t length = strlen(call->inputs[0]->path);
  char *to = call->host->output_bytes(call, 0, length);
  if (!to) return call->host->fail(call, "no bytes");
  memcpy(to, call->inputs[0]->path, length);
  return 0;
}

/* ---- Canonical forms. ---- */

static void by_pairs(struct ts_op_value *value) { value->integer = value->integer / 2 * 2; }
static void modulo_four(struct ts_op_value *value) { value->integer %= 4; }
static void by_halves(struct ts_op_value *value) { value->real = floor(value->real * 2) / 2; }
static void without_case(struct ts_op_value *value) {
  static const char *const words[] = {"red", "green"};
  for (size_t i = 0; i < COUNT_OF(words); i++) {
    if (tolower((unsigned char)value->string[0]) == words[i][0]) value->string = words[i];
  }
}

/* ---- Descriptors. ---- */

#define TABLE(port) TS_OP_PORT(.name = (port), .type = "table", .help = "")
#define MAYBE(port) TS_OP_PORT(.name = (port), .type = "table", .help = "", .optional = 1)
#define IMAGE(port) TS_OP_PORT(.name = (port), .type = "image/gray8", .help = "")
#define DIGIT(parameter, form)                                                                                         \
  TS_OP_PARAMETER(.name = (parameter), .type = TS_OP_INTEGER, .low = 0, .high = 9, .help = "", .canonical = (form))
#define PLACE(parameter) TS_OP_PARAMETER(.name = (parameter), .type = TS_OP_INTEGER, .low = 1, .high = 0, .help = "")

static const struct ts_op_port *const a_port[] = {TABLE("a")};
static const struct ts_op_port *const a_b_ports[] = {TABLE("a"), MAYBE("b")};
static const struct ts_op_port *const a_b_c_ports[] = {TABLE("a"), MAYBE("b"), MAYBE("c")};
static const struct ts_op_port *const image_port[] = {IMAGE("image")};
static const struct ts_op_port *const image_a_ports[] = {IMAGE("image"), TABLE("a")};
static const struct ts_op_port *const out_port[] = {TABLE("out")};
static const struct ts_op_port *const pair_ports[] = {TABLE("first"), TABLE("second")};
static const struct ts_op_port *const file_port[] = {TS_OP_PORT(.name = "file", .type = "file", .help = "")};
static const struct ts_op_port *const any_image_port[] = {
    TS_OP_PORT(.name = "image", .type = "image/gray8|mask", .help = "")};
static const struct ts_op_port *const table_port[] = {TABLE("table")};
static const struct ts_op_port *const bytes_port[] = {TS_OP_PORT(.name = "bytes", .type = "bytes", .help = "")};

static const char *const words[] = {"red", "Red", "green", "Green", NULL};
static const struct ts_op_parameter *const p_only[] = {DIGIT("p", NULL)};
static const struct ts_op_parameter *const p_pairs[] = {DIGIT("p", by_pairs)};
static const struct ts_op_parameter *const p_modulo[] = {DIGIT("p", modulo_four)};
static const struct ts_op_parameter *const p_q[] = {DIGIT("p", NULL), DIGIT("q", NULL)};
static const struct ts_op_parameter *const s_flag[] = {
    TS_OP_PARAMETER(.name = "s", .type = TS_OP_STRING, .choices = words, .help = "", .canonical = without_case),
    TS_OP_PARAMETER(.name = "flag", .type = TS_OP_BOOLEAN, .help = "")};
static const struct ts_op_parameter *const r_p[] = {
    TS_OP_PARAMETER(.name = "r", .type = TS_OP_REAL, .low = 0, .high = 9, .help = "", .canonical = by_halves),
    DIGIT("p", NULL)};
static const struct ts_op_parameter *const size_p[] = {PLACE("size"), DIGIT("p", NULL)};
static const struct ts_op_parameter *const read_parameters[] = {
    PLACE("x"),      PLACE("y"),     PLACE("width"),
    PLACE("height"), PLACE("level"), TS_OP_PARAMETER(.name = "as", .type = TS_OP_STRING, .help = "")};

#define TOY(title, ins, outs, function)                                                                                \
  TS_OP_DESCRIPTOR_HEAD, .name = (title), .version = 1, .help = "", .inputs = (ins), .input_count = COUNT_OF(ins),     \
                         .outputs = (outs), .output_count = COUNT_OF(outs), .run = (function)
#define TAKES(list) .parameters = (list), .parameter_count = COUNT_OF(list)
#define SELF(...)                                                                                                      \
  .user = &(struct toy) { __VA_ARGS__ }

/* In order of names: their digests are found by a binary search. */
static const struct ts_op_descriptor operations[] = {
    {TOY("bytes.read", file_port, bytes_port, run_bytes_read)},
    {TOY("image.read", file_port, any_image_port, run_image_read), TAKES(read_parameters)},
    {TOY("table.read", file_port, table_port, run_table_read)},
    {TOY("toy.alone", a_port, out_port, run_alone), TAKES(p_only), SELF("alone", 1, 1, {0}), .not_thread_safe = 1},
    {TOY("toy.blank", image_port, out_port, run_table), TAKES(p_q), SELF("blank", 1, 2, {2})},
    {TOY("toy.fold", a_port, out_port, run_table), TAKES(p_pairs), SELF("fold", 1, 1, {3})},
    {TOY("toy.join", a_b_c_ports, out_port, run_table), SELF("join", 3, 0, {0})},
    {TOY("toy.meet", a_port, out_port, run_meet), TAKES(p_only), SELF("meet", 1, 1, {0})},
    {TOY("toy.mix", a_b_ports, out_port, run_table), TAKES(p_only), SELF("mix", 2, 1, {0})},
    {TOY("toy.near", image_port, image_port, run_near), .reach = TS_OP_REACH_RADIUS, .radius_px = 1},
    {TOY("toy.noise", a_port, image_port, run_noise), TAKES(size_p), SELF("noise", 1, 2, {0})},
    {TOY("toy.paint", image_a_ports, image_port, run_paint)},
    {TOY("toy.pair", a_b_ports, pair_ports, run_pair), TAKES(s_flag), SELF("pair", 2, 2, {0, 2})},
    {TOY("toy.risky", a_port, out_port, run_risky), TAKES(p_only), SELF("risky", 1, 1, {0})},
    {TOY("toy.round", a_port, out_port, run_table), TAKES(r_p), SELF("round", 1, 2, {0})},
    {TOY("toy.same", a_port, out_port, run_same)},
    {TOY("toy.shift", image_port, image_port, run_shift), TAKES(p_modulo)},
    {TOY("toy.stat", image_port, out_port, run_table), TAKES(p_only), SELF("stat", 1, 1, {0})},
    {TOY("toy.stir", image_port, image_port, run_stir), TAKES(p_only)},
};

struct ts_registry *toy_registry_create(void) {
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

uint64_t toy_executions(const struct ts_registry *registry) {
  uint64_t sum = 0;
  for (size_t i = 0; i < ts_registry_count(registry); i++) {
    struct ts_op *op = ts_registry_at(registry, i);
    if (strncmp(op->descriptor->name, "toy.", 4) == 0) sum += atomic_load(&op->executions);
  }
  return sum;
}

int toy_set_up(void **state) {
  *state = toy_registry_create();
  return 0;
}

int toy_tear_down(void **state) {
  ts_registry_destroy(*state);
  return 0;
}
