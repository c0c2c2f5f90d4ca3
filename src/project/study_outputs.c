/* Finds the columns that a study names: how each becomes one number, and whether it depends on the tiles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/session.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define CUT_OBJECTS "objects cut at tile edges"

enum ts_over ts_column_over_tiles(const struct ts_op *op, size_t port, const char *column) {
  if (ts_op_find_ratio(op, port, column)) return TS_OVER_POOL;
  return ts_op_is_count(op, port, column) ? TS_OVER_SUM : TS_OVER_MEAN;
}

enum ts_over ts_column_over_files(const struct ts_op *op, size_t port, const char *column) {
  return ts_op_is_count(op, port, column) ? TS_OVER_SUM : TS_OVER_MEAN;
}

/* ---- Faults. ---- */

/* At a key of the output if it is an object, at the output otherwise. */
static void place(struct session *s, const struct study_output *output, const char *key, struct ts_error *err) {
  const char *pointer = output->is_object ? ts_arena_printf(&s->arena, "%s/%s", output->pointer, key) : output->pointer;
  ts_json_place(err, &s->doc, pointer, TS_JSON_VALUE);
  ts_session_fault(s, err);
}

#define COLUMNS_NAMED 10 /* as many as fit into a help text */

/* The first columns that a port declares. */
static const char *column_names(struct session *s, const struct ts_op *op, size_t port) {
  const char *text = "";
  size_t count = 0;
  for (size_t i = 0; i < op->descriptor->column_count; i++) {
    const struct ts_op_column *column = op->descriptor->columns[i];
    if (strcmp(column->output, op->descriptor->outputs[port]->name) != 0 || count++ >= COLUMNS_NAMED) continue;
    text = ts_arena_printf(&s->arena, "%s%s%s", text, *text ? ", " : "", column->name);
  }
  return count > COLUMNS_NAMED ? ts_arena_printf(&s->arena, "%s and %zu more", text, count - COLUMNS_NAMED) : text;
}

void ts_study_no_column(struct session *s, const struct study_output *output, const char *column) {
  const struct ts_op *op = s->workflow->tasks[output->source.index].op;
  const char *near = ts_op_nearest_column(op, output->source.port, column);
  const char *names = column_names(s, op, output->source.port);
  struct ts_error err = {0};
  bool own = strcmp(column, output->column) == 0;
  ts_fail(&err, TS_ERR_BAD_VALUE, "'%s' has no column '%s'%s", output->product, column,
          own ? "" : ", which its operation declares as a term of a ratio");
  if (near)
    ts_error_help(&err, "did you mean '%s'?", near);
  else if (*names)
    ts_error_help(&err, "its columns are %s", names);
  else
    ts_error_help(&err, "see its columns with: tessera run -o DIR, then look into the CSV files");
  place(s, output, "output", &err);
}

static bool is_table(struct session *s, const struct study_output *output, const struct ts_op *op) {
  const char *type = op->descriptor->outputs[output->source.port]->type;
  struct ts_error err = {0};
  if (strcmp(type, "table") == 0) return true;
  ts_fail(&err, TS_ERR_PORT_TYPE, "output '%s' must name a table, but '%s' is of type %s", output->name,
          output->product, type);
  ts_error_help(&err, "name a table and a column, such as compare.table:diff");
  ts_json_place(&err, &s->doc, output->pointer, TS_JSON_VALUE);
  ts_session_fault(s, &err);
  return false;
}

/* The ratios of a port, for help texts; "" if it has none. */
static const char *ratio_names(struct session *s, const struct ts_op *op, size_t port) {
  const char *text = "";
  for (size_t i = 0; i < op->descriptor->ratio_count; i++) {
    const struct ts_op_column *column = op->descriptor->ratios[i]->column;
    if (strcmp(column->output, op->descriptor->outputs[port]->name) == 0)
      text = ts_arena_printf(&s->arena, "%s%s%s", text, *text ? ", " : "", column->name);
  }
  return text;
}

static void refuse_pool(struct session *s, const struct study_output *output, const struct ts_op *op, const char *key) {
  struct ts_error err = {0};
  const char *ratios = ratio_names(s, op, output->source.port);
  ts_fail(&err, TS_ERR_BAD_RATIO, "'%s' cannot be pooled: operation '%s' does not declare '%s' as a ratio",
          output->name, op->descriptor->name, output->column);
  if (*ratios)
    ts_error_help(&err, "use \"sum\", \"mean\", \"median\" or \"weighted\"; its ratios are %s", ratios);
  else
    ts_error_help(&err, "use \"sum\", \"mean\", \"median\" or \"weighted\", or let the operation declare the ratio");
  place(s, output, key, &err);
}

/* ---- Outputs of a study. ---- */

static void settle_overs(struct session *s, struct study_output *output, const struct ts_op *op) {
  size_t port = output->source.port;
  output->ratio = ts_op_find_ratio(op, port, output->column);
  if (output->over_tiles == TS_OVER_COUNT) output->over_tiles = ts_column_over_tiles(op, port, output->column);
  if (output->over_files == TS_OVER_COUNT) output->over_files = ts_column_over_files(op, port, output->column);
  if (output->over_tiles == TS_OVER_POOL && !output->ratio) {
    refuse_pool(s, output, op, "over_tiles");
  } else if (output->over_files == TS_OVER_POOL && !output->ratio) {
    refuse_pool(s, output, op, "over_files");
  } else if (output->over_files == TS_OVER_POOL && output->over_tiles != TS_OVER_POOL) {
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_BAD_RATIO, "'%s' is pooled over files, but not over tiles", output->name);
    ts_error_help(&err, "write \"over_tiles\": \"pool\", or another \"over_files\"");
    place(s, output, "over_files", &err);
  }
}

static void resolve(struct session *s, struct study_output *output) {
  struct ts_error err = {0};
  if (!ts_workflow_find_output(s->workflow, output->product, &output->source, &err)) {
    ts_json_place(&err, &s->doc, output->pointer, TS_JSON_VALUE);
    ts_session_fault(s, &err);
    return;
  }
  const struct ts_op *op = s->workflow->tasks[output->source.index].op;
  size_t port = output->source.port;
  if (!is_table(s, output, op)) return;
  if (ts_op_declares_columns(op, port) && !ts_op_has_column(op, port, output->column))
    ts_study_no_column(s, output, output->column);
  else
    settle_overs(s, output, op);
}

void ts_study_outputs_resolve(struct session *s) {
  for (size_t i = 0; i < s->study.output_count; i++) resolve(s, &s->study.outputs[i]);
}

/* ---- What depends on the tiles. ---- */

static bool has_several_tiles(const struct session *s) { return s->dataset.tile_count > s->dataset.item_count; }

static bool is_per_tile(const struct session *s, size_t task) {
  return ts_scope_is_tile(s->workflow->stages[s->workflow->tasks[task].stage].scope);
}

const char *ts_session_cut_objects(const struct session *s, const struct ts_source *source, const char *column) {
  const struct ts_op *op = s->workflow->tasks[source->index].op;
  bool cut = has_several_tiles(s) && is_per_tile(s, source->index) && ts_op_of_objects(op, source->port, column);
  return cut ? CUT_OBJECTS : NULL;
}

static bool makes_pixels(const struct ts_op_descriptor *d) {
  bool any = false;
  for (size_t i = 0; i < d->output_count; i++) {
    char name[64];
    size_t length = strcspn(d->outputs[i]->type, "|");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), d->outputs[i]->type);
    const struct ts_type *type = ts_type_find(name);
    any = any || (type && type->kind == TS_DATA_PIXELS);
  }
  return any;
}

/* Wider than an object: the largest nuclei that the demo's workflow keeps have 1,000 to 1,500 px, 36 to 44 px wide. */
#define USUAL_HALO_PX 64

/* A halo that covers what operations say they look at, one after another, and an object at the edge. */
static long long wanted_halo(const struct session *s) {
  long long reach = USUAL_HALO_PX;
  for (size_t t = 0; t < s->workflow->task_count; t++)
    if (is_per_tile(s, t)) reach += (long long)s->workflow->tasks[t].op->descriptor->radius_px;
  return reach;
}

static const char *whole_images(const struct session *s) {
  return s->study.is_bare_workflow ? "--tile 0" : "\"tile\": 0 (or --tile 0)";
}

static void warn_halo(struct session *s) {
  bool looks_around = false;
  for (size_t t = 0; t < s->workflow->task_count; t++)
    looks_around =
        looks_around || (is_per_tile(s, t) && s->workflow->tasks[t].op->descriptor->reach != TS_OP_REACH_PIXEL);
  if (s->study.halo_px > 0 || !looks_around) return;
  ts_session_warn_once(s,
                       "the tiles have no halo: objects at tile edges are cut, and counted once in each tile; set "
                       "\"halo\": %lld in the study's data, or use %s for whole images",
                       wanted_halo(s), whole_images(s));
}

#define TASKS_NAMED 3

static void warn_reach(struct session *s) {
  ts_auto(ts_str_release) struct ts_str names = {0};
  size_t count = 0;
  for (size_t t = 0; t < s->workflow->task_count; t++) {
    const struct ts_task *task = &s->workflow->tasks[t];
    const struct ts_op_descriptor *d = task->op->descriptor;
    if (!is_per_tile(s, t) || d->reach != TS_OP_REACH_TILE || !makes_pixels(d)) continue;
    if (count++ < TASKS_NAMED)
      ts_str_addf(&names, "%s'%s.%s'", count > 1 ? ", " : "", s->workflow->stages[task->stage].name, task->name);
  }
  if (count == 0) return;
  if (count > TASKS_NAMED) ts_str_addf(&names, " and %zu more", count - TASKS_NAMED);
  ts_session_warn_once(s,
                       "%s look%s at the whole tile: the results depend on the tile size; compare results of one tile "
                       "size only, or use %s for whole images",
                       ts_str_get(&names), count == 1 ? "s" : "", whole_images(s));
}

static void warn_means(struct session *s) {
  for (size_t i = 0; i < s->study.output_count; i++) {
    const struct study_output *output = &s->study.outputs[i];
    if (!output->ratio || output->over_tiles == TS_OVER_POOL || !is_per_tile(s, output->source.index)) continue;
    ts_session_warn_once(
        s,
        "'%s' is a ratio, but the study takes the %s over tiles, in which an empty tile counts as much "
        "as a full one; leave out \"over_tiles\" to pool it",
        output->name, ts_over_names[output->over_tiles]);
  }
}

void ts_session_warn_tiling(struct session *s) {
  if (!has_several_tiles(s)) return;
  warn_halo(s);
  warn_reach(s);
  warn_means(s);
}
