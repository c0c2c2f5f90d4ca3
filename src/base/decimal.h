/* Doubles as decimal text and back: the one place that writes and reads them, the same in every locale.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fast enough for tables of millions of numbers. base/str.h has the same for strings and for people. */
#ifndef TS_BASE_DECIMAL_H
#define TS_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_DECIMAL_SIZE 32 /* bytes that hold every text but that of ts_decimal_put_fixed */

/* Writes the shortest text that reads back as the same double ("5", "5.11905", "1e-07", "nan", "-inf"), without a NUL.
 * Returns its length. */
size_t ts_decimal_write(double value, char text[TS_DECIMAL_SIZE]);
/* Reads [+-] digits [. digits] [e [+-] digits] at `text`, not beyond `end`: the nearest double (infinite if too large).
 * Returns where it ends, NULL if no number starts there. */
const char *ts_decimal_read(const char *text, const char *end, double *value);

/* digits 10^exponent: at most 17 digits without zeros at the end; 0 is {0, 0}. */
struct ts_decimal {
  uint64_t digits;
  int exponent;
};

/* The magnitude of a finite number, as its shortest text has it. */
struct ts_decimal ts_decimal_of(double value);
/* The n of d.ddd 10^n; 0 for 0. */
int ts_decimal_place(struct ts_decimal decimal);
/* To a multiple of 10^place: half away from zero, or always away from zero. */
struct ts_decimal ts_decimal_round(struct ts_decimal decimal, int place, bool is_up);
/* Texts without a NUL; each returns its length. */
size_t ts_decimal_put(struct ts_decimal decimal, char text[TS_DECIMAL_SIZE]); /* as ts_decimal_write lays it out */
size_t ts_decimal_put_scientific(struct ts_decimal decimal, char text[TS_DECIMAL_SIZE]); /* "3.1e-05" */
/* At least that many decimals, filled up with zeros. `text` holds all the digits: 311 bytes and the decimals at
 * most. */
size_t ts_decimal_put_fixed(struct ts_decimal decimal, int decimals, char *text);

#endif
