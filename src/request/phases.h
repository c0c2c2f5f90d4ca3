/* Progress of a call as a whole: its tasks, and the phases beside them, such as reading, analysis and the report.
 * SPDX-License-Identifier: Apache-2.0
 *
 * One phase at a time, on the thread of the call and never while tasks run; events of tasks come one at a time from any
 * thread. So nothing here needs a lock. Every function takes NULL, which is what a call has that nobody observes. */
#ifndef TS_REQUEST_PHASES_H
#define TS_REQUEST_PHASES_H

#include "tessera.h"

#include <stddef.h>
#include <stdint.h>

#define TS_PHASE_READING  "reading"
#define TS_PHASE_TISSUE   "tissue"
#define TS_PHASE_PLANNING "planning"
#define TS_PHASE_ANALYSIS "analysis"
#define TS_PHASE_TABLES   "tables"
#define TS_PHASE_PICTURES "pictures"
#define TS_PHASE_REPORT   "report"
#define TS_PHASE_WRITING  "writing"

/* The tasks' part of a call in which phases follow them; these have equal parts of the rest. */
#define TS_PHASES_TASKS_SHARE 0.95
#define TS_PHASES_FOLLOW_MAX  8

struct ts_phases;

/* The observer is borrowed; NULL gives NULL. */
struct ts_phases *ts_phases_create(const struct tessera_observer *observer);
void ts_phases_destroy(struct ts_phases *phases);
/* The phases that will follow the tasks, in their order; names are constants. */
void ts_phases_follow(struct ts_phases *phases, const char *const *names, size_t count);
/* The next part of a call whose size was not known before, such as a round: its tasks are added to the whole, and the
 * share of the whole may fall. */
void ts_phases_part(struct ts_phases *phases, const char *name);

/* Ends the phase before it; a phase of the same name goes on. The name is a constant; 0 steps: not known. */
void ts_phase_begin(struct ts_phases *phases, const char *name, uint64_t total);
void ts_phase_set(struct ts_phases *phases, uint64_t done, uint64_t total);
void ts_phase_advance(struct ts_phases *phases); /* by one step */
void ts_phase_end(struct ts_phases *phases);     /* without a phase: nothing */

/* Passes on an event about tasks, with the time, share and part of the call, and adds to left_s what is known to follow
 * the tasks. The stages of the event stay where they are until the call ends. */
void ts_phases_tell(struct ts_phases *phases, struct tessera_event *event);

#endif
