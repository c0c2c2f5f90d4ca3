/* Example data for the inputs of a generated operation: small files that are drawn or counted, nothing is downloaded.
 * SPDX-License-Identifier: Apache-2.0 */
#include "generate/generate_int.h"

#include "demo/slide.h"
#include "image/image.h"

#include "base/alloc.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

#define SIDE_PX    192 /* of images */
#define TABLE_ROWS 60

static const char *ending_of(const struct ts_type *type) {
  return type->kind == TS_DATA_BYTES ? "txt" : type->file_ending;
}

void ts_new_example_name(const struct new_input *input, int number, char name[128]) {
  snprintf(name, 128, "data/%s-%d.%s", input->port->name, number, ending_of(input->type));
}

/* Numbers from 0 to 100 that look like measurements and are the same on every machine. */
static double next_number(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0 * 100;
}

/* ---- Images ---- */

static uint8_t luma(const uint8_t *rgb) { return (uint8_t)((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]) / 1000); }

static void convert(const struct ts_type *type, const uint8_t *rgb, const uint32_t *labels, void *out) {
  for (size_t i = 0; i < (size_t)SIDE_PX * SIDE_PX; i++) {
    const uint8_t gray = luma(rgb + 3 * i);
    if (strcmp(type->name, "mask") == 0)
      ((uint8_t *)out)[i] = labels[i] ? 255 : 0;
    else if (type->element == TS_U32)
      ((uint32_t *)out)[i] = labels[i];
    else if (type->element == TS_U16)
      ((uint16_t *)out)[i] = (uint16_t)(257 * gray);
    else if (type->channels == 3)
      memcpy((uint8_t *)out + 3 * i, rgb + 3 * i, 3);
    else
      ((uint8_t *)out)[i] = gray;
  }
}

static bool write_image(const struct ts_type *type, int number, const char *path, struct ts_error *err) {
  const struct ts_region whole = {.width = SIDE_PX, .height = SIDE_PX};
  ts_auto(ts_data_unref_pointer) struct ts_data *rgb = NULL;
  ts_auto(ts_data_unref_pointer) struct ts_data *labels = NULL;
  if (!ts_image_startup(err) || !ts_demo_slide(SIDE_PX, SIDE_PX, (uint64_t)number, &rgb, &labels, err)) return false;
  ts_auto(ts_data_unref_pointer) struct ts_data *pixels = ts_data_create_pixels(type, &whole, err);
  if (!pixels) return false;
  convert(type, ts_data_bytes(rgb, NULL), ts_data_bytes(labels, NULL), ts_data_writable(pixels));
  ts_data_finish(pixels);
  return ts_image_write_png(path, pixels, err);
}

/* ---- Texts ---- */

static void add_table(const struct new_input *input, uint32_t state, struct ts_str *out) {
  static const char *const usual[] = {"x", "y"};
  const char *const *columns = input->column_count > 0 ? input->columns : usual;
  const size_t count = input->column_count > 0 ? input->column_count : 2;
  for (size_t c = 0; c < count; c++) ts_str_addf(out, "%s%s", c ? "," : "", columns[c]);
  ts_str_add_char(out, '\n');
  for (size_t row = 0; row < TABLE_ROWS; row++) {
    for (size_t c = 0; c < count; c++) ts_str_addf(out, "%s%s", c ? "," : "", TS_DECIMALS(next_number(&state), 2));
    ts_str_add_char(out, '\n');
  }
}

static void add_lines(uint32_t state, struct ts_str *out) {
  for (int i = 0; i < 200; i++) ts_str_addf(out, "line %d: %s\n", i, TS_DECIMALS(next_number(&state), 1));
}

bool ts_new_write_example(const struct new_input *input, int number, const char *path, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (input->type->kind == TS_DATA_PIXELS) return write_image(input->type, number, path, err);
  if (input->type->kind == TS_DATA_TABLE)
    add_table(input, (uint32_t)number, &text);
  else
    add_lines((uint32_t)number, &text);
  return ts_file_write(path, ts_str_get(&text), text.length, err);
}
