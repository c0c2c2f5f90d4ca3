/* How far a run has come, kept for those who ask.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_HANDLES_STANDING_H
#define TS_HANDLES_STANDING_H

#include "tessera.h"

#include "base/arena.h"

/* The lock of the run guards it. */
struct ts_standing {
  struct tessera_run_counts counts;
  struct tessera_stage_counts *stages; /* in the arena; NULL before the first event */
  struct ts_arena arena;               /* names of stages: they stay where they are until the run is closed */
};

void ts_standing_init(struct ts_standing *standing, const char *state); /* constant */
void ts_standing_release(struct ts_standing *standing);
/* Takes over what an event says. */
void ts_standing_keep(struct ts_standing *standing, const struct tessera_event *event);

#endif
