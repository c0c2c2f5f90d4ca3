/* Reads a configuration file: one JSON object, {"jobs": 4, "store": ".tessera", "color": "auto", "progress": "plain",
 * "scratch": "20G"}.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/settings_int.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"

#include <inttypes.h>
#include <string.h>

static void complain(struct ts_faults *faults, const struct ts_json_doc *doc, struct ts_error *err, const char *name,
                     enum ts_json_part part) {
  struct ts_str pointer = {0};
  if (name) ts_json_pointer_add(&pointer, name);
  ts_json_place(err, doc, ts_str_get(&pointer), part);
  ts_str_release(&pointer);
  *ts_faults_add(faults) = *err;
}

static int find_kind(const char *name) {
  for (int i = 0; i < TS_SETTING_COUNT; i++) {
    if (strcmp(ts_setting_kinds[i].name, name) == 0) return i;
  }
  return -1;
}

static void complain_unknown(struct ts_faults *faults, const struct ts_json_doc *doc, const char *name) {
  const char *names[TS_SETTING_COUNT];
  for (int i = 0; i < TS_SETTING_COUNT; i++) names[i] = ts_setting_kinds[i].name;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_UNKNOWN_KEY, "unknown setting '%s'", name);
  ts_suggest_help(&err, name, names, TS_SETTING_COUNT, "", "there are jobs, store, color, progress and scratch");
  complain(faults, doc, &err, name, TS_JSON_KEY);
}

/* jobs is a number, the others are texts. */
static bool read_value(enum ts_setting_id id, const json_t *value, struct ts_str *text, struct ts_error *err) {
  const char *name = ts_setting_kinds[id].name;
  bool wants_number = id == TS_SETTING_JOBS;
  if (wants_number && json_is_integer(value)) {
    ts_str_addf(text, "%" PRId64, (int64_t)json_integer_value(value));
  } else if (!wants_number && json_is_string(value)) {
    ts_str_add(text, json_string_value(value));
  } else {
    ts_fail(err, TS_ERR_WRONG_TYPE, "setting '%s' is %s", name, ts_json_kind(value));
    ts_error_help(err, "give it %s", wants_number ? "a whole number" : "a string");
    return false;
  }
  if (ts_setting_fits(id, name, ts_str_get(text), err)) return true;
  err->code = TS_ERR_BAD_VALUE; /* the file is wrong, not the command line */
  return false;
}

static void read_setting(struct ts_settings *settings, const struct ts_json_doc *doc, const char *name,
                         const json_t *value, struct ts_faults *faults) {
  int kind = find_kind(name);
  if (kind < 0) {
    complain_unknown(faults, doc, name);
    return;
  }
  struct ts_error err = {0};
  struct ts_str text = {0};
  if (read_value((enum ts_setting_id)kind, value, &text, &err)) {
    struct ts_str pointer = {0}, origin = {0};
    int line = 0, column = 0;
    ts_json_pointer_add(&pointer, name);
    ts_json_locate(doc, ts_str_get(&pointer), TS_JSON_VALUE, &line, &column);
    ts_str_addf(&origin, "%s:%d:%d", doc->file, line, column);
    ts_setting_offer(settings, (enum ts_setting_id)kind, ts_str_get(&text), ts_str_get(&origin));
    ts_str_release(&pointer);
    ts_str_release(&origin);
  } else {
    complain(faults, doc, &err, name, TS_JSON_VALUE);
  }
  ts_str_release(&text);
}

void ts_settings_read_file(struct ts_settings *settings, const char *file, struct ts_faults *faults) {
  if (!ts_file_exists(file)) return;
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  if (!ts_json_doc_open(&doc, file, &err)) {
    *ts_faults_add(faults) = err;
    return;
  }
  if (json_is_object(doc.root)) {
    const char *name;
    json_t *value;
    size_t before = faults->count;
    json_object_foreach(doc.root, name, value) {
      if (faults->count - before > TS_JSON_UNKNOWN_MAX) break; /* a file of another kind */
      read_setting(settings, &doc, name, value, faults);
    }
  } else {
    ts_fail(&err, TS_ERR_WRONG_TYPE, "the settings are %s", ts_json_kind(doc.root));
    ts_error_help(&err, "write an object, such as {\"jobs\": 4}");
    complain(faults, &doc, &err, NULL, TS_JSON_VALUE);
  }
  ts_json_doc_close(&doc);
}
