/* A trace of a run in the Chrome trace-event format, written while it runs; Perfetto and chrome://tracing open it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file is one JSON array with an event in each line. Lines are written whole and a few times a second, so that
 * the file of a killed process is readable except for its closing bracket, which both viewers do not need. A trace
 * is used by one thread at a time. A failed write ends the trace, never the run: later events are dropped and
 * closing says why. */
#ifndef TS_WORK_TRACE_H
#define TS_WORK_TRACE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_trace;

/* One call of an operation, or a step of the engine itself (reading, cropping, gathering). Texts are borrowed. */
struct ts_trace_call {
  const char *name; /* "segment.split" */
  bool is_task;     /* otherwise the engine's own */
  size_t worker;    /* from 0 */
  double start_s;   /* since the run began */
  double wall_s, cpu_s;
  const char *key;
  int64_t set; /* the first run that asks for it; negative: the reference run alone */
  const char *file;
  bool has_tile;
  int64_t tile_x, tile_y;
  const char *outcome;
};

/* How many tasks are settled by now, and how. */
struct ts_trace_counts {
  uint64_t executed, cutoff, store, failed;
};

/* Begins a file; an existing one is replaced if it is an earlier trace, refused (BAD_VALUE) if it is anything else. */
struct ts_trace *ts_trace_open(const char *path, struct ts_error *err);
/* Calls come from processes with this many threads each, which are then shown separately; before ts_trace_name. */
void ts_trace_split(struct ts_trace *trace, size_t threads_each);
/* Names the process and its threads; once, before the first event. */
void ts_trace_name(struct ts_trace *trace, const char *process, const char *run, size_t threads);
void ts_trace_call(struct ts_trace *trace, const struct ts_trace_call *call);
/* A point of the curve of settled tasks; most of those that follow each other closely are left out. */
void ts_trace_count(struct ts_trace *trace, double at_s, const struct ts_trace_counts *counts);
/* Ends the array. False if not all events are in the file. NULL is allowed. */
bool ts_trace_close(struct ts_trace *trace, struct ts_error *err);

#endif
