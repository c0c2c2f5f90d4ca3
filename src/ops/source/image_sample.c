/* image.sample: an image file as a sample of blocks, or whole where it is not larger than the sample may be.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/source/source.h"

#include "data/data.h"
#include "image/image.h"
#include "image/sample.h"

enum { PARAMETER_WIDTH, PARAMETER_HEIGHT, PARAMETER_LEVEL, PARAMETER_AS, PARAMETER_SAMPLE, PARAMETER_COUNT };

static const char *const as_choices[] = {"image/rgb8", "image/gray8", "image/gray16", NULL};

static const struct ts_op_port *const inputs[] = {
    TS_OP_PORT(.name = "file", .type = "file", .help = "PNG, TIFF, OME-TIFF, JPEG or slide")};
static const struct ts_op_port *const outputs[] = {TS_OP_PORT(.name = "image",
                                                              .type = "image/rgb8|image/gray8|image/gray16",
                                                              .help = "blocks of the image, side by side")};

static const struct ts_op_parameter *const parameters[PARAMETER_COUNT] = {
    [PARAMETER_WIDTH] = TS_OP_PARAMETER(.name = "width", .type = TS_OP_INTEGER, .low = 1,
                                        .high = TS_SOURCE_COORDINATE_MAX, .help = "width of the image in pixels"),
    [PARAMETER_HEIGHT] = TS_OP_PARAMETER(.name = "height", .type = TS_OP_INTEGER, .low = 1,
                                         .high = TS_SOURCE_COORDINATE_MAX, .help = "height of the image in pixels"),
    [PARAMETER_LEVEL] = TS_OP_PARAMETER(.name = "level", .type = TS_OP_INTEGER, .low = 0, .high = TS_SOURCE_LEVEL_MAX,
                                        .help = "resolution level; 0 is the full resolution"),
    [PARAMETER_AS] =
        TS_OP_PARAMETER(.name = "as", .type = TS_OP_STRING, .choices = as_choices, .help = "port type of the pixels"),
    [PARAMETER_SAMPLE] = TS_OP_PARAMETER(.name = "sample_px", .type = TS_OP_INTEGER, .low = 1,
                                         .high = TS_SOURCE_COORDINATE_MAX, .help = "most pixels of the sample"),
};

static int run(struct ts_op_call *call) {
  const struct ts_op_host *host = call->host;
  const struct ts_op_value *const *values = call->parameters;
  const char *path = call->inputs[0]->path;
  struct ts_error err = {0};
  const struct ts_region whole = {.width = values[PARAMETER_WIDTH]->integer,
                                  .height = values[PARAMETER_HEIGHT]->integer,
                                  .level = (int32_t)values[PARAMETER_LEVEL]->integer};
  const struct ts_type *type = ts_type_find(values[PARAMETER_AS]->string);
  if (!type) return host->fail(call, "unknown type '%s'", values[PARAMETER_AS]->string);
  if (!ts_image_check_region(path, type, &whole, &err)) return host->fail(call, "%s", err.text);
  const struct ts_sample_layout layout =
      ts_sample_layout_of(whole.width, whole.height, values[PARAMETER_SAMPLE]->integer);
  void *pixels =
      host->output_pixels(call, 0, layout.width, layout.height, type->channels, (enum ts_op_element)type->element);
  if (!pixels) return host->fail(call, "no memory for the pixels");
  host->output_place(call, 0, TS_OP_PLACE(.level = whole.level));
  host->output_type(call, 0, type->name);
  return ts_image_read_sample(path, type, &whole, &layout, pixels, &err) ? 0 : host->fail(call, "%s", err.text);
}

const struct ts_op_descriptor ts_image_sample_operation = {
    TS_OP_DESCRIPTOR_HEAD,
    .name = "image.sample",
    .version = 1,
    .help = "reads a sample of an image file",
    .inputs = inputs,
    .input_count = 1,
    .outputs = outputs,
    .output_count = 1,
    .parameters = parameters,
    .parameter_count = PARAMETER_COUNT,
    .run = run,
    .scratch_per_input_byte = 0.3, /* as image.read */
};
