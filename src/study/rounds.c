/* Rounds of a study: each is planned and run by itself, and takes products of earlier ones from the store.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/study_method.h"
#include "study/study_result.h"
#include "work/planning.h"
#include "work/workers.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

struct collecting {
  struct collector *collector; /* borrowed */
  struct engine_run engine;
};

/* Calls never overlap. The first table that lacks a column ends the run: it will lack it in all runs. */
static void collect(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  struct collecting *collecting = user;
  if (!ts_collector_product(collecting->collector, node, port, unit, data))
    __atomic_store_n(&collecting->engine.halt, 1, __ATOMIC_RELAXED);
}

static bool check_columns(const struct ts_project *project, const struct collector *collector,
                          struct ts_issues *issues) {
  size_t output = 0;
  const char *column = ts_collector_missing_column(collector, &output);
  if (column) ts_study_no_column(project, &project->study.outputs[output], column, issues);
  return !column;
}

static void add_counts(struct ts_run_counts *sum, const struct ts_run_counts *more) {
  for (size_t o = 0; o < TS_OUTCOME_COUNT; o++) sum->by_outcome[o] += more->by_outcome[o];
  sum->repeated += more->repeated;
}

/* Takes the result of the first round, adds that of a later one. */
static void add_result(const struct ts_project *project, struct ts_run_result *sum, struct ts_run_result *more) {
  if (!sum->tasks) {
    *sum = *more;
    *more = (struct ts_run_result){0};
    return;
  }
  for (size_t t = 0; more->tasks && t < project->workflow->task_count; t++) {
    add_counts(&sum->tasks[t], &more->tasks[t]);
    sum->cpu_s[t] += more->cpu_s[t];
  }
  add_counts(&sum->reference, &more->reference);
  sum->dropped += more->dropped;
  sum->spilled += more->spilled;
  sum->waits += more->waits;
  sum->recomputed += more->recomputed;
  sum->repeated += more->repeated;
  sum->buckets += more->buckets;
  sum->reads += more->reads;
  sum->parts.asked += more->parts.asked;
  sum->parts.recalled += more->parts.recalled;
  sum->wall_s += more->wall_s;
  sum->cpu_total_s += more->cpu_total_s;
  sum->peak_bytes = more->peak_bytes > sum->peak_bytes ? more->peak_bytes : sum->peak_bytes;
  sum->stopped = more->stopped;
}

static void count_phase(const struct ts_project *project, const struct ts_plan *plan,
                        const struct ts_run_result *result, struct study_phase *phase) {
  for (size_t t = 0; result->tasks && t < project->workflow->task_count; t++) {
    size_t units = ts_project_task_units(project, t);
    phase->requested += plan->counts[t].requested * units;
    phase->executed += result->tasks[t].by_outcome[TS_OUTCOME_EXECUTED];
  }
}

static void follow(struct ts_work *work, struct study_result *r, const struct study_round *round) {
  if (r->progress) {
    ts_progress_continue(r->progress, round->plan, round->first);
    return;
  }
  r->progress = ts_progress_create(work, round->plan, r->run_id, ts_workers_threads(work->project->request));
  ts_progress_begin(r->progress);
}

static bool run(struct ts_work *work, struct study_result *r, const struct study_round *round,
                struct study_phase *phase, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  struct collecting collecting = {
      .collector = round->collector,
      .engine = {.work = work,
                 .issues = issues,
                 .plan = round->plan,
                 .values = r->sets.values + round->first * project->workflow->parameter_count,
                 .run_id = r->run_id,
                 .command = "study",
                 .progress = r->progress,
                 .user = &collecting,
                 .on_product = collect}};
  struct engine_run *engine = &collecting.engine;
  bool ok = ts_engine_run(engine) && check_columns(project, round->collector, issues);
  bool stopped = engine->result.stopped && !engine->halt;
  count_phase(project, round->plan, &engine->result, phase);
  add_result(project, &r->result, &engine->result);
  ts_run_result_release(&engine->result);
  r->state = stopped ? "paused" : engine->halt || ts_progress_any_failed(r->progress) ? "failed" : "done";
  return ok && !stopped;
}

bool ts_study_plan_round(struct ts_work *work, struct study_result *r, struct study_phase *phase,
                         struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  size_t wanted_count = 0;
  struct ts_source *wanted = ts_planning_study_products(work, &wanted_count);
  size_t done = r->sets.count - phase->first; /* rows of the phase that earlier rounds ran */
  ts_sets_append(project, &r->sets, &phase->sets, done);
  struct parameter_sets rows = {
      .values = r->sets.values + (phase->first + done) * project->workflow->parameter_count,
      .count = phase->sets.count - done,
  };
  r->plan = ts_planning_make(work, rows.values, rows.count, wanted, wanted_count, false, issues);
  if (!r->plan || !ts_workers_check(work, r->plan, issues)) return false;
  r->rounds = ts_grow(r->rounds, r->round_count, &r->round_capacity, sizeof *r->rounds);
  struct study_round *round = &r->rounds[r->round_count++];
  *round = (struct study_round){.plan = r->plan,
                                .collector = ts_collector_create(project, r->plan),
                                .first = phase->first + done,
                                .count = rows.count};
  phase->rounds++;
  r->is_planned = true;
  return true;
}

bool ts_study_run_round(struct ts_work *work, struct study_result *r, struct study_phase *phase,
                        struct ts_issues *issues) {
  if (!r->is_planned && !ts_study_plan_round(work, r, phase, issues)) return false;
  const struct study_round *round = &r->rounds[r->round_count - 1];
  r->is_planned = false;
  follow(work, r, round);
  return run(work, r, round, phase, issues);
}

/* Whether the larger design begins with the rows of the smaller one. */
static bool keeps_rows(const struct parameter_sets *small, const struct parameter_sets *large) {
  size_t cells = small->count * small->design.column_count;
  if (large->count < small->count || small->design.column_count != large->design.column_count) return false;
  for (size_t i = 0; i < cells; i++) {
    if (!ts_value_equal(&small->design.values[i], &large->design.values[i])) return false;
  }
  return true;
}

/* The curves of FAST grow in length; everything else grows in number. */
size_t ts_study_phase_size(const struct study_phase *phase) {
  const struct parameter_sets *sets = &phase->sets;
  return sets->layout == TS_LAYOUT_FAST ? sets->block_rows : sets->count / sets->block_rows;
}

static size_t next_size(const struct study_phase *phase, size_t most) {
  size_t size = ts_study_phase_size(phase);
  if (phase->method->kind->growth != GROWS_BY_HALF) return 2 * size;
  size_t next = size + (size + 1) / 2;
  return next > most && most > size ? most : next;
}

static void retire(struct study_result *r, struct parameter_sets *sets) {
  r->retired = ts_grow(r->retired, r->retired_count, &r->retired_capacity, sizeof *r->retired);
  r->retired[r->retired_count++] = *sets;
}

static size_t budget_of(const struct ts_project *project, const struct study_result *r) {
  return project->study.max_runs ? project->study.max_runs : STUDY_ROUNDS_BUDGET * r->rounds[0].count;
}

static const char *over_budget(struct ts_work *work, const struct study_result *r, size_t runs) {
  const struct ts_project *project = work->project;
  const char *limit = project->study.max_runs
                          ? "the limit of"
                          : ts_arena_printf(&work->arena, "%d times those of the first round, of", STUDY_ROUNDS_BUDGET);
  return ts_arena_printf(&work->arena, "the next round would need %zu runs in all, more than %s %zu", runs, limit,
                         budget_of(project, r));
}

/* Designs of which a larger one has other rows: all runs of the next round are new. */
static bool starts_again(const struct study_method *method) {
  return method->kind->restarts || (method->base && strcmp(method->base, "lhs") == 0) || method->candidates > 0;
}

bool ts_study_grow(struct ts_work *work, struct study_result *r, struct study_phase *phase, const char **reason,
                   struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  size_t left = budget_of(project, r) > phase->first ? budget_of(project, r) - phase->first : 0;
  size_t size = ts_study_phase_size(phase), rows = phase->sets.count / size; /* per unit of size */
  size_t next_one = next_size(phase, left / rows);
  struct parameter_sets next = {0};
  if (phase->method->kind->growth == GROWS_NOT) {
    *reason = "runs cannot be added to a grid";
  } else if (next_one > left / rows) {
    *reason = over_budget(work, r, (starts_again(phase->method) ? r->sets.count : phase->first) + next_one * rows);
  } else if (ts_sets_draw(project, phase->method, phase->sets.design.names, phase->sets.design.column_count, next_one,
                          &next, issues)) {
    bool keeps = keeps_rows(&phase->sets, &next);
    if (keeps || r->sets.count + next.count <= budget_of(project, r)) {
      if (!keeps) phase->first = r->sets.count; /* all rows are new; the store knows equal ones */
      retire(r, &phase->sets);
      phase->sets = next;
      return true;
    }
    *reason = over_budget(work, r, r->sets.count + next.count);
  }
  ts_sets_release(&next);
  return false;
}

/* Tasks that were neither done nor lost in any round were in the store before. */
static void settle_store(struct ts_run_counts *counts, uint64_t distinct) {
  uint64_t known = 0;
  for (size_t o = 0; o < TS_OUTCOME_COUNT; o++) known += o == TS_OUTCOME_STORE ? 0 : counts->by_outcome[o];
  known -= counts->repeated;
  counts->by_outcome[TS_OUTCOME_STORE] = distinct > known ? distinct - known : 0;
}

/* For several rounds, requests and reuse are reported for one plan of all runs. A study that was paused has not
 * settled all of it. */
static bool plan_whole(struct ts_work *work, struct study_result *r, bool settled, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  size_t wanted_count = 0;
  struct ts_source *wanted = ts_planning_study_products(work, &wanted_count);
  r->whole_plan = ts_planning_make(work, r->sets.values, r->sets.count, wanted, wanted_count, false, issues);
  if (!r->whole_plan) return false;
  r->plan = r->whole_plan;
  if (!settled) return true;
  uint64_t reference = 0;
  for (size_t t = 0; t < project->workflow->task_count; t++) {
    size_t units = ts_project_task_units(project, t);
    settle_store(&r->result.tasks[t], r->plan->counts[t].distinct * units);
    reference += r->plan->counts[t].reference_distinct * units;
  }
  settle_store(&r->result.reference, reference);
  return true;
}

/* Means over files leave out files without a value: the user is warned. */
static void warn_incomplete(const struct ts_project *project, const struct study_result *r, size_t output,
                            size_t incomplete, struct ts_issues *issues) {
  if (incomplete > 0)
    ts_issues_warn(issues,
                   "'%s': in %zu of %zu runs some files have no value, because their tables are empty or their cells "
                   "are missing; such files are left out of the number of the run (results-by-file.csv)",
                   project->study.outputs[output].name, incomplete, r->sets.count);
}

static void gather_outputs(const struct ts_project *project, struct study_result *r, struct ts_issues *issues) {
  r->outputs = ts_calloc(project->study.output_count * r->sets.count + 1, sizeof *r->outputs);
  size_t lost = 0;
  for (size_t o = 0; o < project->study.output_count; o++) {
    size_t incomplete = 0, whole = ts_study_file_count(project, o);
    for (size_t i = 0; i < r->sets.count; i++) {
      const struct ts_total total = ts_study_total(r, i, o);
      r->outputs[o * r->sets.count + i] = total.value;
      lost += o == 0 && isnan(total.value) ? 1 : 0;
      incomplete += !total.failed && total.n > 0 && total.n < whole ? 1 : 0;
    }
    warn_incomplete(project, r, o, incomplete, issues);
  }
  if ((double)lost > TS_LOSS_TO_NOTE * (double)r->sets.count)
    ts_issues_warn(issues, "%zu of %zu runs gave no value; the effects that touch them are left out", lost,
                   r->sets.count);
}

bool ts_study_sum_up(struct ts_work *work, struct study_result *r, bool complete, struct ts_issues *issues) {
  if (r->round_count > 1 && !plan_whole(work, r, complete, issues)) return false;
  if (complete) gather_outputs(work->project, r, issues);
  return complete;
}

static const struct study_round *round_of(const struct study_result *r, size_t set) {
  size_t i = 0;
  while (set >= r->rounds[i].first + r->rounds[i].count) i++;
  return &r->rounds[i];
}

struct ts_total ts_study_total(const struct study_result *r, size_t set, size_t output) {
  const struct study_round *round = round_of(r, set);
  return ts_collector_total(round->collector, set - round->first, output);
}

struct ts_total ts_study_file_total(const struct study_result *r, size_t set, size_t output, size_t file) {
  const struct study_round *round = round_of(r, set);
  return ts_collector_file_total(round->collector, set - round->first, output, file);
}

double ts_study_value(const struct study_result *r, size_t set, size_t output) {
  return ts_study_total(r, set, output).value;
}

double ts_study_file_value(const struct study_result *r, size_t set, size_t output, size_t file) {
  return ts_study_file_total(r, set, output, file).value;
}

double ts_study_tile_value(const struct study_result *r, size_t set, size_t output, size_t unit) {
  const struct study_round *round = round_of(r, set);
  return ts_collector_tile_value(round->collector, set - round->first, output, unit);
}

bool ts_study_is_per_tile(const struct study_result *r, size_t output) {
  return ts_collector_is_per_tile(r->rounds[0].collector, output);
}

void ts_study_result_release(struct study_result *r) {
  ts_run_result_release(&r->result);
  ts_progress_destroy(r->progress);
  for (size_t i = 0; i < r->round_count; i++) {
    ts_collector_destroy(r->rounds[i].collector);
    ts_plan_destroy(r->rounds[i].plan);
  }
  ts_plan_destroy(r->whole_plan);
  for (size_t p = 0; p < r->phase_count; p++) {
    ts_study_analyses_release(&r->phases[p]);
    ts_sets_release(&r->phases[p].sets);
  }
  for (size_t i = 0; i < r->retired_count; i++) ts_sets_release(&r->retired[i]);
  ts_sets_release(&r->sets);
  ts_study_pictures_release(r);
  free(r->rounds);
  free(r->retired);
  free(r->outputs);
}
