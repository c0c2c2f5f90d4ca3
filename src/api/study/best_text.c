/* Sentences about the best set of a study, and the commands that use it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/study/best_text.h"
#include "report/result.h"
#include "report/text.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define NAMED_MOST 3 /* files in a sentence; the lists have all */

static const struct study_file *study_of(const struct study_result *r) { return &r->course.project->study; }

static const struct ts_value *values_of(const struct study_result *r, size_t set) {
  return r->sets.values + set * r->course.project->workflow->parameter_count;
}

static double value_of(const struct study_result *r, size_t set) {
  return set == TS_NONE ? NAN : ts_study_value(r, set, r->best.goal);
}

static const char *file_name(const struct study_result *r, size_t file) {
  return r->course.project->dataset.items[file].name;
}

/* Digits with which two numbers that differ look different. */
static int digits_for(double a, double b) {
  char one[TS_NUMBER_SIZE], other[TS_NUMBER_SIZE];
  int digits = 2;
  while (digits < 5 && a != b && strcmp(ts_format_number(a, digits, one), ts_format_number(b, digits, other)) == 0)
    digits++;
  return digits;
}

static void add_number(double value, int digits, struct ts_str *out) {
  char number[TS_NUMBER_SIZE];
  ts_str_add(out, ts_format_number(value, digits, number));
}

/* ---- the answer ---- */

/* The first output is what the sentence before speaks of. */
static void add_subject(const struct study_result *r, struct ts_str *out) {
  const struct study_output *goal = &study_of(r)->outputs[r->best.goal];
  if (r->best.goal == 0) return;
  const size_t first = out->length;
  ts_answer_add_what(goal->label[0] ? goal->label : goal->name, goal->against, out);
  out->data[first] = ts_char_upper(out->data[first]);
  ts_str_add(out, ": ");
}

void ts_best_add_answer(const struct study_result *r, struct ts_str *answer) {
  const struct study_best *best = &r->best;
  if (best->goal == TS_NONE || best->best == TS_NONE) return;
  const double by_default = value_of(r, best->defaults), most = value_of(r, best->best);
  const int digits = isnan(by_default) ? 2 : digits_for(by_default, most);
  ts_str_add_char(answer, ' ');
  add_subject(r, answer);
  const bool begins = best->goal == 0;
  if (best->best == best->defaults) {
    ts_str_add(answer, begins ? "No run is better than the default, " : "no run is better than the default, ");
  } else {
    if (!isnan(by_default)) {
      ts_str_add(answer, begins ? "Default " : "default ");
      add_number(by_default, digits, answer);
      ts_str_add(answer, ", ");
    }
    ts_str_add(answer, begins && isnan(by_default) ? "Best run " : "best run ");
  }
  add_number(most, digits, answer);
  ts_str_add_char(answer, '.');
}

/* ---- the shortest change ---- */

bool ts_best_loses(const struct study_result *r, size_t set, size_t file) {
  const size_t goal = r->best.goal;
  const double change = ts_study_file_value(r, set, goal, file) - ts_study_file_value(r, r->best.defaults, goal, file);
  return ts_goal_sign(study_of(r), goal) * change < 0;
}

/* "G1 = 40 and G2 = 5 alone" */
static void add_steps(const struct study_result *r, struct ts_str *out) {
  const struct study_best *best = &r->best;
  for (size_t i = 0; i < best->step_count; i++) {
    const struct study_step *step = &best->steps[i];
    ts_str_addf(out, "%s%s = ",
                i == 0                      ? ""
                : i + 1 == best->step_count ? " and "
                                            : ", ",
                r->course.project->workflow->parameters[step->parameter].name);
    ts_value_print(&values_of(r, step->set)[step->parameter], out);
  }
  ts_str_add(out, " alone");
}

static void add_losers(const struct study_result *r, size_t set, struct ts_str *out) {
  const size_t files = ts_study_file_count(r->course.project, r->best.goal);
  size_t count = 0;
  for (size_t f = 0; f < files; f++) {
    if (!ts_best_loses(r, set, f) || count++ >= NAMED_MOST) continue;
    const double before = ts_study_file_value(r, r->best.defaults, r->best.goal, f),
                 after = ts_study_file_value(r, set, r->best.goal, f);
    const int digits = digits_for(before, after);
    ts_str_addf(out, "%s%s (", count == 1 ? " Worse than at the defaults: " : ", ", file_name(r, f));
    add_number(before, digits, out);
    ts_str_add(out, " to ");
    add_number(after, digits, out);
    ts_str_add_char(out, ')');
  }
  if (count > NAMED_MOST) ts_str_addf(out, " and %zu more files", count - NAMED_MOST);
  if (count > 0) ts_str_add_char(out, '.');
  if (count == 0 && files > 1) ts_str_add(out, " No file is worse than at the defaults.");
}

const char *ts_best_change_text(struct study_result *r) {
  const struct study_best *best = &r->best;
  ts_auto(ts_str_release) struct ts_str out = {0};
  if (best->step_count == 0)
    return "No parameter of the best set brings anything alone: what it gains comes from several together.";
  const struct study_step *last = &best->steps[best->step_count - 1];
  const double from = value_of(r, best->defaults), to = value_of(r, best->best);
  int digits = digits_for(from, last->value);
  if (digits_for(from, to) > digits) digits = digits_for(from, to);
  if (digits_for(last->value, to) > digits) digits = digits_for(last->value, to);
  char share[TS_NUMBER_SIZE];
  add_steps(r, &out);
  ts_str_add(&out, best->step_count == 1 ? " gives " : " give ");
  add_number(last->value, digits, &out);
  ts_str_addf(&out, ", %s of the gain from ", ts_format_percent(last->share, share));
  add_number(from, digits, &out);
  ts_str_add(&out, " to ");
  add_number(to, digits, &out);
  ts_str_add(&out, last->share > 1 ? ": more than the best run brings." : ".");
  add_losers(r, last->set, &out);
  return ts_arena_strdup(&r->course.arena, ts_str_get(&out));
}

/* ---- the choice without each file ---- */

bool ts_best_is_same_choice(const struct study_result *r, const struct study_choice *choice) {
  const size_t width = r->course.project->workflow->parameter_count;
  if (choice->set == TS_NONE || choice->set == r->best.best) return choice->set != TS_NONE;
  const struct ts_value *a = values_of(r, choice->set), *b = values_of(r, r->best.best);
  size_t p = 0;
  while (p < width && ts_value_equal(&a[p], &b[p])) p++;
  return p == width;
}

static void add_set(const struct study_result *r, size_t set, struct ts_str *out) {
  if (set == r->best.defaults)
    ts_str_add(out, "the defaults");
  else
    ts_str_addf(out, "set %zu", set);
}

/* "; without he03 it is set 12, which gives he03 0.5 (set 37: 0.52)" */
static void add_change(const struct study_result *r, const struct study_choice *choice, bool first,
                       struct ts_str *out) {
  const size_t goal = r->best.goal;
  const char *file = file_name(r, choice->file);
  ts_str_addf(out, "%s without %s it is ", first ? ":" : ";", file);
  if (choice->set == TS_NONE) {
    ts_str_add(out, "not known");
    return;
  }
  const double own = ts_study_file_value(r, choice->set, goal, choice->file),
               best = ts_study_file_value(r, r->best.best, goal, choice->file);
  const int digits = digits_for(own, best);
  add_set(r, choice->set, out);
  ts_str_addf(out, ", with which %s has ", file);
  add_number(own, digits, out);
  ts_str_add(out, " (");
  add_set(r, r->best.best, out);
  ts_str_add(out, ": ");
  add_number(best, digits, out);
  ts_str_add_char(out, ')');
}

const char *ts_best_choice_text(struct study_result *r) {
  const struct study_best *best = &r->best;
  ts_auto(ts_str_release) struct ts_str out = {0}, list = {0};
  size_t count = 0;
  for (size_t i = 0; i < best->choice_count; i++) {
    if (ts_best_is_same_choice(r, &best->choices[i])) continue;
    if (count++ < NAMED_MOST) add_change(r, &best->choices[i], count == 1, &list);
  }
  if (count == 0) {
    ts_str_add(&out, "Whichever file is left out, the best set stays the same (");
    add_set(r, best->best, &out);
    ts_str_add(&out, ").");
    return ts_arena_strdup(&r->course.arena, ts_str_get(&out));
  }
  ts_str_addf(&out, "Leaving out one file changes the best set for %zu of %zu files", count, best->choice_count);
  ts_str_add(&out, ts_str_get(&list));
  if (count > NAMED_MOST) ts_str_addf(&out, "; and %zu more", count - NAMED_MOST);
  ts_str_add_char(&out, '.');
  return ts_arena_strdup(&r->course.arena, ts_str_get(&out));
}

/* ---- commands ---- */

static void add_word(const char *word, struct ts_str *out) {
  ts_str_add_char(out, ' ');
  ts_str_add_shell_word(out, word);
}

static void begin_command(const struct study_result *r, struct ts_str *out) {
  const struct ts_request *request = r->course.project->request;
  ts_str_add(out, "tessera run");
  if (request->file) add_word(request->file, out);
  if (!request->store) return;
  ts_str_add(out, " --store");
  add_word(request->store, out);
}

const char *ts_best_command_of_set(struct study_result *r, size_t set) {
  ts_auto(ts_str_release) struct ts_str out = {0};
  begin_command(r, &out);
  ts_str_addf(&out, " --of %s --set ", r->run.id);
  if (set == r->best.defaults)
    ts_str_add(&out, TS_DEFAULT_SET);
  else
    ts_str_addf(&out, "%zu", set);
  return ts_arena_strdup(&r->course.arena, ts_str_get(&out));
}

const char *ts_best_command_of_change(struct study_result *r, size_t set) {
  const struct ts_workflow *w = r->course.project->workflow;
  ts_auto(ts_str_release) struct ts_str out = {0}, setting = {0};
  begin_command(r, &out);
  for (size_t p = 0; p < w->parameter_count; p++) {
    const struct ts_value *value = &values_of(r, set)[p];
    if (ts_value_equal(value, &w->parameters[p].default_value)) continue;
    ts_str_clear(&setting);
    ts_str_addf(&setting, "%s=", w->parameters[p].name);
    ts_value_print(value, &setting);
    ts_str_add(&out, " -p");
    add_word(ts_str_get(&setting), &out);
  }
  return ts_arena_strdup(&r->course.arena, ts_str_get(&out));
}
