/* `tune --table`: replays recorded measurements with every tuner that was asked for, the same seeds for each.
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay/replay.h"
#include "replay/replay_int.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define DEFAULT_SEEDS 100 /* fewer and the standard errors hide what tuners differ by */

static bool check_request(struct replaying *job) {
  const struct ts_request *r = job->request;
  if (r->objective_count == 0)
    return ts_issues_usage(job->issues, "name the column to tune: --objective COLUMN", "no objective was given");
  if (r->maximise && r->minimise)
    return ts_issues_usage(job->issues, "leave out one of them", "'--maximise' and '--minimise' exclude each other");
  if (r->history && r->component_count == 0)
    return ts_issues_usage(job->issues, "name them: --component NAME=FILE.csv", "'--history' needs components");
  if (r->budget < 0 || (r->budget > 0 && r->budget < 1))
    return ts_issues_usage(job->issues, "a budget is a number of runs, such as 50", "the budget is less than one run");
  job->objective = r->objectives[0];
  job->yard.maximise = r->maximise;
  job->yard.expert = r->has_expert ? r->expert : NAN;
  job->seed_count = r->seeds ? r->seeds : DEFAULT_SEEDS;
  job->first_seed = r->has_first_seed ? r->first_seed : 1;
  return true;
}

static bool takes_tuner(const struct replaying *job, const struct ts_tuner *tuner) {
  return !(tuner->flags & TS_TUNER_COMPONENTS) || job->request->component_count > 0;
}

static bool add_tuner(struct replaying *job, const char *name) {
  struct ts_error err = {0};
  const struct ts_tuner *tuner = ts_tuner_find(name, &err);
  if (!tuner) {
    ts_issues_fault(job->issues, &err);
    return false;
  }
  if (!takes_tuner(job, tuner))
    return ts_issues_usage(job->issues, "name them: --component NAME=FILE.csv", "tuner '%s' needs components",
                           tuner->name);
  for (size_t i = 0; i < job->tuner_count; i++) {
    if (job->tuners[i] == tuner)
      return ts_issues_usage(job->issues, "leave out one of them", "tuner '%s' is named twice", name);
  }
  job->tuners[job->tuner_count++] = tuner;
  return true;
}

/* Names separated by commas; without any the first tuner of the table that can work on this problem. */
static bool choose_tuners(struct replaying *job) {
  const char *names = job->request->algorithm;
  struct ts_arena *arena = &job->arena;
  size_t most = 1;
  for (const char *p = names; p && *p; p++) most += *p == ',';
  job->tuners = ts_arena_array(arena, most, sizeof *job->tuners);
  for (size_t i = 0; !names && ts_tuners[i] && job->tuner_count == 0; i++) {
    if (takes_tuner(job, ts_tuners[i])) job->tuners[job->tuner_count++] = ts_tuners[i];
  }
  while (names) {
    size_t length = strcspn(names, ",");
    if (!add_tuner(job, ts_arena_strndup(arena, names, length))) return false;
    names = names[length] ? names + length + 1 : NULL;
  }
  return true;
}

static bool read_tables(struct replaying *job) {
  const struct ts_request *r = job->request;
  struct ts_arena *arena = &job->arena;
  job->component_count = r->component_count;
  job->components = ts_arena_array(arena, r->component_count + 1, sizeof *job->components);
  job->component_names = ts_arena_array(arena, r->component_count + 1, sizeof *job->component_names);
  if (!ts_recorded_read(r, r->table, NULL, &job->workflow, arena, job->issues)) return false;
  bool fine = true;
  for (size_t j = 0; j < r->component_count; j++) {
    job->component_names[j] = r->components[j].name;
    fine = ts_recorded_read(r, r->components[j].value, &job->workflow, &job->components[j], arena, job->issues) && fine;
  }
  return fine;
}

static bool replay_all(struct replaying *job, json_t *object) {
  json_t *results = json_array();
  struct ts_error err = {0};
  ts_auto_free struct replayed *replayed = ts_calloc(job->seed_count, sizeof *replayed);
  json_object_set_new(object, "results", results);
  for (size_t i = 0; i < job->tuner_count; i++) {
    if (!ts_replaying_run(job, job->tuners[i], replayed, &err)) {
      ts_issues_fault(job->issues, &err);
      return false;
    }
    json_array_append_new(results, ts_replayed_json(job, job->tuners[i], replayed));
  }
  return true;
}

static void warn_of_budget(struct replaying *job) {
  if (job->problem.budget > (double)job->yard.pool)
    ts_issues_warn(job->issues, "the budget of %s runs is more than the %zu configurations that can be run",
                   TS_SIGNIFICANT(job->problem.budget, 6), job->yard.pool);
}

static void replay(struct replaying *job, json_t *object) {
  const struct ts_request *request = job->request;
  ts_meter_init(&job->meter, request, request->threads ? request->threads : ts_cpu_count(), "read", "replay");
  ts_meter_begin(&job->meter, 0, 0);
  if (read_tables(job) && ts_replaying_prepare(job)) {
    ts_meter_begin(&job->meter, 1, job->seed_count * job->tuner_count);
    warn_of_budget(job);
    ts_replaying_describe(job, object);
    replay_all(job, object);
  }
  ts_meter_end(&job->meter);
}

void ts_replay_table(const struct ts_request *request, json_t *object, struct ts_issues *issues) {
  struct replaying job = {.request = request, .issues = issues};
  if (check_request(&job) && choose_tuners(&job)) replay(&job, object);
  free(job.component_outputs);
  ts_arena_release(&job.arena);
}
