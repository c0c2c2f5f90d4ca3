/* What an analysis takes from the file beside its design, and whether the two agree with what was asked.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/analyse_int.h"

#include "base/alloc.h"

#include <string.h>

/* The method that `sample` proposes; the design is made for it. */
static const char *first_method(struct analysis *a) {
  json_t *list = ts_fitting_analyses(a->origin.layout);
  const char *name = json_string_value(json_array_get(list, 0));
  name = name ? ts_arena_strdup(&a->arena, name) : NULL;
  json_decref(list);
  return name;
}

void ts_analysis_take_origin(struct analysis *a) {
  struct ts_request *own = &a->own;
  if (!own->design || strcmp(own->design, "-") == 0) return;
  a->has_origin = ts_origin_read(&a->origin, ts_request_path(own, &a->arena, own->design), &a->arena);
  if (!a->has_origin) return;
  if (!own->space) own->space = ts_origin_path(own->design, &a->arena);
  if (!own->method) own->method = first_method(a);
  if (own->levels == 0) own->levels = a->origin.levels;
  if (own->harmonics == 0) own->harmonics = a->origin.harmonics;
  if (!(own->step > 0)) own->step = a->origin.step;
}

static bool complain(struct analysis *a, struct ts_error *err) {
  ts_error_place(err, a->origin.path, 0, 0, NULL);
  return ts_issues_fault(a->issues, err);
}

static bool fail_method(struct analysis *a) {
  struct ts_error err = {0};
  ts_auto(ts_str_release) struct ts_str others = {0};
  json_t *list = ts_fitting_analyses(a->origin.layout);
  for (size_t i = 0; a->origin.layout != TS_LAYOUT_FREE && i < json_array_size(list); i++)
    ts_str_addf(&others, "%s%s", i > 0 ? ", " : "", json_string_value(json_array_get(list, i)));
  json_decref(list);
  ts_add_free_analyses(&others);
  ts_fail(&err, TS_ERR_WRONG_DESIGN, "'%s' was drawn with '%s' (%s), but '%s' needs a %s", a->request->design,
          a->origin.method, a->origin.title, a->method->name, ts_layout_design(a->method->layouts[0]));
  ts_error_help(&err, "for this design use --method %s; '%s' needs the rows of: tessera sample --method %s",
                ts_str_get(&others), a->method->name, ts_layout_sampler(a->method->layouts[0]));
  return complain(a, &err);
}

bool ts_analysis_check_origin(struct analysis *a) {
  char digest[TS_SPACE_DIGEST_SIZE];
  if (!a->has_origin) return true;
  if (!ts_method_takes(a->method, a->origin.layout)) return fail_method(a);
  bool is_kept = strcmp(a->request->space, ts_origin_path(a->request->design, &a->arena)) == 0;
  ts_space_file_digest(&a->file, digest);
  if (is_kept || strcmp(digest, a->origin.space_digest) == 0) return true;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_WRONG_DESIGN, "'%s' was not drawn from the space of '%s' as it is now", a->request->design,
          a->request->space);
  ts_error_help(
      &err,
      "leave --space out: the space that it was drawn from is kept in '%s'. If that file is of another design, "
      "remove it",
      ts_origin_path(a->request->design, &a->arena));
  return complain(a, &err);
}

json_t *ts_analysis_origin_json(const struct analysis *a) {
  if (!a->has_origin) return NULL;
  return json_pack("{s:s, s:s, s:I}", "method", a->origin.method, "title", a->origin.title, "seed",
                   (json_int_t)a->origin.seed);
}

void ts_analysis_compare_origin(struct analysis *a) {
  char known[32], found[32];
  if (!a->has_origin || a->origin.run_count == a->row_count) return;
  ts_issues_warn(a->issues,
                 "'%s' has %s rows, but the file beside it says that %s were drawn: if it is of another design, remove "
                 "'%s'",
                 a->request->design, ts_format_count(a->row_count, found), ts_format_count(a->origin.run_count, known),
                 ts_origin_path(a->request->design, &a->arena));
}
