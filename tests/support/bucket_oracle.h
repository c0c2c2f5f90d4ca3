/* Groupings judged without the code under test: recounting by comparison, the best grouping by trying all.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_SUPPORT_BUCKET_ORACLE_H
#define TS_TESTS_SUPPORT_BUCKET_ORACLE_H

#include "plan/bucket.h"

/* Cost and number of distinct tasks of some members, each key compared with all before it. */
double bucket_recount(const struct ts_bucket_input *input, const uint32_t *members, size_t count, size_t *tasks);
/* Fails the test unless every member is in exactly one bucket, and tasks and costs are what a recount gives. */
void bucket_check(const struct ts_bucket_input *input, const struct ts_buckets *buckets);
/* The least greatest cost over all groupings into at most max_buckets; up to 12 members. */
double bucket_optimum(const struct ts_bucket_input *input, size_t max_buckets);

#endif
