/* One number for all that coordinator and workers must agree on.
 * SPDX-License-Identifier: Apache-2.0 */
#include "dist/dist.h"

#include "base/alloc.h"
#include "base/str.h"

#include <string.h>

static void add_text(struct ts_sha256_stream *stream, const char *text) {
  ts_sha256_stream_add(stream, text ? text : "", strlen(text ? text : "") + 1);
}

static void add_operations(struct ts_sha256_stream *stream, const struct ts_workflow *w) {
  for (size_t t = 0; t < w->task_count; t++) {
    const struct ts_op *op = w->tasks[t].op;
    add_text(stream, op->descriptor->name);
    add_text(stream, op->numeric);
    ts_sha256_stream_add(stream, &op->implementation, sizeof op->implementation);
  }
}

static void add_nodes(struct ts_sha256_stream *stream, const struct ts_plan *plan) {
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  for (size_t n = 0; n < plan->node_count; n++) {
    ts_str_clear(&bytes);
    ts_node_add_identity(plan->workflow, &plan->nodes[n], &bytes);
    ts_sha256_stream_add(stream, bytes.data, bytes.length);
  }
  ts_sha256_stream_add(stream, plan->products, plan->set_count * plan->wanted_count * sizeof *plan->products);
}

static void add_dataset(struct ts_sha256_stream *stream, const struct ts_dataset *d, size_t input_count) {
  for (size_t i = 0; i < d->item_count; i++) {
    add_text(stream, d->items[i].name);
    /* Files alone do not say it: a manifest can. */
    const double size_um[] = {d->items[i].pixel_size.x_um, d->items[i].pixel_size.y_um};
    ts_sha256_stream_add(stream, size_um, sizeof size_um);
    const struct ts_region *whole = &d->items[i].grid.whole; /* tiles that are left out do not say it */
    const int64_t extent[] = {whole->width, whole->height};
    ts_sha256_stream_add(stream, extent, sizeof extent);
    for (size_t k = 0; k < input_count; k++) {
      if (d->items[i].sources[k].path)
        ts_sha256_stream_add(stream, &d->items[i].sources[k].digest, sizeof(struct ts_sha256));
    }
  }
  for (size_t t = 0; t < d->tile_count; t++) {
    const struct ts_region *r = &d->tiles[t].region, *c = &d->tiles[t].core;
    const int64_t numbers[] = {r->x,
                               r->y,
                               r->width,
                               r->height,
                               r->level,
                               c->x,
                               c->y,
                               c->width,
                               c->height,
                               c->level,
                               (int64_t)d->tile_items[t]};
    ts_sha256_stream_add(stream, numbers, sizeof numbers);
  }
}

void ts_dist_fingerprint(const struct ts_plan *plan, const struct ts_dataset *dataset, struct ts_sha256 *fingerprint) {
  struct ts_sha256_stream *stream = ts_sha256_stream_create();
  add_operations(stream, plan->workflow);
  add_nodes(stream, plan);
  add_dataset(stream, dataset, plan->workflow->input_count);
  ts_sha256_stream_finish(stream, fingerprint);
}
