/* Rounds of a study: each is planned and run by itself, and takes products of earlier ones from the store.
 * SPDX-License-Identifier: Apache-2.0 */
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

static void count_tasks(const struct ts_project *project, const struct ts_plan *plan,
                        const struct ts_run_result *result, struct study_effort *effort) {
  for (size_t t = 0; result->tasks && t < project->workflow->task_count; t++) {
    size_t units = ts_project_task_units(project, t);
    effort->requested += plan->counts[t].requested * units;
    effort->executed += result->tasks[t].by_outcome[TS_OUTCOME_EXECUTED];
  }
}

void ts_study_add_time(const struct ts_project *project, const struct ts_run_result *result, struct study_result *r) {
  for (size_t t = 0; result->tasks && r->result.cpu_s && t < project->workflow->task_count; t++)
    r->result.cpu_s[t] += result->cpu_s[t];
  r->result.wall_s += result->wall_s;
  r->result.cpu_total_s += result->cpu_total_s;
  if (result->peak_bytes > r->result.peak_bytes) r->result.peak_bytes = result->peak_bytes;
}

static const struct ts_project *project_of(const struct ts_work *work, const struct study_round *round) {
  return round->variant ? &round->variant->project : work->project;
}

static void start_progress(struct ts_work *work, struct study_result *r, const struct study_round *round) {
  const struct ts_project *project = project_of(work, round);
  const size_t threads = round->variant ? ts_variant_most_threads(&r->course) : ts_workers_threads(project->request);
  r->progress = ts_progress_create(work, project, round->plan, r->run.id, threads);
  ts_progress_number_tasks(r->progress, r->run.next_task);
}

/* Says why a study that is under way has more to do than it had before. */
static void name_part(struct ts_work *work, struct study_result *r, const struct study_round *round) {
  const size_t phases = work->project->study.phase_count;
  ts_auto(ts_str_release) struct ts_str name = {0};
  if (round->is_further) {
    ts_phases_part(work->project->phases, "best values");
    return;
  }
  if (phases > 1) ts_str_addf(&name, "phase %zu of %zu", round->phase + 1, phases);
  if (r->course.options.until.text || r->batch_count > 1)
    ts_str_addf(&name, "%sround %zu", phases > 1 ? ", " : "", r->batch_count);
  ts_phases_part(work->project->phases, ts_str_get(&name));
}

/* All that the strategy asked for last is known before its first round runs. */
static void expect_batch(struct ts_work *work, struct study_result *r) {
  name_part(work, r, &r->rounds[r->run_count]);
  for (size_t i = r->run_count; i < r->round_count; i++) {
    const struct study_round *round = &r->rounds[i];
    if (r->progress)
      ts_progress_add(r->progress, project_of(work, round), round->plan);
    else
      start_progress(work, r, round);
  }
}

static void follow(struct ts_work *work, struct study_result *r, const struct study_round *round) {
  if (r->run_count > 0)
    ts_progress_continue(r->progress, project_of(work, round), round->plan, round->first);
  else
    ts_progress_begin(r->progress);
}

/* What a set cost that was run alone. */
static struct study_price price_of(const struct ts_work *work, const struct ts_run_result *result) {
  struct study_price price = {.seconds = result->wall_s,
                              .cpu_seconds = result->cpu_total_s,
                              .cores = ts_workers_threads(work->project->request),
                              .peak_bytes = result->peak_bytes,
                              .is_known = result->tasks && !result->stopped};
  for (size_t t = 0; price.is_known && t < work->project->workflow->task_count; t++)
    price.is_known =
        result->tasks[t].by_outcome[TS_OUTCOME_FAILED] + result->tasks[t].by_outcome[TS_OUTCOME_SKIPPED] == 0;
  return price;
}

static bool run(struct ts_work *work, struct study_result *r, struct study_round *round, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  struct collecting collecting = {
      .collector = round->collector,
      .engine = {.work = work,
                 .issues = issues,
                 .plan = round->plan,
                 .values = r->sets.values + round->first * project->workflow->parameter_count,
                 .run_id = r->run.id,
                 .command = "study",
                 .progress = r->progress,
                 .user = &collecting,
                 .on_product = collect}};
  struct engine_run *engine = &collecting.engine;
  bool ok = ts_engine_run(engine) && check_columns(project, round->collector, issues);
  bool stopped = engine->result.stopped && !engine->halt;
  count_tasks(project, round->plan, &engine->result,
              round->is_further ? &r->further.effort : &r->efforts[round->phase]);
  if (round->variant) round->price = price_of(work, &engine->result);
  if (round->is_further)
    ts_study_add_time(project, &engine->result, r);
  else
    add_result(project, &r->result, &engine->result);
  ts_run_result_release(&engine->result);
  r->state = stopped ? "paused" : engine->halt || ts_progress_any_failed(r->progress) ? "failed" : "done";
  return ok && !stopped;
}

/* Plans `count` sets from `first` on. */
static bool plan_sets(struct ts_work *work, struct study_result *r, struct study_round round,
                      struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  size_t wanted_count = 0;
  const struct ts_source *wanted = ts_planning_study_products(work, &wanted_count);
  const struct ts_value *values = r->sets.values + round.first * project->workflow->parameter_count;
  r->rounds = ts_grow(r->rounds, r->round_count, &r->round_capacity, sizeof *r->rounds);
  struct study_round *kept = &r->rounds[r->round_count++];
  *kept = round;
  r->plan = kept->plan = ts_planning_make(work, values, round.count, wanted, wanted_count, false, issues);
  if (!r->plan || !ts_workers_check(work, r->plan, issues)) return false;
  kept->collector = ts_collector_create(project, r->plan);
  return true;
}

/* Sets that are measured are run one by one, each with its own settings. */
static bool plan_alone(struct ts_work *work, struct study_result *r, struct study_round round,
                       struct ts_issues *issues) {
  const size_t end = round.first + round.count;
  bool ok = true;
  for (round.count = 1; ok && round.first < end; round.first++) {
    const struct ts_value *point = r->course.history.points + round.first * r->course.column_count;
    round.variant = ts_variant_create(work, &r->course, point, issues);
    ok = round.variant && plan_sets(&round.variant->work, r, round, issues);
  }
  return ok;
}

static bool plan(struct ts_work *work, struct study_result *r, const struct ts_strategy_batch *batch,
                 struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  const struct study_round round = {.first = r->sets.count, .count = batch->count, .phase = batch->phase};
  const bool is_further = r->round_count > 0 && r->rounds[r->round_count - 1].phase == batch->phase;
  r->batch_count = is_further ? r->batch_count + 1 : 1;
  ts_phase_begin(project->phases, TS_PHASE_PLANNING, 0);
  ts_history_add(&r->course.history, batch->values, batch->count);
  ts_sets_append(project->workflow, &r->sets, r->course.columns, r->course.column_count, batch->values, batch->count);
  return project->study.is_measured ? plan_alone(work, r, round, issues) : plan_sets(work, r, round, issues);
}

bool ts_study_plan_round(struct ts_work *work, struct study_result *r, bool *done, struct ts_issues *issues) {
  ts_auto(ts_strategy_batch_release) struct ts_strategy_batch batch = {0};
  if (!ts_course_ask(&r->course, &batch)) return false;
  *done = batch.count == 0;
  return *done || plan(work, r, &batch, issues);
}

/* The numbers of the sets that were run, for the strategy. */
static void add_outcomes(struct study_result *r, const struct study_round *round) {
  const struct ts_strategy_problem *problem = &r->course.problem;
  struct ts_history *history = &r->course.history;
  for (size_t i = round->first; i < round->first + round->count; i++) {
    if (round->variant) history->seconds[i] = round->price.seconds;
    for (size_t k = 0; k < problem->series_count; k++) {
      const struct ts_series *series = &problem->series[k];
      history->outputs[i * problem->series_count + k] =
          series->subset == TS_NONE
              ? ts_study_value(r, i, series->output)
              : ts_study_subset_value(r, i, series->output, &r->course.subsets.items[series->subset]);
    }
  }
}

bool ts_study_run_round(struct ts_work *work, struct study_result *r, struct ts_issues *issues) {
  expect_batch(work, r);
  for (; r->run_count < r->round_count; r->run_count++) {
    struct study_round *round = &r->rounds[r->run_count];
    follow(work, r, round);
    if (!run(round->variant ? &round->variant->work : work, r, round, issues)) return false;
    if (!round->is_further) add_outcomes(r, round);
  }
  return true;
}

bool ts_study_run_further(struct ts_work *work, struct study_result *r, const struct ts_value *values, size_t count,
                          struct ts_issues *issues) {
  const struct ts_workflow *w = work->project->workflow;
  const struct study_round round = {.first = r->sets.count, .count = count, .is_further = true};
  struct ts_plan *own = r->plan;
  ts_phase_begin(work->project->phases, TS_PHASE_PLANNING, 0);
  ts_sets_append(w, &r->sets, NULL, 0, NULL, count);
  memcpy(r->sets.values + round.first * w->parameter_count, values, count * w->parameter_count * sizeof *values);
  const bool is_planned = plan_sets(work, r, round, issues);
  r->plan = own;
  r->further.rounds++;
  r->further.sets += count;
  return is_planned && ts_run_add_round(work->project, &r->run, r->sets.values, r->sets.count, issues) &&
         ts_study_run_round(work, r, issues);
}

/* Tasks that were neither done nor lost in any round were in the store before. */
static void settle_store(struct ts_run_counts *counts, uint64_t distinct) {
  uint64_t known = 0;
  for (size_t o = 0; o < TS_OUTCOME_COUNT; o++) known += o == TS_OUTCOME_STORE ? 0 : counts->by_outcome[o];
  known -= counts->repeated;
  counts->by_outcome[TS_OUTCOME_STORE] = distinct > known ? distinct - known : 0;
}

/* For several rounds, requests and reuse are reported for one plan of all runs that the strategy asked for. A study
 * that was paused has not settled all of it. */
static bool plan_whole(struct ts_work *work, struct study_result *r, bool settled, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  size_t wanted_count = 0;
  struct ts_source *wanted = ts_planning_study_products(work, &wanted_count);
  r->whole_plan = ts_planning_make(work, r->sets.values, ts_study_set_count(r), wanted, wanted_count, false, issues);
  if (!r->whole_plan) return false;
  r->plan = r->whole_plan;
  if (!settled || work->project->study.is_measured) return true;
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
                   project->study.outputs[output].name, incomplete, ts_study_set_count(r));
}

static void gather_outputs(const struct ts_project *project, struct study_result *r, struct ts_issues *issues) {
  r->outputs = ts_calloc(project->study.output_count * ts_study_set_count(r) + 1, sizeof *r->outputs);
  size_t lost = 0;
  for (size_t o = 0; o < project->study.output_count; o++) {
    size_t incomplete = 0, whole = ts_study_file_count(project, o);
    for (size_t i = 0; i < ts_study_set_count(r); i++) {
      const struct ts_total total = ts_study_total(r, i, o);
      r->outputs[o * ts_study_set_count(r) + i] = total.value;
      lost += o == 0 && isnan(total.value) ? 1 : 0;
      incomplete += !total.failed && total.n > 0 && total.n < whole ? 1 : 0;
    }
    warn_incomplete(project, r, o, incomplete, issues);
  }
  if ((double)lost > TS_LOSS_TO_NOTE * (double)ts_study_set_count(r))
    ts_issues_warn(issues, "%zu of %zu runs gave no value; the effects that touch them are left out", lost,
                   ts_study_set_count(r));
}

size_t ts_study_file_count(const struct ts_project *project, size_t output) {
  if (project->study.outputs[output].cost != COST_NONE) return 0;
  size_t stage = project->workflow->tasks[project->study.outputs[output].source.index].stage;
  return ts_scope_is_in_item(project->workflow->stages[stage].scope) ? project->dataset.item_count : 0;
}

bool ts_study_sum_up(struct ts_work *work, struct study_result *r, bool complete, struct ts_issues *issues) {
  if (r->round_count - r->further.rounds > 1 && !plan_whole(work, r, complete, issues)) return false;
  if (complete) gather_outputs(work->project, r, issues);
  return complete;
}

size_t ts_study_set_count(const struct study_result *r) { return r->course.history.count; }

static const struct study_round *round_of(const struct study_result *r, size_t set) {
  size_t i = 0;
  while (set >= r->rounds[i].first + r->rounds[i].count) i++;
  return &r->rounds[i];
}

static double cost_of(const struct study_price *price, enum study_cost cost) {
  if (!price->is_known) return NAN;
  if (cost == COST_SECONDS) return price->seconds;
  if (cost == COST_CPU_SECONDS) return price->cpu_seconds;
  return cost == COST_PEAK_BYTES ? (double)price->peak_bytes : price->seconds * (double)price->cores / 3600;
}

struct ts_total ts_study_total(const struct study_result *r, size_t set, size_t output) {
  const struct study_round *round = round_of(r, set);
  const enum study_cost cost = r->course.project->study.outputs[output].cost;
  if (cost != COST_NONE)
    return (struct ts_total){.value = cost_of(&round->price, cost),
                             .numerator = NAN,
                             .denominator = NAN,
                             .lowest = NAN,
                             .failed = !round->price.is_known};
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

double ts_study_subset_value(const struct study_result *r, size_t set, size_t output,
                             const struct study_subset *subset) {
  const struct study_round *round = round_of(r, set);
  if (subset->kind == SUBSET_FILE) return ts_study_file_value(r, set, output, subset->files[0]);
  return ts_collector_some_total(round->collector, set - round->first, output, subset->files, subset->count).value;
}

struct ts_total ts_study_tile_total(const struct study_result *r, size_t set, size_t output, size_t unit) {
  const struct study_round *round = round_of(r, set);
  return ts_collector_tile_total(round->collector, set - round->first, output, unit);
}

double ts_study_tile_value(const struct study_result *r, size_t set, size_t output, size_t unit) {
  return ts_study_tile_total(r, set, output, unit).value;
}

bool ts_study_is_per_tile(const struct study_result *r, size_t output) {
  /* The tiles of sets that are run alone may differ. */
  return !r->rounds[0].variant && ts_collector_is_per_tile(r->rounds[0].collector, output);
}

void ts_study_result_release(struct study_result *r) {
  ts_run_result_release(&r->result);
  ts_progress_destroy(r->progress);
  for (size_t i = 0; i < r->round_count; i++) {
    if (r->rounds[i].collector) ts_collector_destroy(r->rounds[i].collector);
    ts_plan_destroy(r->rounds[i].plan);
    ts_variant_destroy(r->rounds[i].variant);
  }
  ts_plan_destroy(r->whole_plan);
  ts_held_out_release(&r->held_out);
  ts_best_release(&r->best);
  ts_course_release(&r->course);
  ts_sets_release(&r->sets);
  ts_recorded_release(&r->run);
  ts_study_pictures_release(r);
  free(r->rounds);
  free(r->outputs);
}
