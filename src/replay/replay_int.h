/* Shared by the files of `tune --table`: recorded measurements, and what replaying them gave.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_REPLAY_REPLAY_INT_H
#define TS_REPLAY_REPLAY_INT_H

#include "model/model.h"
#include "tune/tune.h"

/* The measurements of one file: of the workflow, or of a component alone. */
struct recorded {
  const char *path;   /* borrowed from the arena */
  const char **names; /* owned by the arena; of the parameters */
  size_t column_count;
  size_t row_count; /* rows of different parameters */
  double *numbers;  /* owned by the arena; row by row */
  double *outputs;  /* owned by the arena; the objective as measured; NaN: the run failed */
  size_t failed_count;
  size_t repeated_count; /* rows left out because an earlier one says the same */
};

/* What results are held against: the rows of the workflow's table that can be run. */
struct yardstick {
  const double *outputs; /* borrowed; as measured, by row */
  size_t row_count;
  size_t pool;       /* rows that can be run */
  size_t *by_output; /* owned by the arena; the rows of the pool, best first */
  double best;       /* of them, as measured */
  double expert;     /* what the objective is without tuning; NaN: not known */
  bool maximise;
};

struct replaying {
  const struct ts_request *request; /* borrowed */
  struct ts_issues *issues;         /* borrowed */
  struct ts_arena arena;            /* owns what is small */
  struct meter meter;
  const char *objective; /* borrowed from the request; its first */
  struct yardstick yard;
  struct recorded workflow;
  struct recorded *components; /* owned by the arena */
  const char **component_names;
  size_t component_count;
  const struct ts_tuner **tuners; /* owned by the arena */
  size_t tuner_count;
  struct ts_parameter *parameters; /* owned by the arena, as what they point to */
  struct ts_space space;
  struct ts_tune_goal goal;
  struct ts_tune_problem problem;
  double *component_outputs; /* owned; predictions that all seeds share; NULL: none */
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

/* recorded.c: reads a table, gz or not. With `of` (the table of the workflow) it is that of a component, whose
 * parameters are among those of `of`. */
bool ts_recorded_read(const struct ts_request *request, const char *file, const struct recorded *of,
                      struct recorded *table, struct ts_arena *arena, struct ts_issues *issues);
/* table_text.c: the text of a file, unpacked if it is gz. */
bool ts_table_text_read(const char *path, struct ts_str *text, struct ts_error *err);
/* problem.c: the space of the tables, and the problem of tuning it. */
bool ts_replaying_prepare(struct replaying *job);
/* replaying.c: seed by seed; `results` has seed_count entries. */
bool ts_replaying_run(struct replaying *job, const struct ts_tuner *tuner, struct replayed *results,
                      struct ts_error *err);
/* figures.c */
void ts_replayed_measure(const struct yardstick *yard, const struct ts_tune *tune, struct replayed *out);
/* Share of the n best rows by a model that are among the n best by what was measured, n = 1 .. count; per cent. */
void ts_yardstick_recall(const struct yardstick *yard, const double *scores, size_t count, double *recall);
/* moments.c: mean and standard error of one number of every seed (a member of struct replayed, by its offset); seeds
 * without it (not finite) do not count. */
struct moments {
  double mean, se;
  size_t count;
};
struct moments ts_replayed_moments(const struct replayed *results, size_t count, size_t offset);
/* The median of least_uses: seeds that never pay off count as infinite, and a mean would be. */
double ts_replayed_median_uses(const struct replayed *results, size_t count);
/* replay_json.c */
void ts_replaying_describe(const struct replaying *job, json_t *object);
json_t *ts_replayed_json(const struct replaying *job, const struct ts_tuner *tuner, const struct replayed *results);

#endif
