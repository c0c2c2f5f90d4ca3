/* Shared by the files of the coordinator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server's thread answers workers at once: descriptions, buckets. All their messages go into the inbox, and the
 * thread that called ts_dist_run takes them from there in order: it keeps the books, adds buckets, and looks after the
 * processes. So callbacks come from one thread, and a slow one delays no worker. */
#ifndef TS_DIST_COORDINATOR_INT_H
#define TS_DIST_COORDINATOR_INT_H

#include "dist/children.h"
#include "dist/dist.h"
#include "dist/jobs.h"
#include "dist/ledger.h"
#include "dist/messages.h"
#include "queue/queue.h"
#include "run/frontier.h"
#include "store/serve.h"

#include <pthread.h>

#define TS_NOBODY    SIZE_MAX
#define TS_NO_BUCKET UINT64_MAX

/* Something a worker said; a message of kind 0 says that it is gone. */
struct message {
  size_t worker; /* the server's number */
  uint32_t kind;
  char *bytes; /* owned */
  size_t count;
};

struct slot {
  struct ts_child child;
  bool is_running;
  size_t worker; /* the server's number; TS_NOBODY: not connected */
  bool is_ready; /* its plan is ours */
  bool has_bucket;
  uint64_t bucket; /* number of the one it holds, or held when it went */
  uint64_t token;  /* of its claim */
  uint32_t window, attempts;
  uint64_t peak_bytes;
  uint64_t gone_ns; /* when the connection ended; 0: it has not */
};

/* A window that is split: first a run per worker, then the front, then the rest. */
enum sharing_step { SHARING_FIRST, SHARING_FRONT, SHARING_REST };
struct shared_window {
  struct ts_frontier *frontier; /* owned; NULL: all its buckets are known */
  enum sharing_step step;
  bool *front;     /* owned: per task, whether it belongs to the front */
  uint64_t sample; /* the bucket whose end shows the costs of tasks; TS_NO_BUCKET: there is none, or it is done */
};

struct coordinator {
  const struct ts_plan *plan;
  const struct ts_dataset *dataset;
  const struct ts_dist_options *options;
  struct ts_run_result *result;
  struct ts_ledger ledger;
  struct ts_sha256 fingerprint;
  uint64_t begun_ns;
  char *folder, *socket; /* owned: paths */
  struct ts_server *server;
  struct ts_queue *queue; /* owned; has a lock of its own, taken last */
  size_t threads;         /* of each worker */
  int stop_told;          /* the level that the workers know */

  pthread_mutex_t lock;  /* guards the rest, up to the next comment */
  pthread_cond_t taken;  /* the inbox has room again */
  struct slot *slots;    /* owned: one per worker; children are the caller's thread's alone */
  struct message *inbox; /* owned */
  size_t inbox_count, inbox_capacity, inbox_bytes;
  bool over; /* no more buckets are given out */
  int wake_fd;

  /* the caller's thread alone */
  struct ts_error trouble; /* first error that ends the run */
  uint64_t next_number;    /* of buckets */
  size_t open_buckets;
  size_t *open_in_window;   /* owned: buckets per window */
  uint32_t *bucket_windows; /* owned: window of each bucket */
  size_t bucket_capacity;
  size_t start_failures;        /* in a row */
  struct shared_window *shared; /* owned: per window; NULL: windows are not split */
  size_t shared_count;          /* windows that are */
  double *costs;                /* owned: per task, seconds */
  struct ts_job *jobs;          /* owned: jobs[number] of the buckets of shared windows */
  size_t job_capacity;
  struct ts_run_setup *setup; /* owned: for the frontiers */
  struct ts_run_options share_options;
};

/* inbox.c: in the server's thread. */
bool ts_coordinator_serve(struct coordinator *c, struct ts_error *err);
/* All messages so far; owned by the caller. */
struct message *ts_coordinator_take_messages(struct coordinator *c, size_t *count);

/* coordinator.c: the caller's thread. The first error ends the run. */
void ts_coordinator_end_with(struct coordinator *c, const struct ts_error *err);

/* sharing.c: the caller's thread. */
bool ts_coordinator_first_jobs(struct coordinator *c, struct ts_error *err);
/* A bucket is done. */
bool ts_coordinator_bucket_done(struct coordinator *c, uint32_t window, const struct ts_dist_result *result,
                                struct ts_error *err);
void ts_coordinator_release_sharing(struct coordinator *c);

#endif
