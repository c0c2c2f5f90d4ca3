/* The table of policies.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy.h"

#include <string.h>

const struct ts_policy *const ts_policies[] = {&ts_policy_depth_first, &ts_policy_deadline, NULL};

const struct ts_policy *ts_policy_find(const char *name) {
  for (const struct ts_policy *const *policy = ts_policies; *policy; policy++) {
    if (strcmp((*policy)->name, name) == 0) return *policy;
  }
  return NULL;
}
