/* List scheduling in virtual time, with the queue and the policies under test.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/scheduler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"

static void add_workers(struct sim_machine *machine, const struct ts_worker_class *class) {
  assert_true(machine->class_count < SIM_CLASSES && machine->worker_count + class->workers <= SIM_WORKERS);
  for (uint32_t i = 0; i < class->workers; i++)
    machine->class_of[machine->worker_count++] = (uint32_t)machine->class_count;
  machine->classes[machine->class_count++] = *class;
}

void sim_machine_read(struct sim_machine *machine, const char *name) {
  struct ts_error err = {0};
  struct ts_json_doc doc;
  char path[512];
  size_t i = 0;
  const json_t *class = NULL;
  snprintf(path, sizeof path, "%s/tests/machines/%s.json", getenv("TESSERA_SOURCE_DIR"), name);
  if (!ts_json_doc_open(&doc, path, &err)) fail_msg("%s", err.text);
  *machine = (struct sim_machine){0};
  json_array_foreach(json_object_get(doc.root, "classes"), i, class) {
    struct ts_worker_class read = {.workers = (uint32_t)json_integer_value(json_object_get(class, "workers"))};
    if (!ts_worker_class_parse(&read, json_string_value(json_object_get(class, "has")), &err)) fail_msg("%s", err.text);
    add_workers(machine, &read);
  }
  ts_json_doc_close(&doc);
}

void sim_machine_equal(struct sim_machine *machine, size_t workers) {
  *machine = (struct sim_machine){0};
  add_workers(machine, &(struct ts_worker_class){.workers = (uint32_t)workers, .cores = 1});
}

struct play {
  struct sim *sim;
  struct ts_ready ready;
  struct ts_places places[SIM_WORKERS];
  size_t held[SIM_WORKERS]; /* a start that waits for room; SIZE_MAX: none */
  uint64_t now, pushed, taken, done;
};

static void push_ready(struct play *play) {
  const struct sim *sim = play->sim;
  for (size_t i = 0; i < sim->task_count; i++) {
    const uint32_t t = (uint32_t)((i + sim->push_first) % sim->task_count);
    const struct sim_task *task = &sim->tasks[t];
    if (play->pushed >> t & 1 || (task->inputs & ~play->done) != 0) continue;
    struct ts_ready_task entry = {.instance = t, .needs = task->needs};
    sim->policy->place(&task->facts, &entry);
    play->pushed |= UINT64_C(1) << t;
    if (t % 3 == 0)
      ts_ready_push(&play->ready, entry);
    else
      ts_ready_push_local(&play->ready, t % sim->machine.worker_count, entry);
  }
}

static bool begin(struct play *play, struct sim_start *start) {
  struct sim *sim = play->sim;
  const struct ts_task_needs *needs = &sim->needs[sim->tasks[start->task].needs];
  const struct ts_worker_class *class = &sim->machine.classes[sim->machine.class_of[start->worker]];
  if (!ts_places_fit(&play->places[start->worker], class, needs)) return false;
  ts_places_take(&play->places[start->worker], needs);
  start->begin = play->now;
  start->end = play->now + sim->tasks[start->task].length;
  return true;
}

/* Whether the worker could do something. */
static bool take(struct play *play, uint32_t worker) {
  struct sim *sim = play->sim;
  struct ts_ready_task entry;
  size_t *held = &play->held[worker];
  const struct ts_worker_class *class = &sim->machine.classes[sim->machine.class_of[worker]];
  if (*held != SIZE_MAX) {
    if (!begin(play, &sim->starts[*held])) return false;
    *held = SIZE_MAX;
    return true;
  }
  if (play->places[worker].cores >= class->cores || !ts_ready_take(&play->ready, worker, &entry)) return false;
  struct sim_start *start = &sim->starts[sim->start_count];
  *start = (struct sim_start){.task = entry.instance,
                              .worker = worker,
                              .taken = play->now,
                              .begin = UINT64_MAX,
                              .end = UINT64_MAX,
                              .ready = play->pushed & ~play->taken};
  play->taken |= UINT64_C(1) << entry.instance;
  if (!begin(play, start)) *held = sim->start_count;
  sim->start_count++;
  return true;
}

static void finish(struct play *play) {
  struct sim *sim = play->sim;
  uint64_t next = UINT64_MAX;
  for (size_t i = 0; i < sim->start_count; i++) {
    const struct sim_start *start = &sim->starts[i];
    if (!(play->done >> start->task & 1) && start->end < next) next = start->end;
  }
  if (next == UINT64_MAX) fail_msg("nothing runs, but %zu of %zu tasks began", sim->start_count, sim->task_count);
  play->now = next;
  for (size_t i = 0; i < sim->start_count; i++) {
    const struct sim_start *start = &sim->starts[i];
    if (play->done >> start->task & 1 || start->end != next) continue;
    play->done |= UINT64_C(1) << start->task;
    ts_places_leave(&play->places[start->worker], &sim->needs[sim->tasks[start->task].needs]);
  }
}

void sim_play(struct sim *sim) {
  struct play play = {.sim = sim};
  const uint64_t all = sim->task_count == 64 ? UINT64_MAX : (UINT64_C(1) << sim->task_count) - 1;
  sim->start_count = 0;
  for (size_t w = 0; w < SIM_WORKERS; w++) play.held[w] = SIZE_MAX;
  ts_ready_init(&play.ready, sim->machine.worker_count);
  ts_ready_restrict(&play.ready, sim->machine.classes, sim->machine.class_of, sim->needs, sim->needs_count);
  while (play.done != all) {
    push_ready(&play);
    for (uint32_t w = 0; w < sim->machine.worker_count; w++) {
      while (take(&play, w)) continue;
    }
    finish(&play);
  }
  ts_ready_release(&play.ready);
}
