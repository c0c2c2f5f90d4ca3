/* The scores of one run: over the tiles of each file and over all files, by the same arithmetic as in a study; and the
 * number of objects of each file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/quality.h"
#include "work/collect.h"

#include "project/data/split.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* The tables of one product. */
struct scores {
  const char *product; /* borrowed */
  struct ts_source source;
  enum ts_scope scope;
  size_t column_count;
  char **names;                /* owned, each of them owned too */
  struct ts_portion *portions; /* owned: units x columns */
};

struct quality {
  const struct ts_project *project; /* borrowed */
  const struct ts_plan *plan;
  struct scores *items; /* owned */
  size_t count, capacity;
  double *px; /* owned: core pixels of each tile */
  uint64_t seed;
  struct object_count *counts; /* owned */
  size_t counted, count_capacity;
};

/* A cell that counts something. */
struct object_count {
  const char *product; /* borrowed */
  size_t item, column;
  char *name; /* owned: of the column */
  double value;
};

struct quality *ts_quality_create(const struct ts_project *project, const struct ts_plan *plan) {
  struct quality *q = ts_calloc(1, sizeof *q);
  *q = (struct quality){
      .project = project, .plan = plan, .px = ts_collector_tile_px(project), .seed = ts_study_seed(project)};
  return q;
}

static const struct ts_op *op_of(const struct quality *q, const struct scores *scores) {
  return q->project->workflow->tasks[scores->source.index].op;
}

static enum ts_over over_tiles(const struct quality *q, const struct scores *scores, size_t column) {
  return ts_column_over_tiles(op_of(q, scores), scores->source.port, scores->names[column]);
}

static enum ts_over over_files(const struct quality *q, const struct scores *scores, size_t column) {
  return ts_column_over_files(op_of(q, scores), scores->source.port, scores->names[column]);
}

void ts_quality_destroy(struct quality *q) {
  if (!q) return;
  for (size_t i = 0; i < q->count; i++) {
    struct scores *scores = &q->items[i];
    for (size_t c = 0; c < scores->column_count; c++) free(scores->names[c]);
    free(scores->names);
    free(scores->portions); /* no default is a median: they own nothing */
  }
  for (size_t i = 0; i < q->counted; i++) free(q->counts[i].name);
  free(q->counts);
  free(q->items);
  free(q->px);
  free(q);
}

static struct scores *scores_of(struct quality *q, const char *product, uint32_t node, uint32_t port,
                                const struct ts_data *data) {
  for (size_t i = 0; i < q->count; i++)
    if (strcmp(q->items[i].product, product) == 0) return &q->items[i];
  q->items = ts_grow(q->items, q->count, &q->capacity, sizeof *q->items);
  struct scores *scores = &q->items[q->count++];
  *scores = (struct scores){.product = product,
                            .source = {.kind = TS_SOURCE_TASK, .index = q->plan->nodes[node].task, .port = port},
                            .scope = q->plan->nodes[node].scope,
                            .column_count = ts_data_columns(data)};
  size_t cells = ts_dataset_units(&q->project->dataset, scores->scope) * scores->column_count;
  scores->names = ts_calloc(scores->column_count + 1, sizeof *scores->names);
  scores->portions = ts_calloc(cells + 1, sizeof *scores->portions);
  for (size_t c = 0; c < scores->column_count; c++) scores->names[c] = ts_strdup(ts_data_column_names(data)[c]);
  for (size_t i = 0; i < cells; i++) scores->portions[i] = ts_portion_absent();
  return scores;
}

void ts_quality_add(struct quality *q, const char *product, uint32_t node, uint32_t port, size_t unit,
                    const struct ts_data *data) {
  struct scores *scores = scores_of(q, product, node, port, data);
  for (size_t c = 0; c < scores->column_count; c++) {
    const struct ts_op_ratio *ratio = ts_op_find_ratio(op_of(q, scores), port, scores->names[c]);
    const char *missing; /* leaves the portion as it is: absent */
    ts_table_portion(data, scores->names[c], over_tiles(q, scores, c), ratio,
                     &scores->portions[unit * scores->column_count + c], &missing);
  }
}

void ts_quality_add_counts(struct quality *q, const char *product, uint32_t node, uint32_t port, size_t unit,
                           const struct ts_data *data) {
  const struct ts_node *of = &q->plan->nodes[node];
  const struct ts_op *op = q->project->workflow->tasks[of->task].op;
  for (size_t c = 0; c < ts_data_columns(data); c++) {
    const char *name = ts_data_column_names(data)[c];
    if (!ts_op_is_count(op, port, name)) continue;
    q->counts = ts_grow(q->counts, q->counted, &q->count_capacity, sizeof *q->counts);
    q->counts[q->counted++] = (struct object_count){.product = product,
                                                    .item = ts_dataset_item(&q->project->dataset, of->scope, unit),
                                                    .column = c,
                                                    .name = ts_strdup(name),
                                                    .value = ts_data_cells(data)[c]};
  }
}

/* ---- As JSON. ---- */

static json_t *number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static size_t entry_count(const struct quality *q, const struct scores *scores) {
  return ts_scope_is_in_item(scores->scope) ? q->project->dataset.item_count : 1;
}

static struct ts_total total_of(const struct quality *q, const struct scores *scores, size_t entry, size_t column) {
  size_t first = 0, count = 0;
  ts_dataset_units_in_item(&q->project->dataset, scores->scope, entry, &first, &count);
  const struct ts_portions portions = {.first = scores->portions + first * scores->column_count + column,
                                       .stride = scores->column_count,
                                       .count = count,
                                       .px = ts_scope_is_tile(scores->scope) ? q->px + first : NULL};
  return ts_total_of_tiles(over_tiles(q, scores, column), &portions);
}

/* "objects cut at tile edges: found, matched"; as a list, empty if no column depends on it. */
static json_t *notes_json(const struct quality *q, const struct scores *scores) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  for (size_t c = 0; c < scores->column_count; c++) {
    const char *note = ts_study_outputs_cut_objects(q->project, &scores->source, scores->names[c]);
    if (!note) continue;
    if (text.length == 0) ts_str_addf(&text, "%s: ", note);
    ts_str_addf(&text, "%s%s", ts_str_ends_with(ts_str_get(&text), ": ") ? "" : ", ", scores->names[c]);
  }
  return text.length ? json_pack("[s]", ts_str_get(&text)) : json_array();
}

static const char *against_of(const struct quality *q, const struct scores *scores) {
  return q->project->against[scores->source.index];
}

/* The name of a column in replies: with a suffix if it is compared with the default run; in the arena. */
static const char *measure_of(const struct quality *q, const struct scores *scores, size_t column,
                              struct ts_arena *arena) {
  return ts_reference_measure(arena, scores->names[column], against_of(q, scores));
}

/* Names are those of tables: any text, but distinct. */
static json_t *entry_json(const struct quality *q, const struct scores *scores, size_t entry) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  json_t *values = json_object(), *numerators = json_object(), *denominators = json_object();
  for (size_t c = 0; c < scores->column_count; c++) {
    const struct ts_total total = total_of(q, scores, entry, c);
    const char *name = measure_of(q, scores, c, &arena);
    json_object_set_new(values, name, number(total.value));
    if (over_tiles(q, scores, c) != TS_OVER_POOL) continue;
    json_object_set_new(numerators, name, number(total.numerator));
    json_object_set_new(denominators, name, number(total.denominator));
  }
  const struct ts_item *item = ts_scope_is_in_item(scores->scope) ? &q->project->dataset.items[entry] : NULL;
  size_t first = 0, tiles = 0;
  ts_dataset_units_in_item(&q->project->dataset, scores->scope, entry, &first, &tiles);
  json_t *object =
      json_pack("{s:s, s:s, s:I, s:s, s:o, s:o, s:o, s:o}", "product", scores->product, "file", item ? item->name : "",
                "tiles", (json_int_t)tiles, "against", against_of(q, scores), "values", values, "numerator", numerators,
                "denominator", denominators, "notes", notes_json(q, scores));
  if (item && item->groups) json_object_set_new(object, "groups", ts_project_groups_json(q->project, item));
  if (item) ts_split_write(q->project, item, object);
  return object;
}

/* Some entries of a product's scores: all of them, or the files of a group. */
struct entries {
  const size_t *numbers; /* borrowed; NULL: the first `count` */
  size_t count;
};

/* By measure, what the scores of the entries are together: values with the interval over files, and how many count. */
static void add_values(const struct quality *q, const struct scores *scores, const struct entries *entries,
                       json_t *object) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  const struct ts_files_resampling how = {
      .resamples = q->project->study.resamples, .confidence = q->project->study.confidence, .seed = q->seed};
  json_t *values = json_object(), *low = json_object(), *high = json_object(), *known = json_object();
  ts_auto_free struct ts_total *totals = ts_calloc(entries->count + 1, sizeof *totals);
  for (size_t c = 0; c < scores->column_count; c++) {
    for (size_t i = 0; i < entries->count; i++)
      totals[i] = total_of(q, scores, entries->numbers ? entries->numbers[i] : i, c);
    const enum ts_over over = over_files(q, scores, c);
    const struct ts_total total = ts_total_of_files(over, totals, entries->count);
    const struct ts_files_spread spread = ts_files_spread_of(over, totals, entries->count, &how);
    const char *name = measure_of(q, scores, c, &arena);
    json_object_set_new(values, name, number(total.value));
    json_object_set_new(low, name, number(spread.low));
    json_object_set_new(high, name, number(spread.high));
    json_object_set_new(known, name, json_integer((json_int_t)total.n));
  }
  json_object_set_new(object, "values", values);
  json_object_set_new(object, "lo", low);
  json_object_set_new(object, "hi", high);
  json_object_set_new(object, "n", known);
}

static json_t *all_json(const struct quality *q, const struct scores *scores) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  json_t *tiles = json_object(), *files = json_object();
  const struct entries entries = {.count = entry_count(q, scores)};
  for (size_t c = 0; c < scores->column_count; c++) {
    const char *name = measure_of(q, scores, c, &arena);
    json_object_set_new(tiles, name, json_string(ts_over_names[over_tiles(q, scores, c)]));
    json_object_set_new(files, name, json_string(ts_over_names[over_files(q, scores, c)]));
  }
  json_t *object = json_pack("{s:s, s:I, s:s, s:o, s:o, s:o}", "product", scores->product, "files",
                             (json_int_t)entries.count, "against", against_of(q, scores), "over_tiles", tiles,
                             "over_files", files, "notes", notes_json(q, scores));
  add_values(q, scores, &entries, object);
  return object;
}

/* The scores of every group; nothing for products of the whole dataset. */
static void add_groups(const struct quality *q, const struct scores *scores, json_t *list) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  size_t count = 0;
  const struct ts_group_files *groups = ts_project_group_files(q->project, &arena, &count);
  for (size_t i = 0; ts_scope_is_in_item(scores->scope) && i < count; i++) {
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:I, s:s}", "product", scores->product, "group", groups[i].group, "value",
                  groups[i].value, "files", (json_int_t)groups[i].count, "against", against_of(q, scores));
    add_values(q, scores, &(struct entries){groups[i].files, groups[i].count}, object);
    json_array_append_new(list, object);
  }
}

/* The scores of what is held out and of the rest, where the data says which is which. */
static void add_splits(const struct quality *q, const struct scores *scores, json_t *list) {
  const struct ts_dataset *dataset = &q->project->dataset;
  if (!q->project->has_split || !ts_scope_is_in_item(scores->scope)) return;
  ts_auto_free size_t *files = ts_calloc(dataset->item_count + 1, sizeof *files);
  for (size_t held_out = 0; held_out < 2; held_out++) {
    size_t count = 0;
    for (size_t i = 0; i < dataset->item_count; i++)
      if (dataset->items[i].is_held_out == (held_out == 1)) files[count++] = i;
    if (count == 0) continue;
    json_t *object = json_pack("{s:s, s:s, s:I, s:s}", "product", scores->product, "split", ts_split_names[held_out],
                               "files", (json_int_t)count, "against", against_of(q, scores));
    add_values(q, scores, &(struct entries){files, count}, object);
    json_array_append_new(list, object);
  }
}

/* Products come in the order in which tasks finish. */
static int by_product(const void *a, const void *b) {
  return strcmp(((const struct scores *)a)->product, ((const struct scores *)b)->product);
}

static int by_place(const void *a, const void *b) {
  const struct object_count *p = a, *q = b;
  const int order = strcmp(p->product, q->product);
  if (order != 0) return order;
  if (p->item != q->item) return p->item < q->item ? -1 : 1;
  return (p->column > q->column) - (p->column < q->column);
}

static json_t *counts_json(const struct quality *q) {
  json_t *list = json_array();
  if (q->counted > 0) qsort(q->counts, q->counted, sizeof *q->counts, by_place);
  for (size_t i = 0; i < q->counted; i++)
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "product", q->counts[i].product, "file",
                                          q->project->dataset.items[q->counts[i].item].name, "column",
                                          q->counts[i].name, "value", number(q->counts[i].value)));
  return list;
}

void ts_quality_json(const struct quality *q, json_t *object) {
  json_t *rows = json_array(), *all = json_array(), *by_group = json_array(), *by_split = json_array();
  if (q->count > 0) qsort(q->items, q->count, sizeof *q->items, by_product);
  for (size_t i = 0; i < q->count; i++) {
    const struct scores *scores = &q->items[i];
    for (size_t e = 0; e < entry_count(q, scores); e++) json_array_append_new(rows, entry_json(q, scores, e));
    json_array_append_new(all, all_json(q, scores));
    add_groups(q, scores, by_group);
    add_splits(q, scores, by_split);
  }
  json_object_set_new(object, "quality", rows);
  json_object_set_new(object, "quality_over_files", all);
  json_object_set_new(object, "by_group", by_group);
  json_object_set_new(object, "by_split", by_split);
  json_object_set_new(object, "counts", counts_json(q));
}
