/* Makes a plan for wanted products: which products, of which stages, over how many units.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/planning.h"

#include "base/alloc.h"
#include "order/order.h"

#include <string.h>

static size_t only_stage(struct session *s) {
  size_t stage = TS_NONE;
  if (!s->request->only_stage || ts_workflow_find_stage(s->workflow, s->request->only_stage, &stage)) return stage;
  if (!ts_session_ok(s)) return TS_NONE; /* called several times, reported once */
  const char **names = ts_arena_array(&s->arena, s->workflow->stage_count + 1, sizeof *names);
  for (size_t i = 0; i < s->workflow->stage_count; i++) names[i] = s->workflow->stages[i].name;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_USAGE, "the workflow has no stage '%s'", s->request->only_stage);
  const char *near = ts_nearest_word(s->request->only_stage, names, s->workflow->stage_count);
  if (near) ts_error_help(&err, "did you mean '%s'?", near);
  ts_session_fault(s, &err);
  return TS_NONE;
}

struct ts_source *ts_session_study_products(struct session *s, size_t *count) {
  struct ts_source *wanted = ts_arena_array(&s->arena, s->study.output_count + 1, sizeof *wanted);
  *count = 0;
  for (size_t o = 0; o < s->study.output_count; o++) {
    struct study_output *output = &s->study.outputs[o];
    size_t w = 0;
    while (w < *count && (wanted[w].index != output->source.index || wanted[w].port != output->source.port)) w++;
    if (w == *count) wanted[(*count)++] = output->source;
    output->wanted = w;
  }
  return wanted;
}

static void skip(struct session *s, const char *product, const char *reason) {
  json_array_append_new(s->skipped, json_pack("{s:s, s:s}", "output", product, "reason", reason));
}

/* Whether a run makes a product; if not, the list of skipped ones says why. */
static bool is_made(struct session *s, const struct ts_source *source, const char *name, const bool *idle) {
  if (!ts_plan_can_make(s->workflow, s->supplied, source)) {
    size_t missing = ts_reference_missing(s, source->index);
    if (missing == TS_NONE)
      skip(s, name, "the data lacks an input that it needs");
    else
      skip(s, name,
           ts_arena_printf(&s->arena, "the data has no files for the input '%s'; %s", s->workflow->inputs[missing].name,
                           ts_reference_advice(s, missing)));
    return false;
  }
  if (!idle || !idle[source->index]) return true;
  skip(s, name,
       "there is no truth, and the defaults compared with themselves always agree; name the truth as 'reference' in a "
       "manifest, or change a parameter with -p");
  return false;
}

struct ts_source *ts_session_all_products(struct session *s, const struct ts_value *values, const char **names,
                                          size_t *count) {
  const struct ts_workflow *w = s->workflow;
  size_t only = only_stage(s);
  size_t total = 0;
  for (size_t i = 0; i < w->stage_count; i++) total += w->stages[i].output_count;
  struct ts_source *wanted = ts_arena_array(&s->arena, total + 1, sizeof *wanted);
  const bool *idle = values ? ts_reference_idle(s, values) : NULL;
  json_decref(s->skipped);
  s->skipped = json_array();
  *count = 0;
  for (size_t i = 0; i < w->stage_count; i++) {
    for (size_t o = 0; o < w->stages[i].output_count; o++) {
      const struct ts_stage_output *output = &w->stages[i].outputs[o];
      const char *name = ts_arena_printf(&s->arena, "%s.%s", w->stages[i].name, output->name);
      if (only == TS_NONE ? !is_made(s, &output->source, name, idle) : only != i) continue;
      if (names) names[*count] = name;
      wanted[(*count)++] = output->source;
    }
  }
  return wanted;
}

bool ts_session_plan_options(struct session *s, const struct ts_source *wanted, size_t wanted_count,
                             struct ts_plan_options *options, struct ts_error *err) {
  const char *keys = s->request->keys;
  *options = (struct ts_plan_options){.raw_values = s->request->raw_values,
                                      .crop_halo = s->study.halo_px > 0,
                                      .only_stage = only_stage(s),
                                      .supplied = s->supplied,
                                      .wanted = wanted,
                                      .wanted_count = wanted_count};
  if (s->request->no_reuse) options->merge = TS_MERGE_NONE;
  if (s->request->merge && !ts_merge_parse(s->request->merge, &options->merge)) {
    ts_fail(err, TS_ERR_USAGE, "unknown way to merge '%s'", s->request->merge);
    ts_error_help(err, "this version knows: none, stage, naive, sca, rtma, trtma, lineage");
    return false;
  }
  const bool runs_buckets = !s->plans_buckets && ts_merge_needs_buckets(options->merge);
  options->chain = runs_buckets && !(keys && strcmp(keys, "dag") == 0);
  options->keep_instances = runs_buckets || (s->plans_buckets && ts_merge_shares_tasks(options->merge));
  return true;
}

struct ts_plan *ts_session_plan(struct session *s, const struct ts_value *values, size_t set_count,
                                const struct ts_source *wanted, size_t wanted_count, bool want_reference) {
  struct ts_plan_options options;
  struct ts_error err = {0};
  if (!ts_session_plan_options(s, wanted, wanted_count, &options, &err)) {
    ts_session_fault(s, &err);
    return NULL;
  }
  if (ts_merge_needs_buckets(options.merge) && !s->plans_buckets && s->request->workers == 0) {
    ts_fail(&err, TS_ERR_USAGE, "merging by '%s' is for workers that do not share memory", s->request->merge);
    ts_error_help(&err, "add --workers N; threads share every equal task: for them use --merge lineage");
  } else if (ts_merge_needs_buckets(options.merge) && s->request->no_reuse && !s->plans_buckets) {
    ts_fail(&err, TS_ERR_USAGE, "merging by '%s' and '--no-reuse' do not go together", s->request->merge);
    ts_error_help(&err, "stages of a bucket share tasks; leave out one of the two");
  }
  struct ts_plan *plan = NULL;
  if (err.code == TS_ERR_OK && ts_session_ok(s))
    plan = ts_plan_create(s->workflow, values, set_count, &options, want_reference, &err);
  if (err.code != TS_ERR_OK) ts_session_fault(s, &err);
  return plan;
}

struct ts_plan *ts_session_plan_of_order(struct session *s, struct ts_error *err) {
  size_t wanted_count = 0, set_count = 0;
  struct ts_plan_options options;
  const struct ts_source *wanted = ts_order_wanted(s, &wanted_count, err);
  const struct ts_value *values = wanted ? ts_order_sets(s, &set_count, err) : NULL;
  if (!values || !ts_session_plan_options(s, wanted, wanted_count, &options, err)) return NULL;
  options.keep_instances = false; /* who makes the buckets needs them */
  return ts_plan_create(s->workflow, values, set_count, &options, false, err);
}
