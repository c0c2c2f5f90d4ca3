/* Shared by the files of the coordinator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server's thread answers workers at once: descriptions, buckets, leases. All their other messages go into the
 * inbox, and the thread that called ts_dist_run takes them from there in order: it keeps the books, adds buckets, and
 * looks after the processes. So callbacks come from one thread, and a slow one delays no worker but those that have
 * sent too much already. */
#ifndef TS_DIST_COORDINATOR_INT_H
#define TS_DIST_COORDINATOR_INT_H

#include "dist/children.h"
#include "dist/dist.h"
#include "dist/jobs.h"
#include "dist/ledger.h"
#include "dist/messages.h"
#include "message/server.h"
#include "queue/queue.h"
#include "run/frontier.h"
#include "store/serve.h"

#include <pthread.h>

#define TS_NOBODY     0 /* no connection has this id */
#define TS_NO_BUCKET  UINT64_MAX
#define MOST_ATTEMPTS 3 /* workers that one bucket may cost */

/* Something a worker said; a message of kind 0 says that it is gone. */
struct message {
  size_t slot;
  uint64_t peer; /* of the server */
  uint32_t kind;
  char *bytes; /* owned */
  size_t count;
};

/* One process. There are twice as many as workers: one that stops answering keeps its slot, another takes its place. */
struct slot {
  struct ts_child child;
  bool is_started; /* and not yet replaced */
  bool is_running;
  char id[TS_DIST_ID_BYTES]; /* drawn for each process */
  size_t lane;               /* number among the workers, for its threads in events */
  uint64_t peer;             /* its connection for work; TS_NOBODY: not connected */
  bool is_ready;             /* its plan is ours */
  bool is_still;             /* it stopped answering, and has not asked for a bucket since */
  uint64_t heard_ns;         /* when it said something last; its heartbeat does at a third of the lease */
  bool waits;                /* it asked for a bucket and has none yet */
  size_t inbox_bytes;        /* of its messages in the inbox */
  bool has_bucket;
  uint64_t bucket; /* number of the one it holds, or held when it went */
  uint64_t token;  /* of its claim */
  uint32_t window, attempts;
  uint64_t peak_bytes;
  uint64_t gone_ns; /* when the connection ended; 0: it has not */
};

/* The last claim of a bucket. */
struct claim {
  uint64_t token; /* 0: nobody holds it */
  uint32_t attempts;
  bool is_incomplete; /* a product that the store keeps could not be loaded */
  double start_s;     /* since the run began */
};

/* A claim that was lost, and whether the user knows that its worker goes on. */
struct lost_claim {
  uint64_t token;
  uint32_t window;
  bool is_reported;
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
  char *folder, *socket, *store_socket; /* owned: paths */
  struct ts_message_server *server;     /* owned */
  struct ts_server *store_server;       /* owned */
  struct ts_queue *queue;               /* owned; has a lock of its own, taken last */
  size_t threads;                       /* of each worker */
  uint64_t lease_ns;
  int stop_sent; /* the level that the workers know */

  pthread_mutex_t lock;  /* guards the rest, up to the next comment */
  struct slot *slots;    /* owned; children are the caller's thread's alone */
  size_t slot_count;     /* fixed */
  struct message *inbox; /* owned */
  size_t inbox_count, inbox_capacity;
  struct claim *claims; /* owned: by number of the bucket */
  size_t claim_count, claim_capacity;
  bool over; /* no more buckets are given out */
  int wake_fd;

  /* the caller's thread alone */
  struct ts_error trouble; /* first error that ends the run */
  uint64_t next_number;    /* of buckets */
  size_t open_buckets;
  size_t *open_in_window;   /* owned: buckets per window */
  uint32_t *bucket_windows; /* owned: window of each bucket */
  size_t bucket_capacity;
  size_t start_failures;     /* in a row */
  uint64_t looked_ns;        /* when leases were looked at last */
  struct lost_claim *losses; /* owned */
  size_t loss_count, loss_capacity;
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
/* By any thread: a claim may find something, or there is nothing more to do. */
void ts_coordinator_wake_waiting(void *coordinator);
/* All messages so far; owned by the caller. */
struct message *ts_coordinator_take_messages(struct coordinator *c, size_t *count);

/* coordinator.c: the caller's thread. The first error ends the run. */
void ts_coordinator_end_with(struct coordinator *c, const struct ts_error *err);

/* processes.c: the caller's thread. */
int ts_coordinator_stop_level(const struct coordinator *c);
void ts_coordinator_start_all(struct coordinator *c);
/* Replaces processes that ended, and takes buckets back whose leases did. */
void ts_coordinator_look_after(struct coordinator *c);
/* Whether any process runs, or has messages that are not read. */
bool ts_coordinator_any_running(struct coordinator *c);
void ts_coordinator_signal_all(const struct coordinator *c, int number);
/* Kills the processes that stand still. */
void ts_coordinator_kill_still(struct coordinator *c);
/* When all have ended: says which ended badly. */
void ts_coordinator_release_processes(struct coordinator *c);
/* Something came with the token of a claim that was lost: its worker goes on. */
void ts_coordinator_refuse(struct coordinator *c, uint64_t token);
/* The claim of a bucket with this token counts no more; another one may be there already. */
void ts_coordinator_forget_claim(struct coordinator *c, uint64_t number, uint64_t token);

/* sharing.c: the caller's thread. */
bool ts_coordinator_first_jobs(struct coordinator *c, struct ts_error *err);
/* A bucket is done. */
bool ts_coordinator_bucket_done(struct coordinator *c, uint32_t window, const struct ts_dist_result *result,
                                struct ts_error *err);
void ts_coordinator_release_sharing(struct coordinator *c);

#endif
