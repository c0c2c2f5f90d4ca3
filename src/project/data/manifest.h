/* A manifest: a CSV file that names the files of each item, the groups it belongs to its resolution and its split.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_DATA_MANIFEST_H
#define TS_PROJECT_DATA_MANIFEST_H

#include "project/project.h"

/* Files of one input, in the order of items. */
struct paths {
  const char **items; /* owned; the strings belong to the project's arena */
  size_t count, capacity;
};
void ts_paths_add(struct ts_project *project, struct paths *paths, const char *path);
/* The images in a folder, or its files of polygons where it has no image, sorted by name (data_folder.c). A fault if
 * there are none; `pointer` is the place of the entry in the study file, NULL: it is from the command line. */
void ts_add_folder(struct ts_project *project, struct paths *paths, const char *folder, const char *pointer,
                   struct ts_issues *issues);

/* What a manifest or a work order says about items beside their files. All in the project's arena. */
struct item_facts {
  const char *const *groups;               /* values of the declared groups, item after item; NULL: none are known */
  const struct ts_given_resolution *given; /* per item; NULL: nothing is given */
  const struct ts_given_tissue *tissue;    /* per item; NULL: nothing is given */
  const bool *held_out;                    /* per item; NULL: nothing is said about a split */
  /* Where a manifest gives levels, masks and splits, for faults that are found later; NULL: not in a manifest. */
  const char *manifest;
  const int *lines; /* of each item */
  size_t item_count, level_column, tissue_column, split_column;
};

/* Reads the manifest at `path`: files[i] gets those of input i. All faults at once, each with the cell it is about. */
bool ts_manifest_read(struct ts_project *project, const char *path, struct paths *files, struct item_facts *facts,
                      struct ts_issues *issues);

#endif
