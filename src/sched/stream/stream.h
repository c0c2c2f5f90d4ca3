/* Schedules of streams: maps the tasks of a graph, through which items flow, to processors that talk through k ports.
 * SPDX-License-Identifier: Apache-2.0
 *
 * N. Vydyanathan, U. Catalyurek, T. Kurc, P. Sadayappan, J. Saltz, "Optimizing Latency and Throughput of Application
 * Workflows on Clusters", OSU-CISRC-4/08-TR17. Tasks are grouped into clusters; a cluster runs on one processor, or on
 * several that take turns with the items (replicas). Copies of one task in several clusters (duplicates) each process
 * every item. Computation and transfers overlap; a transfer occupies one of the k channels of the sender and of the
 * receiver and the link between them. Pure: no threads, no clock, no input or output. */
#ifndef TS_SCHED_STREAM_STREAM_H
#define TS_SCHED_STREAM_STREAM_H

#include "graph/task_graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_stream_problem {
  const struct ts_task_graph *graph; /* borrowed; finished */
  size_t processors;                 /* identical; at least 1 */
  size_t ports;                      /* channels of each; at least 1 */
  bool no_duplication, no_replication;
  bool literal; /* MOS as the paper has it: without the candidate of one cluster, with every pair of every step */
  /* The share of the time of the refinement that is left, from 1 down; at 0 it ends. NULL: no refinement. */
  double (*time_left)(void *user);
  /* Whether the user wants no result any more: every algorithm then ends soon, with any schedule. NULL: never. */
  bool (*is_stopped)(void *user);
  void *user;    /* of both */
  uint64_t seed; /* of the refinement */
};

/* One copy of a task in a cluster, in the order of execution. */
struct ts_stream_copy {
  uint32_t task;
  bool is_home;         /* remote consumers are served from here */
  double start, finish; /* of one item that arrives at 0 */
};

struct ts_stream_cluster {
  struct ts_stream_copy *copies; /* owned by the schedule */
  size_t copy_count, replicas;
  double time; /* for one item */
};

struct ts_stream_transfer {
  uint32_t edge, from_cluster, to_cluster;
  double start, finish;              /* of one item that arrives at 0 */
  double slot;                       /* start in the periodic schedule; negative: takes no time and has none */
  uint32_t from_channel, to_channel; /* 0 to k - 1 at each end */
  bool is_critical;                  /* on a longest path */
};

struct ts_stream_schedule {
  bool is_found;         /* otherwise there is no mapping at all: `throughput` is the best that an attempt reached */
  bool is_feasible;      /* found, and meets the throughput with the processors */
  bool is_pipelined;     /* otherwise one item after the other: throughput 1 / latency */
  const char *candidate; /* static: which candidate of MOS it is; "" otherwise */
  double latency, throughput;
  size_t processors;
  struct ts_stream_cluster *clusters; /* owned */
  size_t cluster_count;
  struct ts_stream_transfer *transfers; /* owned */
  size_t transfer_count;
};
void ts_stream_schedule_release(struct ts_stream_schedule *schedule);

/* An algorithm: least latency at a throughput of at least `throughput` (0: no demand). */
struct ts_stream_algorithm {
  const char *name, *title;
  void (*run)(const struct ts_stream_problem *problem, double throughput, struct ts_stream_schedule *out);
  bool is_refinable; /* what it returns may be refined */
};
extern const struct ts_stream_algorithm *const ts_stream_algorithms[];        /* NULL ends the list; MOS is the first */
const struct ts_stream_algorithm *ts_stream_algorithm_find(const char *name); /* NULL: there is none */

/* The largest throughput that any schedule can have. Infinite where no task takes time. */
double ts_stream_most_throughput(const struct ts_stream_problem *problem);
/* Longest path through the times of tasks alone: no schedule has a smaller latency. */
double ts_stream_least_latency(const struct ts_stream_problem *problem);
/* Whether `throughput` is as much as `wanted`, within the tolerance of the estimates. */
bool ts_stream_meets(double throughput, double wanted);

/* The other way round: the highest throughput at a latency of at most `latency` (Algorithm 4). Not feasible: `out` is
 * the schedule of least latency that was seen. */
void ts_stream_inverse(const struct ts_stream_problem *problem, const struct ts_stream_algorithm *algorithm,
                       double latency, struct ts_stream_schedule *out);

#endif
