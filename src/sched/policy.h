/* Policies: in which order ready tasks come. Pure, one const object each.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A policy turns what is known of a task into its place in the queue (ready.h), once, when the task becomes ready. So
 * an order costs the same whichever policy made it, and a queue never asks back. What may run where is not a matter of
 * policy: resources.h. */
#ifndef TS_SCHED_POLICY_H
#define TS_SCHED_POLICY_H

#include "sched/ready.h"

#define TS_NO_DEADLINE UINT64_MAX

struct ts_task_facts {
  uint32_t window; /* in the order in which windows are opened */
  uint32_t rank;   /* place of the first set that uses it, in the planned order */
  uint32_t depth;  /* tasks behind it, on the longest way */
  /* When all that needs the task must be finished, and how long that takes after it on the longest way, by the cost
   * model; since the run began. */
  uint64_t deadline_ns; /* TS_NO_DEADLINE: none */
  uint64_t after_ns;
};

struct ts_policy {
  const char *name;
  /* Sets urgency and priority of the task, from the facts alone. */
  void (*place)(const struct ts_task_facts *facts, struct ts_ready_task *task);
};

/* "depth-first", the default: ts_ready_priority. One started run after the other, so that few products are alive. */
extern const struct ts_policy ts_policy_depth_first;
/* "deadline": the task that must be finished first comes first, whatever is left to do after it taken off its deadline;
 * ties, and tasks without a deadline, which come last, in the default order. */
extern const struct ts_policy ts_policy_deadline;

extern const struct ts_policy *const ts_policies[];       /* ends with NULL; the default is the first */
const struct ts_policy *ts_policy_find(const char *name); /* NULL: there is none */

#endif
