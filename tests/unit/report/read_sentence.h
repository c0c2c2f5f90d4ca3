/* Reads the sentence that answers a study back into names, counts and numbers, to compare them with its table.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Written from the sentences in docs/report.md, not from the code that makes them: what it does not know makes a test
 * fail. */
#ifndef TS_TESTS_UNIT_REPORT_READ_SENTENCE_H
#define TS_TESTS_UNIT_REPORT_READ_SENTENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MOST_READ 40
#define WHAT      "the area"

/* Names are "p0", "p1", ...: read as their numbers. */
struct read_names {
  size_t items[MOST_READ], count;
  double values[MOST_READ]; /* in brackets behind the name; NaN: none */
  size_t more;              /* "and 3 more" */
};

/* How many a clause speaks of, and the number it quotes for them. NaN: none. */
struct read_clause {
  size_t count;
  double limit;       /* at most this */
  bool of_upper_ends; /* the limit is one of upper ends, else of indices */
  bool of_their_own;
  bool is_zero;            /* "= 0" */
  bool has_lower;          /* it says where intervals begin */
  double inert;            /* they reach down to this */
  bool contains_zero;      /* they contain 0 */
  struct read_names names; /* where it has some */
};

struct read_sentence {
  bool nothing_known; /* "Nothing can be said" */
  bool none_at_all;   /* "None of ..." */
  struct read_clause deciding, smaller, below, none, unclear, unknown;
  double share;                        /* of the summed mu*, NaN: not said */
  struct read_names chains[MOST_READ]; /* whose order is open */
  size_t chain_count;
  bool without_intervals;
};

struct reader {
  const char *text, *at;
  const char *measure; /* "mu*" */
};

static inline void read_fails(const struct reader *reader, const char *wanted) {
  fail_msg("%s expected at '%s' of '%s'", wanted, reader->at, reader->text);
}

static inline bool eat(struct reader *reader, const char *literal) {
  size_t length = strlen(literal);
  if (strncmp(reader->at, literal, length) != 0) return false;
  reader->at += length;
  return true;
}

static inline void must_eat(struct reader *reader, const char *literal) {
  if (!eat(reader, literal)) read_fails(reader, literal);
}

/* A number for people: no-break spaces between thousands, a long minus. */
static inline double read_number(struct reader *reader) {
  char digits[64];
  size_t length = 0;
  if (eat(reader, "\xe2\x88\x92")) digits[length++] = '-';
  while (length < sizeof digits - 2) {
    if (strncmp(reader->at, "\xc2\xa0", 2) == 0 && reader->at[2] >= '0' && reader->at[2] <= '9') {
      reader->at += 2;
    } else if (length > 0 && digits[length - 1] == 'e' && eat(reader, "\xe2\x88\x92")) {
      digits[length++] = '-';
    } else if (*reader->at && strchr("0123456789.e", *reader->at)) {
      digits[length++] = *reader->at++;
    } else if (*reader->at == '-' && length > 0 && digits[length - 1] == 'e') {
      digits[length++] = *reader->at++;
    } else {
      break;
    }
  }
  digits[length] = '\0';
  char *end;
  double value = strtod(digits, &end);
  if (length == 0 || *end) read_fails(reader, "a number");
  return value;
}

static inline size_t read_count(struct reader *reader) {
  char *end;
  unsigned long count = strtoul(reader->at, &end, 10);
  if (end == reader->at) read_fails(reader, "a count");
  reader->at = end;
  return count;
}

/* "p1, p2 and p3", "p1 (ST 0.5) and 3 more". */
static inline void read_names(struct reader *reader, struct read_names *names) {
  *names = (struct read_names){.count = 0};
  do {
    if (names->count > 0 && *reader->at != 'p') {
      names->more = read_count(reader);
      must_eat(reader, " more");
      return;
    }
    must_eat(reader, "p");
    names->values[names->count] = NAN;
    names->items[names->count++] = read_count(reader);
    struct reader ahead = *reader;
    if (eat(&ahead, " (") && eat(&ahead, reader->measure) && eat(&ahead, " ") && *ahead.at != '=') {
      *reader = ahead;
      names->values[names->count - 1] = read_number(reader);
      must_eat(reader, ")");
    }
  } while (eat(reader, ", ") || eat(reader, " and "));
}

static inline size_t size_of_names(const struct read_names *names) { return names->count + names->more; }

/* The measure, in bars if it has a sign. */
static inline void eat_measure(struct reader *reader) {
  bool bars = eat(reader, "|");
  must_eat(reader, reader->measure);
  if (bars) must_eat(reader, "|");
}

/* "upper ends of mu* at most 12)", "mu* = 0)", "intervals reach down to 0; upper ends of mu* at most 12)". */
static inline void read_bracket(struct reader *reader, struct read_clause *clause) {
  clause->limit = NAN;
  clause->has_lower = eat(reader, "intervals ");
  if (clause->has_lower) {
    clause->contains_zero = eat(reader, "contain 0");
    if (!clause->contains_zero) {
      must_eat(reader, "reach down to ");
      clause->inert = read_number(reader);
      if (clause->inert > 0) must_eat(reader, ", the level of an inert input");
    }
    eat(reader, " or are not known");
    must_eat(reader, "; ");
  }
  clause->of_upper_ends = eat(reader, "upper ends of ");
  eat_measure(reader);
  clause->is_zero = eat(reader, " = 0");
  if (!clause->is_zero) {
    must_eat(reader, " at most ");
    clause->limit = read_number(reader);
  }
  must_eat(reader, ")");
}

/* The first clause. */
static inline void read_lead(struct reader *reader, struct read_sentence *sentence) {
  struct read_clause *deciding = &sentence->deciding;
  if (eat(reader, "None of ")) {
    sentence->none_at_all = true;
    sentence->none.count = read_count(reader);
    must_eat(reader, sentence->none.count == 1 ? " parameter" : " parameters");
    eat(reader, " that could be judged");
    must_eat(reader, " has a measurable effect");
    sentence->none.of_their_own = eat(reader, " of its own");
    must_eat(reader, " on " WHAT " (");
    read_bracket(reader, &sentence->none);
    return;
  }
  if (eat(reader, "No parameter is seen to decide " WHAT)) return;
  read_names(reader, &deciding->names);
  deciding->count = size_of_names(&deciding->names);
  if (eat(reader, " has no measurable effect")) {
    sentence->none = (struct read_clause){.count = deciding->count, .of_their_own = eat(reader, " of its own")};
    must_eat(reader, " on " WHAT " (");
    *deciding = (struct read_clause){.count = 0};
    sentence->none_at_all = true;
    read_bracket(reader, &sentence->none);
  } else if (eat(reader, " changes " WHAT " (")) {
    must_eat(reader, reader->measure);
    must_eat(reader, " = ");
    deciding->names.values[0] = read_number(reader);
    must_eat(reader, ")");
  } else if (eat(reader, " alone decides " WHAT " (") || eat(reader, " decide " WHAT " (")) {
    if (eat(reader, ">\xc2\xa0") || eat(reader, "<\xc2\xa0")) sentence->share = NAN;
    sentence->share = read_number(reader) / 100;
    must_eat(reader, "\xc2\xa0% of the summed mu*)");
  } else {
    must_eat(reader, deciding->count == 1 ? " has" : " have");
    must_eat(reader, " the largest influence on " WHAT);
  }
}

/* A clause that begins with how many parameters it is about. */
static inline void read_counted(struct reader *reader, struct read_sentence *sentence) {
  size_t count = read_count(reader);
  must_eat(reader, " ");
  eat(reader, "other ");
  must_eat(reader, count == 1 ? "parameter " : "parameters ");
  if (eat(reader, "could not be judged, because too many runs failed")) {
    sentence->unknown.count = count;
  } else if (eat(reader, count == 1 ? "has no measurable effect" : "have no measurable effect")) {
    sentence->none.count = count;
    sentence->none.of_their_own = eat(reader, count == 1 ? " of its own" : " of their own");
    must_eat(reader, " (");
    read_bracket(reader, &sentence->none);
  } else {
    must_eat(reader, count == 1 ? "is below 5\xc2\xa0% of the largest" : "are each below 5\xc2\xa0% of the largest");
    eat(reader, ", counted from the level of an inert input");
    must_eat(reader, " (");
    sentence->below.count = count;
    read_bracket(reader, &sentence->below);
  }
}

static inline void read_open_order(struct reader *reader, struct read_sentence *sentence) {
  read_names(reader, &sentence->chains[sentence->chain_count++]);
  must_eat(reader, " is not settled");
}

static inline void read_clause(struct reader *reader, struct read_sentence *sentence) {
  if (eat(reader, "without intervals it cannot be said whether their order is settled")) {
    sentence->without_intervals = true;
  } else if (eat(reader, "the order of ") || eat(reader, "that of ")) {
    read_open_order(reader, sentence);
  } else if (eat(reader, "the effect of ")) {
    read_names(reader, &sentence->unclear.names);
    sentence->unclear.count = size_of_names(&sentence->unclear.names);
    must_eat(reader, " is not clear (");
    read_bracket(reader, &sentence->unclear);
  } else if (*reader->at == 'p') {
    read_names(reader, &sentence->smaller.names);
    sentence->smaller.count = size_of_names(&sentence->smaller.names);
    must_eat(reader, sentence->smaller.count == 1 ? " has a smaller effect (" : " have a smaller effect (");
    read_bracket(reader, &sentence->smaller);
  } else {
    read_counted(reader, sentence);
  }
}

static inline void read_sentence(const char *text, const char *measure, struct read_sentence *sentence) {
  struct reader reader = {.text = text, .at = text, .measure = measure};
  *sentence = (struct read_sentence){.share = NAN};
  sentence->nothing_known =
      eat(&reader, "Nothing can be said about " WHAT ": too few runs succeeded, or it never changes");
  if (!sentence->nothing_known) read_lead(&reader, sentence);
  while (eat(&reader, "; ")) read_clause(&reader, sentence);
  must_eat(&reader, ".");
  if (*reader.at) read_fails(&reader, "the end");
}

#endif
