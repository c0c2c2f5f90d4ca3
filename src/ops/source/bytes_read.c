/* bytes.read: the bytes of a file as they are.
 * SPDX-License-Identifier: Apache-2.0 */
#include "ops/source/source.h"

#include "base/alloc.h"
#include "base/file.h"

#include <string.h>

static const struct ts_op_port *const inputs[] = {TS_OP_PORT(.name = "file", .type = "file", .help = "any file")};
static const struct ts_op_port *const outputs[] = {
    TS_OP_PORT(.name = "bytes", .type = "bytes", .help = "what the file holds")};

static int run(struct ts_op_call *call) {
  struct ts_error err = {0};
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  if (!ts_file_read(call->inputs[0]->path, 0, &bytes, &err)) return call->host->fail(call, "%s", err.text);
  void *out = call->host->output_bytes(call, 0, bytes.length);
  if (!out) return call->host->fail(call, "no memory for %zu bytes", bytes.length);
  if (bytes.length > 0) memcpy(out, bytes.data, bytes.length);
  return 0;
}

const struct ts_op_descriptor ts_bytes_read_operation = {
    TS_OP_DESCRIPTOR_HEAD, .name = "bytes.read", .version = 1,      .help = "reads a file as bytes", .inputs = inputs,
    .input_count = 1,      .outputs = outputs,   .output_count = 1, .reach = TS_OP_REACH_TILE,       .run = run,
};
