/* A project that is read once: its files as they were, and the work order that its runs are begun from.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs do not share the project that is kept here: each is opened from the order, so that two of them can have
 * different methods and tiles. What it loaded stays loaded: its runs find plugins that were changed since. */
#include "handles/handles_int.h"

#include "api/lent.h"
#include "base/alloc.h"
#include "handles/request.h"

#include <stdlib.h>

/* A study that compares with its default run leaves out files of references, but a run of the same project takes
 * them. */
static bool lacks_files(const struct ts_project *project) {
  return project->is_study && project->study.reference == REFERENCE_DEFAULT;
}

/* The first reading has said all warnings. */
static bool read_again(struct tessera_project *handle, struct ts_issues *issues) {
  struct ts_project *project = &handle->project;
  ts_auto(ts_issues_release) struct ts_issues again = {0};
  ts_project_release(project);
  ts_project_init(project, &handle->request);
  project->store = handle->store->store;
  if (ts_project_read(project, &again) && ts_project_open_dataset(project, false, &again)) return true;
  for (size_t i = 0; i < again.faults.count; i++) ts_issues_fault(issues, &again.faults.items[i]);
  return false;
}

/* As `check` reads it; the object gets what it says, and what the project is. */
static bool read_project(struct tessera_project *handle, json_t *object, struct ts_issues *issues) {
  struct ts_project *project = &handle->project;
  struct ts_work work;
  ts_project_init(project, &handle->request);
  project->store = handle->store->store;
  ts_check_project(&work, project, object, issues);
  ts_work_release(&work);
  if (!ts_issues_ok(issues)) return false;
  ts_handle_describe(project, object);
  return !lacks_files(project) || read_again(handle, issues);
}

static void freeze(struct tessera_project *handle) {
  ts_budget_set(&handle->project.budget, 0, 0); /* of runs while they are under way, not of a project that waits */
  handle->order.root = ts_order_write(&handle->project, NULL, NULL, 0);
  handle->order.locations = ts_order_locations(&handle->project, true);
  handle->order.file = handle->project.study.path;
}

static void destroy(struct tessera_project *handle) {
  ts_order_release(&handle->order);
  ts_project_release(&handle->project);
  tessera_store_close(handle->store);
  ts_arena_release(&handle->arena);
  free(handle->description);
  free(handle);
}

static struct tessera_project *create(struct tessera_store *store, char **reply) {
  struct tessera_store *held = store ? ts_handle_store_ref(store) : tessera_store_open(NULL, "memory", false, reply);
  if (!held) return NULL;
  struct tessera_project *handle = ts_calloc(1, sizeof *handle);
  atomic_init(&handle->holders, 1);
  handle->store = held;
  return handle;
}

struct tessera_project *tessera_project_open(const struct tessera_project_request *request, struct tessera_store *store,
                                             char **reply) {
  struct ts_issues issues = {0};
  struct ts_error err = {0};
  struct tessera_project *handle = create(store, reply);
  if (!handle) return NULL;
  if (!ts_handle_request_take(&handle->arena, &ts_project_request, request, &handle->request, &err)) {
    ts_handle_refuse_error(&err, reply);
    destroy(handle);
    return NULL;
  }
  json_t *object = ts_reply_new("tessera.project/1");
  const bool ok = read_project(handle, object, &issues);
  if (ok) freeze(handle);
  ts_reply_finish(object, 0, &handle->description, NULL, &issues);
  ts_handle_hand_over(ts_strdup(handle->description), reply);
  if (ok) return handle;
  destroy(handle);
  return NULL;
}

int tessera_project_describe(struct tessera_project *project, char **reply) {
  ts_handle_hand_over(ts_strdup(project->description), reply);
  return 0;
}

struct tessera_project *ts_handle_project_ref(struct tessera_project *project) {
  atomic_fetch_add(&project->holders, 1);
  return project;
}

void tessera_project_close(struct tessera_project *project) {
  if (project && atomic_fetch_sub(&project->holders, 1) == 1) destroy(project);
}
