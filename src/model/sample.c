/* Draws parameter sets for any model and writes them as CSV.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"
#include "model/origin.h"
#include "project/data/check_data.h"

#include "analysis/method.h"
#include "base/alloc.h"
#include "base/memory.h"

#include <string.h>

struct sampling {
  const struct ts_request *request; /* borrowed */
  struct ts_issues *issues;         /* borrowed */
  const struct ts_sampler *sampler;
  struct space_file file;
  struct ts_points points;
  struct meter meter;
  struct piecewise_file out; /* when there is an output file */
  const char *path;          /* NULL: the text goes to the caller */
  const char *origin_path;   /* of the file beside it; NULL: none, as for a device or pipe */
  bool reader_left;          /* the caller wants no more text */
};

static enum ts_scramble scramble_of(const char *word) {
  if (!word) return TS_SCRAMBLE_DEFAULT;
  return strcmp(word, "owen") == 0    ? TS_SCRAMBLE_OWEN
         : strcmp(word, "shift") == 0 ? TS_SCRAMBLE_SHIFT
                                      : TS_SCRAMBLE_NONE;
}

/* The method from the command line: a mistake there is one of usage. */
static const struct ts_sampler *find_sampler(const char *name, struct ts_error *err) {
  if (!name) {
    ts_fail(err, TS_ERR_USAGE, "no method was given");
    ts_error_help(err, "name one: --method morris, --method saltelli or --method lhs; 'tessera list' shows all");
    return NULL;
  }
  const struct ts_sampler *sampler = ts_sampler_find(name, err);
  if (!sampler) err->code = TS_ERR_USAGE;
  return sampler;
}

/* Designs whose rows belong together vary every parameter by itself. */
static bool accepts_correlation(const struct sampling *sampling, struct ts_error *err) {
  const char *name = sampling->sampler->name;
  if (!sampling->file.correlation || strcmp(name, "lhs") == 0 || strcmp(name, "mc") == 0) return true;
  ts_fail(err, TS_ERR_BAD_VALUE, "the space has correlated parameters, but '%s' draws each independently", name);
  return ts_error_help(err, "use --method lhs or --method mc, or remove \"correlations\" from the space");
}

/* The least memory that any sampler needs: refused now rather than when memory runs out. */
static bool fits_memory(const struct sampling *sampling, struct ts_error *err) {
  double bytes = (double)sampling->request->count * (double)sampling->file.space.count * sizeof(double);
  uint64_t there = ts_memory_available();
  if (bytes < (double)there) return true;
  char need[32], has[32];
  ts_fail(err, TS_ERR_NO_MEMORY, "the design needs %s of memory or more, but there are %s",
          ts_format_bytes((uint64_t)bytes, need), ts_format_bytes(there, has));
  return ts_error_help(err, "draw fewer points: -N");
}

static bool draw(struct sampling *sampling, struct ts_error *err) {
  const struct ts_request *request = sampling->request;
  const struct ts_sample_options options = {.count = request->count,
                                            .seed = request->seed,
                                            .skip = request->skip,
                                            .scramble = scramble_of(request->scramble),
                                            .base = request->base,
                                            .second_order = request->second_order,
                                            .levels = request->levels,
                                            .radial = request->radial,
                                            .candidates = request->candidates,
                                            .brute_force = request->brute_force,
                                            .improve = request->improve,
                                            .correlation = sampling->file.correlation,
                                            .group_of = sampling->file.group_of,
                                            .group_count = sampling->file.group_of ? sampling->file.group_count : 0,
                                            .harmonics = request->harmonics,
                                            .step = request->step};
  ts_meter_begin(&sampling->meter, 0, 0);
  return accepts_correlation(sampling, err) && fits_memory(sampling, err) &&
         sampling->sampler->draw(&sampling->points, &sampling->file.space, &options, err);
}

static uint64_t count_lines(const char *text, size_t length) {
  uint64_t count = 0;
  const char *end = text + length;
  while (text < end && (text = memchr(text, '\n', (size_t)(end - text)))) {
    count++;
    text++;
  }
  return count;
}

static bool write_text(void *user, const char *text, size_t length, struct ts_error *err) {
  struct sampling *sampling = user;
  const struct ts_request *request = sampling->request;
  if (sampling->path) {
    if (!ts_piecewise_write(&sampling->out, text, length, err)) return false;
  } else if (request->on_text && !request->on_text(request->text_user, text, length)) {
    sampling->reader_left = true;
    return ts_fail(err, TS_ERR_FILE_IO, "the reader of the design went away");
  }
  return ts_meter_add(&sampling->meter, count_lines(text, length), err);
}

static bool write_design(struct sampling *sampling, struct ts_error *err) {
  if (sampling->path && !ts_piecewise_open(&sampling->out, sampling->path, err)) return false;
  ts_meter_begin(&sampling->meter, 1, sampling->points.row_count + 1);
  bool ok = ts_points_write_csv(&sampling->points, &sampling->file.space, sampling->request->with_unit, write_text,
                                sampling, err);
  if (sampling->path) ok = ts_piecewise_close(&sampling->out, ok, err) && ok;
  return ok;
}

static void describe(const struct sampling *sampling, json_t *object) {
  const struct ts_points *points = &sampling->points;
  json_object_set_new(object, "method", json_string(sampling->sampler->name));
  json_object_set_new(object, "title", json_string(sampling->sampler->title));
  json_object_set_new(object, "layout", json_string(ts_layout_name(points->layout)));
  json_object_set_new(object, "runs", json_integer((json_int_t)points->row_count));
  json_object_set_new(object, "block_rows", json_integer((json_int_t)points->block_rows));
  if (points->layout == TS_LAYOUT_TRAJECTORIES) {
    size_t levels = sampling->request->levels ? sampling->request->levels : TS_MORRIS_LEVELS;
    json_object_set_new(object, "levels", json_integer((json_int_t)levels));
  }
  json_object_set_new(object, "seed", json_integer((json_int_t)sampling->request->seed));
  json_t *names = json_array();
  for (size_t i = 0; i < sampling->file.space.count; i++) {
    json_array_append_new(names, json_string(sampling->file.space.parameters[i]->name));
  }
  json_object_set_new(object, "parameters", names);
  if (sampling->file.group_of) {
    json_t *groups = json_array();
    for (size_t i = 0; i < sampling->file.group_count; i++) {
      json_array_append_new(groups, json_string(sampling->file.group_names[i]));
    }
    json_object_set_new(object, "groups", groups);
  }
  json_object_set_new(object, "space", json_string(sampling->request->space));
  json_object_set_new(object, "analyses", ts_fitting_analyses(points->layout));
  if (sampling->path) json_object_set_new(object, "output", json_string(sampling->request->output));
  if (points->note) ts_issues_warn(sampling->issues, "%s", points->note);
}

/* What must not be replaced: the space, and a file beside the design that is not of a design. */
static bool choose_paths(struct sampling *sampling) {
  const struct ts_request *request = sampling->request;
  struct ts_arena *arena = &sampling->file.arena;
  if (!request->output) return true;
  sampling->path = ts_request_path(request, arena, request->output);
  const char *space = ts_request_path(request, arena, request->space);
  if (!ts_check_output_file(request, sampling->path, sampling->issues) ||
      !ts_check_output_apart(sampling->path, &space, 1, sampling->issues))
    return false;
  if (ts_is_device(sampling->path)) return true;
  sampling->origin_path = ts_origin_path(sampling->path, arena);
  if (!ts_origin_is_taken(sampling->origin_path)) return true;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_OUTPUT_FOLDER, "'%s' is there, and is not what 'tessera sample' writes beside a design",
          sampling->origin_path);
  ts_error_help(&err, "choose another name for the design with -o, or move that file");
  ts_error_place(&err, sampling->origin_path, 0, 0, NULL);
  return ts_issues_fault(sampling->issues, &err);
}

/* The design is complete: how it was made. */
static void keep_origin(const struct sampling *sampling, json_t *object) {
  struct ts_error err = {0};
  if (!sampling->origin_path) return;
  if (!ts_origin_write(sampling->origin_path, sampling->request, &sampling->file, object, &err)) {
    ts_issues_fault(sampling->issues, &err);
    return;
  }
  ts_auto(ts_str_release) struct ts_str name = {0};
  ts_str_addf(&name, "%s.json", sampling->request->output);
  json_object_set_new(object, "design_json", json_string(ts_str_get(&name)));
}

/* Makes and writes the design; the reply describes it only if it is complete. */
static void sample(struct sampling *sampling, json_t *object) {
  const struct ts_request *request = sampling->request;
  struct ts_error err = {0};
  sampling->sampler = find_sampler(request->method, &err);
  if (!sampling->sampler) {
    ts_issues_fault(sampling->issues, &err);
    return;
  }
  if (!ts_space_file_open(&sampling->file, request, sampling->issues)) return;
  if (!choose_paths(sampling)) return;
  ts_meter_init(&sampling->meter, request, 1, "draw", "write");
  if (draw(sampling, &err) && write_design(sampling, &err)) {
    ts_meter_end(&sampling->meter);
    describe(sampling, object);
    keep_origin(sampling, object);
  } else if (!sampling->reader_left) {
    ts_issues_fault(sampling->issues, &err);
  }
}

bool ts_model_sample(const struct ts_request *request, json_t *object, struct ts_issues *issues) {
  struct sampling sampling = {.request = request, .issues = issues};
  sample(&sampling, object);
  ts_points_release(&sampling.points);
  ts_space_file_release(&sampling.file);
  return !sampling.reader_left;
}
