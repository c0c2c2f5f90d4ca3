/* A plugin for an operation API that does not exist; nothing behind the number may be looked at.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tessera_op.h"

static const struct ts_op_descriptor from_the_future = {
    .api = 4711, .struct_bytes = sizeof(struct ts_op_descriptor), .name = (const char *)1};

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *const operations[] = {&from_the_future};
  (void)host_api;
  *count = 1;
  return operations;
}
