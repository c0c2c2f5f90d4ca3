/* Doubles as decimal text and back, fast: for tables of millions of numbers.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The texts and values are those of ts_str_add_double and strtod in the C locale, some ten times as fast. */
#ifndef TS_BASE_DECIMAL_H
#define TS_BASE_DECIMAL_H

#include <stddef.h>

#define TS_DECIMAL_SIZE 32 /* bytes that hold every text */

/* Writes the shortest text that reads back as the same double ("5", "5.11905", "1e-07", "nan", "-inf"), without a NUL.
 * Returns its length. */
size_t ts_decimal_write(double value, char text[TS_DECIMAL_SIZE]);
/* Reads [+-] digits [. digits] [e [+-] digits] at `text`, not beyond `end`: the nearest double (infinite if too large).
 * Returns where it ends, NULL if no number starts there. */
const char *ts_decimal_read(const char *text, const char *end, double *value);

#endif
