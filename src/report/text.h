/* Text for people: numbers in few digits, durations, and escaping for HTML.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing here depends on the locale of the process. */
#ifndef TS_REPORT_TEXT_H
#define TS_REPORT_TEXT_H

#include "base/str.h"

#include <stddef.h>

#define TS_NUMBER_SIZE 64

/* At least `digits` significant digits, whole numbers whole, groups of thousands, no zeros at the end: "0.42", "12
 * 346", "3.1e-5"; a dash for NaN. The space is a no-break one. Returns the buffer. */
char *ts_format_number(double value, int digits, char buffer[TS_NUMBER_SIZE]);
/* Rounded away from zero, for "below" (value >= 0). */
char *ts_format_number_up(double value, int digits, char buffer[TS_NUMBER_SIZE]);
/* A fixed number of digits after the point, for the ticks of an axis. */
char *ts_format_fixed(double value, int decimals, char buffer[TS_NUMBER_SIZE]);
/* 0.704 -> "70 %"; below 10 % with one decimal; "0 %" and "100 %" only if it is exactly so. */
char *ts_format_percent(double share, char buffer[TS_NUMBER_SIZE]);
/* "0.4 s", "14 s", "2 min 11 s", "3 h 05 min". */
char *ts_format_time(double seconds, char buffer[TS_NUMBER_SIZE]);

/* Escapes for element content and attribute values; control characters that XML forbids become U+FFFD. */
void ts_html_add(struct ts_str *out, const char *text);
/* Markup as it is, with an escaped text for each %s, the only conversion. */
void ts_html_addf(struct ts_str *out, const char *format, ...) TS_PRINTF(2, 3);

/* Bytes as base64. */
void ts_base64_add(struct ts_str *out, const unsigned char *bytes, size_t size);

#endif
