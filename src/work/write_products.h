/* Writes products of a run as files that people and other programs open.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_WORK_WRITE_PRODUCTS_H
#define TS_WORK_WRITE_PRODUCTS_H

#include "work/quality.h"
#include "work/work.h"

#define PRODUCT_FAULTS_MAX 8

struct product_writer {
  struct ts_work *work;             /* borrowed */
  const struct ts_project *project; /* borrowed: that of the work */
  struct ts_issues *issues;         /* borrowed */
  const struct ts_plan *plan;       /* its first run is written */
  const char **names;               /* per wanted product: "segment.mask" */
  const char *folder;
  const char *start;       /* absolute: where relative paths begin, whatever an operation does to the current folder */
  json_t *outputs;         /* borrowed: paths are appended */
  struct quality *quality; /* borrowed: scores against a reference are added */
  /* The first fault of each code and how many there were: a full disk is one fault, not one per tile. */
  struct product_fault {
    struct ts_error first;
    size_t count;
  } faults[PRODUCT_FAULTS_MAX];
  size_t fault_count;
  bool gave_up; /* files cannot be written: the rest is not tried */
};

/* For ts_run_options.on_product; user is a struct product_writer. */
void ts_write_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data);
/* Before the first product: removes files of an earlier run for products that this one does not make; otherwise an
 * old score would lie beside a new mask. */
void ts_write_products_remove_skipped(const struct product_writer *writer);
/* After the last product: faults go to the issues, each once with how many like it there were. */
void ts_write_products_end(struct product_writer *writer);

#endif
