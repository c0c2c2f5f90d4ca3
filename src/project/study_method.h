/* Kinds of methods that a study file may name: which design, which analyses, which settings.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A new sampler becomes a method of studies with one entry in study_kinds.c. */
#ifndef TS_PROJECT_STUDY_METHOD_H
#define TS_PROJECT_STUDY_METHOD_H

#include "project/project.h"

#define STUDY_KEYS_MAX 8

/* Defaults of a study file; docs/workflow-file.md has the same figures. */
#define STUDY_KEEP_SHARE    0.1 /* of the largest mu* */
#define STUDY_SEED          1
#define STUDY_RESAMPLES     1000
#define STUDY_CONFIDENCE    0.95
#define STUDY_MORRIS_LEVELS 4

/* How a design grows: twice as large, by half, not at all. */
enum study_growth { GROWS_TWOFOLD, GROWS_BY_HALF, GROWS_NOT };

struct study_kind {
  const char *name;
  const char *aliases[3]; /* other words for it; NULL-ended */
  const char *title;      /* for 'tessera list' */
  const char *sampler;    /* NULL: two phases, each with a kind of its own */
  const char *analyses[4];
  const char *count_key; /* what the file calls its size; NULL: it has none */
  size_t count;          /* without a number in the file */
  size_t least, most;
  bool has_blocks;                  /* its rows belong together: several runs per count */
  bool moves_groups;                /* parameters of one group move together */
  bool screens;                     /* it may be the first of two phases */
  bool restarts;                    /* a larger design has other rows: all runs of the next round are new */
  bool correlates;                  /* it draws parameters that move together */
  enum study_growth growth;         /* from round to round */
  size_t levels;                    /* that it steps on, an even number, without one in the file; 0: it does not */
  const char *second;               /* what it is as the second of two phases; NULL: "then" */
  const char *usual;                /* how large it usually is, for help; NULL: some hundreds */
  const char *keys[STUDY_KEYS_MAX]; /* settings beside the common ones; NULL-ended */
};

/* NULL-ended. */
extern const struct study_kind *const ts_study_kinds[];
/* By name or alias; NULL if there is none. */
const struct study_kind *ts_study_kind_find(const char *name);
/* "did you mean 'morris'?", or all names. The text is the arena's. */
const char *ts_study_kind_help(struct ts_arena *arena, const char *name);
/* The settings that a kind starts with. */
void ts_study_kind_init(const struct study_kind *kind, const char *pointer, struct study_method *method);
/* The default kinds of one phase, of the second of two, and that of two phases. No code asks whether a kind is one of
 * them: it asks what the kind does. */
extern const struct study_kind ts_kind_morris, ts_kind_vbd, ts_kind_two_phase;
/* Whether the file may give it this setting. */
bool ts_study_kind_takes(const struct study_kind *kind, const char *key);

#endif
