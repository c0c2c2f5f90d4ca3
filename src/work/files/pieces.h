/* Texts of a product that come tile by tile in any order, joined in the order of the tiles.
 * SPDX-License-Identifier: Apache-2.0
 *
 * They are kept in a file without a name; memory holds three numbers for each tile. */
#ifndef TS_WORK_PIECES_H
#define TS_WORK_PIECES_H

#include "base/error.h"
#include "base/file_stream.h"

struct ts_pieces;

/* The file is made in `folder`. NULL: FILE_IO. */
struct ts_pieces *ts_pieces_create(const char *folder, struct ts_error *err);
void ts_pieces_destroy(struct ts_pieces *pieces); /* NULL is allowed */
/* `place`: where the piece comes among the others; those of one place stay in the order in which they came. */
bool ts_pieces_add(struct ts_pieces *pieces, uint64_t place, const char *text, size_t length, struct ts_error *err);
/* All pieces in the order of their places, with the text between those that are not empty. */
void ts_pieces_write(struct ts_pieces *pieces, const char *between, struct ts_file_stream *stream);

#endif
