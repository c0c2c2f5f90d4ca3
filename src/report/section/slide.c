/* 'Where on the slide': a map and a table of the tiles, and further pictures.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/page_int.h"

#include "base/alloc.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

#define MAX_MAP_TILES  4000
#define MAX_TABLE_ROWS 250
#define MAX_MAPS       4
#define MAX_COLUMNS    12

/* The names of the values that tiles have, from the first tile that has any. */
static size_t value_names(const json_t *tiles, const char **names) {
  for (size_t i = 0; i < json_array_size(tiles); i++) {
    json_t *values = json_object_get(json_array_get(tiles, i), "values");
    size_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach(values, key, value) {
      if (count < MAX_COLUMNS) names[count++] = key;
    }
    if (count > 0) return count;
  }
  return 0;
}

static double tile_value(const json_t *tile, const char *name) {
  return ts_result_number(json_object_get(tile, "values"), name);
}

/* The tiles of one file, appended; `next` is moved behind them. Tiles of a file are neighbours. */
static size_t take_file(const json_t *tiles, size_t *next, const char *name, struct ts_tile_cell *cells) {
  const char *file = ts_result_text(json_array_get(tiles, *next), "file");
  size_t count = 0;
  for (; *next < json_array_size(tiles); ++*next) {
    const json_t *tile = json_array_get(tiles, *next);
    if (strcmp(ts_result_text(tile, "file"), file) != 0) break;
    double x = ts_result_count(tile, "x"), y = ts_result_count(tile, "y");
    if (count < MAX_MAP_TILES) cells[count++] = (struct ts_tile_cell){x, y, tile_value(tile, name)};
  }
  return count;
}

/* "; objects cut at tile edges" where that holds for the output. */
static void add_notes(struct ts_page *page, const char *name) {
  const json_t *outputs = ts_result_list(page->result, "outputs");
  for (size_t i = 0; i < json_array_size(outputs); i++) {
    const json_t *output = json_array_get(outputs, i), *notes = ts_result_list(output, "notes");
    if (strcmp(ts_result_text(output, "name"), name) != 0) continue;
    for (size_t n = 0; n < json_array_size(notes); n++) {
      const char *note = json_string_value(json_array_get(notes, n));
      ts_html_addf(page->out, "; %s", note ? note : "");
    }
    return;
  }
}

static void add_map(struct ts_page *page, const char *file, const char *name, const struct ts_tiles *tiles) {
  ts_auto(ts_str_release) struct ts_str label = {0};
  ts_str_addf(&label, "Map of %zu tiles of %s, coloured by %s from dark blue (low) to yellow (high).", tiles->count,
              file, name);
  ts_str_add(page->out, "<figure>\n");
  ts_page_chart(page, &(struct ts_chart){ts_str_get(&label), tiles, ts_draw_tiles}, TS_CHART_HALF_PX);
  ts_html_addf(page->out, "<figcaption>%s of each tile of <code>%s", name, file);
  bool has_runs = json_array_size(ts_result_list(page->result, "runs")) > 1;
  ts_str_addf(page->out, "</code>%s", has_runs ? ", mean over the runs" : "");
  add_notes(page, name);
  ts_str_add(page->out, "; the table below has the numbers.</figcaption></figure>\n");
}

static void find_range(const json_t *tiles, const char *name, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (size_t i = 0; i < json_array_size(tiles); i++) {
    double value = tile_value(json_array_get(tiles, i), name);
    if (isnan(value)) continue;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
  }
}

/* A map says something only if there is more than one tile. */
static void add_maps(struct ts_page *page, const json_t *tiles, const char *name) {
  struct ts_tiles map = {0};
  find_range(tiles, name, &map.low, &map.high);
  if (!(map.high >= map.low)) return;
  struct ts_tile_cell *cells = ts_arena_array(&page->arena, MAX_MAP_TILES, sizeof *cells);
  map.cells = cells;
  size_t maps = 0;
  for (size_t next = 0; next < json_array_size(tiles) && maps < MAX_MAPS;) {
    const char *file = ts_result_text(json_array_get(tiles, next), "file");
    map.count = take_file(tiles, &next, name, cells);
    if (map.count < 2) continue;
    add_map(page, file, name, &map);
    maps++;
  }
}

static void add_table(struct ts_page *page, const json_t *tiles, const char *const *names, size_t name_count) {
  const char *headers[3 + MAX_COLUMNS] = {"File", "x", "y"};
  char align[4 + MAX_COLUMNS] = "lrr";
  for (size_t i = 0; i < name_count; i++) {
    headers[3 + i] = names[i];
    align[3 + i] = 'r';
  }
  align[3 + name_count] = '\0';
  size_t count = json_array_size(tiles), shown = count > MAX_TABLE_ROWS ? MAX_TABLE_ROWS : count;
  bool collapsed = count > 12;
  char summary[96];
  if (shown < count) {
    snprintf(summary, sizeof summary, "The first %zu of %zu tiles as a table", shown, count);
  } else {
    snprintf(summary, sizeof summary, "All %zu tiles as a table", count);
  }
  struct ts_table table;
  ts_table_open(&table, page, "Values by tile", collapsed ? summary : NULL, headers, align);
  for (size_t i = 0; i < shown; i++) {
    const json_t *tile = json_array_get(tiles, i);
    ts_table_code(&table, ts_result_text(tile, "file"));
    ts_table_number(&table, ts_result_number(tile, "x"));
    ts_table_number(&table, ts_result_number(tile, "y"));
    for (size_t k = 0; k < name_count; k++) ts_table_number(&table, tile_value(tile, names[k]));
  }
  ts_table_close(&table, collapsed);
}

/* Pictures that are not on the first screen. */
static void add_pictures(struct ts_page *page) {
  for (size_t i = 0; i < page->picture_count; i++) {
    const struct ts_report_picture *picture = &page->pictures[i];
    if (!ts_page_is_first_picture(page, picture)) ts_page_picture(page, picture);
  }
}

void ts_page_slide(struct ts_page *page) {
  const json_t *tiles = ts_result_list(page->result, "tiles");
  bool other_pictures = false;
  for (size_t i = 0; i < page->picture_count; i++)
    other_pictures = other_pictures || !ts_page_is_first_picture(page, &page->pictures[i]);
  if (!tiles && !other_pictures) return;
  ts_page_section_open(page, "Where on the slide");
  const char *names[MAX_COLUMNS];
  size_t name_count = value_names(tiles, names);
  ts_str_add(page->out, "<div class=\"pair\">\n");
  if (name_count > 0) add_maps(page, tiles, names[0]);
  add_pictures(page);
  ts_str_add(page->out, "</div>\n");
  if (name_count > 0) add_table(page, tiles, names, name_count);
  ts_page_section_close(page);
}
