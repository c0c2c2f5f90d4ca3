/* The completion script of bash, made from the command table, and the choice among shells.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include <string.h>

static void add_spellings(struct ts_str *out, const struct tessera_option *option, const char *between) {
  if (option->letter) ts_str_addf(out, "-%c%s", option->letter, between);
  ts_str_addf(out, "--%s", option->name);
}

/* What puts the words for an argument into COMPREPLY. */
static void add_reply(struct ts_str *out, enum tessera_completes completes, const char *const *choices) {
  switch (completes) {
  case TESSERA_COMPLETES_NOTHING: ts_str_add(out, ":"); break;
  case TESSERA_COMPLETES_FILE: ts_str_add(out, "_tessera_reply -f"); break;
  case TESSERA_COMPLETES_FOLDER: ts_str_add(out, "_tessera_reply -d"); break;
  case TESSERA_COMPLETES_RUN:
    ts_str_add(out, "_tessera_reply -W \"$(tessera -C \"$folder\" words runs 2>/dev/null)\"");
    break;
  case TESSERA_COMPLETES_DEMO: ts_str_add(out, "_tessera_reply -W \"$(tessera words demos 2>/dev/null)\""); break;
  case TESSERA_COMPLETES_METHOD:
    ts_str_add(out, "_tessera_reply -W \"$(tessera words \"$command\" 2>/dev/null)\"");
    break;
  case TESSERA_COMPLETES_COMMAND: ts_str_add(out, "_tessera_reply -W \"$(tessera words topics 2>/dev/null)\""); break;
  case TESSERA_COMPLETES_CHOICES:
    ts_str_add(out, "_tessera_reply -W '");
    for (size_t i = 0; choices && choices[i]; i++) ts_str_addf(out, "%s%s", i ? " " : "", choices[i]);
    ts_str_add(out, "'");
    break;
  }
}

/* One case per option with an argument: an optional one may also be followed by something else. */
static void add_values(struct ts_str *out) {
  ts_str_add(out, "  case $before in\n");
  const struct tessera_option *option;
  for (size_t i = 0; (option = tessera_option_at(i)); i++) {
    if (!option->argument) continue;
    ts_str_add(out, "  ");
    add_spellings(out, option, "|");
    ts_str_add(out, ")\n    ");
    add_reply(out, option->completes, option->choices);
    ts_str_add(out, option->kind == TESSERA_OPTION_OPTIONAL ? "\n    [[ $word == -* ]] || return 0\n    ;;\n"
                                                            : "\n    return 0\n    ;;\n");
  }
  ts_str_add(out, "  esac\n");
}

/* The first word that is neither an option nor the value of one; where -C points. */
static void add_search(struct ts_str *out) {
  ts_str_add(out, "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
                  "    case ${COMP_WORDS[i]} in\n"
                  "    -C | --folder) folder=${COMP_WORDS[i + 1]} ;;&\n"
                  "    ");
  bool first = true;
  const struct tessera_option *option;
  for (size_t i = 0; (option = tessera_option_at(i)); i++) {
    if (!option->argument || option->kind == TESSERA_OPTION_OPTIONAL) continue;
    if (!first) ts_str_add(out, " | ");
    add_spellings(out, option, " | ");
    first = false;
  }
  ts_str_add(out, ")\n"
                  "      i=$((i + 1))\n"
                  "      [[ ${COMP_WORDS[i]} == = ]] && i=$((i + 1))\n"
                  "      ;;\n"
                  "    -*) ;;\n"
                  "    *)\n"
                  "      command=${COMP_WORDS[i]}\n"
                  "      break\n"
                  "      ;;\n"
                  "    esac\n"
                  "  done\n");
}

static void add_option_words(struct ts_str *out, const struct tessera_command *command) {
  bool first = true;
  const struct tessera_option *option;
  for (size_t i = 0; (option = tessera_option_at(i)); i++) {
    if (command ? !tessera_option_applies(option, command) : !ts_option_is_common(option)) continue;
    if (!first) ts_str_add_char(out, ' ');
    add_spellings(out, option, " ");
    first = false;
  }
}

static void add_command(struct ts_str *out, const struct tessera_command *command) {
  ts_str_addf(out, "  %s)\n    options='", command->name);
  add_option_words(out, command);
  ts_str_add(out, "'\n    [[ $word == -* ]] || ");
  add_reply(out, command->operands[0].name ? command->operands[0].completes : TESSERA_COMPLETES_NOTHING,
            command->operands[0].choices);
  ts_str_add(out, "\n    ;;\n");
}

static void completion_bash(struct ts_str *out) {
  const struct tessera_command *command;
  ts_str_add(out, "# Completion of tessera for bash; made from its command table.\n"
                  "_tessera_reply() {\n"
                  "  [[ $1 == -[fd] ]] && compopt -o filenames\n"
                  "  mapfile -t COMPREPLY < <(compgen \"$@\" -- \"$word\")\n"
                  "}\n\n"
                  "_tessera() {\n"
                  "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                  "  local command= folder=. options= i\n"
                  "  local commands='");
  bool first = true;
  for (size_t i = 0; (command = tessera_command_at(i)); i++) {
    if (!command->group) continue;
    ts_str_addf(out, "%s%s", first ? "" : " ", command->name);
    first = false;
  }
  ts_str_add(out, "'\n"
                  "  COMPREPLY=()\n"
                  "  # bash makes three words of --color=auto\n"
                  "  [[ $word == = ]] && word=\n"
                  "  [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}\n");
  add_search(out);
  add_values(out);
  ts_str_add(out, "  case $command in\n  '')\n    options='");
  add_option_words(out, NULL);
  ts_str_add(out, "'\n    [[ $word == -* ]] || _tessera_reply -W \"$commands\"\n    ;;\n");
  for (size_t i = 0; (command = tessera_command_at(i)); i++) {
    if (command->group) add_command(out, command);
  }
  ts_str_add(out, "  esac\n"
                  "  [[ $word == -* ]] && _tessera_reply -W \"$options\"\n"
                  "  return 0\n"
                  "}\n"
                  "complete -F _tessera tessera\n");
}

bool ts_completion_script(struct ts_str *out, const char *shell) {
  if (strcmp(shell, "bash") == 0) {
    completion_bash(out);
  } else if (strcmp(shell, "zsh") == 0) {
    ts_completion_zsh(out);
  } else if (strcmp(shell, "fish") == 0) {
    ts_completion_fish(out);
  } else {
    return false;
  }
  return true;
}
