/* Products by handle are those that a run of that set alone writes into files: every output, set and tile.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"
#include "support/small_project.h"

#include <jansson.h>
#include <math.h>

static struct small_project project;

static int set_up(void **state) {
  (void)state;
  small_project_make(&project);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  small_project_remove(&project);
  return 0;
}

static const struct {
  const char *output, *ending;
} outputs[] = {{"normalise.image", "png"}, {"segment.mask", "png"},     {"compare.table", "csv"},
               {"features.table", "csv"},  {"features.summary", "csv"}, {"features.objects", "geojson"}};

/* ---- what a run of one set writes ---- */

static void run_alone(size_t set, char folder[32]) {
  size_t count = 0;
  char *reply = NULL;
  snprintf(folder, 32, "alone-%zu", set);
  struct tessera_run_request request = {TESSERA_HEAD(struct tessera_run_request), .folder = project.folder,
                                        .store = "memory", .output = folder};
  request.parameters = small_project_set(set, &count);
  request.parameter_count = count;
  request.no_reuse = true;
  request.per_tile = request.all_outputs = true;
  if (tessera_run(&request, &reply) != 0) fail_msg("%s", reply);
  tessera_reply_free(reply);
}

static char *path_of(const char *folder, size_t output, size_t tile) {
  char name[160];
  const size_t across = SMALL_WIDTH / SMALL_TILE;
  snprintf(name, sizeof name, "%s/slide/%s.x%zu_y%zu.%s", folder, outputs[output].output, tile % across * SMALL_TILE,
           tile / across * SMALL_TILE, outputs[output].ending);
  return ts_path_join(project.folder, name);
}

/* ---- comparing ---- */

static void compare_pixels(const struct tessera_product_info *info, const char *path) {
  const struct ts_region all = {.width = SMALL_TILE, .height = SMALL_TILE};
  struct ts_error err = {0};
  struct ts_data *file = ts_image_read(path, ts_type_find(info->type), &all, &err);
  if (!file) fail_msg("%s", err.text);
  assert_true(info->width == SMALL_TILE && info->height == SMALL_TILE && info->depth == 1 && info->frames == 1);
  assert_string_equal(info->element, "u8");
  assert_int_equal(info->byte_count, ts_data_size_bytes(file));
  assert_memory_equal(info->bytes, ts_data_bytes(file, NULL), info->byte_count);
  ts_data_unref(file);
}

/* The text up to the next comma or end of line, in place; false at the end of the text. */
static bool next_cell(char **text, char **cell) {
  if (!**text) return false;
  *cell = *text;
  *text += strcspn(*text, ",\n");
  if (**text) *(*text)++ = '\0';
  return true;
}

/* A file has one more column, which says what scores are compared with. */
static void compare_table(const struct tessera_product_info *info, const char *path) {
  ts_auto(ts_str_release) struct ts_str file = {0};
  struct ts_error err = {0};
  if (!ts_file_read(path, 0, &file, &err)) fail_msg("%s", err.text);
  const bool is_score = strstr(path, "compare.table") != NULL;
  char *rest = file.data, *cell = NULL;
  assert_ptr_equal(info->bytes, info->cells);
  assert_int_equal(info->byte_count, info->rows * info->columns * sizeof(double));
  for (size_t c = 0; c < info->columns; c++) {
    assert_true(next_cell(&rest, &cell));
    assert_string_equal(cell, info->column_names[c]);
  }
  if (is_score) assert_true(next_cell(&rest, &cell) && strcmp(cell, "against") == 0);
  for (size_t r = 0; r < info->rows; r++) {
    for (size_t c = 0; c < info->columns; c++) {
      assert_true(next_cell(&rest, &cell));
      const double found = info->cells[r * info->columns + c], wanted = cell[0] ? strtod(cell, NULL) : NAN;
      if (!(found == wanted || (isnan(found) && isnan(wanted)))) fail_msg("%s: row %zu, column %zu", path, r, c);
    }
    if (is_score) assert_true(next_cell(&rest, &cell) && strcmp(cell, "truth") == 0);
  }
  assert_false(next_cell(&rest, &cell));
}

static void compare_bytes(const struct tessera_product_info *info, const char *path) {
  ts_auto(ts_str_release) struct ts_str file = {0};
  struct ts_error err = {0};
  if (!ts_file_read(path, 0, &file, &err)) fail_msg("%s", err.text);
  assert_int_equal(info->byte_count, file.length);
  assert_memory_equal(info->bytes, file.data, file.length);
}

static void compare_product(struct tessera_run *run, size_t set, size_t output, size_t tile, const char *folder) {
  const int64_t number = set < SMALL_SETS ? (int64_t)set : TESSERA_DEFAULT_SET;
  char *reply = NULL;
  struct tessera_product *product = tessera_run_product(run, outputs[output].output, number, tile, &reply);
  if (!product) fail_msg("%s of set %zu, tile %zu: %s", outputs[output].output, set, tile, reply);
  assert_null(reply);
  struct tessera_product_info info = {.size_bytes = sizeof info};
  ts_auto_free char *path = path_of(folder, output, tile);
  assert_true(tessera_product_describe(product, &info));
  if (strcmp(info.kind, "pixels") == 0)
    compare_pixels(&info, path);
  else if (strcmp(info.kind, "table") == 0)
    compare_table(&info, path);
  else
    compare_bytes(&info, path);
  tessera_product_release(product);
}

static void compare_all(struct tessera_run *run) {
  for (size_t set = 0; set <= SMALL_SETS; set++) {
    char folder[32];
    run_alone(set, folder);
    for (size_t output = 0; output < COUNT_OF(outputs); output++)
      for (size_t tile = 0; tile < SMALL_TILES; tile++) compare_product(run, set, output, tile, folder);
  }
}

/* ---- tests ---- */

static struct tessera_run *start_design(struct tessera_project *opened, bool no_reuse) {
  const struct tessera_study_request request = {TESSERA_HEAD(struct tessera_study_request), .design = "design.csv",
                                                .output = "out", .threads = 2, .no_reuse = no_reuse};
  char *reply = NULL;
  struct tessera_run *run = tessera_study_start(opened, &request, &reply);
  if (!run) fail_msg("%s", reply);
  if (tessera_run_wait(run, &reply) != 0) fail_msg("%s", reply);
  tessera_reply_free(reply);
  return run;
}

static struct tessera_project *open_project(const char *file, struct tessera_store *store) {
  const struct tessera_project_request request = {TESSERA_HEAD(struct tessera_project_request),
                                                  .folder = project.folder, .file = file};
  char *reply = NULL;
  struct tessera_project *opened = tessera_project_open(&request, store, &reply);
  if (!opened) fail_msg("%s", reply);
  tessera_reply_free(reply);
  return opened;
}

/* Some outputs were wanted by the study, the others are computed when they are asked for. */
static void every_product_of_a_study(void **state) {
  (void)state;
  struct tessera_project *opened = open_project(NULL, NULL);
  struct tessera_run *run = start_design(opened, false);
  tessera_project_close(opened);
  compare_all(run);
  tessera_run_close(run);
}

static void a_study_that_kept_nothing(void **state) {
  (void)state;
  struct tessera_project *opened = open_project(NULL, NULL);
  struct tessera_run *run = start_design(opened, true);
  tessera_project_close(opened);
  compare_all(run);
  tessera_run_close(run);
}

/* By another handle, which only knows the store; reading only, so that everything missing is computed each time. */
static void a_run_of_the_past(void **state) {
  (void)state;
  char id[9];
  struct tessera_store *store = tessera_store_open(project.folder, NULL, false, NULL);
  struct tessera_project *opened = open_project(NULL, store);
  struct tessera_run *run = start_design(opened, false);
  snprintf(id, sizeof id, "%s", tessera_run_id(run));
  tessera_run_close(run);
  tessera_project_close(opened);
  tessera_store_close(store);
  for (int read_only = 0; read_only < 2; read_only++) {
    store = tessera_store_open(project.folder, NULL, read_only == 1, NULL);
    assert_non_null(store);
    run = tessera_run_open(store, read_only ? NULL : id, NULL);
    assert_non_null(run);
    assert_string_equal(tessera_run_id(run), id);
    tessera_store_close(store);
    if (read_only)
      compare_product(run, 1, 1, 3, "alone-1");
    else
      compare_all(run);
    tessera_run_close(run);
  }
}

/* The study leaves the truth aside, but a run of the same project compares with it. */
static void a_run_has_the_truth_although_the_study_has_not(void **state) {
  (void)state;
  struct tessera_project *opened = open_project("default.json", NULL);
  size_t count = 0;
  struct tessera_run_request request = {TESSERA_HEAD(struct tessera_run_request), .output = "out-run"};
  request.parameters = small_project_set(1, &count);
  request.parameter_count = count;
  struct tessera_run *run = tessera_run_start(opened, &request, NULL);
  assert_non_null(run);
  assert_int_equal(tessera_run_wait(run, NULL), 0);
  char folder[32];
  run_alone(1, folder);
  struct tessera_product *product = tessera_run_product(run, "compare.table", 0, 2, NULL);
  assert_non_null(product);
  struct tessera_product_info info = {.size_bytes = sizeof info};
  assert_true(tessera_product_describe(product, &info));
  ts_auto_free char *path = path_of(folder, 2, 2);
  compare_table(&info, path);
  tessera_product_release(product);
  tessera_run_close(run);
  tessera_project_close(opened);
}

/* ---- later rounds ---- */

/* Runs a set of a study, as its reply has it, alone. */
static void run_params(json_t *params, const char *output) {
  struct tessera_setting settings[32];
  size_t count = 0;
  const char *name;
  json_t *value;
  char *reply = NULL;
  json_object_foreach(params, name, value) settings[count++] =
      (struct tessera_setting){name, json_dumps(value, JSON_ENCODE_ANY)};
  const struct tessera_run_request request = {TESSERA_HEAD(struct tessera_run_request),
                                              .folder = project.folder,
                                              .store = "memory",
                                              .output = output,
                                              .parameters = settings,
                                              .parameter_count = count,
                                              .per_tile = true};
  if (tessera_run(&request, &reply) != 0) fail_msg("%s", reply);
  tessera_reply_free(reply);
  for (size_t i = 0; i < count; i++) free((char *)(uintptr_t)settings[i].value);
}

static void a_set_of_a_later_round(void **state) {
  (void)state;
  struct tessera_project *opened = open_project(NULL, NULL);
  const struct tessera_study_request request = {TESSERA_HEAD(struct tessera_study_request),
                                                .until = "ci(mu_star) < 0.001", .max_runs = 70, .output = "out",
                                                .threads = 2};
  struct tessera_run *run = tessera_study_start(opened, &request, NULL);
  char *reply = NULL;
  if (tessera_run_wait(run, &reply) != 4) fail_msg("%s", reply);
  json_t *object = json_loads(reply, 0, NULL);
  const json_t *sets = json_object_get(object, "runs");
  const size_t last = json_array_size(sets) - 1;
  assert_true(last > 32);
  run_params(json_object_get(json_array_get(sets, last), "params"), "alone");
  struct tessera_product *mask = tessera_run_product(run, "segment.mask", (int64_t)last, 4, NULL);
  struct tessera_product_info info = {.size_bytes = sizeof info};
  assert_true(mask && tessera_product_describe(mask, &info));
  ts_auto_free char *path = path_of("alone", 1, 4);
  compare_pixels(&info, path);
  assert_null(tessera_run_product(run, "segment.mask", (int64_t)last + 1, 4, NULL));
  tessera_product_release(mask);
  json_decref(object);
  tessera_reply_free(reply);
  tessera_run_close(run);
  tessera_project_close(opened);
}

/* What the manifest gives for an item, and nothing for another. */
static void resolutions_are_described(void **state) {
  (void)state;
  small_project_write(&project, "data.csv",
                      "image,reference,mpp,level\nslide.png,truth.png,0.25,0\nslide.png,truth.png,,\n");
  struct tessera_project *opened = open_project(NULL, NULL);
  char *reply = NULL;
  assert_int_equal(tessera_project_describe(opened, &reply), 0);
  json_t *object = json_loads(reply, 0, NULL);
  const json_t *items = json_object_get(object, "items"), *first = json_array_get(items, 0);
  assert_true(json_real_value(json_object_get(first, "mpp")) == 0.25);
  assert_true(json_is_integer(json_object_get(first, "level")));
  assert_int_equal(json_integer_value(json_object_get(first, "level")), 0);
  assert_null(json_object_get(json_array_get(items, 1), "mpp"));
  assert_null(json_object_get(json_array_get(items, 1), "level"));
  json_decref(object);
  tessera_reply_free(reply);
  tessera_project_close(opened);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_product_of_a_study, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_study_that_kept_nothing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_run_of_the_past, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_set_of_a_later_round, set_up, tear_down),
      cmocka_unit_test_setup_teardown(resolutions_are_described, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_run_has_the_truth_although_the_study_has_not, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
