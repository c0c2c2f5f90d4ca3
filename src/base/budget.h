/* Limits of this process: memory for the data that flows, disk for temporary files.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The process has one memory and one disk: of the budgets of the calls under way the smallest holds. Temporary files
 * are counted here; a thread that wants more than is free waits until others have given theirs back. */
#ifndef TS_BASE_BUDGET_H
#define TS_BASE_BUDGET_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What one call asks for. */
struct ts_budget {
  uint64_t memory_bytes;  /* 0: nothing; without any 70 % of the machine */
  uint64_t scratch_bytes; /* 0: four times the memory */
  struct ts_budget *next; /* borrowed: the list of those in force */
};
/* Puts it in force, with other numbers if it was before; both 0: takes it out of force, before it goes. */
void ts_budget_set(struct ts_budget *budget, uint64_t memory_bytes, uint64_t scratch_bytes);
uint64_t ts_budget_scratch_default(uint64_t memory_bytes);
uint64_t ts_budget_memory_bytes(void);
uint64_t ts_budget_scratch_bytes(void);

/* Books bytes of temporary files. While others hold too much, `release_idle` gives back files that no task uses (may be
 * NULL), then the call waits. False at once if the budget is smaller than `bytes`. */
bool ts_budget_take_scratch(uint64_t bytes, void (*release_idle)(void));
void ts_budget_return_scratch(uint64_t bytes);
uint64_t ts_budget_scratch_held(void); /* booked now */

/* Commands: how much one writes is only known when its folder is measured. What is measured is booked; one that makes
 * all together exceed the budget must stop, and may begin again alone, when nobody else has temporary files. */
struct ts_scratch_share {
  uint64_t booked_bytes;
  bool is_alone;
};
/* What the files of one command may take: 15/16 of the budget. The rest is for what it writes before that is seen. */
uint64_t ts_budget_command_bytes(void);
/* Waits while another command is alone, or wants to be; `alone`: until no command runs and no file is held. False if
 * cancelled meanwhile (may be NULL). */
bool ts_budget_begin_command(struct ts_scratch_share *share, bool alone, const atomic_bool *cancelled);
/* `left_bytes` may still be written. False: with what others hold, it is more than all commands may take. */
bool ts_budget_book_command(struct ts_scratch_share *share, uint64_t bytes, uint64_t *left_bytes);
void ts_budget_end_command(struct ts_scratch_share *share); /* once its files are gone */

/* A temporary file of that many bytes in TMPDIR (or /tmp): private, without a name, so that it vanishes with its
 * descriptor, also when the process is killed. -1 with NO_SCRATCH. The bytes have been booked by the caller. */
int ts_budget_create_file(uint64_t bytes, struct ts_error *err);

#endif
