/* Buckets: which instances of a stage run together on one worker, when workers do not share memory.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A bucket runs on one worker, which executes each distinct task of it once: the cost of a bucket is the sum over its
 * distinct task keys. A task that two buckets have in common runs twice. Threads of one process share memory and need
 * none of this. The input knows nothing of workflows: members (instances of one stage), each a row of task keys. */
#ifndef TS_PLAN_BUCKET_H
#define TS_PLAN_BUCKET_H

#include "base/arena.h"
#include "base/error.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Members of one stage. Equal key: the same task, done once in a bucket. Keys of different tasks differ. */
struct ts_bucket_input {
  size_t member_count;
  size_t task_count;
  const uint32_t *keys; /* borrowed: member after member, task_count each, all below key_count */
  size_t key_count;
  bool chain;            /* keys are prefix keys: equal keys of a task mean that all earlier ones are equal too */
  const double *costs;   /* borrowed: per task, seconds; NULL: every task costs 1 */
  const uint64_t *bytes; /* borrowed: per task, size of its products; NULL: unknown, peaks are 0 */
  const bool *reads;     /* borrowed: reads[t * task_count + u], whether t reads u; NULL: each the one before it */
};

struct ts_bucket_options {
  size_t max_bucket_size;      /* naive, sca, rtma: most members of a bucket */
  size_t max_buckets;          /* trtma: most buckets; lineage: the same, 0 or 1: all members in one */
  bool no_swaps;               /* trtma: stop when no single move helps */
  double enough_imbalance;     /* trtma: stop when (max - min) / max is not above it; 0: when nothing helps */
  uint64_t memory_limit_bytes; /* trtma: most peak_bytes of a bucket, at the price of more buckets; 0: none */
};

struct ts_bucket {
  size_t stage; /* index in the workflow; 0 for a bare input */
  /* In the order of execution. ts_buckets_make: numbers of members; ts_plan_buckets: the first run of each. */
  const uint32_t *members;
  size_t member_count;
  size_t tasks; /* distinct task keys */
  double cost;
  uint64_t peak_bytes; /* products alive at once when the members run depth first */
};

struct ts_buckets {
  struct ts_arena arena; /* owns everything below */
  struct ts_bucket *items;
  size_t count;
  size_t *executed; /* per task, tasks over all buckets; ts_plan_buckets: per task of the workflow */
};
void ts_buckets_release(struct ts_buckets *buckets);

struct ts_reuse_tree;
/* One way to put members into buckets. */
struct ts_merger {
  const char *name;
  const char *help;
  bool needs_size;  /* max_bucket_size */
  bool needs_count; /* max_buckets */
  /* Gives every member the number of its bucket; there is at least one member. Numbers may be left out. False: err. */
  bool (*merge)(const struct ts_reuse_tree *tree, const struct ts_bucket_options *options, uint32_t *bucket_of,
                struct ts_error *err);
};
const struct ts_merger *ts_merger_find(const char *name); /* NULL if there is none */
const struct ts_merger *const *ts_merger_list(size_t *count);

bool ts_buckets_make(struct ts_buckets *buckets, const struct ts_merger *merger, const struct ts_bucket_input *input,
                     const struct ts_bucket_options *options, struct ts_error *err);
/* Fold-merge: buckets in descending order of cost, the last joins the one as far before the fold as it is behind it;
 * a long line is folded several times. target[i] is the position that bucket i joins after ONE fold; returns how many
 * are left. */
size_t ts_fold_line(size_t count, size_t max_buckets, uint32_t *target);

/* Turns identities of single tasks (rows of task_count numbers) into dense prefix keys: (own identity, previous key).
 * keys has room for as many numbers and may be the same array. Returns the number of distinct keys. */
size_t ts_chain_keys(const uint32_t *identities, size_t member_count, size_t task_count, uint32_t *keys);

/* Tasks, or their cost, when everything equal is done once. */
size_t ts_bucket_distinct(const struct ts_bucket_input *input, double *cost);
/* (max - min) / max of the costs; 0 for fewer than two buckets. */
double ts_buckets_imbalance(const struct ts_bucket *items, size_t count);
/* When the last of `workers` workers is done: each free one takes the costliest bucket left; every bucket is there
 * `units` times (tiles). */
double ts_buckets_makespan(const struct ts_bucket *items, size_t count, size_t units, size_t workers);
/* No grouping can be faster: all distinct work shared evenly, or the costliest single member. */
double ts_bucket_lower_bound(const struct ts_bucket_input *input, size_t units, size_t workers);

/* ---- from a plan ---- */
struct ts_plan_bucket_options {
  const struct ts_merger *merger;
  struct ts_bucket_options bucket;
  bool dag;                     /* keys of the graph of tasks instead of the chain */
  bool split_few;               /* max_buckets of each stage comes from ts_lineage_bucket_count */
  const double *costs;          /* borrowed: per task of the workflow; NULL: 1 each */
  const uint64_t *task_bytes;   /* borrowed: per task of the workflow; NULL: unknown */
  size_t workers;               /* for the predictions; 0: 1 */
  size_t units[TS_SCOPE_COUNT]; /* pieces of the dataset per scope: tiles, files, 1 */
};

struct ts_stage_forecast {
  size_t bucket_first, bucket_count; /* in ts_buckets */
  size_t members;                    /* distinct instances */
  double distinct_cost;              /* of all pieces, everything equal done once */
  double imbalance, makespan, lower_bound;
};

/* Puts the distinct instances of every stage into buckets (per piece of the dataset). The plan must have been made with
 * keep_instances and merged by lineage. forecasts: one per stage of the workflow, in the arena of the buckets. */
bool ts_plan_buckets(const struct ts_plan *plan, const struct ts_plan_bucket_options *options,
                     struct ts_buckets *buckets, const struct ts_stage_forecast **forecasts, struct ts_error *err);
/* A stage as the mergers see it: keys of its distinct instances, for looking at them. */
struct ts_stage_keys {
  size_t member_count, task_count, key_count;
  uint32_t *keys; /* owned: member after member, task_count each */
  size_t *tasks;  /* owned: the tasks that are needed, as indices in the workflow */
};
void ts_stage_keys_init(struct ts_stage_keys *keys, const struct ts_plan *plan, size_t stage, bool dag);
void ts_stage_keys_release(struct ts_stage_keys *keys);
/* Into how many buckets a piece of the dataset is split: 1, unless there are fewer than three pieces per worker. */
size_t ts_lineage_bucket_count(size_t units, size_t workers);

#endif
