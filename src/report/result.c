/* Indices as JSON, in the form of a result object.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/result.h"

#include "base/alloc.h"
#include "base/json.h"

#include <math.h>

/* JSON has no NaN. */
static json_t *index_to_json(const struct ts_morris_index *index, double largest, enum ts_finding finding) {
  json_t *object = json_object();
  json_object_set_new(object, "name", json_string(index->name));
  json_object_set_new(object, "mu", ts_json_real(index->mu));
  json_object_set_new(object, "mu_star", ts_json_real(index->mu_star));
  json_object_set_new(object, "sigma", ts_json_real(index->sigma));
  json_object_set_new(object, "lo", ts_json_real(index->mu_star_low));
  json_object_set_new(object, "hi", ts_json_real(index->mu_star_high));
  json_object_set_new(object, "n", json_integer((json_int_t)index->effect_count));
  const char *name = isnan(index->mu_star) ? "unknown" : ts_effect_class_name(ts_morris_classify(index, largest, 0));
  json_object_set_new(object, "class", json_string(name));
  json_object_set_new(object, "finding", json_string(ts_finding_name(finding)));
  json_object_set_new(object, "mu_lo", ts_json_real(index->mu_low));
  json_object_set_new(object, "mu_hi", ts_json_real(index->mu_high));
  json_object_set_new(object, "mu_star_lo", ts_json_real(index->mu_star_low));
  json_object_set_new(object, "mu_star_hi", ts_json_real(index->mu_star_high));
  json_object_set_new(object, "sigma_lo", ts_json_real(index->sigma_low));
  json_object_set_new(object, "sigma_hi", ts_json_real(index->sigma_high));
  return object;
}

json_t *ts_result_morris_output(const char *name, const char *over_tiles, const struct ts_morris_index *indices,
                                size_t count) {
  json_t *output = json_object(), *list = json_array(), *pairs = json_array();
  double largest = ts_morris_largest(indices, count);
  ts_auto(ts_findings_release) struct ts_findings findings = {0};
  ts_findings_of_morris(&findings, indices, count);
  for (size_t i = 0; i < count; i++) {
    enum ts_finding finding = ts_findings_of_name(&findings, indices[i].name);
    json_array_append_new(list, index_to_json(&indices[i], largest, finding));
  }
  for (size_t i = 0; i + 1 < count; i++) {
    if (!findings.rows[i].is_open) continue;
    json_array_append_new(pairs, json_pack("[ss]", findings.rows[i].name, findings.rows[i + 1].name));
  }
  json_object_set_new(output, "name", json_string(name));
  json_object_set_new(output, "over_tiles", json_string(over_tiles));
  json_object_set_new(output, "indices", list);
  json_object_set_new(output, "unsettled", pairs);
  return output;
}
