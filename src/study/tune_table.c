/* `tune --table`: replays recorded measurements with every tuner that was asked for, the same seeds for each.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "study/tune_table_int.h"

#include <math.h>
#include <string.h>

#define DEFAULT_SEEDS 100 /* fewer and the standard errors hide what tuners differ by */

static bool usage(struct session *s, const char *help, const char *format, ...) TS_PRINTF(3, 4);
static bool usage(struct session *s, const char *help, const char *format, ...) {
  struct ts_error err = {0};
  va_list args;
  va_start(args, format);
  ts_vfail(&err, TS_ERR_USAGE, format, args);
  va_end(args);
  ts_error_help(&err, "%s", help);
  ts_session_fault(s, &err);
  return false;
}

static bool check_request(struct replaying *job) {
  const struct ts_request *r = job->s->request;
  if (r->objective_count == 0)
    return usage(job->s, "name the column to tune: --objective COLUMN", "no objective was given");
  if (r->maximise && r->minimise)
    return usage(job->s, "leave out one of them", "'--maximise' and '--minimise' exclude each other");
  if (r->history && r->component_count == 0)
    return usage(job->s, "name them: --component NAME=FILE.csv", "'--history' needs components");
  if (r->budget < 0 || (r->budget > 0 && r->budget < 1))
    return usage(job->s, "a budget is a number of runs, such as 50", "the budget is less than one run");
  job->objective = r->objectives[0];
  job->maximise = r->maximise;
  job->expert = r->has_expert ? r->expert : NAN;
  job->seed_count = r->seeds ? r->seeds : DEFAULT_SEEDS;
  job->first_seed = r->has_first_seed ? r->first_seed : 1;
  return true;
}

static bool takes_tuner(const struct replaying *job, const struct ts_tuner *tuner) {
  return !(tuner->flags & TS_TUNER_COMPONENTS) || job->s->request->component_count > 0;
}

static bool add_tuner(struct replaying *job, const char *name) {
  struct ts_error err = {0};
  const struct ts_tuner *tuner = ts_tuner_find(name, &err);
  if (!tuner) {
    ts_session_fault(job->s, &err);
    return false;
  }
  if (!takes_tuner(job, tuner))
    return usage(job->s, "name them: --component NAME=FILE.csv", "tuner '%s' needs components", tuner->name);
  for (size_t i = 0; i < job->tuner_count; i++) {
    if (job->tuners[i] == tuner) return usage(job->s, "leave out one of them", "tuner '%s' is named twice", name);
  }
  job->tuners[job->tuner_count++] = tuner;
  return true;
}

/* Names separated by commas; without any the first tuner of the table that can work on this problem. */
static bool choose_tuners(struct replaying *job) {
  const char *names = job->s->request->algorithm;
  struct ts_arena *arena = &job->s->arena;
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
  const struct ts_request *r = job->s->request;
  struct ts_arena *arena = &job->s->arena;
  job->component_count = r->component_count;
  job->components = ts_arena_array(arena, r->component_count + 1, sizeof *job->components);
  job->component_names = ts_arena_array(arena, r->component_count + 1, sizeof *job->component_names);
  if (!ts_recorded_read(job, r->table, NULL, &job->workflow)) return false;
  bool fine = true;
  for (size_t j = 0; j < r->component_count; j++) {
    job->component_names[j] = r->components[j].name;
    fine = ts_recorded_read(job, r->components[j].value, &job->workflow, &job->components[j]) && fine;
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
      ts_session_fault(job->s, &err);
      return false;
    }
    json_array_append_new(results, ts_replayed_json(job, job->tuners[i], replayed));
  }
  return true;
}

static void warn_of_budget(struct replaying *job) {
  if (job->problem.budget > (double)job->pool)
    ts_session_warn(job->s, "the budget of %s runs is more than the %zu configurations that can be run",
                    TS_SIGNIFICANT(job->problem.budget, 6), job->pool);
}

void ts_tune_replay_table(struct session *s, json_t *object) {
  struct replaying job = {.s = s};
  if (!check_request(&job) || !choose_tuners(&job)) return;
  ts_meter_init(&job.meter, s->request, s->request->threads ? s->request->threads : ts_cpu_count(), "read", "replay");
  ts_meter_begin(&job.meter, 0, 0);
  if (read_tables(&job) && ts_replaying_prepare(&job)) {
    ts_meter_begin(&job.meter, 1, job.seed_count * job.tuner_count);
    warn_of_budget(&job);
    ts_replaying_describe(&job, object);
    replay_all(&job, object);
  }
  ts_meter_end(&job.meter);
  free(job.component_outputs);
}
