/* From indices to what a result object and a terminal say about them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_REPORT_RESULT_H
#define TS_REPORT_RESULT_H

#include "analysis/analysis.h"
#include "analysis/method.h"
#include "base/str.h"

#include <jansson.h>
#include <stddef.h>

/* A parameter "decides" when it is not negligible and its mu* is at least this share of the largest. */
#define TS_DECIDING_SHARE 0.2

/* The answer in one sentence with numbers, for example "G1, G2 and T1 decide the number of differing pixels (88 % of the
 * summed mu*); RC has a smaller effect; 5 other parameters have no measurable effect (mu* < 0.06)."
 * `what` completes the sentence: "the number of differing pixels". */
void ts_answer_morris(const struct ts_morris_index *indices, size_t count, const char *what, struct ts_str *out);

/* The same for any other method, by the column that it ranks by: "G1 (ST 0.62) and T1 (ST 0.21) have the largest influence
 * on the number of differing pixels; for 5 other parameters ST is below 0.03; the order of G1 and T1 is not settled." */
void ts_answer_indices(const struct ts_indices *indices, const char *what, struct ts_str *out);

/* {"name","over_tiles","indices":[{"name","mu","mu_star","sigma","lo","hi","n","class",...}],"unsettled":[["T2","minSize"]]},
 * the indices in the order of the parameters; unknown numbers are null. A new reference. */
json_t *ts_result_morris_output(const char *name, const char *over_tiles, const struct ts_morris_index *indices,
                                size_t count);

#endif
