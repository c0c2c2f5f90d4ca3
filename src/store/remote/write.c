/* Writing for workers, one batch after another.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/remote/write_int.h"

#include "base/alloc.h"
#include "base/lock.h"

#include <signal.h>
#include <string.h>

static struct ts_remote_job *next_job(struct ts_remote_writer *writer) {
  while (!writer->first && !writer->stopping) pthread_cond_wait(&writer->changed, &writer->lock);
  if (writer->stopping) return NULL;
  struct ts_remote_job *job = writer->first;
  writer->first = job->next;
  return job;
}

static void *writer_main(void *argument) {
  struct ts_remote_writer *writer = argument;
  ts_auto(ts_str_release) struct ts_str nothing = {0};
  struct ts_remote_job *job;
  pthread_mutex_lock(&writer->lock);
  while ((job = next_job(writer))) {
    pthread_mutex_unlock(&writer->lock);
    job->answer =
        ts_remote_answer_request(writer->service, TS_REMOTE_WRITE, job->bytes, job->count, &nothing, &job->err);
    writer->on_done(job);
    pthread_mutex_lock(&writer->lock);
  }
  pthread_mutex_unlock(&writer->lock);
  return NULL;
}

static int start_thread(struct ts_remote_writer *writer) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all); /* signals are for the threads of the program */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int number = pthread_create(&writer->thread, NULL, writer_main, writer);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return number;
}

bool ts_remote_writer_start(struct ts_remote_writer *writer, struct ts_remote_service *service,
                            void (*on_done)(struct ts_remote_job *job), struct ts_error *err) {
  memset(writer, 0, sizeof *writer);
  writer->service = service;
  writer->on_done = on_done;
  pthread_mutex_init(&writer->lock, NULL);
  pthread_cond_init(&writer->changed, NULL);
  const int number = start_thread(writer);
  writer->is_started = number == 0;
  if (writer->is_started) return true;
  pthread_cond_destroy(&writer->changed);
  pthread_mutex_destroy(&writer->lock);
  ts_fail(err, TS_ERR_SYSTEM, "the thread that writes for workers cannot be started: %s", strerrordesc_np(number));
  return ts_error_help(err, "raise the limit of processes (ulimit -u)");
}

void ts_remote_writer_stop(struct ts_remote_writer *writer) {
  if (!writer->is_started) return;
  pthread_mutex_lock(&writer->lock);
  writer->stopping = true;
  pthread_cond_signal(&writer->changed);
  pthread_mutex_unlock(&writer->lock);
  pthread_join(writer->thread, NULL);
  pthread_cond_destroy(&writer->changed);
  pthread_mutex_destroy(&writer->lock);
  writer->is_started = false;
}

void ts_remote_writer_submit(struct ts_remote_writer *writer, struct ts_remote_job *job) {
  ts_hold(&writer->lock);
  job->next = NULL;
  if (writer->first) {
    writer->last->next = job;
  } else {
    writer->first = job;
  }
  writer->last = job;
  pthread_cond_signal(&writer->changed);
}
