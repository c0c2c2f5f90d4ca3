/* Strategies: which sets a study runs next, and what follows from all of them. Pure: no I/O, no clock, no JSON, and no
 * threads but those of the pool that is handed in.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A strategy sees a problem (a space, the names of outputs, limits), is asked for batches of sets, sees what came out
 * of them in a history, and analyses all of it at the end: begin, next until a batch stays empty, finish. It is
 * deterministic for a seed. The same shape as a tuner's, so that one loop drives both. Strategies are listed in
 * strategy/strategies.c; adding one is a file and a line. Two of them wrap others: two-phase (a screening decides what
 * a second strategy varies) and until (a design grows until its indices are sharp enough).
 *
 * Callers use the loop (ts_loop_*): it puts the wrappers around, and checks before the first set is run. */
#ifndef TS_STRATEGY_STRATEGY_H
#define TS_STRATEGY_STRATEGY_H

#include "analysis/method.h"
#include "base/pool.h"
#include "design/design.h"
#include "design/groups.h"
#include "design/points.h"
#include "strategy/history.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_STRATEGY_ANALYSES 8
#define TS_STRATEGY_KEYS     8
#define TS_STRATEGY_PHASES   2
/* The most sets in all, as a multiple of those of the first round, if the user sets no limit. */
#define TS_ROUNDS_BUDGET 20

struct ts_strategy;

/* Which parameters the second phase varies. */
struct ts_keep {
  double share;             /* of the largest mu*, which the upper end of the interval must reach */
  size_t most;              /* 0: no limit */
  const char *const *names; /* chosen by the user instead; name_count 0: by the rule */
  size_t name_count;
  const char *place; /* JSON pointer of the names, for faults; NULL: the command line has them */
};

/* When a design has grown enough: see until.c. */
struct ts_until {
  const char *text;   /* as the user wrote it; NULL: after the first round */
  const char *column; /* ci(COLUMN) < limit; NULL: rank(top) */
  double limit;
  size_t top;
  const char *place; /* as above */
};

/* The options of all strategies; each ignores those of others, zero is the default. Strings are borrowed. */
struct ts_strategy_options {
  const struct ts_strategy *strategy;
  const char *place; /* JSON pointer of its settings, for faults; NULL: the command line chose it */
  const struct ts_method *analyses[TS_STRATEGY_ANALYSES]; /* the first one answers the question */
  size_t analysis_count;
  size_t count;  /* trajectories, base samples, points or rows per curve; 0: the sampler's default */
  size_t levels; /* morris: p; grid: points per range; 0: default */
  bool radial, second_order;
  size_t candidates, improve, harmonics, skip, degree, slices;
  double step;
  const char *base; /* NULL: default */
  enum ts_scramble scramble;
  enum ts_vbd_estimator estimator;
  struct ts_keep keep;                     /* two-phase */
  struct ts_until until;                   /* until; the loop puts it around the strategies that it concerns */
  const struct ts_strategy_options *parts; /* two-phase: screening and second phase; until: what grows */
  size_t part_count;
  const struct ts_design *given; /* given */
};

/* What all strategies of a study share. Everything is borrowed and outlives the loop. */
struct ts_strategy_problem {
  const struct ts_space *space;
  const double *correlation; /* k x k wanted rank correlations; NULL: independent */
  const char *const *outputs;
  size_t output_count;
  const struct ts_series *series; /* output by output: over all files, then over subsets */
  size_t series_count;
  uint64_t seed;
  size_t resamples;
  double confidence;
  size_t max_sets;                            /* 0: no limit */
  const char *max_sets_place;                 /* JSON pointer; NULL: the command line has it */
  struct ts_pool *pool;                       /* for analyses; may be NULL, and another one for every call */
  void (*note)(void *user, const char *text); /* what the user should know; may be NULL; may repeat itself */
  /* Before each analysis of a design, and after the last; on the thread of the caller. May be NULL. */
  void (*analysed)(void *user, size_t done, size_t total);
  void *user;
};

/* The indices of one series. */
struct ts_phase_analysis {
  size_t output;
  size_t subset; /* TS_NONE: over all files */
  struct ts_indices indices;
  bool is_known; /* false: the notes say why not; cells are NaN */
};

/* What a screening says about a parameter or group: its result for the output in which it reaches most. */
struct ts_candidate {
  const char *name;
  size_t output;
  double reach; /* upper end of the interval, as a share of the largest mu*; infinite: its effect is not known */
  struct ts_index index; /* mu* */
  double largest;        /* mu* of that output */
  bool kept;
};

/* One design with its analyses. */
struct ts_phase {
  const struct ts_strategy_options *options; /* borrowed */
  const struct ts_space *space;              /* borrowed; what it varies */
  struct ts_design design;                   /* all its sets so far */
  enum ts_layout layout;
  size_t block_rows;                  /* sets of a trajectory or base sample; 1 */
  struct ts_groups groups;            /* that the design moves together; of NULL: none */
  size_t first;                       /* of its sets in the history */
  size_t rounds;                      /* asked for */
  struct ts_phase_analysis *analyses; /* owned: method by method, output by output, over all files first */
  size_t analysis_count;
  struct ts_candidate *candidates; /* owned: what the next phase varies, per group; NULL: nothing is decided */
  size_t candidate_count;
};
/* Trajectories, base samples, points, or rows of a curve: the curves of FAST grow in length, everything else grows in
 * number. */
size_t ts_phase_size(const struct ts_phase *phase);
/* The analysis of an output over all files by the first method; NULL if there is none. */
const struct ts_phase_analysis *ts_phase_answer(const struct ts_phase *phase, size_t output);

/* How a condition ended. */
struct ts_verdict {
  bool is_used, is_met;
  size_t rounds, blocks;
  const char *reason; /* borrowed from the state */
};

/* Sets to run next. */
struct ts_strategy_batch {
  size_t count;            /* 0: the strategy is done */
  struct ts_value *values; /* owned; set by set, all columns of the space (given: of its design) */
  size_t phase;            /* number of the phase, from 0 */
};
void ts_strategy_batch_release(struct ts_strategy_batch *batch);

struct ts_strategy_result {
  const struct ts_phase *phases[TS_STRATEGY_PHASES]; /* borrowed from the state: those that have begun */
  size_t phase_count;
  struct ts_verdict until; /* of the last phase that had a condition */
};

/* The strategies that a strategy is made of. */
struct ts_strategy_part {
  const char *key;                 /* of the study file: "screen" */
  const struct ts_strategy *usual; /* NULL: no further part */
  bool is_fixed;                   /* it cannot be another one */
  const char *help;                /* for a strategy that cannot be this part */
};

struct ts_strategy {
  const char *name;                          /* "vbd" */
  const char *aliases[3];                    /* other words for it; NULL-ended */
  const char *title;                         /* for 'tessera list' */
  const char *sampler;                       /* NULL: it draws nothing itself */
  const char *analyses[4];                   /* NULL-ended: usual ones */
  const char *count_key;                     /* what a file calls its size; NULL: it has none */
  const char *usual;                         /* help for a size that is too large */
  size_t count;                              /* usual size; 0: the sampler's */
  size_t least, most;                        /* sizes */
  size_t levels;                             /* usual ones */
  const char *phase_name;                    /* as the second of two phases; NULL: "then" */
  bool even_levels;                          /* only even numbers of levels */
  bool steps_by_levels;                      /* its analyses take the size of steps from the levels */
  bool has_blocks;                           /* its sets belong together: several per count */
  bool moves_groups;                         /* parameters of one group move together */
  bool takes_correlation;                    /* parameters may depend on each other */
  bool is_whole;                             /* sets cannot be added to it */
  bool starts_again;                         /* a larger design has other sets: all sets of a further round are new */
  size_t (*grown)(size_t size, size_t most); /* the size of the next round, at most `most` if possible; NULL: doubled */
  const char *keys[TS_STRATEGY_KEYS];        /* settings beside the common ones; NULL-ended */
  struct ts_strategy_part parts[TS_STRATEGY_PHASES]; /* of a strategy that is made of others */

  /* Checks and draws what can be known without a history. NULL and faults if that is not possible; faults have the JSON
   * pointer of their place, if any, and no file. */
  void *(*begin)(const struct ts_strategy_problem *problem, const struct ts_strategy_options *options,
                 struct ts_faults *faults);
  /* Fills a batch that is empty; one that stays empty means that the strategy is done, and *reason (borrowed from the
   * state, or a literal) says why. All sets of the batch before are in the history. False: an error. */
  bool (*next)(void *state, const struct ts_history *history, struct ts_strategy_batch *batch, const char **reason,
               struct ts_error *err);
  /* Asks for more sets than `next` did, so that the same design gets larger; otherwise like it. NULL: the strategy
   * cannot. */
  bool (*grow)(void *state, const struct ts_history *history, struct ts_strategy_batch *batch, const char **reason,
               struct ts_error *err);
  /* The design it works on, with analyses over all files as of the last call of next. */
  struct ts_phase *(*look)(void *state);
  /* Analyses every series and adds its phases to the result. Also before the strategy is done: a phase whose last sets
   * are not in the history has the analyses of the sets before. */
  void (*finish)(void *state, const struct ts_history *history, struct ts_strategy_result *result);
  void (*destroy)(void *state); /* a NULL state is allowed */
};

/* ---- The table. ---- */

/* All strategies that a study can name, NULL-ended; the first is the default. */
extern const struct ts_strategy *const ts_strategies[];
extern const struct ts_strategy ts_strategy_until; /* wraps one; the loop puts it around */
extern const struct ts_strategy ts_strategy_given; /* a design that somebody else made; no analyses */
/* By name or alias; NULL if there is none. */
const struct ts_strategy *ts_strategy_find(const char *name);
/* "did you mean 'morris'?", or all names. The text is the arena's. */
const char *ts_strategy_help(struct ts_arena *arena, const char *name);
/* The options that a strategy starts with. */
void ts_strategy_options_init(struct ts_strategy_options *options, const struct ts_strategy *strategy,
                              const char *place);
/* How many strategies it is made of; 0: it is one by itself. */
size_t ts_strategy_part_count(const struct ts_strategy *strategy);
/* Whether a file may have this setting for it. */
bool ts_strategy_takes(const struct ts_strategy *strategy, const char *key);
/* Reads "ci(mu_star) < 0.05" or "rank(3)"; strings go to the arena. */
bool ts_until_read(struct ts_until *until, const char *text, struct ts_arena *arena, struct ts_error *err);

/* ---- The loop. ---- */

struct ts_loop;
/* Options and problem are borrowed. NULL and faults if the study cannot be run as it is. */
struct ts_loop *ts_loop_begin(const struct ts_strategy_problem *problem, const struct ts_strategy_options *options,
                              struct ts_faults *faults);
bool ts_loop_next(struct ts_loop *loop, const struct ts_history *history, struct ts_strategy_batch *batch,
                  const char **reason, struct ts_error *err);
void ts_loop_finish(struct ts_loop *loop, const struct ts_history *history, struct ts_strategy_result *result);
void ts_loop_destroy(struct ts_loop *loop); /* NULL is allowed */

#endif
