/* The table of samplers: one file each, found by name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/points.h"

#include "base/alloc.h"
#include "base/str.h"

#include <string.h>

#define MAX_SAMPLERS 64

/* One line here and one in the table per sampler; the order is that of the help text. */
extern const struct ts_sampler ts_sampler_mc;
extern const struct ts_sampler ts_sampler_lhs;
extern const struct ts_sampler ts_sampler_halton;
extern const struct ts_sampler ts_sampler_sobol_sequence;
extern const struct ts_sampler ts_sampler_grid;
extern const struct ts_sampler ts_sampler_saltelli;
extern const struct ts_sampler ts_sampler_sobol;
extern const struct ts_sampler ts_sampler_morris;
extern const struct ts_sampler ts_sampler_fast;
extern const struct ts_sampler ts_sampler_dgsm;

const struct ts_sampler *const ts_samplers[] = {
    &ts_sampler_mc,
    &ts_sampler_lhs,
    &ts_sampler_halton,
    &ts_sampler_sobol_sequence,
    &ts_sampler_grid,
    &ts_sampler_saltelli,
    &ts_sampler_sobol,
    &ts_sampler_morris,
    &ts_sampler_fast,
    &ts_sampler_dgsm,
    NULL,
};

const struct ts_sampler *ts_sampler_find(const char *name, struct ts_error *err) {
  const char *names[MAX_SAMPLERS];
  size_t count = 0;
  for (; ts_samplers[count] && count < MAX_SAMPLERS; count++) {
    if (strcmp(ts_samplers[count]->name, name) == 0) return ts_samplers[count];
    names[count] = ts_samplers[count]->name;
  }
  ts_fail(err, TS_ERR_BAD_VALUE, "there is no sampler '%s'", name);
  if (strcmp(name, "vbd") == 0) {
    ts_error_help(err, "did you mean 'saltelli' (the design of the analysis 'vbd'), or 'sobol' (the same with pairs)?");
    return NULL;
  }
  const char *near = ts_nearest_word(name, names, count);
  if (near) {
    ts_error_help(err, "did you mean '%s'?", near);
    return NULL;
  }
  ts_auto(ts_str_release) struct ts_str list = {0};
  for (size_t i = 0; i < count; i++) ts_str_addf(&list, "%s%s", i ? ", " : "", names[i]);
  ts_error_help(err, "use one of: %s", ts_str_get(&list));
  return NULL;
}
