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

static const char *keys_of(struct ts_arena *arena, const struct study_kind *kind) {
  const char *list = kind->count_key ? kind->count_key : "";
  for (size_t i = 0; i < STUDY_KEYS_MAX && kind->keys[i]; i++)
    list = ts_arena_printf(arena, "%s%s%s", list, *list ? ", " : "", kind->keys[i]);
  return list;
}

static bool any_kind_takes(const char *key) {
  for (size_t i = 0; ts_study_kinds[i]; i++) {
    if (ts_study_kind_takes(ts_study_kinds[i], key)) return true;
  }
  return has_word(common_keys, COMMON_KEYS, key);
}

/* Settings of other methods are reported as such; other keys with the nearest word. */
static void check_keys(struct study_reader *r, const json_t *object, const struct study_kind *kind, size_t common) {
  const char *known[COMMON_KEYS + STUDY_KEYS_MAX + 1];
  size_t count = 0;
  for (; count < common; count++) known[count] = common_keys[count];
  if (kind->count_key) known[count++] = kind->count_key;
  for (size_t i = 0; i < STUDY_KEYS_MAX && kind->keys[i]; i++) known[count++] = kind->keys[i];
  const char *key;
  json_t *value, *strange = json_object();
  json_object_foreach(ts_without_const(object), key, value) {
    if (has_word(known, count, key)) continue;
    if (!any_kind_takes(key)) {
      json_object_set(strange, key, value);
      continue;
    }
    char text[TEXT_BYTES], help[TEXT_BYTES];
    snprintf(text, sizeof text, "'%s' is not a setting of %s", key, kind->name);
    snprintf(help, sizeof help, "%s takes: %s", kind->name, keys_of(&r->project->arena, kind));
    ts_study_complain(r, key, TS_ERR_UNKNOWN_KEY, TS_JSON_KEY, text, help);
  }
  ts_study_check_keys(r, strange, known, count);
  json_decref(strange);
}

static const struct study_kind *read_kind(struct study_reader *r, const json_t *object,
                                          const struct study_kind *otherwise) {
  const char *name = ts_study_read_string(r, object, "name", otherwise->name);
  const struct study_kind *kind = ts_study_kind_find(name);
  if (kind) return kind;
  char text[TEXT_BYTES];
  snprintf(text, sizeof text, "unknown method '%s'", name);
  ts_study_complain(r, "name", TS_ERR_BAD_VALUE, TS_JSON_VALUE, text, ts_study_kind_help(&r->project->arena, name));
  return otherwise;
}

static bool fits_any_layout(const struct study_kind *kind, const struct ts_method *analysis) {
  if (analysis->layout_count == 0) return true;
  for (size_t i = 0; i < sizeof kind->analyses / sizeof *kind->analyses && kind->analyses[i]; i++) {
    if (strcmp(kind->analyses[i], analysis->name) == 0) return true;
  }
  return false;
}

/* "analyse": ["correlation", "pce"], the first one answers. */
static void read_analyses(struct study_reader *r, const json_t *object, struct study_method *method) {
  size_t count = 0;
  const char **names = ts_study_read_strings(r, object, "analyse", &count);
  if (count == 0) return;
  method->analysis_count = 0;
  for (size_t i = 0; i < count && i < STUDY_ANALYSES_MAX; i++) {
    struct ts_error err = {0};
    const struct ts_method *analysis = ts_method_find(names[i], &err);
    if (analysis && !fits_any_layout(method->kind, analysis)) {
      ts_fail(&err, TS_ERR_BAD_VALUE, "'%s' cannot analyse the runs of %s", analysis->name, method->kind->name);
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

static void read_base(struct study_reader *r, const json_t *object, struct study_method *method) {
  struct ts_error err = {0};
  const char *name = ts_study_read_string(r, object, "base", NULL);
  if (!name) return;
  method->base = ts_base_find(name, &err);
  if (!method->base) ts_study_complain(r, "base", err.code, TS_JSON_VALUE, err.text, err.help);
}

static void read_words(struct study_reader *r, const json_t *object, struct study_method *method) {
  static const char *const scrambles[] = {"default", "none", "owen", "shift", NULL};
  static const char *const estimators[] = {"saltelli", "jansen", "janon", "martinez", NULL};
  read_base(r, object, method);
  method->scramble = (enum ts_scramble)ts_study_read_word(r, object, "scramble", scrambles);
  method->estimator = (enum ts_vbd_estimator)ts_study_read_word(r, object, "estimator", estimators);
}

/* The settings of one phase. */
static void read_settings(struct study_reader *r, const json_t *object, const struct study_kind *kind,
                          struct study_method *method) {
  ts_study_kind_init(kind, ts_arena_strdup(&r->project->arena, r->pointer), method);
  if (kind->count_key)
    method->count = (size_t)ts_study_read_integer(r, object, kind->count_key, (int64_t)kind->least, (int64_t)kind->most,
                                                  (int64_t)kind->count);
  method->levels = (size_t)ts_study_read_integer(r, object, "levels", 2, LEVELS_MAX, (int64_t)method->levels);
  if (kind->levels && method->levels % 2 != 0)
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
  struct study_keep *keep = &r->project->study.keep;
  struct study_reader inner;
  const json_t *object;
  keep->names = ts_study_read_strings(r, method, "parameters", &keep->name_count);
  if (!ts_study_enter(r, method, "keep", &inner, &object)) return;
  ts_study_check_keys(&inner, object, keys, sizeof keys / sizeof *keys);
  keep->share = ts_study_read_share(&inner, object, "share", 0, 1, STUDY_KEEP_SHARE);
  keep->most = (size_t)ts_study_read_integer(&inner, object, "max", 1, SETTING_MAX, 0);
  if (json_object_get(object, "parameters"))
    keep->names = ts_study_read_strings(&inner, object, "parameters", &keep->name_count);
}

/* "screen" or "then". */
static void read_phase(struct study_reader *r, const json_t *method, const char *name,
                       const struct study_kind *otherwise, struct study_method *phase) {
  struct study_reader inner;
  const json_t *object;
  ts_study_kind_init(otherwise, ts_arena_strdup(&r->project->arena, r->pointer), phase);
  if (!ts_study_enter(r, method, name, &inner, &object)) return;
  const struct study_kind *kind = read_kind(&inner, object, otherwise);
  if (!kind->sampler || (otherwise->screens && !kind->screens)) {
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "'%s' cannot be %s", name, kind->name);
    ts_study_complain(&inner, "name", TS_ERR_BAD_VALUE, TS_JSON_VALUE, text,
                      otherwise->screens ? "screening is done with morris"
                                         : "write the method of the second phase, such as vbd");
    return;
  }
  check_keys(&inner, object, kind, PHASE_KEYS);
  read_settings(&inner, object, kind, phase);
}

static void read_until(struct study_reader *r, const json_t *method) {
  struct study_file *f = &r->project->study;
  const char *text = ts_study_read_string(r, method, "until", NULL);
  struct ts_error err = {0};
  if (text && !ts_until_parse(&r->project->arena, text, &f->until, &err))
    ts_study_complain(r, "until", TS_ERR_BAD_VALUE, TS_JSON_VALUE, err.text, err.help);
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
  ts_study_kind_init(&ts_kind_morris, "/method", &f->methods[0]);
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
  const struct study_kind *kind = read_kind(&inner, method, &ts_kind_morris);
  check_keys(&inner, method, kind, COMMON_KEYS);
  read_common(&inner, method);
  read_until(&inner, method);
  if (kind->sampler) {
    read_settings(&inner, method, kind, &f->methods[0]);
    return;
  }
  f->phase_count = 2;
  read_phase(&inner, method, "screen", &ts_kind_morris, &f->methods[0]);
  read_phase(&inner, method, "then", &ts_kind_vbd, &f->methods[1]);
  read_keep(&inner, method);
}

uint64_t ts_study_seed(const struct ts_project *project) {
  return project->request->has_seed ? project->request->seed : project->study.seed;
}

/* --method: the file's settings stay where they belong to the same kind. */
static bool settle_kind(struct ts_project *project, struct ts_issues *issues) {
  struct study_file *f = &project->study;
  if (!project->request->method) return true;
  const struct study_kind *kind = ts_study_kind_find(project->request->method);
  if (!kind)
    return ts_issues_usage(issues, ts_study_kind_help(&project->arena, project->request->method), "unknown method '%s'",
                           project->request->method);
  if (!kind->sampler) {
    if (!f->methods[0].kind->screens) ts_study_kind_init(&ts_kind_morris, NULL, &f->methods[0]);
    if (f->phase_count == 1) ts_study_kind_init(&ts_kind_vbd, NULL, &f->methods[1]);
    f->phase_count = 2;
    return true;
  }
  size_t last = f->phase_count - 1;
  if (kind == f->methods[last].kind)
    f->methods[0] = f->methods[last];
  else if (kind != f->methods[0].kind)
    ts_study_kind_init(kind, NULL, &f->methods[0]);
  f->phase_count = 1;
  return true;
}

static bool settle_counts(struct ts_project *project, struct ts_issues *issues) {
  const struct ts_request *request = project->request;
  struct study_file *f = &project->study;
  struct study_method *last = &f->methods[f->phase_count - 1];
  if ((request->trajectories && request->trajectories < ts_kind_morris.least) ||
      (request->count == 1 && last->kind->screens))
    return ts_issues_usage(issues,
                           ts_arena_printf(&project->arena, "%zu are usual: --trajectories %zu", ts_kind_morris.count,
                                           ts_kind_morris.count),
                           "a study needs at least %zu trajectories", ts_kind_morris.least);
  if (request->trajectories && !f->methods[0].kind->screens)
    return ts_issues_usage(issues, "give their number with --count", "%s has no trajectories", last->kind->name);
  if (request->trajectories) f->methods[0].count = request->trajectories;
  if (request->count && request->count < last->kind->least)
    return ts_issues_usage(issues, "see 'tessera help study'", "%s needs at least %zu %s", last->kind->name,
                           last->kind->least, last->kind->count_key);
  if (request->count) last->count = request->count;
  if (request->second_order && !ts_study_kind_takes(last->kind, "second_order"))
    return ts_issues_usage(issues, "use --method vbd", "%s has no indices of second order", last->kind->name);
  if (request->second_order) last->second_order = true;
  return true;
}

/* --keep G1,T2 */
static bool settle_keep(struct ts_project *project, struct ts_issues *issues) {
  struct study_keep *keep = &project->study.keep;
  if (!project->request->keep) return true;
  if (project->study.phase_count < 2)
    return ts_issues_usage(issues, "add --method two-phase, or name the parameters in the study file",
                           "--keep needs a study of two phases");
  char *text = ts_arena_strdup(&project->arena, project->request->keep), *rest = NULL;
  keep->names = ts_arena_array(&project->arena, strlen(text) + 1, sizeof *keep->names);
  keep->name_count = 0;
  for (char *word = strtok_r(text, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
    keep->names[keep->name_count++] = word;
  return true;
}

static bool settle_until(struct ts_project *project, struct ts_issues *issues) {
  struct study_file *f = &project->study;
  struct ts_error err = {0};
  if (project->request->max_runs) f->max_runs = project->request->max_runs;
  if (!project->request->until) return true;
  if (project->request->design)
    return ts_issues_usage(issues, "leave out --design, or --until", "runs cannot be added to a design from a file");
  if (ts_until_parse(&project->arena, project->request->until, &f->until, &err)) return true;
  return ts_issues_usage(issues, err.help, "%s", err.text);
}

bool ts_study_methods_settle(struct ts_project *project, struct ts_issues *issues) {
  if (project->study.methods_settled) return true;
  project->study.methods_settled = true;
  return settle_kind(project, issues) && settle_counts(project, issues) && settle_keep(project, issues) &&
         settle_until(project, issues);
}
