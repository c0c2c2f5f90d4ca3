/* What is made from the tables of commands and topics for people and shells: help, man pages, completion scripts.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_CLI_HELP_H
#define TS_CLI_HELP_H

#include "base/str.h"
#include "cli/commands.h"
#include "cli/topics.h"

#include <stdbool.h>
#include <stddef.h>

#define TS_PROGRAM_SUMMARY "parameter studies over data-analysis workflows that never compute the same thing twice"

/* The commands by group, common options, exit codes. */
void ts_help_overview(struct ts_str *out, size_t width);
void ts_help_command(struct ts_str *out, const struct tessera_command *command, size_t width);
void ts_help_topic(struct ts_str *out, const struct ts_topic *topic, size_t width);

/* The methods that the command takes (new reference to a list, empty if none); items are names, or objects with name,
 * title, help and perhaps alias. */
json_t *ts_cli_method_list(const struct tessera_command *command);
const char *ts_cli_method_name(const json_t *item);
void ts_cli_method_text(const json_t *item, struct ts_str *out);

/* roff in the man macros; NULL: tessera(1). */
void ts_man_page(struct ts_str *out, const struct tessera_command *command);
void ts_man_topic(struct ts_str *out, const struct ts_topic *topic);
/* False for a shell without a script. */
bool ts_completion_script(struct ts_str *out, const char *shell);
void ts_completion_zsh(struct ts_str *out);
void ts_completion_fish(struct ts_str *out);

#endif
