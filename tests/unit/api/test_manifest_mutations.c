/* Damaged manifests: 10,000 seeded changes of manifests with every kind of column, 2,000 of what a study says of its
 * data, and 1,000 of a truth of polygons beside them, give an answer or faults with number, place and help, never a
 * crash.
 * SPDX-License-Identifier: Apache-2.0
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
#include "support/mutate.h"
#include "unit/base/testing.h"

#include <jansson.h>
#include <string.h>

#define MANIFEST_ROUNDS 5000 /* of each of two */
#define STUDY_ROUNDS    1000 /* of each of two */
#define TRUTH_ROUNDS    1000 /* unit.image.geojson has the other ten thousand, without a project around them */

/* The smallest workflow with a truth: its check takes little time. */
static const char workflow[] =
    "{\"tessera\": 1, \"name\": \"score\",\n"
    " \"inputs\": {\"found\": {\"type\": \"mask\"}, \"reference\": {\"type\": \"mask|labels\"}},\n"
    " \"parameters\": {\"FH\": {\"type\": \"integer\", \"grid\": [4, 8], \"default\": 4}},\n"
    " \"stages\": [{\"name\": \"compare\", \"per\": \"tile\",\n"
    "  \"in\": {\"mask\": \"found\", \"reference\": \"reference\"}, \"out\": {\"table\": \"scores.table\"},\n"
    "  \"tasks\": [\n"
    "   {\"name\": \"size\", \"op\": \"nuclei.final_size\", \"in\": {\"split\": \"mask\"}, \"params\": {\n"
    "    \"FH\": \"FH\", \"minSizeSeg\": {\"value\": 0}, \"maxSizeSeg\": {\"value\": 100}}},\n"
    "   {\"name\": \"scores\", \"op\": \"nuclei.compare\",\n"
    "    \"in\": {\"mask\": \"size.mask\", \"reference\": \"reference\"}}]}]}\n";
#define STUDY(data)                                                                                                    \
  "{\"tessera\": 1, \"workflow\": \"workflow.json\",\n \"data\": " data ",\n \"outputs\": [\"compare.table:dice\"]}\n"
#define DATA(more)                                                                                                     \
  "{\"manifest\": \"data.csv\", \"groups\": [\"patient\", \"site\"], \"tile\": 8, \"tissue\": \"auto\"" more "}"
static const char split_study[] = STUDY(DATA(""));
static const char hold_out_study[] = STUDY(DATA(", \"hold_out\": {\"site\": [\"north\"], \"patient\": [\"p 2, x\"]}"));

#define ROWS(end_1, end_2, end_3, end_4)                                                                               \
  "a.png,truth.png,p1,north,0.25,0,tissue.png" end_1 "\n"                                                              \
  "b.png,truth.geojson,p1,south,,,off" end_2 "\n"                                                                      \
  "\"a.png\",truth.png,\"p 2, x\",north,0.5,,\"\"" end_3 "\r\n"                                                        \
  "b.png,\"truth.geojson\",p3,west,1e0,0.0," end_4 "\n"
static const char split_manifest[] =
    "found,reference,patient,site,mpp,level,tissue,split\n" ROWS(",train", ",test", ",", ",train");
static const char hold_out_manifest[] = "found,reference,patient,site,mpp,level,tissue\n" ROWS("", "", "", "");
static const char truth[] = "[{\"type\": \"Feature\", \"geometry\": {\"type\": \"Polygon\", \"coordinates\": "
                            "[[[1, 1], [9.5, 1], [9.5, 8], [1, 8]]]}}]";

static const char *const cells[] = {"\"",
                                    "\"\"",
                                    ",",
                                    "\n",
                                    "\r\n",
                                    "nan",
                                    "1e999",
                                    "-0",
                                    "0,25",
                                    "a.png",
                                    "split",
                                    "mpp",
                                    "level",
                                    "tissue",
                                    "patient",
                                    "off",
                                    "train",
                                    "test",
                                    "reference",
                                    "1001",
                                    "0.25",
                                    "-1",
                                    "2",
                                    "99999999999999999999",
                                    ";",
                                    "\t",
                                    "../",
                                    "truth.geojson",
                                    "\xEF\xBB\xBF",
                                    "\xFF",
                                    "north",
                                    " "};
static const char *const words[] = {"null",
                                    "true",
                                    "-1",
                                    "1e308",
                                    "9223372036854775807",
                                    "\"\"",
                                    "{}",
                                    "[]",
                                    "0.5",
                                    "\\u0000",
                                    "\"mpp\"",
                                    "\"split\"",
                                    "\"site\"",
                                    "\"north\"",
                                    "\"patient\"",
                                    "\"test\"",
                                    "\"hold_out\":",
                                    "\"groups\":",
                                    ",",
                                    "[\"north\", \"south\", \"west\"]",
                                    "\"x\":",
                                    "\"found\"",
                                    "\"off\"",
                                    "\"level\":"};

static char folder[64];

struct counts {
  size_t fine;
  size_t refused;
};

/* Without waiting for the disk, as ts_file_write would. */
static void write_file(const char *name, const void *bytes, size_t size) {
  ts_auto_free char *path = ts_path_join(folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text) { write_file(name, text, strlen(text)); }

static void write_mask(const char *name) {
  const struct ts_region region = {.width = 24, .height = 16};
  struct ts_data *pixels = ts_data_create_pixels(ts_type_find("mask"), &region, NULL);
  memset(ts_data_writable(pixels), 255, ts_data_size_bytes(pixels) / 2);
  ts_data_finish(pixels);
  ts_auto_free char *path = ts_path_join(folder, name);
  assert_true(ts_image_write_png(path, pixels, NULL));
  ts_data_unref(pixels);
}

static int set_up(void **state) {
  (void)state;
  /* In memory where that is possible: a check waits until its images are on the disk. */
  strcpy(folder, "/dev/shm/tessera-test-XXXXXX");
  if (!mkdtemp(folder)) scratch_create(folder);
  if (!ts_image_startup(NULL)) return -1;
  write_text("workflow.json", workflow);
  write_text("truth.geojson", truth);
  write_mask("a.png");
  write_mask("b.png");
  write_mask("truth.png");
  write_mask("tissue.png");
  return 0;
}

static int clean_up(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

static const char *member(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

static bool is_complete(const json_t *fault) {
  return json_integer_value(json_object_get(fault, "code")) > 0 && member(fault, "text")[0] &&
         member(fault, "help")[0] && member(fault, "file")[0] &&
         json_integer_value(json_object_get(fault, "line")) > 0 &&
         json_integer_value(json_object_get(fault, "column")) > 0;
}

/* Whatever is refused must say where, what is wrong and what to do. */
static void check_project(struct counts *counts) {
  const struct ts_request request = {.folder = folder, .file = "study.json", .store = "memory"};
  char *reply = NULL;
  const int code = ts_check(&request, &reply);
  json_t *root = json_loads(reply, 0, NULL);
  assert_non_null(root);
  json_t *faults = json_object_get(root, "faults");
  assert_int_equal(code == 0, json_array_size(faults) == 0);
  for (size_t i = 0; i < json_array_size(faults); i++)
    if (!is_complete(json_array_get(faults, i))) fail_msg("a fault without number, place or help: %s", reply);
  *(code == 0 ? &counts->fine : &counts->refused) += 1;
  json_decref(root);
  tessera_reply_free(reply);
}

struct sample {
  uint64_t seed;
  size_t rounds;
  const char *name, *text;
  size_t first; /* damage begins here */
  const char *const *words;
  size_t word_count;
};

/* Damages a text again and again. */
static void damage(const struct sample *sample) {
  ts_auto(ts_str_release) struct ts_str damaged = {0};
  struct counts counts = {0};
  const size_t length = strlen(sample->text);
  write_text(sample->name, sample->text);
  check_project(&counts);
  assert_int_equal(counts.fine, 1); /* as it is */
  for (uint64_t round = 0; round < sample->rounds; round++) {
    struct ts_random random;
    ts_random_init(&random, sample->seed, round);
    mutate_range(&random, sample->text, length, sample->first, length - sample->first, sample->words,
                 sample->word_count, &damaged);
    write_file(sample->name, ts_str_get(&damaged), damaged.length);
    check_project(&counts);
  }
  write_text(sample->name, sample->text);
  print_message("%s: %zu fine, %zu refused\n", sample->name, counts.fine, counts.refused);
  assert_true(counts.fine > sample->rounds / 100 && counts.refused > sample->rounds / 4);
}

static void damage_both(uint64_t seed, const char *study, const char *manifest) {
  write_text("study.json", study);
  write_text("data.csv", manifest);
  damage(&(struct sample){seed, MANIFEST_ROUNDS, "data.csv", manifest, 0, cells, COUNT_OF(cells)});
  const size_t data = (size_t)(strstr(study, "\"data\"") - study);
  damage(&(struct sample){seed + 1, STUDY_ROUNDS, "study.json", study, data, words, COUNT_OF(words)});
}

static void test_split(void **state) {
  (void)state;
  damage_both(1, split_study, split_manifest);
}

static void test_hold_out(void **state) {
  (void)state;
  damage_both(3, hold_out_study, hold_out_manifest);
}

static void test_truth(void **state) {
  (void)state;
  write_text("study.json", split_study);
  write_text("data.csv", split_manifest);
  damage(&(struct sample){5, TRUTH_ROUNDS, "truth.geojson", truth, 0, words, COUNT_OF(words)});
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_split), cmocka_unit_test(test_hold_out),
                                     cmocka_unit_test(test_truth)};
  return cmocka_run_group_tests_name("manifest_mutations", tests, set_up, clean_up);
}
