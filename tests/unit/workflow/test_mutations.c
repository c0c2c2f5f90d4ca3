/* Damaged workflow files: random changes of the nuclei workflow give a workflow or faults with places, never a crash.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "workflow/workflow.h"

#include "operations.h"

#include <stdio.h>
#include <unistd.h>

#define TEXT_ROUNDS 1000
#define TREE_ROUNDS 1500

static uint64_t random_state = 88172645463325252u;

static size_t draw(size_t below) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (size_t)(random_state % below);
}

struct counts {
  size_t fine;
  size_t faulty;
};

static void judge(struct ts_workflow *workflow, struct ts_faults *faults, struct counts *counts) {
  assert_int_equal(workflow != NULL, faults->count == 0);
  for (size_t i = 0; i < faults->count; i++) {
    const struct ts_error *fault = &faults->items[i];
    assert_true(fault->code != TS_ERR_OK && fault->text[0] != '\0' && fault->help[0] != '\0');
    assert_true(fault->where.line >= 1 && fault->where.column >= 1);
  }
  for (size_t i = 0; workflow && i < workflow->task_count; i++) {
    const struct ts_task *task = &workflow->tasks[i];
    for (size_t j = 0; j < task->op->descriptor->input_count; j++) {
      if (task->inputs[j].kind == TS_SOURCE_TASK) assert_true(task->inputs[j].index < i);
    }
  }
  *(workflow ? &counts->fine : &counts->faulty) += 1;
  ts_workflow_destroy(workflow);
  ts_faults_release(faults);
}

static void read_nuclei(struct ts_str *text) {
  const char *root = getenv("TESSERA_SOURCE_DIR");
  ts_auto_free char *path = ts_path_join(root ? root : ".", "workflows/nuclei-tiles/workflow.json");
  struct ts_error err = {0};
  if (!ts_file_read(path, 0, text, &err)) fail_msg("%s", err.text);
}

/* Removes, doubles or overwrites a few bytes. */
static void damage_text(struct ts_str *text) {
  static const char marks[] = "{}[]\",:.0179-eE <tfn\\u/aR\n\x01\xc3";
  for (size_t i = 1 + draw(3); i > 0; i--) {
    size_t at = draw(text->length - 40);
    size_t length = 1 + draw(30);
    switch (draw(4)) {
    case 0: text->data[at] = marks[draw(sizeof marks - 1)]; break;
    case 1: memmove(text->data + at, text->data + at + length, length); break;
    case 2: memset(text->data + at, ' ', length); break;
    default: memmove(text->data + at, text->data + draw(text->length - 40), length); break;
    }
  }
}

static void test_damaged_text(void **state) {
  (void)state;
  struct ts_registry *registry = create_test_registry();
  struct ts_str original = {0};
  read_nuclei(&original);
  char path[] = "/tmp/tessera-test-XXXXXX";
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  struct counts counts = {0};
  for (int round = 0; round < TEXT_ROUNDS; round++) {
    struct ts_str text = {0};
    struct ts_error err = {0};
    ts_str_add_bytes(&text, original.data, original.length);
    damage_text(&text);
    assert_true(ts_file_write(path, text.data, text.length, &err));
    struct ts_faults faults = {0};
    judge(ts_workflow_read(path, registry, &faults), &faults, &counts);
    ts_str_release(&text);
  }
  unlink(path);
  print_message("text: %zu fine, %zu with faults\n", counts.fine, counts.faulty);
  assert_true(counts.fine > 0 && counts.faulty > TEXT_ROUNDS / 2);
  ts_str_release(&original);
  ts_registry_destroy(registry);
}

/* A random value below the root: its parent, and its key or index there. */
struct spot {
  json_t *parent;
  const char *key;
  size_t index;
};

static json_t *value_at(const struct spot *spot) {
  return spot->key ? json_object_get(spot->parent, spot->key) : json_array_get(spot->parent, spot->index);
}

static struct spot draw_spot(json_t *root) {
  struct spot spot = {.parent = root};
  for (json_t *value = root;;) {
    spot.parent = value;
    spot.key = NULL;
    if (json_is_object(value)) {
      void *entry = json_object_iter(value);
      for (size_t skip = draw(json_object_size(value)); skip > 0; skip--) entry = json_object_iter_next(value, entry);
      spot.key = json_object_iter_key(entry);
    } else {
      spot.index = draw(json_array_size(value));
    }
    value = value_at(&spot);
    bool deeper = (json_is_object(value) && json_object_size(value) > 0) || json_array_size(value) > 0;
    if (!deeper || draw(5) == 0) return spot;
  }
}

static json_t *draw_value(json_t *root) {
  static const char *const words[] = {"image", "segment", "background.rc", "segment.mask", "",
                                      ".",     "G1 < G2", "tile",          "a b"};
  struct spot other = draw_spot(root);
  switch (draw(8)) {
  case 0: return json_integer((json_int_t)draw(300) - 20);
  case 1: return json_real((double)draw(1000) / 8);
  case 2: return json_string(words[draw(COUNT_OF(words))]);
  case 3: return json_null();
  case 4: return json_object();
  case 5: return json_array();
  case 6: return json_boolean(draw(2));
  default: return json_deep_copy(value_at(&other));
  }
}

static void damage_tree(json_t *root) {
  struct spot spot = draw_spot(root);
  json_t *value = draw_value(root);
  size_t kind = draw(3);
  if (!spot.key) {
    if (kind == 0) {
      json_array_remove(spot.parent, spot.index);
      json_decref(value);
    } else if (kind == 1) {
      json_array_append_new(spot.parent, value);
    } else {
      json_array_set_new(spot.parent, spot.index, value);
    }
    return;
  }
  ts_auto_free char *key = ts_strdup(spot.key);
  if (kind == 0) {
    json_object_del(spot.parent, key);
    json_decref(value);
  } else if (kind == 1) {
    char misspelt[80];
    snprintf(misspelt, sizeof misspelt, "%.60sx", key);
    json_object_set_new(spot.parent, misspelt, value);
  } else {
    json_object_set_new(spot.parent, key, value);
  }
}

static void test_damaged_tree(void **state) {
  (void)state;
  struct ts_registry *registry = create_test_registry();
  struct ts_str original = {0};
  read_nuclei(&original);
  struct counts counts = {0};
  for (int round = 0; round < TREE_ROUNDS; round++) {
    json_t *root = json_loadb(original.data, original.length, 0, NULL);
    assert_non_null(root);
    for (size_t i = 1 + draw(3); i > 0 && json_object_size(root) > 0; i--) damage_tree(root);
    ts_auto_free char *text = json_dumps(root, JSON_INDENT(1));
    json_decref(root);
    struct ts_json_doc doc = {0};
    struct ts_error err = {0};
    assert_true(ts_json_doc_parse(&doc, "mutation.json", text, strlen(text), &err));
    struct ts_faults faults = {0};
    struct ts_workflow *workflow = ts_workflow_parse(&doc, registry, &faults);
    ts_json_doc_close(&doc);
    judge(workflow, &faults, &counts);
  }
  print_message("tree: %zu fine, %zu with faults\n", counts.fine, counts.faulty);
  assert_true(counts.fine > 0 && counts.faulty > TREE_ROUNDS / 2);
  ts_str_release(&original);
  ts_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_damaged_text),
      cmocka_unit_test(test_damaged_tree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
