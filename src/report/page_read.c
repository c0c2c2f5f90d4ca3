/* Reading the result object for the page: missing fields and fields of a wrong type read as unknown.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/page_int.h"

#include "base/alloc.h"
#include "base/json.h"
#include "report/text.h"
#include "report/views_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* For people; a unit that the report does not know is shown as it is. */
static const char *unit_symbol(const char *unit) {
  if (strcmp(unit, "um") == 0) return "µm";
  return strcmp(unit, "um2") == 0 ? "µm²" : unit;
}

const char *ts_page_parameter(struct ts_page *page, const char *name) {
  const json_t *list = ts_result_list(page->result, "params");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *parameter = json_array_get(list, i);
    const char *unit = ts_result_text(parameter, "unit");
    if (*unit && strcmp(ts_result_text(parameter, "name"), name) == 0)
      return ts_arena_printf(&page->arena, "%s (%s)", name, unit_symbol(unit));
  }
  return name;
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
    ts_auto_free char *text = ts_json_dump(value, false, false);
    ts_str_add(out, text);
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

/* All stages, in the order of the workflow as far as the result has it. */
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
  read_stages(page);
}
