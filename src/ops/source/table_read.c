/* table.read: a CSV file as a table of numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/source/source.h"

#include "base/alloc.h"
#include "base/file.h"
#include "data/data.h"

#include <string.h>

static const struct ts_op_port *const inputs[] = {
    TS_OP_PORT(.name = "file", .type = "file", .help = "CSV with a header line")};
static const struct ts_op_port *const outputs[] = {
    TS_OP_PORT(.name = "table", .type = "table", .help = "its numbers; empty cells are NaN")};

static struct ts_data *read_table(const char *path, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (!ts_file_read(path, 0, &text, err)) return NULL;
  return ts_table_from_csv(path, ts_str_get(&text), text.length, err);
}

static int run(struct ts_op_call *call) {
  struct ts_error err = {0};
  struct ts_data *table = read_table(call->inputs[0]->path, &err);
  if (!table && err.where.line > 0) {
    return call->host->fail(call, "%s:%d: %s", err.where.file, err.where.line, err.text);
  }
  if (!table) return call->host->fail(call, "%s", err.text);
  double *cells =
      call->host->output_table(call, 0, ts_data_rows(table), ts_data_columns(table), ts_data_column_names(table));
  size_t size_bytes = ts_data_size_bytes(table);
  if (cells && size_bytes > 0) memcpy(cells, ts_data_cells(table), size_bytes);
  ts_data_unref(table);
  return cells ? 0 : call->host->fail(call, "no memory for the table");
}

const struct ts_op_descriptor ts_table_read_operation = {
    TS_OP_DESCRIPTOR_HEAD,     .name = "table.read", .version = 1,       .help = "reads a CSV file as a table",
    .inputs = inputs,          .input_count = 1,     .outputs = outputs, .output_count = 1,
    .reach = TS_OP_REACH_TILE, .run = run,
};
