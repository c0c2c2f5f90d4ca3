/* Linked into tests that are said to start no thread: whoever starts one ends the test.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Such tests are left out under ThreadSanitizer, which could find nothing in them. The program's own definition stands before
 * that of the C library, for shared libraries too. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  (void)thread;
  (void)attributes;
  (void)body;
  (void)argument;
  fputs("this test is said to start no thread (tests/CMakeLists.txt), but it does\n", stderr);
  abort();
}
