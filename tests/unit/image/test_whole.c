/* Images without random access: the same pixels from memory, from a temporary file and from top to bottom; budgets are
 * kept.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/random.h"
#include "image/image.h"

#include <pthread.h>

static struct ts_budget budget;

#define WIDTH  700
#define HEIGHT 500
#define BYTES  ((uint64_t)WIDTH * HEIGHT * 3)

static char path[160];

static int setup(void **state) {
  struct ts_error err = {0};
  if (scratch_create(state) != 0) return -1;
  struct ts_region whole = {.width = WIDTH, .height = HEIGHT};
  struct ts_data *data = ts_data_create_pixels(ts_type_find("image/rgb8"), &whole, &err);
  struct ts_random random;
  ts_random_init(&random, 3, 0);
  uint8_t *pixels = ts_data_writable(data);
  for (size_t i = 0; i < BYTES; i++) pixels[i] = (uint8_t)ts_random_below(&random, 256);
  snprintf(path, sizeof path, "%s", scratch_path("noise.png"));
  bool good = ts_image_startup(&err) && ts_image_write_png(path, data, &err);
  ts_data_unref(data);
  return good ? 0 : -1;
}

static int teardown(void **state) {
  ts_images_close_idle();
  ts_budget_set(&budget, 0, 0);
  return scratch_remove(state);
}

static struct ts_data *read_part(int64_t x, int64_t y, int64_t width, int64_t height, struct ts_error *err) {
  struct ts_region region = {.x = x, .y = y, .width = width, .height = height};
  return ts_image_read(path, ts_type_find("image/rgb8"), &region, err);
}

static void assert_same(struct ts_data *a, struct ts_data *b) {
  size_t size_a, size_b;
  assert_non_null(a);
  assert_non_null(b);
  const void *bytes_a = ts_data_bytes(a, &size_a), *bytes_b = ts_data_bytes(b, &size_b);
  assert_int_equal(size_a, size_b);
  assert_memory_equal(bytes_a, bytes_b, size_a);
  ts_data_unref(a);
  ts_data_unref(b);
}

/* An eighth of the memory may hold the pixels: BYTES * 8 just does. */
static void a_small_budget_gives_the_same_pixels(void **state) {
  (void)state;
  struct ts_error err = {0};
  for (int64_t y = 0; y < HEIGHT; y += 123) {
    ts_budget_set(&budget, BYTES * 8, BYTES * 2);
    struct ts_data *from_memory = read_part(13, y, 301, 100 < HEIGHT - y ? 100 : HEIGHT - y, &err);
    assert_int_equal(ts_budget_scratch_held(), 0);
    ts_images_close_idle();
    ts_budget_set(&budget, BYTES * 8 - 8, BYTES * 2);
    struct ts_data *from_file = read_part(13, y, 301, 100 < HEIGHT - y ? 100 : HEIGHT - y, &err);
    assert_int_equal(ts_budget_scratch_held(), BYTES);
    ts_images_close_idle();
    assert_int_equal(ts_budget_scratch_held(), 0);
    assert_same(from_memory, from_file);
  }
  ts_budget_set(&budget, BYTES * 8, BYTES * 2);
  struct ts_data *all = read_part(0, 0, WIDTH, HEIGHT, &err);
  assert_int_equal(ts_budget_scratch_held(), 0); /* from top to bottom: nothing is kept */
  struct ts_data *part = read_part(0, 0, WIDTH - 1, HEIGHT, &err);
  struct ts_region core = {.width = WIDTH - 1, .height = HEIGHT};
  struct ts_data *cut = ts_data_crop(all, &core, &err);
  assert_same(part, cut);
  ts_data_unref(all);
}

static void beyond_the_budget_is_refused(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_budget_set(&budget, BYTES, BYTES);
  assert_true(ts_image_fits_budget(path, 0, &err));
  ts_budget_set(&budget, BYTES, BYTES - 1);
  assert_false(ts_image_fits_budget(path, 0, &err));
  assert_int_equal(err.code, TS_ERR_IMAGE_TOO_LARGE);
  assert_non_null(strstr(err.text, "700 x 500 pixels"));
  assert_non_null(strstr(err.help, "--scratch"));
  assert_string_equal(err.where.file, path);
  ts_error_clear(&err);
  assert_null(read_part(0, 0, 10, 10, &err));
  assert_int_equal(err.code, TS_ERR_IMAGE_TOO_LARGE);
  ts_error_clear(&err);
  assert_null(read_part(0, 0, WIDTH, HEIGHT, &err));
  assert_int_equal(err.code, TS_ERR_IMAGE_TOO_LARGE);
  assert_int_equal(ts_budget_scratch_held(), 0);
}

static void *read_tiles(void *argument) {
  bool *good = argument;
  *good = true;
  for (int i = 0; i < 40; i++) {
    struct ts_error err = {0};
    struct ts_data *data = read_part(i * 16, i * 8, 64, 64, &err);
    *good = *good && data && ts_budget_scratch_held() <= ts_budget_scratch_bytes();
    ts_data_unref(data);
    if (i % 8 == 7) ts_images_close_idle();
  }
  return NULL;
}

/* Room for one copy only: whoever comes while it is closed and opened again waits. */
static void threads_share_the_budget(void **state) {
  (void)state;
  pthread_t threads[4];
  bool good[4];
  ts_budget_set(&budget, BYTES, BYTES + BYTES / 2);
  for (size_t i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_tiles, &good[i]), 0);
  for (size_t i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  for (size_t i = 0; i < 4; i++) assert_true(good[i]);
  ts_images_close_idle();
  assert_int_equal(ts_budget_scratch_held(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_small_budget_gives_the_same_pixels, setup, teardown),
      cmocka_unit_test_setup_teardown(beyond_the_budget_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(threads_share_the_budget, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
