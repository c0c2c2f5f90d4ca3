/* Evaluates runs one by one, and numbers what is the same.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/toy_oracle.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PORTS 8

static uint64_t number_of(struct toy_oracle *o, const struct ts_str *text) {
  bool inserted = false;
  union ts_map_value *value = ts_map_insert(&o->texts, ts_str_get(text), text->length, &inserted);
  if (inserted) value->number = ts_map_count(&o->texts);
  return value->number;
}

static uint64_t number_of_data(struct toy_oracle *o, const struct ts_data *data) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_add(&text, "data ");
  ts_data_encode(data, &text);
  return number_of(o, &text);
}

/* ---- What arrives at a port. ---- */

/* Data with what it is made from; data is NULL if something before it failed, or nothing is connected. */
struct arrival {
  struct ts_data *data; /* owned */
  bool connected, broken;
  uint64_t identity[2]; /* by node, by key */
};

static void number_arrival(struct toy_oracle *o, struct arrival *a, const struct ts_str *by_node,
                           const struct ts_str *by_key) {
  a->identity[TOY_BY_NODE] = number_of(o, by_node);
  a->identity[TOY_BY_KEY] = number_of(o, by_key);
}

static struct ts_data *read_pixels(const char *path, const struct ts_region *region) {
  struct ts_error err = {0};
  struct ts_data *data = ts_data_create_pixels(ts_type_find("image/gray8"), region, &err);
  assert_non_null(data);
  uint8_t *pixels = ts_data_writable(data);
  for (int64_t i = 0; i < region->width * region->height; i++)
    pixels[i] = toy_pixel(path, region->x + i % region->width, region->y + i / region->width);
  return data;
}

static struct ts_data *read_table(struct toy_oracle *o, const struct ts_item_source *source) {
  struct ts_error err = {0};
  struct ts_data *file = ts_data_create_file(source->path, &source->digest);
  struct ts_data *table = NULL;
  assert_true(ts_op_execute(ts_registry_find(o->registry, "table.read"), &file, NULL, &table, NULL, &err));
  ts_data_unref(file);
  return table;
}

/* One unit of a workflow input. Pixels are read per tile for tiles, else the whole image. */
static struct arrival read_input(struct toy_oracle *o, size_t input, enum ts_scope scope, size_t unit) {
  const struct ts_dataset *d = o->dataset;
  size_t item = scope == TS_PER_TILE ? d->tile_items[unit] : unit;
  const struct ts_item_source *source = &d->items[item].sources[input];
  struct arrival arrival = {.connected = true};
  ts_auto(ts_str_release) struct ts_str node = {0};
  ts_auto(ts_str_release) struct ts_str key = {0};
  ts_str_addf(&node, "input %zu of %d %zu", input, (int)scope, unit);
  ts_str_addf(&key, "file %s", source->path);
  if (strcmp(source->type->name, "table") == 0) {
    arrival.data = read_table(o, source);
  } else {
    struct ts_region region = {0};
    const struct ts_item *whole = &d->items[item];
    for (size_t t = whole->first_tile; t < whole->first_tile + whole->tile_count; t++) {
      const struct ts_region *core = &d->tiles[t].core;
      if (core->x + core->width > region.width) region.width = core->x + core->width;
      if (core->y + core->height > region.height) region.height = core->y + core->height;
    }
    if (scope == TS_PER_TILE) region = d->tiles[unit].region;
    ts_str_addf(&key, " %lld,%lld+%lld,%lld", (long long)region.x, (long long)region.y, (long long)region.width,
                (long long)region.height);
    arrival.data = read_pixels(source->path, &region);
  }
  number_arrival(o, &arrival, &node, &key);
  return arrival;
}

static const struct toy_instance *evaluate(struct toy_oracle *o, size_t set, size_t task, size_t unit);

static struct arrival take_output(struct toy_oracle *o, size_t set, const struct ts_source *source, size_t unit) {
  const struct toy_instance *made = evaluate(o, set, source->index, unit);
  o->reading = ts_grow(o->reading, o->reading_count, &o->reading_capacity, sizeof *o->reading);
  o->reading[o->reading_count++] = (size_t)(made - o->instances);
  struct arrival arrival = {.connected = true, .broken = made->status != TOY_DONE};
  if (!arrival.broken) arrival.data = ts_data_ref(made->outputs[source->port]);
  ts_auto(ts_str_release) struct ts_str node = {0};
  ts_auto(ts_str_release) struct ts_str key = {0};
  ts_str_addf(&node, "output %zu of %llu", source->port, (unsigned long long)made->identity[TOY_BY_NODE]);
  ts_str_addf(&key, "output %zu of %llu", source->port, (unsigned long long)made->identity[TOY_BY_KEY]);
  number_arrival(o, &arrival, &node, &key);
  return arrival;
}

/* ---- Cutting halos off and joining pieces, pixel by pixel. ---- */

static void crop(struct toy_oracle *o, struct arrival *arrival, size_t tile) {
  struct ts_region core = o->dataset->tiles[tile].core;
  if (arrival->data) {
    const struct ts_region from = *ts_data_region(arrival->data);
    const uint8_t *old = ts_data_bytes(arrival->data, NULL);
    struct ts_error err = {0};
    struct ts_data *data = ts_data_create_pixels(ts_data_type(arrival->data), &core, &err);
    uint8_t *pixels = ts_data_writable(data);
    for (int64_t y = 0; y < core.height; y++) {
      for (int64_t x = 0; x < core.width; x++)
        pixels[y * core.width + x] = old[(y + core.y - from.y) * from.width + x + core.x - from.x];
    }
    ts_data_unref(arrival->data);
    arrival->data = data;
  }
  ts_auto(ts_str_release) struct ts_str node = {0};
  ts_auto(ts_str_release) struct ts_str key = {0};
  ts_str_addf(&node, "crop %zu %llu", tile, (unsigned long long)arrival->identity[TOY_BY_NODE]);
  ts_str_addf(&key, "crop %lld,%lld+%lld,%lld %llu", (long long)core.x, (long long)core.y, (long long)core.width,
              (long long)core.height, (unsigned long long)arrival->identity[TOY_BY_KEY]);
  number_arrival(o, arrival, &node, &key);
}

static struct ts_data *join_tables(const struct arrival *pieces, size_t count) {
  struct ts_error err = {0};
  size_t rows = 0;
  for (size_t i = 0; i < count; i++) rows += ts_data_rows(pieces[i].data);
  struct ts_data *all =
      ts_data_create_table(rows, ts_data_columns(pieces[0].data), ts_data_column_names(pieces[0].data), &err);
  double *next = ts_data_writable(all);
  for (size_t i = 0; i < count; i++) {
    for (size_t c = 0; c < ts_data_rows(pieces[i].data) * ts_data_columns(all); c++)
      *next++ = ts_data_cells(pieces[i].data)[c];
  }
  return all;
}

/* Where pieces lie over each other (images of different files), the later one is seen. */
static struct ts_data *join_pixels(const struct arrival *pieces, size_t count) {
  struct ts_error err = {0};
  struct ts_region all = {.x = INT64_MAX, .y = INT64_MAX};
  int64_t right = 0;
  int64_t bottom = 0;
  for (size_t i = 0; i < count; i++) {
    const struct ts_region *piece = ts_data_region(pieces[i].data);
    all.x = piece->x < all.x ? piece->x : all.x;
    all.y = piece->y < all.y ? piece->y : all.y;
    right = piece->x + piece->width > right ? piece->x + piece->width : right;
    bottom = piece->y + piece->height > bottom ? piece->y + piece->height : bottom;
  }
  all.width = right - all.x;
  all.height = bottom - all.y;
  struct ts_data *data = ts_data_create_pixels(ts_data_type(pieces[0].data), &all, &err);
  uint8_t *pixels = ts_data_writable(data);
  memset(pixels, 0, ts_data_size_bytes(data));
  for (size_t i = 0; i < count; i++) {
    const struct ts_region *piece = ts_data_region(pieces[i].data);
    const uint8_t *from = ts_data_bytes(pieces[i].data, NULL);
    for (int64_t k = 0; k < piece->width * piece->height; k++)
      pixels[(piece->y - all.y + k / piece->width) * all.width + piece->x - all.x + k % piece->width] = from[k];
  }
  return data;
}

static struct arrival join(struct toy_oracle *o, struct arrival *pieces, size_t count, enum ts_scope scope) {
  struct arrival arrival = {.connected = true};
  ts_auto(ts_str_release) struct ts_str node = {0};
  ts_auto(ts_str_release) struct ts_str key = {0};
  ts_str_addf(&node, "gather %d", (int)scope);
  ts_str_add(&key, "gather");
  for (size_t i = 0; i < count; i++) {
    arrival.broken = arrival.broken || pieces[i].broken;
    ts_str_addf(&node, " %llu", (unsigned long long)pieces[i].identity[TOY_BY_NODE]);
    ts_str_addf(&key, " %llu", (unsigned long long)pieces[i].identity[TOY_BY_KEY]);
  }
  if (!arrival.broken) {
    bool table = strcmp(ts_data_type(pieces[0].data)->name, "table") == 0;
    arrival.data = table ? join_tables(pieces, count) : join_pixels(pieces, count);
  }
  for (size_t i = 0; i < count; i++) ts_data_unref(pieces[i].data);
  number_arrival(o, &arrival, &node, &key);
  return arrival;
}

/* ---- One port of one task. ---- */

struct request {
  size_t set;
  struct ts_source source; /* an input that is supplied, or a task */
  enum ts_scope from;      /* in what pieces it comes */
  bool pixels;
};

/* False: nothing is connected. */
static bool find_request(const struct toy_oracle *o, size_t set, size_t task, size_t port, struct request *request) {
  const struct ts_workflow *w = o->toy->workflow;
  *request = (struct request){.set = set, .source = w->tasks[task].inputs[port]};
  if (request->source.kind == TS_SOURCE_INPUT && !o->toy->options.supplied[request->source.index]) {
    request->source = w->inputs[request->source.index].default_run;
    request->set = TOY_REFERENCE;
  }
  if (request->source.kind == TS_SOURCE_NONE) return false;
  if (request->source.kind == TS_SOURCE_INPUT) {
    request->pixels = strcmp(w->inputs[request->source.index].type->name, "table") != 0;
    bool tiles = request->pixels && w->stages[w->tasks[task].stage].scope == TS_PER_TILE;
    request->from = tiles ? TS_PER_TILE : TS_PER_FILE;
  } else {
    const struct ts_task *producer = &w->tasks[request->source.index];
    request->pixels = strcmp(producer->op->descriptor->outputs[request->source.port]->type, "table") != 0;
    request->from = w->stages[producer->stage].scope;
  }
  return true;
}

static struct arrival fetch(struct toy_oracle *o, const struct request *r, size_t unit, bool without_halo) {
  struct arrival arrival = r->source.kind == TS_SOURCE_INPUT ? read_input(o, r->source.index, r->from, unit)
                                                             : take_output(o, r->set, &r->source, unit);
  if (without_halo) crop(o, &arrival, unit);
  return arrival;
}

static struct arrival arrive(struct toy_oracle *o, size_t set, size_t task, size_t unit, size_t port) {
  const struct ts_stage *stage = &o->toy->workflow->stages[o->toy->workflow->tasks[task].stage];
  const struct ts_dataset *d = o->dataset;
  struct request r;
  if (!find_request(o, set, task, port, &r)) return (struct arrival){0};
  bool coarser = stage->scope > r.from;
  bool core = o->toy->workflow->tasks[task].core[port];
  bool without_halo = o->toy->options.crop_halo && r.from == TS_PER_TILE && r.pixels && (coarser || core);
  if (!coarser) {
    size_t item = stage->scope == TS_PER_TILE ? d->tile_items[unit] : unit;
    size_t from_unit = r.from == stage->scope ? unit : r.from == TS_PER_FILE ? item : 0;
    return fetch(o, &r, from_unit, without_halo);
  }
  size_t first = 0;
  size_t count = toy_units(d, r.from);
  if (stage->scope == TS_PER_FILE) {
    first = d->items[unit].first_tile;
    count = d->items[unit].tile_count;
  }
  struct arrival *pieces = ts_calloc(count, sizeof *pieces);
  for (size_t i = 0; i < count; i++) pieces[i] = fetch(o, &r, first + i, without_halo);
  struct arrival joined = join(o, pieces, count, stage->scope);
  free(pieces);
  return joined;
}

/* ---- One task of one run. ---- */

static void execute(struct toy_oracle *o, struct toy_instance *instance, struct arrival *arrivals) {
  const struct ts_workflow *w = o->toy->workflow;
  struct ts_op *op = ts_registry_find(o->registry, w->tasks[instance->task].op->descriptor->name);
  const struct ts_op_descriptor *d = op->descriptor;
  struct ts_data *inputs[MAX_PORTS] = {0};
  struct ts_value values[MAX_PORTS];
  const struct ts_value *set = instance->set == TOY_REFERENCE ? NULL : toy_case_values(o->toy, instance->set);
  for (size_t i = 0; i < d->input_count; i++) inputs[i] = arrivals[i].data;
  for (size_t i = 0; i < d->parameter_count; i++) values[i] = toy_bound_value(w, set, instance->task, i);
  struct ts_error err = {0};
  instance->outputs = ts_calloc(d->output_count, sizeof(struct ts_data *));
  if (ts_op_execute(op, inputs, values, instance->outputs, NULL, &err)) return;
  free(instance->outputs);
  instance->outputs = NULL;
  instance->status = TOY_FAILED;
}

static uint64_t number_by(struct toy_oracle *o, const struct toy_instance *instance, const struct arrival *arrivals,
                          enum toy_identity by) {
  const struct ts_workflow *w = o->toy->workflow;
  const struct ts_op_descriptor *d = w->tasks[instance->task].op->descriptor;
  const struct ts_value *set = instance->set == TOY_REFERENCE ? NULL : toy_case_values(o->toy, instance->set);
  bool by_node = by == TOY_BY_NODE;
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (by_node && o->toy->options.merge != TS_MERGE_LINEAGE) ts_str_addf(&text, "run %zu ", instance->set + 1);
  if (by_node)
    ts_str_addf(&text, "task %zu unit %zu (", instance->task, instance->unit);
  else
    ts_str_addf(&text, "%s %s (", by == TOY_BY_KEY ? "key" : "content", d->name);
  bool raw = by_node && o->toy->options.raw_values;
  for (size_t i = 0; i < d->parameter_count; i++)
    toy_add_value(&text, d->parameters[i], toy_bound_value(w, set, instance->task, i), raw);
  for (size_t i = 0; i < d->input_count; i++) {
    uint64_t number = 0;
    if (arrivals[i].connected)
      number = by == TOY_BY_CONTENT ? number_of_data(o, arrivals[i].data) : arrivals[i].identity[by];
    ts_str_addf(&text, ", %llu", (unsigned long long)number);
  }
  return number_of(o, &text);
}

static void number_instance(struct toy_oracle *o, struct toy_instance *instance, const struct arrival *arrivals) {
  instance->identity[TOY_BY_NODE] = number_by(o, instance, arrivals, TOY_BY_NODE);
  instance->identity[TOY_BY_KEY] = number_by(o, instance, arrivals, TOY_BY_KEY);
  if (instance->status != TOY_SKIPPED)
    instance->identity[TOY_BY_CONTENT] = number_by(o, instance, arrivals, TOY_BY_CONTENT);
}

static const struct toy_instance *evaluate(struct toy_oracle *o, size_t set, size_t task, size_t unit) {
  const struct toy_instance *known = toy_oracle_find(o, set, task, unit);
  if (known) return known;
  const struct ts_op_descriptor *d = o->toy->workflow->tasks[task].op->descriptor;
  struct arrival arrivals[MAX_PORTS] = {0};
  struct toy_instance instance = {.set = set, .task = task, .unit = unit};
  const size_t first_read = o->reading_count;
  for (size_t i = 0; i < d->input_count; i++) {
    arrivals[i] = arrive(o, set, task, unit, i);
    if (arrivals[i].broken) instance.status = TOY_SKIPPED;
  }
  if (instance.status == TOY_DONE) execute(o, &instance, arrivals);
  number_instance(o, &instance, arrivals);
  for (size_t i = 0; i < d->input_count; i++) ts_data_unref(arrivals[i].data);
  instance.need_count = o->reading_count - first_read;
  instance.needs = ts_memdup(o->reading + first_read, instance.need_count * sizeof *instance.needs);
  o->reading_count = first_read;
  o->instances = ts_grow(o->instances, o->count, &o->capacity, sizeof *o->instances);
  o->instances[o->count] = instance;
  const size_t place[] = {set, task, unit};
  ts_map_insert(&o->places, place, sizeof place, NULL)->number = o->count++;
  return &o->instances[o->count - 1];
}

const struct toy_instance *toy_oracle_find(const struct toy_oracle *o, size_t set, size_t task, size_t unit) {
  const size_t place[] = {set, task, unit};
  const union ts_map_value *value = ts_map_find(&o->places, place, sizeof place);
  return value ? &o->instances[value->number] : NULL;
}

static void evaluate_run(struct toy_oracle *o, size_t set) {
  const struct ts_workflow *w = o->toy->workflow;
  for (size_t i = 0; i < o->toy->options.wanted_count; i++) {
    size_t task = o->toy->options.wanted[i].index;
    size_t units = toy_units(o->dataset, w->stages[w->tasks[task].stage].scope);
    for (size_t u = 0; u < units; u++) evaluate(o, set, task, u);
  }
}

void toy_oracle_init(struct toy_oracle *o, const struct toy_case *toy, const struct ts_dataset *dataset) {
  *o = (struct toy_oracle){.toy = toy, .dataset = dataset, .registry = toy_registry_create()};
  if (toy->want_reference) evaluate_run(o, TOY_REFERENCE);
  for (size_t s = 0; s < toy->set_count; s++) evaluate_run(o, s);
}

void toy_oracle_release(struct toy_oracle *o) {
  for (size_t i = 0; i < o->count; i++) {
    const struct toy_instance *instance = &o->instances[i];
    size_t count = o->toy->workflow->tasks[instance->task].op->descriptor->output_count;
    for (size_t p = 0; instance->outputs && p < count; p++) ts_data_unref(instance->outputs[p]);
    free(instance->outputs);
    free(instance->needs);
  }
  free(o->instances);
  free(o->reading);
  ts_map_release(&o->texts);
  ts_map_release(&o->places);
  ts_registry_destroy(o->registry);
}

/* ---- Counting. ---- */

static size_t group_of(const struct toy_oracle *o, const struct toy_instance *instance, enum ts_scope grouped) {
  const struct ts_workflow *w = o->toy->workflow;
  enum ts_scope scope = w->stages[w->tasks[instance->task].stage].scope;
  if (grouped == TS_PER_DATASET) return 0;
  if (grouped == scope) return instance->unit;
  return o->dataset->tile_items[instance->unit];
}

static bool fits(const struct toy_oracle *o, const struct toy_instance *instance, const struct toy_filter *f) {
  const struct ts_task *task = &o->toy->workflow->tasks[instance->task];
  return f->statuses >> instance->status & 1 && (!f->op || strcmp(task->op->descriptor->name, f->op) == 0) &&
         (!f->task || *f->task == instance->task);
}

static void add_to_set(const struct toy_oracle *o, const struct toy_instance *instance, const struct toy_filter *f,
                       struct ts_map *set) {
  const uint64_t key[] = {instance->identity[f->by], f->grouped ? group_of(o, instance, *f->grouped) : 0};
  ts_map_insert(set, key, sizeof key, NULL);
}

size_t toy_distinct(const struct toy_oracle *o, const struct toy_filter *f) {
  ts_auto(ts_map_release) struct ts_map met = {0};
  for (size_t i = 0; i < o->count; i++) {
    if (o->instances[i].set != TOY_REFERENCE && fits(o, &o->instances[i], f)) add_to_set(o, &o->instances[i], f, &met);
  }
  size_t of_design = ts_map_count(&met);
  for (size_t i = 0; i < o->count; i++) {
    if (o->instances[i].set == TOY_REFERENCE && fits(o, &o->instances[i], f)) add_to_set(o, &o->instances[i], f, &met);
  }
  return (f->design ? of_design : 0) + (f->reference ? ts_map_count(&met) - of_design : 0);
}
