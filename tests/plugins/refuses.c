/* A plugin that cannot work with any API number it is offered.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tessera_op.h"

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  (void)host_api;
  *count = 0;
  return NULL;
}
