/* Doubles to their shortest texts and back the slow way, through printf and strtod: the oracle of base/decimal.c.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Right in the "C" locale only, which is the one that test programs start in. */
#ifndef TS_UNIT_BASE_SLOW_DECIMAL_H
#define TS_UNIT_BASE_SLOW_DECIMAL_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_DIGITS 17 /* enough for every double */
#define SLOW_SIZE   64

/* |value| = 0.d1d2d3... x 10^exponent, no zeros at the end. */
struct slow_decimal {
  char digits[SLOW_DIGITS + 1];
  int count;
  int exponent;
};

/* From printf's "d.ddde-07". */
static inline void slow_split(double magnitude, int precision, struct slow_decimal *out) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", precision - 1, magnitude);
  out->count = 0;
  const char *p = text;
  for (; *p && *p != 'e'; p++) {
    if (*p >= '0' && *p <= '9' && out->count < SLOW_DIGITS) out->digits[out->count++] = *p;
  }
  out->exponent = (int)strtol(p + 1, NULL, 10) + 1;
  while (out->count > 1 && out->digits[out->count - 1] == '0') out->count--;
  out->digits[out->count] = '\0';
}

static inline bool slow_reads_back(const struct slow_decimal *decimal, double magnitude) {
  char text[64];
  snprintf(text, sizeof text, "0.%se%d", decimal->digits, decimal->exponent);
  return strtod(text, NULL) == magnitude;
}

/* Just above a power of two the doubles lie twice as far apart as below it: there the next decimal up may read back
 * where the nearest one does not. */
static inline void slow_step_up(struct slow_decimal *decimal, int precision) {
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

static inline void slow_shortest(double magnitude, struct slow_decimal *decimal) {
  /* Of normal doubles, 15 digits survive a round trip through text, so anything shorter shows up at 15 with zeros at
   * the end, which slow_split() drops. Subnormal ones have fewer digits: search from one. */
  int precision = magnitude < 0x1p-1022 ? 1 : 15;
  for (; precision < SLOW_DIGITS; precision++) {
    slow_split(magnitude, precision, decimal);
    if (slow_reads_back(decimal, magnitude)) return;
    if (precision < 16) continue;
    slow_step_up(decimal, precision);
    if (slow_reads_back(decimal, magnitude)) return;
  }
  slow_split(magnitude, SLOW_DIGITS, decimal);
}

/* From -3 to 16 digits before the point as "0.000123" and "1230", else as "1.23e-05". */
static inline void slow_write(double value, char text[SLOW_SIZE]) {
  const char *sign = signbit(value) && !isnan(value) ? "-" : "";
  if (isnan(value) || isinf(value)) {
    snprintf(text, SLOW_SIZE, "%s%s", sign, isnan(value) ? "nan" : "inf");
    return;
  }
  struct slow_decimal decimal;
  slow_shortest(fabs(value), &decimal);
  const char *digits = decimal.digits;
  int whole = decimal.exponent;
  static const char zeros[] = "0000000000000000";
  if (value != 0 && (whole < -3 || whole > 16)) {
    snprintf(text, SLOW_SIZE, "%s%c%s%se%c%02d", sign, digits[0], decimal.count > 1 ? "." : "", digits + 1,
             whole < 1 ? '-' : '+', abs(whole - 1));
  } else if (whole <= 0) {
    snprintf(text, SLOW_SIZE, "%s0.%.*s%s", sign, -whole, zeros, digits);
  } else if (whole >= decimal.count) {
    snprintf(text, SLOW_SIZE, "%s%s%.*s", sign, digits, whole - decimal.count, zeros);
  } else {
    snprintf(text, SLOW_SIZE, "%s%.*s.%s", sign, whole, digits, digits + whole);
  }
}

static inline const char *slow_skip_digits(const char *p, bool *any) {
  for (; *p >= '0' && *p <= '9'; p++) *any = true;
  return p;
}

/* [+-] digits [. digits] [e [+-] digits]: strtod alone would also take spaces, "inf", "nan" and hexadecimal. */
static inline bool slow_is_number(const char *p) {
  bool any = false;
  if (*p == '+' || *p == '-') p++;
  p = slow_skip_digits(p, &any);
  if (*p == '.') p = slow_skip_digits(p + 1, &any);
  if (!any) return false;
  if (*p == 'e' || *p == 'E') {
    any = false;
    p++;
    if (*p == '+' || *p == '-') p++;
    p = slow_skip_digits(p, &any);
  }
  return any && *p == '\0';
}

static inline bool slow_read(const char *text, double *value) {
  if (!slow_is_number(text)) return false;
  double number = strtod(text, NULL);
  if (!isfinite(number)) return false;
  *value = number;
  return true;
}

/* The shortest text cut behind the digit of 10^place, half away from zero, as digits of 10^place without a sign: by
 * hand, on the characters. `out` holds 700. */
static inline void slow_round(double value, int place, char *out) {
  struct slow_decimal decimal;
  slow_shortest(fabs(value), &decimal);
  int kept = value == 0 ? 0 : decimal.exponent - place; /* digits in front of the cut */
  size_t length = 0;
  out[length++] = '0'; /* for a carry */
  for (int i = 0; i < kept; i++) out[length++] = i < decimal.count ? decimal.digits[i] : '0';
  out[length] = '\0';
  bool is_lifted = value != 0 && kept >= 0 && kept < decimal.count && decimal.digits[kept] >= '5';
  for (size_t i = length; is_lifted && i-- > 0;) {
    is_lifted = out[i] == '9';
    out[i] = is_lifted ? '0' : (char)(out[i] + 1);
  }
}

#endif
