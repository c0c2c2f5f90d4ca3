/* What is behind the handles, and how they keep each other.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stores and projects are counted: their owner holds them once, each project and run that uses them once more. A run
 * has as many users as handles were given out; its thread ends before it is freed. Locks are taken in this order: that
 * of the store, that of the run; none is held while an observer is called. */
#ifndef TS_HANDLES_HANDLES_INT_H
#define TS_HANDLES_HANDLES_INT_H

#include "tessera.h"

#include "data/data.h"
#include "handles/observers.h"
#include "handles/reopened.h"
#include "handles/standing.h"
#include "order/order.h"
#include "project/project.h"
#include "store/store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* ---- store.c ---- */
struct tessera_store {
  atomic_size_t holders;
  struct ts_store *store; /* owned */
  char *folder;           /* owned: of the project, to which other paths are relative */
  bool read_only;
  pthread_mutex_t lock;     /* guards the list of runs, and users and is_over of each run in it */
  struct tessera_run *runs; /* borrowed: started here and not closed, newest first */
};
struct tessera_store *ts_handle_store_ref(struct tessera_store *store);

/* ---- project.c ---- */
/* Read-only once it is open, so that it needs no lock. */
struct tessera_project {
  atomic_size_t holders;
  struct tessera_store *store; /* held */
  struct ts_arena arena;       /* texts of the request */
  struct ts_request request;
  struct ts_project project; /* the files as they were read */
  struct ts_order order;     /* of the project alone: what its runs are begun from */
  char *description;         /* owned: the reply */
};
struct tessera_project *ts_handle_project_ref(struct tessera_project *project);
/* describe.c: the members of tessera.project/1. */
void ts_handle_describe(const struct ts_project *project, json_t *object);

/* ---- run.c ---- */
struct tessera_run {
  struct tessera_store *store;     /* held */
  struct tessera_project *project; /* held; NULL: a run of the past */
  struct tessera_run *next;        /* borrowed: in the list of the store */
  size_t users;                    /* handles given out */
  bool is_over;                    /* its thread does not touch the run of this id any more */
  bool is_study;
  struct ts_arena arena; /* texts of the request */
  struct ts_request request;
  struct tessera_observer observer; /* of the call: tells the observers of the handle */
  struct ts_lent_store lent;
  pthread_t thread;        /* of a run that was started */
  int stop;                /* atomic: read by the engine */
  pthread_mutex_t lock;    /* guards what follows, up to the observers */
  pthread_cond_t finished; /* is_finished was set */
  bool is_finished;
  bool is_abandoned; /* closed by an observer: its thread frees it */
  char id[9];
  int code;
  char *reply; /* owned */
  struct ts_standing standing;
  struct ts_observers observers; /* with a lock of its own */
  struct ts_reopened reopened;   /* with a lock of its own: for products */
};
struct tessera_run *ts_handle_run_create(struct tessera_store *store, struct tessera_project *project);
void ts_handle_run_destroy(struct tessera_run *run);
/* past.c: what the store has of a run. */
int ts_handle_past_reply(struct tessera_store *store, const char *id, char **reply);
const char *ts_handle_past_state(struct tessera_store *store, const char *id);

/* ---- product.c ---- */
struct tessera_product *ts_handle_product_create(struct ts_data *data); /* takes the reference */

/* ---- reply.c ---- */
/* The reply of a call that could not do what it should: faults are taken out of the issues. Returns the exit code. */
int ts_handle_refuse(struct ts_issues *issues, char **reply);
int ts_handle_refuse_error(const struct ts_error *err, char **reply);
/* Hands a text over, or frees it if the caller does not want it. */
void ts_handle_hand_over(char *text, char **reply);
/* Copies a struct to a caller who has `size` bytes for it, its size first; false: no version of it is that short. */
bool ts_handle_copy_out(void *to, size_t size, const void *from, size_t known);

#endif
