/* The result of a study, and how it becomes tables and a page.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A study has one or two phases, each with a design and analyses of its own; a phase has one round, or several when
 * runs are added until its indices are sharp enough. Each round is planned and run by itself; products that it
 * shares with earlier rounds are found in the store. Runs are numbered across all rounds. */
#ifndef TS_STUDY_STUDY_RESULT_H
#define TS_STUDY_STUDY_RESULT_H

#include "order/order.h"
#include "study/best.h"
#include "study/course.h"
#include "study/held_out.h"
#include "study/sets.h"
#include "study/variant.h"
#include "work/collect.h"
#include "work/engine.h"

#include "analysis/analysis.h"
#include "analysis/method.h"

/* A picture of the report; also a file beside it, so that the report can be written again. */
struct study_picture {
  const char *role, *file;
  struct ts_str caption, png;
};

/* What a set cost, where it was run alone. */
struct study_price {
  double seconds, cpu_seconds;
  size_t cores;
  uint64_t peak_bytes;
  bool is_known; /* it was run, and no task failed */
};

struct study_round {
  struct ts_plan *plan;          /* owned */
  struct collector *collector;   /* owned */
  size_t first, count;           /* its sets, among those of the study */
  size_t phase;                  /* that it belongs to; of further sets 0 */
  bool is_further;               /* the strategy did not ask for it */
  struct study_variant *variant; /* owned: of a set that is run alone; NULL */
  struct study_price price;      /* of it */
};

/* The tasks of a phase. */
struct study_effort {
  uint64_t requested, executed;
};

/* Sets that no strategy asked for: they are numbered behind its own, recorded as rounds of the run, counted apart. */
struct study_further {
  size_t rounds, sets;
  struct study_effort effort;
};

struct study_result {
  struct ts_recorded run;
  const char *state; /* "done", "failed", "paused" */
  int64_t started_unix_ns;
  uint64_t start_ns;
  struct study_course course;  /* which sets are run, and what came out of them */
  struct parameter_sets sets;  /* of all rounds, with all parameters; ts_study_set_count says how many are no further */
  struct ts_plan *plan;        /* owned by its round, or `whole_plan` */
  struct ts_plan *whole_plan;  /* owned; of all runs, where there was more than one round; NULL otherwise */
  struct progress *progress;   /* owned */
  struct ts_run_result result; /* of all rounds */
  struct study_round *rounds;  /* owned */
  size_t round_count, round_capacity;
  size_t run_count;                /* rounds that were run */
  size_t batch_count;              /* of the present phase: batches that the strategy asked for */
  bool tasks_ended;                /* no more will run, and observers know it */
  struct ts_strategy_result found; /* borrowed from the course, once the sets are run */
  struct study_effort efforts[TS_STRATEGY_PHASES];
  double *outputs; /* owned: output after output, one value per run */
  struct study_further further;
  struct study_best best;
  struct study_held_out held_out;
  struct study_picture pictures[3];
  size_t picture_count;
  const char *folder, *report_path, *results_path, *by_file_path, *json_path;
  const char *values_path;   /* of the best set; NULL: there is none */
  const char *by_group_path; /* NULL: the data has no groups */
};

/* study.c */
/* Runs the round that is planned, and those that the strategy asks for after it; false if there is nothing to report (a
 * fault, or the user paused). */
bool ts_study_run(struct ts_work *work, struct study_result *r, struct ts_issues *issues);
/* Where the files of the result go. */
void ts_study_name_files(struct ts_work *work, struct study_result *r);
/* Results that other programs read: the tables; then the page and the result object. */
bool ts_study_write_results(const struct ts_project *project, struct study_result *r, struct ts_issues *issues);
bool ts_study_write_report(const struct ts_project *project, struct study_result *r, const json_t *object,
                           struct ts_issues *issues);

/* rounds.c */
/* Asks the strategy for the next sets and plans them; *done: there are none. Requests that cannot be met are refused
 * here. */
bool ts_study_plan_round(struct ts_work *work, struct study_result *r, bool *done, struct ts_issues *issues);
/* Runs the sets that were planned last and adds their outcome to the history; false if the study cannot continue (a
 * fault, or the user paused it). */
bool ts_study_run_round(struct ts_work *work, struct study_result *r, struct ts_issues *issues);
/* Plans, records and runs sets behind those of the strategy; `values` has all their parameters. As
 * ts_study_run_round. */
bool ts_study_run_further(struct ts_work *work, struct study_result *r, const struct ts_value *values, size_t count,
                          struct ts_issues *issues);
/* Adds the time and memory of work that is counted apart to those of the study. */
void ts_study_add_time(const struct ts_project *project, const struct ts_run_result *result, struct study_result *r);
/* Adds up what the rounds did; afterwards `plan`, `result` and (if it is complete) `outputs` are those of the whole
 * study. */
bool ts_study_sum_up(struct ts_work *work, struct study_result *r, bool complete, struct ts_issues *issues);
size_t ts_study_set_count(const struct study_result *r); /* that the strategy asked for: the first of r->sets */
struct ts_total ts_study_total(const struct study_result *r, size_t set, size_t output);
struct ts_total ts_study_file_total(const struct study_result *r, size_t set, size_t output, size_t file);
double ts_study_value(const struct study_result *r, size_t set, size_t output); /* NaN: failed */
double ts_study_file_value(const struct study_result *r, size_t set, size_t output, size_t file);
double ts_study_subset_value(const struct study_result *r, size_t set, size_t output,
                             const struct study_subset *subset);
struct ts_total ts_study_tile_total(const struct study_result *r, size_t set, size_t output, size_t unit);
double ts_study_tile_value(const struct study_result *r, size_t set, size_t output, size_t unit);
bool ts_study_is_per_tile(const struct study_result *r, size_t output);
void ts_study_result_release(struct study_result *r);

/* Files that have a value of their own for an output: 0 for products of the whole dataset. */
size_t ts_study_file_count(const struct ts_project *project, size_t output);

/* unsettled.c */
/* Once all sets are analysed: which neighbouring ranks overlap, and what would likely separate the first of them. */
void ts_study_warn_unsettled(const struct study_result *r, struct ts_issues *issues);

/* results_csv.c */
/* Number, parameters and outputs of every run. */
void ts_study_results_csv(const struct ts_project *project, const struct study_result *r, struct ts_str *csv);
/* The outputs of every run and file, with the sums that pooled ones are made of. */
void ts_study_by_file_csv(const struct ts_project *project, const struct study_result *r, struct ts_str *csv);
/* The outputs of every run over the files of each value of a group. */
void ts_study_by_group_csv(const struct ts_project *project, const struct study_result *r, struct ts_str *csv);
/* Draws and writes the pictures where the workflow makes masks; none otherwise. */
bool ts_study_draw(struct ts_work *work, struct study_result *r, struct ts_issues *issues);
void ts_study_pictures_release(struct study_result *r);
/* The HTML page of a result object, with the pictures that lie in the folder. */
bool ts_study_report(const json_t *object, const char *folder, struct ts_str *html, struct ts_error *err);

#endif
