/* Errors that carry the user's place: what went wrong, where in their input, and what to do about it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Conventions: `bool f(..., struct ts_error *err)`; err is the last argument, owned by the caller, of fixed size, never
 * allocating. False is returned if and only if the error is set. The first error wins. Who detects an error writes the
 * text; who propagates it adds nothing, except one ts_error_context() at a module border.
 * Texts: lower case, no full stop, the subject in single quotes.
 * This header is included by everything, the stand-alone kernels too: it must stay free of other project headers. */
#ifndef TS_BASE_ERROR_H
#define TS_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* name, number printed as T123, exit code of the program (ux: 1 tasks failed, 2 usage, 3 invalid input, 5 store or
 * worker trouble), short title. Numbers are stable: add, never renumber.
 * T1xx files and syntax, T2xx workflow structure, T3xx values, T4xx data, T5xx running, T6xx store, T9xx usage and
 * system. */
#define TS_ERROR_MAP(X)                                                                                                \
  X(OK, 0, 0, "no error")                                                                                              \
  X(FILE_NOT_FOUND, 101, 3, "file not found")                                                                          \
  X(FILE_IO, 102, 5, "file could not be read or written")                                                              \
  X(JSON_SYNTAX, 110, 3, "JSON syntax error")                                                                          \
  X(CSV_SYNTAX, 111, 3, "CSV syntax error")                                                                            \
  X(FORMAT_VERSION, 120, 3, "unknown format number")                                                                   \
  X(UNKNOWN_KEY, 201, 3, "unknown key")                                                                                \
  X(MISSING_KEY, 202, 3, "missing key")                                                                                \
  X(PORT_TYPE, 203, 3, "port types do not fit")                                                                        \
  X(WRONG_TYPE, 204, 3, "wrong JSON type")                                                                             \
  X(UNKNOWN_OPERATION, 205, 3, "unknown operation")                                                                    \
  X(UNKNOWN_PARAMETER, 206, 3, "unknown parameter")                                                                    \
  X(UNUSED_PARAMETER, 207, 3, "unused parameter")                                                                      \
  X(CYCLE, 208, 3, "cycle")                                                                                            \
  X(TWO_PRODUCERS, 209, 3, "two producers")                                                                            \
  X(NO_PRODUCER, 210, 3, "no producer")                                                                                \
  X(DUPLICATE_NAME, 211, 3, "duplicate name")                                                                          \
  X(BAD_NAME, 212, 3, "name not allowed")                                                                              \
  X(DATA_COLUMNS, 213, 3, "columns of the data do not fit")                                                            \
  X(BAD_RATIO, 214, 3, "not a ratio")                                                                                  \
  X(OUTSIDE_DOMAIN, 310, 3, "value outside the domain")                                                                \
  X(GRID_OUTSIDE_DOMAIN, 311, 3, "grid value outside the domain")                                                      \
  X(EMPTY_RANGE, 312, 3, "empty range")                                                                                \
  X(CONSTRAINT, 313, 3, "constraint violated")                                                                         \
  X(BAD_VALUE, 314, 3, "value not allowed")                                                                            \
  X(WRONG_DESIGN, 315, 3, "design does not fit the method")                                                            \
  X(OUTPUT_FOLDER, 316, 3, "output cannot be written")                                                                 \
  X(NO_TILES, 401, 3, "dataset without tiles")                                                                         \
  X(BAD_IMAGE, 402, 3, "image could not be read")                                                                      \
  X(BAD_PRODUCT, 403, 5, "stored product is damaged")                                                                  \
  X(DATA_CHANGED, 405, 3, "data changed while it was read")                                                            \
  X(IMAGE_TOO_LARGE, 406, 3, "image too large for the budget")                                                         \
  X(NO_SCRATCH, 407, 5, "no room for temporary files")                                                                 \
  X(NO_PIXEL_SIZE, 408, 3, "pixel size not known")                                                                     \
  X(TASK_FAILED, 501, 1, "task failed")                                                                                \
  X(OPERATION_CONTRACT, 502, 1, "operation broke its contract")                                                        \
  X(PLUGIN, 503, 3, "plugin could not be loaded")                                                                      \
  X(COMMAND, 504, 1, "command failed")                                                                                 \
  X(OPERATION_CRASHED, 505, 1, "operation crashed")                                                                    \
  X(OPERATION_HANGS, 506, 1, "operation hangs")                                                                        \
  X(OPERATION_DISTURBS, 507, 1, "operation changed the state of the process")                                          \
  X(OPERATION_ENDS, 508, 1, "operation ended the process")                                                             \
  X(NO_MEMORY, 511, 1, "out of memory")                                                                                \
  X(OUTPUT_TOO_LARGE, 512, 1, "output of a command is too large")                                                      \
  X(CANCELLED, 520, 130, "stopped on request")                                                                         \
  X(WORKER, 530, 5, "worker process ended")                                                                            \
  X(NO_WORKER, 531, 3, "no worker has what a task needs")                                                              \
  X(STORE, 601, 5, "store trouble")                                                                                    \
  X(STORE_BUSY, 602, 5, "store is in use")                                                                             \
  X(STORE_FORMAT, 603, 5, "store has another format")                                                                  \
  X(STORE_DAMAGED, 604, 5, "store is damaged")                                                                         \
  X(NO_SUCH_RUN, 610, 3, "no such run")                                                                                \
  X(USAGE, 901, 2, "usage")                                                                                            \
  X(SYSTEM, 910, 5, "operating system refused")

enum ts_error_code {
#define X(name, number, exit_code, title) TS_ERR_##name,
  TS_ERROR_MAP(X)
#undef X
      TS_ERR_COUNT
};

/* A place in what the user wrote. Empty file: no place. line 0: whole file. path: JSON pointer such as /stages/0/op. */
struct ts_place {
  char file[256];
  int line;
  int column;
  char path[192];
};

struct ts_error {
  enum ts_error_code code;
  char text[512];
  char help[320]; /* what to do; may be empty */
  struct ts_place where;
};

/* Puts '?' for every byte that is not UTF-8 (file names may hold any, other libraries cut their texts anywhere): a text
 * that JSON refuses would be lost. */
void ts_text_repair(char *text);

#define TS_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))

/* Sets the error unless one is set already (first wins; a NULL err is allowed) and returns false. */
bool ts_fail(struct ts_error *err, enum ts_error_code code, const char *format, ...) TS_PRINTF(3, 4);
bool ts_vfail(struct ts_error *err, enum ts_error_code code, const char *format, va_list args) TS_PRINTF(3, 0);

/* Adds the action to take, or the place, to an error that is set; neither overwrites an earlier one. They return
 * false, as ts_fail does. */
bool ts_error_help(struct ts_error *err, const char *format, ...) TS_PRINTF(2, 3);
bool ts_error_place(struct ts_error *err, const char *file, int line, int column, const char *path);
/* Puts "while <...>: " before the text, at a module border. */
void ts_error_context(struct ts_error *err, const char *format, ...) TS_PRINTF(2, 3);
void ts_error_clear(struct ts_error *err);

/* The last error that this thread set since ts_error_forget_last, whoever has cleared its own meanwhile; its code is
 * TS_ERR_OK if there is none. For op/call.c alone: operations hand on the text of an error of a lower module, and their
 * contract has no place for its code, help and place. */
const struct ts_error *ts_error_last(void);
void ts_error_forget_last(void);

int ts_error_number(enum ts_error_code code);    /* 203 for TS_ERR_PORT_TYPE */
int ts_error_exit_code(enum ts_error_code code); /* what the program returns for it */
/* The code of a number; `unknown` if there is none. */
enum ts_error_code ts_error_of_number(int number, enum ts_error_code unknown);

/* A list of faults, for validation that reports all of them at once. */
struct ts_faults {
  struct ts_error *items; /* owned */
  size_t count;
  size_t capacity;
};
/* Appends an empty error to fill in; the pointer is valid until the next call. */
struct ts_error *ts_faults_add(struct ts_faults *faults);
void ts_faults_release(struct ts_faults *faults);
/* Sorts by file, line, column, so that reports do not depend on the order of checks. */
void ts_faults_sort(struct ts_faults *faults);

/* Our own mistake, never the user's: prints the place and aborts. */
#define TS_BUG(...) ts_bug(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void ts_bug(const char *file, int line, const char *format, ...) TS_PRINTF(3, 4);

#endif
