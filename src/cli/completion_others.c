/* The completion scripts of zsh and fish, made from the command table.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include <string.h>

/* Inside single quotes of _arguments: brackets and colons have a meaning there. */
static void add_zsh_text(struct ts_str *out, const char *text) {
  for (; *text; text++) {
    if (*text == '\'') {
      ts_str_add(out, "'\\''");
      continue;
    }
    if (strchr("[]:\\", *text)) ts_str_add_char(out, '\\');
    ts_str_add_char(out, *text);
  }
}

/* The action part of a specification. With a space in front, zsh adds no words of its own. */
static void add_zsh_action(struct ts_str *out, enum tessera_completes completes, const char *const *choices) {
  switch (completes) {
  case TESSERA_COMPLETES_NOTHING: ts_str_add_char(out, ' '); break;
  case TESSERA_COMPLETES_FILE: ts_str_add(out, "_files"); break;
  case TESSERA_COMPLETES_FOLDER: ts_str_add(out, "_files -/"); break;
  case TESSERA_COMPLETES_RUN: ts_str_add(out, " _tessera_words runs"); break;
  case TESSERA_COMPLETES_DEMO: ts_str_add(out, " _tessera_words demos"); break;
  case TESSERA_COMPLETES_METHOD: ts_str_add(out, " _tessera_words $line[1]"); break;
  case TESSERA_COMPLETES_COMMAND: ts_str_add(out, " _tessera_words commands"); break;
  case TESSERA_COMPLETES_CHOICES:
    ts_str_add_char(out, '(');
    for (size_t i = 0; choices && choices[i]; i++) ts_str_addf(out, "%s%s", i ? " " : "", choices[i]);
    ts_str_add_char(out, ')');
    break;
  }
}

static bool is_repeated(const struct tessera_option *option) {
  return option->kind == TESSERA_OPTION_LIST || option->kind == TESSERA_OPTION_SETTING ||
         option->kind == TESSERA_OPTION_TALLY;
}

/* One specification per spelling, so that no brace expansion is needed. */
static void add_zsh_option(struct ts_str *out, const struct tessera_option *option, bool letter) {
  ts_str_add(out, " \\\n      '");
  if (is_repeated(option)) {
    ts_str_add_char(out, '*');
  } else if (option->letter) {
    ts_str_addf(out, "(-%c --%s)", option->letter, option->name);
  }
  if (letter) {
    ts_str_addf(out, "-%c%s", option->letter, option->argument ? "+" : "");
  } else {
    ts_str_addf(out, "--%s%s", option->name, option->argument ? "=" : "");
  }
  ts_str_add_char(out, '[');
  add_zsh_text(out, option->help);
  ts_str_add_char(out, ']');
  if (option->argument) {
    ts_str_addf(out, "%s", option->kind == TESSERA_OPTION_OPTIONAL ? "::" : ":");
    add_zsh_text(out, option->argument);
    ts_str_add_char(out, ':');
    add_zsh_action(out, option->completes, option->choices);
  }
  ts_str_add_char(out, '\'');
}

static void add_zsh_options(struct ts_str *out, const struct tessera_command *command) {
  const struct tessera_option *option;
  for (size_t i = 0; (option = tessera_option_at(i)); i++) {
    if (command ? !tessera_option_applies(option, command) : !ts_option_is_common(option)) continue;
    if (option->letter) add_zsh_option(out, option, true);
    add_zsh_option(out, option, false);
  }
}

static void add_zsh_command(struct ts_str *out, const struct tessera_command *command) {
  ts_str_addf(out, "    %s)\n      _arguments", command->name);
  add_zsh_options(out, command);
  for (size_t i = 0; command->operands[i].name; i++) {
    const struct tessera_operand *operand = &command->operands[i];
    if (strstr(operand->name, "..."))
      ts_str_addf(out, " \\\n      '*:%s:", operand->name);
    else
      ts_str_addf(out, " \\\n      '%zu:%s%s:", i + 1, operand->optional ? ":" : "", operand->name);
    add_zsh_action(out, operand->completes, operand->choices);
    ts_str_add_char(out, '\'');
  }
  ts_str_add(out, "\n      ;;\n");
}

void ts_completion_zsh(struct ts_str *out) {
  const struct tessera_command *command;
  ts_str_add(out, "#compdef tessera\n"
                  "# Completion of tessera for zsh; made from its command table.\n"
                  "_tessera_words() {\n"
                  "  local -a words_found\n"
                  "  words_found=(${(f)\"$(tessera words $1 2>/dev/null)\"})\n"
                  "  compadd -a words_found\n"
                  "}\n\n"
                  "_tessera() {\n"
                  "  local curcontext=\"$curcontext\" state line\n"
                  "  typeset -A opt_args\n"
                  "  local -a commands\n"
                  "  commands=(\n");
  for (size_t i = 0; (command = tessera_command_at(i)); i++) {
    if (!command->group) continue;
    ts_str_addf(out, "    '%s:", command->name);
    add_zsh_text(out, command->summary);
    ts_str_add(out, "'\n");
  }
  ts_str_add(out, "  )\n  _arguments -C");
  add_zsh_options(out, NULL);
  ts_str_add(out, " \\\n      '1:command:->command' '*::argument:->arguments'\n"
                  "  case $state in\n"
                  "  command) _describe command commands ;;\n"
                  "  arguments)\n"
                  "    case $line[1] in\n");
  for (size_t i = 0; (command = tessera_command_at(i)); i++) {
    if (command->group) add_zsh_command(out, command);
  }
  ts_str_add(out, "    esac\n"
                  "    ;;\n"
                  "  esac\n"
                  "}\n\n"
                  "if [[ $funcstack[1] == _tessera ]]; then\n"
                  "  _tessera \"$@\"\n"
                  "else\n"
                  "  compdef _tessera tessera\n"
                  "fi\n");
}

static void add_fish_text(struct ts_str *out, const char *text) {
  ts_str_add_char(out, '\'');
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') ts_str_add_char(out, '\\');
    ts_str_add_char(out, *text);
  }
  ts_str_add_char(out, '\'');
}

/* Switches and words that say what an argument may be. */
static void add_fish_words(struct ts_str *out, enum tessera_completes completes, const char *const *choices) {
  switch (completes) {
  case TESSERA_COMPLETES_NOTHING: break;
  case TESSERA_COMPLETES_FILE: ts_str_add(out, " -F"); break;
  case TESSERA_COMPLETES_FOLDER: ts_str_add(out, " -a '(__fish_complete_directories)'"); break;
  case TESSERA_COMPLETES_RUN: ts_str_add(out, " -a '(tessera words runs 2>/dev/null)'"); break;
  case TESSERA_COMPLETES_DEMO: ts_str_add(out, " -a '(tessera words demos 2>/dev/null)'"); break;
  case TESSERA_COMPLETES_METHOD:
    ts_str_add(out, " -a '(for c in sample analyse study plan; __fish_seen_subcommand_from $c; and tessera words $c "
                    "2>/dev/null; end)'");
    break;
  case TESSERA_COMPLETES_COMMAND: ts_str_add(out, " -a '(tessera words commands 2>/dev/null)'"); break;
  case TESSERA_COMPLETES_CHOICES:
    ts_str_add(out, " -a '");
    for (size_t i = 0; choices && choices[i]; i++) ts_str_addf(out, "%s%s", i ? " " : "", choices[i]);
    ts_str_add_char(out, '\'');
    break;
  }
}

static void add_fish_option(struct ts_str *out, const struct tessera_option *option) {
  const struct tessera_command *command;
  ts_str_add(out, "complete -c tessera");
  if (!ts_option_is_common(option)) {
    ts_str_add(out, " -n '__fish_seen_subcommand_from");
    for (size_t i = 0; (command = tessera_command_at(i)); i++) {
      if (tessera_option_applies(option, command)) ts_str_addf(out, " %s", command->name);
    }
    ts_str_add_char(out, '\'');
  }
  if (option->letter) ts_str_addf(out, " -s %c", option->letter);
  ts_str_addf(out, " -l %s", option->name);
  if (option->argument) ts_str_add(out, option->completes == TESSERA_COMPLETES_FILE ? " -r" : " -x");
  if (option->argument) add_fish_words(out, option->completes, option->choices);
  ts_str_add(out, " -d ");
  add_fish_text(out, option->help);
  ts_str_add_char(out, '\n');
}

static void add_fish_command(struct ts_str *out, const struct tessera_command *command) {
  ts_str_addf(out, "complete -c tessera -n __tessera_wants_command -a %s -d ", command->name);
  add_fish_text(out, command->summary);
  ts_str_add_char(out, '\n');
  if (!command->operands[0].name || command->operands[0].completes == TESSERA_COMPLETES_NOTHING) return;
  ts_str_addf(out, "complete -c tessera -n '__fish_seen_subcommand_from %s'", command->name);
  add_fish_words(out, command->operands[0].completes, command->operands[0].choices);
  ts_str_add_char(out, '\n');
}

void ts_completion_fish(struct ts_str *out) {
  const struct tessera_command *command;
  ts_str_add(out, "# Completion of tessera for fish; made from its command table.\n"
                  "function __tessera_wants_command\n"
                  "    not __fish_seen_subcommand_from");
  for (size_t i = 0; (command = tessera_command_at(i)); i++) {
    if (command->group) ts_str_addf(out, " %s", command->name);
  }
  ts_str_add(out, "\nend\ncomplete -c tessera -f\n");
  for (size_t i = 0; (command = tessera_command_at(i)); i++) {
    if (command->group) add_fish_command(out, command);
  }
  const struct tessera_option *option;
  for (size_t i = 0; (option = tessera_option_at(i)); i++) add_fish_option(out, option);
}
