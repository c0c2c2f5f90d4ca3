/* The table of commands and options behind tessera_table.h: which field of a request each option sets.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A new command is an entry in commands.c, its options are entries in options.c; nothing else lists them. */
#ifndef TS_REQUEST_TABLE_H
#define TS_REQUEST_TABLE_H

#include "request/request.h"
#include "tessera_table.h"

#include "base/arena.h"
#include "base/error.h"

#include <jansson.h>

enum ts_command_id {
  TS_COMMAND_INIT,
  TS_COMMAND_CHECK,
  TS_COMMAND_LIST,
  TS_COMMAND_PLAN,
  TS_COMMAND_RUN,
  TS_COMMAND_STUDY,
  TS_COMMAND_BENCH,
  TS_COMMAND_CALL,
  TS_COMMAND_NEW,
  TS_COMMAND_SAMPLE,
  TS_COMMAND_ANALYSE,
  TS_COMMAND_SCHEDULE,
  TS_COMMAND_TUNE,
  TS_COMMAND_STATUS,
  TS_COMMAND_LOG,
  TS_COMMAND_EXPLAIN,
  TS_COMMAND_COMPARE,
  TS_COMMAND_REPORT,
  TS_COMMAND_STORE,
  TS_COMMAND_COMPLETION,
  TS_COMMAND_HELP,
  TS_COMMAND_VERSION,
  TS_COMMAND_MAN,
  TS_COMMAND_WORDS,
  TS_COMMAND_WORKER,
  TS_COMMAND_COUNT
};
#define TS_COMMAND_BIT(id)  (1u << (id))
#define TS_COMMAND_ANY_BITS (TS_COMMAND_BIT(TS_COMMAND_COUNT) - 1)

/* What a field of a request is to the work order of a run. */
enum ts_request_part {
  TS_PART_CALL,     /* belongs to a call, not to a run: not in the order */
  TS_PART_OPTIONS,  /* changes results */
  TS_PART_SETTINGS, /* does not */
  TS_PART_PLACES,   /* paths as the user wrote them: kept beside the order */
};

struct ts_option_row {
  struct tessera_option shown;
  uint32_t commands;       /* TS_COMMAND_BIT of those it has an effect on */
  size_t member;           /* offset of the field that it sets in struct ts_request; of no use if shown.is_program */
  size_t given;            /* offset of the bool that says that it was given, of lists of their count; 0: none */
  const char *member_name; /* NULL: shown.is_program */
  enum ts_request_part part;
  const char *fallback;              /* OPTIONAL: the text where none is given; NULL: none */
  bool (*belongs)(const char *word); /* OPTIONAL: whether the word can be its text */
};

extern const struct tessera_command ts_commands[TS_COMMAND_COUNT];
extern const struct ts_option_row ts_option_rows[];
extern const size_t ts_option_row_count;

const struct tessera_command *ts_command_find(const char *name); /* NULL: there is none */
enum ts_command_id ts_command_id(const struct tessera_command *command);

/* value.c: puts the text (NULL for none) into the field that the option sets; what has to be kept goes to the arena.
 * `called` is how the user wrote the option. */
bool ts_option_store(const struct ts_option_row *row, const char *called, const char *text, struct ts_arena *arena,
                     struct ts_request *request, struct ts_error *err);
/* Whether the word is one of the NULL-terminated choices; sets the error if not. */
bool ts_option_is_choice(const char *what, const char *word, const char *const *choices, struct ts_error *err);

/* describe.c: the calls with a JSON Schema of the options of each; a new reference. */
json_t *ts_table_json(void);

/* call.c: what a call by name asks for; borrowed from the call. */
const struct ts_request *ts_call_request(const struct tessera_call *call);
const struct tessera_command *ts_call_command(const struct tessera_call *call);
const char *ts_call_topic(const struct tessera_call *call); /* NULL: none */

#endif
