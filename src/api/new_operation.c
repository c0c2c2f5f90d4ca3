/* Writes an operation from its descriptor.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "generate/generate.h"

#include "base/alloc.h"
#include "base/embedded.h"

/* The new folder is named as below the project, and so are the commands. */
static json_t *next_commands(bool ok) {
  json_t *next = json_array();
  if (ok) json_array_append_new(next, json_string("make test"));
  return next;
}

int ts_new_operation(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct ts_error err = {0};
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  ts_auto(ts_generated_release) struct ts_generated made = {0};
  struct ts_json_doc descriptor = {0};
  const struct ts_embedded_file *header = ts_embedded_find("include/tessera_op.h");
  json_t *object = ts_reply_new("tessera.new/1");
  bool ok = false;
  if (!header) TS_BUG("the program does not carry tessera_op.h");
  if (!request->file) {
    ts_issues_usage(&issues, "tessera new operation DESCRIPTOR.json", "no descriptor was given");
  } else if (!ts_json_doc_open(&descriptor, ts_request_path(request, &arena, request->file), &err)) {
    ts_issues_fault(&issues, &err);
  } else {
    const struct ts_generate_request asked = {
        .descriptor = &descriptor,
        .folder = request->output ? ts_request_path(request, &arena, request->output) : NULL,
        .parent = ts_request_folder(request),
        .header = header->data,
        .header_bytes = header->size};
    ok = ts_generate(&asked, &made, &issues.faults);
  }
  ts_json_doc_close(&descriptor);
  json_object_set_new(object, "folder", json_string(made.folder ? made.folder : ""));
  json_object_set(object, "files", made.files);
  if (!made.files) json_object_set_new(object, "files", json_array());
  json_object_set_new(object, "next", next_commands(ok));
  return ts_reply_finish(object, 0, reply, NULL, &issues);
}
