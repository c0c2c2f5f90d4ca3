/* Shared by the files of stream scheduling: a problem with its levels and order, mappings, and their estimates.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_SCHED_STREAM_STREAM_INT_H
#define TS_SCHED_STREAM_STREAM_INT_H

#include "sched/stream/channels_int.h"
#include "sched/stream/stream.h"

/* Counts of replicas and throughputs are compared with this tolerance: at the largest throughput the fractional
 * replicas sum to exactly P. */
#define STREAM_EPSILON 1e-7
/* Latencies closer than this, relatively, are the same. */
#define STREAM_SAME 1e-9

/* A task or an edge in the static order, with what an estimate needs of the edge. */
struct stream_item {
  uint32_t index;
  bool is_edge;
  uint32_t from, to;
  double time; /* of the transfer */
};

/* A problem at one throughput, with what every algorithm needs. */
struct stream_model {
  const struct ts_task_graph *graph; /* borrowed */
  size_t task_count, edge_count;
  size_t processors, ports;
  double wanted; /* throughput */
  bool may_duplicate;
  bool is_literal;           /* every candidate that the paper names is estimated, however long it takes */
  double *time;              /* owned, by task */
  bool *is_fixed;            /* owned, by task: must not be replicated */
  double total_time;         /* of all tasks */
  double *top;               /* owned: longest path to the task, without its time */
  double *bottom;            /* owned: longest path from the task, with its time */
  uint32_t *rank;            /* owned, by task: the tie-breaker everywhere */
  struct stream_item *order; /* owned: S, tasks and edges by decreasing bottom level */
  uint32_t *task_order;      /* owned: the tasks of S */
  uint64_t *reaches;         /* owned, task_count rows of reach_words: bit u of row t: a path leads from t to u */
  size_t reach_words;
  double least_latency;
  const struct ts_stream_problem *problem; /* borrowed */
};

void ts_stream_model_init(struct stream_model *s, const struct ts_stream_problem *problem, double wanted);
void ts_stream_model_release(struct stream_model *s);
bool ts_stream_is_stopped(const struct stream_model *s);
bool ts_stream_is_ordered(const struct stream_model *s, uint32_t a,
                          uint32_t b); /* a path leads from one to the other */

/* Which copies of which tasks are in which cluster. Copies of task t: where[first[t]] to where[first[t + 1]],
 * ascending. */
struct mapping {
  uint32_t cluster_count;
  uint32_t *home;  /* owned, by task: the cluster whose copy serves the others */
  uint32_t *first; /* owned, task_count + 1 */
  uint32_t *where; /* owned */
  size_t copy_capacity;
  double *time;   /* owned, by cluster: of its copies */
  double *forced; /* owned, by cluster: least number of replicas */
  bool *is_fixed; /* owned, by cluster: has a task that must not be replicated */
};

void ts_mapping_init(struct mapping *m, const struct stream_model *s); /* every task by itself */
void ts_mapping_release(struct mapping *m);
void ts_mapping_assign(struct mapping *m, const struct stream_model *s, const uint32_t *cluster_of,
                       uint32_t cluster_count);
void ts_mapping_copy(struct mapping *to, const struct mapping *from, const struct stream_model *s);
uint32_t ts_mapping_copies(const struct mapping *m, const struct stream_model *s); /* of all tasks */
/* Index in `where` of the copy of a task in a cluster; UINT32_MAX: it has none. */
uint32_t ts_mapping_find(const struct mapping *m, uint32_t task, uint32_t cluster);
double ts_mapping_need(const struct mapping *m, const struct stream_model *s,
                       uint32_t cluster); /* replicas, fractional */
double ts_mapping_replicas(const struct mapping *m, const struct stream_model *s, uint32_t cluster);
double ts_mapping_processors(const struct mapping *m, const struct stream_model *s);
double ts_mapping_need_of_all(const struct mapping *m, const struct stream_model *s);
bool ts_mapping_is_allowed(const struct mapping *m,
                           const struct stream_model *s); /* tasks that must not be replicated */
uint64_t ts_mapping_hash(const struct mapping *m, const struct stream_model *s);
double ts_stream_ceil(double value); /* at least 1 */

/* Changes: `to` becomes `from` with the change; the two differ. Copies that have no reader disappear. */
void ts_mapping_merge(struct mapping *to, const struct mapping *from, const struct stream_model *s, uint32_t a,
                      uint32_t b);
void ts_mapping_duplicate(struct mapping *to, const struct mapping *from, const struct stream_model *s, uint32_t edge,
                          uint32_t cluster);
/* Adds and removes one copy; empty clusters and copies without a reader disappear. A cluster number equal to
 * cluster_count makes a new one. */
void ts_mapping_move(struct mapping *to, const struct mapping *from, const struct stream_model *s, uint32_t task,
                     uint32_t from_cluster, uint32_t to_cluster);
/* Exchanges the primary copies of two tasks, neither of which is in the cluster of the other. */
void ts_mapping_exchange(struct mapping *m, const struct stream_model *s, uint32_t t, uint32_t u);
/* The copies of a cluster that come at or behind `task` in the static order become a new cluster. */
void ts_mapping_split(struct mapping *to, const struct mapping *from, const struct stream_model *s, uint32_t cluster,
                      uint32_t task);
void ts_mapping_drop_unread(struct mapping *m, const struct stream_model *s);

/* One transfer of a mapping, as estimated. */
struct transfer {
  uint32_t edge, from, to;          /* clusters */
  int32_t from_channel, to_channel; /* in channels; -1: it takes no time */
  int32_t link;                     /* -1: it takes no time, or there is one port */
  double slot;
  double start, finish;
};

/* What an estimate finds, and its scratch memory, which the next estimate uses again. */
struct estimate {
  double throughput, latency;
  double transfer_rate; /* infinite: no transfers */
  double processors;
  struct transfer *transfers; /* owned, in S order */
  size_t transfer_count, transfer_capacity;
  struct channels channels;
  double *copy_finish; /* owned, by index in `where` */
  double *tail;        /* owned, by index in `where`: longest path from the copy without contention */
  size_t copy_capacity;
  double *arrival;     /* owned, by index in `where` */
  double *cluster_end; /* owned, by cluster */
  double *remote_tail; /* owned, by task */
  uint32_t *component; /* owned, by cluster: its lowest member */
  double *span;        /* owned, by component: longest cycle of its channels */
  double *parallel;    /* owned, by component: fewest parallel transfers */
  double *replicas;    /* owned, by cluster */
  double latest;       /* latency at which a pass ends */
  double least_rate;   /* throughput at which a pass ends; 0: none */
};

void ts_estimate_init(struct estimate *e, const struct stream_model *s);
void ts_estimate_release(struct estimate *e);
void ts_estimate_reserve(struct estimate *e, size_t copies); /* room for this many copies */
/* Longest path without contention: a lower bound of the latency. Fills in `tail`. */
double ts_estimate_bound(struct estimate *e, const struct stream_model *s, const struct mapping *m);
/* The same for the mapping with two clusters merged; copies that would then have no reader still count. */
double ts_estimate_bound_merged(struct estimate *e, const struct stream_model *s, const struct mapping *m, uint32_t a,
                                uint32_t b);
/* After ts_estimate_bound, which returned `longest`: marks in a matrix of clusters the pairs whose merge would remove a
 * transfer of one path of that length. A merge of any other pair keeps the path, so its bound is no smaller. */
void ts_estimate_bound_path(const struct estimate *e, const struct stream_model *s, const struct mapping *m,
                            double longest, bool *is_between);
/* Throughput and latency. */
void ts_estimate_run(struct estimate *e, const struct stream_model *s, const struct mapping *m);
/* The same of a candidate: false as soon as the latency is known to exceed the limit (infinite: there is none) or the
 * throughput to be less than `least` (0: there is no limit). With STREAM_UNASKED the throughput need not be found, and
 * is not valid. */
bool ts_estimate_within(struct estimate *e, const struct stream_model *s, const struct mapping *m, double latency_limit,
                        double least);
#define STREAM_UNASKED (-1.0)
double ts_stream_least(const struct stream_model *s); /* for the throughput that is wanted */
/* The throughput again, where nothing but replicas changed since the estimate. */
void ts_estimate_count_again(struct estimate *e, const struct stream_model *s, const struct mapping *m);
bool ts_estimate_meets(const struct estimate *e, const struct stream_model *s); /* the throughput */
/* critical[i]: transfer i is on a longest path. Needs a complete estimate. */
void ts_estimate_critical(const struct estimate *e, const struct stream_model *s, const struct mapping *m,
                          bool *critical);
bool ts_latency_same(double a, double b);
bool ts_latency_less(double a, double b); /* by more than the tolerance */

/* What is known of a candidate of the step: transfers between the same clusters lead to the same merge, and transfers
 * of the same task to the same cluster to the same duplicate. */
struct tried {
  bool is_duplicate;
  uint32_t first, second; /* of a merge: clusters; of a duplicate: task and cluster */
  bool is_out;            /* it misses a limit, and will again: limits become no wider within a step */
  double latency, processors;
};

/* What the phases share: the problem, a mapping, its estimate, and room for candidates. */
struct search {
  struct stream_model model; /* owned */
  struct mapping now, candidate, best;
  struct estimate estimate, trial; /* of `now`, of `candidate` */
  struct tried *tried;             /* owned */
  size_t tried_count, tried_capacity;
};
/* The candidate for a transfer of `now`; NULL: it is new in this step. */
const struct tried *ts_search_recall(const struct search *search, const struct transfer *x, bool is_duplicate);
/* Notes it: with the estimate in search->trial, or as out. */
void ts_search_note(struct search *search, const struct transfer *x, bool is_duplicate, bool is_out);
/* Of `limit` estimates per step, how many a graph with this many edges gets; with --literal, no limit. */
size_t ts_search_most(const struct search *search, size_t limit);
/* search->candidate becomes what the transfer leads to. */
void ts_search_change(struct search *search, const struct transfer *x, bool is_duplicate);
void ts_search_init(struct search *search, const struct ts_stream_problem *problem, double wanted);
void ts_search_release(struct search *search);

/* The phases of MOS. Each begins with search->now and its estimate and leaves both; false: it found no way. */
bool ts_stream_sth(struct search *search);
bool ts_stream_prh(struct search *search);
bool ts_stream_repair(struct search *search); /* STH's second loop with the processors that there are */
void ts_stream_lmh(struct search *search);
/* Local search, as long as the problem's time_left says; never ends with a higher latency. Needs a mapping that meets
 * everything. */
void ts_stream_refine(struct search *search, const struct ts_stream_problem *problem);

/* Schedules from mappings. */
void ts_stream_make_schedule(const struct stream_model *s, const struct mapping *m, struct ts_stream_schedule *out);
void ts_stream_list_schedule(const struct stream_model *s, struct ts_stream_schedule *out);

extern const struct ts_stream_algorithm ts_stream_mos, ts_stream_fcp, ts_stream_fcp_e, ts_stream_expert,
    ts_stream_expert_e, ts_stream_heft;

#endif
