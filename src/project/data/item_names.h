/* Names of items, which their folders and messages have.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_DATA_ITEM_NAMES_H
#define TS_PROJECT_DATA_ITEM_NAMES_H

#include "project/data/manifest.h"

/* For each file the name without its ending. Files of one name in several folders have that of their folder before it;
 * what is still equal gets a number. In the arena. */
const char *const *ts_item_names(struct ts_arena *arena, const struct paths *files);

#endif
