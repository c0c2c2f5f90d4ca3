/* The kinds of methods of studies: one entry each.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/study_method.h"

#include "base/alloc.h"

#include <string.h>

#define TRAJECTORIES_MAX 10000 /* limits that no sensible study reaches: a number beyond them is a typing error */
#define SAMPLES_MAX      10000000
#define MAX_WORDS        64

const struct study_kind ts_kind_morris = {
    .name = "morris",
    .aliases = {"moat"},
    .title = "elementary effects: which of many parameters matter at all; (k + 1) runs per trajectory",
    .sampler = "morris",
    .analyses = {"morris"},
    .count_key = "trajectories",
    .count = 10,
    .least = 2,
    .most = TRAJECTORIES_MAX,
    .has_blocks = true,
    .moves_groups = true,
    .screens = true,
    .growth = GROWS_BY_HALF,
    .levels = STUDY_MORRIS_LEVELS,
    .usual = "5 to 15 are usual, 1000 are a lot",
    .keys = {"levels", "radial", "candidates"},
};

const struct study_kind ts_kind_vbd = {
    .name = "vbd",
    .aliases = {"sobol", "saltelli"},
    .title = "variance-based indices: how much of the variance each parameter explains; n (k + 2) runs",
    .sampler = "saltelli",
    .analyses = {"vbd"},
    .count_key = "samples",
    .count = 128,
    .least = 2,
    .most = SAMPLES_MAX,
    .has_blocks = true,
    .moves_groups = true,
    .second = "variance",
    .keys = {"base", "scramble", "second_order", "estimator"},
};

/* Independent rows, which any analysis takes. */
#define FREE_ROWS(word, text)                                                                                          \
  .name = (word), .title = (text), .sampler = (word), .analyses = {"correlation", "given-data", "pce"},                \
  .count_key = "samples", .count = 256, .least = 2, .most = SAMPLES_MAX

static const struct study_kind kind_lhs = {
    FREE_ROWS("lhs", "Latin hypercube, analysed by correlations, given data and polynomial chaos"),
    .restarts = true,
    .correlates = true,
    .keys = {"improve", "degree", "slices"},
};

static const struct study_kind kind_mc = {
    FREE_ROWS("mc", "independent random points, analysed like lhs"),
    .correlates = true,
    .keys = {"degree", "slices"},
};

static const struct study_kind kind_halton = {
    FREE_ROWS("halton", "Halton sequence, analysed like lhs; more points keep the earlier ones"),
    .keys = {"scramble", "skip", "degree", "slices"},
};

static const struct study_kind kind_sequence = {
    FREE_ROWS("sobol-sequence", "Sobol' sequence, analysed like lhs; more points keep the earlier ones"),
    .keys = {"scramble", "skip", "degree", "slices"},
};

static const struct study_kind kind_grid = {
    .name = "grid",
    .title = "every combination of the levels (or a number of them), analysed by correlations and given data",
    .sampler = "grid",
    .analyses = {"correlation", "given-data"},
    .count_key = "samples",
    .least = 2,
    .most = SAMPLES_MAX,
    .growth = GROWS_NOT,
    .keys = {"levels", "degree", "slices"},
};

static const struct study_kind kind_fast = {
    .name = "fast",
    .title = "Fourier amplitudes: S1 and ST from one search curve per parameter",
    .sampler = "fast",
    .analyses = {"fast"},
    .count_key = "samples",
    .least = 65,
    .most = SAMPLES_MAX,
    .has_blocks = true,
    .restarts = true,
    .keys = {"harmonics"},
};

static const struct study_kind kind_dgsm = {
    .name = "dgsm",
    .title = "derivatives: upper bounds of total effects from small steps; for ranges of reals",
    .sampler = "dgsm",
    .analyses = {"dgsm"},
    .count_key = "samples",
    .count = 64,
    .least = 2,
    .most = SAMPLES_MAX,
    .has_blocks = true,
    .keys = {"step"},
};

const struct study_kind ts_kind_two_phase = {
    .name = "two-phase",
    .aliases = {"two_phase"},
    .title = "morris screens all parameters, then vbd analyses those that matter, on the same products",
    .keys = {"screen", "then", "keep", "parameters"},
};

const struct study_kind *const ts_study_kinds[] = {
    &ts_kind_morris, &ts_kind_vbd, &kind_lhs,  &kind_mc,           &kind_halton, &kind_sequence,
    &kind_grid,      &kind_fast,   &kind_dgsm, &ts_kind_two_phase, NULL,
};

const struct study_kind *ts_study_kind_find(const char *name) {
  for (size_t i = 0; ts_study_kinds[i]; i++) {
    const struct study_kind *kind = ts_study_kinds[i];
    if (strcmp(kind->name, name) == 0) return kind;
    for (size_t a = 0; kind->aliases[a]; a++) {
      if (strcmp(kind->aliases[a], name) == 0) return kind;
    }
  }
  return NULL;
}

const char *ts_study_kind_help(struct ts_arena *arena, const char *name) {
  const char *words[MAX_WORDS];
  size_t count = 0;
  const char *list = "";
  for (size_t i = 0; ts_study_kinds[i]; i++) {
    const struct study_kind *kind = ts_study_kinds[i];
    words[count++] = kind->name;
    for (size_t a = 0; kind->aliases[a]; a++) words[count++] = kind->aliases[a];
    list = ts_arena_printf(arena, "%s%s%s", list, i ? ", " : "", kind->name);
  }
  const char *near = ts_nearest_word(name, words, count);
  return near ? ts_arena_printf(arena, "did you mean '%s'?", near) : ts_arena_printf(arena, "methods: %s", list);
}

void ts_study_kind_init(const struct study_kind *kind, const char *pointer, struct study_method *method) {
  *method = (struct study_method){.kind = kind, .pointer = pointer, .count = kind->count, .levels = kind->levels};
  for (size_t i = 0; i < sizeof kind->analyses / sizeof *kind->analyses && kind->analyses[i]; i++) {
    struct ts_error err = {0};
    const struct ts_method *analysis = ts_method_find(kind->analyses[i], &err);
    if (!analysis) TS_BUG("%s", err.text);
    method->analyses[method->analysis_count++] = analysis;
  }
}

bool ts_study_kind_takes(const struct study_kind *kind, const char *key) {
  if (kind->count_key && strcmp(kind->count_key, key) == 0) return true;
  for (size_t i = 0; i < STUDY_KEYS_MAX && kind->keys[i]; i++) {
    if (strcmp(kind->keys[i], key) == 0) return true;
  }
  return false;
}

const char *ts_study_method_name(const struct study_method *method) { return method->kind->name; }

const char *ts_study_method_count_name(const struct study_method *method) { return method->kind->count_key; }
