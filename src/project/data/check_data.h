/* Checks of a dataset and of the place for results that come before any computing.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_DATA_CHECK_DATA_H
#define TS_PROJECT_DATA_CHECK_DATA_H

#include "image/image.h"
#include "project/project.h"

/* Whether its files are images: pixels, or one of several types of pixels. */
bool ts_input_is_image(const struct ts_workflow_input *input);
/* A reference that the study does not compare with: its files must fit all the same, because a run takes them. */
bool ts_input_is_unused(const struct ts_project *project, size_t input);
/* The type that a file is read as: the declared one, or for "mask|labels" the one that fits its pixels. */
const struct ts_type *ts_input_file_type(const struct ts_workflow_input *input, const struct ts_image_info *info);
/* Grey images that are read as colour images; all zero before the first item. */
struct grey_images {
  const char *first, *input; /* borrowed: a path, and the name of the input */
  size_t count;
};
/* A fault for each file of an item that its input cannot take; one for two that were swapped. Both arrays per input; a
 * source without a type was not opened. */
void ts_check_item_types(const struct ts_project *project, const struct ts_item_source *sources,
                         const struct ts_image_info *infos, struct grey_images *grey, struct ts_issues *issues);
/* After all items. */
void ts_grey_images_warn(const struct grey_images *grey, struct ts_issues *issues);

/* check_output.c: where `run` and `study` write; in the arena. `run`: its id; NULL: not known yet, as good as any. */
const char *ts_output_run_folder(const struct ts_project *project, const char *run, struct ts_arena *arena);
const char *ts_output_study_folder(const struct ts_project *project, struct ts_arena *arena);
/* Whether files can be made in a folder, which may have to be created, or in place of a file whose folder must be
 * there. Nothing is left behind. */
bool ts_check_output_folder(const struct ts_request *request, const char *folder, struct ts_issues *issues);
bool ts_check_output_file(const struct ts_request *request, const char *path, struct ts_issues *issues);
/* Whether a file to be written is none of those that are read (each may be NULL). */
bool ts_check_output_apart(const char *path, const char *const *inputs, size_t count, struct ts_issues *issues);
/* A device or pipe: it is written to, and nothing lies beside it. */
bool ts_is_device(const char *path);

/* check_space.c */
void ts_warn_about_defaults(const struct ts_workflow *w, struct ts_issues *issues);
/* Rows of a given design with values that the space does not have; all zero before the first row. */
struct design_misfits {
  size_t row_count, count;              /* rows so far, and those among them that do not fit */
  size_t row, column;                   /* the first that does not, from 0 */
  const struct ts_parameter *parameter; /* borrowed; of that column */
  double number;
  int line, line_column; /* its place in the file, set by the caller; 0: not known */
};
void ts_misfits_row(struct design_misfits *misfits, const struct ts_parameter *const *parameters, const double *row,
                    size_t count);
void ts_misfits_warn(const struct design_misfits *misfits, const char *path, struct ts_issues *issues);
/* The same for a design that was read for the workflow. */
void ts_warn_about_design(const struct ts_workflow *w, const struct ts_design *design, const char *path,
                          struct ts_issues *issues);
/* Warns if a run that writes these products makes very many files. */
void ts_warn_about_files(const struct ts_project *project, const struct ts_source *wanted, size_t count,
                         struct ts_issues *issues);

#endif
