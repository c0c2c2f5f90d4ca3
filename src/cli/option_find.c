/* Finds options in the table: by name, by letter, by the commands that have them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include <string.h>

bool ts_option_applies(const struct ts_option *option, const struct ts_cli_command *command) {
  return (option->commands & TS_COMMAND_BIT(ts_cli_command_id(command))) != 0;
}

bool ts_option_is_common(const struct ts_option *option) {
  for (size_t i = 0; i < TS_COMMAND_COUNT; i++) {
    if (ts_cli_commands[i].call && !ts_option_applies(option, &ts_cli_commands[i])) return false;
  }
  return true;
}

const struct ts_option *ts_option_find(const char *name, size_t length) {
  for (size_t i = 0; i < ts_option_count; i++) {
    if (strlen(ts_options[i].name) == length && memcmp(ts_options[i].name, name, length) == 0) return &ts_options[i];
  }
  return NULL;
}

const struct ts_option *ts_option_find_letter(char letter) {
  for (size_t i = 0; i < ts_option_count; i++) {
    if (ts_options[i].letter == letter && letter != '\0') return &ts_options[i];
  }
  return NULL;
}
