/* The last words of a worker process on its standard error: one line that the study's process reads as an error.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Written in signal handlers, so plain: MARK, number of the error, FIELD, text, FIELD, file, FIELD, help, newline;
 * within a field BREAK stands for a newline. None of the marks occurs in texts for people. */
#ifndef TS_BASE_LAST_WORDS_H
#define TS_BASE_LAST_WORDS_H

#include "base/error.h"

#define TS_LAST_WORDS_MARK  '\x1e'
#define TS_LAST_WORDS_FIELD '\x1f'
#define TS_LAST_WORDS_BREAK '\x1d'

/* Reads a line without its newline; false if it is not such a line. */
bool ts_last_words_read(const char *line, struct ts_error *err);

#endif
