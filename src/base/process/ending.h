/* Ends the process at once, and observes foreign code that is about to end it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_ENDING_H
#define TS_BASE_ENDING_H

#include <stdbool.h>

/* As _exit, but straight to the system: code that catches _exit does not see it. Safe in signal handlers. */
_Noreturn void ts_process_end(int status);

/* Called with the name of the function that is about to end the process; does not return if foreign code called it.
 * NULL: no observer. */
void ts_ending_watch(void (*on_end)(const char *function));
void ts_ending_notice(const char *function); /* by the functions of the program that replace those of the C library */

/* The program is tessera itself, not one that uses the library: no thread of it may end the process while a run is
 * watched. */
void ts_ending_set_program(void);
bool ts_ending_is_program(void);

#endif
