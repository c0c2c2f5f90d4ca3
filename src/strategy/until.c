/* A design grows until its indices are sharp enough: ci(COLUMN) < NUMBER, or rank(K).
 * SPDX-License-Identifier: Apache-2.0
 *
 * ci(COLUMN) < x: half the width of every interval of that column is below x times the largest index, for every output.
 * rank(K): the intervals of the first K ranks overlap with none of their neighbours, for every output. */
#include "strategy/strategy_int.h"

#include "analysis/rank.h"
#include "base/alloc.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading. ---- */

static const char *skip_space(const char *text) { return text + strspn(text, " \t\n\v\f\r"); }

/* "(WORD)": the word, and where the text goes on; NULL if it is not there. */
static const char *read_argument(struct ts_arena *arena, const char **text) {
  const char *at = skip_space(*text);
  if (*at++ != '(') return NULL;
  at = skip_space(at);
  size_t length = strcspn(at, ") \t");
  const char *word = ts_arena_strndup(arena, at, length);
  at = skip_space(at + length);
  if (length == 0 || *at != ')') return NULL;
  *text = skip_space(at + 1);
  return word;
}

static bool parse_interval(struct ts_arena *arena, const char *rest, struct ts_until *until) {
  until->column = read_argument(arena, &rest);
  if (!until->column || *rest != '<') return false;
  const char *number = skip_space(rest + 1);
  size_t length = strcspn(number, " \t\n\v\f\r");
  if (*skip_space(number + length) != '\0') return false;
  return ts_parse_double(ts_arena_strndup(arena, number, length), &until->limit) && until->limit > 0;
}

static bool parse_rank(struct ts_arena *arena, const char *rest, struct ts_until *until) {
  char *end = NULL;
  const char *word = read_argument(arena, &rest);
  if (!word || *word < '0' || *word > '9') return false;
  until->top = (size_t)strtoul(word, &end, 10);
  return *end == '\0' && until->top > 0 && (*rest == '\0' || strcmp(rest, "settled") == 0);
}

bool ts_until_read(struct ts_until *until, const char *text, struct ts_arena *arena, struct ts_error *err) {
  const char *at = skip_space(text);
  *until = (struct ts_until){.text = ts_arena_strdup(arena, text)};
  if (strncmp(at, "ci", 2) == 0 && parse_interval(arena, at + 2, until)) return true;
  if (strncmp(at, "rank", 4) == 0 && parse_rank(arena, at + 4, until)) return true;
  *until = (struct ts_until){0};
  ts_fail(err, TS_ERR_USAGE, "'%s' is not a condition to stop at", text);
  return ts_error_help(
      err, "write 'ci(mu_star) < 0.05' (half widths of intervals, as a share of the largest index) or 'rank(3)' "
           "(the first three ranks do not overlap)");
}

/* ---- Which strategy it is about. ---- */

static size_t column_count(const struct ts_method *method) {
  size_t count = 0;
  while (count < sizeof method->columns / sizeof *method->columns && method->columns[count]) count++;
  return count;
}

static bool has_column(const struct ts_strategy_options *options, const char *column) {
  const struct ts_method *method = options->analyses[0];
  for (size_t i = 0; method && i < column_count(method); i++) {
    if (strcmp(method->columns[i], column) == 0) return true;
  }
  return false;
}

bool ts_until_concerns(const struct ts_until *until, const struct ts_strategy_options *options, bool is_last) {
  if (!until->text || !options->strategy->grow) return false;
  return until->column ? has_column(options, until->column) : is_last;
}

void ts_until_fail_column(const struct ts_until *until, const struct ts_strategy_options *options,
                          struct ts_faults *faults) {
  const struct ts_method *method = options->analyses[0];
  const size_t count = column_count(method);
  ts_auto(ts_str_release) struct ts_str list = {0};
  for (size_t i = 0; i < count; i++) ts_str_addf(&list, "%s%s", i ? ", " : "", method->columns[i]);
  const char *near = ts_nearest_word(until->column, method->columns, count);
  struct ts_error *err = ts_faults_add(faults);
  ts_fail(err, until->place ? TS_ERR_BAD_VALUE : TS_ERR_USAGE, "%s has no index '%s'", method->name, until->column);
  ts_error_help(err, near ? "did you mean '%s'?" : "it has: %s", near ? near : ts_str_get(&list));
  if (until->place) ts_error_place(err, "", 0, 0, until->place);
}

/* ---- Whether it is met. ---- */

/* The widest half interval as a share of the largest index; infinite if one is not known. */
static double widest(const struct ts_indices *indices, const char *column, const char **name) {
  size_t at = ts_indices_column(indices, column);
  double largest = 0, width = 0;
  for (size_t i = 0; i < indices->name_count; i++) {
    const struct ts_index *index = &indices->cells[i * indices->column_count + at];
    double half = isnan(index->high - index->low) ? INFINITY : (index->high - index->low) / 2;
    if (half > width) *name = indices->names[i];
    width = fmax(width, half);
    if (!isnan(index->value)) largest = fmax(largest, fabs(index->value));
  }
  if (width == 0) return 0;
  return largest > 0 ? width / largest : INFINITY;
}

static size_t open_ranks(const struct ts_indices *indices, size_t top) {
  ts_auto_free struct ts_open_rank *open = ts_calloc(indices->name_count + 1, sizeof *open);
  size_t all = ts_rank_open(indices, open), count = 0;
  while (count < all && open[count].rank < top) count++;
  return count;
}

static bool meets(const struct ts_until *until, const struct ts_phase_analysis *analysis, const char *output,
                  struct ts_arena *arena, const char **reason) {
  const char *name = "";
  if (!analysis->is_known) {
    *reason = ts_arena_printf(arena, "nothing is known about %s", output);
    return false;
  }
  if (!until->column) {
    size_t open = open_ranks(&analysis->indices, until->top);
    *reason =
        ts_arena_printf(arena, "%zu of the first %zu ranks of %s overlap with the next", open, until->top, output);
    return open == 0;
  }
  double width = widest(&analysis->indices, until->column, &name);
  if (isinf(width)) {
    *reason = ts_arena_printf(arena, "the interval of %s is not known: %s of %s", until->column, name, output);
    return false;
  }
  *reason = width > 0 ? ts_arena_printf(arena, "the widest interval is +-%s of the largest %s: %s of %s",
                                        TS_SIGNIFICANT(width, 3), until->column, name, output)
                      : ts_arena_printf(arena, "every interval of %s of %s has width 0", until->column, output);
  return width < until->limit;
}

bool ts_until_is_met(const struct ts_until *until, const struct ts_phase *phase,
                     const struct ts_strategy_problem *problem, struct ts_arena *arena, const char **reason) {
  bool met = true;
  for (size_t o = 0; o < problem->output_count && met; o++)
    met = meets(until, ts_phase_answer(phase, o), problem->outputs[o], arena, reason);
  return met;
}

/* ---- The strategy around another. ---- */

struct growing {
  const struct ts_strategy_problem *problem; /* borrowed */
  const struct ts_strategy_options *options; /* borrowed */
  void *inner;                               /* owned */
  struct ts_arena arena;                     /* sentences */
  struct ts_verdict verdict;
};

static const struct ts_strategy *inner_of(const struct growing *g) { return g->options->parts[0].strategy; }

static void destroy(void *state) {
  struct growing *g = state;
  if (!g) return;
  inner_of(g)->destroy(g->inner);
  ts_arena_release(&g->arena);
  free(g);
}

static void *begin(const struct ts_strategy_problem *problem, const struct ts_strategy_options *options,
                   struct ts_faults *faults) {
  struct growing *g = ts_calloc(1, sizeof *g);
  g->problem = problem;
  g->options = options;
  g->inner = inner_of(g)->begin(problem, &options->parts[0], faults);
  if (g->inner) return g;
  destroy(g);
  return NULL;
}

static bool next(void *state, const struct ts_history *history, struct ts_strategy_batch *batch, const char **reason,
                 struct ts_error *err) {
  struct growing *g = state;
  if (!inner_of(g)->next(g->inner, history, batch, reason, err)) return false;
  if (batch->count > 0) return true;
  const struct ts_phase *phase = inner_of(g)->look(g->inner);
  struct ts_verdict *verdict = &g->verdict;
  *verdict = (struct ts_verdict){.is_used = true, .rounds = phase->rounds, .blocks = ts_phase_size(phase)};
  verdict->is_met = ts_until_is_met(&g->options->until, phase, g->problem, &g->arena, &verdict->reason);
  *reason = verdict->reason;
  if (verdict->is_met) return true;
  const char *end = NULL;
  if (!inner_of(g)->grow(g->inner, history, batch, &end, err)) return false;
  if (batch->count == 0) *reason = verdict->reason = ts_arena_printf(&g->arena, "%s; %s", verdict->reason, end);
  return true;
}

static struct ts_phase *look(void *state) {
  struct growing *g = state;
  return inner_of(g)->look(g->inner);
}

static void finish(void *state, const struct ts_history *history, struct ts_strategy_result *result) {
  struct growing *g = state;
  inner_of(g)->finish(g->inner, history, result);
  if (g->verdict.is_used) result->until = g->verdict;
}

const struct ts_strategy ts_strategy_until = {
    .name = "until",
    .title = "a design grows until its indices are sharp enough",
    .begin = begin,
    .next = next,
    .look = look,
    .finish = finish,
    .destroy = destroy,
};
