/* Signals: the first Ctrl-C or SIGTERM asks for a pause, the second asks operations to give up and ends the
 * program within two seconds, a third at once; work that keeps nothing ends at the first.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_SIGNALS_H
#define TS_CLI_SIGNALS_H

/* From now on. A signal that the caller ignores (nohup, a job in the background) stays ignored. */
void ts_signals_catch(void);
/* The same for work that keeps nothing: the first signal ends the program, with 130 or 143. */
void ts_signals_catch_to_end(void);
/* How many signals have come; for struct ts_request. */
const volatile int *ts_signals_stop(void);
/* 130 or 143 by the signal that came; 0: none did. */
int ts_signals_exit_code(void);
/* A closed pipe is an error of the write, not the end of the program. */
void ts_signals_survive_pipes(void);

#endif
