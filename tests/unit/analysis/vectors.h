/* The reference vectors of the sensitivity analysis, for the tests that compare with them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_ANALYSIS_VECTORS_H
#define TESTS_UNIT_ANALYSIS_VECTORS_H

#include "base/json.h"
#include "csv/csv.h"
#include "support/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* The folder, and the file of it that tells what is expected; both empty when there is none. */
static struct ts_json_doc vectors_doc;
static char vectors_folder[512];

static inline void vectors_open(const char *file) {
  const char *shared = vectors_parent("sensitivity");
  if (!shared) return;
  char path[1024];
  struct ts_error err = {0};
  snprintf(vectors_folder, sizeof vectors_folder, "%s/vectors/sensitivity", shared);
  snprintf(path, sizeof path, "%s/%s", vectors_folder, file);
  if (!ts_json_doc_open(&vectors_doc, path, &err)) vectors_doc.root = NULL;
}

/* The exit status: 77 when the vectors are not there. */
static inline int vectors_close(int failed) {
  bool had_vectors = vectors_doc.root != NULL;
  if (had_vectors) ts_json_doc_close(&vectors_doc);
  if (failed || had_vectors) return failed;
  printf("SKIP: there is no ../shared/vectors/sensitivity\n");
  return 77;
}

/* A table of the folder; the test fails if it is not there. */
static inline struct ts_csv vectors_csv(const char *file) {
  char path[1024];
  struct ts_csv csv = {0};
  struct ts_error err = {0};
  snprintf(path, sizeof path, "%s/%s", vectors_folder, file);
  if (!ts_csv_read(&csv, path, &err)) fail_msg("%s", err.text);
  return csv;
}

#endif
