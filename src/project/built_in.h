/* Workflows that the program carries for data without a project: which one fits, and how it is studied.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A further one is a line in the table of built_in.c and its two files below workflows/. */
#ifndef TS_PROJECT_BUILT_IN_H
#define TS_PROJECT_BUILT_IN_H

#include "base/embedded.h"
#include "project/project.h"

struct ts_built_in {
  const char *name;     /* "nuclei" */
  const char *workflow; /* embedded file */
  const char *study;    /* the same: a study of it that names no data */
  const char *use;      /* as in "for tissue stained with haematoxylin and eosin" */
};

const struct ts_built_in *ts_built_in_at(size_t number); /* NULL behind the last */
const struct ts_embedded_file *ts_built_in_file(const char *path);
/* Its workflow, to destroy; `doc`, to close, gets the text. NULL: faults. */
struct ts_workflow *ts_built_in_workflow(const struct ts_built_in *built_in, struct ts_registry *registry,
                                         struct ts_json_doc *doc, struct ts_issues *issues);
/* Whether the image is what an input is meant for: no bits are dropped, and there are colours where it has any. */
bool ts_built_in_takes(const struct ts_workflow_input *input, const struct ts_image_info *info);
/* "an RGB image with 8 bits per channel"; constant text. */
const char *ts_built_in_needs(const struct ts_workflow_input *input);

/* Reads the project from the built-in workflow that fits the data of the request, and says so in a note. */
bool ts_built_in_read(struct ts_project *project, struct ts_issues *issues);

#endif
