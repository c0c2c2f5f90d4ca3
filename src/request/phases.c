/* Progress of a call as a whole: what is done of it, what is left, and the events of its phases.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The share of the whole counts tasks, not seconds: forecasts change, and a bar that follows them goes back. Phases
 * after the tasks have a fixed part of it, because how long they take is known only once they have run. */
#include "request/phases.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TELL_NS    UINT64_C(100000000) /* between two events about one phase */
#define PART_BYTES 96

struct ts_phases {
  const struct tessera_observer *observer; /* borrowed */
  uint64_t start_ns;
  struct tessera_event last; /* about tasks: its run, threads and stages; zero before the first */
  char part[PART_BYTES];
  double share; /* the largest of this part */
  const char *following[TS_PHASES_FOLLOW_MAX];
  double known_s[TS_PHASES_FOLLOW_MAX]; /* what each of them took the last time; 0: not known */
  size_t following_count;
  const char *name; /* of the present phase; NULL: none */
  uint64_t begun_ns, told_ns, done, total;
};

struct ts_phases *ts_phases_create(const struct tessera_observer *observer) {
  if (!observer) return NULL;
  struct ts_phases *phases = ts_calloc(1, sizeof *phases);
  phases->observer = observer;
  phases->start_ns = ts_clock_ns();
  phases->last = (struct tessera_event){.run = ""};
  return phases;
}

void ts_phases_follow(struct ts_phases *phases, const char *const *names, size_t count) {
  if (!phases) return;
  phases->following_count = count;
  for (size_t i = 0; i < count; i++) phases->following[i] = names[i];
}

void ts_phases_part(struct ts_phases *phases, const char *name) {
  if (!phases || strcmp(phases->part, name) == 0) return;
  snprintf(phases->part, sizeof phases->part, "%s", name);
  phases->share = 0;
}

static double seconds_since(uint64_t start_ns, uint64_t now) { return (double)(now - start_ns) / 1e9; }

/* A phase that does not follow the tasks: their number. */
static size_t place_of(const struct ts_phases *phases, const char *name) {
  size_t i = 0;
  while (i < phases->following_count && strcmp(phases->following[i], name) != 0) i++;
  return i;
}

static double known_after(const struct ts_phases *phases, size_t first) {
  double seconds = 0;
  for (size_t i = first; i < phases->following_count; i++) seconds += phases->known_s[i];
  return seconds;
}

static void raise_share(struct ts_phases *phases, double share) {
  if (share > phases->share) phases->share = share;
}

static void count_tasks(struct ts_phases *phases, const struct tessera_event *event) {
  uint64_t done = 0, total = 0;
  for (size_t i = 0; i < event->stage_count; i++) {
    done += tessera_event_stage(event, i)->done;
    total += tessera_event_stage(event, i)->total;
  }
  if (total == 0 || done > total) return;
  raise_share(phases, (phases->following_count > 0 ? TS_PHASES_TASKS_SHARE : 1) * (double)done / (double)total);
}

static void tell(struct ts_phases *phases, struct tessera_event *event, uint64_t now) {
  event->size_bytes = sizeof *event;
  event->elapsed_s = seconds_since(phases->start_ns, now);
  event->share = phases->share;
  event->part = phases->part;
  phases->observer->on_event(phases->observer->user, event);
}

void ts_phases_tell(struct ts_phases *phases, struct tessera_event *event) {
  if (!phases) return;
  phases->last = *event;
  count_tasks(phases, event);
  if (event->left_s >= 0) event->left_s += known_after(phases, 0);
  event->phase = event->phase_state = "";
  tell(phases, event, ts_clock_ns());
}

/* The share of a phase among those that follow the tasks; without a known number of steps it is reached at its end. */
static void count_phase(struct ts_phases *phases, bool is_over) {
  const size_t place = place_of(phases, phases->name);
  if (place == phases->following_count || phases->last.stage_count == 0) return;
  const double part = is_over ? 1 : phases->total > 0 ? (double)phases->done / (double)phases->total : 0;
  raise_share(phases, TS_PHASES_TASKS_SHARE +
                          (1 - TS_PHASES_TASKS_SHARE) * ((double)place + part) / (double)phases->following_count);
}

/* Once no tasks follow: equal steps, as far as the phase has come, and then what took some time before. */
static double left_of(const struct ts_phases *phases, uint64_t now) {
  const size_t place = place_of(phases, phases->name);
  if (phases->last.kind != TESSERA_RUN_END || phases->done == 0 || phases->done > phases->total) return -1;
  const double own = seconds_since(phases->begun_ns, now) * (double)(phases->total - phases->done);
  return own / (double)phases->done + known_after(phases, place + 1);
}

static void tell_phase(struct ts_phases *phases, const char *state, uint64_t now) {
  const bool is_over = strcmp(state, "end") == 0;
  count_phase(phases, is_over);
  struct tessera_event event = {.kind = TESSERA_PHASE,
                                .run = phases->last.run,
                                .left_s = is_over ? -1 : left_of(phases, now),
                                .threads = phases->last.threads,
                                .stages = phases->last.stages,
                                .stage_count = phases->last.stage_count,
                                .stage = "",
                                .task = "",
                                .key = "",
                                .outcome = "",
                                .file = "",
                                .tile_x = -1,
                                .tile_y = -1,
                                .message = "",
                                .help = "",
                                .phase = phases->name,
                                .phase_state = state,
                                .phase_done = phases->done,
                                .phase_total = phases->total,
                                .phase_seconds = seconds_since(phases->begun_ns, now)};
  tell(phases, &event, now);
  phases->told_ns = now;
}

void ts_phase_begin(struct ts_phases *phases, const char *name, uint64_t total) {
  if (!phases || (phases->name && strcmp(phases->name, name) == 0)) return;
  ts_phase_end(phases);
  phases->name = name;
  phases->done = 0;
  phases->total = total;
  phases->begun_ns = ts_clock_ns();
  tell_phase(phases, "begin", phases->begun_ns);
}

void ts_phase_set(struct ts_phases *phases, uint64_t done, uint64_t total) {
  if (!phases || !phases->name) return;
  phases->done = done;
  phases->total = total;
  const uint64_t now = ts_clock_ns();
  if (now - phases->told_ns >= TELL_NS) tell_phase(phases, "further", now);
}

void ts_phase_advance(struct ts_phases *phases) {
  if (phases) ts_phase_set(phases, phases->done + 1, phases->total);
}

void ts_phase_end(struct ts_phases *phases) {
  if (!phases || !phases->name) return;
  const size_t place = place_of(phases, phases->name);
  const uint64_t now = ts_clock_ns();
  tell_phase(phases, "end", now);
  if (place < phases->following_count) phases->known_s[place] = seconds_since(phases->begun_ns, now);
  phases->name = NULL;
}

/* The stages are gone by now. A call that failed may be inside a phase. */
void ts_phases_destroy(struct ts_phases *phases) {
  if (!phases) return;
  phases->last = (struct tessera_event){.run = ""};
  ts_phase_end(phases);
  free(phases);
}
