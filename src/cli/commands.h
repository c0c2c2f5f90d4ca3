/* The command table: what the program can do, from which parser, help, man pages and completion are made.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A new command is an entry in commands.c, its options are entries in options.c; nothing else lists them. */
#ifndef TS_CLI_COMMANDS_H
#define TS_CLI_COMMANDS_H

#include "tessera.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ts_cli_command_id {
  TS_COMMAND_INIT,
  TS_COMMAND_CHECK,
  TS_COMMAND_LIST,
  TS_COMMAND_PLAN,
  TS_COMMAND_RUN,
  TS_COMMAND_STUDY,
  TS_COMMAND_BENCH,
  TS_COMMAND_SAMPLE,
  TS_COMMAND_ANALYSE,
  TS_COMMAND_SCHEDULE,
  TS_COMMAND_TUNE,
  TS_COMMAND_STATUS,
  TS_COMMAND_LOG,
  TS_COMMAND_EXPLAIN,
  TS_COMMAND_REPORT,
  TS_COMMAND_STORE,
  TS_COMMAND_COMPLETION,
  TS_COMMAND_HELP,
  TS_COMMAND_VERSION,
  TS_COMMAND_MAN,
  TS_COMMAND_WORDS,
  TS_COMMAND_WORKER,
  TS_COMMAND_COUNT
};
#define TS_COMMAND_BIT(id)  (1u << (id))
#define TS_COMMAND_ANY_BITS (TS_COMMAND_BIT(TS_COMMAND_COUNT) - 1)

/* What a shell may offer for an argument. */
enum ts_completes {
  TS_COMPLETES_NOTHING,
  TS_COMPLETES_CHOICES, /* the words in `choices` */
  TS_COMPLETES_FILE,
  TS_COMPLETES_FOLDER,
  TS_COMPLETES_RUN,
  TS_COMPLETES_DEMO,
  TS_COMPLETES_METHOD, /* those of the command */
  TS_COMPLETES_COMMAND
};

/* How an option's argument is read and where it goes; `field` is an offset into struct ts_arguments. */
enum ts_option_kind {
  TS_OPTION_FLAG,     /* bool */
  TS_OPTION_TALLY,    /* int, one more each time */
  TS_OPTION_TEXT,     /* const char * */
  TS_OPTION_WORD,     /* const char *, one of `choices` */
  TS_OPTION_COUNT,    /* size_t, least..most */
  TS_OPTION_PIXELS,   /* int64_t, least..most; the bool at `given` is set */
  TS_OPTION_REAL,     /* double, between `above` and `below`, both left out */
  TS_OPTION_BYTES,    /* uint64_t; "800M", "2G" or "2.5G" (powers of 1000) */
  TS_OPTION_SEED,     /* uint64_t; the bool at `given` is set */
  TS_OPTION_LIST,     /* struct ts_cli_text_list, one more each time */
  TS_OPTION_SETTING,  /* struct ts_setting_list, NAME=VALUE, one more each time */
  TS_OPTION_OPTIONAL, /* const char *, left alone without an argument; the bool at `given` is set */
};

struct ts_option {
  const char *name; /* without the dashes */
  char letter;      /* 0: none */
  enum ts_option_kind kind;
  const char *argument; /* its name in the help; NULL: takes none */
  const char *help;     /* one line, lower case, no full stop */
  uint32_t commands;    /* TS_COMMAND_BIT of those it has an effect on */
  size_t field, given;
  const char *const *choices; /* NULL-terminated; WORD: what is taken; TEXT: what is proposed; NULL: free */
  uint64_t least, most;
  double above, below;
  enum ts_completes completes;
  bool (*belongs)(const char *word); /* OPTIONAL: whether the next word is the argument */
};

struct ts_operand {
  const char *name; /* NULL ends the list */
  bool optional;
  size_t field; /* const char *, offset into struct ts_arguments */
  const char *help;
  enum ts_completes completes;
  const char *const *choices;
};

struct ts_example {
  const char *command; /* NULL ends the list */
  const char *what;
};

struct ts_str;
struct ts_view;

typedef int ts_cli_call(const struct ts_request *request, char **reply);
typedef void ts_cli_show(const json_t *reply, const struct ts_view *view, struct ts_str *out);

/* What a command does if its first operand is this word. */
struct ts_cli_topic {
  const char *name; /* NULL ends the list */
  ts_cli_call *call;
  ts_cli_show *show;
};

#define TS_MAX_OPERANDS 3
#define TS_MAX_EXAMPLES 5

struct ts_cli_command {
  const char *name;
  const char *group;       /* heading in the overview; NULL: hidden */
  const char *summary;     /* one line, lower case, no full stop */
  const char *description; /* paragraphs separated by an empty line */
  struct ts_operand operands[TS_MAX_OPERANDS];
  struct ts_example examples[TS_MAX_EXAMPLES];
  uint32_t exit_codes; /* bit i: entry i of ts_exit_codes */
  const char *methods; /* the list of tessera.list that says what --method or --algorithm takes; NULL: none */
  /* The call of the library and the text of its reply; both NULL for what the program answers itself. */
  ts_cli_call *call;
  ts_cli_show *show;
  const struct ts_cli_topic *topics; /* instead of the two, by the topic; NULL: it is all the same */
};

struct ts_exit_code {
  const char *code;
  const char *meaning;
};

extern const struct ts_cli_command ts_cli_commands[TS_COMMAND_COUNT];
extern const struct ts_option ts_options[];
extern const size_t ts_option_count;
extern const struct ts_exit_code ts_exit_codes[];
extern const size_t ts_exit_code_count;

const struct ts_cli_command *ts_cli_command_find(const char *name); /* NULL: there is none */
/* What the command does for this topic, which may be NULL. */
struct ts_cli_topic ts_cli_command_topic(const struct ts_cli_command *command, const char *topic);
enum ts_cli_command_id ts_cli_command_id(const struct ts_cli_command *command);
bool ts_option_applies(const struct ts_option *option, const struct ts_cli_command *command);
/* Whether every command that calls the library takes the option. */
bool ts_option_is_common(const struct ts_option *option);
const struct ts_option *ts_option_find(const char *name, size_t length);
const struct ts_option *ts_option_find_letter(char letter);

#endif
