/* The growing byte string, hexadecimal digits, layouts for people, UTF-8 and "did you mean".
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include "base/alloc.h"
#include "base/order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ts_str_release(struct ts_str *str) {
  free(str->data);
  memset(str, 0, sizeof *str);
}

void ts_str_clear(struct ts_str *str) {
  str->length = 0;
  if (str->data) str->data[0] = '\0';
}

/* Room for `more` bytes and the NUL. */
static void reserve(struct ts_str *str, size_t more) {
  if (more >= SIZE_MAX / 2 - str->length) TS_BUG("a string of %zu more bytes", more);
  size_t wanted = str->length + more + 1;
  if (wanted <= str->capacity) return;
  size_t capacity = str->capacity ? str->capacity : 32;
  while (capacity < wanted) capacity *= 2;
  str->data = ts_realloc(str->data, capacity);
  str->capacity = capacity;
}

void ts_str_add(struct ts_str *str, const char *text) { ts_str_add_bytes(str, text, strlen(text)); }

void ts_str_add_bytes(struct ts_str *str, const void *data, size_t size) {
  reserve(str, size);
  if (size) memcpy(str->data + str->length, data, size);
  str->length += size;
  str->data[str->length] = '\0';
}

void ts_str_add_char(struct ts_str *str, char c) { ts_str_add_bytes(str, &c, 1); }

void ts_str_add_int64(struct ts_str *str, int64_t number) {
  char digits[20];
  size_t first = sizeof digits;
  uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
  do {
    digits[--first] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (number < 0) digits[--first] = '-';
  ts_str_add_bytes(str, digits + first, sizeof digits - first);
}

void ts_str_addf(struct ts_str *str, const char *format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (length < 0) TS_BUG("bad format '%s'", format);
  reserve(str, (size_t)length);
  vsnprintf(str->data + str->length, (size_t)length + 1, format, again);
  va_end(again);
  str->length += (size_t)length;
}

const char *ts_str_get(const struct ts_str *str) { return str->data ? str->data : ""; }

char *ts_str_detach(struct ts_str *str) {
  char *data = str->data ? str->data : ts_strdup("");
  memset(str, 0, sizeof *str);
  return data;
}

/* Length of the well-formed character at `text`, 0 if there is none (Unicode standard, table 3-7). */
static size_t utf8_character(const unsigned char *text, size_t left) {
  unsigned char lead = text[0];
  if (lead < 0x80) return 1;
  size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || size > left) return 0;
  unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (text[1] < low || text[1] > high) return 0;
  for (size_t i = 2; i < size; i++) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  return size;
}

bool ts_utf8_valid(const char *text, size_t length) {
  size_t i = 0;
  while (i < length) {
    size_t size = utf8_character((const unsigned char *)text + i, length - i);
    if (!size) return false;
    i += size;
  }
  return true;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

char ts_char_upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }

bool ts_word_equal(const char *a, const char *b) {
  for (; *a && lower(*a) == lower(*b); a++) b++;
  return *a == *b;
}

bool ts_str_starts_with(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

bool ts_str_ends_with(const char *text, const char *suffix) {
  size_t length = strlen(text);
  size_t suffix_length = strlen(suffix);
  return length >= suffix_length && memcmp(text + length - suffix_length, suffix, suffix_length) == 0;
}

char *ts_format_count(uint64_t count, char buffer[32]) {
  char digits[24];
  int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
  char *out = buffer;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) *out++ = ' ';
    *out++ = digits[i];
  }
  *out = '\0';
  return buffer;
}

char *ts_format_duration(double seconds, char buffer[32]) {
  double bounded = seconds > 0 ? fmin(seconds, 1e15) : 0; /* NaN and negative times show as 00:00 */
  unsigned long long whole = (unsigned long long)bounded;
  unsigned long long hours = whole / 3600;
  unsigned minutes = (unsigned)(whole / 60 % 60);
  unsigned rest = (unsigned)(whole % 60);
  if (hours) {
    snprintf(buffer, 32, "%llu:%02u:%02u", hours, minutes, rest);
  } else {
    snprintf(buffer, 32, "%02u:%02u", minutes, rest);
  }
  return buffer;
}

/* In integers, because %f would print the decimal sign of the locale. */
char *ts_format_bytes(uint64_t bytes, char buffer[32]) {
  static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) {
    snprintf(buffer, 32, "%u B", (unsigned)bytes);
    return buffer;
  }
  uint64_t unit = 1000;
  size_t index = 0;
  uint64_t tenths;
  for (;;) {
    tenths = bytes / unit * 10 + (bytes % unit * 10 + unit / 2) / unit;
    if (tenths < 10000 || index == 5) break;
    unit *= 1000;
    index++;
  }
  snprintf(buffer, 32, "%llu.%llu %s", (unsigned long long)(tenths / 10), (unsigned long long)(tenths % 10),
           units[index]);
  return buffer;
}

void ts_hex_encode(const uint8_t *bytes, size_t size, char *hex) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < size; i++) {
    hex[2 * i] = digits[bytes[i] >> 4];
    hex[2 * i + 1] = digits[bytes[i] & 15];
  }
  hex[2 * size] = '\0';
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool ts_hex_decode(const char *hex, uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    int high = hex_digit(hex[2 * i]);
    int low = high < 0 ? -1 : hex_digit(hex[2 * i + 1]);
    if (low < 0) return false;
    bytes[i] = (uint8_t)(high * 16 + low);
  }
  return hex[2 * size] == '\0';
}

void ts_str_add_shell_word(struct ts_str *str, const char *word) {
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (*word != '\0' && word[strspn(word, safe)] == '\0') {
    ts_str_add(str, word);
    return;
  }
  ts_str_add_char(str, '\'');
  for (; *word; word++) {
    if (*word == '\'')
      ts_str_add(str, "'\\''");
    else
      ts_str_add_char(str, *word);
  }
  ts_str_add_char(str, '\'');
}

/* Optimal string alignment distance (insert, delete, replace, swap neighbours), blind to case. rows holds three rows of
 * strlen(b) + 1 numbers. */
static size_t edit_distance(const char *a, const char *b, size_t *rows) {
  size_t length_a = strlen(a);
  size_t length_b = strlen(b);
  size_t *before = rows;
  size_t *above = rows + length_b + 1;
  size_t *row = above + length_b + 1;
  for (size_t j = 0; j <= length_b; j++) above[j] = j;
  for (size_t i = 1; i <= length_a; i++) {
    row[0] = i;
    for (size_t j = 1; j <= length_b; j++) {
      bool same = lower(a[i - 1]) == lower(b[j - 1]);
      size_t best = ts_smaller_size(ts_smaller_size(above[j], row[j - 1]) + 1, above[j - 1] + (same ? 0 : 1));
      bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) best = ts_smaller_size(best, before[j - 2] + 1);
      row[j] = best;
    }
    size_t *free_row = before;
    before = above;
    above = row;
    row = free_row;
  }
  return above[length_b];
}

/* How far a candidate is from a word, SIZE_MAX if it is another word. Of two as many slips away the one of the same
 * length is nearer: who writes G9 means G1 rather than G. */
static size_t farness(const char *word, const char *candidate) {
  const size_t word_length = strlen(word), length = strlen(candidate);
  /* One slip in three letters is a slip, more is another word. */
  const size_t allowed = ((word_length > length ? word_length : length) + 1) / 3;
  size_t *rows = ts_calloc(3 * (length + 1), sizeof *rows);
  const size_t distance = edit_distance(word, candidate, rows);
  free(rows);
  return distance <= allowed ? 2 * distance + (length != word_length) : SIZE_MAX;
}

const char *ts_nearest_word(const char *word, const char *const *candidates, size_t count) {
  const char *nearest = NULL;
  size_t least = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    const size_t far = farness(word, candidates[i]);
    if (far >= least) continue;
    nearest = candidates[i];
    least = far;
  }
  return nearest;
}

#define MOST_SUGGESTED 3

bool ts_add_nearest_words(struct ts_str *out, const char *word, const char *const *candidates, size_t count) {
  const char *nearest = ts_nearest_word(word, candidates, count);
  if (!nearest) return false;
  const size_t least = farness(word, nearest);
  size_t said = 0;
  for (size_t i = 0; i < count && said < MOST_SUGGESTED; i++) {
    if (farness(word, candidates[i]) != least) continue;
    ts_str_addf(out, "%s'%s'", said++ > 0 ? " or " : "", candidates[i]);
  }
  return true;
}

const char *ts_suggest(const char *word, const char *const *names, size_t count) {
  const char *found = NULL;
  size_t hits = 0;
  for (size_t i = 0; i < count && strlen(word) >= 2; i++) {
    if (!ts_str_starts_with(names[i], word)) continue;
    found = names[i];
    hits++;
  }
  return hits == 1 ? found : ts_nearest_word(word, names, count);
}

/* Not by snprintf: every task is named when it is started. */
const char *ts_join_names(const char *first, const char *second, char *buffer, size_t size) {
  if (size == 0) return buffer;
  const size_t room = size - 1;
  size_t used = strnlen(first, room);
  memcpy(buffer, first, used);
  if (used < room) buffer[used++] = '.';
  const size_t more = strnlen(second, room - used);
  memcpy(buffer + used, second, more);
  buffer[used + more] = '\0';
  return buffer;
}
