/* Identities of tasks: bytes are equal exactly when kind, operation, parameters and inputs are.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "support/toy_case.h"

#include <stdlib.h>
#include <string.h>

#define COUNT 400 /* all pairs of them are compared */

/* Few of everything, so that many are equal; strings and lists that are beginnings of others. */
static const char *const words[] = {"", "a", "ab", "a\x01"};
static const struct ts_value short_items[] = {{.type = TS_VALUE_INTEGER, .as.integer = 1}};
static const struct ts_value long_items[] = {{.type = TS_VALUE_INTEGER, .as.integer = 1},
                                             {.type = TS_VALUE_STRING, .as.string = ""}};
static const struct ts_value_list lists[] = {{0, NULL}, {1, short_items}, {2, long_items}};

static struct ts_value draw_value(struct ts_random *random) {
  switch (ts_random_below(random, 5)) {
  case 0: return ts_value_integer((int64_t)ts_random_below(random, 2));
  case 1: return ts_value_real((double)ts_random_below(random, 2));
  case 2: return ts_value_boolean(ts_random_below(random, 2) == 1);
  case 3: return ts_value_string(words[ts_random_below(random, 4)]);
  default: return (struct ts_value){.type = TS_VALUE_LIST, .as.list = &lists[ts_random_below(random, 3)]};
  }
}

struct drawn {
  struct ts_identity identity;
  struct ts_value parameters[2];
  uint64_t inputs[2];
  struct ts_str bytes;
};

static void draw(struct drawn *drawn, struct ts_random *random) {
  *drawn = (struct drawn){0};
  for (size_t i = 0; i < 2; i++) drawn->parameters[i] = draw_value(random);
  for (size_t i = 0; i < 2; i++) drawn->inputs[i] = ts_random_below(random, 2);
  drawn->identity = (struct ts_identity){.kind = (enum ts_node_kind)ts_random_below(random, 2),
                                         .operation = ts_random_below(random, 2) << 40,
                                         .parameters = drawn->parameters,
                                         .parameter_count = (uint32_t)ts_random_below(random, 3),
                                         .inputs = drawn->inputs,
                                         .input_count = (uint32_t)ts_random_below(random, 3),
                                         .input_bytes = sizeof drawn->inputs[0]};
  ts_identity_add(&drawn->identity, &drawn->bytes);
}

static bool is_equal(const struct drawn *a, const struct drawn *b) {
  const struct ts_identity *x = &a->identity, *y = &b->identity;
  if (x->kind != y->kind || x->operation != y->operation) return false;
  if (x->parameter_count != y->parameter_count || x->input_count != y->input_count) return false;
  for (size_t i = 0; i < x->parameter_count; i++) {
    if (!ts_value_equal(&a->parameters[i], &b->parameters[i])) return false;
  }
  for (size_t i = 0; i < x->input_count; i++) {
    if (a->inputs[i] != b->inputs[i]) return false;
  }
  return true;
}

static void bytes_are_equal_exactly_when_identities_are(void **state) {
  (void)state;
  struct drawn *drawn = ts_calloc(COUNT, sizeof *drawn);
  struct ts_random random;
  ts_random_init(&random, 31, 0);
  size_t equal = 0;
  for (size_t i = 0; i < COUNT; i++) draw(&drawn[i], &random);
  for (size_t i = 0; i < COUNT; i++) {
    for (size_t j = 0; j < i; j++) {
      const struct ts_str *a = &drawn[i].bytes, *b = &drawn[j].bytes;
      bool same = a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
      assert_true(same == is_equal(&drawn[i], &drawn[j]));
      equal += same;
    }
  }
  assert_true(equal > 100);
  for (size_t i = 0; i < COUNT; i++) ts_str_release(&drawn[i].bytes);
  free(drawn);
}

static bool nodes_equal(const struct ts_plan *plan, const struct ts_node *a, const struct ts_node *b) {
  if (a->kind != b->kind || a->scope != b->scope || a->task != b->task || a->input_count != b->input_count)
    return false;
  for (size_t i = 0; i < a->input_count; i++) {
    if (a->inputs[i].node != b->inputs[i].node || a->inputs[i].port != b->inputs[i].port) return false;
  }
  size_t count = a->kind == TS_NODE_TASK ? plan->workflow->tasks[a->task].op->descriptor->parameter_count : 0;
  for (size_t i = 0; i < count; i++) {
    if (!ts_value_equal(&a->parameters[i], &b->parameters[i])) return false;
  }
  return true;
}

/* A plan that shares tasks has no two nodes of one identity; one that shares nothing has many. */
static void nodes_are_shared_exactly_when_equal(void **state) {
  static const struct toy_settings settings = {.stages = 3, .tasks = 3, .sets = 6, .digits = 2};
  size_t equal = 0;
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct toy_case toy;
    toy_case_draw(&toy, *state, &settings, seed);
    toy.options.chain = false;
    toy.options.merge = seed % 2 == 0 ? TS_MERGE_LINEAGE : TS_MERGE_NONE;
    struct ts_plan *plan = toy_case_plan(&toy);
    ts_auto(ts_str_release) struct ts_str x = {0}, y = {0};
    for (size_t a = 0; a < plan->node_count; a++) {
      ts_str_clear(&x);
      ts_node_add_identity(plan->workflow, &plan->nodes[a], &x);
      for (size_t b = 0; b < a; b++) {
        ts_str_clear(&y);
        ts_node_add_identity(plan->workflow, &plan->nodes[b], &y);
        bool same = x.length == y.length && memcmp(x.data, y.data, x.length) == 0;
        assert_true(same == nodes_equal(plan, &plan->nodes[a], &plan->nodes[b]));
        assert_false(same && toy.options.merge == TS_MERGE_LINEAGE);
        equal += same;
      }
    }
    ts_plan_destroy(plan);
    toy_case_release(&toy);
  }
  assert_true(equal > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_are_equal_exactly_when_identities_are),
                                     cmocka_unit_test(nodes_are_shared_exactly_when_equal)};
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
