/* Shared by the files of `tune --table`: recorded measurements, and what replaying them gave.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STUDY_TUNE_TABLE_INT_H
#define TS_STUDY_TUNE_TABLE_INT_H

#include "study/sensitivity_int.h"
#include "study/study_int.h"
#include "tune/tune.h"

/* The measurements of one file: of the workflow, or of a component alone. */
struct recorded {
  const char *path;   /* borrowed from the session's arena */
  const char **names; /* owned by the session's arena; of the parameters */
  size_t column_count;
  size_t row_count; /* rows of different parameters */
  double *numbers;  /* owned by the session's arena; row by row */
  double *outputs;  /* owned by the session's arena; the objective as measured; NaN: the run failed */
  size_t failed_count;
  size_t repeated_count; /* rows left out because an earlier one says the same */
};

struct replaying {
  struct session *s; /* borrowed */
  struct meter meter;
  const char *objective; /* borrowed from the request; its first */
  bool maximise;
  struct recorded workflow;
  struct recorded *components; /* owned by the session's arena */
  const char **component_names;
  size_t component_count;
  const struct ts_tuner **tuners; /* owned by the session's arena */
  size_t tuner_count;
  struct ts_parameter *parameters; /* owned by the session's arena, as what they point to */
  struct ts_space space;
  struct ts_tune_goal goal;
  struct ts_tune_problem problem;
  double *component_outputs; /* owned; predictions that all seeds share; NULL: none */
  size_t pool;               /* rows that can be run */
  double best;               /* of them, as measured */
  double expert;             /* what the objective is without tuning; NaN: not known */
  size_t *by_output;         /* owned by the session's arena; the rows of the pool, best first */
  size_t seed_count;
  uint64_t first_seed;
};

/* What one tuner did with one seed. Ratios are to the best of the table, 1 or above; NaN: there is none. */
#define TUNE_RECALLS 10
struct replayed {
  double predicted, measured, recommended;
  double recall[TUNE_RECALLS]; /* per cent; NaN without a model */
  double mdape[4];             /* per cent: all, all_unseen, top2, top2_unseen */
  double workflow_cost, component_cost;
  double least_uses; /* infinite: never worth it; NaN: not known */
  double charged;    /* runs */
  size_t workflow_runs, component_runs, failed_runs;
  bool confirmed; /* the predicted best was run */
};

/* tune_table_read.c: reads a table, gz or not. With `of` (the table of the workflow) it is that of a component, whose
 * parameters are among those of `of`. Faults are those of the session. */
bool ts_recorded_read(struct replaying *job, const char *file, const struct recorded *of, struct recorded *table);
/* tune_table_text.c: the text of a file, unpacked if it is gz. */
bool ts_table_text_read(const char *path, struct ts_str *text, struct ts_error *err);
/* tune_table_problem.c: the space of the tables, and the problem of tuning it. */
bool ts_replaying_prepare(struct replaying *job);
/* tune_table_replay.c: seed by seed; `results` has seed_count entries. */
bool ts_replaying_run(struct replaying *job, const struct ts_tuner *tuner, struct replayed *results,
                      struct ts_error *err);
/* tune_table_figures.c */
void ts_replayed_measure(const struct replaying *job, const struct ts_tune *tune, struct replayed *out);
/* How well the recorded runs of the components, combined, find the best rows: recall of the n best, n = 1 .. 25. */
#define TUNE_COMPONENT_RECALLS 25
void ts_replaying_component_recall(const struct replaying *job, double recall[TUNE_COMPONENT_RECALLS]);
/* tune_table_reply.c */
void ts_replaying_describe(const struct replaying *job, json_t *object);
json_t *ts_replayed_json(const struct replaying *job, const struct ts_tuner *tuner, const struct replayed *results);
/* tune_command.c: the list of ts_list; a new reference. */
json_t *ts_tuner_list(void);
/* tune_table.c: the call with a table. */
void ts_tune_replay_table(struct session *s, json_t *object);

#endif
