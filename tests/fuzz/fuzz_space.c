/* Fuzz target: a space file; a space that was accepted draws points, and their values lead back to the same values.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "design/points.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  return 0;
}

/* The value at a unit coordinate has a unit coordinate, and that one has the same value. */
static void come_back(const struct ts_parameter *parameter, double unit) {
  int64_t level = 0, again_level = 0;
  struct ts_value value = ts_space_value(parameter, unit, &level);
  double back = ts_space_unit(parameter, &value);
  if (isnan(back) || back < 0 || back > 1) abort();
  ts_space_value(parameter, back, &again_level);
  if (level != again_level) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_write("space.json", data, size);
  struct ts_faults faults = {0};
  struct ts_space space = {0};
  bool read = ts_space_read(&space, "space.json", &faults);
  fuzz_check_faults(&faults, !read);
  for (size_t i = 0; read && i < space.count; i++) {
    for (int step = 0; step <= 8; step++) come_back(space.parameters[i], step / 8.0);
  }
  if (read) ts_space_release(&space);
  ts_faults_release(&faults);
  return 0;
}
