/* Values of parameters that come from elsewhere: from a file, or from a set of an earlier study.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A values file is {"schema": "tessera.values/1", "workflow", "values": {NAME: VALUE}, "from"}, or a CSV file with a
 * header and one row. Whatever the source is, its values become settings of the request, as if each had been given with
 * -p: they are checked, kept in the work order and restored by --resume in the same way, and -p overrides them. */
#ifndef TS_STUDY_VALUES_H
#define TS_STUDY_VALUES_H

#include "project/project.h"

#define TS_VALUES_SCHEMA "tessera.values/1"

/* Values by parameter, in an arena. */
struct given_values {
  const struct ts_workflow *workflow; /* borrowed */
  struct ts_arena *arena;             /* borrowed */
  struct ts_value *values;            /* one for each parameter */
  bool *is_given;                     /* the same */
};

/* Replaces the request of the project by one with the values that it asks for (--values, --of, --set, --best); once the
 * workflow is read and the store is open (NULL: there is none). */
bool ts_values_settle(struct ts_project *project, struct ts_store *store, struct ts_issues *issues);

/* values_file.c */
/* All faults of the file, with their places. */
bool ts_values_read(const char *path, struct given_values *given, struct ts_issues *issues);
struct study_result;
/* Writes the file of the best set into the folder of the study and names it in the result, if there is one. */
bool ts_values_write(struct study_result *r, struct ts_issues *issues);

#endif
