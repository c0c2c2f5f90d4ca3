/* Numbers, shares, durations and strings as people read them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/text.h"

#include "base/decimal.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NO_BREAK_SPACE        "\xC2\xA0"
#define NARROW_NO_BREAK_SPACE "\xE2\x80\xAF"
#define NUMBER_DIGITS         3 /* that count */
#define BLOCK                 "\xE2\x96\x88"

void ts_cli_text_add_safe(struct ts_str *out, const char *text) {
  while (*text) {
    unsigned char c = (unsigned char)*text;
    if (ts_str_starts_with(text, NO_BREAK_SPACE) || ts_str_starts_with(text, NARROW_NO_BREAK_SPACE)) {
      ts_str_add_char(out, ' ');
      text += c == 0xC2 ? 2 : 3;
      continue;
    }
    bool control = c < 0x20 || c == 0x7f || (c == 0xC2 && (unsigned char)text[1] < 0xA0); /* also C1, U+0080 to 9F */
    if (control) {
      ts_str_add_char(out, c == '\n' || c == '\t' ? ' ' : '?');
      if (c == 0xC2 && text[1]) text++;
    } else {
      ts_str_add_char(out, *text);
    }
    text++;
  }
}

void ts_cli_text_add_lines(struct ts_str *out, const char *text, const char *indent) {
  struct ts_str line = {0};
  while (*text) {
    size_t length = strcspn(text, "\n");
    ts_str_clear(&line);
    ts_str_add_bytes(&line, text, length);
    ts_str_add(out, indent);
    ts_cli_text_add_safe(out, ts_str_get(&line));
    ts_str_add_char(out, '\n');
    text += length + (text[length] == '\n');
  }
  ts_str_release(&line);
}

static bool starts_character(char c) { return ((unsigned char)c & 0xC0) != 0x80; }

size_t ts_cli_text_width(const char *text) {
  size_t width = 0;
  for (; *text; text++) width += starts_character(*text);
  return width;
}

size_t ts_cli_text_cut(const char *text, size_t width) {
  size_t at = 0;
  for (; text[at]; at++) {
    if (!starts_character(text[at])) continue;
    if (width == 0) break;
    width--;
  }
  return at;
}

void ts_cli_text_add_repeated(struct ts_str *out, const char *text, size_t count) {
  for (size_t i = 0; i < count; i++) ts_str_add(out, text);
}

void ts_cli_text_add_count(struct ts_str *out, uint64_t count, const char *noun) {
  char number[32];
  ts_str_addf(out, "%s %s%s", ts_format_count(count, number), noun, count == 1 ? "" : "s");
}

void ts_cli_text_add_fixed(struct ts_str *out, double value, int decimals) {
  char text[TS_DECIMALS_BYTES];
  if (!isfinite(value)) {
    ts_str_add_char(out, '-');
    return;
  }
  if (decimals == 0 && fabs(value) < 1e15) {
    double size = round(fabs(value));
    ts_str_addf(out, "%s%s", value < 0 && size > 0 ? "-" : "", ts_format_count((uint64_t)size, text));
    return;
  }
  ts_format_decimals(value, decimals, text);
  bool zero = text[0] == '-' && strspn(text + 1, "0.") == strlen(text + 1); /* -0.00 is 0.00 */
  ts_str_add(out, zero ? text + 1 : text);
}

void ts_cli_text_add_number(struct ts_str *out, double value) {
  double size = fabs(value);
  if (!isfinite(value)) {
    ts_str_add_char(out, '-');
  } else if (size >= 99.95 && size < 1e15) {
    ts_cli_text_add_fixed(out, value, 0);
  } else {
    char text[TS_DECIMAL_SIZE];
    struct ts_decimal decimal = ts_decimal_of(value);
    decimal = ts_decimal_round(decimal, ts_decimal_place(decimal) - NUMBER_DIGITS + 1, false);
    if (signbit(value)) ts_str_add_char(out, '-');
    ts_str_add_bytes(out, text, ts_decimal_put(decimal, text));
  }
}

void ts_cli_text_add_share(struct ts_str *out, uint64_t part, uint64_t whole) {
  if (part == 0 || whole == 0) {
    ts_str_add(out, "0 %");
  } else if (part >= whole) {
    ts_str_add(out, "100 %");
  } else {
    double percent = 100.0 * (double)part / (double)whole;
    bool whole_number = percent >= 9.95 && percent < 99.5;
    ts_cli_text_add_fixed(out, fmin(fmax(percent, 0.1), 99.9), whole_number ? 0 : 1);
    ts_str_add(out, " %");
  }
}

void ts_cli_text_add_time(struct ts_str *out, double seconds) {
  double bounded = seconds > 0 ? fmin(seconds, 1e12) : 0;
  if (bounded > 0 && bounded < 0.0995) {
    ts_cli_text_add_number(out, bounded * 1000);
    ts_str_add(out, " ms");
    return;
  }
  if (bounded < 9.95) {
    ts_cli_text_add_fixed(out, bounded, 1);
    ts_str_add(out, " s");
    return;
  }
  unsigned long long whole = (unsigned long long)(bounded + 0.5);
  if (whole < 60) {
    ts_str_addf(out, "%llu s", whole);
  } else if (whole < 3600) {
    ts_str_addf(out, "%llu min %02llu s", whole / 60, whole % 60);
  } else {
    ts_str_addf(out, "%llu h %02llu min", whole / 3600, whole / 60 % 60);
  }
}

void ts_cli_text_add_bar(struct ts_str *out, double share, size_t width, bool unicode) {
  if (!(share > 0)) return;
  double length = fmin(share, 1) * (double)width;
  if (!unicode) {
    ts_cli_text_add_repeated(out, "#", (size_t)(length + 0.5));
    return;
  }
  size_t eighths = (size_t)(length * 8 + 0.5);
  ts_cli_text_add_repeated(out, BLOCK, eighths / 8);
  if (eighths % 8) {
    /* U+258F is one eighth, U+2589 seven. */
    char part[4] = {'\xE2', '\x96', (char)(0x90 - (int)(eighths % 8)), '\0'};
    ts_str_add(out, part);
  }
}

void ts_cli_text_add_wrapped(struct ts_str *out, const char *text, size_t width, size_t at, const char *indent) {
  struct ts_str word = {0};
  bool first = true;
  while (*text) {
    size_t length = strcspn(text, " ");
    ts_str_clear(&word);
    ts_str_add_bytes(&word, text, length);
    size_t columns = ts_cli_text_width(ts_str_get(&word));
    if (!first && width && at + 1 + columns > width) {
      ts_str_addf(out, "\n%s", indent);
      at = ts_cli_text_width(indent);
    } else if (!first) {
      ts_str_add_char(out, ' ');
      at++;
    }
    ts_str_add(out, ts_str_get(&word));
    at += columns;
    first = false;
    text += length;
    while (*text == ' ') text++;
  }
  ts_str_release(&word);
}
