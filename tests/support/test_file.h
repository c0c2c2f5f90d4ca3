/* What a test file may ask the program that it is part of: tests/dispatch.c.
 * SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>

/* Notes that the file leaves something out, and why; the program then exits with 77. Follow it with skip() inside a
 * test. A reason that names ../shared is excused where that folder is not there; any other one is a failure in CI. */
void test_skip_part(const char *why);

/* Whether the file is said to start no thread (tests/CMakeLists.txt). */
bool test_starts_no_thread(void);
