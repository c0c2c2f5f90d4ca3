/* Fuzz target: the objects of tiles, as a store may hand them back damaged, joined, measured and scored.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "data/shapes.h"
#include "op/op.h"
#include "project/project.h"

#include <stdlib.h>
#include <string.h>

static struct ts_registry *registry;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  registry = ts_project_registry();
  return 0;
}

/* A shape for every row of the table. */
static void check_shapes(const struct ts_data *data, uint64_t rows) {
  struct ts_shapes reader;
  struct ts_shape shape;
  struct ts_error err = {0};
  size_t size = 0;
  const void *bytes = ts_data_bytes(data, &size);
  if (!ts_shapes_open(&reader, bytes, size, &err) || reader.count != rows) abort();
  while (ts_shapes_next(&reader, &shape, &err)) {
  }
  if (err.code != TS_ERR_OK) abort();
  ts_shapes_close(&reader);
}

static void execute(const char *name, struct ts_data *pieces) {
  struct ts_op *op = ts_registry_find(registry, name);
  struct ts_data *outputs[3] = {NULL};
  struct ts_error err = {0};
  if (!ts_op_execute(op, &pieces, NULL, outputs, NULL, &err))
    fuzz_check_error(&err);
  else if (outputs[2])
    check_shapes(outputs[2], ts_data_rows(outputs[0]));
  for (size_t i = 0; i < 3; i++) ts_data_unref(outputs[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ts_error err = {0};
  struct ts_data *pieces = ts_data_create_bytes(ts_type_find("pieces"), size, &err);
  if (!pieces) abort();
  if (size > 0) memcpy(ts_data_writable(pieces), data, size);
  ts_data_finish(pieces);
  execute("objects.measure", pieces);
  execute("objects.compare", pieces);
  ts_data_unref(pieces);
  return 0;
}
