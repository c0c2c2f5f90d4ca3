/* The identity of a process: its number and its start, since a later process may get the same number.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_PROCESS_H
#define TS_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#define TS_PROCESS_IDENTITY_SIZE 96

/* Writes the identity of a living process: boot id and start time. False if there is none of that number. */
bool ts_process_identity(int64_t process_id, char identity[TS_PROCESS_IDENTITY_SIZE]);
/* Whether the process that had this identity still lives. */
bool ts_process_is_alive(int64_t process_id, const char *identity);

#endif
