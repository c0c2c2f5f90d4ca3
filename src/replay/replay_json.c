/* The reply of `tune --table`: the table, and per tuner means and standard errors over the seeds, and every seed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/order.h"
#include "replay/replay.h"
#include "replay/replay_int.h"
#include "tune/components.h"

#include <math.h>

#define MOMENTS(member) ts_replayed_moments(results, job->seed_count, offsetof(struct replayed, member))

static json_t *moments_json(struct moments m) {
  return json_pack("{s:o, s:o, s:I}", "mean", ts_json_real(m.mean), "se", ts_json_real(m.se), "seeds",
                   (json_int_t)m.count);
}

static json_t *seed_json(const struct replaying *job, size_t index, const struct replayed *one) {
  json_t *object = json_object();
  json_object_set_new(object, "seed", ts_json_count(job->first_seed + index));
  json_object_set_new(object, "predicted", ts_json_real(one->predicted));
  json_object_set_new(object, "measured", ts_json_real(one->measured));
  json_object_set_new(object, "recommended", ts_json_real(one->recommended));
  json_object_set_new(object, "confirmed", json_boolean(one->confirmed));
  json_object_set_new(object, "recall_1", ts_json_real(one->recall[0]));
  json_object_set_new(object, "cost", ts_json_real(one->workflow_cost + one->component_cost));
  json_object_set_new(object, "charged", ts_json_real(one->charged));
  json_object_set_new(object, "runs",
                      json_pack("{s:I, s:I, s:I}", "workflow", (json_int_t)one->workflow_runs, "components",
                                (json_int_t)one->component_runs, "failed", (json_int_t)one->failed_runs));
  json_object_set_new(object, "least_uses", ts_json_real(one->least_uses));
  return object;
}

static void add_model(const struct replaying *job, const struct replayed *results, json_t *object) {
  static const char *const errors[] = {"all", "all_unseen", "top2", "top2_unseen"};
  json_t *recall = json_array(), *mdape = json_object();
  for (size_t n = 0; n < TUNE_RECALLS; n++) json_array_append_new(recall, ts_json_real(MOMENTS(recall[n]).mean));
  for (size_t i = 0; i < 4; i++) json_object_set_new(mdape, errors[i], ts_json_real(MOMENTS(mdape[i]).mean));
  json_object_set_new(object, "recall", recall);
  json_object_set_new(object, "mdape", mdape);
}

json_t *ts_replayed_json(const struct replaying *job, const struct ts_tuner *tuner, const struct replayed *results) {
  json_t *object = json_object(), *per_seed = json_array();
  bool uses_history = job->request->history && (tuner->flags & TS_TUNER_COMPONENTS);
  json_object_set_new(object, "algorithm", json_string(tuner->name));
  json_object_set_new(object, "title", json_string(tuner->title));
  json_object_set_new(object, "history", json_boolean(uses_history));
  json_object_set_new(object, "budget", ts_json_real(job->problem.budget));
  json_object_set_new(object, "seeds", ts_json_count(job->seed_count));
  json_object_set_new(object, "charged", ts_json_real(MOMENTS(charged).mean));
  json_object_set_new(object, "normalised_best",
                      json_pack("{s:o, s:o, s:o}", "predicted", moments_json(MOMENTS(predicted)), "measured",
                                moments_json(MOMENTS(measured)), "recommended", moments_json(MOMENTS(recommended))));
  add_model(job, results, object);
  json_object_set_new(object, "cost",
                      json_pack("{s:o, s:o}", "workflow", ts_json_real(MOMENTS(workflow_cost).mean), "components",
                                ts_json_real(MOMENTS(component_cost).mean)));
  json_object_set_new(object, "least_uses", ts_json_real(ts_replayed_median_uses(results, job->seed_count)));
  for (size_t i = 0; i < job->seed_count; i++) json_array_append_new(per_seed, seed_json(job, i, &results[i]));
  json_object_set_new(object, "per_seed", per_seed);
  return object;
}

/* How well the recorded runs of the components, combined, find the best rows: recall of the n best. */
#define COMPONENT_RECALLS 25

static json_t *component_recall_json(const struct replaying *job) {
  size_t rows = job->yard.row_count, parts = job->component_count;
  double recall[COMPONENT_RECALLS];
  ts_auto_free double *scores = ts_calloc(rows + 1, sizeof *scores);
  for (size_t r = 0; r < rows; r++)
    scores[r] = ts_combine_outputs(&job->goal, &job->component_outputs[r * parts], parts);
  ts_yardstick_recall(&job->yard, scores, COMPONENT_RECALLS, recall);
  json_t *list = json_array();
  for (size_t n = 0; n < COMPONENT_RECALLS; n++) json_array_append_new(list, ts_json_real(recall[n]));
  return list;
}

void ts_replaying_describe(const struct replaying *job, json_t *object) {
  static const char *const combines[] = {[TS_COMBINE_MAX] = "max", [TS_COMBINE_SUM] = "sum", [TS_COMBINE_MIN] = "min"};
  json_t *parameters = json_array(), *components = json_array();
  for (size_t c = 0; c < job->space.count; c++)
    json_array_append_new(parameters, json_pack("{s:s, s:I}", "name", job->parameters[c].name, "values",
                                                (json_int_t)job->parameters[c].level_count));
  for (size_t j = 0; j < job->component_count; j++)
    json_array_append_new(components, json_pack("{s:s, s:I, s:I}", "name", job->component_names[j], "rows",
                                                (json_int_t)job->components[j].row_count, "parameters",
                                                (json_int_t)job->components[j].column_count));
  json_object_set_new(object, "table", json_string(job->request->table));
  json_object_set_new(object, "objective", json_string(job->objective));
  json_object_set_new(object, "better", json_string(job->yard.maximise ? "high" : "low"));
  json_object_set_new(object, "parameters", parameters);
  json_object_set_new(object, "components", components);
  if (job->component_count > 0) json_object_set_new(object, "combine", json_string(combines[job->goal.combine]));
  if (job->component_outputs) json_object_set_new(object, "component_recall", component_recall_json(job));
  json_object_set_new(object, "pool", ts_json_count(job->yard.pool));
  json_object_set_new(object, "failed", ts_json_count(job->workflow.failed_count));
  json_object_set_new(object, "best", ts_json_real(job->yard.best));
  json_object_set_new(object, "expert", ts_json_real(job->yard.expert));
  json_object_set_new(object, "first_seed", ts_json_count(job->first_seed));
  json_object_set_new(object, "confirmation", json_boolean(!job->request->no_confirmation));
}

json_t *ts_tuner_list(void) {
  json_t *list = json_array();
  for (size_t i = 0; ts_tuners[i]; i++) {
    const struct ts_tuner *tuner = ts_tuners[i];
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:s, s:b, s:b}", "name", tuner->name, "title", tuner->title, "help",
                                    tuner->help, "needs_components", (tuner->flags & TS_TUNER_COMPONENTS) != 0,
                                    "several_goals", (tuner->flags & TS_TUNER_ONE_GOAL) == 0));
  }
  return list;
}
