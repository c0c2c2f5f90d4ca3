/* Text of run and study: the answer first, then the evidence, what was reused, and what to do next.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"
#include "cli/text.h"
#include "cli/view.h"

#include "base/alloc.h"
#include "base/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VS_DEFAULT     "_vs_default" /* ends names of measures against the default run */
#define TOP_PARAMETERS 8
#define TOP_OUTPUTS    2
#define BAR_COLUMNS    24

static bool is_paused(const json_t *reply) { return strcmp(ts_cli_reply_text(reply, "state"), "paused") == 0; }

/* "Reused 8 400 of 12 000 tasks (70 %)." */
static void add_reuse(struct ts_str *out, const json_t *reuse) {
  uint64_t requested = ts_cli_reply_count(reuse, "requested");
  uint64_t reused = ts_cli_reply_count(reuse, "stage") + ts_cli_reply_count(reuse, "task") +
                    ts_cli_reply_count(reuse, "cutoff") + ts_cli_reply_count(reuse, "store");
  char number[32];
  ts_str_addf(out, "Reused %s of ", ts_format_count(reused, number));
  ts_cli_text_add_count(out, requested, "task");
  ts_str_add(out, " (");
  ts_cli_text_add_share(out, reused, requested);
  ts_str_add(out, ").");
}

/* "Ran 3 600 tasks in 2 min 11 s on 8 threads; 3 failed, 12 skipped." */
static void add_cost(struct ts_str *out, const json_t *reply) {
  const json_t *reuse = ts_cli_reply_member(reply, "reuse");
  char number[32];
  ts_str_add(out, "Ran ");
  ts_cli_text_add_count(out, ts_cli_reply_count(reuse, "executed"), "task");
  double wall_s = ts_cli_reply_number(reply, "wall_s");
  if (!isnan(wall_s)) {
    ts_str_add(out, " in ");
    ts_cli_text_add_time(out, wall_s);
  }
  uint64_t threads = ts_cli_reply_count(reply, "threads");
  if (threads > 0) {
    ts_str_add(out, " on ");
    uint64_t workers = ts_cli_reply_count(reply, "workers"); /* one thread each is not worth saying */
    if (threads != workers) ts_cli_text_add_count(out, threads, "thread");
    if (threads != workers && workers > 0) ts_str_add(out, " of ");
    if (workers > 0) ts_cli_text_add_count(out, workers, "worker");
  }
  static const char *const kinds[] = {"repeated", "spilled", "recomputed", "failed", "skipped"};
  const char *before = "; ";
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    uint64_t count = ts_cli_reply_count(reuse, kinds[i]);
    if (count == 0) continue;
    ts_str_addf(out, "%s%s %s", before, ts_format_count(count, number), kinds[i]);
    before = ", ";
  }
  ts_str_add(out, ".\n");
}

/* A measure over all tiles and files, with its range over the files. */
struct measure {
  const char *name;                    /* borrowed from the reply */
  const char *against;                 /* static: "the truth"; "" for replies that do not say it */
  const char *over_tiles, *over_files; /* borrowed from the reply */
  double value, low, high;
};

struct measures {
  struct measure *items; /* owned */
  size_t count, capacity;
  struct ts_map index; /* name -> position */
};

static void measures_release(struct measures *measures) {
  free(measures->items);
  ts_map_release(&measures->index);
}

/* One that has no value (nothing to measure, or a task failed) is left out. */
static void add_measures(struct measures *measures, const json_t *all) {
  const char *name;
  json_t *value;
  json_object_foreach(json_object_get(all, "values"), name, value) {
    bool inserted = false;
    union ts_map_value *position = json_is_number(value) ? ts_map_insert_name(&measures->index, name, &inserted) : NULL;
    if (!inserted) continue;
    position->number = measures->count;
    measures->items = ts_grow(measures->items, measures->count, &measures->capacity, sizeof *measures->items);
    measures->items[measures->count++] =
        (struct measure){.name = name,
                         .against = ts_cli_reply_against(all),
                         .over_tiles = ts_cli_reply_text(ts_cli_reply_member(all, "over_tiles"), name),
                         .over_files = ts_cli_reply_text(ts_cli_reply_member(all, "over_files"), name),
                         .value = json_number_value(value),
                         .low = NAN,
                         .high = NAN};
  }
}

static void add_range(const struct measures *measures, const json_t *file) {
  const char *name;
  json_t *value;
  json_object_foreach(json_object_get(file, "values"), name, value) {
    const union ts_map_value *position = ts_map_find_name(&measures->index, name);
    if (!position || !measures->items || !json_is_number(value)) continue;
    struct measure *measure = &measures->items[position->number];
    measure->low = fmin(measure->low, json_number_value(value)); /* fmin and fmax leave NaN out */
    measure->high = fmax(measure->high, json_number_value(value));
  }
}

/* How many tiles and files the scores are from. */
struct extent {
  uint64_t files, tiles;
};

static struct extent gather(struct measures *measures, const json_t *reply) {
  const json_t *files = ts_cli_reply_member(reply, "quality"), *all = ts_cli_reply_member(reply, "quality_over_files");
  struct extent extent = {0};
  for (size_t i = 0; i < json_array_size(all); i++) add_measures(measures, json_array_get(all, i));
  for (size_t i = 0; i < json_array_size(all); i++) {
    uint64_t count = ts_cli_reply_count(json_array_get(all, i), "files");
    extent.files = count > extent.files ? count : extent.files;
  }
  const char *product = ts_cli_reply_text(json_array_get(files, 0), "product");
  for (size_t i = 0; i < json_array_size(files); i++) {
    const json_t *file = json_array_get(files, i);
    bool same = strcmp(ts_cli_reply_text(file, "product"), product) == 0; /* another one is of the same tiles */
    add_range(measures, file);
    extent.tiles += same ? ts_cli_reply_count(file, "tiles") : 0;
  }
  return extent;
}

/* Dice is what people ask for first; otherwise the first measure. */
static const struct measure *headline(const struct measures *measures) {
  for (size_t i = 0; i < measures->count; i++) {
    const char *name = measures->items[i].name;
    if (ts_word_equal(name, "dice") || ts_word_equal(name, "dice" VS_DEFAULT)) return &measures->items[i];
  }
  return &measures->items[0];
}

/* Three digits, zeros at the end too, so that the column can be compared; counts as they are. */
static void add_measure_cell(struct ts_cli_table *table, double value) {
  struct ts_str cell = {0};
  double size = fabs(value);
  int decimals = value == round(value) || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  ts_cli_text_add_fixed(&cell, value, decimals);
  ts_cli_table_take(table, &cell);
}

static const char *over_word(const char *over) {
  static const char *const words[][2] = {{"pool", "pooled"}, {"weighted", "weighted mean"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i][0], over) == 0) return words[i][1];
  return over;
}

static void add_measure_table(struct ts_str *out, const struct measures *measures, const struct extent *extent) {
  bool has_tiles = extent->tiles > extent->files, has_files = extent->files > 1;
  struct ts_cli_table table;
  ts_cli_table_init(&table, has_tiles && has_files ? "lrllrr" : has_files ? "lrlrr" : has_tiles ? "lrl" : "lr");
  ts_cli_table_add(&table, "measure");
  ts_cli_table_add(&table, "value");
  if (has_tiles) ts_cli_table_add(&table, "over tiles");
  if (has_files) ts_cli_table_add(&table, "over files");
  if (has_files) ts_cli_table_add(&table, "lowest");
  if (has_files) ts_cli_table_add(&table, "highest");
  for (size_t i = 0; i < measures->count; i++) {
    const struct measure *measure = &measures->items[i];
    ts_cli_table_add(&table, measure->name);
    add_measure_cell(&table, measure->value);
    if (has_tiles) ts_cli_table_add(&table, over_word(measure->over_tiles));
    if (has_files) ts_cli_table_add(&table, over_word(measure->over_files));
    if (has_files) add_measure_cell(&table, measure->low);
    if (has_files) add_measure_cell(&table, measure->high);
  }
  ts_str_add_char(out, '\n');
  ts_cli_table_print(&table, "  ", out);
  ts_str_add_char(out, '\n');
  ts_cli_table_release(&table);
}

/* "Dice 0.912 against the truth, on average over 4 files", "Dice 0.912 against the truth, pooled over 30 tiles". */
static void add_headline(struct ts_str *out, const struct measure *measure, const struct extent *extent,
                         const struct ts_view *view) {
  struct ts_str name = {0};
  ts_cli_text_add_safe(&name, measure->name);
  if (name.length > 0) name.data[0] = ts_char_upper(name.data[0]);
  if (ts_str_ends_with(ts_str_get(&name), VS_DEFAULT)) name.data[name.length - strlen(VS_DEFAULT)] = '\0';
  ts_str_addf(out, "%s%s ", view->color ? TS_BOLD : "", ts_str_get(&name));
  ts_cli_text_add_number(out, measure->value);
  if (*measure->against) ts_str_addf(out, " against %s", measure->against);
  bool mean = strcmp(measure->over_files, "mean") == 0;
  if (extent->files > 1)
    ts_str_addf(out, ", %s over %llu files", mean ? "on average" : "sum", (unsigned long long)extent->files);
  else if (extent->tiles > 1)
    ts_str_addf(out, ", %s over %llu tiles", over_word(measure->over_tiles), (unsigned long long)extent->tiles);
  ts_str_addf(out, "%s\n", view->color ? TS_PLAIN : "");
  ts_str_release(&name);
}

/* What else is to be known about numbers, such as "objects cut at tile edges". */
static void add_notes(struct ts_str *out, const json_t *object, const struct ts_view *view) {
  const json_t *notes = ts_cli_reply_member(object, "notes");
  for (size_t i = 0; i < json_array_size(notes); i++) {
    const char *note = json_string_value(json_array_get(notes, i));
    struct ts_str text = {0};
    if (!note) continue;
    ts_cli_text_add_safe(&text, note);
    ts_str_add(out, "  ");
    ts_cli_text_add_wrapped(out, ts_str_get(&text), (size_t)view->width, 2, "  ");
    ts_str_add_char(out, '\n');
    ts_str_release(&text);
  }
}

/* One measure by a part of the data, with its interval over files: by group ("by_group": what and which), by split
 * ("by_split": which). */
static void add_groups(struct ts_str *out, const json_t *reply, const char *list, const char *const names[2],
                       const char *measure) {
  const json_t *groups = ts_cli_reply_member(reply, list);
  struct ts_cli_table table;
  ts_cli_table_init(&table, "llrrrr");
  ts_cli_table_add(&table, names[0]);
  ts_cli_table_add(&table, names[1]);
  ts_cli_table_add(&table, "files");
  ts_cli_table_add(&table, measure);
  ts_cli_table_add(&table, "from");
  ts_cli_table_add(&table, "to");
  size_t rows = 0;
  for (size_t i = 0; i < json_array_size(groups); i++) {
    const json_t *group = json_array_get(groups, i);
    const double value = ts_cli_reply_number(ts_cli_reply_member(group, "values"), measure);
    if (isnan(value)) continue;
    rows++;
    ts_cli_table_add(&table, ts_cli_reply_text(group, names[0]));
    ts_cli_table_add(&table, ts_cli_reply_text(group, names[1]));
    add_measure_cell(&table, (double)ts_cli_reply_count(group, "files"));
    add_measure_cell(&table, value);
    add_measure_cell(&table, ts_cli_reply_number(ts_cli_reply_member(group, "lo"), measure));
    add_measure_cell(&table, ts_cli_reply_number(ts_cli_reply_member(group, "hi"), measure));
  }
  if (rows > 0) ts_cli_table_print(&table, "  ", out);
  if (rows > 0) ts_str_add_char(out, '\n');
  ts_cli_table_release(&table);
}

static bool add_quality(struct ts_str *out, const json_t *reply, const struct ts_view *view) {
  struct measures measures = {0};
  const json_t *all = ts_cli_reply_member(reply, "quality_over_files");
  const struct extent extent = gather(&measures, reply);
  bool any = measures.count > 0;
  if (any) {
    add_headline(out, headline(&measures), &extent, view);
    if (measures.count > 1 || extent.files > 1) add_measure_table(out, &measures, &extent);
    add_groups(out, reply, "by_group", (const char *const[]){"group", "value"}, headline(&measures)->name);
    add_groups(out, reply, "by_split", (const char *const[]){"split", ""}, headline(&measures)->name);
    size_t before = out->length;
    for (size_t i = 0; i < json_array_size(all); i++) add_notes(out, json_array_get(all, i), view);
    if (out->length > before) ts_str_add_char(out, '\n');
  }
  measures_release(&measures);
  return any;
}

/* Bytes of the folder that all outputs lie in, without the slash; 0 if there is none. */
static size_t common_folder(const json_t *outputs) {
  const char *first = json_string_value(json_array_get(outputs, 0));
  if (!first) return 0;
  const char *slash = strrchr(first, '/');
  size_t length = slash ? (size_t)(slash - first) : 0;
  for (size_t i = 1; i < json_array_size(outputs); i++) {
    const char *path = json_string_value(json_array_get(outputs, i));
    while (length > 0 && !(path && strncmp(path, first, length) == 0 && path[length] == '/')) {
      length--;
      while (length > 0 && first[length] != '/') length--;
    }
  }
  return length;
}

static void add_outputs(struct ts_str *out, const json_t *reply) {
  const json_t *outputs = ts_cli_reply_member(reply, "outputs");
  size_t count = json_array_size(outputs);
  if (count == 0) {
    ts_str_add(out, "No results were written.\n");
    return;
  }
  const char *first = json_string_value(json_array_get(outputs, 0));
  size_t length = common_folder(outputs);
  ts_auto_free char *folder = ts_strndup(first ? first : "", length);
  ts_str_add(out, "Results: ");
  if (count == 1 || length == 0) {
    ts_cli_text_add_safe(out, first ? first : "");
    if (count > 1) {
      ts_str_add(out, " and ");
      ts_cli_text_add_count(out, count - 1, "more file");
    }
  } else {
    ts_cli_text_add_safe(out, folder);
    ts_str_add(out, " (");
    ts_cli_text_add_count(out, count, "file");
    ts_str_add(out, ")");
  }
  ts_str_add_char(out, '\n');
}

/* One line per reason: "compare.table was not written: there is no truth, ..." */
static void add_skipped(struct ts_str *out, const json_t *reply) {
  const json_t *skipped = ts_cli_reply_member(reply, "skipped");
  for (size_t i = 0; i < json_array_size(skipped); i++) {
    const char *reason = ts_cli_reply_text(json_array_get(skipped, i), "reason");
    size_t same = 0, earlier = 0;
    for (size_t k = 0; k < json_array_size(skipped); k++) {
      const json_t *other = json_array_get(skipped, k);
      if (strcmp(ts_cli_reply_text(other, "reason"), reason) != 0) continue;
      earlier += k < i ? 1 : 0;
      if (earlier > 0) break;
      if (same++ > 0) ts_str_add(out, ", ");
      ts_cli_text_add_safe(out, ts_cli_reply_text(other, "output"));
    }
    if (same == 0) continue;
    ts_str_addf(out, " %s not written: ", same == 1 ? "was" : "were");
    ts_cli_text_add_safe(out, reason);
    ts_str_add_char(out, '\n');
  }
}

/* "features.summary: count 1 747", of several files with their number; one line for each column. */
static void add_counts(struct ts_str *out, const json_t *reply) {
  const json_t *counts = ts_cli_reply_member(reply, "counts");
  const size_t count = json_array_size(counts);
  for (size_t i = 0; i < count; i++) {
    const json_t *first = json_array_get(counts, i);
    const char *product = ts_cli_reply_text(first, "product"), *column = ts_cli_reply_text(first, "column");
    double sum = 0;
    size_t files = 0;
    bool is_told = false;
    for (size_t k = 0; k < count; k++) {
      const json_t *other = json_array_get(counts, k);
      if (strcmp(ts_cli_reply_text(other, "product"), product) != 0) continue;
      if (strcmp(ts_cli_reply_text(other, "column"), column) != 0) continue;
      is_told = is_told || k < i;
      sum += ts_cli_reply_number(other, "value");
      files++;
    }
    if (is_told) continue;
    char number[32];
    ts_cli_text_add_safe(out, product);
    ts_str_add(out, ": ");
    ts_cli_text_add_safe(out, column);
    ts_str_addf(out, " %s", ts_format_count((uint64_t)sum, number));
    if (files > 1) ts_str_addf(out, " in %zu files", files);
    ts_str_add_char(out, '\n');
  }
}

void ts_show_run(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  if (is_paused(reply)) return;
  bool quality = add_quality(out, reply, view);
  if (!quality && *ts_cli_reply_text(reply, "name")) {
    ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "name"));
    ts_str_add(out,
               strcmp(ts_cli_reply_text(reply, "state"), "failed") == 0 ? " ran, but some tasks failed\n" : " ran\n");
    add_counts(out, reply);
  }
  ts_show_values_from(reply, out);
  add_outputs(out, reply);
  add_skipped(out, reply);
  ts_show_tissue(reply, out);
  add_cost(out, reply);
  add_reuse(out, ts_cli_reply_member(reply, "reuse"));
  ts_str_add_char(out, '\n');
}

static int by_mu_star(const void *a, const void *b) {
  double left = ts_cli_reply_number(*(json_t *const *)a, "mu_star"),
         right = ts_cli_reply_number(*(json_t *const *)b, "mu_star");
  if (isnan(left) || isnan(right)) return isnan(left) - isnan(right);
  if (left != right) return left < right ? 1 : -1;
  return strcmp(ts_cli_reply_text(*(json_t *const *)a, "name"), ts_cli_reply_text(*(json_t *const *)b, "name"));
}

/* Decimals that show three digits of the largest number of a column. */
static int decimals_for(double largest) {
  if (!(largest > 0)) return 2;
  int decimals = 2 - (int)floor(log10(largest));
  return decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
}

static void add_fixed_cell(struct ts_cli_table *table, double value, int decimals) {
  struct ts_str cell = {0};
  ts_cli_text_add_fixed(&cell, value, decimals);
  ts_cli_table_take(table, &cell);
}

static void add_interval_cell(struct ts_cli_table *table, const json_t *index, int decimals) {
  struct ts_str cell = {0};
  if (ts_cli_reply_has(index, "lo") && ts_cli_reply_has(index, "hi")) {
    ts_cli_text_add_fixed(&cell, ts_cli_reply_number(index, "lo"), decimals);
    ts_str_add(&cell, " to ");
    ts_cli_text_add_fixed(&cell, ts_cli_reply_number(index, "hi"), decimals);
  }
  ts_cli_table_take(table, &cell);
}

/* The class of an effect, unless there is none to speak of: the words of the answer above the table. */
static const char *effect_words(const json_t *index) {
  const char *finding = ts_cli_reply_text(index, "finding");
  if (strcmp(finding, "none") == 0) return "no measurable effect";
  return strcmp(finding, "unclear") == 0 ? "not clear" : ts_cli_reply_text(index, "class");
}

static void add_index(struct ts_cli_table *table, const json_t *reply, const json_t *index, double largest,
                      const struct ts_view *view) {
  int decimals = decimals_for(largest);
  double mu_star = ts_cli_reply_number(index, "mu_star");
  struct ts_str bar = {0}, name = {0};
  ts_cli_text_add_bar(&bar, mu_star / largest, BAR_COLUMNS, view->unicode);
  ts_show_parameter(reply, ts_cli_reply_text(index, "name"), view, &name);
  ts_cli_table_take(table, &name);
  add_fixed_cell(table, mu_star, decimals);
  add_interval_cell(table, index, decimals);
  add_fixed_cell(table, ts_cli_reply_number(index, "sigma"), decimals);
  ts_cli_table_add(table, effect_words(index));
  ts_cli_table_take(table, &bar);
}

static void add_indices(struct ts_str *out, const json_t *reply, const json_t *output, const struct ts_view *view) {
  const json_t *indices = ts_cli_reply_member(output, "indices");
  size_t count = json_array_size(indices);
  if (count == 0) return;
  const json_t **order = ts_calloc(count, sizeof *order);
  for (size_t i = 0; i < count; i++) order[i] = json_array_get(indices, i);
  qsort(order, count, sizeof *order, by_mu_star);
  double largest = ts_cli_reply_number(order[0], "mu_star");
  struct ts_cli_table table;
  ts_cli_table_init(&table, "lrrrll");
  static const char *const headings[] = {"mu*", "95 % interval", "sigma", "", ""};
  struct ts_str name = {0};
  ts_cli_reply_add_output(&name, output);
  ts_cli_table_take(&table, &name);
  for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) ts_cli_table_add(&table, headings[i]);
  for (size_t i = 0; i < count && i < TOP_PARAMETERS; i++) add_index(&table, reply, order[i], largest, view);
  ts_cli_table_print(&table, "  ", out);
  if (count > TOP_PARAMETERS) ts_str_addf(out, "  and %zu more in the report\n", count - TOP_PARAMETERS);
  ts_cli_table_release(&table);
  free(order);
}

static void add_answer(struct ts_str *out, const json_t *reply, const struct ts_view *view) {
  const char *answer = ts_cli_reply_text(reply, "answer");
  if (*answer == '\0') return;
  struct ts_str text = {0};
  ts_cli_text_add_safe(&text, answer);
  if (!strchr(".!?", text.data[text.length - 1])) ts_str_add_char(&text, '.');
  if (view->color) ts_str_add(out, TS_BOLD);
  ts_cli_text_add_wrapped(out, ts_str_get(&text), (size_t)view->width, 0, "");
  if (view->color) ts_str_add(out, TS_PLAIN);
  ts_str_add(out, "\n\n");
  ts_str_release(&text);
}

static void add_hint(struct ts_str *out, const char *before, const struct ts_str *command, size_t width,
                     const char *what) {
  ts_str_addf(out, "%s%s", before, ts_str_get(command));
  ts_cli_text_add_repeated(out, " ", width - ts_cli_text_width(ts_str_get(command)) + 3);
  ts_str_addf(out, "%s\n", what);
}

/* Proposes to explain the task that was run most often, and to look at the run. */
static void add_next(struct ts_str *out, const json_t *reply, const struct ts_view *view) {
  const json_t *rows = ts_cli_reply_member(reply, "by_task"), *busiest = NULL;
  for (size_t i = 0; i < json_array_size(rows); i++) {
    const json_t *row = json_array_get(rows, i);
    if (!busiest || ts_cli_reply_count(row, "executed") > ts_cli_reply_count(busiest, "executed")) busiest = row;
  }
  struct ts_str explain = {0}, status = {0};
  ts_str_addf(&explain, "%s explain ", view->program);
  ts_cli_text_add_safe(&explain, ts_cli_reply_text(busiest, "stage"));
  ts_str_add_char(&explain, '.');
  ts_cli_text_add_safe(&explain, ts_cli_reply_text(busiest, "task"));
  ts_str_addf(&status, "%s status %s", view->program, ts_cli_reply_text(reply, "run"));
  size_t width = ts_cli_text_width(ts_str_get(&status)), other = ts_cli_text_width(ts_str_get(&explain));
  if (busiest && other > width) width = other;
  if (busiest) add_hint(out, "Next: ", &explain, width, "why its tasks were run or reused");
  add_hint(out, busiest ? "      " : "Next: ", &status, width, "what became of each task");
  ts_str_release(&explain);
  ts_str_release(&status);
}

void ts_show_study(const json_t *reply, const struct ts_view *view, struct ts_str *out) {
  if (is_paused(reply)) return;
  add_answer(out, reply, view);
  const json_t *outputs = ts_cli_reply_member(reply, "outputs");
  for (size_t i = 0; i < json_array_size(outputs) && i < TOP_OUTPUTS; i++) {
    const json_t *output = json_array_get(outputs, i);
    if (*ts_cli_reply_text(output, "method")) {
      ts_show_indices(reply, output, view, out);
    } else {
      add_indices(out, reply, output, view);
    }
    add_notes(out, output, view);
    ts_show_spread(reply, output, out);
    if (i == 0) ts_show_groups(reply, output, view, out);
    ts_str_add_char(out, '\n');
  }
  ts_show_best(reply, view, out);
  ts_show_held_out(reply, out);
  ts_show_phases(reply, view, out);
  ts_show_tissue(reply, out);
  add_cost(out, reply);
  add_reuse(out, ts_cli_reply_member(reply, "reuse"));
  if (*ts_cli_reply_text(reply, "report")) {
    ts_str_add(out, " Report: ");
    ts_cli_text_add_safe(out, ts_cli_reply_text(reply, "report"));
  }
  ts_str_add_char(out, '\n');
  if (!view->quiet && *ts_cli_reply_text(reply, "run")) add_next(out, reply, view);
}
