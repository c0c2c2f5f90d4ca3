/* Nuclei as GeoJSON polygons, the form in which QuPath and others open them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * One Feature per object, of type Polygon or MultiPolygon, in pixels of the image; "objectType": "annotation" and a
 * classification make QuPath show it as it shows its own. */
#include "ops/nuclei/nuclei_int.h"

#include "base/block.h"
#include "base/str.h"
#include "kernels/outline.h"

#include <string.h>

static const struct ts_op_port *const objects_in[] = {
    TS_OP_PORT(.name = "mask", .type = "mask|labels", .help = "nuclei")};
static const struct ts_op_port *const objects_out[] = {
    TS_OP_PORT(.name = "objects", .type = "objects", .help = "their outlines as GeoJSON")};

static void add_ring(struct ts_str *out, const struct ts_outlines *outlines, const struct ts_ring *ring,
                     const struct ts_op_view *view) {
  ts_str_add_char(out, '[');
  for (size_t i = 0; i < ring->count; i++) {
    const struct ts_vertex *v = &outlines->vertices[ring->first + i];
    ts_str_addf(out, "%s[%lld,%lld]", i ? "," : "", (long long)v->x + view->x, (long long)v->y + view->y);
  }
  ts_str_add_char(out, ']');
}

/* Rings [first, end) of one label; a polygon is an outer ring and the holes that follow it. */
static void add_feature(struct ts_str *out, const struct ts_outlines *outlines, size_t first, size_t end,
                        const struct ts_op_view *view) {
  size_t polygons = 0;
  for (size_t i = first; i < end; i++) polygons += outlines->rings[i].hole ? 0 : 1;
  ts_str_addf(out, "{\"type\":\"Feature\",\"id\":\"%lld-%lld-%u\",\"geometry\":{\"type\":\"%s\",\"coordinates\":",
              (long long)view->x, (long long)view->y, outlines->rings[first].label,
              polygons > 1 ? "MultiPolygon" : "Polygon");
  ts_str_add(out, polygons > 1 ? "[[" : "[");
  for (size_t i = first; i < end; i++) {
    if (i > first) ts_str_add(out, outlines->rings[i].hole ? "," : "],[");
    add_ring(out, outlines, &outlines->rings[i], view);
  }
  ts_str_add(out, polygons > 1 ? "]]" : "]");
  ts_str_add(out, "},\"properties\":{\"objectType\":\"annotation\",\"classification\":{\"name\":\"Nucleus\","
                  "\"color\":[0,114,178]},\"isLocked\":false}}");
}

static void add_collection(struct ts_str *out, const struct ts_outlines *outlines, const struct ts_op_view *view) {
  ts_str_add(out, "{\"type\":\"FeatureCollection\",\"features\":[");
  for (size_t first = 0; first < outlines->ring_count;) {
    size_t end = first + 1;
    while (end < outlines->ring_count && outlines->rings[end].label == outlines->rings[first].label) end++;
    ts_str_add(out, first ? ",\n" : "\n");
    add_feature(out, outlines, first, end, view);
    first = end;
  }
  ts_str_add(out, "\n]}\n");
}

static int run_objects(struct ts_op_call *call) {
  const struct ts_op_view *view = call->inputs[0];
  uint32_t *labels = ts_nuclei_labels(call, view);
  if (!labels) return -1;
  struct ts_outlines outlines = {0};
  struct ts_error err = {0};
  struct ts_str text = {0};
  bool ok = ts_outline(labels, view->width, view->height, &outlines, &err);
  int result = ts_nuclei_done(call, ok, &err);
  ts_block_give(labels);
  if (ok) {
    add_collection(&text, &outlines, view);
    void *bytes = call->host->output_bytes(call, 0, text.length);
    result = bytes ? 0 : -1;
    if (bytes) memcpy(bytes, text.data, text.length);
  }
  ts_str_release(&text);
  ts_outlines_release(&outlines);
  return result;
}

const struct ts_op_descriptor ts_nuclei_op_objects = {NUCLEI_OPERATION("objects"),
                                                      .scratch_per_input_byte = 6.0,
                                                      .help = "draws the outline of every nucleus",
                                                      .inputs = objects_in,
                                                      .input_count = NUCLEI_COUNT(objects_in),
                                                      .outputs = objects_out,
                                                      .output_count = NUCLEI_COUNT(objects_out),
                                                      .reach = TS_OP_REACH_COMPONENT,
                                                      .run = run_objects};
