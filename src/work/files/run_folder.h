/* The folder that a run writes its results to: which one it is, whether it may be used, and what run.json says.
 * SPDX-License-Identifier: Apache-2.0
 *
 * out/NAME-run.RUN, with the link out/NAME-run to the newest, or the folder of -o. run.json ("tessera.run-folder/1",
 * docs/schema/run-folder.schema.json) says what the files were made from, and lists them, so that another run of the
 * same thing can replace them and nothing else. It is written before the first file, with every name that may follow,
 * and at last with those that were written: a run that is killed leaves a folder that it may use again. */
#ifndef TS_WORK_RUN_FOLDER_H
#define TS_WORK_RUN_FOLDER_H

#include "work/work.h"

#define TS_RUN_FOLDER_SCHEMA "tessera.run-folder/1"
#define TS_RUN_FOLDER_FILE   "run.json"

/* What is about to be written, or was. */
struct ts_run_folder {
  const struct ts_project *project; /* borrowed */
  const struct ts_plan *plan;       /* borrowed */
  const struct ts_value *values;    /* borrowed: the parameter set */
  const char *run;                  /* id */
  const char *path;                 /* of the folder, as it is shown */
  const char *place;                /* the same, absolute */
};

/* Before a run is recorded: whether the folder can be written, and is absent, empty or one of the same workflow or
 * study and data. A fault otherwise. */
bool ts_run_folder_check(const struct ts_project *project, struct ts_arena *arena, struct ts_issues *issues);
/* Makes the folder, removes the files of an earlier run and begins run.json with the paths that may be written. */
bool ts_run_folder_begin(const struct ts_run_folder *folder, const char *const *planned, size_t count,
                         struct ts_error *err);
/* The last file: run.json with those that were written, relative to the folder. Without -o also the link. */
bool ts_run_folder_end(const struct ts_run_folder *folder, const char *state, const char *const *written, size_t count,
                       struct ts_issues *issues, struct ts_error *err);

#endif
