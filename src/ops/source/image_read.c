/* image.read: one rectangle of an image file as pixels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/source/source.h"

#include "data/data.h"
#include "image/image.h"

_Static_assert((int)TS_OP_U8 == (int)TS_U8 && (int)TS_OP_U16 == (int)TS_U16 && (int)TS_OP_U32 == (int)TS_U32,
               "elements have the same numbers on both sides");

enum { PARAMETER_X, PARAMETER_Y, PARAMETER_WIDTH, PARAMETER_HEIGHT, PARAMETER_LEVEL, PARAMETER_AS, PARAMETER_COUNT };

static const char *const as_choices[] = {"image/rgb8", "image/gray8", "image/gray16", "mask", "labels", NULL};

static const struct ts_op_port *const inputs[] = {
    TS_OP_PORT(.name = "file", .type = "file", .help = "PNG, TIFF, OME-TIFF, JPEG or slide")};

static const struct ts_op_port *const outputs[] = {
    TS_OP_PORT(.name = "image", .type = TS_SOURCE_IMAGE_TYPES, .help = "the pixels of the rectangle")};

static const struct ts_op_parameter *const parameters[PARAMETER_COUNT] = {
    [PARAMETER_X] = TS_OP_PARAMETER(.name = "x", .type = TS_OP_INTEGER, .low = 0, .high = TS_SOURCE_COORDINATE_MAX,
                                    .help = "left edge in pixels"),
    [PARAMETER_Y] = TS_OP_PARAMETER(.name = "y", .type = TS_OP_INTEGER, .low = 0, .high = TS_SOURCE_COORDINATE_MAX,
                                    .help = "upper edge in pixels"),
    [PARAMETER_WIDTH] =
        TS_OP_PARAMETER(.name = "width", .type = TS_OP_INTEGER, .low = 0, .high = TS_SOURCE_COORDINATE_MAX,
                        .help = "width in pixels; 0 reaches to the right edge of the image"),
    [PARAMETER_HEIGHT] =
        TS_OP_PARAMETER(.name = "height", .type = TS_OP_INTEGER, .low = 0, .high = TS_SOURCE_COORDINATE_MAX,
                        .help = "height in pixels; 0 reaches to the lower edge of the image"),
    [PARAMETER_LEVEL] = TS_OP_PARAMETER(.name = "level", .type = TS_OP_INTEGER, .low = 0, .high = TS_SOURCE_LEVEL_MAX,
                                        .help = "resolution level; 0 is the full resolution"),
    [PARAMETER_AS] =
        TS_OP_PARAMETER(.name = "as", .type = TS_OP_STRING, .choices = as_choices, .help = "port type of the pixels"),
};

static bool find_region(const struct ts_op_call *call, struct ts_region *region, struct ts_error *err) {
  const struct ts_op_value *const *values = call->parameters;
  *region = (struct ts_region){.x = values[PARAMETER_X]->integer,
                               .y = values[PARAMETER_Y]->integer,
                               .width = values[PARAMETER_WIDTH]->integer,
                               .height = values[PARAMETER_HEIGHT]->integer,
                               .level = (int32_t)values[PARAMETER_LEVEL]->integer};
  if (region->width > 0 && region->height > 0) return true;
  struct ts_image_info info;
  if (!ts_image_inspect(call->inputs[0]->path, region->level, &info, err)) return false;
  if (region->width == 0) region->width = info.width - region->x;
  if (region->height == 0) region->height = info.height - region->y;
  return true;
}

static int run(struct ts_op_call *call) {
  const struct ts_op_host *host = call->host;
  const char *path = call->inputs[0]->path;
  struct ts_error err = {0};
  struct ts_region region;
  const struct ts_type *type = ts_type_find(call->parameters[PARAMETER_AS]->string);
  if (!type) return host->fail(call, "unknown type '%s'", call->parameters[PARAMETER_AS]->string);
  if (!find_region(call, &region, &err) || !ts_image_check_region(path, type, &region, &err))
    return host->fail(call, "%s", err.text);
  void *pixels =
      host->output_pixels(call, 0, region.width, region.height, type->channels, (enum ts_op_element)type->element);
  if (!pixels) return host->fail(call, "no memory for the pixels");
  host->output_place(call, 0, TS_OP_PLACE(.x = region.x, .y = region.y, .level = region.level));
  host->output_type(call, 0, type->name);
  return ts_image_read_into(path, type, &region, pixels, &err) ? 0 : host->fail(call, "%s", err.text);
}

const struct ts_op_descriptor ts_image_read_operation = {
    TS_OP_DESCRIPTOR_HEAD,
    .name = "image.read",
    .version = 1,
    .help = "reads a rectangle of an image file",
    .inputs = inputs,
    .input_count = 1,
    .outputs = outputs,
    .output_count = 1,
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .reach = TS_OP_REACH_PIXEL,
    .run = run,
    .scratch_per_input_byte = 0.3, /* rows that the decoder holds, against those of the rectangle (image/read.c) */
};
