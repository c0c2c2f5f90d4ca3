/* A run under way: a thread that executes it, those who wait for it, and those who stop it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The thread makes the same call as a host that waits would make, with the work order of the project in place of files
 * and the store of the handle in place of a folder. */
#include "handles/handles_int.h"

#include "api/lent.h"
#include "base/alloc.h"
#include "handles/request.h"

#include <errno.h>
#include <string.h>

struct tessera_run *ts_handle_run_create(struct tessera_store *store, struct tessera_project *project) {
  struct tessera_run *run = ts_calloc(1, sizeof *run);
  run->store = ts_handle_store_ref(store);
  run->project = project ? ts_handle_project_ref(project) : NULL;
  run->users = 1;
  run->is_over = !project;
  pthread_mutex_init(&run->lock, NULL);
  pthread_cond_init(&run->finished, NULL);
  ts_standing_init(&run->standing, "starting");
  ts_observers_init(&run->observers);
  ts_reopened_init(&run->reopened);
  return run;
}

void ts_handle_run_destroy(struct tessera_run *run) {
  ts_reopened_release(&run->reopened);
  ts_observers_release(&run->observers);
  ts_standing_release(&run->standing);
  pthread_cond_destroy(&run->finished);
  pthread_mutex_destroy(&run->lock);
  ts_arena_release(&run->arena);
  free(run->reply);
  tessera_project_close(run->project);
  tessera_store_close(run->store);
  free(run);
}

/* ---- the list of the store ---- */

static void enlist(struct tessera_run *run) {
  pthread_mutex_lock(&run->store->lock);
  run->next = run->store->runs;
  run->store->runs = run;
  pthread_mutex_unlock(&run->store->lock);
}

static void strike_off(struct tessera_run *run) {
  pthread_mutex_lock(&run->store->lock);
  struct tessera_run **link = &run->store->runs;
  while (*link && *link != run) link = &(*link)->next;
  if (*link) *link = run->next;
  pthread_mutex_unlock(&run->store->lock);
}

static void destroy_listed(struct tessera_run *run) {
  strike_off(run);
  ts_handle_run_destroy(run);
}

/* ---- the thread ---- */

static void on_event(void *user, const struct tessera_event *event) {
  struct tessera_run *run = user;
  pthread_mutex_lock(&run->lock);
  ts_standing_keep(&run->standing, event);
  pthread_mutex_unlock(&run->lock);
  ts_observers_tell(&run->observers, event);
}

/* Under the lock of the store. */
static bool is_under_way(const struct tessera_run *run, const char *id) {
  struct tessera_run *other = run->store->runs;
  for (; other; other = other->next) {
    if (other == run || other->is_over) continue;
    pthread_mutex_lock(&other->lock);
    const bool is_it = strcmp(other->id, id) == 0;
    pthread_mutex_unlock(&other->lock);
    if (is_it) return true;
  }
  return false;
}

static bool claim(void *user, const char *id) {
  struct tessera_run *run = user;
  pthread_mutex_lock(&run->store->lock);
  const bool is_free = !is_under_way(run, id);
  if (is_free) {
    pthread_mutex_lock(&run->lock);
    snprintf(run->id, sizeof run->id, "%s", id);
    run->standing.counts.state = "running";
    pthread_mutex_unlock(&run->lock);
  }
  pthread_mutex_unlock(&run->store->lock);
  return is_free;
}

static const char *state_of(int code) { return code == 130 ? "paused" : code == 0 || code == 4 ? "done" : "failed"; }

static void *execute(void *argument) {
  struct tessera_run *run = argument;
  char *reply = NULL;
  const int code = (run->is_study ? ts_study_of : ts_run_of)(&run->request, &run->project->order, &run->lent, &reply);
  pthread_mutex_lock(&run->store->lock);
  run->is_over = true;
  pthread_mutex_unlock(&run->store->lock);
  pthread_mutex_lock(&run->lock);
  run->code = code;
  run->reply = reply;
  run->is_finished = true;
  run->standing.counts.state = state_of(code);
  run->standing.counts.running = 0;
  const bool is_abandoned = run->is_abandoned; /* set by an observer, hence before */
  pthread_cond_broadcast(&run->finished);
  pthread_mutex_unlock(&run->lock);
  if (is_abandoned) destroy_listed(run);
  return NULL;
}

/* ---- starting ---- */

static bool take_request(struct tessera_run *run, const void *given, struct ts_error *err) {
  const struct ts_request_type *type = run->is_study ? &ts_study_request : &ts_run_request;
  struct ts_request *request = &run->request;
  if (!ts_handle_request_take(&run->arena, type, given, request, err) ||
      !ts_handle_request_is_for_project(request, err))
    return false;
  if (request->observer) ts_observers_add(&run->observers, request->observer);
  if (!request->folder) request->folder = run->project->request.folder;
  request->stop = &run->stop;
  run->observer = (struct tessera_observer){sizeof run->observer, on_event, run};
  request->observer = &run->observer;
  return true;
}

static struct tessera_run *start(struct tessera_project *project, bool is_study, const void *request, char **reply) {
  struct ts_error err = {0};
  struct tessera_run *run = ts_handle_run_create(project->store, project);
  ts_handle_hand_over(NULL, reply);
  run->is_study = is_study;
  run->lent = (struct ts_lent_store){.store = project->store->store, .user = run, .claim = claim};
  if (take_request(run, request, &err)) {
    enlist(run);
    const int number = pthread_create(&run->thread, NULL, execute, run);
    if (number == 0) return run;
    strike_off(run);
    ts_fail(&err, TS_ERR_SYSTEM, "a thread for the run could not be started: %s", strerrordesc_np(number));
    ts_error_help(&err, "raise the limit of threads, or end other runs first");
  }
  ts_handle_refuse_error(&err, reply);
  ts_handle_run_destroy(run);
  return NULL;
}

struct tessera_run *tessera_study_start(struct tessera_project *project, const struct tessera_study_request *request,
                                        char **reply) {
  return start(project, true, request, reply);
}

struct tessera_run *tessera_run_start(struct tessera_project *project, const struct tessera_run_request *request,
                                      char **reply) {
  return start(project, false, request, reply);
}

/* ---- asking, waiting, stopping ---- */

/* The id is written once, before it is seen here; a run of the past has it from the beginning. */
const char *tessera_run_id(struct tessera_run *run) {
  pthread_mutex_lock(&run->lock);
  const char *id = run->id[0] ? run->id : "";
  pthread_mutex_unlock(&run->lock);
  return id;
}

int tessera_run_wait(struct tessera_run *run, char **reply) {
  if (!run->project) return ts_handle_past_reply(run->store, run->id, reply);
  pthread_mutex_lock(&run->lock);
  while (!run->is_finished) pthread_cond_wait(&run->finished, &run->lock);
  const int code = run->code;
  char *text = ts_strdup(run->reply);
  pthread_mutex_unlock(&run->lock);
  ts_handle_hand_over(text, reply);
  return code;
}

void tessera_run_stop(struct tessera_run *run, int level) {
  int before = __atomic_load_n(&run->stop, __ATOMIC_RELAXED);
  while (before < level &&
         !__atomic_compare_exchange_n(&run->stop, &before, level, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

uint64_t tessera_run_observe(struct tessera_run *run, const struct tessera_observer *observer) {
  return run->project ? ts_observers_add(&run->observers, observer) : 0;
}

void tessera_run_unobserve(struct tessera_run *run, uint64_t observer) {
  ts_observers_remove(&run->observers, observer);
}

/* ---- closing ---- */

static bool has_other_users(struct tessera_run *run) {
  pthread_mutex_lock(&run->store->lock);
  const bool is_used = --run->users > 0;
  pthread_mutex_unlock(&run->store->lock);
  return is_used;
}

/* An observer cannot wait for the thread that waits for it: it leaves the run to that thread. */
static void abandon(struct tessera_run *run) {
  pthread_detach(run->thread);
  pthread_mutex_lock(&run->lock);
  run->is_abandoned = true;
  pthread_mutex_unlock(&run->lock);
}

void tessera_run_close(struct tessera_run *run) {
  if (!run || has_other_users(run)) return;
  if (!run->project) {
    ts_handle_run_destroy(run);
    return;
  }
  tessera_run_stop(run, 2);
  if (ts_observers_is_inside(&run->observers)) {
    abandon(run);
    return;
  }
  pthread_join(run->thread, NULL);
  destroy_listed(run);
}
