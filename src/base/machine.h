/* The class of this machine in a few words: measurements on one machine hold for others of its class.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_MACHINE_H
#define TS_BASE_MACHINE_H

#include <stddef.h>

#define TS_MACHINE_CLASS_SIZE 128

/* "AMD EPYC 7B13, 2 CPUs": the processor, and how many of them this process may use. Determined once. */
const char *ts_machine_class(void);
/* The same from the text of /proc/cpuinfo; where that names no processor, `otherwise` does. For tests. */
void ts_machine_class_from(const char *cpuinfo, const char *otherwise, size_t cpus, char text[TS_MACHINE_CLASS_SIZE]);

#endif
