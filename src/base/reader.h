/* Reading JSON objects against the keys they may have, so that every complaint has a place and a proposal.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Workflows, studies and manifests of commands are read with this; the words of a complaint are therefore the same in
 * all of them. Every object may have a "help" and a "comment". */
#ifndef TS_BASE_READER_H
#define TS_BASE_READER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"

struct ts_reader {
  const struct ts_json_doc *doc; /* borrowed */
  struct ts_arena *arena;        /* borrowed: strings and pointers that live as long as the reading, at least */
  struct ts_faults *faults;      /* borrowed */
};

enum ts_want {
  TS_WANT_ANY,
  TS_WANT_STRING,
  TS_WANT_OBJECT,
  TS_WANT_LIST,
  TS_WANT_BOOLEAN,
  TS_WANT_INTEGER,
  TS_WANT_NUMBER /* whole or not */
};

/* A key that an object may have; `value` and `faulty` are filled in by ts_reader_fields. */
struct ts_field {
  const char *name;
  enum ts_want want;
  bool required;
  const char *example; /* what a user might write, for the help text; NULL: the kind in words */
  const json_t *value; /* borrowed; NULL if absent or of the wrong type */
  bool faulty;         /* missing, misspelt or of the wrong type; reported */
};

/* Adds a fault at the value (or the key) at a JSON pointer. The result is valid until the next fault. */
struct ts_error *ts_reader_fault(const struct ts_reader *reader, enum ts_error_code code, const char *pointer,
                                 enum ts_json_part part, const char *format, ...) TS_PRINTF(5, 6);
/* "pointer/name" and "pointer/index", in the arena. */
const char *ts_reader_child(const struct ts_reader *reader, const char *pointer, const char *name);
const char *ts_reader_item(const struct ts_reader *reader, const char *pointer, size_t index);
/* Checks all keys of an object for unknown and missing ones and for values of the wrong type. `what` is "a task". False
 * if there was a fault. */
bool ts_reader_fields(const struct ts_reader *reader, const json_t *object, const char *pointer, const char *what,
                      struct ts_field *fields, size_t count);
/* Whether a value has the wanted kind; otherwise WRONG_TYPE. `label` is "'name'" or "a task", `example` as in a
 * field. */
bool ts_reader_want(const struct ts_reader *reader, const json_t *value, const char *pointer, const char *label,
                    enum ts_want want, const char *example);
/* The complaint alone, for kinds that ts_want does not have; `needed` is "a list of strings". */
void ts_reader_wrong_type(const struct ts_reader *reader, const json_t *value, const char *pointer, const char *label,
                          const char *needed, const char *example);
/* The value of a key if it is there and of this kind, otherwise NULL; reports nothing. */
const json_t *ts_reader_get(const json_t *object, const char *name, enum ts_want want);
/* The same of a string, as a copy in the arena. */
const char *ts_reader_string(const struct ts_reader *reader, const json_t *object, const char *name);
/* The "help" of an object, "" without one. */
const char *ts_reader_help(const struct ts_reader *reader, const json_t *object);

/* A list of names for help texts, and "did you mean". */
struct ts_names {
  const char **items; /* owned array of borrowed names */
  size_t count;
  size_t capacity;
};
void ts_names_add(struct ts_names *names, const char *name);
void ts_names_release(struct ts_names *names);
/* Help: "did you mean 'x'?", or "<label>: a, b, c", or `none` if there are none. Returns the nearest name or NULL. */
const char *ts_names_suggest(const struct ts_names *names, struct ts_error *err, const char *word, const char *label,
                             const char *none);
/* Appends 'a', 'b' and 3 more. */
void ts_names_print(const struct ts_names *names, struct ts_str *out);

#endif
