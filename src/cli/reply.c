/* Reads replies and turns what went wrong into messages.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/reply.h"

#include "base/alloc.h"
#include "base/error_format.h"
#include "base/error_json.h"
#include "cli/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_FAILED 5 /* one message for equal ones; 'tessera log' has them all */
#define MAX_FILES  5 /* with the same error */
#define KEY_DIGITS 6 /* of a key in the name of a task */
#define MAX_PARAMS 6 /* of a task that failed; its log has all */

const json_t *ts_cli_reply_member(const json_t *object, const char *name) { return json_object_get(object, name); }

const char *ts_cli_reply_text(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

uint64_t ts_cli_reply_count(const json_t *object, const char *name) {
  double value = json_number_value(json_object_get(object, name));
  return value > 0 ? (uint64_t)value : 0;
}

double ts_cli_reply_number(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

bool ts_cli_reply_has(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  return value && !json_is_null(value);
}

const char *ts_cli_reply_against(const json_t *object) {
  const char *against = ts_cli_reply_text(object, "against");
  if (strcmp(against, "truth") == 0) return "the truth";
  if (strcmp(against, "files") == 0) return "the reference files";
  return strcmp(against, "default") == 0 ? "the run at default parameters" : "";
}

void ts_cli_reply_add_output(struct ts_str *out, const json_t *output) {
  const char *against = ts_cli_reply_against(output);
  ts_str_add(out, ts_cli_reply_text(output, "name"));
  if (*against && strcmp(ts_cli_reply_text(output, "against"), "default") != 0)
    ts_str_addf(out, " against %s", against);
}

const char *ts_cli_reply_key(const char *key) {
  const char *colon = strchr(key, ':');
  return colon ? colon + 1 : key;
}

void ts_cli_reply_add_task(struct ts_str *out, const json_t *task) {
  const char *name = ts_cli_reply_text(task, "task");
  const char *key = ts_cli_reply_key(ts_cli_reply_text(task, "key"));
  struct ts_str text = {0};
  if (*key && !strchr(name, '/')) {
    ts_str_addf(&text, "%.*s/%.*s", (int)strcspn(name, "."), name, KEY_DIGITS, key);
  } else {
    ts_str_add(&text, name);
  }
  ts_cli_text_add_safe(out, ts_str_get(&text));
  ts_str_release(&text);
}

void ts_cli_reply_add_place(struct ts_str *out, const json_t *task) {
  const char *file = ts_cli_reply_text(task, "file");
  ts_cli_text_add_safe(out, file);
  const json_t *tile = json_object_get(task, "tile");
  if (json_array_size(tile) != 2) return;
  ts_str_addf(out, "%stile %lld,%lld", *file ? ", " : "", (long long)json_integer_value(json_array_get(tile, 0)),
              (long long)json_integer_value(json_array_get(tile, 1)));
}

static void add_gap(struct ts_str *out) {
  if (out->length > 0) ts_str_add_char(out, '\n');
}

/* A fault of a file as a whole, such as an image of the wrong kind: a cohort may have hundreds of them. */
static bool is_about_file(const struct ts_error *err) { return err->where.file[0] != '\0' && err->where.line == 0; }

static void add_faults(struct ts_str *out, const struct ts_view *view, const json_t *faults) {
  size_t shown[TS_ERR_COUNT] = {0}, left_out = 0;
  for (size_t i = 0; i < json_array_size(faults); i++) {
    struct ts_error err;
    ts_error_from_json(json_array_get(faults, i), TS_ERR_SYSTEM, &err);
    if (is_about_file(&err) && ++shown[err.code] > MAX_FILES) {
      left_out++;
      continue;
    }
    add_gap(out);
    ts_error_format(&err, view->color, out);
  }
  if (left_out == 0) return;
  ts_str_add(out, "\nand ");
  ts_cli_text_add_count(out, left_out, "more file");
  ts_str_add(out, " with errors of the same kind; --json lists all\n");
}

static void add_value(struct ts_str *out, const json_t *value) {
  if (json_is_string(value)) {
    ts_cli_text_add_safe(out, json_string_value(value));
  } else if (json_is_real(value)) {
    ts_str_add_double(out, json_real_value(value)); /* as -p takes it: 3, not 3.0 */
  } else {
    ts_auto_free char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    ts_str_add(out, text ? text : "");
  }
}

void ts_cli_reply_add_params(struct ts_str *out, json_t *params) {
  const char *name, *before = "";
  json_t *value;
  size_t count = 0;
  json_object_foreach(params, name, value) {
    if (++count > MAX_PARAMS) break;
    ts_str_addf(out, "%s%s = ", before, name);
    add_value(out, value);
    before = ", ";
  }
  if (count > MAX_PARAMS) ts_str_add(out, ", ...");
}

/* "failed in 24 tiles", "failed 8 times", of equal failures; "failed" of one. */
static void add_times(struct ts_str *out, const json_t *failure) {
  const uint64_t count = ts_cli_reply_count(failure, "count"), units = ts_cli_reply_count(failure, "units");
  char number[32];
  if (count < 2) return;
  if (count == units)
    ts_str_addf(out, " in %s %ss", ts_format_count(units, number), ts_cli_reply_text(failure, "per"));
  else
    ts_str_addf(out, " %s times", ts_format_count(count, number));
}

/* "task post/3f09ab failed in 24 tiles, first in he01, tile 0,0, with G1 = 40". */
static void add_failed_task(struct ts_str *out, const json_t *failure) {
  ts_auto(ts_str_release) struct ts_str place = {0}, params = {0};
  const bool is_one = ts_cli_reply_count(failure, "count") < 2;
  ts_cli_reply_add_place(&place, failure);
  ts_cli_reply_add_params(&params, json_object_get(failure, "params"));
  ts_str_add(out, "task ");
  ts_cli_reply_add_task(out, failure);
  if (is_one && place.length > 0) ts_str_addf(out, " (%s)", ts_str_get(&place));
  ts_str_add(out, " failed");
  add_times(out, failure);
  if (!is_one && place.length > 0) ts_str_addf(out, ", first in %s", ts_str_get(&place));
  if (params.length > 0) ts_str_addf(out, "%s with %s", is_one ? "" : ",", ts_str_get(&params));
}

/* The error of a task, as the operation's, with the task in front. Results of earlier versions have a message alone. */
static void failure_from_json(const json_t *failure, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str task = {0};
  struct ts_error own;
  ts_error_from_json(failure, TS_ERR_TASK_FAILED, &own);
  add_failed_task(&task, failure);
  ts_fail(err, own.code, "%s: %s", ts_str_get(&task),
          ts_cli_reply_has(failure, "code") ? own.text : ts_cli_reply_text(failure, "message"));
  const json_t *where = json_object_get(failure, "where");
  ts_error_place(err, ts_cli_reply_text(where, "file"), (int)ts_cli_reply_count(where, "line"),
                 (int)ts_cli_reply_count(where, "column"), ts_cli_reply_text(where, "path"));
}

static void add_one_failed(struct ts_str *out, const struct ts_view *view, const json_t *failure, const char *run) {
  ts_auto(ts_str_release) struct ts_str name = {0};
  ts_auto(ts_str_release) struct ts_str help = {0};
  struct ts_error err = {0};
  ts_cli_reply_add_task(&name, failure);
  failure_from_json(failure, &err);
  ts_str_add(&help, ts_cli_reply_text(failure, "help"));
  if (*run) ts_str_addf(&help, "%s%s log %s %s", help.length > 0 ? "\n" : "", view->program, run, ts_str_get(&name));
  if (help.length > 0) ts_error_help(&err, "%s", ts_str_get(&help));
  add_gap(out);
  ts_error_format(&err, view->color, out);
}

/* One message for equal failures; results of earlier versions have them one by one. */
static void add_failed(struct ts_str *out, const struct ts_view *view, const json_t *reply) {
  const json_t *kinds = json_object_get(reply, "failures");
  const json_t *failed = kinds ? kinds : json_object_get(reply, "failed");
  const char *run = ts_cli_reply_text(reply, "run");
  const size_t count = json_array_size(failed);
  for (size_t i = 0; i < count && i < MAX_FAILED; i++) add_one_failed(out, view, json_array_get(failed, i), run);
  if (count > MAX_FAILED) {
    ts_str_add(out, "\nand ");
    ts_cli_text_add_count(out, count - MAX_FAILED, kinds ? "more error" : "more task");
    ts_str_addf(out, "%s: %s log %s\n", kinds ? "" : " failed", view->program, run);
  }
}

/* One to a line. */
static void add_texts(struct ts_str *out, const json_t *list, const char *before) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *text = json_string_value(json_array_get(list, i));
    if (!text) continue;
    if (!ts_str_starts_with(text, "warning")) ts_str_add(out, before);
    ts_cli_text_add_safe(out, text);
    ts_str_add_char(out, '\n');
  }
}

void ts_cli_reply_add_messages(struct ts_str *out, const struct ts_view *view, const json_t *reply, bool warnings) {
  struct ts_str errors = {0};
  add_faults(&errors, view, json_object_get(reply, "faults"));
  add_failed(&errors, view, reply);
  if (warnings) add_texts(out, json_object_get(reply, "notes"), "");
  if (warnings) add_texts(out, json_object_get(reply, "warnings"), "warning: ");
  if (out->length > 0 && errors.length > 0) ts_str_add_char(out, '\n');
  ts_str_add(out, ts_str_get(&errors));
  ts_str_release(&errors);
}

json_t *ts_cli_reply_from_faults(const struct ts_faults *faults) {
  json_t *list = json_array();
  for (size_t i = 0; i < faults->count; i++) json_array_append_new(list, ts_error_to_json(&faults->items[i]));
  json_t *reply = json_object();
  json_object_set_new(reply, "schema", json_string("tessera.error/1"));
  json_object_set_new(reply, "faults", list);
  return reply;
}
