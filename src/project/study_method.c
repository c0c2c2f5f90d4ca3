/* Reads the method of a study file, one phase or two, and applies what the command line says about it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/study_method.h"

#include "base/alloc.h"
#include "base/const.h"
#include "project/study_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEVELS_MAX    1000000
#define RESAMPLES_MAX 1000000
#define SETTING_MAX   1000
#define SKIP_MAX      INT64_C(1000000000000)
#define RUNS_MAX      INT64_C(1000000000)

static const char *const common_keys[] = {"name", "analyse", "seed", "resamples", "confidence", "until", "max_runs"};
#define COMMON_KEYS (sizeof common_keys / sizeof *common_keys)
#define PHASE_KEYS  2 /* of the common ones, those that a phase has for itself */

static bool has_word(const char *const *words, size_t count, const char *word) {
  for (size_t i = 0; i < count && words[i]; i++) {
    if (strcmp(words[i], word) == 0) return true;
  }
  return false;
}

static const char *keys_of(struct ts_arena *arena, const struct ts_strategy *strategy) {
  const char *list = strategy->count_key ? strategy->count_key : "";
  for (size_t i = 0; i < TS_STRATEGY_KEYS && strategy->keys[i]; i++)
    list = ts_arena_printf(arena, "%s%s%s", list, *list ? ", " : "", strategy->keys[i]);
  return list;
}

static bool any_takes(const char *key) {
  for (size_t i = 0; ts_strategies[i]; i++) {
    if (ts_strategy_takes(ts_strategies[i], key)) return true;
  }
  return has_word(common_keys, COMMON_KEYS, key);
}

/* Settings of other methods are reported as such; other keys with the nearest word. */
static void check_keys(struct study_reader *r, const json_t *object, const struct ts_strategy *strategy,
                       size_t common) {
  const char *known[COMMON_KEYS + TS_STRATEGY_KEYS + 1];
  size_t count = 0;
  for (; count < common; count++) known[count] = common_keys[count];
  if (strategy->count_key) known[count++] = strategy->count_key;
  for (size_t i = 0; i < TS_STRATEGY_KEYS && strategy->keys[i]; i++) known[count++] = strategy->keys[i];
  const char *key;
  json_t *value, *strange = json_object();
  json_object_foreach(ts_without_const(object), key, value) {
    if (has_word(known, count, key)) continue;
    if (!any_takes(key)) {
      json_object_set(strange, key, value);
      continue;
    }
    char text[TEXT_BYTES], help[TEXT_BYTES];
    snprintf(text, sizeof text, "'%s' is not a setting of %s", key, strategy->name);
    snprintf(help, sizeof help, "%s takes: %s", strategy->name, keys_of(&r->project->arena, strategy));
    ts_study_complain(r, key, TS_ERR_UNKNOWN_KEY, TS_JSON_KEY, text, help);
  }
  ts_study_check_keys(r, strange, known, count);
  json_decref(strange);
}

static const struct ts_strategy *read_strategy(struct study_reader *r, const json_t *object,
                                               const struct ts_strategy *otherwise) {
  const char *name = ts_study_read_string(r, object, "name", otherwise->name);
  const struct ts_strategy *strategy = ts_strategy_find(name);
  if (strategy) return strategy;
  char text[TEXT_BYTES];
  snprintf(text, sizeof text, "unknown method '%s'", name);
  ts_study_complain(r, "name", TS_ERR_BAD_VALUE, TS_JSON_VALUE, text, ts_strategy_help(&r->project->arena, name));
  return otherwise;
}

static bool fits_any_layout(const struct ts_strategy *strategy, const struct ts_method *analysis) {
  if (analysis->layout_count == 0) return true;
  for (size_t i = 0; i < sizeof strategy->analyses / sizeof *strategy->analyses && strategy->analyses[i]; i++) {
    if (strcmp(strategy->analyses[i], analysis->name) == 0) return true;
  }
  return false;
}

/* "analyse": ["correlation", "pce"], the first one answers. */
static void read_analyses(struct study_reader *r, const json_t *object, struct ts_strategy_options *method) {
  size_t count = 0;
  const char **names = ts_study_read_strings(r, object, "analyse", &count);
  if (count == 0) return;
  method->analysis_count = 0;
  for (size_t i = 0; i < count && i < TS_STRATEGY_ANALYSES; i++) {
    struct ts_error err = {0};
    const struct ts_method *analysis = ts_method_find(names[i], &err);
    if (analysis && !fits_any_layout(method->strategy, analysis)) {
      ts_fail(&err, TS_ERR_BAD_VALUE, "'%s' cannot analyse the runs of %s", analysis->name, method->strategy->name);
      ts_error_help(&err, "it needs a design of its own: \"method\": {\"name\": \"%s\"}", analysis->name);
    }
    if (err.code == TS_ERR_OK) {
      method->analyses[method->analysis_count++] = analysis;
      continue;
    }
    struct study_reader list = *r;
    char number[24];
    snprintf(list.pointer, sizeof list.pointer, "%.100s/analyse", r->pointer);
    snprintf(number, sizeof number, "%zu", i);
    ts_study_complain(&list, number, TS_ERR_BAD_VALUE, TS_JSON_VALUE, err.text, err.help);
  }
}

static void read_base(struct study_reader *r, const json_t *object, struct ts_strategy_options *method) {
  struct ts_error err = {0};
  const char *name = ts_study_read_string(r, object, "base", NULL);
  if (!name) return;
  method->base = ts_base_find(name, &err);
  if (!method->base) ts_study_complain(r, "base", err.code, TS_JSON_VALUE, err.text, err.help);
}

static void read_words(struct study_reader *r, const json_t *object, struct ts_strategy_options *method) {
  static const char *const scrambles[] = {"default", "none", "owen", "shift", NULL};
  static const char *const estimators[] = {"saltelli", "jansen", "janon", "martinez", NULL};
  read_base(r, object, method);
  method->scramble = (enum ts_scramble)ts_study_read_word(r, object, "scramble", scrambles);
  method->estimator = (enum ts_vbd_estimator)ts_study_read_word(r, object, "estimator", estimators);
}

/* The settings of one phase. */
static void read_settings(struct study_reader *r, const json_t *object, const struct ts_strategy *strategy,
                          struct ts_strategy_options *method) {
  ts_strategy_options_init(method, strategy, ts_arena_strdup(&r->project->arena, r->pointer));
  if (strategy->count_key)
    method->count = (size_t)ts_study_read_integer(r, object, strategy->count_key, (int64_t)strategy->least,
                                                  (int64_t)strategy->most, (int64_t)strategy->count);
  method->levels = (size_t)ts_study_read_integer(r, object, "levels", 2, LEVELS_MAX, (int64_t)method->levels);
  if (strategy->even_levels && method->levels % 2 != 0)
    ts_study_complain(r, "levels", TS_ERR_BAD_VALUE, TS_JSON_VALUE, "'levels' is odd",
                      "a Morris design needs an even number");
  method->radial = ts_study_read_boolean(r, object, "radial");
  method->second_order = ts_study_read_boolean(r, object, "second_order");
  method->candidates = (size_t)ts_study_read_integer(r, object, "candidates", 0, LEVELS_MAX, 0);
  method->improve = (size_t)ts_study_read_integer(r, object, "improve", 0, LEVELS_MAX, 0);
  method->harmonics = (size_t)ts_study_read_integer(r, object, "harmonics", 1, SETTING_MAX, 0);
  method->degree = (size_t)ts_study_read_integer(r, object, "degree", 1, SETTING_MAX, 0);
  method->slices = (size_t)ts_study_read_integer(r, object, "slices", 2, SETTING_MAX, 0);
  method->skip = (size_t)ts_study_read_integer(r, object, "skip", 0, SKIP_MAX, 0);
  method->step = json_object_get(object, "step") ? ts_study_read_share(r, object, "step", 0, 1, 0.01) : 0;
  read_words(r, object, method);
  read_analyses(r, object, method);
}

static void read_keep(struct study_reader *r, const json_t *method) {
  static const char *const keys[] = {"share", "max", "parameters"};
  struct ts_keep *keep = &r->project->study.keep;
  struct study_reader inner;
  const json_t *object;
  keep->place = "/method/keep/parameters";
  keep->names = ts_study_read_strings(r, method, "parameters", &keep->name_count);
  if (!ts_study_enter(r, method, "keep", &inner, &object)) return;
  ts_study_check_keys(&inner, object, keys, sizeof keys / sizeof *keys);
  keep->share = ts_study_read_share(&inner, object, "share", 0, 1, STUDY_KEEP_SHARE);
  keep->most = (size_t)ts_study_read_integer(&inner, object, "max", 1, SETTING_MAX, 0);
  if (json_object_get(object, "parameters"))
    keep->names = ts_study_read_strings(&inner, object, "parameters", &keep->name_count);
}

/* "screen" or "then". */
static void read_part(struct study_reader *r, const json_t *method, const struct ts_strategy_part *part,
                      struct ts_strategy_options *phase) {
  struct study_reader inner;
  const json_t *object;
  ts_strategy_options_init(phase, part->usual, ts_arena_strdup(&r->project->arena, r->pointer));
  if (!ts_study_enter(r, method, part->key, &inner, &object)) return;
  const struct ts_strategy *strategy = read_strategy(&inner, object, part->usual);
  if (ts_strategy_part_count(strategy) > 0 || (part->is_fixed && strategy != part->usual)) {
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "'%s' cannot be %s", part->key, strategy->name);
    ts_study_complain(&inner, "name", TS_ERR_BAD_VALUE, TS_JSON_VALUE, text, part->help);
    return;
  }
  check_keys(&inner, object, strategy, PHASE_KEYS);
  read_settings(&inner, object, strategy, phase);
}

static void read_until(struct study_reader *r, const json_t *method) {
  struct study_file *f = &r->project->study;
  const char *text = ts_study_read_string(r, method, "until", NULL);
  struct ts_error err = {0};
  if (text && !ts_until_read(&f->until, text, &r->project->arena, &err))
    ts_study_complain(r, "until", TS_ERR_BAD_VALUE, TS_JSON_VALUE, err.text, err.help);
  f->until.place = "/method/until";
  f->max_runs = (size_t)ts_study_read_integer(r, method, "max_runs", 1, RUNS_MAX, 0);
}

static void read_common(struct study_reader *r, const json_t *method) {
  struct study_file *f = &r->project->study;
  f->seed = (uint64_t)ts_study_read_integer(r, method, "seed", 0, INT64_MAX, STUDY_SEED);
  f->resamples = (size_t)ts_study_read_integer(r, method, "resamples", 100, RESAMPLES_MAX, STUDY_RESAMPLES);
  const json_t *confidence = json_object_get(method, "confidence");
  f->confidence = confidence ? json_number_value(confidence) : STUDY_CONFIDENCE;
  if (!(f->confidence > 0 && f->confidence < 1))
    ts_study_complain(r, "confidence", TS_ERR_BAD_VALUE, TS_JSON_VALUE, "'confidence' is not between 0 and 1",
                      "0.95 is usual");
}

void ts_study_method_default(struct ts_project *project) {
  struct study_file *f = &project->study;
  ts_strategy_options_init(&f->methods[0], ts_strategies[0], "/method");
  f->phase_count = 1;
  f->keep.share = STUDY_KEEP_SHARE;
  f->seed = STUDY_SEED;
  f->resamples = STUDY_RESAMPLES;
  f->confidence = STUDY_CONFIDENCE;
}

void ts_study_method_read(struct study_reader *r, const json_t *root) {
  struct study_file *f = &r->project->study;
  struct study_reader inner;
  const json_t *method;
  if (!ts_study_enter(r, root, "method", &inner, &method)) return;
  const struct ts_strategy *strategy = read_strategy(&inner, method, ts_strategies[0]);
  check_keys(&inner, method, strategy, COMMON_KEYS);
  read_common(&inner, method);
  read_until(&inner, method);
  if (ts_strategy_part_count(strategy) == 0) {
    read_settings(&inner, method, strategy, &f->methods[0]);
    return;
  }
  f->whole = strategy;
  f->phase_count = ts_strategy_part_count(strategy);
  for (size_t p = 0; p < f->phase_count; p++) read_part(&inner, method, &strategy->parts[p], &f->methods[p]);
  read_keep(&inner, method);
}

uint64_t ts_study_seed(const struct ts_project *project) {
  return project->request->has_seed ? project->request->seed : project->study.seed;
}

static bool refuse(struct ts_issues *issues, const char *help, const char *format, ...) TS_PRINTF(3, 4);
static bool refuse(struct ts_issues *issues, const char *help, const char *format, ...) {
  char text[TEXT_BYTES];
  struct ts_error err = {0};
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ts_fail(&err, TS_ERR_USAGE, "%s", text);
  ts_error_help(&err, "%s", help);
  return ts_issues_fault(issues, &err);
}

/* Phases that the file has stay, unless another strategy must have their place. */
static void settle_parts(struct study_file *f, const struct ts_strategy *strategy) {
  for (size_t p = 0; p < ts_strategy_part_count(strategy); p++) {
    const struct ts_strategy_part *part = &strategy->parts[p];
    if (p >= f->phase_count || (part->is_fixed && f->methods[p].strategy != part->usual))
      ts_strategy_options_init(&f->methods[p], part->usual, NULL);
  }
  f->whole = strategy;
  f->phase_count = ts_strategy_part_count(strategy);
}

/* --method: the file's settings stay where they belong to the same strategy. */
static bool settle_method(struct ts_project *project, struct ts_issues *issues) {
  struct study_file *f = &project->study;
  if (!project->request->method) return true;
  const struct ts_strategy *strategy = ts_strategy_find(project->request->method);
  if (!strategy)
    return refuse(issues, ts_strategy_help(&project->arena, project->request->method), "unknown method '%s'",
                  project->request->method);
  f->whole = NULL;
  if (ts_strategy_part_count(strategy) > 0) {
    settle_parts(f, strategy);
    return true;
  }
  size_t last = f->phase_count - 1;
  if (strategy == f->methods[last].strategy)
    f->methods[0] = f->methods[last];
  else if (strategy != f->methods[0].strategy)
    ts_strategy_options_init(&f->methods[0], strategy, NULL);
  f->phase_count = 1;
  return true;
}

static bool has_trajectories(const struct ts_strategy *strategy) { return ts_strategy_takes(strategy, "trajectories"); }

static bool settle_trajectories(struct ts_project *project, const struct ts_strategy_options *last,
                                struct ts_issues *issues) {
  const struct ts_request *request = project->request;
  size_t i = 0;
  while (!has_trajectories(ts_strategies[i])) i++;
  const struct ts_strategy *usual = ts_strategies[i];
  if ((request->trajectories && request->trajectories < usual->least) ||
      (request->count == 1 && has_trajectories(last->strategy)))
    return refuse(issues,
                  ts_arena_printf(&project->arena, "%zu are usual: --trajectories %zu", usual->count, usual->count),
                  "a study needs at least %zu trajectories", usual->least);
  if (!request->trajectories) return true;
  if (!has_trajectories(project->study.methods[0].strategy))
    return refuse(issues, "give their number with --count", "%s has no trajectories", last->strategy->name);
  project->study.methods[0].count = request->trajectories;
  return true;
}

static bool settle_counts(struct ts_project *project, struct ts_issues *issues) {
  const struct ts_request *request = project->request;
  struct study_file *f = &project->study;
  struct ts_strategy_options *last = &f->methods[f->phase_count - 1];
  if (!settle_trajectories(project, last, issues)) return false;
  if (request->count && request->count < last->strategy->least)
    return refuse(issues, "see 'tessera help study'", "%s needs at least %zu %s", last->strategy->name,
                  last->strategy->least, last->strategy->count_key);
  if (request->count) last->count = request->count;
  if (request->second_order && !ts_strategy_takes(last->strategy, "second_order"))
    return refuse(issues, "use --method vbd", "%s has no indices of second order", last->strategy->name);
  if (request->second_order) last->second_order = true;
  return true;
}

/* --keep G1,T2 */
static bool settle_keep(struct ts_project *project, struct ts_issues *issues) {
  struct ts_keep *keep = &project->study.keep;
  if (!project->request->keep) return true;
  if (project->study.phase_count < 2)
    return refuse(issues, "add --method two-phase, or name the parameters in the study file",
                  "--keep needs a study of two phases");
  char *text = ts_arena_strdup(&project->arena, project->request->keep), *rest = NULL;
  const char **names = ts_arena_array(&project->arena, strlen(text) + 1, sizeof *names);
  *keep = (struct ts_keep){.share = keep->share, .most = keep->most, .names = names};
  for (char *word = strtok_r(text, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
    names[keep->name_count++] = word;
  return true;
}

static bool settle_until(struct ts_project *project, struct ts_issues *issues) {
  struct study_file *f = &project->study;
  struct ts_error err = {0};
  if (project->request->max_runs) f->max_runs = project->request->max_runs;
  if (!project->request->until) return true;
  if (project->request->design)
    return refuse(issues, "leave out --design, or --until", "runs cannot be added to a design from a file");
  if (ts_until_read(&f->until, project->request->until, &project->arena, &err)) return true;
  return refuse(issues, err.help, "%s", err.text);
}

bool ts_study_methods_settle(struct ts_project *project, struct ts_issues *issues) {
  if (project->study.methods_settled) return true;
  project->study.methods_settled = true;
  return settle_method(project, issues) && settle_counts(project, issues) && settle_keep(project, issues) &&
         settle_until(project, issues);
}

struct ts_strategy_options ts_study_strategy(const struct study_file *study) {
  struct ts_strategy_options options = study->methods[0];
  if (study->whole)
    options = (struct ts_strategy_options){
        .strategy = study->whole, .parts = study->methods, .part_count = study->phase_count};
  options.keep = study->keep;
  options.until = study->until;
  return options;
}
