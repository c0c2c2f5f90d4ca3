/* Plays a recorded machine in virtual time: workers take what the queue gives them and start it when there is room.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A worker that was given a task for which it has no room keeps it and takes no other before it, as the engine does. */
#ifndef TS_TESTS_SUPPORT_SCHEDULER_H
#define TS_TESTS_SUPPORT_SCHEDULER_H

#include "sched/policy.h"

#define SIM_TASKS   64
#define SIM_WORKERS 16
#define SIM_CLASSES 4
#define SIM_NEEDS   8

struct sim_machine {
  struct ts_worker_class classes[SIM_CLASSES];
  uint32_t class_of[SIM_WORKERS]; /* per worker */
  size_t class_count, worker_count;
};
void sim_machine_read(struct sim_machine *machine, const char *name); /* tests/machines/NAME.json */
void sim_machine_equal(struct sim_machine *machine, size_t workers);  /* of one core each */

struct sim_task {
  struct ts_task_facts facts;
  uint32_t needs;
  uint64_t length;
  uint64_t inputs; /* bits of tasks with smaller numbers */
};

struct sim_start {
  uint32_t task, worker;
  uint64_t taken, begin, end;
  uint64_t ready; /* bits of the tasks that could have been taken instead */
};

struct sim {
  struct sim_machine machine;
  struct ts_task_needs needs[SIM_NEEDS];
  size_t needs_count;
  struct sim_task tasks[SIM_TASKS];
  size_t task_count;
  const struct ts_policy *policy;
  size_t push_first; /* tasks that are ready at once are pushed from this one on: no order may depend on it */

  struct sim_start starts[SIM_TASKS]; /* in the order in which tasks were taken */
  size_t start_count;
};
void sim_play(struct sim *sim);

#endif
