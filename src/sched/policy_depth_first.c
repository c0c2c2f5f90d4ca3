/* The default policy: depth first along the reuse tree, so that a started run is finished and its products are freed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy.h"

static void place(const struct ts_task_facts *facts, struct ts_ready_task *task) {
  task->urgency = 0;
  task->priority = ts_ready_priority(facts->window, facts->rank, facts->depth);
}

const struct ts_policy ts_policy_depth_first = {.name = "depth-first", .place = place};
