/* The CPU quota of a control group, readable from any folder so that tests can lay one out.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_CPU_COUNT_INT_H
#define TS_BASE_CPU_COUNT_INT_H

#include <stddef.h>

/* CPUs the quota allows, rounded up; 0 if there is none. `membership` is a file like /proc/self/cgroup, `mount` a
 * folder like /sys/fs/cgroup (version 2, or version 1 with the controller `cpu` in a folder of its own). */
size_t ts_cpu_quota(const char *membership, const char *mount);

#endif
