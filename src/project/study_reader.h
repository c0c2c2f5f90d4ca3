/* Reading a study file: what its readers share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PROJECT_STUDY_READER_H
#define TS_PROJECT_STUDY_READER_H

#include "project/project.h"

/* Longer than the fields of an error: texts are cut there, at the end of a character. */
#define TEXT_BYTES 600

struct study_reader {
  struct ts_project *project; /* borrowed */
  struct ts_issues *issues;   /* borrowed */
  const char *what;           /* borrowed: the object being read, for messages; NULL: the study */
  char pointer[192];          /* of the object being read */
};

/* A fault at `name` in the object (NULL: at the object itself). */
void ts_study_complain(struct study_reader *r, const char *name, enum ts_error_code code, enum ts_json_part part,
                       const char *text, const char *help);
void ts_study_wrong_type(struct study_reader *r, const char *name, const char *needed, const json_t *value);
/* Reports every key that is not in the list, with the nearest one that is. */
void ts_study_check_keys(struct study_reader *r, const json_t *object, const char *const *known, size_t known_count);
const char *ts_study_read_string(struct study_reader *r, const json_t *object, const char *name, const char *otherwise);
/* A whole number from `lowest` to `highest`. */
int64_t ts_study_read_integer(struct study_reader *r, const json_t *object, const char *name, int64_t lowest,
                              int64_t highest, int64_t otherwise);
/* A number between `above` and `below`, both left out. */
double ts_study_read_share(struct study_reader *r, const json_t *object, const char *name, double above, double below,
                           double otherwise);
bool ts_study_read_boolean(struct study_reader *r, const json_t *object, const char *name);
/* One of `words` (NULL-ended); its number, or 0 (with a complaint for anything else). */
size_t ts_study_read_word(struct study_reader *r, const json_t *object, const char *name, const char *const *words);
const char **ts_study_read_strings(struct study_reader *r, const json_t *object, const char *name, size_t *count);
/* Steps into an object; false if it is missing or not an object. */
bool ts_study_enter(struct study_reader *r, const json_t *object, const char *name, struct study_reader *inner,
                    const json_t **value);

#endif
