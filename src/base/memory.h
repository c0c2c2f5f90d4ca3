/* How much memory this process may use: the machine's, or its cgroup's if that is less.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_MEMORY_H
#define TS_BASE_MEMORY_H

#include <stdint.h>

uint64_t ts_memory_available(void); /* bytes in all, not what is free now */

#endif
