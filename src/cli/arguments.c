/* Reads the command line, GNU style, along the command table.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Written by hand because getopt_long can neither name the option that was meant nor the command that it belongs to.
 * Options may come before the command ("tessera -C demo study"), so all of them are known from the start, and whether
 * they have an effect is checked once the command is known. */
#include "cli/arguments.h"

#include "base/alloc.h"
#include "base/file.h"
#include "cli/arguments_int.h"

#include <string.h>

#define MAX_NAMES 128

/* An option of the call, which is made once the whole line is read. */
struct given {
  const struct tessera_option *option;
  const char *value; /* NULL: none */
};

struct walk {
  struct ts_arguments *arguments; /* borrowed */
  int argc;
  char *const *argv; /* borrowed */
  int next;
  bool only_operands;                  /* after "--" */
  const struct tessera_option **early; /* owned; options before the command */
  size_t early_count, early_capacity;
  struct given *given; /* owned */
  size_t given_count, given_capacity;
  const char **operands; /* owned array */
  size_t operand_count, operand_capacity;
  struct ts_str line; /* the words kept for "continue with" */
  size_t resume_at;   /* 0: at the end */
  int resume_first, resume_last;
  struct ts_error *err;
};

/* Where the options of the program itself go. */
static const struct {
  const char *name;
  size_t field; /* FLAG: bool, TALLY: int, WORD: const char * */
} own_options[] = {
    {"show-config", offsetof(struct ts_arguments, show_config)},
    {"progress", offsetof(struct ts_arguments, progress)},
    {"json", offsetof(struct ts_arguments, json)},
    {"quiet", offsetof(struct ts_arguments, quiet)},
    {"verbose", offsetof(struct ts_arguments, verbose)},
    {"color", offsetof(struct ts_arguments, color)},
    {"help", offsetof(struct ts_arguments, help)},
    {"version", offsetof(struct ts_arguments, version)},
};

const char *ts_arguments_get(const struct ts_arguments *arguments, const char *name) {
  return arguments->call ? tessera_call_get(arguments->call, name) : NULL;
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
static void add_owners(struct ts_str *out, const struct tessera_option *option) {
  const struct tessera_command *command;
  size_t count = 0, left = 0;
  for (size_t i = 0; (command = tessera_command_at(i)); i++) left += tessera_option_applies(option, command);
  for (size_t i = 0; (command = tessera_command_at(i)); i++) {
    if (!tessera_option_applies(option, command)) continue;
    left--;
    if (count++ > 0) ts_str_add(out, left ? ", " : " and ");
    ts_str_addf(out, "'%s'", command->name);
  }
}

static bool fail_no_effect(const struct tessera_option *option, const struct tessera_command *command,
                           struct ts_error *err) {
  struct ts_str owners = {0};
  add_owners(&owners, option);
  ts_fail(err, TS_ERR_USAGE, "'--%s' has no effect on '%s'", option->name, command->name);
  ts_error_help(err, "leave it out; it is for %s", ts_str_get(&owners));
  ts_str_release(&owners);
  return false;
}

static bool fail_unknown_option(const struct walk *walk, const char *word, size_t length) {
  const struct tessera_command *command = walk->arguments->command;
  const char *names[MAX_NAMES];
  size_t count = 0;
  const struct tessera_option *option;
  for (size_t i = 0; (option = tessera_option_at(i)) && count < MAX_NAMES; i++) {
    if (!command || tessera_option_applies(option, command)) names[count++] = option->name;
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
static bool admit(struct walk *walk, const struct tessera_option *option) {
  const struct tessera_command *command = walk->arguments->command;
  if (command) return tessera_option_applies(option, command) || fail_no_effect(option, command, walk->err);
  walk->early = ts_grow(walk->early, walk->early_count, &walk->early_capacity, sizeof *walk->early);
  walk->early[walk->early_count++] = option;
  return true;
}

static bool fail_no_value(struct walk *walk, const struct tessera_option *option, const char *spelled) {
  ts_fail(walk->err, TS_ERR_USAGE, "'%s' needs a value", spelled);
  ts_error_help(walk->err, "write %s %s", spelled, option->argument);
  return false;
}

static void set_own(struct ts_arguments *arguments, const struct tessera_option *option, const char *value) {
  for (size_t i = 0; i < sizeof own_options / sizeof own_options[0]; i++) {
    if (strcmp(own_options[i].name, option->name) != 0) continue;
    void *field = (char *)arguments + own_options[i].field;
    if (option->kind == TESSERA_OPTION_FLAG) *(bool *)field = true;
    if (option->kind == TESSERA_OPTION_TALLY) ++*(int *)field;
    if (option->kind == TESSERA_OPTION_WORD) *(const char **)field = value;
    return;
  }
  TS_BUG("no field for the option '%s'", option->name);
}

/* A wrong value is reported here, at its place in the line. */
static bool keep_option(struct walk *walk, const struct tessera_option *option, const char *spelled,
                        const char *value) {
  struct tessera_fault fault;
  if (!tessera_option_check(option, value, spelled, &fault)) return ts_argument_fail(&fault, walk->err);
  if (option->is_program) {
    set_own(walk->arguments, option, value);
    return true;
  }
  walk->given = ts_grow(walk->given, walk->given_count, &walk->given_capacity, sizeof *walk->given);
  walk->given[walk->given_count++] = (struct given){option, value};
  return true;
}

/* Whether a word is an option rather than the value of the one before it, which was forgotten. */
static bool is_option(const char *word) {
  return ts_str_starts_with(word, "--") && word[2] && ts_option_find(NULL, word + 2, strcspn(word + 2, "="));
}

/* `value`: the rest of the same word, or NULL. Takes the next word where the option needs one. */
static bool take_option(struct walk *walk, const struct tessera_option *option, const char *spelled,
                        const char *value) {
  if (!admit(walk, option)) return false;
  int first = walk->next - 1;
  bool more = walk->next < walk->argc;
  if (!option->argument && value) {
    ts_fail(walk->err, TS_ERR_USAGE, "'%s' takes no value, but got '%s'", spelled, value);
    ts_error_help(walk->err, "write %s alone", spelled);
    return false;
  }
  if (option->argument && !value) {
    bool optional = option->kind == TESSERA_OPTION_OPTIONAL;
    if (!optional && (!more || is_option(walk->argv[walk->next]))) return fail_no_value(walk, option, spelled);
    if (!optional || (more && tessera_option_takes(option, walk->argv[walk->next]))) value = walk->argv[walk->next++];
  }
  if (strcmp(option->name, "resume") == 0) {
    walk->resume_first = first;
    walk->resume_last = walk->next;
  }
  return keep_option(walk, option, spelled, value);
}

static bool take_long(struct walk *walk, const char *word) {
  const char *name = word + 2;
  size_t length = strcspn(name, "=");
  const struct tessera_option *option = ts_option_find(walk->arguments->command, name, length);
  if (!option) return fail_unknown_option(walk, name, length);
  char *spelled = ts_strndup(word, length + 2);
  bool fine = take_option(walk, option, spelled, name[length] == '=' ? name + length + 1 : NULL);
  free(spelled);
  return fine;
}

/* -q, -qv, -j4, -nj4: letters up to the first that takes a value, which is the rest of the word if there is one. */
static bool take_letters(struct walk *walk, const char *word) {
  for (const char *p = word + 1; *p; p++) {
    const struct tessera_option *option = ts_option_find_letter(*p);
    if (!option) return fail_unknown_option(walk, p, 1);
    char spelled[3] = {'-', *p, '\0'};
    const char *rest = option->argument && p[1] ? p + 1 : NULL;
    if (!take_option(walk, option, spelled, rest)) return false;
    if (option->argument) return true;
  }
  return true;
}

static bool take_command(struct walk *walk, const char *word) {
  const struct tessera_command *command = ts_cli_command_find(word);
  walk->arguments->command = command;
  if (command) return true;
  const char *names[MAX_NAMES];
  size_t count = ts_cli_command_names(names, MAX_NAMES);
  ts_fail(walk->err, TS_ERR_USAGE, "unknown command '%s'", word);
  ts_suggest_help(walk->err, word, names, count, "tessera ", "'tessera help' lists the commands");
  return false;
}

static bool take_operand(struct walk *walk, const char *word) {
  if (!walk->arguments->command) return take_command(walk, word);
  walk->operands = ts_grow(walk->operands, walk->operand_count, &walk->operand_capacity, sizeof *walk->operands);
  walk->operands[walk->operand_count++] = word;
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
    ts_str_add_shell_word(&walk->line, walk->argv[i]);
  }
}

/* An option of a name that several commands have, each with a meaning of its own: only behind the command it is known
 * which is meant. */
static bool fail_early(const struct tessera_option *option, const struct tessera_command *command,
                       struct ts_error *err) {
  const struct tessera_option *own = ts_option_find(command, option->name, strlen(option->name));
  if (!tessera_option_applies(own, command)) return fail_no_effect(option, command, err);
  ts_fail(err, TS_ERR_USAGE, "'--%s' comes before '%s', where it means something else", option->name, command->name);
  ts_error_help(err, "write it behind '%s'", command->name);
  return false;
}

static bool check_early(const struct walk *walk) {
  const struct tessera_command *command = walk->arguments->command;
  for (size_t i = 0; command && i < walk->early_count; i++) {
    if (!tessera_option_applies(walk->early[i], command)) return fail_early(walk->early[i], command, walk->err);
  }
  return true;
}

static bool fail_surplus(const struct walk *walk, const char *word) {
  const char *name = walk->arguments->command->name;
  ts_fail(walk->err, TS_ERR_USAGE, "'%s' is one word too many for '%s'", word, name);
  ts_error_help(walk->err, "'tessera %s --help' shows how it is called", name);
  return false;
}

static bool assign_operands(const struct walk *walk) {
  const struct tessera_command *command = walk->arguments->command;
  const struct tessera_operand *operand = command->operands;
  struct tessera_fault fault;
  for (size_t i = 0; operand->name || i < walk->operand_count; i++) {
    const char *word = i < walk->operand_count ? walk->operands[i] : NULL;
    if (!operand->name) return fail_surplus(walk, word);
    if ((word || !operand->optional) &&
        !tessera_call_set(walk->arguments->call, operand->sets, word, operand->name, &fault))
      return ts_argument_fail(&fault, walk->err);
    /* One that repeats takes all the rest. */
    if (i + 1 >= walk->operand_count || !tessera_operand_repeats(command, operand)) operand++;
  }
  return true;
}

static bool check_conflicts(const struct ts_arguments *arguments, struct ts_error *err) {
  const char *file = ts_arguments_get(arguments, "file");
  if (arguments->show_config && file) {
    ts_fail(err, TS_ERR_USAGE, "'--show-config' shows settings and checks no file, but got '%s'", file);
    ts_error_help(err, "leave out one of them");
    return false;
  }
  if (ts_arguments_get(arguments, "resume") && ts_arguments_get(arguments, "no-reuse")) {
    ts_fail(err, TS_ERR_USAGE, "'--resume' needs what '--no-reuse' does not keep");
    ts_error_help(err, "leave out one of them");
    return false;
  }
  bool prints_design = ts_cli_command_is(arguments->command, "sample") && !ts_arguments_get(arguments, "output");
  if (prints_design && arguments->json) {
    ts_fail(err, TS_ERR_USAGE, "'--json' and the design would both go to standard output");
    ts_error_help(err, "name a file for the design: -o design.csv");
    return false;
  }
  return true;
}

/* What is known to be right. */
static void set(struct ts_arguments *arguments, const char *name, const char *value) {
  struct tessera_fault fault;
  if (!tessera_call_set(arguments->call, name, value, NULL, &fault)) TS_BUG("%s: %s", name, fault.text);
}

/* init: the folder to make, below -C; a demo goes into a folder of its name. */
static void set_new_folder(struct ts_arguments *arguments, const char *operand) {
  const char *made = operand ? operand : ts_arguments_get(arguments, "demo");
  if (!made) return;
  ts_auto_free char *folder = ts_path_join(arguments->change_folder ? arguments->change_folder : "", made);
  set(arguments, "folder", folder);
}

static bool make_call(struct walk *walk) {
  struct ts_arguments *arguments = walk->arguments;
  arguments->call = tessera_call_create(arguments->command->name);
  for (size_t i = 0; i < walk->given_count; i++) set(arguments, walk->given[i].option->name, walk->given[i].value);
  for (size_t i = 0; i < walk->given_count; i++)
    if (strcmp(walk->given[i].option->name, "folder") == 0) arguments->change_folder = walk->given[i].value;
  if (!assign_operands(walk)) return false;
  if (ts_cli_command_is(arguments->command, "init"))
    set_new_folder(arguments, walk->operand_count > 0 ? walk->operands[0] : NULL);
  arguments->topic = ts_arguments_get(arguments, "topic");
  arguments->dry_run = ts_arguments_get(arguments, "dry-run") != NULL;
  return check_conflicts(arguments, walk->err);
}

static char *command_line(int argc, char *const *argv) {
  struct ts_str line = {0};
  ts_str_add(&line, "tessera");
  for (int i = 1; i < argc; i++) {
    ts_str_add_char(&line, ' ');
    ts_str_add_shell_word(&line, argv[i]);
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
  return make_call(walk);
}

bool ts_arguments_parse(struct ts_arguments *arguments, int argc, char *const *argv, struct ts_error *err) {
  memset(arguments, 0, sizeof *arguments);
  struct walk walk = {.arguments = arguments, .argc = argc, .argv = argv, .next = 1, .err = err};
  ts_str_add(&walk.line, "tessera");
  bool fine = parse(&walk);
  arguments->command_line = command_line(argc, argv);
  arguments->resume_at = walk.resume_at ? walk.resume_at : walk.line.length;
  arguments->resume_line = ts_str_detach(&walk.line);
  free(walk.early);
  free(walk.given);
  free(walk.operands);
  return fine;
}

void ts_arguments_release(struct ts_arguments *arguments) {
  tessera_call_destroy(arguments->call);
  free(arguments->command_line);
  free(arguments->resume_line);
  memset(arguments, 0, sizeof *arguments);
}

bool ts_argument_fail(const struct tessera_fault *fault, struct ts_error *err) {
  ts_fail(err, ts_error_of_number(fault->code, TS_ERR_USAGE), "%s", fault->text);
  if (fault->help[0]) ts_error_help(err, "%s", fault->help);
  return false;
}
