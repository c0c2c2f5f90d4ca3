/* The table of commands and their options, and calls by name: for front ends and bindings, which are made from it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A command is a call of tessera.h with an option for each field of its request; the program tessera has a few commands
 * and options more, which are marked. Help, man pages, completion and the reading of the command line use this table
 * and nothing else. */
#ifndef TESSERA_TABLE_H
#define TESSERA_TABLE_H

#include "tessera.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What may be proposed for an argument. */
enum tessera_completes {
  TESSERA_COMPLETES_NOTHING,
  TESSERA_COMPLETES_CHOICES, /* the words in `choices` */
  TESSERA_COMPLETES_FILE,
  TESSERA_COMPLETES_FOLDER,
  TESSERA_COMPLETES_RUN,
  TESSERA_COMPLETES_DEMO,
  TESSERA_COMPLETES_METHOD, /* those of the command */
  TESSERA_COMPLETES_COMMAND /* or a page of help */
};

/* What the text of an option says. */
enum tessera_option_kind {
  TESSERA_OPTION_FLAG,     /* takes no text, or "true" or "false" */
  TESSERA_OPTION_TALLY,    /* takes no text and counts how often it is given */
  TESSERA_OPTION_TEXT,     /* any but the empty one */
  TESSERA_OPTION_WORD,     /* one of `choices` */
  TESSERA_OPTION_SWITCH,   /* "on" or "off" */
  TESSERA_OPTION_COUNT,    /* a whole number, least..most */
  TESSERA_OPTION_PIXELS,   /* the same */
  TESSERA_OPTION_REAL,     /* a number between `above` and `below`, both left out */
  TESSERA_OPTION_BYTES,    /* "800M", "2G" or "2.5G" (powers of 1000) */
  TESSERA_OPTION_SEED,     /* a whole number of 64 bits */
  TESSERA_OPTION_LIST,     /* text, one more each time */
  TESSERA_OPTION_SETTING,  /* NAME=VALUE, one more each time */
  TESSERA_OPTION_OPTIONAL, /* text, or none */
};

struct tessera_option {
  size_t size_bytes; /* of this struct in the library; fields are added at the end */
  const char *name;  /* on a command line with two dashes before it */
  char letter;       /* 0: none */
  enum tessera_option_kind kind;
  const char *argument;       /* its name in the help; NULL: takes none */
  const char *help;           /* one line, lower case, no full stop */
  const char *const *choices; /* NULL-terminated; WORD: what is taken; TEXT: what is proposed; NULL: free */
  uint64_t least, most;
  double above, below;
  enum tessera_completes completes;
  bool is_program; /* belongs to the program tessera: a call does not take it */
};

/* The members of the next two are these for good. */
struct tessera_operand {
  const char *name; /* in the help; NULL ends the list; one that ends in "..." may be repeated */
  const char *sets; /* what tessera_call_set calls it; of a list, each call adds one */
  bool optional;
  const char *help;
  enum tessera_completes completes;
  const char *const *choices; /* NULL-terminated; NULL: free */
};

struct tessera_example {
  const char *command; /* NULL ends the list */
  const char *what;
};

struct tessera_command {
  size_t size_bytes; /* of this struct in the library; fields are added at the end */
  const char *name;
  const char *group;       /* heading in the overview; NULL: hidden */
  const char *summary;     /* one line, lower case, no full stop */
  const char *description; /* paragraphs separated by an empty line */
  const struct tessera_operand *operands;
  const struct tessera_example *examples;
  uint32_t exit_codes; /* bit i: tessera_exit_code_at(i) */
  const char *methods; /* the list of tessera_list that says what --method or --algorithm takes; NULL: none */
  bool is_program;     /* the program tessera answers it itself: there is no call */
};

struct tessera_exit_code {
  const char *code;
  const char *meaning;
};

/* Entry of a number from 0 on, in the order of the help; NULL: there are not so many. */
TS_PUBLIC const struct tessera_command *tessera_command_at(size_t number);
TS_PUBLIC const struct tessera_option *tessera_option_at(size_t number);
TS_PUBLIC const struct tessera_exit_code *tessera_exit_code_at(size_t number);
/* Whether the option has an effect on the command. */
TS_PUBLIC bool tessera_option_applies(const struct tessera_option *option, const struct tessera_command *command);

/* Whether the word can be the text of the option; of one whose text may be left out, whether it would be. */
TS_PUBLIC bool tessera_option_takes(const struct tessera_option *option, const char *word);
/* Whether the operand may be given several times: what it sets is a list. */
TS_PUBLIC bool tessera_operand_repeats(const struct tessera_command *command, const struct tessera_operand *operand);

/* What is wrong with a value; for good. */
struct tessera_fault {
  int code; /* as in docs/errors.md */
  char text[512];
  char help[512]; /* what to do; "" if nothing is known */
};
/* Whether the option would take the text, as tessera_call_set would. */
TS_PUBLIC bool tessera_option_check(const struct tessera_option *option, const char *text, const char *called,
                                    struct tessera_fault *fault);

/* ---- calls by name ---- */

struct tessera_call; /* a command with some of its options set; owned by its maker, used by one thread at a time */

/* NULL: there is no such command. Texts that are given to a call are copied. */
TS_PUBLIC struct tessera_call *tessera_call_create(const char *command);
TS_PUBLIC void tessera_call_destroy(struct tessera_call *call); /* NULL is allowed */
/* Sets an option or operand of the command by its name; `text` as on a command line, NULL where none is given.
 * `called` is how messages name it ("-j", "TESSERA_JOBS"); NULL: by its name. False: `fault` says why, and nothing has
 * changed. */
TS_PUBLIC bool tessera_call_set(struct tessera_call *call, const char *name, const char *text, const char *called,
                                struct tessera_fault *fault);
/* The text that was set last; of an option that was set without one its default, or ""; NULL: it was not set. Borrowed
 * from the call. */
TS_PUBLIC const char *tessera_call_get(const struct tessera_call *call, const char *name);
/* What goes with a call beside its options; as in the typed requests. */
struct tessera_context {
  size_t size_bytes;
  const char *command;                                               /* how the user called, for the record */
  const char *program;                                               /* path of the program tessera, for workers */
  bool watch;                                                        /* see docs/embedding.md */
  const volatile int *stop;                                          /* may be NULL */
  const struct tessera_observer *observer;                           /* may be NULL */
  bool (*on_text)(void *text_user, const char *text, size_t length); /* sample; may be NULL */
  void *text_user;
};
/* As the function of the same name; `context` may be NULL. What the program answers itself is refused. */
TS_PUBLIC int tessera_call_make(const struct tessera_call *call, const struct tessera_context *context, char **reply);

#ifdef __cplusplus
}
#endif
#endif
