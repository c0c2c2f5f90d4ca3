/* Normalisation and the seven tasks of segmentation as operations: thin wrappers around the kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/nuclei/nuclei_int.h"

#include "base/block.h"
#include "kernels/nuclei.h"

#define IMAGE_PORT(text)                                                                                               \
  { .name = "image", .type = "image/rgb8", .help = (text) }
#define PLANE_PORT(port, kind, text)                                                                                   \
  { .name = (port), .type = (kind), .help = (text) }
#define INTEGER(parameter, lowest, highest, text)                                                                      \
  { .name = (parameter), .type = TS_OP_INTEGER, .low = (lowest), .high = (highest), .help = (text) }
#define CONNECTIVITY(parameter, text)                                                                                  \
  {                                                                                                                    \
    .name = (parameter), .type = TS_OP_INTEGER, .low = 4, .high = 8, .help = (text),                                   \
    .canonical = ts_nuclei_canonical_connectivity                                                                      \
  }
#define PORTS(in, out)                                                                                                 \
  .inputs = (in), .input_count = NUCLEI_COUNT(in), .outputs = (out), .output_count = NUCLEI_COUNT(out)
#define PARAMETERS(list) .parameters = (list), .parameter_count = NUCLEI_COUNT(list)

static const struct ts_op_port image_in[] = {IMAGE_PORT("stained tissue")};
static const struct ts_op_port image_out[] = {IMAGE_PORT("the same with the colours of the target")};

static int run_normalise(struct ts_op_call *call) {
  const struct ts_op_view *image = &call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint8_t *out = ts_nuclei_plane(call, 0, 3);
  if (!out) return -1;
  bool ok =
      ts_nuclei_normalise(image->data, image->width, image->height, &ts_nuclei_default_target, out, &threads, &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_normalise = {
    NUCLEI_OPERATION("normalise"),
    .scratch_per_input_byte = 0.05,
    .help = "brings the colours of the tissue to those of a target slide",
    PORTS(image_in, image_out),
    .reach = TS_OP_REACH_TILE,
    .run = run_normalise};

static const struct ts_op_port red_cells_out[] = {
    PLANE_PORT("rbc", "mask", "red blood cells; everything, where the tile is background")};
static const struct ts_op_parameter red_cells_parameters[] = {
    INTEGER("B", 0, 255, "blue above which a pixel may be background"),
    INTEGER("G", 0, 255, "green above which a pixel may be background"),
    INTEGER("R", 0, 255, "red above which a pixel may be background"),
    {.name = "T1",
     .type = TS_OP_REAL,
     .low = 0,
     .high = 1000,
     .help = "red to green ratio that starts a red blood cell"},
    {.name = "T2", .type = TS_OP_REAL, .low = 0, .high = 1000, .help = "red to green ratio that continues one"}};

static int run_red_cells(struct ts_op_call *call) {
  const struct ts_op_view *image = &call->inputs[0];
  const struct ts_op_value *p = call->parameters;
  struct ts_nuclei_red_cells_params params = {(int)p[0].integer, (int)p[1].integer, (int)p[2].integer, p[3].real,
                                              p[4].real};
  enum ts_nuclei_status status;
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint8_t *out = ts_nuclei_plane(call, 0, 1);
  if (!out) return -1;
  return ts_nuclei_done(
      call, ts_nuclei_red_cells(image->data, image->width, image->height, &params, out, &status, &threads, &err), &err);
}

const struct ts_op_descriptor ts_nuclei_op_red_cells = {NUCLEI_OPERATION("red_cells"),
                                                        .scratch_per_input_byte = 0.3,
                                                        .help = "finds red blood cells, and tiles that hold no tissue",
                                                        PORTS(image_in, red_cells_out),
                                                        PARAMETERS(red_cells_parameters),
                                                        .reach = TS_OP_REACH_TILE,
                                                        .run = run_red_cells};

static const struct ts_op_port background_out[] = {PLANE_PORT("rc", "image/gray8", "inverted red channel"),
                                                   PLANE_PORT("recon", "image/gray8", "its background")};
static const struct ts_op_parameter background_parameters[] = {
    CONNECTIVITY("RC", "neighbours in the reconstruction of the background")};

static int run_background(struct ts_op_call *call) {
  const struct ts_op_view *image = &call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint8_t *rc = ts_nuclei_plane(call, 0, 1);
  uint8_t *recon = ts_nuclei_plane(call, 1, 1);
  uint8_t *opened = ts_block_take((size_t)image->width * (size_t)image->height + 1);
  if (!rc || !recon || !opened) {
    ts_block_give(opened);
    return call->host->fail(call, "not enough memory for the background of the tile");
  }
  bool ok = ts_nuclei_background(image->data, image->width, image->height, (int)call->parameters[0].integer, rc, opened,
                                 recon, &threads, &err);
  ts_block_give(opened);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_background = {NUCLEI_OPERATION("background"),
                                                         .scratch_per_input_byte = 1.1,
                                                         .help = "estimates the background of the inverted red channel",
                                                         PORTS(image_in, background_out),
                                                         PARAMETERS(background_parameters),
                                                         .reach = TS_OP_REACH_TILE,
                                                         .run = run_background};

static const struct ts_op_port candidates_in[] = {PLANE_PORT("rc", "image/gray8", "inverted red channel"),
                                                  PLANE_PORT("recon", "image/gray8", "its background")};
static const struct ts_op_port candidates_out[] = {PLANE_PORT("diff", "image/gray8", "contrast above the background"),
                                                   PLANE_PORT("bw", "mask", "candidate nuclei")};
static const struct ts_op_parameter candidates_parameters[] = {
    CONNECTIVITY("FH", "neighbours when holes are filled"),
    INTEGER("G1", 0, 255, "contrast that starts a candidate nucleus")};

static int run_candidates(struct ts_op_call *call) {
  const struct ts_op_view *rc = &call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  if (!ts_nuclei_same_size(call, 2)) return -1;
  uint8_t *diff = ts_nuclei_plane(call, 0, 1);
  uint8_t *bw = ts_nuclei_plane(call, 1, 1);
  if (!diff || !bw) return -1;
  bool ok =
      ts_nuclei_candidates(rc->data, call->inputs[1].data, rc->width, rc->height, (int)call->parameters[0].integer,
                           (int)call->parameters[1].integer, diff, bw, &threads, &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_candidates = {
    NUCLEI_OPERATION("candidates"),
    .scratch_per_input_byte = 1.0,
    .help = "marks what stands out from the background as candidate nuclei",
    PORTS(candidates_in, candidates_out),
    PARAMETERS(candidates_parameters),
    .reach = TS_OP_REACH_TILE,
    .run = run_candidates};

static const struct ts_op_port bw_in[] = {PLANE_PORT("bw", "mask", "candidate nuclei")};
static const struct ts_op_port bw_out[] = {PLANE_PORT("bw", "mask", "candidates of the right size")};
static const struct ts_op_parameter candidate_size_parameters[] = {
    INTEGER("minSize", 0, NUCLEI_SIZE_MAX, "smallest area of a candidate, in pixels"),
    INTEGER("maxSize", 0, NUCLEI_SIZE_MAX, "area from which a candidate is too large, in pixels")};

static int run_candidate_size(struct ts_op_call *call) {
  const struct ts_op_view *bw = &call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint8_t *out = ts_nuclei_plane(call, 0, 1);
  if (!out) return -1;
  bool ok = ts_nuclei_candidate_size(bw->data, bw->width, bw->height, call->parameters[0].integer,
                                     call->parameters[1].integer, out, &threads, &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_candidate_size = {NUCLEI_OPERATION("candidate_size"),
                                                             .scratch_per_input_byte = 1.0,
                                                             .help = "keeps candidates within an area range",
                                                             PORTS(bw_in, bw_out),
                                                             PARAMETERS(candidate_size_parameters),
                                                             .reach = TS_OP_REACH_COMPONENT,
                                                             .run = run_candidate_size};

static const struct ts_op_port refine_in[] = {PLANE_PORT("diff", "image/gray8", "contrast above the background"),
                                              PLANE_PORT("bw", "mask", "candidates"),
                                              PLANE_PORT("rbc", "mask", "red blood cells")};
static const struct ts_op_port refine_out[] = {PLANE_PORT("open", "mask", "nuclei, touching ones still joined")};
static const struct ts_op_parameter refine_parameters[] = {
    INTEGER("G2", 0, 255, "contrast down to which a candidate grows")};

static int run_refine(struct ts_op_call *call) {
  const struct ts_op_view *diff = &call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  if (!ts_nuclei_same_size(call, 3)) return -1;
  uint8_t *out = ts_nuclei_plane(call, 0, 1);
  if (!out) return -1;
  bool ok = ts_nuclei_refine(diff->data, call->inputs[1].data, call->inputs[2].data, diff->width, diff->height,
                             (int)call->parameters[0].integer, out, &threads, &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_refine = {
    NUCLEI_OPERATION("refine"),
    .scratch_per_input_byte = 0.3,
    .help = "grows candidates to their full extent, without red blood cells",
    PORTS(refine_in, refine_out),
    PARAMETERS(refine_parameters),
    .reach = TS_OP_REACH_TILE,
    .run = run_refine};

static const struct ts_op_port split_in[] = {IMAGE_PORT("normalised tissue"),
                                             PLANE_PORT("open", "mask", "joined nuclei")};
static const struct ts_op_port split_out[] = {PLANE_PORT("split", "mask", "separated nuclei")};
static const struct ts_op_parameter split_parameters[] = {
    INTEGER("minSizePl", 0, NUCLEI_SIZE_MAX, "smallest area that is separated further, in pixels"),
    CONNECTIVITY("WC", "neighbours when seeds of the watershed are found")};

static int run_split(struct ts_op_call *call) {
  const struct ts_op_view *image = &call->inputs[0];
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  struct ts_kernel_memo memo;
  if (!ts_nuclei_same_size(call, 2)) return -1;
  uint8_t *out = ts_nuclei_plane(call, 0, 1);
  if (!out) return -1;
  bool ok = ts_nuclei_split(image->data, call->inputs[1].data, image->width, image->height, call->parameters[0].integer,
                            (int)call->parameters[1].integer, out, &threads, ts_nuclei_memo(call, 0, &memo), &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_split = {NUCLEI_OPERATION("split"),
                                                    .scratch_per_input_byte = 0.5,
                                                    .help = "separates touching nuclei by a watershed",
                                                    PORTS(split_in, split_out),
                                                    PARAMETERS(split_parameters),
                                                    .reach = TS_OP_REACH_COMPONENT,
                                                    .run = run_split};

static const struct ts_op_port final_in[] = {PLANE_PORT("split", "mask", "separated nuclei")};
static const struct ts_op_port final_out[] = {PLANE_PORT("mask", "mask", "nuclei")};
static const struct ts_op_parameter final_parameters[] = {
    INTEGER("minSizeSeg", 0, NUCLEI_SIZE_MAX, "smallest area of a nucleus, in pixels"),
    INTEGER("maxSizeSeg", 0, NUCLEI_SIZE_MAX, "area from which a nucleus is too large, in pixels"),
    CONNECTIVITY("FH", "neighbours when holes are filled")};

static int run_final_size(struct ts_op_call *call) {
  const struct ts_op_view *split = &call->inputs[0];
  const struct ts_op_value *p = call->parameters;
  struct ts_error err = {0};
  struct ts_kernel_threads threads = ts_nuclei_threads(call);
  uint8_t *out = ts_nuclei_plane(call, 0, 1);
  if (!out) return -1;
  bool ok = ts_nuclei_final_size(split->data, split->width, split->height, p[0].integer, p[1].integer,
                                 (int)p[2].integer, out, &threads, &err);
  return ts_nuclei_done(call, ok, &err);
}

const struct ts_op_descriptor ts_nuclei_op_final_size = {NUCLEI_OPERATION("final_size"),
                                                         .scratch_per_input_byte = 0.5,
                                                         .help =
                                                             "keeps nuclei within an area range and fills their holes",
                                                         PORTS(final_in, final_out),
                                                         PARAMETERS(final_parameters),
                                                         .reach = TS_OP_REACH_TILE,
                                                         .run = run_final_size};
