/* What a run is asked while it is under way and afterwards: counts, rows of tasks, products.
 * SPDX-License-Identifier: Apache-2.0 */
#include "handles/handles_int.h"

#include "api/lent.h"
#include "base/alloc.h"

#include <string.h>

/* ---- counts ---- */

bool tessera_run_state(struct tessera_run *run, struct tessera_run_counts *counts) {
  pthread_mutex_lock(&run->lock);
  struct tessera_run_counts now = run->standing.counts;
  pthread_mutex_unlock(&run->lock);
  if (!run->project) now.state = ts_handle_past_state(run->store, run->id);
  return ts_handle_copy_out(counts, counts->size_bytes, &now, sizeof now);
}

size_t tessera_run_stages(struct tessera_run *run, struct tessera_stage_counts *stages, size_t most) {
  const size_t stride = most > 0 ? stages->size_bytes : 0;
  size_t filled = 0;
  pthread_mutex_lock(&run->lock);
  const size_t count = run->standing.stages ? run->standing.counts.stage_count : 0;
  while (filled < most && filled < count) {
    struct tessera_stage_counts *from = &run->standing.stages[filled];
    char *to = (char *)stages + filled * stride;
    if (!ts_handle_copy_out(to, stride, from, sizeof *from)) break;
    memcpy(to, &stride, sizeof stride);
    filled++;
  }
  pthread_mutex_unlock(&run->lock);
  return filled;
}

/* ---- rows of tasks ---- */

static json_t *row_json(const struct ts_task_row *row) {
  json_t *object = ts_task_row_json(row);
  json_object_set_new(object, "number", json_integer((json_int_t)row->task));
  json_object_set_new(object, "start_s", json_real(row->start_s));
  json_object_set_new(object, "cpu_s", json_real(row->cpu_seconds));
  json_object_set_new(object, "worker", json_integer(row->worker));
  return object;
}

int tessera_run_tasks(struct tessera_run *run, uint64_t since, size_t most, char **reply) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_issues issues = {0};
  struct ts_error err = {0};
  struct ts_task_row *rows = NULL;
  size_t count = 0;
  const char *id = tessera_run_id(run);
  json_t *object = ts_reply_new("tessera.tasks/1"), *tasks = json_array();
  if (id[0] && !ts_store_task_rows_since(run->store->store, id, since, most > 0 ? most : SIZE_MAX, &arena, &rows,
                                         &count, &err)) {
    ts_issues_fault(&issues, &err);
    count = 0;
  }
  for (size_t i = 0; i < count; i++) json_array_append_new(tasks, row_json(&rows[i]));
  json_object_set_new(object, "run", json_string(id));
  json_object_set_new(object, "next", json_integer((json_int_t)(count > 0 ? rows[count - 1].task + 1 : since)));
  json_object_set_new(object, "tasks", tasks);
  char *text = NULL;
  const int code = ts_reply_finish(object, 0, &text, run->store->store, &issues);
  ts_handle_hand_over(text, reply);
  return code;
}

/* ---- products ---- */

struct tessera_product *tessera_run_product(struct tessera_run *run, const char *output, int64_t set, size_t unit,
                                            char **reply) {
  const struct ts_reopened_wish wish = {.output = output, .set = set, .unit = unit};
  const struct ts_reopened_place place = {.store = run->store->store,
                                          .read_only = run->store->read_only,
                                          .folder = run->store->folder,
                                          .id = tessera_run_id(run),
                                          .begun = run->project ? &run->project->order : NULL};
  struct ts_issues issues = {0};
  struct ts_data *data = NULL;
  ts_handle_hand_over(NULL, reply);
  if (!place.id[0]) {
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "the run is not recorded yet, or was refused");
    ts_error_help(&err, "wait for its first event, or for its end");
    ts_issues_fault(&issues, &err);
  } else if (ts_reopened_open(&run->reopened, &place, &issues)) {
    data = ts_reopened_product(&run->reopened, &place, &wish, &issues);
  }
  if (data) {
    ts_issues_release(&issues);
    return ts_handle_product_create(data);
  }
  ts_handle_refuse(&issues, reply);
  return NULL;
}
