/* The Morris figures of 'What matters': ranked bars, the plane of mu* and sigma, what the classes mean.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/views_int.h"

#include "base/alloc.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

/* One parameter's indices. NaN: unknown. */
struct effect {
  const char *name;           /* borrowed from the result */
  const char *class_name;     /* borrowed from the result */
  const struct ts_look *look; /* static */
  double mu, mu_star, sigma, low, high, count;
};

struct effects {
  const struct ts_view *view; /* borrowed */
  struct effect *items;       /* owned by the page's arena; largest mu* first */
  size_t count;
};

static const struct ts_look class_looks[] = {
    {"influential", "#0072B2", TS_SHAPE_CIRCLE},
    {"interacting", "#D55E00", TS_SHAPE_TRIANGLE},
    {"negligible", "#6B7280", TS_SHAPE_SQUARE},
    {"unknown", "#6B7280", TS_SHAPE_CIRCLE},
};

static const struct ts_look *look_of(const char *class_name) {
  size_t count = sizeof class_looks / sizeof *class_looks;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(class_looks[i].name, class_name) == 0) return &class_looks[i];
  }
  return &class_looks[count - 1];
}

static void read_effects(struct ts_page *page, const struct ts_view *view, struct effects *effects) {
  size_t mu = ts_view_column(view, "mu"), mu_star = ts_view_column(view, "mu_star"),
         sigma = ts_view_column(view, "sigma");
  *effects = (struct effects){.view = view, .count = view->count};
  effects->items = ts_arena_array(&page->arena, view->count + 1, sizeof *effects->items);
  for (size_t i = 0; i < view->count; i++) {
    const struct ts_view_row *row = &view->rows[i];
    const char *class_name = *row->class_name ? row->class_name : "unknown";
    effects->items[i] = (struct effect){.name = row->name,
                                        .class_name = class_name,
                                        .look = look_of(class_name),
                                        .mu = mu == TS_NO_COLUMN ? NAN : row->cells[mu].value,
                                        .mu_star = row->cells[mu_star].value,
                                        .sigma = row->cells[sigma].value,
                                        .low = row->cells[mu_star].low,
                                        .high = row->cells[mu_star].high,
                                        .count = isnan(row->usable) ? 0 : row->usable};
  }
}

/* The classes that occur, in the order of their first occurrence. */
static size_t collect_looks(const struct effects *effects, struct ts_look *looks, size_t capacity) {
  size_t count = 0;
  for (size_t i = 0; i < effects->count; i++) {
    bool known = false;
    for (size_t k = 0; k < count; k++) known = known || strcmp(looks[k].name, effects->items[i].look->name) == 0;
    if (!known && count < capacity) looks[count++] = *effects->items[i].look;
  }
  return count;
}

static void add_legend(struct ts_page *page, const struct effects *effects) {
  struct ts_look looks[4];
  ts_page_legend(page, looks, collect_looks(effects, looks, 4));
}

static void add_table(struct ts_page *page, const struct effects *effects) {
  static const char *const headers[] = {"Parameter", "mu*", "from", "to", "mu", "sigma", "Effects", "Class", "Effect"};
  struct ts_table table;
  ts_table_open(&table, page, "Indices by parameter", "Numbers as a table", headers, "lrrrrrrll");
  for (size_t i = 0; i < effects->count; i++) {
    const struct effect *effect = &effects->items[i];
    ts_table_text(&table, ts_page_parameter(page, effect->name));
    ts_table_number(&table, effect->mu_star);
    ts_table_number(&table, effect->low);
    ts_table_number(&table, effect->high);
    ts_table_number(&table, effect->mu);
    ts_table_number(&table, effect->sigma);
    ts_table_number(&table, effect->count);
    ts_table_text(&table, effect->class_name);
    ts_table_finding(&table, effects->view->findings.rows[i].finding);
  }
  ts_table_close(&table, true);
}

static void add_bars_label(const struct effects *effects, struct ts_str *out) {
  char number[TS_NUMBER_SIZE];
  ts_str_add(out, "Bar chart of the influence of ");
  ts_str_addf(out, "%zu parameter%s on ", effects->count, effects->count == 1 ? "" : "s");
  ts_view_add_output(effects->view, out);
  ts_str_addf(out, "; the largest is %s with mu* %s.", effects->items[0].name,
              ts_format_number(effects->items[0].mu_star, 3, number));
}

void ts_page_morris_bars(struct ts_page *page, const struct ts_view *view, double wide_px) {
  struct effects effects;
  read_effects(page, view, &effects);
  struct ts_bar *items = ts_arena_array(&page->arena, effects.count + 1, sizeof *items);
  for (size_t i = 0; i < effects.count; i++) {
    const struct effect *effect = &effects.items[i];
    items[i] = (struct ts_bar){effect->name, effect->mu_star, effect->low, effect->high, effect->look};
  }
  struct ts_bars bars = {.items = items, .count = effects.count, .axis_title = "mu* with its interval \xe2\x86\x92"};
  ts_auto(ts_str_release) struct ts_str label = {0}, caption = {0};
  add_bars_label(&effects, &label);
  ts_str_add(page->out, "<figure>\n");
  add_legend(page, &effects);
  ts_page_chart(page, &(struct ts_chart){ts_str_get(&label), &bars, ts_draw_bars}, wide_px);
  ts_str_add(&caption, "Ranked influence on ");
  ts_view_add_output(view, &caption);
  ts_str_add(&caption, ": mu*, the mean size of the change when one parameter takes its step. ");
  ts_view_add_method(view, &caption);
  ts_str_add(&caption, ".");
  ts_view_add_unsettled(view, &caption);
  ts_html_addf(page->out, "<figcaption>%s</figcaption>\n", ts_str_get(&caption));
  add_table(page, &effects);
  ts_str_add(page->out, "</figure>\n");
}

static void add_scatter(struct ts_page *page, const struct effects *effects) {
  struct ts_point *points = ts_arena_array(&page->arena, effects->count + 1, sizeof *points);
  struct ts_scatter scatter = {.items = points};
  for (size_t i = 0; i < effects->count; i++) {
    const struct effect *effect = &effects->items[i];
    if (isnan(effect->mu_star) || isnan(effect->sigma)) continue;
    points[scatter.count++] =
        (struct ts_point){effect->name, effect->mu_star, effect->sigma, effect->low, effect->high, effect->look};
  }
  if (scatter.count == 0) {
    ts_page_paragraph(page, "Too few runs succeeded to say how the effects differ from place to place.");
    return;
  }
  ts_auto(ts_str_release) struct ts_str label = {0}, caption = {0};
  ts_str_addf(&label,
              "Scatter plot of %zu parameters, mu* to the right and sigma upwards, with lines where sigma is 0.1, "
              "0.5 and 1 times mu*.",
              scatter.count);
  ts_str_add(page->out, "<figure>\n");
  add_legend(page, effects);
  ts_page_chart(page, &(struct ts_chart){ts_str_get(&label), &scatter, ts_draw_scatter}, TS_CHART_HALF_PX);
  ts_view_add_method(effects->view, &caption);
  ts_str_add(page->out,
             "<figcaption>Size of the effect against how much it differs from place to place. Only the largest "
             "effects are named. ");
  ts_html_addf(page->out, "%s.</figcaption>\n", ts_str_get(&caption));
  add_table(page, effects);
  ts_str_add(page->out, "</figure>\n");
}

/* "G1, T1 and T2"; false if there is none of the class. */
static bool add_class_names(const struct effects *effects, const char *class_name, struct ts_str *out) {
  size_t total = 0, seen = 0;
  for (size_t i = 0; i < effects->count; i++) total += strcmp(effects->items[i].class_name, class_name) == 0;
  for (size_t i = 0; i < effects->count; i++) {
    if (strcmp(effects->items[i].class_name, class_name) != 0) continue;
    if (seen > 0) ts_str_add(out, seen + 1 == total ? " and " : ", ");
    ts_str_add(out, effects->items[i].name);
    seen++;
  }
  return total > 0;
}

/* What a class means; the share that counts as negligible comes before `after_share`; NULL: it is left out. */
struct class_words {
  const char *class_name, *heading, *meaning, *after_share;
};
static const struct class_words classes[] = {
    {"influential", "Influential",
     "Below the line sigma = 0.5 mu*: a step has about the same effect at all values of the other parameters.", NULL},
    {"interacting", "Interacting",
     "Above the line sigma = 0.5 mu*: the effect depends on the values of the other parameters, or is not linear. Tune "
     "these together.",
     NULL},
    {"negligible", "Negligible", "Even the upper end of the interval is below ",
     " of the largest mu*, or no effect was seen at all. Leave these at their defaults."},
    {"unknown", "Unknown", "Too many runs failed to say anything.", NULL},
};

static void add_class(struct ts_page *page, const struct effects *effects, const struct class_words *words) {
  ts_auto(ts_str_release) struct ts_str names = {0};
  if (add_class_names(effects, words->class_name, &names)) {
    ts_str_addf(page->out, "<dt>%s</dt><dd><b>", words->heading);
    ts_html_add(page->out, ts_str_get(&names));
    ts_str_addf(page->out, ".</b> %s", words->meaning);
    if (words->after_share) {
      ts_answer_add_share(page->out);
      ts_str_add(page->out, words->after_share);
    }
    ts_str_add(page->out, "</dd>\n");
  }
}

/* What each class means, with its members. */
static void add_reading(struct ts_page *page, const struct effects *effects, int heading) {
  ts_str_addf(page->out, "<div>\n<h%d>How to read it</h%d>\n<dl>\n", heading, heading);
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) add_class(page, effects, &classes[i]);
  ts_page_add_findings(page, &effects->view->findings, TS_FINDING_NONE); /* what is below the share is negligible */
  if (*effects->view->assumes) {
    ts_auto(ts_str_release) struct ts_str text = {0};
    ts_add_sentence(&text, effects->view->assumes);
    ts_html_addf(page->out, "<dt>Assumes</dt><dd>%s</dd>\n", ts_str_get(&text));
  }
  ts_str_add(page->out, "</dl>\n</div>\n");
}

void ts_page_morris_plane(struct ts_page *page, const struct ts_view *view) {
  struct effects effects;
  read_effects(page, view, &effects);
  add_scatter(page, &effects);
}

void ts_page_morris(struct ts_page *page, const struct ts_view *view, int heading) {
  struct effects effects;
  read_effects(page, view, &effects);
  add_scatter(page, &effects);
  add_reading(page, &effects, heading);
}
