/* Text for people: numbers in few digits, durations, and escaping for HTML.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/text.h"

#include "base/decimal.h"
#include "base/str.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NO_BREAK_SPACE   "\xc2\xa0" /* UTF-8, two bytes */
#define MINUS            "\xe2\x88\x92"
#define DASH             "\xe2\x80\x93"
#define MAX_DECIMALS     12
#define MAX_FIXED_DIGITS 15 /* before and behind the point; more are written as 1.23e15 */

/* The sign for numbers below zero; "-0" has none. */
static char *put_sign(bool is_negative, struct ts_decimal decimal, char *to) {
  if (!is_negative || decimal.digits == 0) return to;
  memcpy(to, MINUS, sizeof MINUS);
  return to + strlen(MINUS);
}

/* A fixed text with a space before every third digit of the whole part, from the right. */
static char *write_fixed(bool is_negative, struct ts_decimal decimal, int decimals, char *buffer) {
  char digits[TS_NUMBER_SIZE];
  size_t length = ts_decimal_put_fixed(decimal, decimals, digits);
  const char *point = memchr(digits, '.', length);
  size_t whole = point ? (size_t)(point - digits) : length;
  char *to = put_sign(is_negative, decimal, buffer);
  for (size_t i = 0; i < length; i++) {
    if (i > 0 && i < whole && (whole - i) % 3 == 0 && whole > 4) {
      memcpy(to, NO_BREAK_SPACE, strlen(NO_BREAK_SPACE));
      to += strlen(NO_BREAK_SPACE);
    }
    *to++ = digits[i];
  }
  *to = '\0';
  return buffer;
}

/* "3.1e-5" */
static char *write_scientific(bool is_negative, struct ts_decimal decimal, char *buffer) {
  int place = ts_decimal_place(decimal);
  struct ts_decimal mantissa = {decimal.digits, decimal.exponent - place};
  char *to = put_sign(is_negative, decimal, buffer);
  to += ts_decimal_put_fixed(mantissa, 0, to);
  snprintf(to, TS_NUMBER_SIZE - (size_t)(to - buffer), "e%d", place);
  return buffer;
}

static char *format(double value, int digits, bool is_up, char *buffer) {
  if (!isfinite(value)) {
    snprintf(buffer, TS_NUMBER_SIZE, "%s", isnan(value) ? DASH : value > 0 ? "infinite" : MINUS "infinite");
    return buffer;
  }
  struct ts_decimal decimal = ts_decimal_of(value);
  int place = ts_decimal_place(decimal);
  bool is_scientific = place < -4 || place > 14;
  int decimals = digits - 1 - place;
  if (!is_scientific && decimals < 0) decimals = 0;
  if (!is_scientific && decimals > MAX_DECIMALS) decimals = MAX_DECIMALS;
  /* What is a round number but for rounding errors is not lifted to the next. */
  if (is_up) decimal = ts_decimal_of(value * (1 - 1e-9));
  decimal = ts_decimal_round(decimal, -decimals, is_up);
  return is_scientific ? write_scientific(value < 0, decimal, buffer) : write_fixed(value < 0, decimal, 0, buffer);
}

char *ts_format_number(double value, int digits, char buffer[TS_NUMBER_SIZE]) {
  return format(value, digits, false, buffer);
}

char *ts_format_number_up(double value, int digits, char buffer[TS_NUMBER_SIZE]) {
  return format(value, digits, true, buffer);
}

char *ts_format_fixed(double value, int decimals, char buffer[TS_NUMBER_SIZE]) {
  struct ts_decimal decimal = isfinite(value) ? ts_decimal_of(value) : (struct ts_decimal){0};
  bool is_long = decimals > MAX_DECIMALS || ts_decimal_place(decimal) + decimals >= MAX_FIXED_DIGITS;
  if (!isfinite(value) || is_long) return format(value, 3, false, buffer);
  return write_fixed(value < 0, ts_decimal_round(decimal, -decimals, false), decimals, buffer);
}

char *ts_format_percent(double share, char buffer[TS_NUMBER_SIZE]) {
  char number[TS_NUMBER_SIZE];
  double percent = 100 * share;
  const char *prefix = "";
  if (share > 0 && percent < 0.1) {
    prefix = "<" NO_BREAK_SPACE;
    percent = 0.1;
  } else if (share < 1 && percent > 99.9) {
    prefix = ">" NO_BREAK_SPACE;
    percent = 99.9;
  }
  bool fine = percent != 0 && (fabs(percent) < 9.95 || (percent > 99.5 && percent < 100));
  ts_format_fixed(percent, fine ? 1 : 0, number);
  snprintf(buffer, TS_NUMBER_SIZE, "%s%.40s" NO_BREAK_SPACE "%%", prefix, number);
  return buffer;
}

char *ts_format_time(double seconds, char buffer[TS_NUMBER_SIZE]) {
  if (!(seconds >= 0) || seconds > 1e15) {
    snprintf(buffer, TS_NUMBER_SIZE, DASH);
    return buffer;
  }
  if (seconds < 59.5) {
    char number[TS_NUMBER_SIZE];
    ts_format_number(seconds, seconds < 9.95 ? 2 : 1, number);
    snprintf(buffer, TS_NUMBER_SIZE, "%.40s" NO_BREAK_SPACE "s", number);
    return buffer;
  }
  uint64_t whole = (uint64_t)round(seconds);
  unsigned long long hours = whole / 3600, minutes = whole / 60 % 60, rest = whole % 60;
  if (hours > 0) {
    snprintf(buffer, TS_NUMBER_SIZE, "%llu" NO_BREAK_SPACE "h" NO_BREAK_SPACE "%02llu" NO_BREAK_SPACE "min", hours,
             minutes);
  } else {
    snprintf(buffer, TS_NUMBER_SIZE, "%llu" NO_BREAK_SPACE "min" NO_BREAK_SPACE "%llu" NO_BREAK_SPACE "s", minutes,
             rest);
  }
  return buffer;
}

void ts_html_add(struct ts_str *out, const char *text) {
  for (const char *p = text; *p; p++) {
    switch (*p) {
    case '&': ts_str_add(out, "&amp;"); break;
    case '<': ts_str_add(out, "&lt;"); break;
    case '>': ts_str_add(out, "&gt;"); break;
    case '"': ts_str_add(out, "&quot;"); break;
    case '\'': ts_str_add(out, "&#39;"); break;
    default:
      if ((unsigned char)*p < 0x20 && *p != '\n' && *p != '\t') {
        ts_str_add(out, "\xef\xbf\xbd");
      } else {
        ts_str_add_char(out, *p);
      }
    }
  }
}

void ts_html_addf(struct ts_str *out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  for (const char *p = format; *p; p++) {
    if (*p != '%')
      ts_str_add_char(out, *p);
    else if (*++p == 's')
      ts_html_add(out, va_arg(args, const char *));
    else
      ts_str_add_char(out, '%'); /* "%%" */
  }
  va_end(args);
}

void ts_base64_add(struct ts_str *out, const unsigned char *bytes, size_t size) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    unsigned group =
        (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
    char quad[4] = {alphabet[group >> 18], alphabet[group >> 12 & 63], left > 1 ? alphabet[group >> 6 & 63] : '=',
                    left > 2 ? alphabet[group & 63] : '='};
    ts_str_add_bytes(out, quad, sizeof quad);
  }
}
