/* Damaged project files: 10,000 seeded changes of the demo's files give an answer or faults with help, never a crash.
 * SPDX-License-Identifier: Apache-2.0
 * test-label: slow
 * test-label: threads-elsewhere (unit.work.trace)
 * test-needs: api
 * test-timeout: 240 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/calls.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"
#include "op/op.h"
#include "support/mutate.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 2000

static const char *const json_words[] = {"null",
                                         "true",
                                         "-1",
                                         "1e308",
                                         "99999999999",
                                         "9223372036854775807",
                                         "\"\"",
                                         "{}",
                                         "[]",
                                         "0.5",
                                         "\"a\"",
                                         "\\u0000",
                                         "\xEF\xBB\xBF",
                                         "\"\xC3\xA9\"",
                                         "\"type\"",
                                         "\"image/rgb8\"",
                                         "\"x\":",
                                         ",",
                                         "\"tile\": 1",
                                         "\"grid\": [1, 2]",
                                         "slide.png",
                                         "../",
                                         "\"per\": \"file\"",
                                         "T1 < T2"};
static const char *const csv_words[] = {
    "\"",   "\"\"", ",",         "\n", "\r\n",         "nan",   "1e999",
    "-0",   "4,8",  "slide.png", "G1", "\xEF\xBB\xBF", "image", "99999999999999999999",
    "0x10", ";"};
static const char design_text[] = "G1,G2,minSize,maxSize,RC\n80,45,11,1000,8\n5,2,2,900,4\n40,10,20,1500,8\n";

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static char folder[] = "/tmp/tessera-test-XXXXXX";

struct counts {
  size_t fine;
  size_t refused;
};

static void write_file(const char *name, const void *bytes, size_t size) {
  struct ts_error err = {0};
  ts_auto_free char *path = ts_path_join(folder, name);
  if (!ts_file_write(path, bytes, size, &err)) fail_msg("%s", err.text);
}

static void read_source(const char *name, struct ts_str *text) {
  const char *root = getenv("TESSERA_SOURCE_DIR");
  ts_auto_free char *path = ts_path_join(root ? root : ".", name);
  struct ts_error err = {0};
  if (!ts_file_read(path, 0, text, &err)) fail_msg("%s", err.text);
}

static void copy_source(const char *name, const char *target) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  read_source(name, &text);
  write_file(target, text.data, text.length);
}

static void write_picture(const char *type, const char *name) {
  struct ts_region region = {.width = 24, .height = 16};
  struct ts_data *pixels = ts_data_create_pixels(ts_type_find(type), &region, NULL);
  memset(ts_data_writable(pixels), 0, ts_data_size_bytes(pixels));
  ts_data_finish(pixels);
  ts_auto_free char *path = ts_path_join(folder, name);
  assert_true(ts_image_write_png(path, pixels, NULL));
  ts_data_unref(pixels);
}

static void restore(void) {
  copy_source("workflows/nuclei/workflow.json", "workflow.json");
  copy_source("workflows/nuclei/study.json", "study.json");
  copy_source("workflows/nuclei/data.csv", "data.csv");
  write_file("design.csv", design_text, strlen(design_text));
}

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(folder) || !ts_image_startup(NULL)) return -1;
  restore();
  copy_source("workflows/decay/fit.py", "fit.py");
  write_picture("image/rgb8", "slide.png");
  write_picture("mask", "truth.png");
  return 0;
}

static int clean_up(void **state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command); /* NOLINT: a test's own folder */
}

static const char *member(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

/* Whatever is refused must say what is wrong and what to do. */
static void check_project(const char *file, bool with_design, struct counts *counts) {
  struct ts_request request = {.folder = folder, .file = file, .store = "memory"};
  if (with_design) request.design = "design.csv";
  char *reply = NULL;
  int code = ts_check(&request, &reply);
  json_t *root = json_loads(reply, 0, NULL);
  assert_non_null(root);
  json_t *faults = json_object_get(root, "faults");
  assert_true(json_is_array(faults));
  assert_int_equal(code == 0, json_array_size(faults) == 0);
  assert_int_equal(code == 0, json_is_true(json_object_get(root, "ok")));
  for (size_t i = 0; i < json_array_size(faults); i++) {
    const json_t *fault = json_array_get(faults, i);
    if (!member(fault, "text")[0] || !member(fault, "help")[0]) fail_msg("a fault without help: %s", reply);
  }
  *(code == 0 ? &counts->fine : &counts->refused) += 1;
  json_decref(root);
  tessera_reply_free(reply);
}

static void check_manifest(struct counts *counts) {
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = {0};
  ts_auto_free char *path = ts_path_join(folder, "fit.json");
  bool loaded = ts_registry_load(registry, path, &faults);
  assert_int_equal(loaded, faults.count == 0);
  for (size_t i = 0; i < faults.count; i++) assert_true(faults.items[i].text[0] && faults.items[i].help[0]);
  *(loaded ? &counts->fine : &counts->refused) += 1;
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
}

/* Damages one file of the project again and again; `file` is what is checked, NULL for the manifest alone. */
static void damage(uint64_t seed, const char *name, const struct ts_str *original, const char *file, bool is_json) {
  struct ts_random random;
  struct ts_str text = {0};
  struct counts counts = {0};
  const char *const *words = is_json ? json_words : csv_words;
  size_t word_count = is_json ? COUNT_OF(json_words) : COUNT_OF(csv_words);
  for (uint64_t round = 0; round < ROUNDS; round++) {
    ts_random_init(&random, seed, round);
    mutate(&random, original->data, original->length, words, word_count, &text);
    write_file(name, ts_str_get(&text), text.length);
    if (file)
      check_project(file, strcmp(name, "design.csv") == 0, &counts);
    else
      check_manifest(&counts);
  }
  print_message("%s: %zu fine, %zu refused\n", name, counts.fine, counts.refused);
  assert_true(counts.fine > 0 && counts.refused > ROUNDS / 4);
  ts_str_release(&text);
  restore();
}

static void damage_source(uint64_t seed, const char *source, const char *file, bool is_json) {
  ts_auto(ts_str_release) struct ts_str original = {0};
  read_source(source, &original);
  damage(seed, ts_path_name(source), &original, file, is_json);
}

static void test_project_is_fine_as_it_is(void **state) {
  (void)state;
  struct counts counts = {0};
  check_project("study.json", false, &counts);
  check_project("study.json", true, &counts);
  check_project("workflow.json", false, &counts);
  assert_int_equal(counts.fine, 3);
}

static void test_workflow(void **state) {
  (void)state;
  damage_source(1, "workflows/nuclei/workflow.json", "workflow.json", true);
}

static void test_study(void **state) {
  (void)state;
  damage_source(2, "workflows/nuclei/study.json", "study.json", true);
}

static void test_data_list(void **state) {
  (void)state;
  damage_source(3, "workflows/nuclei/data.csv", "study.json", false);
}

static void test_design(void **state) {
  (void)state;
  ts_auto(ts_str_release) struct ts_str original = {0};
  ts_str_add(&original, design_text);
  damage(4, "design.csv", &original, "study.json", false);
}

static void test_manifest(void **state) {
  (void)state;
  damage_source(5, "workflows/decay/fit.json", NULL, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_project_is_fine_as_it_is),
      cmocka_unit_test(test_workflow),
      cmocka_unit_test(test_study),
      cmocka_unit_test(test_data_list),
      cmocka_unit_test(test_design),
      cmocka_unit_test(test_manifest),
  };
  return cmocka_run_group_tests_name("mutations", tests, set_up, clean_up);
}
