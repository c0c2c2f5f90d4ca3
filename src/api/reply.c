/* Replies: one JSON object per call, with all its faults and warnings.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"

#include "base/alloc.h"
#include "base/error_json.h"
#include "base/version.h"

json_t *ts_reply_new(const char *schema) {
  return json_pack("{s:s, s:{s:s, s:s}}", "schema", schema, "tool", "name", "tessera", "version", TS_VERSION);
}

/* Tasks of damaged rows are computed again, but until the store is verified that happens in every run. */
static void warn_of_damage(const struct ts_store *store, struct ts_issues *issues) {
  const uint64_t count = store ? ts_store_damage_count(store) : 0;
  if (count == 0) return;
  ts_issues_warn(issues,
                 "the store '%s' is damaged: %llu of its rows were not used; repair it with: tessera store verify",
                 ts_store_path(store), (unsigned long long)count);
}

static json_t *texts_json(char *const *texts, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(texts[i]));
  return list;
}

json_t *ts_reply_warnings(const struct ts_issues *issues) {
  return texts_json(issues->warnings, issues->warning_count);
}

int ts_reply_finish(json_t *object, int exit_code, char **reply, const struct ts_store *store,
                    struct ts_issues *issues) {
  json_t *list = json_array();
  warn_of_damage(store, issues);
  struct ts_faults *faults = &issues->faults;
  ts_faults_sort(faults);
  for (size_t i = 0; i < faults->count; i++) json_array_append_new(list, ts_error_to_json(&faults->items[i]));
  if (faults->count > 0) exit_code = ts_error_exit_code(faults->items[0].code);
  if (issues->note_count > 0) json_object_set_new(object, "notes", texts_json(issues->notes, issues->note_count));
  json_object_set_new(object, "warnings", ts_reply_warnings(issues));
  json_object_set_new(object, "faults", list);
  *reply = ts_json_dump(object, false, true);
  json_decref(object);
  ts_issues_release(issues);
  return exit_code;
}

json_t *ts_reply_values(const struct ts_value *values, const struct ts_workflow *workflow) {
  json_t *list = json_array();
  for (size_t p = 0; p < workflow->parameter_count; p++) {
    json_t *entry = json_object();
    json_object_set_new(entry, "name", json_string(workflow->parameters[p].name));
    json_object_set_new(entry, "value", ts_value_to_json(&values[p]));
    if (workflow->parameters[p].unit != TS_UNIT_NONE)
      json_object_set_new(entry, "unit", json_string(ts_unit_name(workflow->parameters[p].unit)));
    json_array_append_new(list, entry);
  }
  return list;
}
