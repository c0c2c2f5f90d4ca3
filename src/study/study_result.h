/* The result of a study and how it becomes an object, a table and a page.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STUDY_STUDY_RESULT_H
#define TS_STUDY_STUDY_RESULT_H

#include "study/engine.h"

#include "analysis/analysis.h"

/* A picture of the report; also a file beside it, so that the report can be written again. */
struct study_picture {
  const char *role, *file;
  struct ts_str caption, png;
};

struct study_result {
  char run_id[9];
  const char *state; /* "done", "failed", "paused" */
  int64_t started_unix_ns;
  uint64_t start_ns;
  struct parameter_sets sets;
  struct ts_plan *plan;        /* owned */
  struct collector *collector; /* owned */
  struct progress *progress;   /* owned */
  struct engine_run engine;
  double *outputs;                 /* owned: output after output, one value per run */
  struct ts_morris_index *indices; /* owned: output after output; NULL for a given design */
  struct study_picture pictures[2];
  size_t picture_count;
  const char *folder, *report_path, *results_path, *json_path;
};

/* The result object; with incomplete results (paused, failed) it has the counts only. */
json_t *ts_study_object(struct session *s, struct study_result *r, bool complete);
/* Parameters and outputs of every run. */
void ts_study_results_csv(const struct session *s, const struct study_result *r, struct ts_str *csv);
/* Draws and writes the pictures where the workflow makes masks; none otherwise. */
bool ts_study_draw(struct session *s, struct study_result *r);
json_t *ts_study_pictures_json(const struct study_result *r);
void ts_study_pictures_release(struct study_result *r);
/* The HTML page of a result object, with the pictures that lie in the folder. */
bool ts_study_report(const json_t *object, const char *folder, struct ts_str *html, struct ts_error *err);
/* The run that differs most in the first output, and the tile where it does; false if there is none. */
bool ts_study_most_different(const struct session *s, const struct study_result *r, size_t *set, size_t *tile);

#endif
