/* Numbers to text and back for strings and for people; base/decimal.c has the digits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include "base/decimal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS   17 /* no shortest text has more */
#define MAX_DECIMALS 30 /* with 309 digits before the point they fit TS_DECIMALS_BYTES */

void ts_str_add_double(struct ts_str *str, double value) {
  char text[TS_DECIMAL_SIZE];
  ts_str_add_bytes(str, text, ts_decimal_write(value, text));
}

/* Numbers that have no digits: nan and the infinities. */
static char *put_odd(double value, char *buffer) {
  buffer[ts_decimal_write(value, buffer)] = '\0';
  return buffer;
}

/* The sign, and where the digits go. */
static char *put_sign(double value, char *buffer) {
  buffer[0] = '-';
  return buffer + (signbit(value) ? 1 : 0);
}

char *ts_format_significant(double value, int digits, char buffer[TS_SIGNIFICANT_BYTES]) {
  if (!isfinite(value)) return put_odd(value, buffer);
  int kept = digits < 1 ? 1 : digits < MAX_DIGITS ? digits : MAX_DIGITS;
  struct ts_decimal decimal = ts_decimal_of(value);
  decimal = ts_decimal_round(decimal, ts_decimal_place(decimal) - kept + 1, false);
  char *text = put_sign(value, buffer);
  int place = ts_decimal_place(decimal);
  bool is_scientific = place < -4 || place >= kept;
  size_t length = is_scientific ? ts_decimal_put_scientific(decimal, text) : ts_decimal_put_fixed(decimal, 0, text);
  text[length] = '\0';
  return buffer;
}

char *ts_format_decimals(double value, int decimals, char buffer[TS_DECIMALS_BYTES]) {
  if (!isfinite(value)) return put_odd(value, buffer);
  int kept = decimals < 0 ? 0 : decimals < MAX_DECIMALS ? decimals : MAX_DECIMALS;
  char *text = put_sign(value, buffer);
  text[ts_decimal_put_fixed(ts_decimal_round(ts_decimal_of(value), -kept, false), kept, text)] = '\0';
  return buffer;
}

bool ts_parse_double(const char *text, double *value) {
  double number;
  const char *end = text + strlen(text);
  if (ts_decimal_read(text, end, &number) != end) return false;
  if (!isfinite(number)) return false; /* too large; too small becomes 0 or subnormal, the nearest double */
  *value = number;
  return true;
}

bool ts_parse_int64(const char *text, int64_t *value) {
  const char *digits = *text == '+' || *text == '-' ? text + 1 : text;
  size_t length = strspn(digits, "0123456789");
  if (length == 0 || digits[length] != '\0') return false;
  errno = 0;
  long long number = strtoll(text, NULL, 10);
  if (errno == ERANGE) return false;
  *value = number;
  return true;
}
