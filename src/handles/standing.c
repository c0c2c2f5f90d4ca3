/* How far a run has come: the last event, without pointers into it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "handles/standing.h"

#include <string.h>

void ts_standing_init(struct ts_standing *standing, const char *state) {
  *standing = (struct ts_standing){.counts = {.size_bytes = sizeof standing->counts, .state = state, .left_s = -1}};
}

void ts_standing_release(struct ts_standing *standing) { ts_arena_release(&standing->arena); }

/* A run has no stages while its files are read, and then the same ones to its last event. */
static void name_stages(struct ts_standing *standing, const struct tessera_event *event) {
  standing->stages = ts_arena_array(&standing->arena, event->stage_count + 1, sizeof *standing->stages);
  standing->counts.stage_count = event->stage_count;
  for (size_t i = 0; i < event->stage_count; i++)
    standing->stages[i] = (struct tessera_stage_counts){
        .size_bytes = sizeof *standing->stages,
        .name = ts_arena_strdup(&standing->arena, tessera_event_stage(event, i)->name),
    };
}

void ts_standing_keep(struct ts_standing *standing, const struct tessera_event *event) {
  struct tessera_run_counts *counts = &standing->counts;
  if (!standing->stages && event->stage_count > 0) name_stages(standing, event);
  counts->elapsed_s = event->elapsed_s;
  counts->left_s = event->left_s;
  counts->threads = event->threads;
  counts->total = counts->done = counts->running = counts->reused = counts->failed = 0;
  for (size_t i = 0; i < counts->stage_count && i < event->stage_count; i++) {
    const struct tessera_stage *from = tessera_event_stage(event, i);
    struct tessera_stage_counts *to = &standing->stages[i];
    to->total = from->total;
    to->done = from->done;
    to->running = from->running;
    to->reused = from->reused;
    to->failed = from->failed;
    counts->total += from->total;
    counts->done += from->done;
    counts->running += from->running;
    counts->reused += from->reused;
    counts->failed += from->failed;
  }
}
