/* Parameter values in canonical form, as they go into keys, runs and records.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_VALUE_H
#define TS_BASE_VALUE_H

#include "base/error.h"
#include "base/str.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum ts_value_type { TS_VALUE_INTEGER, TS_VALUE_REAL, TS_VALUE_BOOLEAN, TS_VALUE_STRING, TS_VALUE_LIST };

struct ts_value_list;

/* A plain value; strings and lists are borrowed from their owner (usually an arena). */
struct ts_value {
  enum ts_value_type type;
  union {
    int64_t integer;
    double real;
    bool boolean;
    const char *string;               /* borrowed */
    const struct ts_value_list *list; /* borrowed */
  } as;
};

struct ts_value_list {
  size_t count;
  const struct ts_value *items; /* borrowed */
};

const char *ts_value_type_name(enum ts_value_type type); /* "integer", "real", "boolean", "string", "list" */
bool ts_value_type_parse(const char *name, enum ts_value_type *type); /* also accepts "enum" for string */

struct ts_value ts_value_integer(int64_t value);
struct ts_value ts_value_real(double value); /* -0 becomes 0 */
struct ts_value ts_value_boolean(bool value);
struct ts_value ts_value_string(const char *text); /* borrows text */

bool ts_value_equal(const struct ts_value *a, const struct ts_value *b);
/* Equal for equal values only, and no beginning of another's: for look-ups within a process. */
void ts_value_add_bytes(const struct ts_value *value, struct ts_str *bytes);
/* Total order within a type (numbers by size, strings by bytes); used for sorting only. */
int ts_value_compare(const struct ts_value *a, const struct ts_value *b);
/* The number, for integers, reals and booleans. */
bool ts_value_number(const struct ts_value *value, double *number);
/* Text for people and CSV: 4, 5.11905, true, fast, [0.5,1.5]. */
void ts_value_print(const struct ts_value *value, struct ts_str *out);
json_t *ts_value_to_json(const struct ts_value *value); /* new reference */

struct ts_arena;
/* Reads a JSON value as the given type (strings and lists copied to the arena; list items take the type of the JSON
 * items). A real given for an integer is an error (BAD_VALUE), an integer given for a real is fine; NaN and infinities
 * are refused. */
bool ts_value_from_json(const json_t *json, enum ts_value_type type, struct ts_arena *arena, struct ts_value *value,
                        struct ts_error *err);
/* The same from text (command line, CSV). */
bool ts_value_from_text(const char *text, enum ts_value_type type, struct ts_arena *arena, struct ts_value *value,
                        struct ts_error *err);

#endif
