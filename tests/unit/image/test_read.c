/* Tests of reading rectangles: conversions, tiles, levels, damaged files, threads, and memory that stays small.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "base/alloc.h"
#include "base/file.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <vips/vips.h>

static const struct ts_region one_pixel = {.width = 1, .height = 1};

/* Saves with libvips, in the format that the name's ending says. */
static void save(const struct ts_data *data, const char *path, int bands, const char *suffix_options) {
  assert_true(ts_image_startup(NULL));
  size_t size = 0;
  const void *bytes = ts_data_bytes(data, &size);
  const struct ts_region *region = ts_data_region(data);
  bool wide = ts_data_type(data)->element == TS_U16;
  VipsImage *raw =
      vips_image_new_from_memory(bytes, size, (int)region->width, (int)region->height / (bands == 4 ? 4 : 1), bands,
                                 wide ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR);
  VipsImage *image = NULL;
  VipsInterpretation interpretation = bands >= 3 ? VIPS_INTERPRETATION_sRGB : VIPS_INTERPRETATION_B_W;
  assert_int_equal(vips_copy(raw, &image, "interpretation", wide ? VIPS_INTERPRETATION_GREY16 : interpretation, NULL),
                   0);
  char target[256];
  snprintf(target, sizeof target, "%s%s", path, suffix_options);
  assert_int_equal(vips_image_write_to_file(image, target, NULL), 0);
  g_object_unref(image);
  g_object_unref(raw);
}

/* Squares of `step` pixels, row by row; how many. */
static size_t cut(int64_t width, int64_t height, int64_t step, struct ts_region *tiles) {
  size_t count = 0;
  for (int64_t y = 0; y < height; y += step) {
    for (int64_t x = 0; x < width; x += step)
      tiles[count++] = (struct ts_region){.x = x,
                                          .y = y,
                                          .width = x + step < width ? step : width - x,
                                          .height = y + step < height ? step : height - y};
  }
  return count;
}

static void test_tiles_joined_are_the_image(void **state) {
  (void)state;
  static const char *const names[] = {"whole.png", "tiled.tif", "strips.tif"};
  static const char *const options[] = {"", "[tile,tile-width=64,tile-height=32,compression=lzw]",
                                        "[compression=deflate]"};
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels("image/rgb8", 201, 157, 255);
  for (int i = 0; i < 3; i++) {
    const char *path = scratch_path(names[i]);
    save(data, path, 3, options[i]);
    struct ts_region tiles[20];
    const size_t count = cut(201, 157, 50, tiles);
    assert_int_equal(count, 20);
    struct ts_data *pieces[20];
    for (size_t t = 0; t < count; t++) { /* in an order that no sequential reader likes */
      size_t index = t * 7 % count;
      pieces[index] = ts_image_read(path, ts_type_find("image/rgb8"), &tiles[index], NULL);
      assert_non_null(pieces[index]);
    }
    ts_auto(ts_data_unref_pointer) struct ts_data *all =
        ts_data_gather((const struct ts_data *const *)pieces, count, NULL);
    assert_same_pixels(all, data);
    for (size_t t = 0; t < count; t++) ts_data_unref(pieces[t]);
  }
}

static void test_conversions(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *grey = scratch_pixels("image/gray8", 12, 9, 255);
  const char *path = scratch_path("grey.png");
  save(grey, path, 1, "");
  size_t size = 0;
  const unsigned char *from = ts_data_bytes(grey, &size);
  ts_auto(ts_data_unref_pointer) struct ts_data *rgb =
      ts_image_read(path, ts_type_find("image/rgb8"), ts_data_region(grey), NULL);
  ts_auto(ts_data_unref_pointer) struct ts_data *mask =
      ts_image_read(path, ts_type_find("mask"), ts_data_region(grey), NULL);
  ts_auto(ts_data_unref_pointer) struct ts_data *labels =
      ts_image_read(path, ts_type_find("labels"), ts_data_region(grey), NULL);
  ts_auto(ts_data_unref_pointer) struct ts_data *wide =
      ts_image_read(path, ts_type_find("image/gray16"), ts_data_region(grey), NULL);
  for (int i = 0; i < 108; i++) {
    for (int c = 0; c < 3; c++) assert_int_equal(((const uint8_t *)ts_data_bytes(rgb, &size))[3 * i + c], from[i]);
    assert_int_equal(((const uint8_t *)ts_data_bytes(mask, &size))[i], from[i] ? 255 : 0);
    assert_int_equal(((const uint32_t *)ts_data_bytes(labels, &size))[i], from[i]);
    assert_int_equal(((const uint16_t *)ts_data_bytes(wide, &size))[i], from[i]);
  }
}

static void test_alpha_is_dropped(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *four = scratch_pixels("image/gray8", 10, 4 * 6, 255);
  const char *path = scratch_path("alpha.png");
  save(four, path, 4, "");
  struct ts_image_info info;
  assert_true(ts_image_inspect(path, 0, &info, NULL));
  assert_int_equal(info.channels, 3);
  assert_int_equal(info.height, 6);
  struct ts_region region = {.width = 10, .height = 6};
  ts_auto(ts_data_unref_pointer) struct ts_data *rgb = ts_image_read(path, ts_type_find("image/rgb8"), &region, NULL);
  size_t size = 0;
  const unsigned char *from = ts_data_bytes(four, &size);
  const unsigned char *to = ts_data_bytes(rgb, &size);
  for (int i = 0; i < 60; i++) assert_memory_equal(to + 3 * i, from + 4 * i, 3);
}

/* Reading must fail with the code, the file as place, and a text that holds the word. */
static void refuse(const char *path, const char *type, const struct ts_region *region, enum ts_error_code code,
                   const char *word) {
  struct ts_error err = {0};
  assert_null(ts_image_read(path, ts_type_find(type), region, &err));
  assert_int_equal(err.code, code);
  assert_string_equal(err.where.file, path);
  if (!strstr(err.text, word)) fail_msg("'%s' does not say '%s'", err.text, word);
  assert_true(err.help[0] != '\0');
}

static void test_wrong_types(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *rgb = scratch_pixels("image/rgb8", 5, 5, 255);
  const char *path = scratch_path("colour.png");
  save(rgb, path, 3, "");
  refuse(path, "image/gray8", &one_pixel, TS_ERR_BAD_IMAGE, "3 colour channels");
  refuse(path, "mask", &one_pixel, TS_ERR_BAD_IMAGE, "3 colour channels");
  refuse(path, "table", &one_pixel, TS_ERR_BAD_IMAGE, "'table'");
  refuse(path, "field/f32", &one_pixel, TS_ERR_BAD_IMAGE, "'field/f32'");
  ts_auto(ts_data_unref_pointer) struct ts_data *wide = scratch_pixels("image/gray16", 5, 5, 65535);
  const char *wide_path = scratch_path("wide.png");
  save(wide, wide_path, 1, "");
  refuse(wide_path, "image/gray8", &one_pixel, TS_ERR_BAD_IMAGE, "16 bits");
  refuse(wide_path, "image/rgb8", &one_pixel, TS_ERR_BAD_IMAGE, "16 bits");
}

static void test_rectangles_outside(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *rgb = scratch_pixels("image/rgb8", 20, 10, 255);
  const char *path = scratch_path("size.png");
  save(rgb, path, 3, "");
  const struct ts_region outside[] = {
      {.x = -1, .width = 5, .height = 5},
      {.y = 6, .width = 5, .height = 5},
      {.x = 15, .width = 6, .height = 1},
      {.width = 21, .height = 1},
      {.width = 0, .height = 1},
      {.width = 1, .height = -5},
      {.x = INT64_MAX, .width = 5, .height = 5},
      {.width = INT64_MAX, .height = INT64_MAX},
      {.x = INT64_MIN, .width = 5, .height = 5},
  };
  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
    refuse(path, "image/rgb8", &outside[i], TS_ERR_BAD_IMAGE, "outside");
  }
  struct ts_region level = {.width = 1, .height = 1, .level = 1};
  refuse(path, "image/rgb8", &level, TS_ERR_BAD_IMAGE, "1 resolution level");
  level.level = -1;
  refuse(path, "image/rgb8", &level, TS_ERR_BAD_IMAGE, "level");
  static const struct ts_region planes[] = {{.width = 1, .height = 1, .z = 1},
                                            {.width = 1, .height = 1, .t = 1},
                                            {.width = 1, .height = 1, .depth = 2},
                                            {.width = 1, .height = 1, .frames = 2},
                                            {.width = 1, .height = 1, .depth = -1}};
  for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++)
    refuse(path, "image/rgb8", &planes[i], TS_ERR_BAD_IMAGE, "z 0");
}

static void test_files_that_are_no_images(void **state) {
  (void)state;
  refuse(scratch_path("missing.png"), "image/rgb8", &one_pixel, TS_ERR_FILE_NOT_FOUND, "missing.png");
  refuse(scratch_path("missing.svs"), "image/rgb8", &one_pixel, TS_ERR_FILE_NOT_FOUND, "missing.svs");
  refuse(scratch_folder, "image/rgb8", &one_pixel, TS_ERR_BAD_IMAGE, "not a file");
  const char *text = scratch_path("text.png");
  write_bytes(text, "hello, not an image\n", 20);
  refuse(text, "image/rgb8", &one_pixel, TS_ERR_BAD_IMAGE, "not an image");
  const char *empty = scratch_path("empty.tif");
  write_bytes(empty, "", 0);
  refuse(empty, "image/rgb8", &one_pixel, TS_ERR_BAD_IMAGE, "empty.tif");
  const char *svg = scratch_path("drawing.svg"); /* libvips could render it */
  write_bytes(svg, "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'></svg>", 66);
  refuse(svg, "image/rgb8", &one_pixel, TS_ERR_BAD_IMAGE, "drawing.svg");
}

static void cut_file(const char *from, const char *to, size_t size) {
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  assert_true(ts_file_read(from, 0, &bytes, NULL));
  assert_true(size < bytes.length);
  write_bytes(to, bytes.data, size);
}

static void test_cut_files(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *rgb = scratch_pixels("image/rgb8", 200, 200, 255);
  static const char *const names[] = {"c.png", "c.tif", "ct.tif"};
  static const char *const options[] = {"", "[compression=none]", "[tile,compression=lzw]"};
  for (int i = 0; i < 3; i++) {
    char cut_name[32];
    snprintf(cut_name, sizeof cut_name, "cut_%s", names[i]);
    const char *path = scratch_path(names[i]);
    const char *cut = scratch_path(cut_name);
    save(rgb, path, 3, options[i]);
    static const size_t sizes[] = {10, 60, 5000, 60000};
    for (size_t s = 0; s < 4; s++) {
      cut_file(path, cut, sizes[s]);
      struct ts_error err = {0};
      assert_null(ts_image_read(cut, ts_type_find("image/rgb8"), ts_data_region(rgb), &err));
      assert_int_equal(err.code, TS_ERR_BAD_IMAGE);
      assert_string_equal(err.where.file, cut);
    }
  }
}

/* Bytes changed at random: an error or pixels, but no crash. */
static void test_damaged_files(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *rgb = scratch_pixels("image/rgb8", 40, 40, 255);
  static const char *const options[] = {".png", ".tif[tile,compression=jpeg,Q=50]", ".tif[compression=lzw]"};
  for (int kind = 0; kind < 3; kind++) {
    char name[32];
    snprintf(name, sizeof name, "d%d", kind);
    const char *base = scratch_path(name);
    save(rgb, base, 3, options[kind]);
    char path[192];
    snprintf(path, sizeof path, "%s%s", base, kind == 0 ? ".png" : ".tif");
    ts_auto(ts_str_release) struct ts_str bytes = {0};
    assert_true(ts_file_read(path, 0, &bytes, NULL));
    for (uint32_t round = 0; round < 150; round++) {
      ts_auto_free char *damaged = ts_memdup(bytes.data, bytes.length);
      for (uint32_t i = 0; i < 3; i++) {
        damaged[scratch_noise(round * 6 + i) % bytes.length] = (char)scratch_noise(round * 6 + i + 3);
      }
      write_bytes(path, damaged, bytes.length);
      struct ts_error err = {0};
      ts_auto(ts_data_unref_pointer) struct ts_data *data =
          ts_image_read(path, ts_type_find("image/rgb8"), ts_data_region(rgb), &err);
      assert_int_equal(data == NULL, err.code != TS_ERR_OK);
    }
  }
}

/* In the file names of libvips a trailing [...] holds options. */
static void test_names_with_brackets(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *grey = scratch_pixels("image/gray8", 5, 4, 255);
  const char *path = scratch_path("odd [page=3].png");
  assert_true(ts_image_write_png(path, grey, NULL));
  ts_auto(ts_data_unref_pointer) struct ts_data *back =
      ts_image_read(path, ts_type_find("image/gray8"), ts_data_region(grey), NULL);
  assert_non_null(back);
  assert_same_pixels(grey, back);
}

static void test_a_rewritten_file_is_read_again(void **state) {
  (void)state;
  const char *path = scratch_path("changing.png");
  for (int round = 0; round < 3; round++) {
    ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels("image/gray8", 30 + round, 20, 200);
    memset(ts_data_writable(data), round, 10);
    assert_true(ts_image_write_png(path, data, NULL));
    ts_auto(ts_data_unref_pointer) struct ts_data *back =
        ts_image_read(path, ts_type_find("image/gray8"), ts_data_region(data), NULL);
    assert_non_null(back);
    assert_same_pixels(data, back);
  }
}

/* Pyramids in sub-directories (OME-TIFF) and as pages; the lower levels are compared with libvips' own reading. */
static void check_pyramid(const char *name, const char *options, bool sub_directories) {
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels("image/rgb8", 300, 200, 255);
  const char *path = scratch_path(name);
  save(data, path, 3, options);
  for (int level = 1; level < 3; level++) {
    struct ts_image_info info;
    assert_true(ts_image_inspect(path, level, &info, NULL));
    assert_int_equal(info.level_count, 4); /* 300, 150, 75, 37: the first that fits into one tile */
    assert_int_equal(info.width, 300 >> level);
    assert_int_equal(info.height, 200 >> level);
    struct ts_region region = {.x = 7, .y = 3, .width = 60, .height = 40, .level = level};
    ts_auto(ts_data_unref_pointer) struct ts_data *part =
        ts_image_read(path, ts_type_find("image/rgb8"), &region, NULL);
    assert_non_null(part);
    VipsImage *whole = NULL;
    VipsImage *crop = NULL;
    int page = sub_directories ? 0 : level;
    int subifd = sub_directories ? level - 1 : -1;
    assert_int_equal(vips_tiffload(path, &whole, "page", page, "subifd", subifd, NULL), 0);
    assert_int_equal(vips_extract_area(whole, &crop, 7, 3, 60, 40, NULL), 0);
    size_t size = 0;
    void *expected = vips_image_write_to_memory(crop, &size);
    assert_int_equal(size, 7200);
    assert_memory_equal(ts_data_bytes(part, &size), expected, 7200);
    g_free(expected);
    g_object_unref(crop);
    g_object_unref(whole);
  }
}

static void test_pyramids(void **state) {
  (void)state;
  check_pyramid("sub.tif", "[tile,pyramid,subifd,tile-width=64,tile-height=64,depth=onetile]", true);
  check_pyramid("pages.tif", "[tile,pyramid,tile-width=64,tile-height=64,depth=onetile]", false);
}

/* The planes of a stack have one size: they are no levels. */
static void test_a_stack_is_no_pyramid(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels("image/gray8", 30, 60, 255);
  const char *path = scratch_path("stack.tif");
  size_t size = 0;
  VipsImage *raw = vips_image_new_from_memory(ts_data_bytes(data, &size), 1800, 30, 60, 1, VIPS_FORMAT_UCHAR);
  assert_int_equal(vips_tiffsave(raw, path, "page_height", 20, NULL), 0);
  g_object_unref(raw);
  struct ts_image_info info;
  assert_true(ts_image_inspect(path, 0, &info, NULL));
  assert_int_equal(info.level_count, 1);
  assert_int_equal(info.height, 20);
}

struct reader {
  const char *path;
  const struct ts_data *whole;
  int number;
  bool good;
};

static void *read_tiles(void *argument) {
  struct reader *reader = argument;
  struct ts_region tiles[64];
  const size_t count = cut(256, 256, 32, tiles);
  reader->good = true;
  for (size_t i = 0; i < count; i++) {
    size_t index = (i * 13 + (size_t)reader->number * 5) % count;
    const struct ts_region *region = &tiles[index];
    struct ts_data *tile = ts_image_read(reader->path, ts_type_find("image/rgb8"), region, NULL);
    size_t size = 0;
    const char *all = ts_data_bytes(reader->whole, &size);
    for (int64_t y = 0; tile && y < region->height; y++) {
      const char *row = (const char *)ts_data_bytes(tile, &size) + y * region->width * 3;
      if (memcmp(row, all + ((region->y + y) * 256 + region->x) * 3, (size_t)region->width * 3) != 0)
        reader->good = false;
    }
    if (!tile) reader->good = false;
    ts_data_unref(tile);
  }
  vips_thread_shutdown();
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels("image/rgb8", 256, 256, 255);
  const char *paths[] = {scratch_path("threads.tif"), scratch_path("threads.png")};
  save(data, paths[0], 3, "[tile,tile-width=32,tile-height=32]");
  save(data, paths[1], 3, "");
  pthread_t threads[4];
  struct reader readers[4];
  for (int i = 0; i < 4; i++) {
    readers[i] = (struct reader){.path = paths[i % 2], .whole = data, .number = i};
    assert_int_equal(pthread_create(&threads[i], NULL, read_tiles, &readers[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    assert_true(readers[i].good);
  }
}

static long peak_kilobytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/* Runs in a process of its own: the peak of a process never goes down again. */
static int read_one_tile(const char *path) {
  struct ts_region tile = {.x = 5000, .y = 6000, .width = 512, .height = 512};
  struct ts_image_info info;
  if (!ts_image_inspect(path, 0, &info, NULL) || info.width != 8192) return 1;
  long before = peak_kilobytes();
  struct ts_data *data = ts_image_read(path, ts_type_find("image/rgb8"), &tile, NULL);
  long grown = peak_kilobytes() - before;
  if (!data) return 2;
  ts_data_unref(data);
  if (grown > 12L * 1024) {
    printf("reading one tile took %ld KiB\n", grown);
    return 3;
  }
  return 0;
}

/* 192 MiB of pixels. One tile of 512 pixels takes 0.75 MiB and the file tiles below it as much again; a reader that
 * passes over the whole file grows by 19 MiB even though libvips puts the pixels on disc. */
static int make_large(const char *path) {
  VipsImage *black = NULL;
  VipsImage *image = NULL;
  if (vips_black(&black, 8192, 8192, "bands", 3, NULL) != 0) return 1;
  if (vips_copy(black, &image, "interpretation", VIPS_INTERPRETATION_sRGB, NULL) != 0) return 1;
  return vips_tiffsave(image, path, "tile", TRUE, "tile_width", 256, "tile_height", 256, "compression",
                       VIPS_FOREIGN_TIFF_COMPRESSION_DEFLATE, NULL);
}

static void test_reading_a_tile_stays_local(void **state) {
  (void)state;
  const char *path = scratch_path("large.tif");
  int (*const steps[])(const char *) = {make_large, read_one_tile};
  for (int i = 0; i < 2; i++) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(ts_image_startup(NULL) ? steps[i](path) : 9);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
  }
}

/* Bytes that this process has read so far, from files or elsewhere; 0: the system does not say. */
static uint64_t bytes_read(void) {
  unsigned long long count = 0;
  FILE *file = fopen("/proc/self/io", "r");
  if (!file) return 0;
  if (fscanf(file, "rchar: %llu", &count) != 1) count = 0;
  fclose(file);
  return count;
}

/* Rectangles with a halo, row after row: the tiles of the file under the halos are read once all the same. Noise does
 * not shrink, so bytes count tiles. */
static void test_halos_do_not_decode_tiles_again(void **state) {
  (void)state;
  enum { SIDE = 1536, STEP = 256, HALO = 40 };
  const char *path = scratch_path("halos.tif");
  ts_auto(ts_data_unref_pointer) struct ts_data *image = scratch_pixels("image/gray8", SIDE, SIDE, 255);
  struct ts_region tiles[(SIDE / STEP) * (SIDE / STEP)];
  const size_t count = cut(SIDE, SIDE, STEP, tiles);
  save(image, path, 1, "[tile,tile-width=128,tile-height=128,compression=deflate]");
  const uint64_t before = bytes_read();
  if (before == 0) skip();
  for (size_t i = 0; i < count; i++) {
    const int64_t left = tiles[i].x > HALO ? tiles[i].x - HALO : 0, top = tiles[i].y > HALO ? tiles[i].y - HALO : 0;
    const int64_t right = tiles[i].x + STEP + HALO, bottom = tiles[i].y + STEP + HALO;
    const struct ts_region wide = {.x = left,
                                   .y = top,
                                   .width = (right < SIDE ? right : SIDE) - left,
                                   .height = (bottom < SIDE ? bottom : SIDE) - top};
    ts_auto(ts_data_unref_pointer) struct ts_data *part = ts_image_read(path, ts_type_find("image/gray8"), &wide, NULL);
    ts_auto(ts_data_unref_pointer) struct ts_data *expected = ts_data_crop(image, &wide, NULL);
    assert_same_pixels(part, expected);
  }
  const uint64_t whole = (uint64_t)SIDE * SIDE; /* without what is kept 2.3 times as many */
  if (bytes_read() - before > whole + whole / 4)
    fail_msg("%llu bytes were read of an image of %llu", (unsigned long long)(bytes_read() - before),
             (unsigned long long)whole);
}

int main(void) {
  /* First the test that forks: libvips has not started yet, so the children start it themselves. */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reading_a_tile_stays_local),
      cmocka_unit_test(test_tiles_joined_are_the_image),
      cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_alpha_is_dropped),
      cmocka_unit_test(test_wrong_types),
      cmocka_unit_test(test_rectangles_outside),
      cmocka_unit_test(test_files_that_are_no_images),
      cmocka_unit_test(test_cut_files),
      cmocka_unit_test(test_damaged_files),
      cmocka_unit_test(test_names_with_brackets),
      cmocka_unit_test(test_a_rewritten_file_is_read_again),
      cmocka_unit_test(test_halos_do_not_decode_tiles_again),
      cmocka_unit_test(test_pyramids),
      cmocka_unit_test(test_a_stack_is_no_pyramid),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests_name("read", tests, scratch_create, scratch_remove);
}
