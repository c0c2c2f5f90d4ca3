/* Writes the report of a past study again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "order/order.h"
#include "project/data/check_data.h"
#include "study/study_result.h"

#include "base/alloc.h"
#include "base/file.h"

#include <string.h>

static void render_report(struct ts_past *past, const struct ts_run_row *row, json_t *object,
                          struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_auto(ts_str_release) struct ts_str html = {0};
  json_auto_t *result = row->result_json[0] ? json_loads(row->result_json, 0, NULL) : NULL;
  const char *path = past->request->output ? ts_request_path(past->request, &past->arena, past->request->output)
                                           : ts_request_path(past->request, &past->arena,
                                                             ts_arena_printf(&past->arena, "report-%s.html", row->id));
  if (strcmp(row->command, "study") != 0) {
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "run %s is not a study: there is nothing to report", row->id);
    ts_error_help(&err, "see which runs are studies with: tessera status");
  } else if (!result || !json_object_get(result, "answer")) {
    ts_fail(&err, TS_ERR_NO_SUCH_RUN, "run %s has no result yet: it is %s", row->id, row->state);
    ts_error_help(&err, "continue it with: tessera %s --resume %s", row->command, row->id);
  } else if (ts_check_output_file(past->request, path, issues)) {
    const char *first = json_string_value(json_object_get(result, "report")); /* its pictures lie beside it */
    ts_auto_free char *folder = ts_path_folder(first ? first : "");
    if (ts_study_report(result, folder, &html, &err)) ts_file_write_atomic(path, ts_str_get(&html), html.length, &err);
  }
  json_object_set_new(object, "run", json_string(row->id));
  json_object_set_new(object, "report", json_string(path));
  if (err.code != TS_ERR_OK) ts_issues_fault(issues, &err);
}

int ts_report(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct ts_past past;
  struct ts_run_row row;
  json_t *object = ts_reply_new("tessera.report/1");
  if (ts_past_open(&past, request, &issues) && ts_past_find(&past, "study", &row, &issues))
    render_report(&past, &row, object, &issues);
  return ts_past_finish(&past, object, 0, reply, &issues);
}
