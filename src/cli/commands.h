/* Looking things up in the table of commands and options (tessera_table.h), and what replies look like.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_COMMANDS_H
#define TS_CLI_COMMANDS_H

#include "tessera_table.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct ts_str;
struct ts_view;

typedef void ts_cli_show(const json_t *reply, const struct ts_view *view, struct ts_str *out);

const struct tessera_command *ts_cli_command_find(const char *name); /* NULL: there is none */
/* Whether it is the command of this name; `command` may be NULL. */
bool ts_cli_command_is(const struct tessera_command *command, const char *name);
/* The names of the commands that are not hidden; at most `most`. Gives their number. */
size_t ts_cli_command_names(const char **names, size_t most);
/* The text of a reply of the command, for this topic, which may be NULL. */
ts_cli_show *ts_cli_command_show(const struct tessera_command *command, const char *topic);

/* Whether it takes all the words that are left: it adds to the list of an option. */
bool ts_operand_is_repeated(const struct tessera_operand *operand);
/* Whether every command that calls the library takes the option. */
bool ts_option_is_common(const struct tessera_option *option);
const struct tessera_option *ts_option_find(const char *name, size_t length);
const struct tessera_option *ts_option_find_letter(char letter);

#endif
