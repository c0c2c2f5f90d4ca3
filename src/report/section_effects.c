/* 'What matters': ranked bars, the Morris plane, and the same for every further output.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/page_int.h"

#include "report/text.h"
#include "report/views_int.h"

#include <math.h>
#include <string.h>

#define MU_STAR "\xce\xbc*"
#define SIGMA   "\xcf\x83"

/* "compare.table:diff, sum over tiles" */
static void add_output_name(const struct ts_effects *effects, struct ts_str *out) {
  ts_str_add(out, *effects->name ? effects->name : "the output");
  if (*effects->over_tiles) ts_str_addf(out, " (%s)", effects->over_tiles);
}

static void add_method(const struct ts_page *page, const struct ts_effects *effects, struct ts_str *out) {
  if (effects->view) {
    ts_view_add_method(effects->view, out);
  } else {
    ts_page_add_method(page, out);
  }
}

/* The classes that occur, in the order of their first occurrence. */
static size_t collect_looks(const struct ts_effects *effects, struct ts_look *looks, size_t capacity) {
  size_t count = 0;
  for (size_t i = 0; i < effects->count; i++) {
    bool known = false;
    for (size_t k = 0; k < count; k++) known = known || strcmp(looks[k].name, effects->items[i].look->name) == 0;
    if (!known && count < capacity) looks[count++] = *effects->items[i].look;
  }
  return count;
}

static void add_legend(struct ts_page *page, const struct ts_effects *effects) {
  struct ts_look looks[4];
  ts_page_legend(page, looks, collect_looks(effects, looks, 4));
}

static void add_table(struct ts_page *page, const struct ts_effects *effects) {
  static const char *const headers[] = {"Parameter", MU_STAR, "from", "to", "\xce\xbc", SIGMA, "Effects", "Class"};
  struct ts_table table;
  ts_table_open(&table, page, "Indices by parameter", "Numbers as a table", headers, "lrrrrrrl");
  for (size_t i = 0; i < effects->count; i++) {
    const struct ts_effect *effect = &effects->items[i];
    ts_table_text(&table, effect->name);
    ts_table_number(&table, effect->mu_star);
    ts_table_number(&table, effect->low);
    ts_table_number(&table, effect->high);
    ts_table_number(&table, effect->mu);
    ts_table_number(&table, effect->sigma);
    ts_table_number(&table, effect->count);
    ts_table_text(&table, effect->class_name);
  }
  ts_table_close(&table, true);
}

static void add_bars_label(const struct ts_effects *effects, struct ts_str *out) {
  char number[TS_NUMBER_SIZE];
  ts_str_add(out, "Bar chart of the influence of ");
  ts_str_addf(out, "%zu parameter%s on ", effects->count, effects->count == 1 ? "" : "s");
  add_output_name(effects, out);
  if (effects->count > 0) {
    ts_str_addf(out, "; the largest is %s with mu* %s", effects->items[0].name,
                ts_format_number(effects->items[0].mu_star, 3, number));
  }
  ts_str_add_char(out, '.');
}

void ts_page_bars(struct ts_page *page, const struct ts_effects *effects, double wide_px) {
  struct ts_bar *items = ts_arena_array(&page->arena, effects->count + 1, sizeof *items);
  for (size_t i = 0; i < effects->count; i++) {
    const struct ts_effect *effect = &effects->items[i];
    items[i] = (struct ts_bar){effect->name, effect->mu_star, effect->low, effect->high, effect->look};
  }
  struct ts_bars bars = {.items = items,
                         .count = effects->count,
                         .axis_title = MU_STAR " with its interval \xe2\x86\x92",
                         .wraps = effects->view != NULL};
  struct ts_str label = {0}, caption = {0};
  add_bars_label(effects, &label);
  ts_str_add(page->out, "<figure>\n");
  add_legend(page, effects);
  ts_page_chart(page, &(struct ts_chart){ts_str_get(&label), &bars, ts_draw_bars}, wide_px);
  ts_str_add(&caption, "Ranked influence on ");
  add_output_name(effects, &caption);
  ts_str_add(&caption, ": " MU_STAR ", the mean size of the change when one parameter takes its step. ");
  add_method(page, effects, &caption);
  ts_str_add(&caption, ".");
  if (effects->view) ts_view_add_unsettled(effects->view, &caption);
  ts_str_add(page->out, "<figcaption>");
  ts_html_add(page->out, ts_str_get(&caption));
  ts_str_add(page->out, "</figcaption>\n");
  add_table(page, effects);
  ts_str_add(page->out, "</figure>\n");
  ts_str_release(&label);
  ts_str_release(&caption);
}

void ts_page_scatter(struct ts_page *page, const struct ts_effects *effects) {
  struct ts_point *points = ts_arena_array(&page->arena, effects->count + 1, sizeof *points);
  struct ts_scatter scatter = {.items = points};
  for (size_t i = 0; i < effects->count; i++) {
    const struct ts_effect *effect = &effects->items[i];
    if (isnan(effect->mu_star) || isnan(effect->sigma)) continue;
    points[scatter.count++] =
        (struct ts_point){effect->name, effect->mu_star, effect->sigma, effect->low, effect->high, effect->look};
  }
  if (scatter.count == 0) {
    ts_page_paragraph(page, "Too few runs succeeded to tell how the effects differ from place to place.");
    return;
  }
  struct ts_str label = {0}, caption = {0};
  ts_str_addf(&label,
              "Scatter plot of %zu parameters, mu* to the right and sigma upwards, with lines where sigma is 0.1, "
              "0.5 and 1 times mu*.",
              scatter.count);
  ts_str_add(page->out, "<figure>\n");
  add_legend(page, effects);
  ts_page_chart(page, &(struct ts_chart){ts_str_get(&label), &scatter, ts_draw_scatter}, TS_CHART_HALF_PX);
  add_method(page, effects, &caption);
  ts_str_add(page->out,
             "<figcaption>Size of the effect against how much it differs from place to place. Only the largest "
             "effects are named. ");
  ts_html_add(page->out, ts_str_get(&caption));
  ts_str_add(page->out, ".</figcaption>\n");
  add_table(page, effects);
  ts_str_add(page->out, "</figure>\n");
  ts_str_release(&label);
  ts_str_release(&caption);
}

/* "G1, T1 and T2"; false if there is none of the class. */
static bool add_class_names(const struct ts_effects *effects, const char *class_name, struct ts_str *out) {
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

/* What each class means, with its members. */
void ts_page_reading(struct ts_page *page, const struct ts_effects *effects, int heading) {
  static const struct {
    const char *class_name, *heading, *meaning;
  } classes[] = {
      {"influential", "Influential",
       "Below the line " SIGMA " = 0.5 " MU_STAR
       ": a step has about the same effect wherever the other parameters stand."},
      {"interacting", "Interacting",
       "Above the line " SIGMA " = 0.5 " MU_STAR
       ": the effect depends on where the other parameters stand, or is not linear. Tune these "
       "together."},
      {"negligible", "Negligible",
       "Even the upper end of the interval is below 5 % of the largest " MU_STAR ". Leave these at their defaults."},
      {"unknown", "Unknown", "Too many runs failed to say anything."},
  };
  ts_str_addf(page->out, "<div>\n<h%d>How to read it</h%d>\n<dl>\n", heading, heading);
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    struct ts_str names = {0};
    if (add_class_names(effects, classes[i].class_name, &names)) {
      ts_str_addf(page->out, "<dt>%s</dt><dd><b>", classes[i].heading);
      ts_html_add(page->out, ts_str_get(&names));
      ts_str_addf(page->out, ".</b> %s</dd>\n", classes[i].meaning);
    }
    ts_str_release(&names);
  }
  if (effects->view && *effects->view->assumes) {
    struct ts_str text = {0};
    ts_add_sentence(&text, effects->view->assumes);
    ts_str_add(page->out, "<dt>Assumes</dt><dd>");
    ts_html_add(page->out, ts_str_get(&text));
    ts_str_add(page->out, "</dd>\n");
    ts_str_release(&text);
  }
  ts_str_add(page->out, "</dl>\n</div>\n");
}

void ts_page_effects(struct ts_page *page) {
  if (page->view_count > 0) {
    ts_page_indices(page);
    return;
  }
  if (page->output_count == 0) return;
  ts_page_section_open(page, "What matters");
  const struct ts_effects *first = &page->outputs[0];
  if (first->count > 0 && first->items[0].mu_star == 0) { /* the largest */
    ts_page_paragraph(page,
                      "No change of any parameter changed the output in any run, so there is nothing to compare.");
  } else {
    ts_str_add(page->out, "<div class=\"pair\">\n");
    ts_page_scatter(page, first);
    ts_page_reading(page, first, 3);
    ts_str_add(page->out, "</div>\n");
  }
  if (page->output_count > 1) {
    ts_str_add(page->out, "<h3>Other outputs</h3>\n<div class=\"pair\">\n");
    for (size_t i = 1; i < page->output_count; i++) ts_page_bars(page, &page->outputs[i], TS_CHART_HALF_PX);
    ts_str_add(page->out, "</div>\n");
  }
  ts_page_section_close(page);
}
