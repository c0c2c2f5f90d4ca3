/* The needed halo: longest paths through the tasks of stages per tile.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan/halo.h"

#include "base/alloc.h"
#include "dataset/dataset.h"

#include <string.h>

/* ---- One task. ---- */

/* The value of the radius parameter in pixels; none, and negative values: 0. */
static int64_t radius_value(const struct ts_task *task, const struct ts_value *largest,
                            const struct ts_pixel_size *finest) {
  const struct ts_op_descriptor *d = task->op->descriptor;
  size_t index = 0;
  if (!d->radius_parameter || !ts_op_find_parameter(task->op, d->radius_parameter, &index)) return 0;
  const struct ts_binding *binding = &task->parameters[index];
  struct ts_value value = binding->parameter == TS_NONE ? binding->fixed : largest[binding->parameter];
  if (binding->unit != TS_UNIT_NONE) {
    if (!ts_pixel_size_is_known(finest)) return 0;
    value = ts_unit_value(binding->unit, &value, finest, d->parameters[index]);
  }
  return value.type == TS_VALUE_INTEGER && value.as.integer > 0 ? value.as.integer : 0;
}

/* Far beyond any image, and sums of it do not overflow. */
#define MOST_PX (INT64_C(1) << 40)

static int64_t add(int64_t a, int64_t b) { return a > MOST_PX - b ? MOST_PX : a + b; }

struct ts_task_reach ts_task_reach(const struct ts_workflow *workflow, size_t task, const struct ts_value *largest,
                                   const struct ts_pixel_size *finest) {
  const struct ts_op_descriptor *d = workflow->tasks[task].op->descriptor;
  const int64_t value = radius_value(&workflow->tasks[task], largest, finest);
  const int64_t radius = add(d->radius_px < MOST_PX ? d->radius_px : MOST_PX, value < MOST_PX ? value : MOST_PX);
  switch (d->reach) {
  case TS_OP_REACH_PIXEL: return (struct ts_task_reach){.px = 0};
  case TS_OP_REACH_RADIUS: return (struct ts_task_reach){.px = radius};
  case TS_OP_REACH_COMPONENT:
    if (d->radius_px == 0 && !d->radius_parameter) break; /* no largest extent */
    return (struct ts_task_reach){.px = add(radius, 1)};
  case TS_OP_REACH_TILE: break;
  }
  return (struct ts_task_reach){.is_tile = true};
}

/* ---- Paths. ---- */

/* The type of a port; of alternatives, which are all pixels or none is, the first. NULL: unknown. */
static const struct ts_type *type_of(const struct ts_op_port *port) {
  char name[64];
  const size_t length = strcspn(port->type, "|");
  if (length >= sizeof name) return NULL;
  memcpy(name, port->type, length);
  name[length] = '\0';
  return ts_type_find(name);
}

static bool is_pixels(const struct ts_op_port *port) {
  const struct ts_type *type = type_of(port);
  return type && type->kind == TS_DATA_PIXELS;
}

/* Pixels, or objects of the tile that are joined with those of others. */
static bool makes_pixels(const struct ts_op_descriptor *d) {
  for (size_t i = 0; i < d->output_count; i++) {
    const struct ts_type *type = type_of(d->outputs[i]);
    if (type && (type->kind == TS_DATA_PIXELS || type->chains)) return true;
  }
  return false;
}

/* What is known of a task of a stage per tile. */
struct vertex {
  bool is_tiled; /* it is in such a stage */
  bool is_used;  /* it makes pixels, or something that pixels are made from */
  bool is_cut;   /* all tiles that it gets have lost their halo */
  int64_t sum;   /* of the largest path that ends here */
  size_t before; /* the task before it on that path; TS_NONE */
};

struct graph {
  const struct ts_workflow *workflow;
  const struct ts_task_reach *reaches;
  struct vertex *vertices;
};

/* The product of a task of a stage per tile that an input reads; NULL: a source, or a coarser product. An input that
 * may be the product of the run with default parameters counts as that. */
static const struct ts_source *product_read(const struct graph *g, size_t task, size_t input) {
  const struct ts_source *source = &g->workflow->tasks[task].inputs[input];
  if (source->kind == TS_SOURCE_INPUT) source = &g->workflow->inputs[source->index].default_run;
  return source->kind == TS_SOURCE_TASK && g->vertices[source->index].is_tiled ? source : NULL;
}

static void mark_used(const struct graph *g, size_t task) {
  const struct ts_op_descriptor *d = g->workflow->tasks[task].op->descriptor;
  struct vertex *v = &g->vertices[task];
  v->is_used = v->is_used || (v->is_tiled && makes_pixels(d));
  for (size_t i = 0; v->is_used && i < d->input_count; i++) {
    const struct ts_source *from = product_read(g, task, i);
    if (from) g->vertices[from->index].is_used = true;
  }
}

static bool looks_at_tile(const struct graph *g, size_t task) {
  return g->reaches[task].is_tile || (g->vertices[task].is_cut && g->reaches[task].px > 0);
}

static bool reads_pixels(const struct graph *g, size_t task, size_t input) {
  const struct ts_source *from = product_read(g, task, input);
  return is_pixels(from ? g->workflow->tasks[from->index].op->descriptor->outputs[from->port]
                        : g->workflow->tasks[task].op->descriptor->inputs[input]);
}

/* Whether an input loses its halo on the way into the stage of the task. */
static bool is_cropped(const struct graph *g, size_t task, size_t input) {
  const struct ts_task *t = &g->workflow->tasks[task];
  const struct ts_source *from = product_read(g, task, input);
  if (!t->core[input] || !reads_pixels(g, task, input)) return false;
  return !from || g->workflow->tasks[from->index].stage != t->stage;
}

/* Of inputs with and without halo the operation knows which it looks around in: it counts as not cut. */
static bool is_cut(const struct graph *g, size_t task) {
  const struct ts_task *t = &g->workflow->tasks[task];
  bool any = false;
  for (size_t i = 0; i < t->op->descriptor->input_count; i++) {
    if (t->inputs[i].kind == TS_SOURCE_NONE) continue;
    const struct ts_source *from = product_read(g, task, i);
    const bool cut = is_cropped(g, task, i) || (from && g->vertices[from->index].is_cut);
    if (!cut && reads_pixels(g, task, i)) return false;
    any = any || cut;
  }
  return any;
}

/* A crop ends a path: what comes after it has no halo, and needs none that a larger one could give. */
static void extend(const struct graph *g, size_t task) {
  struct vertex *v = &g->vertices[task];
  v->is_cut = is_cut(g, task);
  for (size_t i = 0; i < g->workflow->tasks[task].op->descriptor->input_count; i++) {
    const struct ts_source *from = product_read(g, task, i);
    if (!from || is_cropped(g, task, i) || g->vertices[from->index].sum <= v->sum) continue;
    v->sum = g->vertices[from->index].sum;
    v->before = from->index;
  }
  if (!looks_at_tile(g, task)) v->sum = add(v->sum, g->reaches[task].px);
}

static void list_path(const struct graph *g, size_t last, struct ts_arena *arena, struct ts_halo *halo) {
  size_t count = 0;
  for (size_t t = last; t != TS_NONE; t = g->vertices[t].before) count++;
  halo->path = ts_arena_array(arena, count + 1, sizeof *halo->path);
  size_t place = count;
  for (size_t t = last; t != TS_NONE; t = g->vertices[t].before)
    if (!looks_at_tile(g, t) && g->reaches[t].px > 0) halo->path[--place] = t;
  halo->path_count = count - place;
  memmove(halo->path, halo->path + place, halo->path_count * sizeof *halo->path);
}

void ts_halo_find(const struct ts_workflow *workflow, const struct ts_task_reach *reaches, struct ts_arena *arena,
                  struct ts_halo *halo) {
  const size_t count = workflow->task_count;
  ts_auto_free struct vertex *vertices = ts_calloc(count + 1, sizeof *vertices);
  const struct graph g = {workflow, reaches, vertices};
  size_t last = TS_NONE;
  *halo = (struct ts_halo){.tile_tasks = ts_arena_array(arena, count + 1, sizeof *halo->tile_tasks)};
  for (size_t t = 0; t < count; t++) {
    vertices[t].is_tiled = ts_scope_is_tile(workflow->stages[workflow->tasks[t].stage].scope);
    vertices[t].before = TS_NONE;
  }
  for (size_t t = count; t-- > 0;) mark_used(&g, t);
  for (size_t t = 0; t < count; t++) {
    if (!vertices[t].is_used) continue;
    extend(&g, t);
    if (looks_at_tile(&g, t)) halo->tile_tasks[halo->tile_count++] = t;
    if (makes_pixels(workflow->tasks[t].op->descriptor) && vertices[t].sum > halo->needed_px) {
      halo->needed_px = vertices[t].sum;
      last = t;
    }
  }
  if (last != TS_NONE) list_path(&g, last, arena, halo);
}
