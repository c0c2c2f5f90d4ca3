/* Runs and their tasks in the front: ids, states, and telling a crashed run from a running one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/process/process.h"
#include "store/store_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static bool draw_id(char id[9], struct ts_error *err) {
  uint8_t bytes[4];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
    return ts_fail(err, TS_ERR_SYSTEM, "the system gave no random number: %s", strerrordesc_np(errno));
  }
  ts_hex_encode(bytes, sizeof bytes, id);
  return true;
}

bool ts_store_run_begin(struct ts_store *store, const char *command, const char *file, const char *settings_json,
                        char id[9], struct ts_error *err) {
  if (!ts_store_check_writable(store, err)) return false;
  char process[TS_PROCESS_IDENTITY_SIZE] = "";
  ts_process_identity(getpid(), process);
  struct ts_store_run run = {.row = {.command = command,
                                     .file = file,
                                     .state = "running",
                                     .started_unix_ns = ts_clock_unix_ns(),
                                     .settings_json = settings_json,
                                     .result_json = "",
                                     .process_id = getpid()},
                             .process = process};
  struct ts_error trouble = {0};
  do {
    if (!draw_id(run.row.id, err)) return false;
    if (store->backend->run_insert(store->state, &run, &trouble)) {
      memcpy(id, run.row.id, sizeof run.row.id);
      return true;
    }
  } while (trouble.code == TS_ERR_OK); /* the id was taken */
  if (err && err->code == TS_ERR_OK) *err = trouble;
  return false;
}

static bool update(struct ts_store *store, const struct ts_store_run_change *change, struct ts_error *err) {
  struct ts_error trouble = {0};
  if (store->backend->run_update(store->state, change, &trouble)) return true;
  if (trouble.code == TS_ERR_OK) {
    ts_fail(&trouble, TS_ERR_NO_SUCH_RUN, "there is no run '%s' in the store '%s'", change->id, store->path);
    ts_error_help(&trouble, "list the runs with: tessera status");
  }
  if (err && err->code == TS_ERR_OK) *err = trouble;
  return false;
}

bool ts_store_run_update(struct ts_store *store, const char *id, const char *state, const char *result_json,
                         struct ts_error *err) {
  if (!ts_store_check_writable(store, err)) return false;
  const bool is_running = strcmp(state, "running") == 0;
  const bool is_finished = strcmp(state, "done") == 0 || strcmp(state, "failed") == 0;
  char process[TS_PROCESS_IDENTITY_SIZE] = "";
  ts_process_identity(getpid(), process);
  /* Who sets it running again is its process from now on. */
  const struct ts_store_run_change change = {.id = id,
                                             .state = state,
                                             .result_json = result_json,
                                             .finished_unix_ns = is_finished ? ts_clock_unix_ns() : 0,
                                             .process_id = getpid(),
                                             .process = is_running ? process : NULL};
  /* A run that has ended has all its rows. */
  if (!is_running) ts_store_queue_drain(&store->queue);
  return update(store, &change, err);
}

bool ts_store_run_settings(struct ts_store *store, const char *id, const char *settings_json, struct ts_error *err) {
  const struct ts_store_run_change change = {.id = id, .state = "running", .settings_json = settings_json};
  return ts_store_check_writable(store, err) && update(store, &change, err);
}

static bool is_alive(const struct ts_store *store, const struct ts_store_run *run) {
  const struct ts_store_backend *backend = store->backend;
  return backend->is_written_by ? backend->is_written_by(store->state, run->row.process_id, run->process)
                                : ts_process_is_alive(run->row.process_id, run->process);
}

bool ts_store_run_list(struct ts_store *store, struct ts_arena *arena, struct ts_run_row **rows, size_t *count,
                       struct ts_error *err) {
  struct ts_store_run *runs = NULL;
  *rows = NULL;
  *count = 0;
  if (!store->backend->run_list(store->state, arena, &runs, count, err)) return false;
  *rows = ts_arena_array(arena, *count, sizeof **rows);
  for (size_t i = 0; i < *count; i++) {
    (*rows)[i] = runs[i].row;
    const bool is_running = strcmp(runs[i].row.state, "running") == 0;
    if (is_running && !is_alive(store, &runs[i])) (*rows)[i].state = "interrupted";
  }
  return true;
}

bool ts_store_task_rows_since(struct ts_store *store, const char *run, uint64_t since, size_t limit,
                              struct ts_arena *arena, struct ts_task_row **rows, size_t *count, struct ts_error *err) {
  ts_store_queue_drain(&store->queue);
  return store->backend->task_list(store->state, run, since, limit, arena, rows, count, err);
}

bool ts_store_task_list(struct ts_store *store, const char *run, struct ts_arena *arena, struct ts_task_row **rows,
                        size_t *count, struct ts_error *err) {
  return ts_store_task_rows_since(store, run, 0, SIZE_MAX, arena, rows, count, err);
}

bool ts_store_task_end(struct ts_store *store, const char *run, uint64_t *end, struct ts_error *err) {
  ts_store_queue_drain(&store->queue);
  return store->backend->task_end(store->state, run, end, err);
}
