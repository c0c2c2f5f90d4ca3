/* Plans a study or run without running it: the same design and planner, and a look into the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "api/plan_int.h"
#include "project/check_data.h"
#include "work/bucketing.h"
#include "work/engine.h"
#include "work/planning.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"

/* With buckets, the tasks that they execute; the store is not looked at then. */
static void add_by_task(const struct session *s, const struct ts_plan *plan, const struct ts_run_forecast *f,
                        const struct ts_bucketing *grouping, json_t *object) {
  json_t *list = json_array();
  uint64_t sum[5] = {0};
  for (size_t t = 0; t < s->workflow->task_count; t++) {
    const struct ts_task *task = &s->workflow->tasks[t];
    const struct ts_stage *stage = &s->workflow->stages[task->stage];
    if (!plan->active[t]) continue;
    uint64_t units = ts_dataset_units(&s->dataset, stage->scope);
    uint64_t row[5] = {plan->counts[t].requested * units, plan->counts[t].stage_reused * units,
                       plan->counts[t].task_reused * units, f->stored[t], f->execute[t]};
    if (grouping->wanted) {
      row[3] = 0;
      row[4] = grouping->buckets.executed[t] * units;
      row[2] = row[0] - row[1] - row[4];
    }
    for (size_t i = 0; i < 5; i++) sum[i] += row[i];
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "stage", stage->name, "task", task->name,
                                    "requested", (json_int_t)row[0], "stage_reused", (json_int_t)row[1], "task_reused",
                                    (json_int_t)row[2], "store", (json_int_t)row[3], "executed", (json_int_t)row[4]));
  }
  json_object_set_new(object, "requested", ts_json_count(sum[0]));
  json_object_set_new(object, "executed", ts_json_count(sum[4]));
  json_object_set_new(object, "reuse",
                      json_pack("{s:I, s:I, s:n, s:I}", "stage", (json_int_t)sum[1], "task", (json_int_t)sum[2],
                                "cutoff", "store", (json_int_t)sum[3]));
  json_object_set_new(object, "by_task", list);
}

/* One run is planned for a bare workflow, and where the request has options of `run` alone. */
static bool is_single(const struct session *s) {
  const struct ts_request *r = s->request;
  return r->single || s->study.is_bare_workflow || r->parameter_count > 0 || r->only_stage;
}

/* The comparison and the picture, where the request asks for them. */
static bool add_more(const struct ts_bucketing *grouping, struct session *s, const struct ts_plan *plan,
                     const struct parameter_sets *sets, double plan_s, json_t *object) {
  struct plan_picture *picture = ts_plan_picture_create(s, plan, &grouping->options);
  bool ok = ts_session_ok(s);
  if (ok && s->request->compare) ok = ts_plan_compare(grouping, s, plan, sets, plan_s, picture, object);
  if (ok && picture && !s->request->compare)
    ts_plan_picture_add(picture, &grouping->options, &grouping->buckets, grouping->forecasts);
  if (ok && picture) ok = ts_plan_picture_write(picture, s);
  if (ok && picture) json_object_set_new(object, "picture", json_string(ts_session_path(s, s->request->picture)));
  ts_plan_picture_destroy(picture);
  return ok;
}

static bool forecast(struct session *s, const struct parameter_sets *sets, json_t *object) {
  size_t wanted_count = 0;
  struct ts_source *wanted = is_single(s) ? ts_session_all_products(s, sets->values, NULL, &wanted_count)
                                          : ts_session_study_products(s, &wanted_count);
  uint64_t start_ns = ts_clock_process_cpu_ns();
  struct ts_plan *plan = ts_session_plan(s, sets->values, sets->count, wanted, wanted_count, false);
  if (!plan) return false;
  double plan_s = (double)(ts_clock_process_cpu_ns() - start_ns) / 1e9;
  struct ts_bucketing grouping;
  if (!ts_bucketing_init(&grouping, s, plan)) {
    ts_plan_destroy(plan);
    return false;
  }
  double planning_s = (double)(ts_clock_process_cpu_ns() - start_ns) / 1e9;
  struct ts_run_options options = ts_engine_options(s);
  struct ts_run_forecast f;
  struct ts_error err = {0};
  bool ok = true;
  if (s->store && !grouping.wanted)
    ok = ts_run_forecast(plan, &s->dataset, &options, &f, &err);
  else
    ts_run_forecast_all(plan, &s->dataset, &f);
  if (ok) {
    add_by_task(s, plan, &f, &grouping, object);
    json_object_set_new(object, "merge", json_string(ts_merge_name(plan->options.merge)));
    json_object_set_new(object, "reference",
                        json_pack("{s:I, s:I, s:I}", "requested",
                                  (json_int_t)f.reference_execute + (json_int_t)f.reference_stored, "executed",
                                  (json_int_t)f.reference_execute, "store", (json_int_t)f.reference_stored));
    json_object_set_new(object, "planning_s", json_real(planning_s));
    ts_bucketing_reply(&grouping, s, plan, object);
    ok = add_more(&grouping, s, plan, sets, plan_s, object);
  } else {
    ts_session_fault(s, &err);
  }
  ts_run_forecast_release(&f);
  ts_bucketing_release(&grouping);
  ts_plan_destroy(plan);
  return ok;
}

/* The second phase is known in full only where the user names its parameters. */
static json_t *second_phase(struct session *s) {
  const struct study_method *method = &s->study.methods[1];
  const struct study_keep *keep = &s->study.keep;
  bool named = keep->name_count > 0;
  struct parameter_sets sets = {0};
  json_t *object =
      json_pack("{s:s, s:s, s:s}", "name", "second", "method", ts_study_method_name(method), "depends_on", "screening");
  if (ts_sets_draw(s, method, named ? keep->names : s->study.varied, named ? keep->name_count : s->study.varied_count,
                   0, &sets))
    json_object_set_new(object, named ? "runs" : "runs_most", ts_json_count(sets.count));
  ts_sets_release(&sets);
  return object;
}

/* Describes the runs that follow those counted here. */
static void add_phases(struct session *s, const struct parameter_sets *sets, json_t *object) {
  json_object_set_new(object, "distinct_runs", ts_json_count(ts_design_distinct(&sets->design, NULL)));
  if (s->study.until.text) json_object_set_new(object, "until", json_string(s->study.until.text));
  if (s->study.phase_count < 2) return;
  json_t *first = json_pack("{s:s, s:s, s:I}", "name", "screening", "method",
                            ts_study_method_name(&s->study.methods[0]), "runs", (json_int_t)sets->count);
  json_object_set_new(object, "phases", json_pack("[o, o]", first, second_phase(s)));
}

/* Planning must not create a store: a missing one counts as empty. */
static bool open_existing_store(struct session *s) {
  const char *path = ts_session_path(s, s->request->store ? s->request->store : ".tessera");
  return s->request->no_reuse || !ts_folder_exists(path) || ts_session_open_store(s, true, false);
}

/* A plan needs the rows of a given design alone; a million of them take hundreds of megabytes in either form. Rows
 * borrow strings and lists from the design. */
static void drop_given_design(struct parameter_sets *sets) {
  bool borrows = !sets->is_given || sets->design.row_count == 0;
  for (size_t c = 0; !borrows && c < sets->design.column_count; c++) {
    enum ts_value_type type = sets->design.values[c].type;
    borrows = type == TS_VALUE_STRING || type == TS_VALUE_LIST;
  }
  if (!borrows) ts_design_release(&sets->design);
}

int ts_plan_study(const struct ts_request *request, char **reply) {
  struct session s;
  struct parameter_sets sets = {0};
  ts_session_init(&s, request);
  s.plans_buckets = true;
  json_t *object = ts_reply_new("tessera.plan/1");
  bool is_study = false;
  bool ok = ts_session_read(&s) && open_existing_store(&s) &&
            (!request->picture || ts_check_output_file(&s, ts_session_path(&s, request->picture)));
  if (ok) {
    is_study = !is_single(&s);
    ok = ts_session_open_dataset(&s, is_study) &&
         (is_study || request->design ? ts_sets_of_study(&s, &sets) : ts_sets_single(&s, &sets));
  }
  if (ok) {
    drop_given_design(&sets);
    json_object_set_new(object, "name", json_string(s.study.name));
    json_object_set_new(object, "file", json_string(s.study.path));
    json_object_set_new(object, "runs", ts_json_count(sets.count));
    json_object_set_new(object, "files", ts_json_count(s.dataset.item_count));
    json_object_set_new(object, "tiles", ts_json_count(s.dataset.tile_count));
    forecast(&s, &sets, object);
    if (is_study && !sets.is_given) add_phases(&s, &sets, object);
  }
  int code = ts_reply_finish(&s, object, 0, reply);
  ts_sets_release(&sets);
  ts_work_release(&s);
  ts_session_release(&s);
  return code;
}
