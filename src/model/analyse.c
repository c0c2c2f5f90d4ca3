/* Sensitivity indices of the runs of any model, from a design and its outputs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/analyse_int.h"

#include "base/alloc.h"
#include "model/row_order.h"
#include "report/result.h"

#include <string.h>

#define MANY_BLOCKS   100000
#define FEW_RESAMPLES 100
#define BATCH_BYTES   ((size_t)256 << 20) /* outputs held at once; more columns are read in several passes */

static enum ts_vbd_estimator estimator_of(const char *word) {
  static const char *const words[] = {
      [TS_S1_SALTELLI] = "saltelli", [TS_S1_JANSEN] = "jansen", [TS_S1_JANON] = "janon", [TS_S1_MARTINEZ] = "martinez"};
  for (size_t i = 0; word && i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i], word) == 0) return (enum ts_vbd_estimator)i;
  }
  return TS_S1_SALTELLI;
}

static enum ts_interval interval_of(const char *word) {
  if (!word) return TS_INTERVAL_DEFAULT;
  return strcmp(word, "normal") == 0 ? TS_INTERVAL_NORMAL : TS_INTERVAL_PERCENTILE;
}

/* Base samples, trajectories, base points; 0: every row is for itself. */
static size_t block_count(const struct analysis *a) {
  if (a->layout == TS_LAYOUT_FREE || a->layout == TS_LAYOUT_FAST) return 0;
  return a->row_count / ts_layout_block_rows(a->layout, a->file.group_count);
}

/* Resamples as requested. With very many base samples or trajectories a few resamples suffice: the intervals are
 * narrow, and their ends matter less than minutes of computing. 0: the method's default. */
static size_t resamples_of(const struct analysis *a) {
  const struct ts_request *request = a->request;
  if (request->has_resamples) return request->resamples ? request->resamples : TS_NO_RESAMPLES;
  return block_count(a) > MANY_BLOCKS ? FEW_RESAMPLES : 0;
}

static struct ts_analysis_options options_of(const struct analysis *a) {
  const struct ts_request *request = a->request;
  return (struct ts_analysis_options){.resamples = resamples_of(a),
                                      .confidence = request->confidence,
                                      .interval = interval_of(request->interval),
                                      .seed = request->seed,
                                      .levels = request->levels,
                                      .scaled = request->scaled,
                                      .estimator = estimator_of(request->estimator),
                                      .convergence = request->convergence,
                                      .harmonics = request->harmonics,
                                      .slices = request->slices,
                                      .degree = request->degree,
                                      .step = request->step};
}

/* Checks what the command line must name, before any file is read. */
static bool check_request(struct analysis *a) {
  const struct ts_request *request = a->request;
  struct ts_error err = {0};
  if (!request->method) {
    return ts_issues_usage(a->issues,
                           "name one: --method morris, --method vbd or --method correlation; 'tessera list' "
                           "shows all. With the file DESIGN.csv.json that 'tessera sample -o' writes none is needed",
                           "no method was given");
  }
  a->method = ts_method_find(request->method, &err);
  if (!a->method) {
    err.code = TS_ERR_USAGE;
    return ts_issues_fault(a->issues, &err);
  }
  if (!request->space) return true; /* reported where it is opened */
  if (!request->design)
    return ts_issues_usage(a->issues, "name the CSV file of the parameter sets: --design FILE", "no design was given");
  if (!request->outputs)
    return ts_issues_usage(a->issues, "name the CSV file of the outputs: --outputs FILE", "no output was given");
  if (strcmp(request->outputs, "-") != 0) return true;
  return ts_issues_usage(a->issues, "write them to a file; the design may come from standard input: --design -",
                         "outputs cannot come from standard input: they may be read more than once");
}

static json_t *names_json(const char *const *names, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(names[i]));
  return list;
}

/* What `n` and the numbers of further runs are counted in. */
static const char *counted_in(enum ts_layout layout) {
  switch (layout) {
  case TS_LAYOUT_TRAJECTORIES: return "trajectories";
  case TS_LAYOUT_RADIAL:
  case TS_LAYOUT_DERIVATIVE: return "base points";
  case TS_LAYOUT_SALTELLI:
  case TS_LAYOUT_SALTELLI_2: return "base samples";
  default: return "runs";
  }
}

static void describe(const struct analysis *a, json_t *object) {
  const struct ts_method *method = a->method;
  json_object_set_new(object, "method", json_string(method->name));
  json_object_set_new(object, "title", json_string(method->title));
  json_object_set_new(object, "assumes", json_string(method->assumes));
  json_object_set_new(object, "interval", json_string(method->interval));
  size_t columns = 0;
  while (columns < sizeof method->columns / sizeof *method->columns && method->columns[columns]) columns++;
  json_object_set_new(object, "columns", names_json(method->columns, columns));
  json_object_set_new(object, "rank_by", json_string(method->rank_by));
  json_object_set_new(object, "layout", json_string(ts_layout_name(a->layout)));
  json_object_set_new(object, "counted_in", json_string(counted_in(a->layout)));
  json_object_set_new(object, "runs", json_integer((json_int_t)a->row_count));
  json_object_set_new(object, "blocks", json_integer((json_int_t)block_count(a)));
  json_object_set_new(object, "seed", json_integer((json_int_t)a->request->seed));
  json_t *drawn = ts_analysis_origin_json(a);
  if (drawn) json_object_set_new(object, "drawn", drawn);
  json_object_set_new(object, "parameters", names_json(a->file.names, a->file.space.count));
  json_object_set_new(object, "space", ts_space_file_to_json(&a->file));
  if (a->file.group_of) {
    json_object_set_new(object, "groups", names_json(a->file.group_names, a->file.group_count));
  }
  json_object_set_new(object, "inputs",
                      json_pack("{s:s, s:s, s:s}", "space", a->request->space, "design", a->request->design, "outputs",
                                a->request->outputs));
}

static void add_answer(const char *name, const struct ts_indices *indices, json_t *item) {
  ts_auto(ts_str_release) struct ts_str answer = {0};
  ts_auto(ts_findings_release) struct ts_findings findings = {0};
  ts_findings_of_indices(&findings, indices);
  ts_answer(&findings, name, &answer);
  json_object_set_new(item, "answer", json_string(ts_str_get(&answer)));
}

/* The indices of the first output are at the top, too, for designs with only one. */
static void add_output(struct analysis *a, json_t *object, size_t output, const struct ts_indices *indices) {
  json_t *item = ts_analysis_output_json(a->output_names[output], indices);
  add_answer(a->output_names[output], indices, item);
  json_array_append_new(json_object_get(object, "outputs"), item);
  if (output == 0) {
    static const char *const repeated[] = {"answer", "lost",      "indices",     "S2",
                                           "order",  "unsettled", "convergence", "facts"};
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
      json_t *member = json_object_get(item, repeated[i]);
      if (member) json_object_set(object, repeated[i], member);
    }
    if (indices->resamples > 0) json_object_set_new(object, "resamples", json_integer((json_int_t)indices->resamples));
    json_object_set_new(object, "confidence", json_real(indices->confidence));
  }
  for (size_t i = 0; i < indices->note_count; i++) {
    if (a->output_count > 1) {
      ts_issues_warn(a->issues, "%s: %s", a->output_names[output], indices->notes[i]);
    } else {
      ts_issues_warn(a->issues, "%s", indices->notes[i]);
    }
  }
}

static bool analyse_output(struct analysis *a, const double *outputs, size_t output, json_t *object,
                           struct ts_error *err) {
  const struct ts_runs runs = {.names = a->file.names,
                               .parameter_count = a->file.space.count,
                               .row_count = a->row_count,
                               .layout = a->layout,
                               .unit = a->unit,
                               .values = a->values,
                               .outputs = outputs,
                               .group_of = a->file.group_of,
                               .group_count = a->file.group_count,
                               .group_names = a->file.group_names};
  const struct ts_analysis_options options = options_of(a);
  struct ts_indices indices;
  if (!ts_analyse(a->method, &runs, &options, a->pool, &indices, err)) {
    ts_error_place(err, a->outputs_path, 0, 0, NULL);
    if (a->output_count > 1) ts_error_context(err, "analysing '%s'", a->output_names[output]);
    return false;
  }
  add_output(a, object, output, &indices);
  ts_indices_release(&indices);
  return ts_meter_add(&a->meter, 1, err);
}

/* As many columns at once as memory should hold; each batch is one pass over the file. */
static bool analyse_outputs(struct analysis *a, json_t *object, struct ts_error *err) {
  size_t batch = BATCH_BYTES / (a->row_count * sizeof(double));
  if (batch == 0) batch = 1;
  if (batch > a->output_count) batch = a->output_count;
  ts_auto_free double *outputs = malloc(batch * a->row_count * sizeof *outputs);
  if (!outputs) return ts_fail(err, TS_ERR_NO_MEMORY, "there is no memory for the outputs of %zu runs", a->row_count);
  json_object_set_new(object, "outputs", json_array());
  for (size_t first = 0; first < a->output_count; first += batch) {
    size_t count = a->output_count - first < batch ? a->output_count - first : batch;
    if (!ts_analysis_read_outputs(a, first, count, outputs)) return false;
    for (size_t i = 0; i < count; i++) {
      if (!analyse_output(a, outputs + i * a->row_count, first + i, object, err)) return false;
    }
  }
  return true;
}

static void analyse(struct analysis *a, json_t *object) {
  const struct ts_request *request = a->request;
  struct ts_error err = {0};
  if (!check_request(a) || !ts_space_file_open(&a->file, request, a->issues) || !ts_analysis_check_origin(a)) return;
  a->pool = ts_pool_create(request->threads, &err);
  if (!a->pool) {
    ts_issues_fault(a->issues, &err);
    return;
  }
  bool streamed = strcmp(request->design, "-") == 0;
  a->design_path = streamed ? "-" : ts_request_path(request, &a->file.arena, request->design);
  a->outputs_path = ts_request_path(request, &a->file.arena, request->outputs);
  ts_meter_init(&a->meter, request, ts_pool_thread_count(a->pool), "read", "analyse");
  ts_meter_begin(&a->meter, 0, 0);
  /* The outputs' header first: a mistake there is reported at once, not after a long read of the design. */
  if (!ts_analysis_choose_outputs(a) || !ts_analysis_read_design(a)) return;
  ts_analysis_compare_origin(a);
  ts_meter_begin(&a->meter, 1, a->output_count);
  describe(a, object);
  bool takes_any = strcmp(a->method->name, "correlation") == 0 || strcmp(a->method->name, "regression") == 0;
  if (a->file.correlation && !takes_any) {
    ts_issues_warn(a->issues,
                   "the space has correlated parameters, but '%s' assumes that they are independent: an index also "
                   "counts what a parameter shares with others",
                   a->method->name);
  }
  if (resamples_of(a) == FEW_RESAMPLES && !request->has_resamples) {
    ts_issues_warn(a->issues, "with this many %s the intervals come from %d resamples; --resamples sets another number",
                   counted_in(a->layout), FEW_RESAMPLES);
  }
  if (!analyse_outputs(a, object, &err) && err.code != TS_ERR_OK) ts_issues_fault(a->issues, &err);
  ts_meter_end(&a->meter);
}

void ts_model_analyse(const struct ts_request *request, json_t *object, struct ts_issues *issues) {
  struct analysis a = {.own = *request, .issues = issues};
  a.request = &a.own;
  ts_analysis_take_origin(&a);
  analyse(&a, object);
  free(a.unit);
  free(a.values);
  ts_pool_destroy(a.pool);
  ts_space_file_release(&a.file);
  ts_arena_release(&a.arena);
}
