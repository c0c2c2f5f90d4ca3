/* Which pages of a TIFF are levels of its first page: those that shrink by one factor, up to rounding.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The files are written here byte by byte (TIFF 6.0, sections 2 and 8): grey, uncompressed, one strip per page. */
#include "scratch.h"

#include <vips/vips.h>

struct size {
  uint32_t width, height;
};

static void put(FILE *file, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) fputc((int)(value >> (8 * i) & 0xff), file);
}

static void put_entry(FILE *file, uint32_t tag, uint32_t type, uint32_t value) {
  put(file, tag, 2);
  put(file, type, 2);
  put(file, 1, 4);
  put(file, value, 4);
}

enum { SHORT = 3, LONG = 4, ENTRIES = 8, DIRECTORY_BYTES = 2 + 12 * ENTRIES + 4 };

/* A directory at `offset`, its pixels behind it, and the next directory behind those. */
static uint32_t put_page(FILE *file, struct size size, uint32_t offset, bool is_last) {
  const uint32_t bytes = size.width * size.height;
  const uint32_t next = (offset + DIRECTORY_BYTES + bytes + 1) & ~1U; /* directories begin at even offsets */
  put(file, ENTRIES, 2);
  put_entry(file, 256, LONG, size.width);
  put_entry(file, 257, LONG, size.height);
  put_entry(file, 258, SHORT, 8); /* bits per sample */
  put_entry(file, 259, SHORT, 1); /* not compressed */
  put_entry(file, 262, SHORT, 1); /* 0 is black */
  put_entry(file, 273, LONG, offset + DIRECTORY_BYTES);
  put_entry(file, 278, LONG, size.height);
  put_entry(file, 279, LONG, bytes);
  put(file, is_last ? 0 : next, 4);
  for (uint32_t i = offset + DIRECTORY_BYTES; i < next; i++) fputc(0x55, file);
  return next;
}

/* How many levels a file with these pages has; the list ends with a width of 0. */
static int32_t count_levels(const struct size *pages) {
  const char *path = scratch_path("pages.tif");
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs("II", file);
  put(file, 42, 2);
  put(file, 8, 4);
  uint32_t offset = 8;
  for (size_t i = 0; pages[i].width != 0; i++) offset = put_page(file, pages[i], offset, pages[i + 1].width == 0);
  assert_int_equal(fclose(file), 0);
  struct ts_image_info info;
  struct ts_error err = {0};
  if (!ts_image_inspect(path, 0, &info, &err)) fail_msg("%s", err.text);
  VipsImage *first = NULL; /* another reader sees all the pages */
  int count = 0;
  assert_int_equal(vips_tiffload(path, &first, NULL), 0);
  size_t expected = 0;
  while (pages[expected].width != 0) expected++;
  assert_int_equal(expected > 1 ? vips_image_get_int(first, "n-pages", &count) : 0, 0);
  assert_int_equal(expected > 1 ? count : 1, expected);
  g_object_unref(first);
  return info.level_count;
}

static void test_halves_are_levels(void **state) {
  (void)state;
  assert_int_equal(count_levels((const struct size[]){{400, 300}, {200, 150}, {100, 75}, {0, 0}}), 3);
  assert_int_equal(count_levels((const struct size[]){{400, 300}, {100, 75}, {25, 18}, {0, 0}}), 3);
}

/* 301 halves to 151 by rounding up; by that factor 800 would be 401.3, and 400 is still its half. */
static void test_rounding_is_allowed_for(void **state) {
  (void)state;
  assert_int_equal(count_levels((const struct size[]){{301, 800}, {151, 400}, {0, 0}}), 2);
  assert_int_equal(count_levels((const struct size[]){{301, 800}, {150, 400}, {0, 0}}), 2); /* down: 398.7 */
}

/* Slides carry a picture of their label and of the whole glass: smaller, but of another shape. */
static void test_a_label_is_not_a_level(void **state) {
  (void)state;
  assert_int_equal(count_levels((const struct size[]){{400, 300}, {200, 150}, {150, 160}, {0, 0}}), 2);
  assert_int_equal(count_levels((const struct size[]){{400, 300}, {200, 150}, {190, 140}, {0, 0}}), 2); /* 142.5 */
  assert_int_equal(count_levels((const struct size[]){{400, 300}, {380, 100}, {0, 0}}), 1);
  assert_int_equal(count_levels((const struct size[]){{400, 300}, {200, 147}, {0, 0}}), 1); /* 3 px too low */
  assert_int_equal(count_levels((const struct size[]){{400, 300}, {200, 153}, {0, 0}}), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_halves_are_levels),
      cmocka_unit_test(test_rounding_is_allowed_for),
      cmocka_unit_test(test_a_label_is_not_a_level),
  };
  return cmocka_run_group_tests_name("levels", tests, scratch_create, scratch_remove);
}
