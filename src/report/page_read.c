/* Reading the result object for the page: tolerant of missing fields, since old results are rendered again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/page_int.h"

#include "base/json.h"
#include "report/text.h"
#include "report/views_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct ts_look looks[] = {
    {"influential", "#0072B2", TS_SHAPE_CIRCLE},
    {"interacting", "#D55E00", TS_SHAPE_TRIANGLE},
    {"negligible", "#6B7280", TS_SHAPE_SQUARE},
    {"unknown", "#6B7280", TS_SHAPE_CIRCLE},
};

const struct ts_look *ts_effect_look(const char *class_name) {
  size_t count = sizeof looks / sizeof *looks;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(looks[i].name, class_name) == 0) return &looks[i];
  }
  return &looks[count - 1];
}

const char *ts_result_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

double ts_result_number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

double ts_result_count(const json_t *object, const char *key) {
  double number = ts_result_number(object, key);
  return isnan(number) ? 0 : number;
}

const json_t *ts_result_list(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_array(value) && json_array_size(value) > 0 ? value : NULL;
}

const char *ts_page_over_tiles(struct ts_page *page, const json_t *output, const char *notes) {
  const char *over = ts_result_text(output, "over_tiles"), *text = "";
  if (strcmp(over, "pool") == 0) over = "pooled";
  if (strcmp(over, "weighted") == 0) over = "weighted mean";
  if (*over) text = ts_arena_printf(&page->arena, "%s over tiles", over);
  const json_t *list = ts_result_list(output, notes);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *note = json_string_value(json_array_get(list, i));
    if (note) text = ts_arena_printf(&page->arena, "%s%s%s", text, *text ? "; " : "", note);
  }
  return text;
}

void ts_result_print(const json_t *value, struct ts_str *out) {
  char number[TS_NUMBER_SIZE];
  if (json_is_number(value)) {
    ts_str_add(out, ts_format_number(json_number_value(value), 4, number));
  } else if (json_is_string(value)) {
    ts_str_add(out, json_string_value(value));
  } else if (!value || json_is_null(value)) {
    ts_str_add(out, ts_format_number(NAN, 3, number));
  } else {
    char *text = ts_json_dump(value, false, false);
    ts_str_add(out, text);
    free(text);
  }
}

static int by_mu_star(const void *a, const void *b) {
  const struct ts_effect *x = a, *y = b;
  double p = isnan(x->mu_star) ? -1 : x->mu_star, q = isnan(y->mu_star) ? -1 : y->mu_star;
  if (p != q) return p < q ? 1 : -1;
  return strcmp(x->name, y->name); /* qsort is not stable */
}

static void read_effects(struct ts_page *page, const json_t *output, struct ts_effects *effects) {
  const json_t *indices = ts_result_list(output, "indices");
  size_t count = json_array_size(indices);
  *effects = (struct ts_effects){.name = ts_result_text(output, "name"),
                                 .over_tiles = ts_page_over_tiles(page, output, "notes"),
                                 .unsettled = ts_result_list(output, "unsettled")};
  effects->items = ts_arena_array(&page->arena, count + 1, sizeof *effects->items);
  for (size_t i = 0; i < count; i++) {
    const json_t *index = json_array_get(indices, i);
    effects->items[effects->count++] = (struct ts_effect){.name = ts_result_text(index, "name"),
                                                          .class_name = ts_result_text(index, "class"),
                                                          .look = ts_effect_look(ts_result_text(index, "class")),
                                                          .mu = ts_result_number(index, "mu"),
                                                          .mu_star = ts_result_number(index, "mu_star"),
                                                          .sigma = ts_result_number(index, "sigma"),
                                                          .low = ts_result_number(index, "lo"),
                                                          .high = ts_result_number(index, "hi"),
                                                          .count = ts_result_count(index, "n")};
  }
  qsort(effects->items, effects->count, sizeof *effects->items, by_mu_star);
}

/* Outputs without indices (of a plain run) are no effects. */
static void read_outputs(struct ts_page *page) {
  const json_t *outputs = ts_result_list(page->result, "outputs");
  size_t count = json_array_size(outputs);
  page->outputs = ts_arena_array(&page->arena, count + 2, sizeof *page->outputs);
  for (size_t i = 0; i < count; i++) {
    const json_t *output = json_array_get(outputs, i);
    if (ts_result_list(output, "indices")) read_effects(page, output, &page->outputs[page->output_count++]);
  }
  if (page->output_count == 0 && ts_result_list(page->result, "indices")) {
    read_effects(page, page->result, &page->outputs[page->output_count++]);
    page->outputs[0].name = "";
  }
}

static size_t stage_length(const char *task) { return strcspn(task, "."); }

size_t ts_page_stage_of(const struct ts_page *page, const char *task) {
  size_t length = stage_length(task);
  for (size_t i = 0; i < page->stage_count; i++) {
    if (strlen(page->stages[i].name) == length && strncmp(page->stages[i].name, task, length) == 0) return i;
  }
  return page->stage_count;
}

static void add_stage(struct ts_page *page, const char *task, size_t capacity) {
  if (!*task || page->stage_count == capacity || ts_page_stage_of(page, task) < page->stage_count) return;
  struct ts_look *stage = &page->stages[page->stage_count];
  stage->name = ts_arena_strndup(&page->arena, task, stage_length(task));
  stage->colour = ts_colour_get(page->stage_count++);
}

/* All stages, in the order of the workflow as far as the result tells it. */
static void read_stages(struct ts_page *page) {
  const json_t *by_task = ts_result_list(page->result, "by_task"), *timeline = ts_result_list(page->result, "timeline");
  size_t capacity = json_array_size(by_task) + 64;
  page->stages = ts_arena_array(&page->arena, capacity + 1, sizeof *page->stages);
  for (size_t i = 0; i < json_array_size(by_task); i++) {
    add_stage(page, ts_result_text(json_array_get(by_task, i), "stage"), capacity);
  }
  for (size_t i = 0; i < json_array_size(timeline); i++) {
    add_stage(page, ts_result_text(json_array_get(timeline, i), "task"), capacity);
  }
}

void ts_page_read(struct ts_page *page) {
  ts_page_read_views(page);
  if (page->view_count == 0) read_outputs(page);
  read_stages(page);
}

void ts_page_add_method(const struct ts_page *page, struct ts_str *out) {
  const json_t *method = json_object_get(page->result, "method");
  char number[TS_NUMBER_SIZE];
  if (strcmp(ts_result_text(method, "name"), "morris") == 0) {
    ts_str_add(out, "Morris");
  } else {
    ts_str_add(out, *ts_result_text(method, "name") ? ts_result_text(method, "name") : "unknown method");
  }
  double trajectories = ts_result_number(method, "trajectories"), runs = ts_result_number(method, "runs");
  if (!isnan(trajectories)) ts_str_addf(out, ", %s trajectories", ts_format_number(trajectories, 3, number));
  if (!isnan(runs)) ts_str_addf(out, ", %s runs", ts_format_number(runs, 3, number));
  double confidence = ts_result_number(method, "confidence");
  if (!isnan(confidence)) ts_str_addf(out, "; %s intervals", ts_format_percent(confidence, number));
}
