/* Fuzz target: a workflow file, read with the built-in operations.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "project/project.h"

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_write("workflow.json", data, size);
  struct ts_registry *registry = ts_project_registry();
  struct ts_faults faults = {0};
  struct ts_workflow *workflow = ts_workflow_read("workflow.json", registry, &faults);
  fuzz_check_faults(&faults, !workflow);
  ts_faults_release(&faults);
  ts_workflow_destroy(workflow);
  ts_registry_destroy(registry);
  return 0;
}
