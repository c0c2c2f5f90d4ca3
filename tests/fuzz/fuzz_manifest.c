/* Fuzz target: the manifest of a command operation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "op/op.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  fuzz_write("fit.py", "print()\n", 8);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_write("manifest.json", data, size);
  struct ts_registry *registry = ts_registry_create();
  struct ts_faults faults = {0};
  bool loaded = ts_registry_load(registry, "manifest.json", &faults);
  fuzz_check_faults(&faults, !loaded);
  ts_faults_release(&faults);
  ts_registry_destroy(registry);
  return 0;
}
