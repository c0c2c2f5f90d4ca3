/* Resolutions that manifests give: cells, faults with their places, levels of files, pixel sizes, and as JSON.
 * SPDX-License-Identifier: Apache-2.0
 * test-needs: study */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"
#include "project/data/resolution.h"
#include "support/study_case.h"

static char folder[64];

static int set_up(void **state) {
  (void)state;
  scratch_create(folder);
  return ts_image_startup(NULL) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

static const char *at(const char *name) {
  static char paths[4][160];
  static size_t next;
  char *path = paths[next++ % COUNT_OF(paths)];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void write_file(const char *name, const char *text) {
  struct ts_error err = {0};
  if (!ts_file_write(at(name), text, strlen(text), &err)) fail_msg("%s", err.text);
}

static void write_image(const char *name) {
  struct ts_error err = {0};
  const struct ts_region region = {.width = 6, .height = 4};
  ts_auto(ts_data_unref_pointer) struct ts_data *pixels =
      ts_data_create_pixels(ts_type_find("image/gray8"), &region, &err);
  memset(ts_data_writable(pixels), 9, 24);
  if (!ts_image_write_png(at(name), pixels, &err)) fail_msg("%s", err.text);
}

/* ---- Cells. ---- */

static void cells_are_read(void **state) {
  (void)state;
  static const struct {
    const char *cell;
    double mpp_um; /* 0: refused */
    int32_t level; /* -1: refused */
  } rows[] = {{"0.25", 0.25, -1},
              {"1", 1, 1},
              {"1000", 1000, 1000},
              {"1e-3", 0.001, -1},
              {"+2.0", 2, 2},
              {"5e-324", 5e-324, -1}, /* positive and finite */
              {"0", 0, 0},
              {"0.0", 0, 0},
              {"-0", 0, 0},
              {"-1", 0, -1},
              {"-0.25", 0, -1},
              {"1000.0000001", 0, -1},
              {"2147483647", 0, INT32_MAX},
              {"2147483648", 0, -1},
              {"1e999", 0, -1},
              {"nan", 0, -1},
              {"inf", 0, -1},
              {"0x10", 0, -1},
              {"0,25", 0, -1},
              {"0.25um", 0, -1},
              {"fine", 0, -1},
              {"1 2", 0, -1}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct ts_given_resolution given = {0};
    struct ts_error mpp = {0}, level = {0};
    assert_int_equal(ts_resolution_read_mpp(rows[i].cell, &given, &mpp), rows[i].mpp_um > 0);
    assert_true(given.mpp_um == rows[i].mpp_um);
    assert_int_equal(ts_resolution_read_level(rows[i].cell, &given, &level), rows[i].level >= 0);
    assert_int_equal(given.has_level, rows[i].level >= 0);
    assert_int_equal(given.level, rows[i].level >= 0 ? rows[i].level : 0);
    assert_int_equal(mpp.code, rows[i].mpp_um > 0 ? TS_ERR_OK : TS_ERR_BAD_VALUE);
    assert_int_equal(level.code, rows[i].level >= 0 ? TS_ERR_OK : TS_ERR_BAD_VALUE);
    assert_true((mpp.help[0] != '\0') == (rows[i].mpp_um <= 0));
  }
}

/* ---- Manifests. ---- */

struct subject {
  struct study_case c;
  struct paths files[1];
  struct item_facts facts;
};

static bool read_manifest(struct subject *subject, const char *text) {
  *subject = (struct subject){0};
  write_file("data.csv", text);
  write_image("a.png");
  if (!study_case_init(&subject->c, probe_workflow, NULL, NULL)) fail_msg("%s", study_case_faults(&subject->c));
  return ts_manifest_read(&subject->c.project, at("data.csv"), "/data/manifest", subject->files, &subject->facts,
                          &subject->c.issues);
}

static void release(struct subject *subject) {
  free(subject->files[0].items);
  study_case_release(&subject->c);
}

static void manifests_give_resolutions(void **state) {
  (void)state;
  struct subject s;
  assert_true(read_manifest(&s, "level,image,mpp\n1,a.png,0.5\n,a.png,\"  \"\n 2 ,a.png, 0.25 \n"));
  assert_int_equal(s.files[0].count, 3);
  assert_int_equal(s.facts.item_count, 3);
  assert_int_equal(s.facts.level_column, 0);
  assert_int_equal(s.facts.lines[2], 4);
  const struct ts_given_resolution *given = s.facts.given;
  assert_true(given[0].has_level && given[0].level == 1 && given[0].mpp_um == 0.5);
  assert_true(!given[1].has_level && given[1].level == 0 && given[1].mpp_um == 0);
  assert_true(given[2].has_level && given[2].level == 2 && given[2].mpp_um == 0.25);
  release(&s);
  assert_true(read_manifest(&s, "image\na.png\n"));
  assert_null(s.facts.given);
  release(&s);
}

static void faults_have_places(void **state) {
  (void)state;
  static const struct {
    int line, column;
    enum ts_error_code code;
  } wanted[] = {{1, 17, TS_ERR_DUPLICATE_NAME},
                {2, 7, TS_ERR_BAD_VALUE},
                {2, 9, TS_ERR_BAD_VALUE},
                {3, 9, TS_ERR_BAD_VALUE},
                {4, 9, TS_ERR_BAD_IMAGE}};
  struct subject s;
  assert_false(read_manifest(&s, "image,mpp,level,mpp\na.png,x,-1,y\na.png,1,1.5,y\na.png,2,1,y\n"));
  ts_resolution_check_levels(&s.c.project, s.files, &s.facts, &s.c.issues);
  const struct ts_faults *faults = &s.c.issues.faults;
  assert_int_equal(faults->count, COUNT_OF(wanted));
  for (size_t i = 0; i < COUNT_OF(wanted); i++) {
    size_t f = 0; /* in any order: they are sorted when they are printed */
    while (f < faults->count &&
           (faults->items[f].where.line != wanted[i].line || faults->items[f].where.column != wanted[i].column ||
            faults->items[f].code != wanted[i].code))
      f++;
    if (f == faults->count)
      fail_msg("no fault at %d:%d\n%s", wanted[i].line, wanted[i].column, study_case_faults(&s.c));
  }
  assert_non_null(strstr(study_case_faults(&s.c), "has 1 resolution level, not level 1"));
  release(&s);
}

/* A file that is not an image is left to those who open it. */
static void unreadable_files_have_no_levels(void **state) {
  (void)state;
  struct subject s;
  write_file("text.png", "not an image");
  assert_true(read_manifest(&s, "image,level\ntext.png,1\n"));
  ts_resolution_check_levels(&s.c.project, s.files, &s.facts, &s.c.issues);
  assert_true(ts_issues_ok(&s.c.issues));
  release(&s);
}

/* ---- Pixel sizes. ---- */

static void the_level_of_an_item_comes_first(void **state) {
  (void)state;
  struct ts_project project = {.study.level = 3};
  const struct ts_item without = {.given.level = 0};
  const struct ts_item with = {.given = {.has_level = true, .level = 0}};
  assert_int_equal(ts_resolution_level(&project, &without), 3);
  assert_int_equal(ts_resolution_level(&project, &with), 0);
}

static void pixel_sizes_are_settled(void **state) {
  (void)state;
  static const struct {
    double mpp_um, file_x_um, file_y_um, by_x, by_y; /* by: downsampling; 0: there is no image */
    double x_um, y_um;
    bool is_conflict;
  } rows[] = {{0, 1, 1, 2, 2, 1, 1, false}, /* the file says it */
              {0, 0, 0, 2, 2, 0, 0, false}, /* nobody says it */
              {0.5, 0, 0, 2, 3, 1, 1.5, false},
              {0.5, 1, 1.5, 2, 3, 1, 1.5, false},
              {0.525, 0.5, 0.5, 1, 1, 0.525, 0.525, false}, /* 5 %, not more */
              {0.475, 0.5, 0.5, 1, 1, 0.475, 0.475, false},
              {0.526, 0.5, 0.5, 1, 1, 0.526, 0.526, true},
              {0.474, 0.5, 0.5, 1, 1, 0.474, 0.474, true},
              {0.5, 1, 1.25, 2, 2, 1, 1, true}, /* along one side */
              {0.5, 0, 0, 0, 0, 0.5, 0.5, false}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    const struct ts_image_info info = {.pixel_size = {rows[i].file_x_um, rows[i].file_y_um},
                                       .downsampling_x = rows[i].by_x,
                                       .downsampling_y = rows[i].by_y};
    struct ts_item item = {.name = "a", .given.mpp_um = rows[i].mpp_um};
    struct size_conflicts conflicts = {0};
    ts_resolution_settle(&item, &info, &conflicts);
    assert_true(item.pixel_size.x_um == rows[i].x_um && item.pixel_size.y_um == rows[i].y_um);
    assert_int_equal(conflicts.count, rows[i].is_conflict);
  }
}

static void there_is_one_warning(void **state) {
  (void)state;
  struct ts_issues issues = {0};
  struct size_conflicts conflicts = {0};
  ts_resolution_warn(&conflicts, &issues);
  assert_int_equal(issues.warning_count, 0);
  const struct ts_image_info info = {.pixel_size = {1, 1}, .downsampling_x = 4, .downsampling_y = 4};
  struct ts_item items[] = {
      {.name = "a", .given.mpp_um = 0.25}, {.name = "b", .given.mpp_um = 0.5}, {.name = "c", .given.mpp_um = 0.125}};
  for (size_t i = 0; i < COUNT_OF(items); i++) ts_resolution_settle(&items[i], &info, &conflicts);
  ts_resolution_warn(&conflicts, &issues);
  assert_int_equal(issues.warning_count, 1);
  assert_string_equal(
      issues.warnings[0],
      "the manifest gives 'b' 0.5 micrometres per pixel, but its file says 0.25 (2 items differ by more "
      "than 5 %); the manifest's number is used");
  ts_issues_release(&issues);
}

/* ---- JSON. ---- */

static void json_is_read_back(void **state) {
  (void)state;
  static const struct ts_given_resolution rows[] = {
      {0}, {.mpp_um = 0.1}, {.has_level = true}, {.mpp_um = 1, .has_level = true, .level = INT32_MAX}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    ts_auto(json_decrefp) json_t *object = json_object();
    ts_resolution_write(&rows[i], object);
    assert_int_equal(json_object_size(object), (rows[i].mpp_um > 0) + rows[i].has_level);
    ts_auto_free char *text = ts_json_dump(object, true, false);
    ts_auto(json_decrefp) json_t *read = json_loads(text, 0, NULL);
    struct ts_given_resolution given;
    assert_true(ts_resolution_restore(read, &given, NULL));
    assert_true(given.mpp_um == rows[i].mpp_um && given.has_level == rows[i].has_level && given.level == rows[i].level);
  }
}

static void other_json_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"{\"mpp\": 0}",     "{\"mpp\": -1}",      "{\"mpp\": 1001}",
                                      "{\"mpp\": \"1\"}", "{\"mpp\": null}",    "{\"level\": -1}",
                                      "{\"level\": 1.0}", "{\"level\": \"1\"}", "{\"level\": 2147483648}"};
  for (size_t i = 0; i < COUNT_OF(texts); i++) {
    ts_auto(json_decrefp) json_t *object = json_loads(texts[i], 0, NULL);
    struct ts_given_resolution given;
    struct ts_error err = {0};
    assert_false(ts_resolution_restore(object, &given, &err));
    assert_error(&err, TS_ERR_STORE_FORMAT);
    assert_non_null(strstr(err.text, i < 5 ? "'mpp'" : "'level'"));
    assert_true(given.mpp_um == 0 && !given.has_level && given.level == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_are_read),
      cmocka_unit_test(manifests_give_resolutions),
      cmocka_unit_test(faults_have_places),
      cmocka_unit_test(unreadable_files_have_no_levels),
      cmocka_unit_test(the_level_of_an_item_comes_first),
      cmocka_unit_test(pixel_sizes_are_settled),
      cmocka_unit_test(there_is_one_warning),
      cmocka_unit_test(json_is_read_back),
      cmocka_unit_test(other_json_is_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
