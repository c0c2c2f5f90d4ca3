/* Reads the command line, GNU style, along the command table.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Written by hand because getopt_long can neither name the option that was meant nor the command that it belongs to.
 * Options may come before the command ("tessera -C demo study"), so all of them are known from the start, and whether
 * they have an effect is checked once the command is known. */
#include "cli/arguments.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/file.h"
#include "cli/arguments_int.h"

#include <string.h>

#define DEFAULT_DEMO "nuclei"
#define MAX_NAMES    128

struct walk {
  struct ts_arguments *arguments; /* borrowed */
  int argc;
  char *const *argv; /* borrowed */
  int next;
  bool only_operands;             /* after "--" */
  const struct ts_option **early; /* owned; options before the command */
  size_t early_count, early_capacity;
  const char *operands[TS_MAX_OPERANDS];
  size_t operand_count;
  const char *surplus; /* the first operand too many */
  struct ts_str line;  /* the words kept for "continue with" */
  size_t resume_at;    /* 0: at the end */
  int resume_first, resume_last;
  struct ts_error *err;
};

const char *ts_suggest(const char *word, const char *const *names, size_t count) {
  const char *found = NULL;
  size_t hits = 0;
  for (size_t i = 0; i < count && strlen(word) >= 2; i++) {
    if (!ts_str_starts_with(names[i], word)) continue;
    found = names[i];
    hits++;
  }
  return hits == 1 ? found : ts_nearest_word(word, names, count);
}

void ts_suggest_help(struct ts_error *err, const char *word, const char *const *names, size_t count, const char *before,
                     const char *otherwise) {
  const char *near = ts_suggest(word, names, count);
  if (near) {
    ts_error_help(err, "did you mean '%s%s'?", before, near);
  } else {
    ts_error_help(err, "%s", otherwise);
  }
}

/* The names of all commands that take the option: "plan and study". */
static void add_owners(struct ts_str *out, const struct ts_option *option) {
  size_t count = 0, left = 0;
  for (size_t i = 0; i < TS_COMMAND_COUNT; i++) left += ts_option_applies(option, &ts_cli_commands[i]);
  for (size_t i = 0; i < TS_COMMAND_COUNT; i++) {
    if (!ts_option_applies(option, &ts_cli_commands[i])) continue;
    left--;
    if (count++ > 0) ts_str_add(out, left ? ", " : " and ");
    ts_str_addf(out, "'%s'", ts_cli_commands[i].name);
  }
}

static bool fail_no_effect(const struct ts_option *option, const struct ts_cli_command *command, struct ts_error *err) {
  struct ts_str owners = {0};
  add_owners(&owners, option);
  ts_fail(err, TS_ERR_USAGE, "'--%s' has no effect on '%s'", option->name, command->name);
  ts_error_help(err, "leave it out; it is for %s", ts_str_get(&owners));
  ts_str_release(&owners);
  return false;
}

static bool fail_unknown_option(const struct walk *walk, const char *word, size_t length) {
  const struct ts_cli_command *command = walk->arguments->command;
  const char *names[MAX_NAMES];
  size_t count = 0;
  for (size_t i = 0; i < ts_option_count && count < MAX_NAMES; i++) {
    if (!command || ts_option_applies(&ts_options[i], command)) names[count++] = ts_options[i].name;
  }
  char *name = ts_strndup(word, length);
  ts_fail(walk->err, TS_ERR_USAGE, "unknown option '%s%s'", length > 1 ? "--" : "-", name);
  struct ts_str otherwise = {0};
  ts_str_addf(&otherwise, "'tessera %s%s--help' lists the options", command ? command->name : "", command ? " " : "");
  ts_suggest_help(walk->err, name, names, count, "--", ts_str_get(&otherwise));
  ts_str_release(&otherwise);
  free(name);
  return false;
}

/* Whether the option may be used: now if the command is known, otherwise when it is. */
static bool admit(struct walk *walk, const struct ts_option *option) {
  const struct ts_cli_command *command = walk->arguments->command;
  if (command) return ts_option_applies(option, command) || fail_no_effect(option, command, walk->err);
  walk->early = ts_grow(walk->early, walk->early_count, &walk->early_capacity, sizeof *walk->early);
  walk->early[walk->early_count++] = option;
  return true;
}

static bool fail_no_value(struct walk *walk, const struct ts_option *option, const char *spelled) {
  ts_fail(walk->err, TS_ERR_USAGE, "'%s' needs a value", spelled);
  ts_error_help(walk->err, "write %s %s", spelled, option->argument);
  return false;
}

/* `value`: the rest of the same word, or NULL. Takes the next word where the option needs one. */
static bool take_option(struct walk *walk, const struct ts_option *option, const char *spelled, const char *value) {
  if (!admit(walk, option)) return false;
  int first = walk->next - 1;
  bool more = walk->next < walk->argc;
  if (!option->argument && value) {
    ts_fail(walk->err, TS_ERR_USAGE, "'%s' takes no value, but got '%s'", spelled, value);
    ts_error_help(walk->err, "write %s alone", spelled);
    return false;
  }
  if (option->argument && !value) {
    bool optional = option->kind == TS_OPTION_OPTIONAL;
    if (!optional && !more) return fail_no_value(walk, option, spelled);
    if (!optional || (more && option->belongs(walk->argv[walk->next]))) value = walk->argv[walk->next++];
  }
  if (option->field == offsetof(struct ts_arguments, request.resume_id)) {
    walk->resume_first = first;
    walk->resume_last = walk->next;
  }
  return ts_argument_store(walk->arguments, option, spelled, value, walk->err);
}

static bool take_long(struct walk *walk, const char *word) {
  const char *name = word + 2;
  size_t length = strcspn(name, "=");
  const struct ts_option *option = ts_option_find(name, length);
  if (!option) return fail_unknown_option(walk, name, length);
  char *spelled = ts_strndup(word, length + 2);
  bool fine = take_option(walk, option, spelled, name[length] == '=' ? name + length + 1 : NULL);
  free(spelled);
  return fine;
}

/* -q, -qv, -j4, -nj4: letters up to the first that takes a value, which is the rest of the word if there is one. */
static bool take_letters(struct walk *walk, const char *word) {
  for (const char *p = word + 1; *p; p++) {
    const struct ts_option *option = ts_option_find_letter(*p);
    if (!option) return fail_unknown_option(walk, p, 1);
    char spelled[3] = {'-', *p, '\0'};
    const char *rest = option->argument && p[1] ? p + 1 : NULL;
    if (!take_option(walk, option, spelled, rest)) return false;
    if (option->argument) return true;
  }
  return true;
}

static bool take_command(struct walk *walk, const char *word) {
  const struct ts_cli_command *command = ts_cli_command_find(word);
  walk->arguments->command = command;
  if (command) return true;
  const char *names[TS_COMMAND_COUNT];
  size_t count = 0;
  for (size_t i = 0; i < TS_COMMAND_COUNT; i++) {
    if (ts_cli_commands[i].group) names[count++] = ts_cli_commands[i].name;
  }
  ts_fail(walk->err, TS_ERR_USAGE, "unknown command '%s'", word);
  ts_suggest_help(walk->err, word, names, count, "tessera ", "'tessera help' lists the commands");
  return false;
}

static bool take_operand(struct walk *walk, const char *word) {
  if (!walk->arguments->command) return take_command(walk, word);
  if (walk->operand_count < TS_MAX_OPERANDS) {
    walk->operands[walk->operand_count++] = word;
  } else if (!walk->surplus) {
    walk->surplus = word;
  }
  return true;
}

static bool take_word(struct walk *walk) {
  const char *word = walk->argv[walk->next++];
  if (walk->only_operands || word[0] != '-' || word[1] == '\0') return take_operand(walk, word);
  if (word[1] != '-') return take_letters(walk, word);
  if (word[2] != '\0') return take_long(walk, word);
  walk->only_operands = true;
  walk->resume_at = walk->line.length;
  return true;
}

/* Keeps the words just read for "continue with", except --resume itself. */
static void keep_words(struct walk *walk, int first) {
  for (int i = first; i < walk->next; i++) {
    if (i >= walk->resume_first && i < walk->resume_last) continue;
    ts_str_add_char(&walk->line, ' ');
    ts_shell_quote(&walk->line, walk->argv[i]);
  }
}

static bool check_early(const struct walk *walk) {
  const struct ts_cli_command *command = walk->arguments->command;
  for (size_t i = 0; command && i < walk->early_count; i++) {
    if (!ts_option_applies(walk->early[i], command)) return fail_no_effect(walk->early[i], command, walk->err);
  }
  return true;
}

static bool assign_operands(const struct walk *walk) {
  const struct ts_cli_command *command = walk->arguments->command;
  for (size_t i = 0; i < TS_MAX_OPERANDS; i++) {
    const struct ts_operand *operand = &command->operands[i];
    bool given = i < walk->operand_count;
    if (!operand->name && given) {
      ts_fail(walk->err, TS_ERR_USAGE, "'%s' is one word too many for '%s'", walk->operands[i], command->name);
      ts_error_help(walk->err, "'tessera %s --help' shows how it is called", command->name);
      return false;
    }
    if (!operand->name) break;
    if (given && *walk->operands[i] != '\0') {
      if (operand->choices && !ts_argument_is_choice(operand->name, walk->operands[i], operand->choices, walk->err)) {
        return false;
      }
      *(const char **)((char *)walk->arguments + operand->field) = walk->operands[i];
    } else if (!operand->optional || given) {
      ts_fail(walk->err, TS_ERR_USAGE, "'%s' needs %s", command->name, operand->name);
      ts_error_help(walk->err, "%s: %s", operand->name, operand->help);
      return false;
    }
  }
  return true;
}

static bool check_conflicts(const struct ts_arguments *arguments, struct ts_error *err) {
  if (arguments->show_config && arguments->request.file) {
    ts_fail(err, TS_ERR_USAGE, "'--show-config' shows settings and checks no file, but got '%s'",
            arguments->request.file);
    ts_error_help(err, "leave out one of them");
    return false;
  }
  if (arguments->request.resume && arguments->request.no_reuse) {
    ts_fail(err, TS_ERR_USAGE, "'--resume' needs what '--no-reuse' does not keep");
    ts_error_help(err, "leave out one of them");
    return false;
  }
  bool prints_design = ts_cli_command_id(arguments->command) == TS_COMMAND_SAMPLE && !arguments->request.output;
  if (prints_design && arguments->json) {
    ts_fail(err, TS_ERR_USAGE, "'--json' and the design would both go to standard output");
    ts_error_help(err, "name a file for the design: -o design.csv");
    return false;
  }
  return true;
}

/* The folder of the project: -C, and for init the folder to make. */
static char *project_folder(const struct ts_arguments *arguments) {
  const char *made = NULL;
  if (arguments->command && ts_cli_command_id(arguments->command) == TS_COMMAND_INIT) {
    made = arguments->operand_folder ? arguments->operand_folder : arguments->request.demo;
  }
  if (arguments->change_folder && made) return ts_path_join(arguments->change_folder, made);
  if (made) return ts_strdup(made);
  return arguments->change_folder ? ts_strdup(arguments->change_folder) : NULL;
}

static void complete_request(struct ts_arguments *arguments) {
  struct ts_request *request = &arguments->request;
  if (arguments->demo_wanted && !request->demo) request->demo = DEFAULT_DEMO;
  arguments->folder = project_folder(arguments);
  request->folder = arguments->folder;
  request->data = arguments->data.items;
  request->data_count = arguments->data.count;
  request->data_roots = arguments->data_roots.items;
  request->data_root_count = arguments->data_roots.count;
  request->operations = arguments->operations.items;
  request->operations_count = arguments->operations.count;
  request->output_columns = arguments->output_columns.items;
  request->output_column_count = arguments->output_columns.count;
  request->objectives = arguments->objectives.items;
  request->objective_count = arguments->objectives.count;
  request->ignored = arguments->ignored.items;
  request->ignored_count = arguments->ignored.count;
  request->components = arguments->components.items;
  request->component_count = arguments->components.count;
  request->parameters = arguments->settings.items;
  request->parameter_count = arguments->settings.count;
  request->raw_values = arguments->canonical && strcmp(arguments->canonical, "off") == 0;
}

static char *command_line(int argc, char *const *argv) {
  struct ts_str line = {0};
  ts_str_add(&line, "tessera");
  for (int i = 1; i < argc; i++) {
    ts_str_add_char(&line, ' ');
    ts_shell_quote(&line, argv[i]);
  }
  return ts_str_detach(&line);
}

static bool parse(struct walk *walk) {
  const struct ts_arguments *arguments = walk->arguments;
  while (walk->next < walk->argc) {
    int first = walk->next;
    if (!take_word(walk)) return false;
    keep_words(walk, first);
  }
  if (!check_early(walk)) return false;
  if (arguments->help || arguments->version) return true;
  if (!arguments->command) {
    ts_fail(walk->err, TS_ERR_USAGE, "no command was given");
    ts_error_help(walk->err, "'tessera help' lists the commands");
    return false;
  }
  if (!assign_operands(walk)) return false;
  if (walk->surplus) {
    ts_fail(walk->err, TS_ERR_USAGE, "'%s' is one word too many for '%s'", walk->surplus, arguments->command->name);
    ts_error_help(walk->err, "'tessera %s --help' shows how it is called", arguments->command->name);
    return false;
  }
  return check_conflicts(arguments, walk->err);
}

bool ts_arguments_parse(struct ts_arguments *arguments, int argc, char *const *argv, struct ts_error *err) {
  memset(arguments, 0, sizeof *arguments);
  struct walk walk = {.arguments = arguments, .argc = argc, .argv = argv, .next = 1, .err = err};
  ts_str_add(&walk.line, "tessera");
  bool fine = parse(&walk);
  if (fine) complete_request(arguments);
  arguments->command_line = command_line(argc, argv);
  arguments->request.command = arguments->command_line;
  arguments->resume_at = walk.resume_at ? walk.resume_at : walk.line.length;
  arguments->resume_line = ts_str_detach(&walk.line);
  free(walk.early);
  return fine;
}

static void release_settings(struct ts_setting_list *settings) {
  for (size_t i = 0; i < settings->count; i++) free(ts_without_const(settings->items[i].name));
  free(settings->items);
}

void ts_arguments_release(struct ts_arguments *arguments) {
  release_settings(&arguments->settings);
  release_settings(&arguments->components);
  free(arguments->objectives.items);
  free(arguments->ignored.items);
  free(arguments->data.items);
  free(arguments->data_roots.items);
  free(arguments->operations.items);
  free(arguments->output_columns.items);
  free(arguments->folder);
  free(arguments->command_line);
  free(arguments->resume_line);
  memset(arguments, 0, sizeof *arguments);
}
