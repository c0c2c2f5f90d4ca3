/* Looks at the data of 'init --data': which images a built-in workflow takes, and which have a truth that fits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/init/init_int.h"
#include "project/data/check_data.h"
#include "project/data/data_list.h"
#include "project/data/pairing.h"

#include "base/alloc.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

void ts_init_data_release(struct init_data *data) {
  free(data->left_out);
  ts_arena_release(&data->arena);
}

static void leave_out(struct init_data *data, const char *file, const char *reason) {
  data->left_out = ts_grow(data->left_out, data->left_out_count, &data->left_out_capacity, sizeof *data->left_out);
  data->left_out[data->left_out_count++] = (struct init_left_out){.file = file, .reason = reason};
}

/* A file of the data once its header was read. */
struct seen {
  const struct ts_paired_file *file;
  struct ts_image_info info;
  bool is_readable;
  const char *trouble; /* in the arena; of one that is not */
};

static void look_at(struct ts_arena *arena, const struct ts_paired_file *file, struct seen *seen) {
  struct ts_error err = {0};
  *seen = (struct seen){.file = file};
  seen->is_readable = !ts_is_polygon_file(file->path) && ts_image_inspect(file->path, 0, &seen->info, &err);
  if (!seen->is_readable) seen->trouble = ts_arena_strdup(arena, err.text);
}

/* ---- the workflow ---- */

/* The inputs that images and truths feed. */
struct inputs {
  const struct ts_workflow_input *image, *truth; /* truth: NULL if the workflow compares with nothing */
};

static size_t count_fitting(const struct inputs *inputs, const struct seen *seen, size_t count) {
  size_t fitting = 0;
  for (size_t i = 0; i < count; i++)
    fitting += !seen[i].file->is_truth && seen[i].is_readable && ts_built_in_takes(inputs->image, &seen[i].info);
  return fitting;
}

/* The first built-in workflow that takes an image, or else the first of all; to destroy. */
static struct ts_workflow *choose(struct init_data *data, const struct seen *seen, size_t count,
                                  struct ts_registry *registry, struct inputs *inputs, struct ts_issues *issues) {
  size_t number = 0;
  for (;; number++) {
    ts_auto(ts_json_doc_close) struct ts_json_doc doc = {0};
    data->built_in = ts_built_in_at(number);
    struct ts_workflow *workflow = ts_built_in_workflow(data->built_in, registry, &doc, issues);
    if (!workflow) return NULL;
    const size_t truth = ts_reference_input(workflow);
    inputs->image = &workflow->inputs[ts_data_primary_input(workflow)];
    inputs->truth = truth == TS_NONE ? NULL : &workflow->inputs[truth];
    if (count_fitting(inputs, seen, count) > 0 || !ts_built_in_at(number + 1)) return workflow;
    ts_workflow_destroy(workflow);
  }
}

/* ---- images and truths ---- */

/* Why a file cannot be the truth of an image; NULL: it can. */
static const char *truth_trouble(struct ts_arena *arena, const struct seen *image, const struct seen *truth) {
  if (ts_is_polygon_file(truth->file->path)) return NULL; /* read with the data */
  if (!truth->is_readable) return truth->trouble;
  if (truth->info.channels != 1)
    return ts_arena_printf(arena, "%s, but a truth has one channel: 0 is the background, objects are 255 or numbered",
                           ts_image_description(&truth->info));
  if (truth->info.width == image->info.width && truth->info.height == image->info.height) return NULL;
  return ts_arena_printf(arena, "%lld x %lld pixels, but its image '%s' has %lld x %lld", (long long)truth->info.width,
                         (long long)truth->info.height, ts_path_name(image->file->path), (long long)image->info.width,
                         (long long)image->info.height);
}

/* The truth of an image that fits; NULL: none does, and what is wrong with it is left out. */
static const char *truth_of(struct init_data *data, const struct seen *seen, size_t image) {
  const struct ts_paired_file *file = seen[image].file;
  if (file->truth == SIZE_MAX) return NULL;
  const char *path = seen[file->truth].file->path;
  const char *trouble = truth_trouble(&data->arena, &seen[image], &seen[file->truth]);
  if (trouble) leave_out(data, path, trouble);
  return trouble ? NULL : path;
}

static void add_image(struct init_data *data, const struct inputs *inputs, const struct seen *seen, size_t index) {
  const struct seen *image = &seen[index];
  const char *path = image->file->path;
  if (!image->is_readable) {
    leave_out(data, path, image->trouble);
  } else if (!ts_built_in_takes(inputs->image, &image->info)) {
    leave_out(data, path,
              ts_arena_printf(&data->arena, "%s, but '%s' needs %s", ts_image_description(&image->info),
                              data->built_in->name, ts_built_in_needs(inputs->image)));
  } else {
    const char *truth = inputs->truth ? truth_of(data, seen, index) : NULL;
    data->pairs[data->pair_count++] = (struct init_pair){path, truth, image->info.width, image->info.height};
    if (truth) data->has_truth = true;
  }
}

/* Where some images have a truth, those without one are left out: the scores would not be of the same thing. */
static void drop_without_truth(struct init_data *data, const struct ts_paired_file *files, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < data->pair_count; i++) {
    size_t file = 0, truths = 0;
    while (file < count && files[file].path != data->pairs[i].image) file++;
    if (file < count) truths = files[file].truth_count;
    if (data->pairs[i].truth || (!data->has_truth && truths < 2))
      data->pairs[kept++] = data->pairs[i];
    else if (truths > 1)
      leave_out(data, data->pairs[i].image, "several files could be its truth: say which are, with --truth PATTERN");
    else
      leave_out(data, data->pairs[i].image, "it has no truth, and others have");
  }
  data->pair_count = kept;
}

static void report_unpaired(struct init_data *data, const struct ts_paired_file *files, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (files[i].is_truth && files[i].image == SIZE_MAX && !files[i].in_truths)
      leave_out(data, files[i].path, "a truth or polygons, but there is no image of its name");
  }
}

static bool fail_nothing(const struct init_data *data, struct ts_issues *issues) {
  struct ts_error *fault = ts_faults_add(&issues->faults);
  if (data->left_out_count > 0)
    ts_fail(fault, TS_ERR_BAD_IMAGE, "no image of the data can be used: '%s': %s", data->left_out[0].file,
            data->left_out[0].reason);
  else
    ts_fail(fault, TS_ERR_NO_TILES, "the data has no images");
  return ts_error_help(fault,
                       "the workflow is '%s', %s; to study other images, write a workflow.json: tessera help workflow",
                       data->built_in->name, data->built_in->use);
}

static bool look(struct init_data *data, const struct ts_paired_file *files, size_t count, struct ts_issues *issues) {
  struct ts_registry *registry = ts_project_registry();
  struct seen *seen = ts_arena_array(&data->arena, count + 1, sizeof *seen);
  struct inputs inputs = {0};
  for (size_t i = 0; i < count; i++) look_at(&data->arena, &files[i], &seen[i]);
  struct ts_workflow *workflow = choose(data, seen, count, registry, &inputs, issues);
  data->pairs = ts_arena_array(&data->arena, count + 1, sizeof *data->pairs);
  for (size_t i = 0; workflow && i < count; i++)
    if (!files[i].is_truth) add_image(data, &inputs, seen, i);
  if (workflow) {
    data->image_column = ts_arena_strdup(&data->arena, inputs.image->name);
    data->truth_column = inputs.truth ? ts_arena_strdup(&data->arena, inputs.truth->name) : NULL;
    drop_without_truth(data, files, count);
    report_unpaired(data, files, count);
  }
  ts_workflow_destroy(workflow);
  ts_registry_destroy(registry);
  if (!workflow) return false;
  return data->pair_count > 0 || fail_nothing(data, issues);
}

bool ts_init_look(const struct ts_request *request, struct init_data *data, struct ts_issues *issues) {
  struct ts_error err = {0};
  size_t count = 0;
  *data = (struct init_data){0};
  if (!ts_image_startup(&err)) return ts_issues_fault(issues, &err);
  const struct ts_paired_file *files = ts_init_list(request, &data->arena, &count, issues);
  return files && look(data, files, count, issues);
}
