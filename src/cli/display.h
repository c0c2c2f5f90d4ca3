/* The progress display: takes the library's progress calls and shows them on standard error in one of four ways.
 * SPDX-License-Identifier: Apache-2.0
 *
 * ts_display_on_event comes from worker threads, ticks from a thread of its own and clearing from the log; one lock
 * inside keeps them apart. The display never calls the log while it holds that lock (the log calls the display under
 * its own lock). */
#ifndef TS_CLI_DISPLAY_H
#define TS_CLI_DISPLAY_H

#include "base/str.h"
#include "tessera.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum ts_display_mode { TS_DISPLAY_NONE, TS_DISPLAY_TERMINAL, TS_DISPLAY_PLAIN, TS_DISPLAY_JSON };

struct ts_display_options {
  enum ts_display_mode mode;
  FILE *out;         /* borrowed */
  int width, height; /* of the terminal; 0: asked for whenever it is drawn */
  bool color;
  const char *name;         /* borrowed; what runs, before the id of the run */
  bool ends;                /* Ctrl-C ends the work instead of pausing it */
  const volatile int *stop; /* borrowed; how often the user stopped it: 1 pauses, 2 makes tasks give up. May be NULL */
};

struct ts_display;

struct ts_display *ts_display_create(const struct ts_display_options *options);
/* Removes what was drawn. NULL is allowed. */
void ts_display_destroy(struct ts_display *display);
/* Calls ts_display_tick 20 times a second from a thread, so that the time goes on while long tasks run. */
void ts_display_start_ticker(struct ts_display *display);
void ts_display_tick(struct ts_display *display);
/* For struct ts_request: `user` is the display. */
void ts_display_on_event(void *user, const struct tessera_event *event);
/* Tasks settled and all tasks, as last reported; false before the first report. */
bool ts_display_counts(struct ts_display *display, uint64_t *done, uint64_t *total);

/* The state last reported, with text of its own. */
struct ts_snapshot {
  char run[32];
  double elapsed_s, left_s;
  size_t threads;
  struct tessera_stage *stages; /* owned; the names too */
  size_t stage_count;
  double share;     /* of the whole; negative: unknown */
  char part[96];    /* that the share is of; "" */
  bool tasks_ended; /* no further ones will come */
  struct ts_snapshot_phase {
    char name[32]; /* "": none is under way */
    uint64_t done, total;
    double seconds;
  } phase;
};
/* Whether something of a stage runs whose size is not known. */
bool ts_stage_is_open(const struct tessera_stage *stage);
/* Tasks of all stages. */
struct tessera_stage ts_snapshot_all(const struct ts_snapshot *snapshot);
/* Whole per cent, rounded down, so that 100 means all of it. */
unsigned ts_display_percent(uint64_t done, uint64_t total);
unsigned ts_display_share_percent(double share);
/* The seconds left that may be said: at least one, and only while it is not known to be wrong; negative: none. */
double ts_snapshot_left(const struct ts_snapshot *snapshot);

/* The look of each way, apart from when it is shown. */
/* Lines of at most `width` columns and at most `height` of them, each with a line end; 0: unbounded. Returns how
 * many. */
size_t ts_display_draw(const struct ts_snapshot *snapshot, const struct ts_display_options *options,
                       struct ts_str *out);
/* The effect of this many stops, and of the next one. */
const char *ts_display_stop_text(int stops);
/* "02:11 segment 1840/3600 51 % reused=8400 failed=0 eta=340s all=41%". */
void ts_display_plain_line(const struct ts_snapshot *snapshot, size_t stage, struct ts_str *out);
/* "00:09 analysis 3/12 25 % eta=4s all=96%"; of one that is over "00:13 analysis 12/12 100 % took=7.1s all=96%". */
void ts_display_plain_phase(const struct ts_snapshot *snapshot, bool is_over, struct ts_str *out);
/* One JSON object in a line. */
void ts_display_json_line(const struct tessera_event *event, struct ts_str *out);

#endif
