/* Part of the unit-test programs: a file that is said to start no thread, and starts one, is ended.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Such files are left out under ThreadSanitizer, which could find nothing in them. The program's own definition comes
 * before that of the C library, for shared libraries too. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/test_file.h"

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  if (test_starts_no_thread()) {
    fputs("this test is said to start no thread (tests/CMakeLists.txt), but it does\n", stderr);
    abort();
  }
  create_function *create;
  *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
  if (!create) abort();
  return create(thread, attributes, body, argument);
}
