/* Command manifests: a JSON file that makes a program in any language an operation.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The format is described in docs/how-to-add-an-operation.md. All faults of a manifest are listed at once. The
 * registry's arena owns everything that is read. */
#include "op/manifest.h"
#include "op/op_int.h"

#include "base/alloc.h"
#include "base/const.h"
#include "base/file.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_NUMBER 1

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- The whole. ---- */

static bool check_keys(const struct ts_reader *reader, const json_t *manifest) {
  struct ts_field fields[] = {
      {.name = "tessera_operation", .want = TS_WANT_INTEGER, .required = true, .example = "1"},
      {.name = "name", .want = TS_WANT_STRING, .required = true, .example = "\"demo.total\""},
      {.name = "version", .want = TS_WANT_INTEGER, .required = true, .example = "1"},
      {.name = "command", .want = TS_WANT_LIST, .required = true, .example = "[\"python3\", \"total.py\"]"},
      {.name = "files", .want = TS_WANT_LIST, .example = "[\"limits.json\"]"},
      {.name = "complete", .want = TS_WANT_BOOLEAN, .example = "true"},
      {.name = "numeric", .want = TS_WANT_STRING, .example = "\"exact\""},
      {.name = "timeout_s", .want = TS_WANT_NUMBER, .example = "60"},
      {.name = "reads_pixel_size", .want = TS_WANT_BOOLEAN, .example = "true"},
      {.name = "needs", .want = TS_WANT_OBJECT, .example = "{\"memory\": \"8G\"}"},
      {.name = "inputs", .want = TS_WANT_OBJECT, .example = "{\"table\": {\"type\": \"table\"}}"},
      {.name = "outputs", .want = TS_WANT_OBJECT, .required = true, .example = "{\"sums\": {\"type\": \"table\"}}"},
      {.name = "parameters", .want = TS_WANT_OBJECT, .example = "{\"scale\": {\"type\": \"real\"}}"},
      {.name = "columns", .want = TS_WANT_OBJECT, .example = "{\"sums\": [\"area\"]}"},
      {.name = "ratios", .want = TS_WANT_OBJECT, .example = "{\"share\": [{\"part\": 1}, {\"whole\": 1}]}"},
      {.name = "counts", .want = TS_WANT_LIST, .example = "[\"nuclei\"]"},
      {.name = "objects", .want = TS_WANT_LIST, .example = "[\"nuclei\"]"},
  };
  if (!ts_reader_want(reader, manifest, "", "a manifest", TS_WANT_OBJECT, "{\"tessera_operation\": 1}")) return false;
  ts_reader_fields(reader, manifest, "", "a manifest", fields, COUNT(fields));
  return true;
}

static void check_head(const struct ts_reader *reader, const json_t *manifest) {
  const json_t *format = ts_reader_get(manifest, "tessera_operation", TS_WANT_INTEGER);
  if (format && json_integer_value(format) != FORMAT_NUMBER) {
    struct ts_error *err = ts_reader_fault(reader, TS_ERR_FORMAT_VERSION, "/tessera_operation", TS_JSON_VALUE,
                                           "manifest format %lld is unknown", (long long)json_integer_value(format));
    ts_error_help(err, "this tessera reads format %d", FORMAT_NUMBER);
  }
  ts_manifest_head(reader, manifest);
  const json_t *timeout = ts_reader_get(manifest, "timeout_s", TS_WANT_NUMBER);
  if (timeout && !(json_number_value(timeout) > 0 && json_number_value(timeout) <= 1e9))
    ts_error_help(
        ts_reader_fault(reader, TS_ERR_BAD_VALUE, "/timeout_s", TS_JSON_VALUE, "a time limit must be above 0"),
        "give seconds, or remove it for no limit");
}

static struct ts_op_descriptor *make_descriptor(const struct ts_reader *reader, const json_t *manifest) {
  struct ts_op_descriptor *descriptor = ts_arena_alloc(reader->arena, sizeof(*descriptor));
  descriptor->api = TESSERA_OP_API;
  descriptor->struct_bytes = sizeof(*descriptor);
  descriptor->name = ts_reader_string(reader, manifest, "name");
  descriptor->version = (uint32_t)json_integer_value(json_object_get(manifest, "version"));
  descriptor->numeric = ts_reader_string(reader, manifest, "numeric");
  descriptor->help = ts_reader_string(reader, manifest, "help");
  descriptor->inputs = ts_manifest_ports(reader, manifest, "inputs", NULL, &descriptor->input_count);
  descriptor->outputs = ts_manifest_ports(reader, manifest, "outputs", NULL, &descriptor->output_count);
  descriptor->parameters = ts_manifest_parameters(reader, manifest, NULL, &descriptor->parameter_count);
  descriptor->reads_pixel_size = json_is_true(json_object_get(manifest, "reads_pixel_size"));
  ts_command_read_needs(reader, manifest, descriptor);
  ts_command_read_tables(reader, manifest, descriptor);
  descriptor->run = ts_command_run;
  return descriptor;
}

static void add_command(struct ts_registry *registry, const struct ts_json_doc *doc, const char *real_path,
                        struct ts_faults *faults) {
  struct ts_reader reader = {.doc = doc, .arena = ts_registry_arena(registry), .faults = faults};
  size_t before = faults->count;
  if (!check_keys(&reader, doc->root)) return;
  check_head(&reader, doc->root);
  struct ts_op_descriptor *descriptor = make_descriptor(&reader, doc->root);
  struct ts_command *command = ts_command_resolve(&reader, doc->root, real_path);
  if (faults->count != before || ts_registry_is_taken(registry, descriptor->name, doc->file, faults)) return;
  descriptor->user = command;
  struct ts_sha256 digest;
  ts_command_digest(command, doc, &digest);
  struct ts_op_entry entry = {descriptor, TS_OP_COMMAND, doc->file, &digest, command->complete, NULL};
  ts_registry_add(registry, &entry);
}

void ts_command_load(struct ts_registry *registry, const char *path, const char *real_path, struct ts_faults *faults) {
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  if (!ts_json_doc_open(&doc, path, &err)) {
    *ts_faults_add(faults) = err;
    return;
  }
  add_command(registry, &doc, real_path, faults);
  ts_json_doc_close(&doc);
}
