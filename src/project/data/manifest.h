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

/* Reads the manifest at `path`: files[i] gets those of input i. All faults at once, each with the cell it is about.
 * `pointer` is the place of its name in the study file; NULL: it is from the command line. */
bool ts_manifest_read(struct ts_project *project, const char *path, const char *pointer, struct paths *files,
                      struct item_facts *facts, struct ts_issues *issues);
/* Whether the header of a CSV file names this input; false if it cannot be read. */
bool ts_manifest_names_input(const char *path, const char *input);

#endif
