/* A manifest: a CSV file that names the files of each item, and the groups it belongs to.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_MANIFEST_H
#define TS_PROJECT_MANIFEST_H

#include "project/project.h"

/* Files of one input, in the order of items. */
struct paths {
  const char **items; /* owned; the strings belong to the project's arena */
  size_t count, capacity;
};
void ts_paths_add(struct ts_project *project, struct paths *paths, const char *path);

/* Reads the manifest at `path`: files[i] gets those of input i, and *groups the values of the declared groups, row
 * after row (in the project's arena). All faults at once, each with the cell it is about. */
bool ts_manifest_read(struct ts_project *project, const char *path, struct paths *files, const char *const **groups,
                      struct ts_issues *issues);

#endif
