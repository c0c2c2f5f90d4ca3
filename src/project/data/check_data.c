/* Whether the files of a dataset are what the inputs of the workflow need, found from headers before any computing.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Used by every command that opens a dataset, so that check, plan, run and study say the same. */
#include "project/data/check_data.h"

#include "base/alloc.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

const struct ts_type *ts_input_file_type(const struct ts_workflow_input *input, const struct ts_image_info *info) {
  if (input->type) return input->type;
  const struct ts_type *labels = ts_type_find("labels");
  if (info->bits > 8 && ts_type_fits(labels, input->declaration)) return labels;
  return ts_type_find("mask");
}

bool ts_input_is_image(const struct ts_workflow_input *input) {
  return !input->type || input->type->kind == TS_DATA_PIXELS;
}

bool ts_input_is_unused(const struct ts_project *project, size_t input) {
  return project->is_study && project->study.reference == REFERENCE_DEFAULT &&
         project->workflow->inputs[input].default_run.kind == TS_SOURCE_TASK;
}

static bool fits(const struct ts_workflow_input *input, const struct ts_image_info *info) {
  return ts_image_fits_type(info, ts_input_file_type(input, info));
}

/* Another input whose file would fit this one, and this one's file it; TS_NONE if there is none. */
static size_t swapped_with(const struct ts_workflow *w, const struct ts_item_source *sources,
                           const struct ts_image_info *infos, size_t input) {
  for (size_t other = 0; other < w->input_count; other++) {
    if (other == input || !sources[other].path || !sources[other].type || !ts_input_is_image(&w->inputs[other]))
      continue;
    if (fits(&w->inputs[input], &infos[other]) && fits(&w->inputs[other], &infos[input])) return other;
  }
  return TS_NONE;
}

/* The command that converts 16 bits to 8: the upper ones are kept. (After a cast the file still has 16 bits.) */
static void help_with_bits(const struct ts_image_info *info, const char *path, struct ts_error *err) {
  ts_auto_free char *stem = ts_path_stem(path);
  bool grey = info->channels == 1;
  ts_error_help(err, "convert it to 8 bits with: vips colourspace '%s' '%s-8bit.png' %s%s", path, stem,
                grey ? "b-w" : "srgb", grey ? "; or declare the input as image/gray16" : "");
}

static void help_with_type(const struct ts_type *type, const struct ts_image_info *info, const char *path,
                           struct ts_error *err) {
  if (type->element == TS_F32 || type->element == TS_F64) {
    ts_error_help(err, "declare the input as image/rgb8, image/gray8, image/gray16, mask or labels");
  } else if (info->channels <= type->channels) {
    help_with_bits(info, path, err);
  } else if (strcmp(type->name, "mask") == 0 || strcmp(type->name, "labels") == 0) {
    ts_error_help(err, "give a file with one channel: 0 is the background, objects are 255 or numbered");
  } else {
    ts_error_help(err, "give a grey image, or declare the input as image/rgb8");
  }
}

static void refuse(const struct ts_project *project, const struct ts_item_source *sources,
                   const struct ts_image_info *infos, size_t input, size_t other, struct ts_issues *issues) {
  const struct ts_workflow_input *needs = &project->workflow->inputs[input];
  const char *path = sources[input].path;
  struct ts_error *fault = ts_faults_add(&issues->faults);
  ts_fail(fault, TS_ERR_BAD_IMAGE, "the input '%s' needs %s, but '%s' is %s", needs->name, needs->declaration, path,
          ts_image_description(&infos[input]));
  if (other != TS_NONE) {
    ts_error_help(fault, "are the %s '%s' and '%s' swapped?", project->study.manifest ? "columns" : "files of",
                  needs->name, project->workflow->inputs[other].name);
  } else {
    help_with_type(sources[input].type, &infos[input], path, fault);
  }
  ts_error_place(fault, path, 0, 0, NULL);
}

static void note_grey(const struct ts_workflow_input *input, const struct ts_item_source *source,
                      const struct ts_image_info *info, struct grey_images *grey) {
  if (source->type->channels < 3 || info->channels >= 3 || !ts_image_fits_type(info, source->type)) return;
  if (grey->count++ > 0) return;
  grey->first = source->path;
  grey->input = input->name;
}

void ts_grey_images_warn(const struct grey_images *grey, struct ts_issues *issues) {
  char more[48] = "", number[32];
  if (grey->count == 0) return;
  if (grey->count > 1) snprintf(more, sizeof more, " (and %s more files)", ts_format_count(grey->count - 1, number));
  ts_issues_warn(issues,
                 "'%s'%s is a grey image, but '%s' is to be in colour: its three channels are the same, so what "
                 "looks at colours or stains finds none",
                 grey->first, more, grey->input);
}

void ts_check_item_types(const struct ts_project *project, const struct ts_item_source *sources,
                         const struct ts_image_info *infos, struct grey_images *grey, struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  size_t reported = TS_NONE; /* the other one of two files that were swapped */
  for (size_t i = 0; i < w->input_count; i++) {
    bool there = sources[i].path && sources[i].type && ts_input_is_image(&w->inputs[i]);
    if (there) note_grey(&w->inputs[i], &sources[i], &infos[i], grey);
    if (!there || i == reported || fits(&w->inputs[i], &infos[i])) continue;
    size_t other = swapped_with(w, sources, infos, i);
    refuse(project, sources, infos, i, other, issues);
    if (other != TS_NONE) reported = other;
  }
}
