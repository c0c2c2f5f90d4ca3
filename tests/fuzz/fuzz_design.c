/* Fuzz target: a design given as CSV, for the nuclei workflow; what is read is written and read again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "design/design.h"
#include "project/project.h"
#include "support/design_text.h"

#include <stdlib.h>

/* Owned until the process ends. */
static struct ts_registry *registry;
static struct ts_workflow *workflow;

static void release(void) {
  ts_workflow_destroy(workflow);
  ts_registry_destroy(registry);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  fuzz_copy("workflows/nuclei/workflow.json", "workflow.json");
  struct ts_faults faults = {0};
  registry = ts_project_registry();
  workflow = ts_workflow_read("workflow.json", registry, &faults);
  if (!workflow || atexit(release) != 0) abort();
  return 0;
}

/* Every design that was accepted must survive being written and read: same rows, same columns. */
static void read_back(const struct ts_design *design) {
  struct ts_str text = {0};
  struct ts_faults faults = {0};
  struct ts_design again = {0};
  design_write_csv(design, &text);
  fuzz_write("again.csv", ts_str_get(&text), text.length);
  if (!ts_design_read_csv(&again, workflow, "again.csv", &faults)) abort();
  if (again.row_count != design->row_count || again.column_count != design->column_count) abort();
  ts_design_release(&again);
  ts_faults_release(&faults);
  ts_str_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_write("design.csv", data, size);
  struct ts_faults faults = {0};
  struct ts_design design = {0};
  bool read = ts_design_read_csv(&design, workflow, "design.csv", &faults);
  fuzz_check_faults(&faults, !read);
  if (read) read_back(&design);
  ts_design_release(&design);
  ts_faults_release(&faults);
  return 0;
}
