/* A design written cell by cell as CSV: what a faster or a reading function is compared with.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_SUPPORT_DESIGN_TEXT_H
#define TS_TESTS_SUPPORT_DESIGN_TEXT_H

#include "base/str.h"
#include "design/design.h"

/* Header and rows of values. */
void design_write_csv(const struct ts_design *design, struct ts_str *out);

#endif
