/* Handles of libtessera: stores, projects, runs and products that live as long as their owner wants.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A store is opened once and shared by projects and runs; a project is read once, and later edits of its files do not
 * reach it; a run is under way in a thread of the library, or one of the past. Every handle may be asked from any
 * thread, and handles may be closed in any order: each keeps what it needs of the others. After a handle was closed it
 * may not be used. NULL may be closed.
 *
 * Functions that can fail return NULL or an exit code. `reply` may be NULL; otherwise *reply is the JSON object of the
 * call, with its "faults", or NULL where a call that succeeded has nothing to say. It is owned by the caller:
 * tessera_reply_free. Structs that the caller fills or hands over begin with their size; zero is the default of other
 * fields. */
#ifndef TESSERA_HANDLES_H
#define TESSERA_HANDLES_H

#include "tessera.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tessera_store;
struct tessera_project;
struct tessera_run;
struct tessera_product;

/* ---- Stores. ---- */

/* Opens the store `store` of a project folder. folder: NULL: the current one. store: a folder, relative to the former;
 * NULL: .tessera; "memory": nothing outlives the handle. One process at a time may write: T602. With read_only there
 * must be a store; that works while another process writes. */
TS_PUBLIC struct tessera_store *tessera_store_open(const char *folder, const char *store, bool read_only, char **reply);
/* Its runs, newest first, as tessera_status lists them. Schema tessera.status/1. */
TS_PUBLIC int tessera_store_runs(struct tessera_store *store, char **reply);
TS_PUBLIC void tessera_store_close(struct tessera_store *store);

/* ---- Projects. ---- */

/* Reads and checks a study or workflow and all that it names, as tessera_check does. store: where digests of files are
 * kept, and what its runs use; NULL: one in memory. The reply is that of tessera_project_describe; NULL is returned if
 * it has faults. */
TS_PUBLIC struct tessera_project *tessera_project_open(const struct tessera_project_request *request,
                                                       struct tessera_store *store, char **reply);
/* Items with their sizes and tiles, parameters, stages and their outputs, outputs of the study. Schema
 * tessera.project/1. */
TS_PUBLIC int tessera_project_describe(struct tessera_project *project, char **reply);

/* A rectangle of an image of the project. */
struct tessera_tile {
  size_t size_bytes;
  size_t item;       /* number of the item */
  const char *input; /* of the workflow; NULL: the only one, or the first that is an image */
  int64_t x, y, width, height;
  int32_t level; /* of resolution; 0: the finest */
};
/* Its pixels. The file must have the content that it had when the project was opened: T405. */
TS_PUBLIC struct tessera_product *tessera_project_tile(struct tessera_project *project, const struct tessera_tile *tile,
                                                       char **reply);
TS_PUBLIC void tessera_project_close(struct tessera_project *project);

/* ---- Runs. ---- */

/* Start a study or a run (one set) of an open project and return at once; a thread of the library does the work. The
 * request is as in tessera_study and tessera_run, except for what is the project's: file, data and store may not be
 * given, nor dry_run, nor stop (tessera_run_stop). folder: NULL: that of the project. observer is the first observer.
 * Runs at the same time need an output folder each. What is wrong with the request comes with tessera_run_wait. */
TS_PUBLIC struct tessera_run *tessera_study_start(struct tessera_project *project,
                                                  const struct tessera_study_request *request, char **reply);
TS_PUBLIC struct tessera_run *tessera_run_start(struct tessera_project *project,
                                                const struct tessera_run_request *request, char **reply);
/* A run of the store by its id, or the first digits of it; NULL: the last one. If it was started by this handle of the
 * store and is not closed, this is the same run once more, to be closed once more. */
TS_PUBLIC struct tessera_run *tessera_run_open(struct tessera_store *store, const char *id, char **reply);

/* 8 hexadecimal digits; "" until the run is recorded, and if it was refused before. Valid until the run is closed. */
TS_PUBLIC const char *tessera_run_id(struct tessera_run *run);
/* Waits until the run ends; any number of threads may. Gives its reply and its exit code, each time the same. A run
 * that is not under way in this process is not waited for: its reply is what the store has of it. */
TS_PUBLIC int tessera_run_wait(struct tessera_run *run, char **reply);
/* 1: pause, running tasks are finished; 2: running tasks give up, too. Returns at once; a higher level stays. A run
 * that was stopped goes on with `resume` and `resume_id`. */
TS_PUBLIC void tessera_run_stop(struct tessera_run *run, int level);

/* How far a stage of a run has come. */
struct tessera_stage_counts {
  size_t size_bytes;
  const char *name; /* valid until the run is closed */
  uint64_t total, done, running, reused, failed;
};
/* How far a run has come: a copy. */
struct tessera_run_counts {
  size_t size_bytes;
  const char *state; /* "starting", "running", "paused", "done", "failed"; of the past also "interrupted". Constant */
  double elapsed_s;
  double left_s; /* estimate; negative: unknown */
  size_t threads, stage_count;
  uint64_t total, done, running, reused, failed; /* tasks of all stages */
};
/* counts->size_bytes is what the caller has; no more is written. False: the size is not one of this struct. Of a run
 * that is not under way in this process only the state is known. */
TS_PUBLIC bool tessera_run_state(struct tessera_run *run, struct tessera_run_counts *counts);
/* The first `most` stages, each with the size that the caller has set in the first; returns how many were filled. */
TS_PUBLIC size_t tessera_run_stages(struct tessera_run *run, struct tessera_stage_counts *stages, size_t most);

/* Adds an observer of the events of a run; returns its number, 0 for a run that is not under way in this process.
 * Events come from threads of the library, one at a time. An observer may call the library, but not wait for its own
 * run. */
TS_PUBLIC uint64_t tessera_run_observe(struct tessera_run *run, const struct tessera_observer *observer);
/* After the return it is not called any more. May be called by the observer itself. */
TS_PUBLIC void tessera_run_unobserve(struct tessera_run *run, uint64_t observer);

/* What happened to each task: rows with a number of at least `since`, at most `most` of them (0: all), in the order in
 * which they were settled. "next" is what to ask for the next time. Schema tessera.tasks/1. */
TS_PUBLIC int tessera_run_tasks(struct tessera_run *run, uint64_t since, size_t most, char **reply);

#define TESSERA_DEFAULT_SET (-1) /* the set of default parameters */
/* The product at an output of a stage ("segment.mask") for a set and a unit: the number of a tile, a file, or 0 for the
 * dataset, as the stage runs. Loaded from the store, or computed where the store does not have it. */
TS_PUBLIC struct tessera_product *tessera_run_product(struct tessera_run *run, const char *output, int64_t set,
                                                      size_t unit, char **reply);
/* The last handle of a run that is under way makes running tasks give up and waits for the end, unless an observer of
 * the run closes it; it can be continued. */
TS_PUBLIC void tessera_run_close(struct tessera_run *run);

/* ---- Products. ---- */

/* Immutable; all pointers are valid until the product is released. */
struct tessera_product_info {
  size_t size_bytes;
  const char *type;    /* "mask", "labels", "image/rgb8", "table", ... */
  const char *kind;    /* "pixels", "table", "bytes", "file" */
  const char *element; /* of pixels: "u8", "u16", "u32", "f32", "f64"; "" otherwise */
  const void *bytes;   /* pixels, cells or bytes; NULL for a file */
  size_t byte_count;   /* pixels: frame by frame, plane by plane, row by row without padding, channels interleaved */
  int32_t channels;    /* pixels */
  int32_t level;       /* of resolution */
  int64_t x, y;        /* place in the image */
  int64_t width, height;
  int32_t z, t, depth, frames;
  size_t rows, columns;            /* tables */
  const char *const *column_names; /* tables */
  const double *cells;             /* tables: row by row; a missing value is NaN */
  const char *path;                /* of a file; NULL otherwise */
};
/* info->size_bytes is what the caller has; no more is written. False: the size is not one of this struct. */
TS_PUBLIC bool tessera_product_describe(const struct tessera_product *product, struct tessera_product_info *info);
TS_PUBLIC void tessera_product_release(struct tessera_product *product);

#ifdef __cplusplus
}
#endif
#endif
