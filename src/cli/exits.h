/* The program's own _exit, so that an operation that calls it can be named.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_EXITS_H
#define TS_CLI_EXITS_H

void ts_exits_own(void); /* once, by main: also what makes the linker take the functions into the program */

#endif
