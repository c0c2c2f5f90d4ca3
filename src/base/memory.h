/* How much memory this process may use: the machine's, or its cgroup's if that is less.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_MEMORY_H
#define TS_BASE_MEMORY_H

#include <stdint.h>

uint64_t ts_memory_available(void); /* bytes in all, not what is free now */
/* Private memory of this process that lies in the machine's memory; 0 if the system does not say. */
uint64_t ts_memory_resident_bytes(void);

#endif
