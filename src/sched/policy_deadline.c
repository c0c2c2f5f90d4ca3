/* Earliest deadline first: of each task the latest end that leaves enough time for the tasks after it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * On one worker this order meets all deadlines whenever any order does, if all tasks are there from the start: the
 * deadline of a task that others need becomes earlier by what they take (E. L. Lawler 1973, doi:10.1287/mnsc.19.5.544).
 * On several equal workers the same holds for tasks of equal length that need nothing of each other. The slack of a
 * task shrinks while it waits, but that of all others shrinks as fast: the order is settled when it becomes ready. */
#include "sched/policy.h"

static void place(const struct ts_task_facts *facts, struct ts_ready_task *task) {
  const bool is_free = facts->deadline_ns == TS_NO_DEADLINE;
  const uint64_t latest_end = facts->deadline_ns > facts->after_ns ? facts->deadline_ns - facts->after_ns : 0;
  task->urgency = is_free ? UINT64_MAX : latest_end;
  task->priority = ts_ready_priority(facts->window, facts->rank, facts->depth);
}

const struct ts_policy ts_policy_deadline = {.name = "deadline", .place = place};
