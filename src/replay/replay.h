/* Replays recorded measurements with tuners: `tune --table`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_REPLAY_REPLAY_H
#define TS_REPLAY_REPLAY_H

#include "project/project.h"

#include <jansson.h>

/* Reads the tables of the request and replays every tuner that it names; the figures go to the object of the reply. */
void ts_replay_table(const struct ts_request *request, json_t *object, struct ts_issues *issues);
json_t *ts_tuner_list(void); /* for ts_list; a new reference */

#endif
