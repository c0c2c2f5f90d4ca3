/* 'compare': what differs between finished runs, and between the masks that they made.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/compare/comparison.h"
#include "project/data/check_data.h"

#include "base/alloc.h"
#include "base/file.h"

#include <string.h>

static void release(struct comparison *c) {
  for (size_t i = 0; c->runs && i < c->count; i++) ts_compared_run_release(&c->runs[i]);
  for (size_t i = 0; i < c->picture_count; i++) {
    free(c->pictures[i].role);
    free(c->pictures[i].caption);
    ts_str_release(&c->pictures[i].bytes);
  }
  free(c->runs);
  free(c->pictures);
}

static bool check_request(const struct ts_request *request, struct ts_issues *issues) {
  if (request->run_count >= 2) return true;
  return ts_issues_usage(issues, "'tessera status' lists the runs of this project",
                         "two runs or more are compared, and %s was named", request->run_count == 1 ? "one" : "none");
}

static bool find_runs(struct comparison *c) {
  c->runs = ts_calloc(c->request->run_count, sizeof *c->runs);
  for (size_t i = 0; i < c->request->run_count; i++) {
    c->count = i + 1;
    if (!ts_compared_run_find(&c->runs[i], c->store, c->request->runs[i], c->issues)) return false;
    for (size_t k = 0; k < i; k++)
      if (strcmp(c->runs[k].row.id, c->runs[i].row.id) == 0)
        return ts_issues_usage(c->issues, "name another one; 'tessera status' lists them", "run %s is named twice",
                               c->runs[i].row.id);
  }
  return true;
}

/* Numbers can be compared without the data, masks cannot. */
static void open_runs(struct comparison *c) {
  for (size_t i = 0; i < c->count; i++) {
    struct ts_error why = {0};
    if (ts_compared_run_open(&c->runs[i], c->store, c->request, &why)) continue;
    ts_issues_warn(c->issues, "the masks of run %s are not compared: %s", c->runs[i].row.id, why.text);
  }
}

static bool write_page(const struct comparison *c, const json_t *object, const char *path, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str html = {0};
  struct ts_report_picture *pictures = ts_calloc(c->picture_count + 1, sizeof *pictures);
  for (size_t i = 0; i < c->picture_count; i++)
    pictures[i] =
        (struct ts_report_picture){c->pictures[i].role, c->pictures[i].caption,
                                   (const uint8_t *)ts_str_get(&c->pictures[i].bytes), c->pictures[i].bytes.length};
  ts_report_comparison(object, pictures, c->picture_count, &html);
  free(pictures);
  return ts_file_write_atomic(path, html.data, html.length, err);
}

static void describe(struct comparison *c, const char *report, json_t *object) {
  struct ts_error err = {0};
  json_object_set_new(object, "runs", ts_comparison_runs(c));
  json_object_set_new(object, "parameters", ts_comparison_parameters(c));
  json_object_set_new(object, "differs", ts_comparison_differs(c));
  json_object_set_new(object, "measures", ts_comparison_measures(c, NULL));
  json_object_set_new(object, "files", ts_comparison_files(c));
  if (!report) return;
  json_object_set_new(object, "report", json_string(c->request->report));
  json_object_set_new(object, "warnings", ts_reply_warnings(c->issues));
  if (!write_page(c, object, report, &err)) ts_issues_fault(c->issues, &err);
}

int ts_compare_recorded(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct ts_past past = {.request = request};
  struct comparison c = {.request = request, .issues = &issues};
  const char *report = NULL;
  json_t *object = ts_reply_new("tessera.compare/1");
  bool ok = check_request(request, &issues) && ts_past_open(&past, request, &issues);
  if (ok && request->report) {
    report = ts_request_path(request, &past.arena, request->report);
    ok = ts_check_output_file(request, report, &issues);
  }
  c.store = past.store;
  if (ok && find_runs(&c)) {
    open_runs(&c);
    describe(&c, report, object);
  }
  release(&c);
  return ts_past_finish(&past, object, 0, reply, &issues);
}
