/* What a study says about its best set: sentences, and the commands that use it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_STUDY_BEST_TEXT_H
#define TS_API_STUDY_BEST_TEXT_H

#include "study/study_result.h"

/* " Default 0.27, best run 0.65."; nothing without a goal, or if no set has a value. */
void ts_best_add_answer(const struct study_result *r, struct ts_str *answer);

/* Texts are in the arena of the course. */
const char *ts_best_change_text(struct study_result *r);
const char *ts_best_choice_text(struct study_result *r);
/* "tessera run --of 1a2b3c4d --set 37" */
const char *ts_best_command_of_set(struct study_result *r, size_t set);
/* "tessera run -p G1=40 -p G2=5": the parameters that a set changes */
const char *ts_best_command_of_change(struct study_result *r, size_t set);

/* Whether a file has a worse value in a set than at the defaults. */
bool ts_best_loses(const struct study_result *r, size_t set, size_t file);
/* Whether the same values would be chosen without a file. */
bool ts_best_is_same_choice(const struct study_result *r, const struct study_choice *choice);

#endif
