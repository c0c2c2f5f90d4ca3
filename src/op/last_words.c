/* The last message of a process that an operation ends: which operation, with what, and how to continue.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs in signal handlers: nothing here allocates, locks or uses stdio. */
#include "op/watch_int.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DECIMALS     1000000 /* of real parameters: six */
#define LARGEST_REAL 9e12    /* six decimals leave this much of 64 bits */
#define WAIT_STEP_NS 20000000L
#define WAIT_STEPS   150 /* 3 s */

void ts_last_words_add(struct ts_last_words *words, const char *text) {
  for (; *text && words->length < sizeof words->text; text++) {
    const unsigned char c = (unsigned char)*text;
    words->text[words->length++] = c == '\n' || (c >= 0x20 && c != 0x7f) ? *text : '?';
  }
}

static void add_digits(struct ts_last_words *words, uint64_t number, int least) {
  char digits[24];
  int at = (int)sizeof digits - 1;
  digits[at] = '\0';
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
    least--;
  } while (number > 0 || least > 0);
  ts_last_words_add(words, digits + at);
}

static void add_integer(struct ts_last_words *words, int64_t number) {
  if (number < 0) ts_last_words_add(words, "-");
  add_digits(words, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 1);
}

/* Six decimals at most: enough to find the parameter set again. */
static void add_real(struct ts_last_words *words, double number) {
  if (isnan(number)) {
    ts_last_words_add(words, "nan");
    return;
  }
  if (signbit(number)) ts_last_words_add(words, "-");
  number = fabs(number);
  if (number > LARGEST_REAL) {
    ts_last_words_add(words, "more than 9e12");
    return;
  }
  uint64_t scaled = (uint64_t)(number * DECIMALS + 0.5);
  int decimals = 6;
  uint64_t fraction = scaled % DECIMALS;
  for (; decimals > 0 && fraction % 10 == 0; decimals--) fraction /= 10;
  add_digits(words, scaled / DECIMALS, 1);
  if (decimals == 0) return;
  ts_last_words_add(words, ".");
  add_digits(words, fraction, decimals);
}

static void add_value(struct ts_last_words *words, const struct ts_op_value *value) {
  switch (value->type) {
  case TS_OP_INTEGER: add_integer(words, value->integer); break;
  case TS_OP_REAL: add_real(words, value->real); break;
  case TS_OP_BOOLEAN: ts_last_words_add(words, value->integer ? "true" : "false"); break;
  case TS_OP_STRING: ts_last_words_add(words, value->string ? value->string : ""); break;
  }
}

static void add_parameters(struct ts_last_words *words, const struct ts_watched *watched) {
  const struct ts_op_descriptor *descriptor = watched->state->op->descriptor;
  if (!watched->parameters) {
    ts_last_words_add(words, "  while it was opened\n");
    return;
  }
  for (size_t i = 0; i < descriptor->parameter_count; i++) {
    ts_last_words_add(words, i == 0 ? "  with " : ", ");
    ts_last_words_add(words, descriptor->parameters[i]->name);
    ts_last_words_add(words, "=");
    add_value(words, watched->parameters[i]);
  }
  if (descriptor->parameter_count > 0) ts_last_words_add(words, "\n");
}

static void add_subject(struct ts_last_words *words, const struct ts_watched *watched, const char *what) {
  ts_last_words_add(words, "operation '");
  ts_last_words_add(words, watched->state->op->descriptor->name);
  ts_last_words_add(words, "' ");
  ts_last_words_add(words, what);
  const char *task = watched->state->context->task;
  if (task) {
    ts_last_words_add(words, " in task '");
    ts_last_words_add(words, task);
    ts_last_words_add(words, "'");
  }
  ts_last_words_add(words, "\n");
  if (watched->state->op->source[0]) {
    ts_last_words_add(words, "  --> ");
    ts_last_words_add(words, watched->state->op->source);
    ts_last_words_add(words, "\n");
  }
  add_parameters(words, watched);
}

void ts_last_words_tell(struct ts_last_words *words, const struct ts_watched *watched, enum ts_error_code code,
                        const char *what, const char *resume) {
  ts_last_words_add(words, "error[T");
  add_integer(words, ts_error_number(code));
  ts_last_words_add(words, "]: ");
  if (watched) {
    add_subject(words, watched, what);
  } else {
    ts_last_words_add(words, "the program ");
    ts_last_words_add(words, what);
    ts_last_words_add(words, " outside operations, or in a thread of one\n");
  }
  ts_last_words_add(words, "help: finished products are kept");
  if (code == TS_ERR_NO_MEMORY)
    ts_last_words_add(words, "; use fewer threads (-j) or smaller tiles");
  else if (watched)
    ts_last_words_add(words, "; fix the operation or leave these values out");
  if (resume && resume[0]) {
    ts_last_words_add(words, "; continue with: ");
    ts_last_words_add(words, resume);
  }
  ts_last_words_add(words, "\n");
}

void ts_last_words_claim(void) {
  static atomic_flag is_claimed = ATOMIC_FLAG_INIT;
  while (atomic_flag_test_and_set(&is_claimed)) pause();
}

void ts_last_words_write(const struct ts_last_words *words) {
  size_t at = 0;
  while (at < words->length) {
    const ssize_t count = write(STDERR_FILENO, words->text + at, words->length - at);
    if (count <= 0) return;
    at += (size_t)count;
  }
}

/* Other threads may add products: only those present at the beginning count. */
void ts_watch_wait_for_store(const struct ts_watch_options *options) {
  if (!options->progress) return;
  uint64_t wanted, given, kept;
  options->progress(options->user, &wanted, &kept);
  for (int i = 0; i < WAIT_STEPS && kept < wanted; i++) {
    const struct timespec step = {.tv_nsec = WAIT_STEP_NS};
    nanosleep(&step, NULL);
    options->progress(options->user, &given, &kept);
  }
}
