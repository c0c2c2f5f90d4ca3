/* From indices to what a result object and a terminal say about them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_REPORT_RESULT_H
#define TS_REPORT_RESULT_H

#include "analysis/analysis.h"
#include "base/str.h"
#include "report/findings.h"

#include <jansson.h>
#include <stddef.h>

/* The answer in one sentence with numbers, for example "G1, G2 and T1 decide the number of nuclei (88 % of the summed
 * mu*); RC has a smaller effect (mu* at most 1.3); 4 other parameters are each below 5 % of the largest (upper ends of
 * mu* at most 0.3); 5 other parameters have no measurable effect (mu* = 0)." `what` completes the sentence. */
void ts_answer(const struct ts_findings *findings, const char *what, struct ts_str *out);
/* "the truth" for what a result compares with ("truth", "default", "files"; others as they are); "" for "". */
const char *ts_answer_reference(const char *against);
/* "the Dice overlap against the truth": an output and what it was compared with; NULL or "": it is not a comparison. */
void ts_answer_add_what(const char *label, const char *against, struct ts_str *out);
/* "5 %": TS_NEGLIGIBLE_SHARE for people. */
void ts_answer_add_share(struct ts_str *out);
/* "decides", "below 5 % of the largest": for the cells of a table. */
void ts_finding_add_words(enum ts_finding finding, struct ts_str *out);
/* All of one finding: "G1, T1 and T2". */
void ts_answer_add_names(const struct ts_findings *findings, enum ts_finding finding, struct ts_str *out);

/* {"name","over_tiles","indices":[{"name","mu","mu_star","sigma","lo","hi","n","class","finding",...}],
 * "unsettled":[["T2","minSize"]]}, the indices in the order of the parameters; unknown numbers are null. A new
 * reference. */
json_t *ts_result_morris_output(const char *name, const char *over_tiles, const struct ts_morris_index *indices,
                                size_t count);

#endif
