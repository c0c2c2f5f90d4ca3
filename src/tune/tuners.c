/* The tuners: all of them, and how to find one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tune/tuner.h"

#include "base/str.h"

#include <string.h>

extern const struct ts_tuner ts_tuner_auto;
extern const struct ts_tuner ts_tuner_ceal;
extern const struct ts_tuner ts_tuner_al;
extern const struct ts_tuner ts_tuner_alph;
extern const struct ts_tuner ts_tuner_geist;
extern const struct ts_tuner ts_tuner_tpe;
extern const struct ts_tuner ts_tuner_genetic;
extern const struct ts_tuner ts_tuner_pro;
extern const struct ts_tuner ts_tuner_nelder_mead;
extern const struct ts_tuner ts_tuner_rs;

const struct ts_tuner *const ts_tuners[] = {
    &ts_tuner_auto, &ts_tuner_ceal,    &ts_tuner_al,  &ts_tuner_alph,        &ts_tuner_geist,
    &ts_tuner_tpe,  &ts_tuner_genetic, &ts_tuner_pro, &ts_tuner_nelder_mead, &ts_tuner_rs,
    NULL,
};

#define MAX_WORDS 64 /* names that can be proposed */

static void list_names(struct ts_str *list) {
  for (size_t i = 0; ts_tuners[i]; i++) {
    if (i > 0) ts_str_add(list, ", ");
    ts_str_add(list, ts_tuners[i]->name);
  }
}

const struct ts_tuner *ts_tuner_find(const char *name, struct ts_error *err) {
  const char *words[MAX_WORDS] = {NULL};
  size_t count = 0;
  for (size_t i = 0; ts_tuners[i]; i++) {
    if (strcmp(ts_tuners[i]->name, name) == 0) return ts_tuners[i];
    if (count < MAX_WORDS) words[count++] = ts_tuners[i]->name;
  }
  ts_fail(err, TS_ERR_USAGE, "there is no tuner '%s'", name);
  const char *near = ts_nearest_word(name, words, count);
  if (near) {
    ts_error_help(err, "did you mean '%s'?", near);
  } else {
    struct ts_str list = {0};
    list_names(&list);
    ts_error_help(err, "tuners: %s", ts_str_get(&list));
    ts_str_release(&list);
  }
  return NULL;
}
