/* The table of strategies: one line each, what a study file calls them and the settings that they start with.
 * SPDX-License-Identifier: Apache-2.0 */
#include "strategy/strategy_int.h"

#include "base/str.h"

#include <string.h>

#define MAX_WORDS 64

const struct ts_strategy *const ts_strategies[] = {
    &ts_strategy_morris,
    &ts_strategy_variance,
    &ts_strategy_lhs,
    &ts_strategy_mc,
    &ts_strategy_halton,
    &ts_strategy_sequence,
    &ts_strategy_grid,
    &ts_strategy_fast,
    &ts_strategy_dgsm,
    &ts_strategy_two_phase,
    NULL,
};

const struct ts_strategy *ts_strategy_find(const char *name) {
  for (size_t i = 0; ts_strategies[i]; i++) {
    const struct ts_strategy *strategy = ts_strategies[i];
    if (strcmp(strategy->name, name) == 0) return strategy;
    for (size_t a = 0; strategy->aliases[a]; a++) {
      if (strcmp(strategy->aliases[a], name) == 0) return strategy;
    }
  }
  return NULL;
}

const char *ts_strategy_help(struct ts_arena *arena, const char *name) {
  const char *words[MAX_WORDS];
  size_t count = 0;
  const char *list = "";
  for (size_t i = 0; ts_strategies[i]; i++) {
    const struct ts_strategy *strategy = ts_strategies[i];
    words[count++] = strategy->name;
    for (size_t a = 0; strategy->aliases[a]; a++) words[count++] = strategy->aliases[a];
    list = ts_arena_printf(arena, "%s%s%s", list, i ? ", " : "", strategy->name);
  }
  const char *near = ts_nearest_word(name, words, count);
  return near ? ts_arena_printf(arena, "did you mean '%s'?", near) : ts_arena_printf(arena, "methods: %s", list);
}

void ts_strategy_options_init(struct ts_strategy_options *options, const struct ts_strategy *strategy,
                              const char *place) {
  *options = (struct ts_strategy_options){
      .strategy = strategy, .place = place, .count = strategy->count, .levels = strategy->levels};
  for (size_t i = 0; i < sizeof strategy->analyses / sizeof *strategy->analyses && strategy->analyses[i]; i++) {
    struct ts_error err = {0};
    const struct ts_method *method = ts_method_find(strategy->analyses[i], &err);
    if (!method) TS_BUG("%s", err.text);
    options->analyses[options->analysis_count++] = method;
  }
}

bool ts_strategy_takes(const struct ts_strategy *strategy, const char *key) {
  if (strategy->count_key && strcmp(strategy->count_key, key) == 0) return true;
  for (size_t i = 0; i < TS_STRATEGY_KEYS && strategy->keys[i]; i++) {
    if (strcmp(strategy->keys[i], key) == 0) return true;
  }
  return false;
}

size_t ts_strategy_part_count(const struct ts_strategy *strategy) {
  size_t count = 0;
  while (count < TS_STRATEGY_PHASES && strategy->parts[count].usual) count++;
  return count;
}
