/* When memory is short: from where on products are dropped, in which order, and how many. Nothing is computed or timed.
 * SPDX-License-Identifier: Apache-2.0
 *
 * An engine made by hand holds products whose costs are given. Their pixels are never touched, so that the process has
 * fewer bytes in memory than blocks in use, and nothing beside the blocks counts against the budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/block.h"
#include "run/run_int.h"

#include <string.h>

#define PERCENT_BYTES ((int64_t)4 << 20) /* of the budget */
#define BUDGET_BYTES  (100 * PERCENT_BYTES)
#define MOST_CONTENTS 80

struct product {
  int percent; /* of the budget */
  double cpu_s;
  bool is_durable;
  int pins;
};

/* One task that is about to start, and the products that wait for other readers. */
struct subject {
  struct ts_op_descriptor descriptor;
  struct ts_op op;
  struct ts_op *source_ops[1];
  struct ts_node node;
  struct ts_plan plan;
  struct ts_tile tile;
  struct ts_item_source source;
  struct ts_item item;
  size_t tile_item;
  struct ts_dataset dataset;
  struct ts_run_options options;
  struct ts_run_result result;
  struct engine engine;
  struct window window;
  struct instance instance;
  struct content contents[MOST_CONTENTS], *all[MOST_CONTENTS];
  struct ts_data *data[MOST_CONTENTS];
  size_t sizes[MOST_CONTENTS];
};

static struct ts_data *create_pixels(int percent) {
  struct ts_error err = {0};
  struct ts_region region = {.width = 1024, .height = percent * PERCENT_BYTES / 1024 - 8}; /* room for a block's head */
  struct ts_data *data = ts_data_create_pixels(ts_type_find("image/gray8"), &region, &err);
  if (!data) fail_msg("%s", err.text);
  return data;
}

/* A task that reads a tile, of which every pixel takes a byte per channel and element byte, and as many again for
 * scratch: as RGB it needs that part of the budget. */
struct reader {
  double need_percent;
  const char *type;
  enum ts_scope scope;
};

static uint64_t needed_bytes; /* by the operation, as it says itself */

static void make_task(struct subject *s, const struct reader *reader) {
  s->descriptor = (struct ts_op_descriptor){.struct_bytes = sizeof s->descriptor, .scratch_per_input_byte = 1};
  s->op.descriptor = &s->descriptor;
  s->op.needs.memory_bytes = needed_bytes;
  s->source_ops[0] = &s->op;
  s->node = (struct ts_node){.kind = TS_NODE_SOURCE, .scope = reader->scope};
  s->plan = (struct ts_plan){.nodes = &s->node, .node_count = 1};
  s->tile.region.width = (int64_t)(reader->need_percent * PERCENT_BYTES / 6);
  s->tile.region.height = 1;
  s->tile.core = s->tile.region;
  s->source.type = ts_type_find(reader->type);
  s->item = (struct ts_item){.sources = &s->source, .tile_count = 1};
  s->dataset = (struct ts_dataset){
      .items = &s->item, .item_count = 1, .tiles = &s->tile, .tile_items = &s->tile_item, .tile_count = 1};
}

static void add_product(struct subject *s, const struct product *product) {
  size_t i = s->window.contents.all_count++;
  s->data[i] = create_pixels(product->percent);
  s->sizes[i] = ts_data_size_bytes(s->data[i]);
  s->all[i] = &s->contents[i];
  s->contents[i] = (struct content){.state = CONTENT_DONE,
                                    .out = {.count = 1, .data = &s->data[i], .sizes = &s->sizes[i]},
                                    .cpu_s = product->cpu_s,
                                    .is_durable = product->is_durable,
                                    .pins = product->pins};
}

static void release(struct subject *s) {
  for (size_t i = 0; i < s->window.contents.all_count; i++) ts_data_unref(s->data[i]);
  pthread_mutex_destroy(&s->engine.lock);
  s->window.contents.all_count = 0;
  ts_blocks_set_limit(&s->engine.block_limit, 0);
  ts_blocks_trim();
}

/* The task starts; afterwards s->data says what is still there. */
static void start_reader(struct subject *s, const struct product *products, size_t count, const struct reader *reader) {
  if (s->window.contents.all_count > 0) release(s); /* a test has failed */
  *s = (struct subject){.options.memory_bytes = BUDGET_BYTES};
  make_task(s, reader);
  s->engine = (struct engine){.plan = &s->plan,
                              .dataset = &s->dataset,
                              .options = &s->options,
                              .result = &s->result,
                              .env.source_ops = s->source_ops,
                              .first_open = &s->window};
  s->window = (struct window){.engine = &s->engine, .contents.all = s->all};
  uint64_t before_bytes = ts_blocks_used_bytes(), percent = 0;
  for (size_t i = 0; i < count; i++) {
    add_product(s, &products[i]);
    percent += (uint64_t)products[i].percent;
  }
  assert_in_range(ts_blocks_used_bytes() - before_bytes, percent * PERCENT_BYTES - PERCENT_BYTES / 4,
                  percent * PERCENT_BYTES);
  pthread_mutex_init(&s->engine.lock, NULL);
  pthread_mutex_lock(&s->engine.lock);
  ts_memory_enter(&s->engine, &s->window, &s->instance);
  assert_int_equal(s->engine.stray_bytes, 0);
  ts_memory_leave(&s->engine, &s->instance);
  pthread_mutex_unlock(&s->engine.lock);
}

static void start_task(struct subject *s, const struct product *products, size_t count, double need_percent) {
  start_reader(s, products, count, &(struct reader){need_percent, "image/rgb8", TS_PER_TILE});
}

/* The letters of the products that are still there. */
static void assert_left(const struct subject *s, const char *expected) {
  char left[MOST_CONTENTS + 1];
  size_t length = 0;
  for (size_t i = 0; i < s->window.contents.all_count; i++) {
    if (s->data[i]) left[length++] = (char)('A' + i);
  }
  left[length] = '\0';
  assert_string_equal(left, expected);
}

/* 80 % are in use. Per second of computing it again, B frees 10 % of the budget, F 6.7, D 5, C 2.5, A 1.25, E 1.18. */
static const struct product six[] = {{10, 8, false, 0}, {10, 1, false, 0},  {10, 4, false, 0},
                                     {10, 2, false, 0}, {20, 17, false, 0}, {20, 3, false, 0}};

static void the_most_bytes_per_second_go_first(void **state) {
  struct subject *s = *state;
  start_task(s, six, 6, 24); /* 29 % have to go, to get down to 75 % */
  assert_left(s, "ACDE");
  assert_int_equal(s->result.dropped, 2);
  assert_int_equal(s->result.spilled, 0);
  release(s);
  start_task(s, six, 6, 44);
  assert_left(s, "AE");
  release(s);
}

/* The store has A: loading 40 MiB takes far less than a second, however long they took to compute. */
static void what_the_store_keeps_costs_its_loading(void **state) {
  struct subject *s = *state;
  struct product products[6];
  memcpy(products, six, sizeof six);
  products[0] = (struct product){10, 1000, true, 0};
  start_task(s, products, 6, 4.5);
  assert_left(s, "BCDEF");
  assert_int_equal(s->result.dropped, 1);
  assert_int_equal(s->result.spilled, 1);
  release(s);
}

static void what_a_task_is_about_to_read_stays(void **state) {
  struct subject *s = *state;
  struct product products[6];
  memcpy(products, six, sizeof six);
  products[1].pins = 1;
  start_task(s, products, 6, 24);
  assert_left(s, "ABCE"); /* F and D go instead */
  release(s);
}

/* Up to 84 % of the budget nothing is dropped; from there on as much as it takes to get down to 75 %. */
static void two_marks(void **state) {
  static const struct {
    double need_percent;
    uint64_t dropped; /* of 80 products of 1 % each */
  } rows[] = {{0.5, 0}, {3.5, 0}, {4.5, 10}, {5.5, 11}, {19.5, 25}};
  struct subject *s = *state;
  struct product products[MOST_CONTENTS];
  for (size_t i = 0; i < MOST_CONTENTS; i++) products[i] = (struct product){.percent = 1, .cpu_s = 1};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    start_task(s, products, MOST_CONTENTS, rows[i].need_percent);
    if (s->result.dropped != rows[i].dropped)
      fail_msg("a task of %g %% dropped %llu products, not %llu", rows[i].need_percent,
               (unsigned long long)s->result.dropped, (unsigned long long)rows[i].dropped);
    release(s);
  }
}

/* 44 % as RGB are 14.7 % in grey, a byte per pixel, and 58.7 % as labels, four bytes, beside which not even E fits.
 * A whole image counts as a tile does. */
static void the_type_of_a_tile_counts(void **state) {
  struct subject *s = *state;
  static const struct {
    const char *type, *left;
  } rows[] = {{"image/gray8", "ACDE"}, {"image/rgb8", "AE"}, {"labels", ""}, {"table", "ABCDEF"}};
  for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
    start_reader(s, six, 6, &(struct reader){44, rows[i / 2].type, i % 2 ? TS_PER_FILE : TS_PER_TILE});
    assert_left(s, rows[i / 2].left);
    release(s);
  }
}

/* An operation that says what it needs gets at least that, however small its tile. */
static void declared_needs_are_reserved(void **state) {
  struct subject *s = *state;
  needed_bytes = 24 * PERCENT_BYTES;
  start_task(s, six, 6, 1);
  assert_left(s, "ACDE");
  release(s);
  start_task(s, six, 6, 44);
  assert_left(s, "AE");
  release(s);
  needed_bytes = 0;
}

static int set_up(void **state) {
  static struct subject subject;
  *state = &subject;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_most_bytes_per_second_go_first), cmocka_unit_test(what_the_store_keeps_costs_its_loading),
      cmocka_unit_test(what_a_task_is_about_to_read_stays), cmocka_unit_test(two_marks),
      cmocka_unit_test(the_type_of_a_tile_counts),          cmocka_unit_test(declared_needs_are_reserved),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
