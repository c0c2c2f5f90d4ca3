/* The pixel size is part of keys and identities of the operations that read it, and of no others.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/const.h"
#include "op/implementation.h"
#include "support/toy_run.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The same pixels whatever comes in: what follows differs in lineage and not in content. */
static int flatten(struct ts_op_call *call) {
  uint8_t *out = call->host->output_pixels(call, 0, 2, 2, 1, TS_OP_U8);
  if (!out) return -1;
  memset(out, 7, 4);
  call->host->output_place(call, 0, TS_OP_PLACE(.x = 0));
  return 0;
}

/* The pixel size that it sees. */
static int look(struct ts_op_call *call) {
  static const char *const names[] = {"x", "y"};
  double *cells = call->host->output_table(call, 0, 1, 2, names);
  if (!cells) return -1;
  cells[0] = call->inputs[0]->pixel_size_x_um;
  cells[1] = call->inputs[0]->pixel_size_y_um;
  return 0;
}

static const struct ts_op_port *const image[] = {TS_OP_PORT("image", "image/gray8", "")};
static const struct ts_op_port *const table[] = {TS_OP_PORT("out", "table", "")};
static const struct ts_op_descriptor flatten_operation = {
    TS_OP_DESCRIPTOR_HEAD, .name = "size.flatten", .version = 1,      .inputs = image,
    .input_count = 1,      .outputs = image,       .output_count = 1, .run = flatten};
static const struct ts_op_descriptor reads_operation = {
    TS_OP_DESCRIPTOR_HEAD, .name = "size.reads", .version = 1, .inputs = image,      .input_count = 1,
    .outputs = table,      .output_count = 1,    .run = look,  .reads_pixel_size = 1};
static const struct ts_op_descriptor blind_operation = {TS_OP_DESCRIPTOR_HEAD, .name = "size.blind", .version = 1,
                                                        .inputs = image,       .input_count = 1,     .outputs = table,
                                                        .output_count = 1,     .run = look};

static const char workflow[] =
    "{\"tessera\": 1, \"name\": \"sizes\", \"inputs\": {\"image\": {\"type\": \"image/gray8\"}}, \"parameters\": {},"
    " \"stages\": [{\"name\": \"s\", \"per\": \"file\", \"in\": {\"image\": \"image\"},"
    " \"out\": {\"seen\": \"reads.out\", \"blind\": \"blind.out\"}, \"tasks\": ["
    "{\"name\": \"flat\", \"op\": \"size.flatten\", \"in\": {\"image\": \"image\"}},"
    "{\"name\": \"reads\", \"op\": \"size.reads\", \"in\": {\"image\": \"flat.image\"}},"
    "{\"name\": \"blind\", \"op\": \"size.blind\", \"in\": {\"image\": \"flat.image\"}}]},"
    /* Opens all files at once, so that contents are compared between them also without a store. */
    " {\"name\": \"all\", \"per\": \"dataset\", \"in\": {\"a\": \"s.seen\"}, \"out\": {\"out\": \"join.out\"},"
    " \"tasks\": [{\"name\": \"join\", \"op\": \"toy.same\", \"in\": {\"a\": \"a\"}}]}]}";
enum { FLAT, READS, BLIND };

struct seen {
  const struct ts_plan *plan;
  double x[2], y[2]; /* per file, as size.reads saw it */
};

static void on_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct seen *seen = user;
  (void)port;
  if (seen->plan->nodes[node].kind != TS_NODE_TASK || seen->plan->nodes[node].task != READS) return;
  seen->x[unit] = ts_data_cells(data)[0];
  seen->y[unit] = ts_data_cells(data)[1];
}

static struct ts_registry *create_registry(void) {
  static const struct ts_op_descriptor *const all[] = {&blind_operation, &flatten_operation, &reads_operation};
  struct ts_implementation implementations[COUNT_OF(all)];
  memset(implementations, 0, sizeof implementations);
  for (size_t i = 0; i < COUNT_OF(all); i++) implementations[i].operation = all[i]->name;
  struct ts_registry *registry = toy_registry_create();
  ts_registry_add_built_in(registry, all, COUNT_OF(all), implementations, COUNT_OF(all));
  return registry;
}

struct row {
  const char *names[2]; /* equal names: equal files */
  double sizes_um[2];
  uint64_t reads, blind; /* how often they are executed */
};

static void check_row(struct ts_registry *registry, const struct row *row, struct ts_store *store) {
  const struct toy_image images[] = {{row->names[0], 3, 3}, {row->names[1], 3, 3}};
  struct toy_case toy = {0};
  struct toy_dataset data;
  struct ts_run_result result = {0};
  struct ts_error err = {0};
  toy_case_init(&toy, workflow, registry);
  toy_dataset_init(&data, &toy, images, 2, 0, 0);
  struct ts_plan *plan = toy_case_plan(&toy);
  struct ts_item *items = ts_without_const(data.dataset.items);
  for (size_t i = 0; i < 2; i++) items[i].pixel_size = (struct ts_pixel_size){row->sizes_um[i], 2 * row->sizes_um[i]};
  struct seen seen = {.plan = plan};
  const struct ts_run_options options = {
      .threads = 1, .registry = registry, .store = store, .run_id = "", .user = &seen, .on_product = on_product};
  if (!ts_run(plan, &data.dataset, &options, &result, &err)) fail_msg("%s", err.text);
  assert_int_equal(result.tasks[READS].by_outcome[TS_OUTCOME_EXECUTED], row->reads);
  assert_int_equal(result.tasks[BLIND].by_outcome[TS_OUTCOME_EXECUTED], row->blind);
  for (size_t i = 0; i < 2; i++) assert_true(seen.x[i] == row->sizes_um[i] && seen.y[i] == 2 * row->sizes_um[i]);
  ts_run_result_release(&result);
  ts_plan_destroy(plan);
  toy_dataset_release(&data);
  toy_case_release(&toy);
}

static void equal_pixels_of_other_sizes_are_other_inputs(void **state) {
  static const struct row rows[] = {{{"a", "b"}, {0.25, 0.5}, 2, 1},
                                    {{"a", "b"}, {0.25, 0.25}, 1, 1},
                                    {{"a", "a"}, {0.25, 0.5}, 2, 1},
                                    {{"a", "b"}, {0, 0.5}, 2, 1},
                                    {{"a", "b"}, {0, 0}, 1, 1}};
  for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
    struct ts_store *store = i % 2 ? toy_store_open(NULL) : NULL;
    check_row(*state, &rows[i / 2], store);
    if (store) ts_store_close(store);
  }
}

/* A product in the store is found again under the same size, by lineage, and not under another. */
static void the_store_keeps_sizes_apart(void **state) {
  struct ts_store *store = toy_store_open(NULL);
  check_row(*state, &(struct row){{"a", "b"}, {0.25, 0.5}, 2, 1}, store);
  check_row(*state, &(struct row){{"a", "b"}, {0.25, 0.5}, 0, 0}, store);
  check_row(*state, &(struct row){{"a", "b"}, {0.5, 0.25}, 0, 0}, store); /* the content of the other file */
  check_row(*state, &(struct row){{"a", "b"}, {0.5, 1}, 1, 0}, store);
  ts_store_close(store);
}

static int set_up(void **state) {
  *state = create_registry();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_pixels_of_other_sizes_are_other_inputs),
      cmocka_unit_test(the_store_keeps_sizes_apart),
  };
  return cmocka_run_group_tests(tests, set_up, toy_tear_down);
}
