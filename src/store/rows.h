/* The columns of the store's rows, in the order in which the tables of a database and the messages of a worker have
 * them: all code that binds, reads, sends or copies a row goes through its list.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_STORE_ROWS_H
#define TS_STORE_ROWS_H

#include <stddef.h>

/* By the member of the struct: `const char *`, the same that may be NULL, `char [9]`, `struct ts_sha256`, and numbers.
 * A text that is NULL counts as "", unless it is optional. */
enum ts_column_kind {
  TS_COLUMN_TEXT,
  TS_COLUMN_OPTIONAL,
  TS_COLUMN_RUN_ID,
  TS_COLUMN_DIGEST,
  TS_COLUMN_BOOL,
  TS_COLUMN_I32,
  TS_COLUMN_I64,
  TS_COLUMN_U64,
  TS_COLUMN_F64
};

#define TS_RUN_ID_BYTES 9 /* 8 digits and the end */

struct ts_column {
  enum ts_column_kind kind;
  size_t offset; /* of the member */
};

struct ts_columns {
  const struct ts_column *items;
  size_t count;
};

extern const struct ts_columns ts_record_columns;     /* struct ts_record, without inputs and outputs */
extern const struct ts_columns ts_task_columns;       /* struct ts_task_row */
extern const struct ts_columns ts_run_columns;        /* struct ts_store_run */
extern const struct ts_columns ts_run_change_columns; /* struct ts_store_run_change */
extern const struct ts_columns ts_file_columns;       /* struct ts_file_identity */

#endif
