/* The last message of a process that an operation ends: which operation, with what, and how to continue.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs in signal handlers: nothing here allocates, locks or uses stdio. */
#include "op/watch_int.h"

#include "base/process/last_words.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DECIMALS     1000000 /* of real parameters: six */
#define LARGEST_REAL 9e12    /* six decimals leave this much of 64 bits */
#define WAIT_STEP_NS 20000000L
#define WAIT_STEPS   150 /* 3 s */

/* A text built without allocating. */
struct words {
  char text[2048];
  size_t length;
  bool is_record; /* for the process that listens (base/process/last_words.h) */
};

static void add_mark(struct words *words, char mark) {
  if (words->length < sizeof words->text) words->text[words->length++] = mark;
}

static void add(struct words *words, const char *text) {
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    add_mark(words, c >= 0x20 && c != 0x7f ? *text : '?');
  }
}

/* What follows is another part of the message. */
static void add_part(struct words *words, const char *name) {
  if (words->is_record) {
    add_mark(words, TS_LAST_WORDS_FIELD);
  } else {
    add_mark(words, '\n');
    add(words, name);
  }
}

/* The text goes on in another line. */
static void add_line(struct words *words) {
  if (words->is_record)
    add_mark(words, TS_LAST_WORDS_BREAK);
  else
    add_part(words, "  ");
}

static void add_digits(struct words *words, uint64_t number, int least) {
  char digits[24];
  int at = (int)sizeof digits - 1;
  digits[at] = '\0';
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
    least--;
  } while (number > 0 || least > 0);
  add(words, digits + at);
}

static void add_integer(struct words *words, int64_t number) {
  if (number < 0) add(words, "-");
  add_digits(words, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 1);
}

/* Six decimals at most: enough to find the parameter set again. */
static void add_real(struct words *words, double number) {
  if (isnan(number)) {
    add(words, "nan");
    return;
  }
  if (signbit(number)) add(words, "-");
  number = fabs(number);
  if (number > LARGEST_REAL) {
    add(words, "more than 9e12");
    return;
  }
  uint64_t scaled = (uint64_t)(number * DECIMALS + 0.5);
  int decimals = 6;
  uint64_t fraction = scaled % DECIMALS;
  for (; decimals > 0 && fraction % 10 == 0; decimals--) fraction /= 10;
  add_digits(words, scaled / DECIMALS, 1);
  if (decimals == 0) return;
  add(words, ".");
  add_digits(words, fraction, decimals);
}

static void add_value(struct words *words, const struct ts_op_value *value) {
  switch (value->type) {
  case TS_OP_INTEGER: add_integer(words, value->integer); break;
  case TS_OP_REAL: add_real(words, value->real); break;
  case TS_OP_BOOLEAN: add(words, value->integer ? "true" : "false"); break;
  case TS_OP_STRING: add(words, value->string ? value->string : ""); break;
  }
}

static void add_parameters(struct words *words, const struct ts_watched *watched) {
  const struct ts_op_descriptor *descriptor = watched->state->op->descriptor;
  if (!watched->parameters || descriptor->parameter_count > 0) add_line(words);
  if (!watched->parameters) {
    add(words, "while it was opened");
    return;
  }
  for (size_t i = 0; i < descriptor->parameter_count; i++) {
    add(words, i == 0 ? "with " : ", ");
    add(words, descriptor->parameters[i]->name);
    add(words, "=");
    add_value(words, watched->parameters[i]);
  }
}

static void add_subject(struct words *words, const struct ts_watched *watched, const char *what) {
  add(words, "operation '");
  add(words, watched->state->op->descriptor->name);
  add(words, "' ");
  add(words, what);
  const char *task = watched->state->context->task;
  if (task) {
    add(words, " in task '");
    add(words, task);
    add(words, "'");
  }
  add_parameters(words, watched);
}

static void add_head(struct words *words, enum ts_error_code code) {
  if (words->is_record) {
    add_mark(words, TS_LAST_WORDS_MARK);
    add_integer(words, ts_error_number(code));
    add_mark(words, TS_LAST_WORDS_FIELD);
    return;
  }
  if (isatty(STDERR_FILENO)) add_mark(words, '\n'); /* there may be a line of progress */
  add(words, "error[T");
  add_integer(words, ts_error_number(code));
  add(words, "]: ");
}

static void add_place(struct words *words, const struct ts_watched *watched) {
  const char *source = watched ? watched->state->op->source : "";
  if (source[0] || words->is_record) add_part(words, "  --> ");
  add(words, source);
}

static void add_help(struct words *words, const struct ts_watched *watched, enum ts_error_code code,
                     const char *resume) {
  add_part(words, "help: ");
  add(words, "finished products are kept");
  if (code == TS_ERR_NO_MEMORY)
    add(words, "; use fewer threads (-j) or smaller tiles");
  else if (watched)
    add(words, "; fix the operation or leave these values out");
  if (resume && resume[0]) {
    add(words, "; continue with: ");
    add(words, resume);
  }
  add_mark(words, '\n');
}

/* Two threads may have some at once. */
static void claim(void) {
  static atomic_flag is_claimed = ATOMIC_FLAG_INIT;
  while (atomic_flag_test_and_set(&is_claimed)) pause();
}

static void write_words(const struct words *words) {
  size_t at = 0;
  while (at < words->length) {
    const ssize_t count = write(STDERR_FILENO, words->text + at, words->length - at);
    if (count <= 0) return;
    at += (size_t)count;
  }
}

/* Other threads may add products: only those present at the beginning count. */
static void wait_for_store(const struct ts_watch_options *options) {
  if (!options->progress) return;
  uint64_t wanted, given, kept;
  options->progress(options->user, &wanted, &kept);
  for (int i = 0; i < WAIT_STEPS && kept < wanted; i++) {
    const struct timespec step = {.tv_nsec = WAIT_STEP_NS};
    nanosleep(&step, NULL);
    options->progress(options->user, &given, &kept);
  }
}

void ts_last_words(const struct ts_watch_options *options, const struct ts_watched *watched, enum ts_error_code code,
                   const char *what) {
  struct words words = {.length = 0, .is_record = options->is_worker};
  claim();
  add_head(&words, code);
  if (watched) {
    add_subject(&words, watched, what);
  } else {
    add(&words, "the program ");
    add(&words, what);
    add(&words, " outside operations, or in a thread of one");
  }
  add_place(&words, watched);
  add_help(&words, watched, code, options->resume);
  wait_for_store(options);
  write_words(&words);
}
