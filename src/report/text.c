/* Text for people: numbers in few digits, durations, and escaping for HTML.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/text.h"

#include "base/str.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NO_BREAK_SPACE "\xc2\xa0" /* UTF-8, two bytes */
#define MINUS          "\xe2\x88\x92"
#define DASH           "\xe2\x80\x93"
#define MAX_DECIMALS   12

/* 10^n for small n, exactly. */
static double ten_to(int n) {
  double power = 1;
  for (int i = 0; i < n; i++) power *= 10;
  return power;
}

/* Copies digits with a space before every third from the right. */
static size_t add_grouped(char *out, uint64_t whole) {
  char digits[24];
  int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)whole);
  size_t length = 0;
  for (int i = 0; i < count; i++) {
    int left = count - i;
    if (i > 0 && left % 3 == 0 && count > 4) {
      out[length++] = NO_BREAK_SPACE[0];
      out[length++] = NO_BREAK_SPACE[1];
    }
    out[length++] = digits[i];
  }
  return length;
}

/* scaled = |value| 10^decimals as a whole number. */
static char *write_scaled(bool negative, uint64_t scaled, int decimals, bool trim, char *buffer) {
  size_t length = 0;
  if (negative && scaled > 0) {
    memcpy(buffer, MINUS, 3);
    length = 3;
  }
  uint64_t unit = (uint64_t)ten_to(decimals), rest = scaled % unit;
  length += add_grouped(buffer + length, scaled / unit);
  while (trim && decimals > 0 && rest % 10 == 0) {
    rest /= 10;
    decimals--;
  }
  if (decimals > 0) buffer[length++] = '.';
  for (int i = decimals; i > 0; i--) {
    buffer[length + (size_t)i - 1] = (char)('0' + rest % 10);
    rest /= 10;
  }
  buffer[length + (size_t)decimals] = '\0';
  return buffer;
}

/* "3.1e-5": digits of the mantissa through the same road, so that the locale plays no part. */
static char *write_scientific(double value, int digits, bool up, char *buffer) {
  int exponent = ts_decimal_exponent(value);
  double mantissa = fabs(value);
  for (int i = exponent; i > 0; i--) mantissa /= 10;
  for (int i = exponent; i < 0; i++) mantissa *= 10;
  double scaled = mantissa * ten_to(digits - 1);
  uint64_t whole = (uint64_t)(up ? ceil(scaled - 1e-9) : round(scaled));
  if (whole >= (uint64_t)ten_to(digits)) {
    whole /= 10;
    exponent++;
  }
  write_scaled(value < 0, whole, digits - 1, true, buffer);
  size_t length = strlen(buffer);
  snprintf(buffer + length, TS_NUMBER_SIZE - length, "e%d", exponent);
  return buffer;
}

static char *format(double value, int digits, bool up, char *buffer) {
  if (!isfinite(value)) {
    snprintf(buffer, TS_NUMBER_SIZE, "%s", isnan(value) ? DASH : value > 0 ? "infinite" : MINUS "infinite");
    return buffer;
  }
  if (value == 0) {
    snprintf(buffer, TS_NUMBER_SIZE, "0");
    return buffer;
  }
  int exponent = ts_decimal_exponent(value);
  if (exponent < -4 || exponent > 14) return write_scientific(value, digits, up, buffer);
  int decimals = digits - 1 - exponent;
  if (decimals < 0) decimals = 0;
  if (decimals > MAX_DECIMALS) decimals = MAX_DECIMALS;
  double scaled = fabs(value) * ten_to(decimals);
  /* What is a whole number but for rounding errors is not lifted to the next. */
  uint64_t whole = (uint64_t)(up ? ceil(scaled - 1e-9 * scaled) : round(scaled));
  return write_scaled(value < 0, whole, decimals, true, buffer);
}

char *ts_format_number(double value, int digits, char buffer[TS_NUMBER_SIZE]) {
  return format(value, digits, false, buffer);
}

char *ts_format_number_up(double value, int digits, char buffer[TS_NUMBER_SIZE]) {
  return format(value, digits, true, buffer);
}

char *ts_format_fixed(double value, int decimals, char buffer[TS_NUMBER_SIZE]) {
  if (decimals > MAX_DECIMALS || fabs(value) * ten_to(decimals) > 1e15) return format(value, 3, false, buffer);
  return write_scaled(value < 0, (uint64_t)round(fabs(value) * ten_to(decimals)), decimals, false, buffer);
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
