/* Deep copies of the store's rows into one block of memory each.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_COPY_H
#define TS_STORE_COPY_H

#include "base/arena.h"
#include "store/backend.h"
#include "store/store.h"

#include <stddef.h>

/* What the arrays and strings of a row take, without the struct itself; missing strings count as "". */
size_t ts_record_extra_bytes(const struct ts_record *record);
size_t ts_task_row_extra_bytes(const struct ts_task_row *row);

/* Copies the row to *copy and its arrays and strings to `extra` (of the size above, aligned to 8). */
void ts_record_copy_to(const struct ts_record *record, struct ts_record *copy, void *extra);
void ts_task_row_copy_to(const struct ts_task_row *row, struct ts_task_row *copy, void *extra);

void ts_record_copy(const struct ts_record *record, struct ts_arena *arena, struct ts_record *copy);
void ts_task_row_copy(const struct ts_task_row *row, struct ts_arena *arena, struct ts_task_row *copy);
void ts_store_run_copy(const struct ts_store_run *run, struct ts_arena *arena, struct ts_store_run *copy);

#endif
