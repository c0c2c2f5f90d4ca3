/* What the replies of 'store du' and 'store gc' share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_STORE_STORE_JSON_H
#define TS_API_STORE_STORE_JSON_H

#include "api/store/usage.h"

#include <jansson.h>

/* New references. */
json_t *ts_store_run_json(const struct usage_run *run); /* which run it is */
/* Per stage, the largest first, the products that are meant: their number and bytes, and the CPU seconds that computing
 * them cost. */
json_t *ts_store_stages_json(struct store_usage *usage, bool (*is_meant)(const struct used_product *product));

#endif
