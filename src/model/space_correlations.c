/* Which parameters of a space file move together, as rank correlations between pairs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

#define SHAPE "write {\"between\": [\"a\", \"b\"], \"rank\": 0.5}"

struct reader {
  const struct ts_json_doc *doc;
  struct space_file *file;
  struct ts_issues *issues;
};

static bool complain(const struct reader *r, struct ts_error *err, const char *pointer) {
  ts_json_place(err, r->doc, pointer, TS_JSON_VALUE);
  return ts_issues_fault(r->issues, err);
}

/* The parameter that a name in "between" means; TS_NONE with a fault if there is none. */
static size_t find_parameter(const struct reader *r, const json_t *name, const char *pointer) {
  size_t count = r->file->space.count;
  const char *text = json_string_value(name);
  for (size_t i = 0; text && i < count; i++) {
    if (strcmp(r->file->names[i], text) == 0) return i;
  }
  struct ts_error err = {0};
  if (!text) {
    ts_fail(&err, TS_ERR_WRONG_TYPE, "'between' must name two parameters, but it contains %s", ts_json_kind(name));
    ts_error_help(&err, SHAPE);
  } else {
    ts_fail(&err, TS_ERR_UNKNOWN_PARAMETER, "the space has no parameter '%s'", text);
    const char *near = ts_nearest_word(text, r->file->names, count);
    if (near) ts_error_help(&err, "did you mean '%s'?", near);
    ts_error_help(&err, "name one of the parameters of this file");
  }
  complain(r, &err, pointer);
  return TS_NONE;
}

static bool read_pair(const struct reader *r, const json_t *item, const char *pointer) {
  const json_t *between = json_object_get(item, "between"), *rank = json_object_get(item, "rank");
  struct ts_error err = {0};
  double value = json_number_value(rank);
  if (json_array_size(between) != 2 || !json_is_number(rank) || json_object_size(item) != 2) {
    ts_fail(&err, TS_ERR_WRONG_TYPE, "a correlation is given by 'between' (two names) and 'rank' (a number) alone");
    ts_error_help(&err, SHAPE);
    return complain(r, &err, pointer);
  }
  size_t a = find_parameter(r, json_array_get(between, 0), pointer);
  size_t b = find_parameter(r, json_array_get(between, 1), pointer);
  if (a == TS_NONE || b == TS_NONE) return false;
  double *cell = &r->file->correlation[a * r->file->space.count + b];
  if (!(fabs(value) < 1)) {
    ts_fail(&err, TS_ERR_OUTSIDE_DOMAIN, "a rank correlation lies between -1 and 1, but 'rank' is %s",
            TS_SIGNIFICANT(value, 6));
    ts_error_help(&err, "parameters that move together entirely are one parameter, or a group");
    return complain(r, &err, pointer);
  }
  if (*cell != 0) {
    ts_fail(&err, TS_ERR_DUPLICATE_NAME, "the correlation between '%s' and '%s' is %s", r->file->names[a],
            r->file->names[b], a == b ? "always 1" : "given twice");
    ts_error_help(&err, a == b ? "name two different parameters" : "remove one of them");
    return complain(r, &err, pointer);
  }
  *cell = r->file->correlation[b * r->file->space.count + a] = value;
  return true;
}

bool ts_space_correlations_read(const struct ts_json_doc *doc, const json_t *object, const char *object_pointer,
                                struct space_file *file, struct ts_issues *issues) {
  const json_t *list = json_object_get(object, "correlations");
  const char *place = ts_arena_printf(&file->arena, "%s/correlations", object_pointer);
  if (!list) return true;
  const struct reader r = {.doc = doc, .file = file, .issues = issues};
  if (!json_is_array(list)) {
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_WRONG_TYPE, "'correlations' must be a list, but it is %s", ts_json_kind(list));
    ts_error_help(&err, SHAPE);
    return complain(&r, &err, place);
  }
  size_t count = file->space.count;
  file->correlation = ts_arena_array(&file->arena, count * count, sizeof *file->correlation);
  for (size_t i = 0; i < count; i++) file->correlation[i * count + i] = 1;
  bool ok = true;
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *pointer = ts_arena_printf(&file->arena, "%s/%zu", place, i);
    ok = read_pair(&r, json_array_get(list, i), pointer) && ok;
  }
  if (json_array_size(list) == 0) file->correlation = NULL;
  return ok;
}
