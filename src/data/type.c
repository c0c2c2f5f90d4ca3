/* The port types: one table, compared by pointer.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/data.h"

#include <string.h>

#define PIXELS(title, words, kind_of_element, number, ending)                                                          \
  .name = (title), .article = (words), .kind = TS_DATA_PIXELS, .element = (kind_of_element), .channels = (number),     \
  .file_ending = (ending)

static const struct ts_type image_rgb8 = {PIXELS("image/rgb8", "an RGB tile", TS_U8, 3, "png")};
static const struct ts_type image_gray8 = {PIXELS("image/gray8", "an 8-bit grey tile", TS_U8, 1, "png")};
static const struct ts_type image_gray16 = {PIXELS("image/gray16", "a 16-bit grey tile", TS_U16, 1, "png")};
static const struct ts_type mask = {PIXELS("mask", "a mask", TS_U8, 1, "png")};
static const struct ts_type labels = {PIXELS("labels", "a label image", TS_U32, 1, "png")};
static const struct ts_type field_f32 = {PIXELS("field/f32", "a field of numbers", TS_F32, 1, "bin")};
static const struct ts_type table = {
    .name = "table", .article = "a table", .kind = TS_DATA_TABLE, .file_ending = "csv"};
static const struct ts_type objects = {
    .name = "objects", .article = "outlines of objects", .kind = TS_DATA_BYTES, .file_ending = "geojson"};
static const struct ts_type shapes = {
    .name = "shapes", .article = "shapes of objects", .kind = TS_DATA_BYTES, .file_ending = "geojson"};
static const struct ts_type pieces = {.name = "pieces",
                                      .article = "the objects of tiles",
                                      .kind = TS_DATA_BYTES,
                                      .file_ending = "bin",
                                      .internal = true,
                                      .chains = true};
static const struct ts_type bytes = {
    .name = "bytes", .article = "raw bytes", .kind = TS_DATA_BYTES, .file_ending = "bin"};
static const struct ts_type file = {.name = "file", .article = "a file", .kind = TS_DATA_FILE, .file_ending = "bin"};

static const struct ts_type *const types[] = {&image_rgb8, &image_gray8, &image_gray16, &mask,   &labels, &field_f32,
                                              &table,      &objects,     &shapes,       &pieces, &bytes,  &file};

size_t ts_element_bytes(enum ts_element element) {
  switch (element) {
  case TS_U8: return 1;
  case TS_U16: return 2;
  case TS_U32: return 4;
  case TS_F32: return 4;
  case TS_F64: return 8;
  }
  return 0;
}

const struct ts_type *const *ts_type_list(size_t *count) {
  *count = sizeof types / sizeof types[0];
  return types;
}

const struct ts_type *ts_type_find(const char *name) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (strcmp(types[i]->name, name) == 0) return types[i];
  }
  return NULL;
}

bool ts_type_is_image(const char *declaration) { return strncmp(declaration, "image/", strlen("image/")) == 0; }

bool ts_type_fits(const struct ts_type *type, const char *declaration) {
  size_t length = strlen(type->name);
  for (const char *word = declaration;;) {
    size_t word_length = strcspn(word, "|");
    if (word_length == length && memcmp(word, type->name, length) == 0) return true;
    if (word[word_length] == '\0') return false;
    word += word_length + 1;
  }
}
