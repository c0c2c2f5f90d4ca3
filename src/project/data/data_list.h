/* Which files a dataset is made of: those of the request, of the study, of a manifest or of a work order.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_DATA_DATA_LIST_H
#define TS_PROJECT_DATA_DATA_LIST_H

#include "project/data/manifest.h"

/* The input that a list of files feeds: the first that is not a reference, if there is one; TS_NONE: there is none. */
size_t ts_data_primary_input(const struct ts_workflow *w);
/* Whether the files of a list are images; true as long as the workflow is not known. */
bool ts_data_is_images(const struct ts_project *project);
/* Per input, the files in the order of items; none: not supplied. A run that is continued gets its data from where the
 * user says that it is now, from where the project has it, or from where it is found. */
bool ts_data_list(struct ts_project *project, struct paths *files, struct item_facts *facts, struct ts_issues *issues);
/* The manifest among the data of the request, in the arena; NULL: there is none. Where a workflow reads tables, a
 * manifest is one whose header names its input. */
const char *ts_data_manifest(struct ts_project *project);
/* The images that the data of the request names without a manifest. */
void ts_data_add_request(struct ts_project *project, struct paths *paths, struct ts_issues *issues);

/* data_folder.c */
/* The images in a folder, or its files of polygons where it has no image, sorted by name. `truths` gets for each image
 * the path of its truth, or "": those are not images. NULL: every file is taken as it is. A fault if there are none;
 * `pointer` is the place of the entry in the study file, NULL: it is from the command line. */
void ts_add_folder(struct ts_project *project, struct paths *paths, struct paths *truths, const char *folder,
                   const char *pointer, struct ts_issues *issues);
bool ts_is_data_file(const char *name); /* by its ending: an image or a table */
bool ts_is_table_file(const char *name);
bool ts_is_polygon_file(const char *name);

#endif
