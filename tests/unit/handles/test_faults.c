/* What handles refuse, with the number, text and help of the error; and that edits of files do not reach a project.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "support/small_project.h"

#include <jansson.h>

static struct small_project project;
static struct tessera_project *opened;
static struct tessera_run *run; /* done: the sets of design.csv */

static int set_up(void **state) {
  (void)state;
  small_project_make(&project);
  const struct tessera_project_request request = {TESSERA_HEAD(struct tessera_project_request),
                                                  .folder = project.folder};
  const struct tessera_study_request given = {TESSERA_HEAD(struct tessera_study_request), .design = "design.csv",
                                              .output = "out", .threads = 2};
  opened = tessera_project_open(&request, NULL, NULL);
  run = opened ? tessera_study_start(opened, &given, NULL) : NULL;
  return run && tessera_run_wait(run, NULL) == 0 ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  tessera_run_close(run);
  tessera_project_close(opened);
  small_project_remove(&project);
  return 0;
}

/* The first fault of a reply, which it takes. */
static void expect_fault(char *reply, int code, const char *part, const char *help) {
  json_t *object = json_loads(reply ? reply : "", 0, NULL);
  const json_t *fault = json_array_get(json_object_get(object, "faults"), 0);
  if (!fault) fail_msg("there is no fault in: %s", reply ? reply : "NULL");
  assert_int_equal(json_integer_value(json_object_get(fault, "code")), code);
  const char *text = json_string_value(json_object_get(fault, "text"));
  const char *advice = json_string_value(json_object_get(fault, "help"));
  if (!strstr(text, part)) fail_msg("'%s' is not about '%s'", text, part);
  if (!strstr(advice, help) || !advice[0]) fail_msg("'%s' does not advise '%s'", advice, help);
  json_decref(object);
  tessera_reply_free(reply);
}

static void products_that_do_not_exist(void **state) {
  (void)state;
  static const struct {
    const char *output;
    int64_t set;
    size_t unit;
    int code;
    const char *text, *help;
  } cases[] = {{"segment.maks", 0, 0, 210, "has no output 'segment.maks'", "did you mean 'segment.mask'"},
               {"segment", 0, 0, 210, "has no output 'segment'", "segment.mask"},
               {"segment.mask", SMALL_SETS, 0, 314, "has no set 3", "0 to 2"},
               {"segment.mask", -2, 0, 314, "has no set -2", "-1 for the defaults"},
               {"segment.mask", INT64_MAX, 0, 314, "has no set 9223372036854775807", "0 to 2"},
               {"segment.mask", 0, SMALL_TILES, 314, "'segment.mask' has no unit 6", "per tile: units are 0 to 5"},
               {"segment.mask", 0, SIZE_MAX, 314, "has no unit 18446744073709551615", "units are 0 to 5"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *reply = NULL;
    assert_null(tessera_run_product(run, cases[i].output, cases[i].set, cases[i].unit, &reply));
    expect_fault(reply, cases[i].code, cases[i].text, cases[i].help);
    assert_null(tessera_run_product(run, cases[i].output, cases[i].set, cases[i].unit, NULL));
  }
}

static void tiles_that_do_not_exist(void **state) {
  (void)state;
  const struct {
    struct tessera_tile tile;
    int code;
    const char *text, *help;
  } cases[] = {
      {{.item = 1, .width = 8, .height = 8}, 314, "no item 1", "from 0"},
      {{.input = "imagf", .width = 8, .height = 8}, 210, "no input 'imagf'", "did you mean 'image'"},
      {{.width = 8}, 402, "lie outside", "inside the image"},
      {{.x = SMALL_WIDTH - 4, .width = 8, .height = 8}, 402, "lie outside", "inside the image"},
      {{.level = 9, .width = 8, .height = 8}, 402, "level", ""},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *reply = NULL;
    struct tessera_tile tile = cases[i].tile;
    tile.size_bytes = sizeof tile;
    assert_null(tessera_project_tile(opened, &tile, &reply));
    expect_fault(reply, cases[i].code, cases[i].text, cases[i].help);
  }
  char *reply = NULL;
  assert_null(tessera_project_tile(opened, &(struct tessera_tile){0}, &reply));
  expect_fault(reply, 901, "0 bytes", "sizeof");
}

static void tiles_have_the_pixels_of_the_image(void **state) {
  (void)state;
  struct tessera_tile tile = {.size_bytes = sizeof tile, .x = 10, .y = 20, .width = 30, .height = 40};
  const struct tessera_tile all = {.size_bytes = sizeof all, .width = SMALL_WIDTH, .height = SMALL_HEIGHT};
  struct tessera_product *part = tessera_project_tile(opened, &tile, NULL);
  struct tessera_product *whole = tessera_project_tile(opened, &all, NULL);
  struct tessera_product_info a = {.size_bytes = sizeof a}, b = {.size_bytes = sizeof b};
  assert_true(tessera_product_describe(part, &a) && tessera_product_describe(whole, &b));
  assert_true(a.x == 10 && a.y == 20 && a.width == 30 && a.height == 40 && a.channels == 3);
  assert_string_equal(a.type, "image/rgb8");
  for (size_t y = 0; y < 40; y++)
    assert_memory_equal((const char *)a.bytes + y * 90, (const char *)b.bytes + ((y + 20) * SMALL_WIDTH + 10) * 3, 90);
  tessera_product_release(part);
  tessera_product_release(whole);
  tile.input = "reference";
  part = tessera_project_tile(opened, &tile, NULL);
  assert_true(part && tessera_product_describe(part, &a) && a.channels == 1);
  tessera_product_release(part);
}

/* A caller with a shorter struct gets what it knows, one with a longer struct zeros behind it. */
static void structs_of_other_versions(void **state) {
  (void)state;
  const struct tessera_tile tile = {.size_bytes = sizeof tile, .width = 8, .height = 8};
  struct tessera_product *product = tessera_project_tile(opened, &tile, NULL);
  struct {
    struct tessera_product_info info;
    size_t later;
  } longer = {.info.size_bytes = sizeof longer, .later = 7};
  struct tessera_product_info shorter = {.size_bytes = offsetof(struct tessera_product_info, element), .element = "?"};
  assert_true(tessera_product_describe(product, &longer.info) && longer.later == 0 && longer.info.width == 8);
  assert_true(tessera_product_describe(product, &shorter));
  assert_string_equal(shorter.kind, "pixels");
  assert_string_equal(shorter.element, "?");
  assert_false(tessera_product_describe(product, &(struct tessera_product_info){0}));
  tessera_product_release(product);
}

#define HEAD TESSERA_HEAD(struct tessera_run_request)

static void requests_that_are_not_for_a_project(void **state) {
  (void)state;
  static const char *const data[] = {"slide.png"};
  static const int stop = 0;
  const struct {
    struct tessera_run_request request;
    const char *text;
  } cases[] = {{{HEAD, .file = "study.json"}, "'file'"},    {{HEAD, .data = data, .data_count = 1}, "'data'"},
               {{HEAD, .store = "memory"}, "'store'"},      {{HEAD, .dry_run = true}, "tessera_plan"},
               {{HEAD, .stop = &stop}, "tessera_run_stop"}, {{.size_bytes = 0}, "0 bytes"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *reply = NULL;
    assert_null(tessera_run_start(opened, &cases[i].request, &reply));
    expect_fault(reply, 901, cases[i].text, "");
  }
  const struct tessera_study_request unknown = {TESSERA_HEAD(struct tessera_study_request), .method = "astrology",
                                                .output = "out"};
  struct tessera_run *refused = tessera_study_start(opened, &unknown, NULL);
  char *reply = NULL;
  assert_int_equal(tessera_run_wait(refused, &reply), 2);
  expect_fault(reply, 901, "astrology", "");
  assert_null(tessera_run_product(refused, "segment.mask", 0, 0, &reply));
  expect_fault(reply, 610, "not recorded", "wait");
  tessera_run_close(refused);
}

static void stores_and_runs_that_do_not_exist(void **state) {
  (void)state;
  char *reply = NULL;
  assert_null(tessera_store_open(project.folder, NULL, true, &reply));
  expect_fault(reply, 610, "there is no store", "");
  struct tessera_store *store = tessera_store_open(project.folder, NULL, false, &reply);
  assert_true(store && !reply);
  assert_null(tessera_store_open(project.folder, NULL, false, &reply));
  expect_fault(reply, 602, "", "");
  assert_null(tessera_run_open(store, "01234567", &reply));
  expect_fault(reply, 610, "no run '01234567'", "");
  assert_null(tessera_run_open(store, NULL, &reply));
  expect_fault(reply, 610, "no run yet", "");
  tessera_store_close(store);
  struct tessera_store *none = NULL;
  tessera_store_close(none);
  tessera_project_close(NULL);
  tessera_run_close(NULL);
  tessera_product_release(NULL);
}

static void a_project_with_faults(void **state) {
  (void)state;
  char *reply = NULL;
  small_project_write(&project, "study.json",
                      "{\"tessera\": 1, \"name\": \"small\", \"workflow\": \"workflow.json\", \"data\": {\"manifest\": "
                      "\"data.csv\"}, \"method\": {\"name\": \"morris\"}, \"outputs\": [\"compare.table:diff\"], "
                      "\"colour\": 1}");
  const struct tessera_project_request request = {TESSERA_HEAD(struct tessera_project_request),
                                                  .folder = project.folder};
  assert_null(tessera_project_open(&request, NULL, &reply));
  assert_non_null(strstr(reply, "tessera.project/1"));
  expect_fault(reply, 201, "colour", "");
  assert_null(tessera_project_open(&request, NULL, NULL));
  assert_null(tessera_project_open(&(struct tessera_project_request){0}, NULL, &reply));
  expect_fault(reply, 901, "0 bytes", "TESSERA_INIT(struct tessera_project_request)");
}

/* Whatever becomes of study and workflow, runs of an open project are those of the files that it read. */
static void edits_do_not_reach_an_open_project(void **state) {
  (void)state;
  char *before = NULL, *after = NULL;
  assert_int_equal(tessera_project_describe(opened, &before), 0);
  small_project_write(&project, "study.json", "not a study");
  small_project_write(&project, "workflow.json", "nor a workflow");
  const struct tessera_study_request given = {TESSERA_HEAD(struct tessera_study_request), .design = "design.csv",
                                              .output = "out-2"};
  struct tessera_run *second = tessera_study_start(opened, &given, NULL);
  assert_int_equal(tessera_run_wait(second, NULL), 0);
  struct tessera_product *product = tessera_run_product(second, "features.table", 1, 1, NULL);
  assert_non_null(product);
  tessera_product_release(product);
  tessera_run_close(second);
  assert_int_equal(tessera_project_describe(opened, &after), 0);
  assert_string_equal(before, after);
  tessera_reply_free(before);
  tessera_reply_free(after);
}

/* Data is not copied: a file with other content is refused, not read. */
static void data_that_changed_is_refused(void **state) {
  (void)state;
  small_project_write(&project, "slide.png", "not the pixels that were digested");
  const struct tessera_tile tile = {.size_bytes = sizeof tile, .width = 8, .height = 8};
  char *reply = NULL;
  assert_null(tessera_project_tile(opened, &tile, &reply));
  expect_fault(reply, 405, "slide.png", "");
  const struct tessera_study_request given = {TESSERA_HEAD(struct tessera_study_request), .design = "design.csv",
                                              .output = "out-2"};
  struct tessera_run *second = tessera_study_start(opened, &given, NULL);
  assert_int_equal(tessera_run_wait(second, &reply), 3);
  expect_fault(reply, 405, "slide.png", "");
  tessera_run_close(second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(products_that_do_not_exist, set_up, tear_down),
      cmocka_unit_test_setup_teardown(tiles_that_do_not_exist, set_up, tear_down),
      cmocka_unit_test_setup_teardown(tiles_have_the_pixels_of_the_image, set_up, tear_down),
      cmocka_unit_test_setup_teardown(structs_of_other_versions, set_up, tear_down),
      cmocka_unit_test_setup_teardown(requests_that_are_not_for_a_project, set_up, tear_down),
      cmocka_unit_test_setup_teardown(stores_and_runs_that_do_not_exist, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_project_with_faults, set_up, tear_down),
      cmocka_unit_test_setup_teardown(edits_do_not_reach_an_open_project, set_up, tear_down),
      cmocka_unit_test_setup_teardown(data_that_changed_is_refused, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
