/* Places in a text, for the files of the JSON code.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_JSON_INT_H
#define TS_BASE_JSON_INT_H

#include <stddef.h>

/* Line and column, both from 1, of a byte; columns count characters, not bytes. */
void ts_json_line_column(const char *text, size_t offset, int *line, int *column);
/* Where the last token that begins before `position` begins; works on broken JSON too. */
size_t ts_json_token_start(const char *text, size_t length, size_t position);

#endif
