/* Runs a case with the engine and keeps all that it tells: products, events, counts.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_SUPPORT_TOY_RUN_H
#define TS_TESTS_SUPPORT_TOY_RUN_H

#include "support/toy_oracle.h"

/* A case with all that a run of it needs, and what it must give. */
struct toy_subject {
  struct toy_case toy;
  struct toy_dataset data;
  struct toy_oracle oracle;
  struct ts_plan *plan;         /* owned */
  struct ts_registry *registry; /* borrowed */
  unsigned long long seed;      /* for messages */
};
void toy_subject_draw(struct toy_subject *subject, struct ts_registry *registry, const struct toy_settings *settings,
                      bool twins, uint64_t seed);
/* After the case was made by hand: the dataset, the oracle and the plan. */
void toy_subject_complete(struct toy_subject *subject, struct ts_registry *registry, const struct toy_image *images,
                          size_t image_count, int64_t tile_px, int64_t halo_px);
void toy_subject_release(struct toy_subject *subject);
/* How many tasks must be executed with success. Without cutoff those of the plan; else one per distinct content: in
 * each group of its own, unless a store can pass products on from one to another. */
size_t toy_expected_executed(const struct toy_subject *subject, bool no_cutoff, bool stored);

/* One run; `options` are filled by the test, callbacks and registry by toy_run. */
struct toy_run {
  const struct toy_subject *subject; /* borrowed */
  struct ts_run_options options;
  size_t stop_after; /* events after which the run is asked to stop; 0: never */
  void (*on_event)(void *user, const struct ts_task_event *event); /* may be NULL */
  void *user;

  struct ts_run_result result;  /* what came out */
  uint64_t executions;          /* of toy operations */
  struct ts_map products;       /* node, port, unit -> struct ts_data, one reference */
  struct ts_map events;         /* node, unit -> outcome */
  struct ts_map keys;           /* lineage keys of tasks -> bits 1 << outcome */
  size_t event_count, repeated; /* repeated: told twice */
  size_t wrong_messages;        /* failures without a reason, or others with one */
  atomic_int inside;            /* callbacks running: never more than one */
  int stop;
};

/* Fails the test if the run as a whole fails. Release before the next run. */
void toy_run_do(struct toy_run *run);
void toy_run_do_on(struct toy_run *run, const struct ts_dataset *dataset); /* not that of the subject */
void toy_run_release(struct toy_run *run);
uint64_t toy_run_sum(const struct toy_run *run, enum ts_outcome outcome); /* tasks and the reference run's */

/* Every product of every run is there exactly if the oracle has it, and is the same; every distinct task and unit has
 * one outcome, told once; the counters of the operations agree with the result. `what` is said if not. */
void toy_run_check(const struct toy_run *run, const char *what);
void toy_run_check_sum(const struct toy_run *run, const char *what, enum ts_outcome outcome, uint64_t expected);
/* Products alone; "" or what is wrong. */
const char *toy_check_products(const struct toy_run *run);

/* A folder for a store on disk, removed by toy_folder_remove. */
void toy_folder_create(char path[256]);
void toy_folder_remove(const char *path);
struct ts_store *toy_store_open(const char *path); /* NULL: in memory */
/* Removes the bytes of a product, as eviction or damage do; its records stay. */
void toy_store_forget(struct ts_store *store, const struct ts_data *product);

#endif
