/* Limits of this process: memory for the data that flows, disk for temporary files.
 * SPDX-License-Identifier: Apache-2.0
 *
 * One budget for the process, as it has one memory and one disk: the session that was opened last sets it. Temporary
 * files are counted here; a thread that wants more than is free waits until others have given theirs back. */
#ifndef TS_BASE_BUDGET_H
#define TS_BASE_BUDGET_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* memory 0: 70 % of the machine; scratch 0: four times the memory. */
void ts_budget_set(uint64_t memory_bytes, uint64_t scratch_bytes);
uint64_t ts_budget_scratch_default(uint64_t memory_bytes);
uint64_t ts_budget_memory_bytes(void);
uint64_t ts_budget_scratch_bytes(void);

/* Books bytes of temporary files. While others hold too much, `release_idle` gives back files that no task uses (may be
 * NULL), then the call waits. False at once if the budget is smaller than `bytes`. */
bool ts_budget_take_scratch(uint64_t bytes, void (*release_idle)(void));
void ts_budget_return_scratch(uint64_t bytes);
uint64_t ts_budget_scratch_held(void); /* booked now */

/* A temporary file of that many bytes in TMPDIR (or /tmp): private, without a name, so that it vanishes with its
 * descriptor, also when the process is killed. -1 with NO_SCRATCH. The bytes have been booked by the caller. */
int ts_budget_create_file(uint64_t bytes, struct ts_error *err);

#endif
