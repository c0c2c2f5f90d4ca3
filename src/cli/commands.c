/* Finds commands and options in the table, and what replies look like.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands.h"

#include "cli/view.h"

#include <string.h>

/* A command, or a command and its topic. */
static const struct {
  const char *command, *topic;
  ts_cli_show *show;
} shows[] = {
    {"init", NULL, ts_show_init},         {"check", NULL, ts_show_check},     {"list", NULL, ts_show_list},
    {"plan", NULL, ts_show_plan},         {"run", NULL, ts_show_run},         {"study", NULL, ts_show_study},
    {"bench", NULL, ts_show_bench},       {"sample", NULL, ts_show_sample},   {"analyse", NULL, ts_show_analyse},
    {"schedule", NULL, ts_show_schedule}, {"tune", NULL, ts_show_tune},       {"status", NULL, ts_show_status},
    {"log", NULL, ts_show_log},           {"explain", NULL, ts_show_explain}, {"compare", NULL, ts_show_compare},
    {"report", NULL, ts_show_report},     {"store", "costs", ts_show_costs},  {"store", "verify", ts_show_verify},
    {"store", "du", ts_show_du},          {"store", "gc", ts_show_gc},        {"worker", NULL, ts_show_nothing},
    {"call", NULL, ts_show_call},         {"new", NULL, ts_show_init},
};

const struct tessera_command *ts_cli_command_find(const char *name) {
  const struct tessera_command *command;
  for (size_t i = 0; (command = tessera_command_at(i)); i++)
    if (strcmp(command->name, name) == 0) return command;
  return NULL;
}

bool ts_cli_command_is(const struct tessera_command *command, const char *name) {
  return command && strcmp(command->name, name) == 0;
}

size_t ts_cli_command_names(const char **names, size_t most) {
  const struct tessera_command *command;
  size_t count = 0;
  for (size_t i = 0; (command = tessera_command_at(i)) && count < most; i++)
    if (command->group) names[count++] = command->name;
  return count;
}

ts_cli_show *ts_cli_command_show(const struct tessera_command *command, const char *topic) {
  for (size_t i = 0; i < sizeof shows / sizeof shows[0]; i++) {
    if (!ts_cli_command_is(command, shows[i].command)) continue;
    if (!shows[i].topic || (topic && strcmp(shows[i].topic, topic) == 0)) return shows[i].show;
  }
  return ts_show_nothing; /* of a newer library */
}

bool ts_option_is_common(const struct tessera_option *option) {
  const struct tessera_command *command;
  for (size_t i = 0; (command = tessera_command_at(i)); i++)
    if (!command->is_program && !tessera_option_applies(option, command)) return false;
  return true;
}

const struct tessera_option *ts_option_find(const struct tessera_command *command, const char *name, size_t length) {
  const struct tessera_option *option, *first = NULL;
  for (size_t i = 0; (option = tessera_option_at(i)); i++) {
    if (strlen(option->name) != length || memcmp(option->name, name, length) != 0) continue;
    if (command && tessera_option_applies(option, command)) return option;
    if (!first) first = option;
  }
  return first;
}

const struct tessera_option *ts_option_find_letter(char letter) {
  const struct tessera_option *option;
  for (size_t i = 0; letter != '\0' && (option = tessera_option_at(i)); i++)
    if (option->letter == letter) return option;
  return NULL;
}
