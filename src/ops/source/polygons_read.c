/* polygons.read: the pixels of one rectangle that lie in the polygons of a GeoJSON file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/source/source.h"

#include "base/alloc.h"
#include "data/data.h"
#include "image/polygons.h"

enum {
  PARAMETER_X,
  PARAMETER_Y,
  PARAMETER_WIDTH,
  PARAMETER_HEIGHT,
  PARAMETER_LEVEL,
  PARAMETER_AS,
  PARAMETER_DOWNSAMPLE_X,
  PARAMETER_DOWNSAMPLE_Y,
  PARAMETER_COUNT
};

#define COORDINATE_MAX 2147483647.0
#define LEVEL_MAX      63.0

static const char *const as_choices[] = {"mask", "labels", NULL};

static const struct ts_op_port *const inputs[] = {
    TS_OP_PORT(.name = "file", .type = "file", .help = "GeoJSON with polygons in pixels of the full resolution")};

static const struct ts_op_port *const outputs[] = {
    TS_OP_PORT(.name = "image", .type = "mask|labels", .help = "the pixels whose centres lie in polygons")};

static const struct ts_op_parameter *const parameters[PARAMETER_COUNT] = {
    [PARAMETER_X] = TS_OP_PARAMETER(.name = "x", .type = TS_OP_INTEGER, .low = 0, .high = COORDINATE_MAX,
                                    .help = "left edge in pixels"),
    [PARAMETER_Y] = TS_OP_PARAMETER(.name = "y", .type = TS_OP_INTEGER, .low = 0, .high = COORDINATE_MAX,
                                    .help = "upper edge in pixels"),
    [PARAMETER_WIDTH] = TS_OP_PARAMETER(.name = "width", .type = TS_OP_INTEGER, .low = 1, .high = COORDINATE_MAX,
                                        .help = "width in pixels"),
    [PARAMETER_HEIGHT] = TS_OP_PARAMETER(.name = "height", .type = TS_OP_INTEGER, .low = 1, .high = COORDINATE_MAX,
                                         .help = "height in pixels"),
    [PARAMETER_LEVEL] = TS_OP_PARAMETER(.name = "level", .type = TS_OP_INTEGER, .low = 0, .high = LEVEL_MAX,
                                        .help = "resolution level; 0 is the full resolution"),
    [PARAMETER_AS] =
        TS_OP_PARAMETER(.name = "as", .type = TS_OP_STRING, .choices = as_choices, .help = "port type of the pixels"),
    [PARAMETER_DOWNSAMPLE_X] =
        TS_OP_PARAMETER(.name = "downsample_x", .type = TS_OP_REAL, .low = 1, .high = COORDINATE_MAX,
                        .help = "pixels of the full resolution across one of the level"),
    [PARAMETER_DOWNSAMPLE_Y] =
        TS_OP_PARAMETER(.name = "downsample_y", .type = TS_OP_REAL, .low = 1, .high = COORDINATE_MAX,
                        .help = "pixels of the full resolution down one of the level"),
};

static int fail(struct ts_op_call *call, struct ts_faults *faults) {
  const struct ts_error *first = &faults->items[0];
  const int status = first->where.line > 0 ? call->host->fail(call, "%s:%d:%d: %s", first->where.file,
                                                              first->where.line, first->where.column, first->text)
                                           : call->host->fail(call, "%s", first->text);
  ts_faults_release(faults);
  return status;
}

static int run(struct ts_op_call *call) {
  const struct ts_op_host *host = call->host;
  const struct ts_op_value *const *values = call->parameters;
  struct ts_faults faults = {0};
  const struct ts_type *type = ts_type_find(values[PARAMETER_AS]->string);
  if (!type) return host->fail(call, "unknown type '%s'", values[PARAMETER_AS]->string);
  const struct ts_polygon_frame frame = {.region = {.x = values[PARAMETER_X]->integer,
                                                    .y = values[PARAMETER_Y]->integer,
                                                    .width = values[PARAMETER_WIDTH]->integer,
                                                    .height = values[PARAMETER_HEIGHT]->integer,
                                                    .level = (int32_t)values[PARAMETER_LEVEL]->integer},
                                         .downsample_x = values[PARAMETER_DOWNSAMPLE_X]->real,
                                         .downsample_y = values[PARAMETER_DOWNSAMPLE_Y]->real};
  struct ts_polygons *polygons = ts_polygons_get(call->inputs[0]->path, &faults);
  if (!polygons) return fail(call, &faults);
  void *pixels = host->output_pixels(call, 0, frame.region.width, frame.region.height, type->channels,
                                     (enum ts_op_element)type->element);
  if (pixels) {
    host->output_place(call, 0, TS_OP_PLACE(.x = frame.region.x, .y = frame.region.y, .level = frame.region.level));
    host->output_type(call, 0, type->name);
    ts_polygons_draw(polygons, type, &frame, pixels);
  }
  ts_polygons_unref(polygons);
  return pixels ? 0 : host->fail(call, "no memory for the pixels");
}

const struct ts_op_descriptor ts_polygons_read_operation = {
    TS_OP_DESCRIPTOR_HEAD,
    .name = "polygons.read",
    .version = 1,
    .help = "draws a rectangle of the polygons of a GeoJSON file",
    .inputs = inputs,
    .input_count = 1,
    .outputs = outputs,
    .output_count = 1,
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .reach = TS_OP_REACH_PIXEL,
    .run = run,
    .scratch_per_input_byte =
        1, /* the parity of a band of rows: at most a byte for each pixel (image/polygon_draw.c) */
};
