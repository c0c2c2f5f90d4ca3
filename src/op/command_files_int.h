/* The scratch folder of a command's call: made, filled, read and removed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_OP_COMMAND_FILES_INT_H
#define TS_OP_COMMAND_FILES_INT_H

#include "op/op_int.h"

/* A new folder below `parent` (NULL: TMPDIR); owned by the caller, who closes it. */
bool ts_scratch_open(const char *parent, char **folder, struct ts_error *err);
/* Removes the folder with all that is in it; for ts_auto. */
void ts_scratch_close(char **folder);

/* Name of the file of a port in the folder: direction "in" or "out". Owned result. */
char *ts_command_file_name(const char *direction, const char *port, const struct ts_type *type);
/* Opens the folder, so that outputs are read from it whatever the command puts in its place. -1 with the error set. */
int ts_scratch_enter(const char *folder, struct ts_error *err);
/* Reads the outputs into the call's outputs, from the folder as it was entered; false with the call's error set. */
bool ts_command_receive(const struct ts_call_state *state, const char *folder, int entered);

#endif
