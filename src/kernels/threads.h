/* Threads that a caller lends to a kernel for one call, so that one tile can use several processors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A kernel cuts its work into bands of rows or groups of objects and hands them to run(). Results do not depend on the
 * number of threads, on the number of pieces or on their order: they are bit-equal to those of one thread. */
#ifndef TS_KERNELS_THREADS_H
#define TS_KERNELS_THREADS_H

#include <stddef.h>

/* Where kernels take a pointer to this, NULL means: alone. */
struct ts_kernel_threads {
  size_t count; /* how many pieces may be worked on at the same time, the caller's thread included */
  /* Calls body(argument, index) once for each index below count, in any order and at the same time, and returns when
   * all are done. */
  void (*run)(void *user, size_t count, void (*body)(void *argument, size_t index), void *argument);
  void *user; /* borrowed: given to run */
};

#endif
