/* The reply of `tune --table`: the table, and per tuner means and standard errors over the seeds, and every seed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/order.h"
#include "study/tune_table_int.h"

#include <math.h>

/* Mean and standard error of one number of every seed; seeds without it (NaN) do not count. */
struct moments {
  double mean, se;
  size_t count;
};

static struct moments moments_of(const struct replayed *results, size_t count, size_t offset) {
  struct moments m = {.mean = NAN, .se = NAN};
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++) {
    double value = *(const double *)((const char *)&results[i] + offset);
    if (!isfinite(value)) continue;
    sum += value;
    m.count++;
  }
  if (m.count == 0) return m;
  m.mean = sum / (double)m.count;
  for (size_t i = 0; i < count; i++) {
    double value = *(const double *)((const char *)&results[i] + offset);
    if (isfinite(value)) squares += (value - m.mean) * (value - m.mean);
  }
  if (m.count > 1) m.se = sqrt(squares / (double)(m.count - 1) / (double)m.count);
  return m;
}

#define MOMENTS(member) moments_of(results, job->seed_count, offsetof(struct replayed, member))

static json_t *moments_json(struct moments m) {
  return json_pack("{s:o, s:o, s:I}", "mean", ts_json_real(m.mean), "se", ts_json_real(m.se), "seeds",
                   (json_int_t)m.count);
}

/* The median: seeds that never pay off count as infinite, and a mean would be. */
static double median_uses(const struct replayed *results, size_t count) {
  ts_auto_free double *uses = ts_calloc(count + 1, sizeof *uses);
  for (size_t i = 0; i < count; i++) {
    if (isnan(results[i].least_uses)) return NAN;
    uses[i] = results[i].least_uses;
  }
  qsort(uses, count, sizeof *uses, ts_compare_doubles);
  return count == 0 ? NAN : (uses[(count - 1) / 2] + uses[count / 2]) / 2;
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
  bool uses_history = job->s->request->history && (tuner->flags & TS_TUNER_COMPONENTS);
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
  json_object_set_new(object, "least_uses", ts_json_real(median_uses(results, job->seed_count)));
  for (size_t i = 0; i < job->seed_count; i++) json_array_append_new(per_seed, seed_json(job, i, &results[i]));
  json_object_set_new(object, "per_seed", per_seed);
  return object;
}

static json_t *component_recall_json(const struct replaying *job) {
  double recall[TUNE_COMPONENT_RECALLS];
  json_t *list = json_array();
  ts_replaying_component_recall(job, recall);
  for (size_t n = 0; n < TUNE_COMPONENT_RECALLS; n++) json_array_append_new(list, ts_json_real(recall[n]));
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
  json_object_set_new(object, "table", json_string(job->s->request->table));
  json_object_set_new(object, "objective", json_string(job->objective));
  json_object_set_new(object, "better", json_string(job->maximise ? "high" : "low"));
  json_object_set_new(object, "parameters", parameters);
  json_object_set_new(object, "components", components);
  if (job->component_count > 0) json_object_set_new(object, "combine", json_string(combines[job->goal.combine]));
  if (job->component_outputs) json_object_set_new(object, "component_recall", component_recall_json(job));
  json_object_set_new(object, "pool", ts_json_count(job->pool));
  json_object_set_new(object, "failed", ts_json_count(job->workflow.failed_count));
  json_object_set_new(object, "best", ts_json_real(job->best));
  json_object_set_new(object, "expert", ts_json_real(job->expert));
  json_object_set_new(object, "first_seed", ts_json_count(job->first_seed));
  json_object_set_new(object, "confirmation", json_boolean(!job->s->request->no_confirmation));
}
