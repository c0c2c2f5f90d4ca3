/* Reads, checks and applies the pixel sizes and levels that a manifest gives for single items.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/data/resolution.h"

#include "base/json.h"
#include "base/str.h"
#include "csv/csv.h"
#include "project/data/check_data.h"

#include <math.h>

/* A millimetre: no microscope has larger pixels. */
#define MOST_MPP_UM 1000.0

/* Scanners of one kind differ by less; another objective differs by more. The slack beside it is for rounding: 0.525 in
 * place of 0.5 is just 5 % more. */
#define DIFFERENCE       0.05
#define DIFFERENCE_SLACK 1e-9

static bool is_mpp(double mpp_um) { return mpp_um > 0 && mpp_um <= MOST_MPP_UM; }

/* ---- cells ---- */

bool ts_resolution_read_mpp(const char *cell, struct ts_given_resolution *given, struct ts_error *err) {
  double mpp_um = 0;
  if (ts_parse_double(cell, &mpp_um) && is_mpp(mpp_um)) {
    given->mpp_um = mpp_um;
    return true;
  }
  ts_fail(err, TS_ERR_BAD_VALUE, "'%s' is not a pixel size: '" TS_MPP_COLUMN "' is a number above 0, at most %.0f",
          cell, MOST_MPP_UM);
  ts_error_help(err, "give micrometres per pixel at full resolution, such as 0.25, with a decimal point; for an empty "
                     "cell the file says it");
  return false;
}

/* Programs that keep empty cells as missing numbers write 1.0 for 1. */
bool ts_resolution_read_level(const char *cell, struct ts_given_resolution *given, struct ts_error *err) {
  double level = 0;
  const bool is_whole = ts_parse_double(cell, &level) && level >= 0 && floor(level) == level;
  if (is_whole && level <= INT32_MAX) {
    given->has_level = true;
    given->level = (int32_t)level;
    return true;
  }
  if (is_whole)
    ts_fail(err, TS_ERR_BAD_VALUE, "no file has a level %s", cell);
  else
    ts_fail(err, TS_ERR_BAD_VALUE, "'%s' is not a level: '" TS_LEVEL_COLUMN "' is a whole number, 0 or more", cell);
  ts_error_help(err, "0 is the full resolution; for an empty cell the level of the study is read");
  return false;
}

/* ---- levels ---- */

/* Whether a file can be read, but not at this level. */
static bool lacks_level(const char *path, int32_t level, int32_t *count) {
  struct ts_image_info info = {0};
  struct ts_error at_level = {0}, at_all = {0};
  if (ts_image_inspect(path, level, &info, &at_level) || !ts_image_inspect(path, 0, &info, &at_all)) return false;
  *count = info.level_count;
  return level >= info.level_count;
}

static void report_level(const struct item_facts *facts, size_t item, const char *path, int32_t count,
                         struct ts_issues *issues) {
  struct ts_error err = {0};
  int line = facts->lines[item], column = 1;
  ts_fail(&err, TS_ERR_BAD_IMAGE, "'%s' has %d resolution level%s, not level %d", path, (int)count,
          count == 1 ? "" : "s", (int)facts->given[item].level);
  ts_error_help(&err, "levels count from 0, the full resolution; all images of an item are read at its level");
  ts_csv_locate(facts->manifest, facts->lines[item], facts->level_column, &line, &column);
  ts_error_place(&err, facts->manifest, line, column, NULL);
  ts_issues_fault(issues, &err);
}

void ts_resolution_check_levels(const struct ts_project *project, const struct paths *files,
                                const struct item_facts *facts, struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  for (size_t i = 0; facts->given && facts->manifest && i < facts->item_count; i++) {
    for (size_t k = 0; facts->given[i].level > 0 && k < w->input_count; k++) {
      int32_t count = 0;
      if (i < files[k].count && ts_input_is_image(&w->inputs[k]) &&
          lacks_level(files[k].items[i], facts->given[i].level, &count))
        report_level(facts, i, files[k].items[i], count, issues);
    }
  }
}

int32_t ts_resolution_level(const struct ts_project *project, const struct ts_item *item) {
  return item->given.has_level ? item->given.level : project->study.level;
}

/* ---- pixel sizes ---- */

static bool differs(double mpp_um, double file_um) {
  return fabs(mpp_um - file_um) > DIFFERENCE * file_um * (1 + DIFFERENCE_SLACK);
}

static void compare(const struct ts_item *item, const struct ts_image_info *info, struct size_conflicts *conflicts) {
  if (info->pixel_size.x_um <= 0) return; /* the file does not say */
  const double x_um = info->pixel_size.x_um / info->downsampling_x;
  const double y_um = info->pixel_size.y_um / info->downsampling_y;
  const bool is_x = differs(item->given.mpp_um, x_um);
  if (!is_x && !differs(item->given.mpp_um, y_um)) return;
  if (conflicts->count++ > 0) return;
  conflicts->first = item;
  conflicts->file_um = is_x ? x_um : y_um;
}

void ts_resolution_settle(struct ts_item *item, const struct ts_image_info *info, struct size_conflicts *conflicts) {
  const double mpp_um = item->given.mpp_um;
  item->pixel_size = info->pixel_size;
  if (mpp_um <= 0) return;
  compare(item, info, conflicts);
  /* The same product as for a number of the file (image/open.c): equal numbers give equal keys. */
  item->pixel_size.x_um = info->downsampling_x > 0 ? mpp_um * info->downsampling_x : mpp_um;
  item->pixel_size.y_um = info->downsampling_y > 0 ? mpp_um * info->downsampling_y : mpp_um;
}

void ts_resolution_warn(const struct size_conflicts *conflicts, struct ts_issues *issues) {
  if (conflicts->count == 0) return;
  ts_issues_warn(issues,
                 "the manifest gives '%s' %s micrometres per pixel, but its file says %s (%zu item%s by more than "
                 "5 %%); the manifest's number is used",
                 conflicts->first->name, TS_SIGNIFICANT(conflicts->first->given.mpp_um, 6),
                 TS_SIGNIFICANT(conflicts->file_um, 6), conflicts->count,
                 conflicts->count == 1 ? " differs" : "s differ");
}

/* ---- JSON ---- */

void ts_resolution_write(const struct ts_given_resolution *given, json_t *object) {
  if (given->mpp_um > 0) json_object_set_new(object, TS_MPP_COLUMN, ts_json_real(given->mpp_um));
  if (given->has_level) json_object_set_new(object, TS_LEVEL_COLUMN, json_integer(given->level));
}

bool ts_resolution_restore(const json_t *object, struct ts_given_resolution *given, struct ts_error *err) {
  const json_t *mpp = json_object_get(object, TS_MPP_COLUMN), *level = json_object_get(object, TS_LEVEL_COLUMN);
  const bool is_fit =
      (!mpp || is_mpp(json_number_value(mpp))) &&
      (!level || (json_is_integer(level) && json_integer_value(level) >= 0 && json_integer_value(level) <= INT32_MAX));
  *given = (struct ts_given_resolution){0};
  if (!is_fit) {
    const char *name = json_string_value(json_object_get(object, "name"));
    ts_fail(err, TS_ERR_STORE_FORMAT, "the work order gives '%s' no proper '%s'", name ? name : "",
            mpp && !is_mpp(json_number_value(mpp)) ? TS_MPP_COLUMN : TS_LEVEL_COLUMN);
    ts_error_help(err, "start a new run; if that happens often, check the store with: tessera store verify");
    return false;
  }
  given->mpp_um = json_number_value(mpp);
  given->has_level = level != NULL;
  given->level = (int32_t)json_integer_value(level);
  return true;
}
