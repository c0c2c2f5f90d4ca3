/* How much memory this process may use: the machine's, or its cgroup's if that is less.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_MEMORY_H
#define TS_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t ts_memory_available(void); /* bytes in all, not what is free now */
uint64_t ts_memory_default(void);   /* the budget of a run that was given none: 70 % of them */
/* Private memory of this process that lies in the machine's memory; 0 if the system does not say. */
uint64_t ts_memory_resident_bytes(void);
/* Whether that many bytes could be allocated at once now. For arrays whose size comes from a user's file, called before
 * the many small allocations that would end the program. */
bool ts_memory_has_room(size_t bytes);
/* Gives idle blocks and pages that lie free inside the heap back to the system. */
void ts_memory_trim(void);

#endif
