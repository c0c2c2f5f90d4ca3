/* A small project on disk for tests of whole calls: the nuclei workflow over six tiles of the demo's slide.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_SUPPORT_SMALL_PROJECT_H
#define TS_TESTS_SUPPORT_SMALL_PROJECT_H

#include "tessera.h"

#define SMALL_WIDTH  192
#define SMALL_HEIGHT 128
#define SMALL_TILE   64
#define SMALL_TILES  6
#define SMALL_SETS   3 /* rows of design.csv */

struct small_project {
  char folder[80]; /* study.json compares with the truth, default.json with the default run; design.csv */
};

/* Makes the folder; fails the test if it cannot. */
void small_project_make(struct small_project *project);
void small_project_remove(const struct small_project *project);
/* Writes or replaces a file of the project. */
void small_project_write(const struct small_project *project, const char *name, const char *text);
/* The values of a row of design.csv, parameter after parameter; the row behind the last has the defaults. */
const struct tessera_setting *small_project_set(size_t row, size_t *count);

#endif
