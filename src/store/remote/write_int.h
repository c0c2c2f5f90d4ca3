/* The server's second thread: writes the batches of workers, so that nobody else waits for the disk meanwhile.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_REMOTE_WRITE_INT_H
#define TS_STORE_REMOTE_WRITE_INT_H

#include "store/remote/answer_int.h"

#include <pthread.h>

/* A request to write that was handed over; nobody else touches it until it is given back. */
struct ts_remote_job {
  struct ts_remote_job *next; /* borrowed; used by the writer */
  void *owner;                /* borrowed */
  const void *bytes;          /* borrowed */
  size_t count;
  enum ts_remote_answer answer; /* never YES with bytes */
  struct ts_error err;
};

struct ts_remote_writer {
  struct ts_remote_service *service; /* borrowed; only its store is used */
  /* Gives a job back, in the writer's thread; it is the caller's again at once. */
  void (*on_done)(struct ts_remote_job *job);
  bool is_started;
  pthread_t thread;
  pthread_mutex_t lock; /* guards everything below */
  pthread_cond_t changed;
  struct ts_remote_job *first; /* borrowed; to be written, in order */
  struct ts_remote_job *last;  /* borrowed */
  bool stopping;
};

bool ts_remote_writer_start(struct ts_remote_writer *writer, struct ts_remote_service *service,
                            void (*on_done)(struct ts_remote_job *job), struct ts_error *err);
/* Ends it after the job it is at; all jobs are the callers' again. Fine if it was not started. */
void ts_remote_writer_stop(struct ts_remote_writer *writer);
void ts_remote_writer_submit(struct ts_remote_writer *writer, struct ts_remote_job *job);

#endif
