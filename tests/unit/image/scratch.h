/* What the image tests share: a folder of their own, made pixels, and the shared data.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_IMAGE_SCRATCH_H
#define TESTS_UNIT_IMAGE_SCRATCH_H

#include "data/data.h"
#include "image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char scratch_folder[64];

static inline int scratch_create(void **state) {
  (void)state;
  const char *parent = getenv("TMPDIR");
  snprintf(scratch_folder, sizeof scratch_folder, "%.40s/ts_image_XXXXXX", parent ? parent : P_tmpdir);
  return mkdtemp(scratch_folder) ? 0 : -1;
}

static inline int scratch_remove(void **state) {
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
  return system(command); /* NOLINT: a test's own folder */
}

/* A file of the folder; four names can be in use at once. */
static inline const char *scratch_path(const char *name) {
  static char paths[4][160];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
  return path;
}

static inline uint32_t scratch_noise(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ x >> 16;
}

/* Pixels of the type with every sample different enough to tell where it is from; at most `top`. */
static inline struct ts_data *scratch_pixels(const char *type_name, int64_t width, int64_t height, uint32_t top) {
  const struct ts_type *type = ts_type_find(type_name);
  struct ts_region region = {.width = width, .height = height};
  struct ts_data *data = ts_data_create_pixels(type, &region, NULL);
  assert_non_null(data);
  size_t bytes = ts_element_bytes(type->element);
  unsigned char *out = ts_data_writable(data);
  for (size_t i = 0; i < ts_data_size_bytes(data) / bytes; i++) {
    uint32_t value = scratch_noise((uint32_t)i) % (top + 1);
    memcpy(out + i * bytes, &value, bytes);
  }
  return data;
}

static inline void assert_same_pixels(const struct ts_data *a, const struct ts_data *b) {
  size_t size_a = 0;
  size_t size_b = 0;
  const void *bytes_a = ts_data_bytes(a, &size_a);
  const void *bytes_b = ts_data_bytes(b, &size_b);
  assert_int_equal(size_a, size_b);
  assert_memory_equal(bytes_a, bytes_b, size_a);
}

static inline void write_bytes(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

#endif
