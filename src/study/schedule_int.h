/* Shared by the files of `schedule`: what is demanded, and what was found.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STUDY_SCHEDULE_INT_H
#define TS_STUDY_SCHEDULE_INT_H

#include "sched/stream/stream.h"
#include "study/study_int.h"

struct scheduling {
  struct session *s; /* borrowed */
  struct ts_task_graph graph;
  struct ts_stream_problem problem;
  const struct ts_stream_algorithm *algorithm; /* borrowed */
  double throughput;                           /* demanded; 0: none */
  double latency;                              /* demanded; infinite: none */
  uint64_t refine_ns, refine_end_ns;           /* CPU time of a refinement; that of the thread at which it ends */
  struct ts_stream_schedule schedule;          /* owned: the result */
  bool is_feasible;                            /* it meets every demand */
  double best_throughput;                      /* that is possible within the latency; negative: not looked for */
  double best_latency; /* that is possible at the throughput; negative: not looked for, infinite: none */
};

/* schedule_demands.c: the demands of the request. False: faults. */
bool ts_scheduling_read_demands(struct scheduling *job);
/* schedule_search.c: the throughput that an algorithm is asked for: the demand, as far as any schedule can have it. */
double ts_scheduling_rate(const struct scheduling *job, const struct ts_stream_problem *problem);
/* schedule_search.c: the schedule for the demands, and what is possible where they cannot be met. */
void ts_scheduling_search(struct scheduling *job);
/* schedule_reply.c */
void ts_scheduling_describe(const struct scheduling *job, json_t *object);
json_t *ts_scheduling_compare(struct scheduling *job); /* every algorithm; a new reference */
/* The list of ts_list; a new reference. */
json_t *ts_scheduler_list(void);
/* schedule_picture.c: writes an SVG file. */
bool ts_scheduling_draw(const struct scheduling *job, const char *path, struct ts_error *err);

#endif
