/* Compares the first parameters over all files with those over all files but the ones of a value of a group.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/stability.h"

#include "analysis/rank.h"
#include "base/alloc.h"
#include "base/str.h"
#include "report/findings.h"

#include <string.h>

#define CHANGES_NAMED 3 /* in the sentence; the list has them all */

/* The first names of a ranking, in the arena, and whether their ranks are clear. */
static const char *const *first_names(const struct ts_indices *indices, size_t count, bool *is_settled,
                                      struct ts_arena *arena) {
  ts_auto_free size_t *order = ts_calloc(indices->name_count + 1, sizeof *order);
  ts_auto_free bool *unsettled = ts_calloc(indices->name_count + 1, sizeof *unsettled);
  const char **names = ts_arena_array(arena, count + 1, sizeof *names);
  ts_rank(indices, NULL, order, unsettled);
  *is_settled = true;
  for (size_t i = 0; i < count; i++) {
    names[i] = indices->names[order[i]];
    *is_settled = *is_settled && !unsettled[i];
  }
  return names;
}

/* How many parameters decide, as far as they are compared. */
static size_t count_first(const struct ts_indices *indices) {
  ts_auto(ts_findings_release) struct ts_findings findings = {0};
  ts_findings_of_indices(&findings, indices);
  const size_t deciding = findings.counts[TS_FINDING_DECIDING];
  return deciding < TS_STABILITY_FIRST ? deciding : TS_STABILITY_FIRST;
}

static bool is_equal(const char *const *a, const char *const *b, size_t count) {
  size_t i = 0;
  while (i < count && strcmp(a[i], b[i]) == 0) i++;
  return i == count;
}

static void add_names(const char *const *names, size_t count, struct ts_str *text) {
  for (size_t i = 0; i < count; i++) ts_str_addf(text, "%s%s", i ? ", " : "", names[i]);
}

static const char *sentence(const struct study_stability *s, struct ts_arena *arena) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (s->change_count == 0) {
    ts_str_addf(&text, "Whichever %s is left out, the first %s the same (", s->group,
                s->first_count == 1 ? "parameter stays" : "parameters stay");
    add_names(s->first, s->first_count, &text);
    ts_str_add(&text, s->first_count == 1 ? ")." : ", in this order).");
    return ts_arena_strdup(arena, ts_str_get(&text));
  }
  ts_str_addf(&text, "Leaving out one %s changes what comes first", s->group);
  for (size_t i = 0; i < s->change_count && i < CHANGES_NAMED; i++) {
    ts_str_addf(&text, "%s without %s it is ", i ? ";" : ":", s->changes[i].value);
    add_names(s->changes[i].first, s->first_count, &text);
  }
  if (s->change_count > CHANGES_NAMED) ts_str_addf(&text, "; and %zu more", s->change_count - CHANGES_NAMED);
  ts_str_add(&text, " (over all files ");
  add_names(s->first, s->first_count, &text);
  ts_str_add(&text, s->is_settled ? ")." : ", where the order is not settled either).");
  return ts_arena_strdup(arena, ts_str_get(&text));
}

/* The analyses of one method and output: all files, then the subsets up to `end`. */
struct family {
  const struct study_course *course;
  const struct ts_phase_analysis *pooled, *end;
  struct ts_arena *arena;
};

static const struct study_subset *subset_of(const struct family *family, const struct ts_phase_analysis *analysis) {
  return &family->course->subsets.items[analysis->subset];
}

static bool is_without(const struct family *family, const struct ts_phase_analysis *analysis, const char *group) {
  const struct study_subset *subset = subset_of(family, analysis);
  return subset->kind == SUBSET_WITHOUT && strcmp(subset->group, group) == 0;
}

/* Looks at every value of a group; false if none can be left out. */
static bool judge(const struct family *family, const char *group, size_t first_count, struct study_stability *s) {
  const size_t most = (size_t)(family->end - family->pooled);
  struct study_change *changes = ts_arena_array(family->arena, most, sizeof *changes);
  *s = (struct study_stability){
      .group = group, .analysis = family->pooled, .first_count = first_count, .changes = changes};
  s->first = first_names(&family->pooled->indices, first_count, &s->is_settled, family->arena);
  for (const struct ts_phase_analysis *a = family->pooled + 1; a < family->end; a++) {
    if (!is_without(family, a, group)) continue;
    s->value_count++;
    bool ignored;
    const char *const *first = first_names(&a->indices, first_count, &ignored, family->arena);
    if (!is_equal(first, s->first, first_count))
      changes[s->change_count++] = (struct study_change){subset_of(family, a)->value, first};
  }
  s->text = sentence(s, family->arena);
  return s->value_count > 0;
}

const struct study_stability *ts_stability_of(const struct study_course *course, const struct ts_phase *phase,
                                              struct ts_arena *arena, size_t *count) {
  const struct study_file *study = &course->project->study;
  const struct ts_phase_analysis *end = phase->analyses + phase->analysis_count;
  struct study_stability *list = ts_arena_array(arena, phase->analysis_count * study->group_count + 1, sizeof *list);
  *count = 0;
  for (const struct ts_phase_analysis *a = phase->analyses; a < end; a++) {
    if (a->subset != TS_NONE || !a->is_known) continue;
    struct family family = {.course = course, .pooled = a, .end = a + 1, .arena = arena};
    while (family.end < end && family.end->subset != TS_NONE) family.end++;
    const size_t first_count = count_first(&a->indices);
    for (size_t g = 0; first_count > 0 && g < study->group_count; g++)
      if (judge(&family, study->groups[g], first_count, &list[*count])) (*count)++;
  }
  return list;
}
