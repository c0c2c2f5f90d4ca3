/* How the work on a plan is shared out between workers: which demands make which buckets. Pure.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where there are fewer windows than keep all workers busy, each is split. Where there are enough, only the last ones
 * are, so that no worker waits long for the one that took the last whole window. Where costs are not given, one run
 * goes first to measure the costs of the tasks, while each other worker does one from elsewhere in the design. The
 * cheap front of the workflow is then shared out task by task as they become ready, equal contents once
 * (run/frontier.h). The rest of the workflow is split by the contents that the front made: runs with the same contents
 * stay together, so that little is done twice and little is passed on.
 *
 * Nothing here knows the coordinator, the queue, the store or a clock: sharing.c asks, and carries out the answers. */
#ifndef TS_DIST_SHARE_POLICY_H
#define TS_DIST_SHARE_POLICY_H

#include "base/arena.h"
#include "run/run.h"

/* How many of the windows are split: the last ones. */
size_t ts_share_split_count(const struct ts_plan *plan, size_t windows, size_t workers, bool no_store);
/* Into how many shares the runs of each window go where no store passes products on; 0: the windows are enough. */
size_t ts_share_run_shares(size_t windows, size_t workers);

/* The runs that go first in one of `windows` split ones: the place in the plan's order of each; returns their number.
 * places has room for `workers`. They are far from each other, so that they have little in common that would be done
 * twice. */
size_t ts_share_first_runs(const struct ts_plan *plan, size_t workers, size_t windows, size_t *places);

/* Whether tasks that are ready make another bucket, and of how many of them. */
bool ts_share_has_room(size_t open_buckets, size_t workers);
size_t ts_share_bucket_size(size_t ready, size_t workers);

/* The front: the longest beginning of the workflow that is cheap enough. costs: seconds per task, 0 where nothing is
 * known. Windows of several units have no runs that could be distinguished by their contents: all their tasks are the
 * front. */
void ts_share_front(const struct ts_plan *plan, const double *costs, bool *is_front);

/* The work that is left of a window after its front. */
struct ts_share_rest {
  const struct ts_plan *plan;
  uint32_t window;
  const uint32_t *keys; /* borrowed: per set, per task: see ts_frontier_keys */
  const bool *is_front; /* borrowed: per task */
  const double *costs;  /* borrowed: per task */
  size_t workers;
  size_t windows; /* that are split */
};

struct ts_share_bucket {
  struct ts_run_demand *demands; /* in the arena */
  size_t count;
};
struct ts_share_buckets {
  struct ts_arena arena;         /* owns the demands */
  struct ts_share_bucket *items; /* owned */
  size_t count, capacity;
};
/* The buckets in the order in which they are to be taken. A zeroed struct is an empty list. */
bool ts_share_split_rest(const struct ts_share_rest *rest, struct ts_share_buckets *buckets, struct ts_error *err);
void ts_share_buckets_release(struct ts_share_buckets *buckets);

/* Products of the reference run alone, which belong to no set: demands has room for plan->wanted_count. Returns their
 * number. */
size_t ts_share_reference(const struct ts_plan *plan, uint32_t window, struct ts_run_demand *demands);

#endif
