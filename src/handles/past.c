/* Runs of a store by their id, and what the store has of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "handles/handles_int.h"

#include "api/lent.h"
#include "base/alloc.h"

#include <string.h>

/* ---- opening ---- */

/* A run of this id that was started here, held once more; of several the newest, which goes on with the others. */
static struct tessera_run *find_started(struct tessera_store *store, const char *id) {
  struct tessera_run *found = NULL;
  pthread_mutex_lock(&store->lock);
  for (struct tessera_run *run = store->runs; run && !found; run = run->next) {
    pthread_mutex_lock(&run->lock);
    if (run->users > 0 && strcmp(run->id, id) == 0) found = run;
    pthread_mutex_unlock(&run->lock);
  }
  if (found) found->users++;
  pthread_mutex_unlock(&store->lock);
  return found;
}

struct tessera_run *tessera_run_open(struct tessera_store *store, const char *id, char **reply) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_issues issues = {0};
  struct ts_run_row row;
  ts_handle_hand_over(NULL, reply);
  if (!ts_run_find(store->store, id, NULL, &arena, &row, &issues)) {
    ts_handle_refuse(&issues, reply);
    return NULL;
  }
  ts_issues_release(&issues);
  struct tessera_run *run = find_started(store, row.id);
  if (run) return run;
  run = ts_handle_run_create(store, NULL);
  memcpy(run->id, row.id, sizeof run->id);
  return run;
}

/* ---- what the store has ---- */

static const char *const states[] = {"running", "paused", "done", "failed", "interrupted"};

static const char *constant_state(const char *state) {
  for (size_t i = 0; i < sizeof states / sizeof *states; i++)
    if (strcmp(states[i], state) == 0) return states[i];
  return "interrupted";
}

const char *ts_handle_past_state(struct tessera_store *store, const char *id) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  ts_auto(ts_issues_release) struct ts_issues issues = {0};
  struct ts_run_row row;
  return ts_run_find(store->store, id, NULL, &arena, &row, &issues) ? constant_state(row.state) : "interrupted";
}

/* As a call that waited for it would have returned, where that is known: a target that was missed is not. */
static int code_of(const char *state) {
  if (strcmp(state, "done") == 0) return 0;
  return strcmp(state, "failed") == 0 ? 1 : 130;
}

int ts_handle_past_reply(struct tessera_store *store, const char *id, char **reply) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_issues issues = {0};
  struct ts_run_row row;
  if (!ts_run_find(store->store, id, NULL, &arena, &row, &issues)) return ts_handle_refuse(&issues, reply);
  json_t *object = row.result_json[0] ? json_loads(row.result_json, 0, NULL) : NULL;
  if (!object) {
    object = ts_reply_new(strcmp(row.command, "study") == 0 ? "tessera.study/2" : "tessera.run/2");
    json_object_set_new(object, "run", json_string(row.id));
    json_object_set_new(object, "state", json_string(row.state));
  }
  if (!json_object_get(object, "warnings")) json_object_set_new(object, "warnings", json_array());
  if (!json_object_get(object, "faults")) json_object_set_new(object, "faults", json_array());
  ts_handle_hand_over(ts_json_dump(object, false, true), reply);
  json_decref(object);
  ts_issues_release(&issues);
  return code_of(row.state);
}
