/* The program tessera.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

int main(int argc, char **argv) { return ts_cli_main(argc, argv); }
