/* This machine: its class in a few words, since measurements hold for others of its class, and its own id.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_MACHINE_H
#define TS_BASE_MACHINE_H

#include <stddef.h>

#define TS_MACHINE_CLASS_SIZE 128

/* "AMD EPYC 7B13, 2 CPUs": the processor, and how many of them this process may use. Determined once. */
const char *ts_machine_class(void);
/* The same from the text of /proc/cpuinfo; where that names no processor, `otherwise` does. For tests. */
void ts_machine_class_from(const char *cpuinfo, const char *otherwise, size_t cpus, char text[TS_MACHINE_CLASS_SIZE]);

/* Tells machines apart, and stays the same over restarts: 32 hexadecimal digits, made from the id that the system gave
 * the machine, or from its name where there is none. Determined once. */
#define TS_MACHINE_ID_SIZE 33
const char *ts_machine_id(void);
/* The same from these texts; an empty id counts as none. For tests. */
void ts_machine_id_from(const char *id, const char *name, char text[TS_MACHINE_ID_SIZE]);

#endif
