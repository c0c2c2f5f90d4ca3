/* Variants of an operation by device: which there are, and which one is used where nobody decides otherwise.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Variants give the same bits as the operation's own run, so whoever runs a task may choose among them: keys do not
 * say which it was (docs/decisions/0014-variants-and-keys.md). */
#include "op/op_int.h"

#include "base/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Devices that this tessera knows. Variants for others come from plugins for a later one: they are never chosen. */
static const char *const devices[] = {TS_OP_OWN_DEVICE, "cuda"};

static bool is_known(const char *device) {
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
    if (strcmp(device, devices[i]) == 0) return true;
  return false;
}

const struct ts_op_variant *ts_op_variant_for(const struct ts_op *op, const char *device) {
  if (strcmp(device, TS_OP_OWN_DEVICE) == 0) return &op->own;
  for (size_t i = 0; is_known(device) && i < op->descriptor->variant_count; i++)
    if (strcmp(op->descriptor->variants[i]->device, device) == 0) return op->descriptor->variants[i];
  return NULL;
}

static const char *forced; /* by the environment; NULL: none */

static void read_environment(void) {
  const char *device = getenv("TESSERA_DEVICE");
  if (!device || !*device) return;
  if (is_known(device))
    forced = device;
  else
    ts_log(TS_LOG_WARN, "TESSERA_DEVICE is '%s', which is not a device; write %s or %s", device, devices[0],
           devices[1]);
}

const struct ts_op_variant *ts_op_variant_chosen(const struct ts_op *op) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_environment);
  return forced && strcmp(forced, TS_OP_OWN_DEVICE) != 0 ? ts_op_variant_for(op, forced) : NULL;
}
