/* A growing byte string, and the few text helpers every module needs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lowest layer: nothing about files, JSON or any upper module belongs here. */
#ifndef TS_BASE_STR_H
#define TS_BASE_STR_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_str {
  char *data;    /* owned; always NUL-terminated once anything was added; NULL when empty */
  size_t length; /* without the NUL */
  size_t capacity;
};

void ts_str_release(struct ts_str *str);
void ts_str_clear(struct ts_str *str); /* keeps the memory */
void ts_str_add(struct ts_str *str, const char *text);
void ts_str_add_bytes(struct ts_str *str, const void *data, size_t size);
void ts_str_add_char(struct ts_str *str, char c);
void ts_str_add_int64(struct ts_str *str, int64_t number); /* in decimal digits; a tenth of the time of addf */
void ts_str_addf(struct ts_str *str, const char *format, ...) TS_PRINTF(2, 3);
const char *ts_str_get(const struct ts_str *str); /* never NULL */
char *ts_str_detach(struct ts_str *str);          /* gives the memory away, never NULL */

/* Shortest decimal text that reads back as the same double ("5", "5.11905", "1e-07"); the same in every locale. */
void ts_str_add_double(struct ts_str *str, double value);
/* A word as a POSIX shell would have to see it: quoted where it is not plain. */
void ts_str_add_shell_word(struct ts_str *str, const char *word);
/* For people: laid out as printf's %.*g and %.*f, rounded half away from zero from the shortest text (1.005 becomes
 * "1.01"), the same in every locale. No memory is allocated. Both return the buffer; the macros bring one along that
 * lives until the end of the block. */
#define TS_SIGNIFICANT_BYTES 32
#define TS_DECIMALS_BYTES    352 /* the largest double has 309 digits before the point */
char *ts_format_significant(double value, int digits, char buffer[TS_SIGNIFICANT_BYTES]); /* 17 digits at most */
char *ts_format_decimals(double value, int decimals, char buffer[TS_DECIMALS_BYTES]);     /* 30 decimals at most */
#define TS_SIGNIFICANT(value, digits) ts_format_significant((value), (digits), (char[TS_SIGNIFICANT_BYTES]){0})
#define TS_DECIMALS(value, decimals)  ts_format_decimals((value), (decimals), (char[TS_DECIMALS_BYTES]){0})
/* Reads a whole string as a number; false if anything is left over, or on overflow, NaN and infinity. */
bool ts_parse_double(const char *text, double *value);
bool ts_parse_int64(const char *text, int64_t *value);

/* Well-formed UTF-8 (no surrogates, no overlong forms); a NUL byte counts as a character. */
bool ts_utf8_valid(const char *text, size_t length);

/* ASCII letters only, whatever the locale. */
char ts_char_upper(char c);
bool ts_word_equal(const char *a, const char *b); /* blind to case */
bool ts_str_starts_with(const char *text, const char *prefix);
bool ts_str_ends_with(const char *text, const char *suffix);
/* "first.second", or as much of it as there is room for; returns the buffer. */
const char *ts_join_names(const char *first, const char *second, char *buffer, size_t size);
/* 18400 -> "18 400" (a narrow layout for people). buffer holds at least 32 bytes; returns it. */
char *ts_format_count(uint64_t count, char buffer[32]);
/* 131.2 -> "02:11"; above an hour "1:02:11". */
char *ts_format_duration(double seconds, char buffer[32]);
/* 3.9e9 -> "3.9 GB". */
char *ts_format_bytes(uint64_t bytes, char buffer[32]);

void ts_hex_encode(const uint8_t *bytes, size_t size, char *hex); /* writes 2 * size + 1 chars */
bool ts_hex_decode(const char *hex, uint8_t *bytes, size_t size); /* exactly 2 * size digits */

/* Edit distance based "did you mean": the nearest candidate, or NULL if none is near. */
const char *ts_nearest_word(const char *word, const char *const *candidates, size_t count);
/* All that are equally near, three at most: "'G1' or 'G2'". False: there is none. */
bool ts_add_nearest_words(struct ts_str *out, const char *word, const char *const *candidates, size_t count);
/* The only one that begins with the word, or else the nearest; NULL if none is near. */
const char *ts_suggest(const char *word, const char *const *names, size_t count);

#endif
