/* The program tessera.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "cli/exits.h"

#include "base/alloc.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Freed memory goes back to the system. Otherwise the C library learns to keep blocks of up to 32 MB in the heap of
 * each thread, and a budget of memory could not be kept. */
static void give_memory_back(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

int main(int argc, char **argv) {
  give_memory_back();
  ts_exits_own();
  ts_memory_exit_when_exhausted();
  return ts_cli_main(argc, argv);
}
