/* The program: from the words of the command line to an exit code.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_CLI_H
#define TS_CLI_CLI_H

int ts_cli_main(int argc, char *const *argv);

#endif
