/* Fuzz target: the header of an image file, and the pixels of its upper left corner.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Decoding a file of many pixels is slow, not wrong; corners of larger ones are the business of the mutation test. */
#define MOST_PIXELS (1024 * 1024)

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  if (!ts_image_startup(NULL)) abort();
  return 0;
}

static void read_corner(const char *name, const struct ts_image_info *info, const char *type) {
  struct ts_region corner = {.width = info->width < 64 ? info->width : 64,
                             .height = info->height < 64 ? info->height : 64};
  struct ts_error err = {0};
  struct ts_data *data = ts_image_read(name, ts_type_find(type), &corner, &err);
  if (!data) fuzz_check_error(&err);
  ts_data_unref(data);
}

static void read_image(const char *name) {
  struct ts_error err = {0};
  struct ts_image_info info = {0};
  if (!ts_image_inspect(name, 0, &info, &err)) {
    fuzz_check_error(&err);
    return;
  }
  if (info.width <= 0 || info.height <= 0 || info.level_count < 1) abort();
  if (info.width > MOST_PIXELS / info.height) return;
  read_corner(name, &info, "image/rgb8");
  read_corner(name, &info, "labels");
}

/* Each input has a name of its own: clocks of file systems are too coarse to tell the cache of open images that one was
 * rewritten. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static unsigned long count;
  char name[32];
  snprintf(name, sizeof name, "image-%lu", count++);
  fuzz_write(name, data, size);
  read_image(name);
  unlink(name);
  return 0;
}
