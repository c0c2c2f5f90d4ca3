/* Replies of the library: reading their fields, and their faults, warnings and failed tasks as messages.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fields that are missing, null or of another type read as empty: a reply of a newer library is still shown. */
#ifndef TS_CLI_REPLY_H
#define TS_CLI_REPLY_H

#include "base/str.h"
#include "cli/view.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

const char *ts_cli_reply_text(const json_t *object, const char *name); /* "" if missing */
uint64_t ts_cli_reply_count(const json_t *object, const char *name);
double ts_cli_reply_number(const json_t *object, const char *name);        /* NaN if missing */
bool ts_cli_reply_has(const json_t *object, const char *name);             /* neither missing nor null */
const json_t *ts_cli_reply_member(const json_t *object, const char *name); /* NULL if missing; accessors accept NULL */

/* "the truth", "the run at default parameters" or "the reference files" from {"against"}; "" if it compares nothing. */
const char *ts_cli_reply_against(const json_t *object);
/* The name of an output with what it is compared with, for headings; a default run is part of the name itself. */
void ts_cli_reply_add_output(struct ts_str *out, const json_t *output);
/* The digits of a key, without what says its kind ("k1:"). */
const char *ts_cli_reply_key(const char *key);
/* "segment/9c1e4f" from {"task": "segment.split", "key": "9c1e4f..."}. */
void ts_cli_reply_add_task(struct ts_str *out, const json_t *task);
/* "G1 = 40, T1 = 5": values of parameters by name. */
void ts_cli_reply_add_params(struct ts_str *out, json_t *params);
/* "slide.png, tile 12,40" from {"file", "tile"}; nothing for tasks without either. */
void ts_cli_reply_add_place(struct ts_str *out, const json_t *task);
/* Faults and failed tasks; with `warnings`, those too. */
void ts_cli_reply_add_messages(struct ts_str *out, const struct ts_view *view, const json_t *reply, bool warnings);
/* A reply that says what is wrong, for errors found by the program itself. New reference. */
json_t *ts_cli_reply_from_faults(const struct ts_faults *faults);

#endif
