/* Sensitivity indices of the runs of any model, and the file that they are written to.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "model/model.h"
#include "project/data/check_data.h"
#include "report/report.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"

#include <string.h>

/* ---- what an ending means ---- */

static bool print_table(const json_t *reply, struct ts_str *text, struct ts_error *err) {
  (void)err;
  ts_analysis_table(reply, text);
  return true;
}

static bool print_reply(const json_t *reply, struct ts_str *text, struct ts_error *err) {
  (void)err;
  ts_auto_free char *json = ts_json_dump(reply, false, true);
  ts_str_addf(text, "%s\n", json);
  return true;
}

static bool print_page(const json_t *reply, struct ts_str *text, struct ts_error *err) {
  return ts_report_write(reply, NULL, 0, text, err);
}

static const struct form {
  const char *ending;
  bool (*print)(const json_t *reply, struct ts_str *text, struct ts_error *err);
} forms[] = {{"csv", print_table}, {"json", print_reply}, {"html", print_page}};

static const struct form *form_of(const char *path) {
  const char *name = ts_path_name(path), *point = strrchr(name, '.');
  for (size_t i = 0; point && i < sizeof forms / sizeof *forms; i++) {
    if (ts_word_equal(point + 1, forms[i].ending)) return &forms[i];
  }
  return NULL;
}

/* ---- the file ---- */

struct target {
  const struct ts_request *request; /* borrowed */
  const struct form *form;          /* NULL: no file was asked for */
  const char *path;                 /* in the arena */
  struct ts_arena arena;
};

/* Before anything is read: a mistake here would cost a long analysis. */
static bool open_target(struct target *target, struct ts_issues *issues) {
  const struct ts_request *request = target->request;
  if (!request->output) return true;
  target->form = form_of(request->output);
  if (!target->form) {
    return ts_issues_usage(issues,
                           "end its name in .csv for a table of the indices, in .json for the whole reply, or in .html "
                           "for a page with plots",
                           "what to write to '%s' is not known from its ending", request->output);
  }
  target->path = ts_request_path(request, &target->arena, request->output);
  const char *inputs[4] = {NULL};
  const char *given[3] = {request->space, request->design, request->outputs};
  for (size_t i = 0; i < 3; i++) inputs[i] = given[i] ? ts_request_path(request, &target->arena, given[i]) : NULL;
  if (inputs[1]) inputs[3] = ts_arena_printf(&target->arena, "%s.json", inputs[1]);
  return ts_check_output_file(request, target->path, issues) &&
         ts_check_output_apart(target->path, inputs, sizeof inputs / sizeof *inputs, issues);
}

/* SHA-256 of the files that were read; a stream has none. */
static json_t *digests_json(struct target *target, const json_t *inputs) {
  json_t *object = json_object();
  const char *name;
  json_t *file;
  json_object_foreach(ts_without_const(inputs), name, file) {
    struct ts_sha256 digest;
    struct ts_error ignored = {0};
    char hex[2 * sizeof digest.bytes + 1];
    const char *path = json_string_value(file);
    if (!path || strcmp(path, "-") == 0) continue;
    if (!ts_sha256_of_file(ts_request_path(target->request, &target->arena, path), &digest, &ignored)) continue;
    ts_hex_encode(digest.bytes, sizeof digest.bytes, hex);
    json_object_set_new(object, name, json_string(hex));
  }
  return object;
}

/* What a file that outlives the call says more: how to make it again. */
static void write_target(struct target *target, json_t *object, struct ts_issues *issues) {
  struct ts_error err = {0};
  ts_auto(ts_str_release) struct ts_str text = {0};
  const char *command = target->request->command;
  if (command) json_object_set_new(object, "command", json_string(command));
  json_object_set_new(object, "digests", digests_json(target, json_object_get(object, "inputs")));
  json_object_set_new(object, "output", json_string(target->request->output));
  json_object_set_new(object, "warnings", ts_reply_warnings(issues));
  json_object_set_new(object, "faults", json_array());
  if (!target->form->print(object, &text, &err) || !ts_file_write(target->path, ts_str_get(&text), text.length, &err)) {
    json_object_del(object, "output");
    ts_issues_fault(issues, &err);
  }
}

int ts_analyse_runs(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct target target = {.request = request};
  json_t *object = ts_reply_new("tessera.analyse/1");
  if (open_target(&target, &issues)) {
    ts_model_analyse(request, object, &issues);
    if (target.form && ts_issues_ok(&issues)) write_target(&target, object, &issues);
  }
  ts_arena_release(&target.arena);
  return ts_reply_finish(object, 0, reply, NULL, &issues);
}
