/* The size of a pixel in micrometres, as far as the file says it: slides do, and OME-TIFF.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The resolution of other files is not taken: most programs write a number there that means nothing (72 per inch). */
#include "image/open_int.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

#define MOST_UM 1e6 /* a metre: beyond it a number is a mistake */

static double sensible(double um) { return um > 0 && um <= MOST_UM ? um : 0; }

/* A property of OpenSlide. */
static double slide_number(VipsImage *image, const char *name) {
  const char *text = NULL;
  double value = 0;
  if (vips_image_get_typeof(image, name) == 0 || vips_image_get_string(image, name, &text) != 0) return 0;
  return ts_parse_double(text, &value) ? sensible(value) : 0;
}

/* The value of an attribute of XML, as it stands there; false if it is not there or too long. */
static bool attribute(const char *xml, const char *name, char value[32]) {
  char begin[40];
  snprintf(begin, sizeof begin, " %s=\"", name);
  const char *at = strstr(xml, begin);
  if (!at) return false;
  at += strlen(begin);
  const size_t length = strcspn(at, "\"");
  if (length >= 32) return false;
  snprintf(value, 32, "%.*s", (int)length, at);
  return true;
}

/* Micrometres are the unit of OME where none is said. */
static double ome_number(const char *xml, const char *name, const char *unit_name) {
  static const char *const micrometre[] = {"\xc2\xb5m", "\xce\xbcm", "&#181;m", "&#xB5;m", "&#xb5;m"};
  char text[32], unit[32];
  double value = 0;
  if (!attribute(xml, name, text) || !ts_parse_double(text, &value)) return 0;
  if (!attribute(xml, unit_name, unit)) return sensible(value);
  for (size_t i = 0; i < sizeof micrometre / sizeof *micrometre; i++)
    if (strcmp(unit, micrometre[i]) == 0) return sensible(value);
  return 0;
}

struct ts_pixel_size ts_image_pixel_size(VipsImage *first, enum ts_image_format format) {
  struct ts_pixel_size size = {0};
  const char *text = NULL;
  if (format == TS_IMAGE_SLIDE) {
    size.x_um = slide_number(first, "openslide.mpp-x");
    size.y_um = slide_number(first, "openslide.mpp-y");
  } else if (format == TS_IMAGE_TIFF && vips_image_get_typeof(first, VIPS_META_IMAGEDESCRIPTION) != 0 &&
             vips_image_get_string(first, VIPS_META_IMAGEDESCRIPTION, &text) == 0 && strstr(text, "<OME")) {
    size.x_um = ome_number(text, "PhysicalSizeX", "PhysicalSizeXUnit");
    size.y_um = ome_number(text, "PhysicalSizeY", "PhysicalSizeYUnit");
  }
  return size.x_um > 0 && size.y_um > 0 ? size : (struct ts_pixel_size){0};
}
