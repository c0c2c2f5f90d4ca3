/* From files to tiles: which files an entry names and in which order, names of results, cores that cover every image
 * once, regions with their halo, and limits.
 * SPDX-License-Identifier: Apache-2.0
 * test-needs: study */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/random.h"
#include "image/image.h"
#include "support/study_case.h"

enum { MOST_FILES = 12 };

static char folder[64];

/* A file of the scratch folder; sixteen names can be in use at once. */
static const char *at(const char *name) {
  static char paths[16][160];
  static size_t next;
  char *path = paths[next++ % COUNT_OF(paths)];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

/* A grey image; folders before its name are made. */
static void write_image(const char *name, int64_t width, int64_t height) {
  struct ts_error err = {0};
  const struct ts_region region = {.width = width, .height = height};
  ts_auto_free char *parent = ts_path_folder(at(name));
  ts_auto(ts_data_unref_pointer) struct ts_data *pixels =
      ts_data_create_pixels(ts_type_find("image/gray8"), &region, &err);
  memset(ts_data_writable(pixels), 128, (size_t)(width * height));
  if (!ts_folder_create(parent, &err) || !ts_image_write_png(at(name), pixels, &err)) fail_msg("%s", err.text);
}

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

struct subject {
  struct study_case c;
  const char *data[MOST_FILES];
};

/* The entries as --data gives them; tile_px -1: as in the study, which cuts nothing. */
static bool open_data(struct subject *subject, const char *const *names, size_t count, int64_t tile_px,
                      int64_t halo_px) {
  *subject = (struct subject){0};
  for (size_t i = 0; i < count; i++) subject->data[i] = at(names[i]);
  subject->c.request = (struct ts_request){
      .data = subject->data, .data_count = count, .has_tile = tile_px >= 0, .tile_px = tile_px >= 0 ? tile_px : 0};
  if (!study_case_init(&subject->c, probe_workflow, NULL, NULL)) fail_msg("%s", study_case_faults(&subject->c));
  subject->c.project.study.has_halo = true;
  subject->c.project.study.halo_px = halo_px;
  return ts_project_open_dataset(&subject->c.project, true, &subject->c.issues);
}

static void must_open(struct subject *subject, const char *const *names, size_t count, int64_t tile_px,
                      int64_t halo_px) {
  if (!open_data(subject, names, count, tile_px, halo_px)) fail_msg("%s", study_case_faults(&subject->c));
}

/* ---- Tiles. ---- */

struct size {
  int64_t width, height;
};

static bool is_in(const struct ts_region *region, int64_t x, int64_t y) {
  return x >= region->x && x < region->x + region->width && y >= region->y && y < region->y + region->height;
}

/* Pixel by pixel: a region is all pixels of the image with at most halo_px columns and rows to a pixel of the core. */
static void check_region(const struct ts_tile *tile, const struct size *size, int64_t halo_px) {
  const struct ts_region *core = &tile->core;
  int64_t inside = 0;
  for (int64_t y = 0; y < size->height; y++) {
    for (int64_t x = 0; x < size->width; x++) {
      bool near = false;
      for (int64_t v = y - halo_px; v <= y + halo_px && !near; v++)
        for (int64_t u = x - halo_px; u <= x + halo_px && !near; u++) near = is_in(core, u, v);
      assert_int_equal(is_in(&tile->region, x, y), near);
      inside += near;
    }
  }
  assert_int_equal(tile->region.width * tile->region.height, inside); /* nothing outside the image */
}

static void check_item(const struct ts_dataset *d, size_t index, const struct size *size, int64_t tile_px,
                       int64_t halo_px) {
  const struct ts_item *item = &d->items[index];
  ts_auto_free unsigned char *covered = ts_calloc((size_t)(size->width * size->height), 1);
  for (size_t t = item->first_tile; t < item->first_tile + item->tile_count; t++) {
    const struct ts_tile *tile = &d->tiles[t];
    assert_int_equal(d->tile_items[t], index);
    assert_true(tile_px == 0 || (tile->core.width <= tile_px && tile->core.height <= tile_px));
    for (int64_t y = tile->core.y; y < tile->core.y + tile->core.height; y++) {
      for (int64_t x = tile->core.x; x < tile->core.x + tile->core.width; x++) {
        assert_true(x >= 0 && x < size->width && y >= 0 && y < size->height);
        covered[y * size->width + x]++;
      }
    }
    check_region(tile, size, halo_px);
  }
  for (int64_t i = 0; i < size->width * size->height; i++) assert_int_equal(covered[i], 1);
}

static void cores_cover_every_file_once(void **state) {
  (void)state;
  static const char *const names[] = {"cover/a.png", "cover/b.png", "cover/c.png"};
  struct ts_random random;
  ts_random_init(&random, 17, 3);
  for (int round = 0; round < 8; round++) {
    struct size sizes[COUNT_OF(names)] = {0};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
      sizes[i] = (struct size){1 + (int64_t)ts_random_below(&random, 23), 1 + (int64_t)ts_random_below(&random, 19)};
      write_image(names[i], sizes[i].width, sizes[i].height);
    }
    const int64_t tile_px = (int64_t)ts_random_below(&random, 9), halo_px = (int64_t)ts_random_below(&random, 4);
    struct subject subject;
    must_open(&subject, names, COUNT_OF(names), tile_px, halo_px);
    const struct ts_dataset *d = &subject.c.project.dataset;
    assert_int_equal(d->item_count, COUNT_OF(names));
    size_t tiles = 0;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
      assert_int_equal(d->items[i].first_tile, tiles);
      assert_string_equal(d->items[i].sources[0].path, at(names[i]));
      check_item(d, i, &sizes[i], tile_px, halo_px);
      tiles += d->items[i].tile_count;
    }
    assert_int_equal(d->tile_count, tiles);
    study_case_release(&subject.c);
  }
}

/* The study's own tiles, where the command line does not cut; one tile per file if the study does not either. 10 x 6
 * pixels are 3 x 2 tiles of 4, or 2 x 2 of 5. */
static void the_command_line_comes_first(void **state) {
  (void)state;
  static const struct {
    int64_t of_study, of_request;
    size_t tiles;
  } cases[] = {{0, -1, 1}, {4, -1, 6}, {4, 5, 4}, {4, 0, 1}};
  const char *const name = "own/a.png";
  write_image(name, 10, 6);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct subject subject = {0};
    subject.data[0] = at(name);
    subject.c.request = (struct ts_request){.data = subject.data,
                                            .data_count = 1,
                                            .has_tile = cases[i].of_request >= 0,
                                            .tile_px = cases[i].of_request >= 0 ? cases[i].of_request : 0};
    assert_true(study_case_init(&subject.c, probe_workflow, NULL, NULL));
    subject.c.project.study.tile_px = cases[i].of_study;
    assert_true(ts_project_open_dataset(&subject.c.project, true, &subject.c.issues));
    assert_int_equal(subject.c.project.dataset.tile_count, cases[i].tiles);
    study_case_release(&subject.c);
  }
}

/* 1001 x 1000 tiles of one pixel are more than the million that a file may have; the help names an edge that fits. Of
 * tiles below 64 pixels ten thousand are the most: 101 x 100 of ten pixels are more, 91 x 91 of eleven are not. */
static void a_file_has_a_million_tiles_at_most(void **state) {
  (void)state;
  const char *const name = "large/a.png";
  struct subject subject;
  write_image(name, 1001, 1000);
  assert_false(open_data(&subject, &name, 1, 1, 0));
  assert_int_equal(subject.c.issues.faults.count, 1);
  assert_error(&subject.c.issues.faults.items[0], TS_ERR_BAD_VALUE);
  long long advised = 0;
  assert_int_equal(
      sscanf(subject.c.issues.faults.items[0].help, "make the tiles larger, for example %lld pixels", &advised), 1);
  study_case_release(&subject.c);
  const int64_t small[] = {2, 10};
  for (size_t i = 0; i < COUNT_OF(small); i++) {
    assert_false(open_data(&subject, &name, 1, small[i], 0));
    assert_int_equal(subject.c.issues.faults.count, 1);
    assert_error(&subject.c.issues.faults.items[0], TS_ERR_BAD_VALUE);
    assert_non_null(strstr(subject.c.issues.faults.items[0].text, "every task runs in each of them"));
    study_case_release(&subject.c);
  }
  const int64_t fitting[] = {11, advised};
  for (size_t i = 0; i < COUNT_OF(fitting); i++) {
    must_open(&subject, &name, 1, fitting[i], 0);
    const int64_t columns = (1001 + fitting[i] - 1) / fitting[i], rows = (1000 + fitting[i] - 1) / fitting[i];
    assert_int_equal(subject.c.project.dataset.tile_count, columns * rows);
    study_case_release(&subject.c);
  }
}

/* ---- Files and their names. ---- */

static void assert_names(const struct subject *subject, const char *const *wanted, size_t count) {
  assert_int_equal(subject->c.project.dataset.item_count, count);
  for (size_t i = 0; i < count; i++) assert_string_equal(subject->c.project.dataset.items[i].name, wanted[i]);
}

/* Results of an item lie in a folder of its name: no two items have one, whatever the files are called. */
static void files_of_one_name_are_told_apart(void **state) {
  (void)state;
  static const char *const names[] = {"n/a/slide.png", "n/b/slide.png",   "n/a/slide-2.png", "n/d/other.png",
                                      "n/d/other.tif", "n/d/other-2.png", "n/e/a-slide.png", "n/a/slide.png"};
  static const char *const wanted[] = {"a-slide", "b-slide",   "slide-2",   "other",
                                       "other-2", "other-2-2", "a-slide-2", "a-slide-3"};
  struct subject subject;
  for (size_t i = 0; i < COUNT_OF(names); i++) write_image(names[i], 2, 2);
  must_open(&subject, names, COUNT_OF(names), -1, 0);
  assert_names(&subject, wanted, COUNT_OF(wanted));
  for (size_t i = 0; i < COUNT_OF(names); i++)
    assert_string_equal(subject.c.project.dataset.items[i].sources[0].path, at(names[i]));
  study_case_release(&subject.c);
}

/* A folder gives the images directly in it, in the order of their names' bytes; endings in any case. Entries keep the
 * order in which they are named. */
static void folders_and_patterns_are_sorted(void **state) {
  (void)state;
  static const char *const made[] = {"f/b.png", "f/m.png",       "f/C.PNG.png", "f/z.png",    "f/B2.png",
                                     "f/k.png", "f/.hidden.png", "f/a.png",     "f/note.png", "f/x.png",
                                     "f/d.png", "f/below/z.png", "f/e.png",     "g/1.png",    "g/2.png"};
  struct ts_error err = {0};
  struct subject subject;
  for (size_t i = 0; i < COUNT_OF(made); i++) write_image(made[i], 3, 2);
  assert_int_equal(rename(at("f/note.png"), at("f/note.txt")), 0);
  assert_int_equal(rename(at("f/C.PNG.png"), at("f/C.PNG")), 0);
  assert_true(ts_file_write(at("f/png"), "", 0, &err));
  const char *const entries[] = {"g/2.png", "f", "g/[1].*"};
  const char *const wanted[] = {"2", "B2", "C", "a", "b", "d", "e", "k", "m", "x", "z", "1"};
  must_open(&subject, entries, COUNT_OF(entries), -1, 0);
  assert_names(&subject, wanted, COUNT_OF(wanted));
  study_case_release(&subject.c);
}

static void check_fault(const char *entry, enum ts_error_code code, const char *begin) {
  struct subject subject;
  assert_false(open_data(&subject, &entry, 1, -1, 0));
  assert_true(subject.c.issues.faults.count >= 1);
  const struct ts_error *fault = &subject.c.issues.faults.items[0];
  assert_error(fault, code);
  assert_memory_equal(fault->text, begin, strlen(begin));
  assert_non_null(strstr(fault->text, at(entry)));
  study_case_release(&subject.c);
}

static void entries_without_files_are_faults(void **state) {
  (void)state;
  struct ts_error err = {0};
  assert_true(ts_folder_create(at("empty/inner"), &err));
  assert_true(ts_file_write(at("empty/note.txt"), "x", 1, &err));
  check_fault("empty", TS_ERR_NO_TILES, "folder '");
  check_fault("absent.png", TS_ERR_FILE_NOT_FOUND, "there is no file '");
  check_fault("empty/*.png", TS_ERR_FILE_NOT_FOUND, "no file matches '");
  assert_true(ts_file_write(at("text.png"), "not an image", 12, &err));
  check_fault("text.png", TS_ERR_BAD_IMAGE, "'");
}

/* All faults at once: a user fixes them together. */
static void every_entry_is_looked_at(void **state) {
  (void)state;
  static const char *const entries[] = {"absent/1.png", "present/a.png", "absent/2.png"};
  struct subject subject;
  write_image("present/a.png", 2, 2);
  assert_false(open_data(&subject, entries, COUNT_OF(entries), -1, 0));
  assert_int_equal(subject.c.issues.faults.count, 2);
  assert_non_null(strstr(subject.c.issues.faults.items[0].text, entries[0]));
  assert_non_null(strstr(subject.c.issues.faults.items[1].text, entries[2]));
  study_case_release(&subject.c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cores_cover_every_file_once),        cmocka_unit_test(the_command_line_comes_first),
      cmocka_unit_test(a_file_has_a_million_tiles_at_most), cmocka_unit_test(files_of_one_name_are_told_apart),
      cmocka_unit_test(folders_and_patterns_are_sorted),    cmocka_unit_test(entries_without_files_are_faults),
      cmocka_unit_test(every_entry_is_looked_at),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
