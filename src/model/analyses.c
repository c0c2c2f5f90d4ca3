/* Which analyses a design is made for, and what designs are called.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

bool ts_method_takes(const struct ts_method *method, enum ts_layout layout) {
  bool takes = method->layout_count == 0;
  if (layout == TS_LAYOUT_FREE) return takes; /* in the table of a method it means that the rows are looked at */
  for (size_t i = 0; i < method->layout_count; i++) takes = takes || method->layouts[i] == layout;
  return takes;
}

json_t *ts_fitting_analyses(enum ts_layout layout) {
  json_t *list = json_array();
  for (size_t i = 0; ts_methods[i]; i++) {
    bool is_free = ts_methods[i]->layout_count == 0;
    if (is_free != (layout == TS_LAYOUT_FREE) || !ts_method_takes(ts_methods[i], layout)) continue;
    json_array_append_new(list, json_string(ts_methods[i]->name));
  }
  return list;
}

void ts_add_free_analyses(struct ts_str *out) {
  const char *last = NULL;
  for (size_t i = 0; ts_methods[i]; i++) {
    if (ts_methods[i]->layout_count > 0) continue;
    if (last) ts_str_addf(out, "%s%s", out->length > 0 ? ", " : "", last);
    last = ts_methods[i]->name;
  }
  if (last) ts_str_addf(out, "%s%s", out->length > 0 ? " or " : "", last);
}

const char *ts_layout_design(enum ts_layout layout) {
  switch (layout) {
  case TS_LAYOUT_TRAJECTORIES:
  case TS_LAYOUT_RADIAL: return "Morris design";
  case TS_LAYOUT_DERIVATIVE: return "design of derivatives";
  case TS_LAYOUT_FAST: return "FAST design";
  case TS_LAYOUT_SALTELLI_2: return "Saltelli design of second order";
  case TS_LAYOUT_SALTELLI: return "Saltelli design";
  case TS_LAYOUT_FREE: break;
  }
  return "design of independent rows";
}

const char *ts_layout_sampler(enum ts_layout layout) {
  switch (layout) {
  case TS_LAYOUT_TRAJECTORIES:
  case TS_LAYOUT_RADIAL: return "morris";
  case TS_LAYOUT_DERIVATIVE: return "dgsm";
  case TS_LAYOUT_FAST: return "fast";
  case TS_LAYOUT_SALTELLI_2: return "sobol";
  case TS_LAYOUT_SALTELLI: return "saltelli";
  case TS_LAYOUT_FREE: break;
  }
  return "lhs";
}
