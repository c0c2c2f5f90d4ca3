/* The phases of a study in its result object: what each ran, which parameters the screening kept, and why.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"

#include "base/alloc.h"
#include "base/str.h"
#include "report/text.h"
#include "study/study_result.h"

#include <math.h>

static json_t *names_json(const char *const *names, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(names[i]));
  return list;
}

/* "mu* 64 400 (61 200 to 67 900) of compare.table:diff, whose largest is 80 300" */
static json_t *why_json(const struct ts_project *project, const struct ts_candidate *candidate) {
  char value[TS_NUMBER_SIZE], low[TS_NUMBER_SIZE], high[TS_NUMBER_SIZE], most[TS_NUMBER_SIZE];
  const char *output = project->study.outputs[candidate->output].name;
  const struct ts_index *index = &candidate->index;
  if (isinf(candidate->reach)) return json_sprintf("nothing is known about its effect on %s", output);
  return json_sprintf("mu* %s (%s to %s) of %s, whose largest is %s", ts_format_number(index->value, 3, value),
                      ts_format_number(index->low, 3, low), ts_format_number(index->high, 3, high), output,
                      ts_format_number(candidate->largest, 3, most));
}

static json_t *rule_json(const struct ts_keep *keep) {
  ts_auto(ts_str_release) struct ts_str rule = {0};
  if (keep->name_count > 0) return json_string("named by the user");
  ts_str_addf(&rule, "the upper end of the mu* interval reaches %s %% of the largest mu*",
              TS_SIGNIFICANT(100 * keep->share, 6));
  if (keep->most) ts_str_addf(&rule, "; at most %zu parameters", keep->most);
  return json_string(ts_str_get(&rule));
}

/* What the screening decided: kept ones first. */
static void add_decision(const struct ts_project *project, const struct ts_phase *phase, json_t *object) {
  json_t *lists[2] = {json_array(), json_array()}, *why = json_object();
  for (size_t kept = 2; kept-- > 0;) {
    for (size_t i = 0; i < phase->candidate_count; i++) {
      const struct ts_candidate *candidate = &phase->candidates[i];
      if (candidate->kept != (kept == 1)) continue;
      json_array_append_new(lists[kept], json_string(candidate->name));
      json_object_set_new(why, candidate->name, why_json(project, candidate));
    }
  }
  json_object_set_new(object, "rule", rule_json(&project->study.keep));
  json_object_set_new(object, "kept", lists[1]);
  json_object_set_new(object, "dropped", lists[0]);
  json_object_set_new(object, "why", why);
}

static json_t *phase_json(const struct ts_project *project, const struct study_result *r, size_t number) {
  const struct ts_phase *phase = r->found.phases[number];
  const struct ts_strategy *strategy = project->study.methods[number].strategy;
  const struct study_effort *effort = &r->efforts[number];
  const char *name = strategy->phase_name ? strategy->phase_name : "then";
  if (number == 0) name = project->study.phase_count == 1 ? "study" : "screening";
  json_t *object = json_pack("{s:s, s:s}", "name", name, "method", strategy->name);
  json_object_set_new(object, "runs", json_integer((json_int_t)phase->design.row_count));
  json_object_set_new(object, "distinct_runs", json_integer((json_int_t)ts_design_distinct(&phase->design, NULL)));
  json_object_set_new(object, "rounds", json_integer((json_int_t)phase->rounds));
  json_object_set_new(object, "first_run", json_integer((json_int_t)phase->first));
  json_object_set_new(object, "parameters", names_json(phase->design.names, phase->design.column_count));
  json_object_set_new(object, "requested", json_integer((json_int_t)effort->requested));
  json_object_set_new(object, "executed", json_integer((json_int_t)effort->executed));
  json_object_set_new(object, "reused", json_integer((json_int_t)(effort->requested - effort->executed)));
  if (phase->candidates) add_decision(project, phase, object);
  return object;
}

json_t *ts_study_phases_json(const struct ts_project *project, const struct study_result *r) {
  json_t *list = json_array();
  for (size_t p = 0; p < r->found.phase_count; p++) json_array_append_new(list, phase_json(project, r, p));
  return list;
}

json_t *ts_study_until_json(const struct ts_project *project, const struct ts_verdict *verdict) {
  return json_pack("{s:s, s:b, s:I, s:I, s:s}", "text", project->study.until.text, "met", verdict->is_met, "rounds",
                   (json_int_t)verdict->rounds, "blocks", (json_int_t)verdict->blocks, "reason",
                   verdict->reason ? verdict->reason : "");
}
