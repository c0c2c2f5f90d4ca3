/* The descriptor of a new operation as it was read and checked: read-only for everything that writes from it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_GENERATE_DESCRIPTOR_H
#define TS_GENERATE_DESCRIPTOR_H

#include "tessera_op.h"

#include "base/arena.h"
#include "base/reader.h"
#include "base/str.h"
#include "data/data.h"

enum new_kind { NEW_C, NEW_COMMAND, NEW_SCRIPT };

/* A text of the descriptor that has placeholders; text NULL: it is not there. */
struct new_text {
  const char *text, *pointer;
};

struct new_texts {
  struct new_text *items; /* in the arena */
  size_t count;
};

/* A list of words, such as names of headers. */
struct new_words {
  const char **items; /* in the arena */
  size_t count;
};

struct new_column {
  const char *name;
  struct new_text value;
};

struct new_input {
  const struct ts_op_port *port;
  const struct ts_type *type; /* NULL: not known, and reported */
  const char *file_name;      /* of the input of the workflow, which has fewer names to choose from */
  const char **columns;       /* in the arena: those of a table that placeholders name */
  size_t column_count;
};

struct new_output {
  const struct ts_op_port *port;
  const struct ts_type *type;
  struct new_column *columns; /* in the arena: of a table */
  size_t column_count;
  struct new_text size; /* C: most bytes of an output of bytes */
  const char *like;     /* C: the input whose size pixels have; NULL: the first with pixels */
  bool starts_as_like;  /* C: begins as a copy of it */
};

struct new_parameter {
  const struct ts_op_parameter *parameter;
  const json_t *default_value, *range, *grid; /* borrowed from the document; NULL */
};

struct new_operation {
  struct ts_arena *arena; /* borrowed */
  enum new_kind kind;
  const char *name, *numeric, *help;
  uint32_t version;
  const char *stem; /* "zlib_crc": of files and folder */
  struct new_input *inputs;
  struct new_output *outputs;
  struct new_parameter *parameters;
  size_t input_count, output_count, parameter_count;
  struct new_text *texts; /* in the arena: every text with placeholders */
  size_t text_count, text_capacity;
  /* C */
  struct new_words packages, headers, libraries, flags;
  struct new_text open, call, fails_if, fails_reason;
  struct new_texts before, after;
  const char *returns; /* C type of the call; NULL: its value is not used */
  bool not_thread_safe;
  const char *reach; /* "pixel", "radius", "component", "tile"; NULL */
  int64_t radius_px;
  /* command, script */
  struct new_texts command, lines;
  struct new_words imports;
  const char *standard_input, *standard_output; /* ports; NULL */
};

/* read.c: every fault of the descriptor; false if there is one. */
bool ts_new_read(const struct ts_reader *reader, struct new_operation *op);

/* ---- Placeholders (placeholder.c): {level}, {image.data}, {cells[area]}, {cells[area].count}, {result}. ---- */

enum new_subject { NEW_UNKNOWN, NEW_PARAMETER, NEW_INPUT, NEW_OUTPUT, NEW_RESULT };

struct new_placeholder {
  size_t start, end;                        /* bytes of the text, braces included */
  char name[65], column[129], property[33]; /* the last two may be empty */
  enum new_subject subject;
  size_t index; /* of the parameter or port */
};

/* The next placeholder at or behind *at, which moves behind it; false: there are no more. */
bool ts_placeholder_next(const struct new_operation *op, const char *text, size_t *at, struct new_placeholder *found);
/* Faults of all placeholders of a text, each at its line and column. */
void ts_placeholder_check(const struct ts_reader *reader, const struct new_operation *op, const struct new_text *text);
/* Notes the columns of tables that a text names. */
void ts_placeholder_note_columns(struct new_operation *op, const struct new_text *text);
/* Whether any text has {name.property}, or with an empty property {name}. */
bool ts_placeholder_is_used(const struct new_operation *op, const char *name, const char *property);
/* The text with what `print` writes in place of every placeholder. */
void ts_placeholder_expand(const struct new_operation *op, const char *text,
                           void (*print)(const struct new_operation *op, const struct new_placeholder *placeholder,
                                         struct ts_str *out),
                           struct ts_str *out);

#endif
