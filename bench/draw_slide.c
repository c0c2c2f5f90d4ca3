/* Draws a patch of the synthetic slide and its nuclei as PNG files: draw_slide WIDTH HEIGHT SEED IMAGE.png MASK.png
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "demo/slide.h"
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>

/* The nuclei as a mask: 255 where there is one. */
static struct ts_data *mask_of(const struct ts_data *labels, struct ts_error *err) {
  struct ts_data *mask = ts_data_create_pixels(ts_type_find("mask"), ts_data_region(labels), err);
  const uint32_t *from = ts_data_bytes(labels, NULL);
  uint8_t *to = mask ? ts_data_writable(mask) : NULL;
  for (size_t i = 0; to && i < ts_data_size_bytes(mask); i++) to[i] = from[i] ? 255 : 0;
  if (mask) ts_data_finish(mask);
  return mask;
}

int main(int count, char **words) {
  if (count != 6) {
    fprintf(stderr, "usage: draw_slide WIDTH HEIGHT SEED IMAGE.png MASK.png\n");
    return 2;
  }
  struct ts_error err = {0};
  struct ts_data *image = NULL, *labels = NULL, *mask = NULL;
  bool ok = ts_image_startup(&err) &&
            ts_demo_slide(strtoll(words[1], NULL, 10), strtoll(words[2], NULL, 10), strtoull(words[3], NULL, 10),
                          &image, &labels, &err) &&
            (mask = mask_of(labels, &err)) && ts_image_write_png(words[4], image, &err) &&
            ts_image_write_png(words[5], mask, &err);
  if (!ok) fprintf(stderr, "%s\n", err.text);
  uint32_t nuclei = 0;
  for (size_t i = 0; ok && i < ts_data_size_bytes(mask); i++) {
    const uint32_t label = ((const uint32_t *)ts_data_bytes(labels, NULL))[i];
    if (label > nuclei) nuclei = label;
  }
  if (ok) printf("%u\n", nuclei);
  ts_data_unref(image);
  ts_data_unref(labels);
  ts_data_unref(mask);
  return ok ? 0 : 1;
}
