/* The methods of sensitivity analysis: all of them, and how to find one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "analysis/method.h"

#include "base/alloc.h"
#include "base/str.h"

#include <string.h>

extern const struct ts_method ts_method_morris;
extern const struct ts_method ts_method_vbd;
extern const struct ts_method ts_method_correlation;
extern const struct ts_method ts_method_regression;
extern const struct ts_method ts_method_fast;
extern const struct ts_method ts_method_rbd_fast;
extern const struct ts_method ts_method_pawn;
extern const struct ts_method ts_method_delta;
extern const struct ts_method ts_method_dgsm;
extern const struct ts_method ts_method_given_data;
extern const struct ts_method ts_method_pce;

const struct ts_method *const ts_methods[] = {
    &ts_method_morris, &ts_method_vbd,        &ts_method_correlation, &ts_method_regression,
    &ts_method_fast,   &ts_method_rbd_fast,   &ts_method_pawn,        &ts_method_delta,
    &ts_method_dgsm,   &ts_method_given_data, &ts_method_pce,         NULL,
};

#define MAX_WORDS 64 /* names and aliases that can be proposed */

static bool is_called(const struct ts_method *method, const char *name) {
  return strcmp(method->name, name) == 0 || (method->alias && strcmp(method->alias, name) == 0);
}

static const char *nearest(const char *name) {
  const char *words[MAX_WORDS] = {NULL};
  size_t count = 0;
  for (size_t i = 0; ts_methods[i] && count + 2 <= MAX_WORDS; i++) {
    words[count++] = ts_methods[i]->name;
    if (ts_methods[i]->alias) words[count++] = ts_methods[i]->alias;
  }
  return ts_nearest_word(name, words, count);
}

static void list_names(struct ts_str *list) {
  for (size_t i = 0; ts_methods[i]; i++) {
    if (i > 0) ts_str_add(list, ", ");
    ts_str_add(list, ts_methods[i]->name);
  }
}

const struct ts_method *ts_method_find(const char *name, struct ts_error *err) {
  for (size_t i = 0; ts_methods[i]; i++) {
    if (is_called(ts_methods[i], name)) return ts_methods[i];
  }
  ts_fail(err, TS_ERR_USAGE, "there is no analysis method '%s'", name);
  const char *near = nearest(name);
  if (near) {
    ts_error_help(err, "did you mean '%s'?", near);
  } else {
    ts_auto(ts_str_release) struct ts_str list = {0};
    list_names(&list);
    ts_error_help(err, "methods: %s", ts_str_get(&list));
  }
  return NULL;
}
