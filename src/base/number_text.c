/* Numbers to text and back, exactly and in every locale.
 * SPDX-License-Identifier: Apache-2.0
 *
 * printf and strtod use the decimal sign of the process's locale. Printing therefore takes only the digits and the exponent
 * from printf and lays them out itself; reading goes through a private "C" locale. */
#include "base/str.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS   17 /* enough for every double */
#define MAX_DECIMALS 30 /* with 309 digits before the point they fit TS_DECIMALS_BYTES */

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void create_c_locale(void) {
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!c_locale) TS_BUG("the C locale is missing");
}

static double read_double(const char *text, char **end) {
  pthread_once(&c_locale_once, create_c_locale);
  return strtod_l(text, end, c_locale);
}

/* |value| = 0.d1d2d3... x 10^exponent, no zeros at the end. */
struct decimal {
  char digits[MAX_DIGITS + 1];
  int count;
  int exponent;
};

/* From printf's "d.ddde-07", whatever it writes for the point. */
static void split(double magnitude, int precision, struct decimal *out) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", precision - 1, magnitude);
  out->count = 0;
  const char *p = text;
  for (; *p && *p != 'e'; p++) {
    if (*p >= '0' && *p <= '9' && out->count < MAX_DIGITS) out->digits[out->count++] = *p;
  }
  out->exponent = (int)strtol(p + 1, NULL, 10) + 1;
  while (out->count > 1 && out->digits[out->count - 1] == '0') out->count--;
  out->digits[out->count] = '\0';
}

static bool reads_back(const struct decimal *decimal, double magnitude) {
  char text[64];
  snprintf(text, sizeof text, "0.%se%d", decimal->digits, decimal->exponent);
  return read_double(text, NULL) == magnitude;
}

/* Just above a power of two the doubles lie twice as far apart as below it: there the next decimal up may read back where
 * the nearest one does not. */
static void step_up(struct decimal *decimal, int precision) {
  while (decimal->count < precision) decimal->digits[decimal->count++] = '0';
  decimal->digits[decimal->count] = '\0';
  for (int i = decimal->count - 1; i >= 0; i--) {
    if (decimal->digits[i] != '9') {
      decimal->digits[i]++;
      return;
    }
    decimal->digits[i] = '0';
  }
  decimal->digits[0] = '1';
  decimal->exponent++;
}

static void shortest(double magnitude, struct decimal *decimal) {
  /* Of normal doubles, 15 digits survive a round trip through text, so anything shorter shows up at 15 with zeros at the
   * end, which split() drops. Subnormal ones have fewer digits: search from one. */
  int precision = magnitude < 0x1p-1022 ? 1 : 15;
  for (; precision < MAX_DIGITS; precision++) {
    split(magnitude, precision, decimal);
    if (reads_back(decimal, magnitude)) return;
    if (precision < 16) continue;
    step_up(decimal, precision);
    if (reads_back(decimal, magnitude)) return;
  }
  split(magnitude, MAX_DIGITS, decimal);
}

static void add_zeros(struct ts_str *str, int count) {
  for (int i = 0; i < count; i++) ts_str_add_char(str, '0');
}

static void add_scientific(struct ts_str *str, const struct decimal *decimal) {
  ts_str_add_char(str, decimal->digits[0]);
  if (decimal->count > 1) ts_str_addf(str, ".%s", decimal->digits + 1);
  int exponent = decimal->exponent - 1;
  ts_str_addf(str, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

static void add_fixed(struct ts_str *str, const struct decimal *decimal) {
  int whole = decimal->exponent; /* digits before the point */
  if (whole <= 0) {
    ts_str_add(str, "0.");
    add_zeros(str, -whole);
    ts_str_add(str, decimal->digits);
  } else if (whole >= decimal->count) {
    ts_str_add(str, decimal->digits);
    add_zeros(str, whole - decimal->count);
  } else {
    ts_str_add_bytes(str, decimal->digits, (size_t)whole);
    ts_str_addf(str, ".%s", decimal->digits + whole);
  }
}

void ts_str_add_double(struct ts_str *str, double value) {
  if (isnan(value)) {
    ts_str_add(str, "nan");
    return;
  }
  if (signbit(value)) ts_str_add_char(str, '-');
  double magnitude = fabs(value);
  if (isinf(magnitude)) {
    ts_str_add(str, "inf");
    return;
  }
  struct decimal decimal;
  shortest(magnitude, &decimal);
  if (magnitude != 0 && (decimal.exponent < -3 || decimal.exponent > 16)) {
    add_scientific(str, &decimal);
  } else {
    add_fixed(str, &decimal);
  }
}

/* printf's text with a point for the decimal sign of the locale, which may have several bytes. */
static char *with_point(char *text) {
  char *sign = text + strspn(text, "+-0123456789");
  size_t length = strcspn(sign, "0123456789e");
  if (length == 0 || *sign == '\0' || strchr("in", *sign)) return text; /* none, or inf and nan */
  *sign = '.';
  memmove(sign + 1, sign + length, strlen(sign + length) + 1);
  return text;
}

char *ts_format_significant(double value, int digits, char buffer[TS_SIGNIFICANT_BYTES]) {
  snprintf(buffer, TS_SIGNIFICANT_BYTES, "%.*g", digits < MAX_DIGITS ? digits : MAX_DIGITS, value);
  return with_point(buffer);
}

char *ts_format_decimals(double value, int decimals, char buffer[TS_DECIMALS_BYTES]) {
  snprintf(buffer, TS_DECIMALS_BYTES, "%.*f", decimals < MAX_DECIMALS ? decimals : MAX_DECIMALS, value);
  return with_point(buffer);
}

int ts_decimal_exponent(double value) {
  struct decimal decimal;
  split(fabs(value), MAX_DIGITS, &decimal);
  return decimal.exponent - 1;
}

static const char *skip_digits(const char *p, bool *any) {
  while (*p >= '0' && *p <= '9') {
    p++;
    *any = true;
  }
  return p;
}

/* [+-] digits [. digits] [e [+-] digits]: strtod alone would also take spaces, "inf", "nan" and hexadecimal. */
static bool is_decimal_number(const char *p) {
  bool any = false;
  if (*p == '+' || *p == '-') p++;
  p = skip_digits(p, &any);
  if (*p == '.') p = skip_digits(p + 1, &any);
  if (!any) return false;
  if (*p == 'e' || *p == 'E') {
    any = false;
    p++;
    if (*p == '+' || *p == '-') p++;
    p = skip_digits(p, &any);
  }
  return any && *p == '\0';
}

bool ts_parse_double(const char *text, double *value) {
  if (!is_decimal_number(text)) return false;
  double number = read_double(text, NULL);
  if (!isfinite(number)) return false; /* too large; too small becomes 0 or subnormal, the nearest double */
  *value = number;
  return true;
}

bool ts_parse_int64(const char *text, int64_t *value) {
  bool any = false;
  const char *p = text;
  if (*p == '+' || *p == '-') p++;
  p = skip_digits(p, &any);
  if (!any || *p != '\0') return false;
  errno = 0;
  long long number = strtoll(text, NULL, 10);
  if (errno == ERANGE) return false;
  *value = number;
  return true;
}
