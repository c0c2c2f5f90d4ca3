/* Draws buckets as icicles into an SVG document of its own.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boxes of one look in one row are one path: a picture of a million runs stays small. */
#include "report/bucket_picture.h"

#include "base/alloc.h"
#include "base/str.h"
#include "report/chart/chart.h"
#include "report/chart/svg.h"
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MARGIN_PX      20.0
#define NAMES_PX       150.0
#define COUNTS_PX      184.0
#define ROW_PX         18.0
#define BOX_PX         16.0
#define BARS_PX        26.0
#define HEADING_PX     44.0
#define TOP_PX         142.0
#define THIN_PX        3.0 /* narrower boxes are drawn together */
#define WIDE_BUCKET_PX 12.0

/* What a box says. AGAIN: another bucket to the left has computed it too. MET: the same bucket has it already, as keys
 * of a graph allow. */
enum look { SHARED, SINGLE, AGAIN, MET, LOOK_COUNT };

static const struct {
  const char *colour, *text;
} looks[LOOK_COUNT] = {[SHARED] = {"#0072B2", "computed once for several runs"},
                       [SINGLE] = {"#AEB6C2", "needed by one run only"},
                       [AGAIN] = {"#D55E00", "computed again: another bucket has it too"},
                       [MET] = {"#D6E8F5", "nothing to do: the bucket has it already"}};

/* Neighbours differ, also for those who see few colours; the last one is for buckets too thin to tell apart. */
#define BUCKET_COLOURS 4
static const char *const bucket_colours[BUCKET_COLOURS + 1] = {"#009E73", "#CC79A7", "#F0E442", "#56B4E9", "#6B7280"};

struct panel {
  struct ts_str *out;                      /* borrowed */
  const struct ts_bucket_picture *picture; /* borrowed */
  const struct ts_bucket_panel *data;      /* borrowed */
  double left, scale, top;                 /* px; px per column */
  size_t column_count;
  uint32_t *met;          /* owned: per key, the number of the bucket that had it last, from 1 */
  size_t computed, again; /* over all rows so far */
};

static double x_of(const struct panel *p, size_t column) { return p->left + p->scale * (double)column; }

static void draw_path(struct ts_str *out, struct ts_str *path, const char *colour) {
  if (path->length > 0) {
    ts_str_addf(out, "<path fill=\"%s\" d=\"", colour);
    ts_str_add(out, ts_str_get(path));
    ts_str_add(out, "\"/>\n");
  }
  ts_str_release(path);
}

/* ---- one row ---- */

struct row {
  struct panel *panel; /* borrowed */
  double y;
  struct ts_str paths[LOOK_COUNT];
  struct ts_str texts;         /* drawn over the boxes */
  size_t thin_first, thin_end; /* columns of thin boxes that are not yet drawn */
  size_t thin_columns[LOOK_COUNT];
  size_t computed, again;
};

/* What most of the columns say; what costs more wins where two are equal. */
static enum look main_look(const size_t *columns) {
  static const enum look order[] = {AGAIN, SHARED, SINGLE, MET};
  enum look found = AGAIN;
  for (size_t i = 0; i < LOOK_COUNT; i++) {
    if (columns[order[i]] > columns[found]) found = order[i];
  }
  return found;
}

static void draw_thin(struct row *row) {
  const struct panel *p = row->panel;
  if (row->thin_end == row->thin_first) return;
  double x = x_of(p, row->thin_first), end = x_of(p, row->thin_end);
  ts_svg_path_rect(&row->paths[main_look(row->thin_columns)], x, row->y, end - x, BOX_PX);
  memset(row->thin_columns, 0, sizeof row->thin_columns);
  row->thin_first = row->thin_end;
}

static void draw_wide(struct row *row, size_t first, size_t end, enum look look) {
  const struct panel *p = row->panel;
  double x = x_of(p, first), width = x_of(p, end) - x;
  ts_svg_path_rect(&row->paths[look], x, row->y, width - (width > 2 ? 1 : 0), BOX_PX);
  char number[TS_NUMBER_SIZE], text[TS_NUMBER_SIZE + 8];
  snprintf(text, sizeof text, "\xc3\x97%s", ts_format_number((double)(end - first), 3, number));
  if (look == MET || end - first < 2 || ts_text_width(text, TS_CHART_FONT_PX) + 4 > width) return;
  ts_svg_text(&row->texts, x + width / 2, row->y + 12.5, TS_ANCHOR_MIDDLE, ts_colour_text_on(looks[look].colour), text);
}

static void add_box(struct row *row, size_t first, size_t end, enum look look) {
  const struct panel *p = row->panel;
  if ((double)(end - first) * p->scale >= THIN_PX) {
    draw_thin(row);
    draw_wide(row, first, end, look);
    row->thin_first = row->thin_end = end;
    return;
  }
  /* Thin boxes of one look make one block; of several looks, blocks of a few px. */
  bool same = row->thin_columns[look] == row->thin_end - row->thin_first;
  if (!same && x_of(p, row->thin_end) - x_of(p, row->thin_first) >= THIN_PX) draw_thin(row);
  row->thin_columns[look] += end - first;
  row->thin_end = end;
}

static enum look look_of(struct panel *p, uint32_t key, uint32_t bucket, size_t columns) {
  uint32_t met = p->met[key];
  p->met[key] = bucket;
  if (met == bucket) return MET;
  return met > 0 ? AGAIN : columns > 1 ? SHARED : SINGLE;
}

static void draw_counts(struct row *row, size_t task) {
  struct panel *p = row->panel;
  ts_auto(ts_str_release) struct ts_str text = {0};
  char number[TS_NUMBER_SIZE];
  char *name = ts_text_fit(p->picture->tasks[task], TS_CHART_FONT_PX, NAMES_PX - 10);
  ts_svg_text(p->out, p->left - 8, row->y + 12.5, TS_ANCHOR_END, NULL, name);
  free(name);
  ts_str_add(&text, ts_format_number((double)row->computed, 9, number));
  if (row->again > 0) ts_str_addf(&text, ", %s again", ts_format_number((double)row->again, 9, number));
  ts_svg_text(p->out, p->left + p->scale * (double)p->column_count + 8, row->y + 12.5, TS_ANCHOR_START, NULL,
              ts_str_get(&text));
}

static void draw_row(struct panel *p, size_t task) {
  const struct ts_bucket_panel *d = p->data;
  size_t tasks = p->picture->task_count, column = 0;
  struct row row = {.panel = p, .y = p->top + ROW_PX * (double)task};
  for (size_t b = 0; b < d->bucket_count; b++) {
    for (size_t bucket_end = column + d->sizes[b]; column < bucket_end;) {
      uint32_t key = d->keys[column * tasks + task];
      size_t end = column + 1;
      while (end < bucket_end && d->keys[end * tasks + task] == key) end++;
      enum look look = look_of(p, key, (uint32_t)b + 1, end - column);
      row.computed += look != MET;
      row.again += look == AGAIN;
      add_box(&row, column, end, look);
      column = end;
    }
  }
  draw_thin(&row);
  for (size_t i = 0; i < LOOK_COUNT; i++) draw_path(p->out, &row.paths[i], looks[i].colour);
  ts_str_add(p->out, ts_str_get(&row.texts));
  ts_str_release(&row.texts);
  draw_counts(&row, task);
  p->computed += row.computed;
  p->again += row.again;
}

/* ---- buckets ---- */

/* Lines between buckets, where they do not hide what they part. */
static void draw_borders(const struct panel *p) {
  const struct ts_bucket_panel *d = p->data;
  if (p->scale * (double)p->column_count / (double)d->bucket_count < WIDE_BUCKET_PX) return;
  double bottom = p->top + ROW_PX * (double)p->picture->task_count + BARS_PX;
  size_t column = 0;
  for (size_t b = 0; b + 1 < d->bucket_count; b++) {
    column += d->sizes[b];
    double x = x_of(p, column) - 0.5;
    ts_svg_line(p->out, "border", x, p->top - 2, x, bottom);
  }
}

static void draw_bars(struct panel *p) {
  const struct ts_bucket_panel *d = p->data;
  double most = 0, y = p->top + ROW_PX * (double)p->picture->task_count + BARS_PX, thin_cost = 0;
  struct ts_str paths[BUCKET_COLOURS + 1] = {{0}};
  for (size_t b = 0; b < d->bucket_count; b++) most = fmax(most, d->costs[b]);
  size_t column = 0, thin_first = 0;
  for (size_t b = 0; b < d->bucket_count; b++) {
    double x = x_of(p, column), width = p->scale * (double)d->sizes[b];
    column += d->sizes[b];
    double height = most > 0 ? fmax(1, d->costs[b] / most * (BARS_PX - 4)) : 1;
    bool is_thin = width < THIN_PX, is_last = b + 1 == d->bucket_count;
    if (!is_thin) ts_svg_path_rect(&paths[b % BUCKET_COLOURS], x, y - height, width - 1, height);
    if (is_thin) thin_cost = fmax(thin_cost, height);
    double thin_width = x_of(p, column) - x_of(p, thin_first);
    if (is_thin && (thin_width >= THIN_PX || is_last))
      ts_svg_path_rect(&paths[BUCKET_COLOURS], x_of(p, thin_first), y - thin_cost, thin_width, thin_cost);
    if (is_thin && thin_width < THIN_PX) continue;
    thin_cost = 0;
    thin_first = column;
  }
  for (size_t i = 0; i <= BUCKET_COLOURS; i++) draw_path(p->out, &paths[i], bucket_colours[i]);
  ts_svg_text(p->out, p->left - 8, y - 6, TS_ANCHOR_END, "#4b5563", "cost of each bucket");
}

/* ---- a panel ---- */

static double panel_height(const struct ts_bucket_picture *picture, const struct ts_bucket_panel *panel) {
  return HEADING_PX + (panel->refused ? 0 : ROW_PX * (double)picture->task_count + BARS_PX + 6);
}

static void add_cost(struct ts_str *text, double cost, bool seconds) {
  char number[TS_NUMBER_SIZE];
  ts_str_add(text, seconds ? ts_format_time(cost, number) : ts_format_number(cost, 4, number));
}

/* "46 buckets; 2 149 of 3 206 tasks computed (33 % avoided), 12 of them again; imbalance 53 %; ..." */
static void describe(const struct panel *p, struct ts_str *text) {
  const struct ts_bucket_panel *d = p->data;
  char number[TS_NUMBER_SIZE];
  double requested = (double)(p->column_count * p->picture->task_count), computed = (double)p->computed;
  ts_str_addf(text, "%s %s; ", ts_format_number((double)d->bucket_count, 9, number),
              d->bucket_count == 1 ? "bucket" : "buckets");
  ts_str_addf(text, "%s of ", ts_format_number(computed, 9, number));
  ts_str_addf(text, "%s tasks computed (", ts_format_number(requested, 9, number));
  ts_str_addf(text, "%s avoided)", ts_format_percent(requested > 0 ? 1 - computed / requested : 0, number));
  if (p->again > 0) ts_str_addf(text, ", %s of them again", ts_format_number((double)p->again, 9, number));
  ts_str_addf(text, "; imbalance %s; ", ts_format_percent(d->imbalance, number));
  ts_str_addf(text, "%s %s: ", ts_format_number((double)p->picture->workers, 9, number),
              p->picture->workers == 1 ? "worker" : "workers");
  add_cost(text, d->makespan, p->picture->seconds);
  ts_str_add(text, p->picture->seconds ? ", at least " : " task lengths, at least ");
  add_cost(text, d->lower_bound, p->picture->seconds);
}

static void draw_heading(struct ts_str *out, double y, const char *name, const char *text) {
  double left = MARGIN_PX + ceil(ts_text_width(name, TS_CHART_FONT_PX) * 1.12) + 12; /* the name is in bold */
  ts_auto_free char *fitting = ts_text_fit(text, TS_CHART_FONT_PX, TS_BUCKET_PICTURE_PX - MARGIN_PX - left);
  ts_svg_line(out, "grid", MARGIN_PX, y + 8, TS_BUCKET_PICTURE_PX - MARGIN_PX, y + 8);
  ts_str_add(out, "<g font-weight=\"600\">");
  ts_svg_text(out, MARGIN_PX, y + 28, TS_ANCHOR_START, NULL, name);
  ts_str_add(out, "</g>\n");
  ts_svg_text(out, left, y + 28, TS_ANCHOR_START, NULL, fitting);
}

static void draw_panel(struct ts_str *out, const struct ts_bucket_picture *picture, const struct ts_bucket_panel *panel,
                       double y) {
  if (panel->refused) {
    draw_heading(out, y, panel->name, panel->refused);
    return;
  }
  struct panel p = {.out = out, .picture = picture, .data = panel, .left = MARGIN_PX + NAMES_PX, .top = y + HEADING_PX};
  for (size_t b = 0; b < panel->bucket_count; b++) p.column_count += panel->sizes[b];
  double width = TS_BUCKET_PICTURE_PX - 2 * MARGIN_PX - NAMES_PX - COUNTS_PX;
  p.scale = width / (double)(p.column_count ? p.column_count : 1);
  p.met = ts_calloc(panel->key_count + 1, sizeof *p.met);
  for (size_t t = 0; t < picture->task_count; t++) draw_row(&p, t);
  draw_bars(&p);
  draw_borders(&p);
  ts_auto(ts_str_release) struct ts_str text = {0};
  describe(&p, &text);
  draw_heading(out, y, panel->name, ts_str_get(&text));
  free(p.met);
}

/* ---- the document ---- */

static double add_key(struct ts_str *out, double x, double y, const char *colour, const char *text) {
  ts_svg_rect(out, &(struct ts_box){x, y - 11, 14, 14}, colour);
  ts_svg_text(out, x + 20, y, TS_ANCHOR_START, NULL, text);
  return x + 20 + ceil(ts_text_width(text, TS_CHART_FONT_PX)) + 16;
}

static void draw_legend(struct ts_str *out) {
  double x = MARGIN_PX;
  for (size_t i = 0; i < LOOK_COUNT; i++) {
    double width = 36 + ts_text_width(looks[i].text, TS_CHART_FONT_PX);
    if (x + width > TS_BUCKET_PICTURE_PX - MARGIN_PX) break;
    x = add_key(out, x, 112, looks[i].colour, looks[i].text);
  }
  x = MARGIN_PX;
  for (size_t i = 0; i < BUCKET_COLOURS; i++) {
    ts_svg_rect(out, &(struct ts_box){x, 123, 14, 14}, bucket_colours[i]);
    x += 15;
  }
  ts_svg_text(out, x + 5, 134, TS_ANCHOR_START, NULL,
              "buckets in turn, as high as they cost; grey: too thin to draw one by one, the most expensive of them");
}

static const char style[] =
    "<style>text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
    "fill:#111827}g[font-weight] text{font-weight:600}text[fill='#ffffff']{fill:#fff}"
    "text[fill='#000000']{fill:#000}text[fill='#4b5563']{fill:#4b5563}"
    ".grid{stroke:#d1d5db}.border{stroke:#111827;stroke-width:1}.title{font-size:20px;font-weight:600}</style>\n";

void ts_draw_buckets(struct ts_str *out, const struct ts_bucket_picture *picture) {
  double height = TOP_PX + MARGIN_PX;
  for (size_t i = 0; i < picture->panel_count; i++) height += panel_height(picture, &picture->panels[i]);
  ts_auto_free char *title = ts_text_fit(picture->title, 22, TS_BUCKET_PICTURE_PX - 2 * MARGIN_PX);
  ts_auto_free char *subtitle = ts_text_fit(picture->subtitle, TS_CHART_FONT_PX, TS_BUCKET_PICTURE_PX - 2 * MARGIN_PX);
  ts_svg_open_file(out, TS_BUCKET_PICTURE_PX, height, picture->title);
  ts_str_add(out, style);
  ts_svg_rect(out, &(struct ts_box){0, 0, TS_BUCKET_PICTURE_PX, height}, "#ffffff");
  ts_str_addf(out, "<text class=\"title\" x=\"%s\" y=\"36\">", TS_SIGNIFICANT(MARGIN_PX, 6));
  ts_html_addf(out, "%s</text>\n", title);
  ts_svg_text(out, MARGIN_PX, 60, TS_ANCHOR_START, "#4b5563", subtitle);
  ts_svg_text(
      out, MARGIN_PX, 80, TS_ANCHOR_START, "#4b5563",
      "Columns are runs, bucket after bucket; rows are tasks; a box is a computation, as wide as the runs that it "
      "serves; beside each row: how many.");
  draw_legend(out);
  double y = TOP_PX;
  for (size_t i = 0; i < picture->panel_count; i++) {
    draw_panel(out, picture, &picture->panels[i], y);
    y += panel_height(picture, &picture->panels[i]);
  }
  ts_svg_close(out);
}
