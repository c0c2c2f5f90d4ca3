/* Hands the warnings of the library to the program that uses it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "tessera.h"

#include <stddef.h>

/* Written under the lock of the log only, by ts_log_set_sink's caller before the sink is set. */
static struct {
  void (*take)(void *user, const char *text);
  void *user; /* borrowed from the program */
} host;

static bool hand_over(void *unused, enum ts_log_level level, const char *text) {
  (void)unused;
  if (level == TS_LOG_WARN) host.take(host.user, text);
  return true;
}

void ts_on_warning(void (*take)(void *user, const char *text), void *user) {
  ts_log_set_sink(NULL, NULL);
  host.take = take;
  host.user = user;
  if (take) ts_log_set_sink(hand_over, NULL);
}
