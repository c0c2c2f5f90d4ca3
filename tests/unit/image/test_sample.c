/* Tests of samples: how many blocks there are, where they lie, and that they hold the pixels of the image.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "base/alloc.h"
#include "image/sample.h"

#define BLOCK 256

/* Images up to the limit are taken as they are; one pixel more makes a sample of whole blocks within the limit. */
static void test_layout(void **state) {
  (void)state;
  const struct {
    int64_t width, height, sample_px, columns, rows;
  } cases[] = {{1000, 1000, 1000000, 0, 0},
               {0, 0, BLOCK * BLOCK, 0, 0},
               {1000, 1001, 1000000, 3, 3},                   /* 15 blocks would fit, but 3 x 3 are in the image */
               {40000, 40000, 256LL * BLOCK * BLOCK, 16, 16}, /* a square of 256 blocks */
               {80000, 20000, 256LL * BLOCK * BLOCK, 32, 8},  /* four times as wide as high */
               {100, 1000000, BLOCK * BLOCK, 1, 1},           /* narrower than a block */
               {2147483647, 2147483647, 2LL * BLOCK * BLOCK, 1, 2}, /* the largest image; sqrt(2) columns */
               {2147483647, 256, 4LL * BLOCK * BLOCK, 4, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct ts_sample_layout layout = ts_sample_layout_of(cases[i].width, cases[i].height, cases[i].sample_px);
    assert_int_equal(layout.columns, cases[i].columns);
    assert_int_equal(layout.rows, cases[i].rows);
    assert_true(layout.width * layout.height <= cases[i].sample_px);
  }
}

/* Blocks are inside the image, apart from each other, on the lattice of blocks unless the border pushes them back. */
static void test_blocks(void **state) {
  (void)state;
  uint64_t x_state = 1;
  for (int trial = 0; trial < 2000; trial++) {
    x_state = x_state * 6364136223846793005u + 1442695040888963407u;
    const int64_t width = 1 + (int64_t)(x_state >> 33) % 5000, height = 1 + (int64_t)(x_state >> 45) % 5000;
    const struct ts_sample_layout layout =
        ts_sample_layout_of(width, height, BLOCK * BLOCK * (1 + (int64_t)(x_state >> 60)));
    int64_t x = 0, y = 0, before = -BLOCK;
    for (int64_t i = 0; i < layout.columns; i++, before = x) {
      ts_sample_block(&layout, width, height, i, 0, &x, &y);
      assert_true(x >= before + BLOCK && (x + BLOCK <= width || width < BLOCK));
      assert_true(x % BLOCK == 0 || x == width - BLOCK);
    }
    before = -BLOCK;
    for (int64_t i = 0; i < layout.rows; i++, before = y) {
      ts_sample_block(&layout, width, height, 0, i, &x, &y);
      assert_true(y >= before + BLOCK && (y + BLOCK <= height || height < BLOCK));
    }
  }
}

/* 1100 x 500 with two blocks: the middles of the halves are at x 275 and 825, so the corners at 147 and 697 move back
 * to 0 and 512; the middle row at 250 - 128 moves to 0. */
static void test_pixels(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *data = scratch_pixels("image/rgb8", 1100, 500, 255);
  const char *path = scratch_path("sampled.png");
  assert_true(ts_image_write_png(path, data, NULL));
  const struct ts_region whole = {.width = 1100, .height = 500};
  const struct ts_sample_layout layout = ts_sample_layout_of(1100, 500, 2 * BLOCK * BLOCK);
  assert_int_equal(layout.width, 2 * BLOCK);
  assert_int_equal(layout.height, BLOCK);
  ts_auto_free uint8_t *got = ts_calloc((size_t)(layout.width * layout.height), 3);
  assert_true(ts_image_read_sample(path, ts_type_find("image/rgb8"), &whole, &layout, got, NULL));
  const uint8_t *pixels = ts_data_bytes(data, NULL);
  for (size_t y = 0; y < BLOCK; y++) {
    for (size_t x = 0; x < 2 * BLOCK; x++)
      assert_memory_equal(got + 3 * (y * 2 * BLOCK + x), pixels + 3 * (y * 1100 + (x < BLOCK ? x : x - BLOCK + 512)),
                          3);
  }
  struct ts_error err = {0};
  const struct ts_region wrong = {.width = 9000, .height = 500};
  const struct ts_sample_layout far = ts_sample_layout_of(9000, 500, 4 * BLOCK * BLOCK);
  ts_auto_free uint8_t *room = ts_calloc((size_t)(far.width * far.height), 3);
  assert_false(ts_image_read_sample(path, ts_type_find("image/rgb8"), &wrong, &far, room, &err));
  assert_int_not_equal(err.code, TS_ERR_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layout),
      cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_pixels),
  };
  return cmocka_run_group_tests_name("sample", tests, scratch_create, scratch_remove);
}
