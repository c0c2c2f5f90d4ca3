/* What the files of the generator write from a descriptor.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_GENERATE_GENERATE_INT_H
#define TS_GENERATE_GENERATE_INT_H

#include "generate/descriptor.h"

/* A text between double quotation marks, as C and Python (and JSON) read it. */
void ts_new_quote(const char *text, struct ts_str *out);
void ts_new_c_source(const struct new_operation *op, struct ts_str *out);      /* c_source.c */
void ts_new_c_body(const struct new_operation *op, struct ts_str *out);        /* c_body.c: the function that works */
void ts_new_python_source(const struct new_operation *op, struct ts_str *out); /* python_source.c */
void ts_new_manifest(const struct new_operation *op, struct ts_str *out);      /* manifest_file.c */
json_t *ts_new_parameter_json(const struct ts_op_parameter *parameter);        /* type, domain, choices, help */
void ts_new_add_json(json_t *object, struct ts_str *out);                      /* takes the reference */
void ts_new_makefile(const struct new_operation *op, struct ts_str *out);      /* build_files.c, as the next two */
void ts_new_test(const struct new_operation *op, struct ts_str *out);
void ts_new_readme(const struct new_operation *op, struct ts_str *out);
void ts_new_workflow(const struct new_operation *op, struct ts_str *out); /* workflow_files.c, as the next two */
void ts_new_study(const struct new_operation *op, struct ts_str *out);
void ts_new_data_table(const struct new_operation *op, struct ts_str *out);
bool ts_new_has_study(const struct new_operation *op); /* whether a parameter can be varied */
/* The file that a workflow names: "libzlib_crc.so" or "zlib_crc.json". In the arena. */
const char *ts_new_operation_file(const struct new_operation *op);

/* Example data (example_data.c): writes `number` (from 1) for an input; its name in the folder goes to `name`. */
#define NEW_EXAMPLES 2
void ts_new_example_name(const struct new_input *input, int number, char name[128]);
bool ts_new_write_example(const struct new_input *input, int number, const char *path, struct ts_error *err);

#endif
