/* Writes and reads the file beside a design that says how it was made.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/origin.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/version.h"

#include <string.h>

#define SCHEMA_STEM "tessera.design/"

const char *ts_origin_path(const char *design, struct ts_arena *arena) {
  return ts_arena_printf(arena, "%s.json", design);
}

const json_t *ts_origin_space(const json_t *root) {
  const char *schema = json_string_value(json_object_get(root, "schema"));
  const json_t *space = json_object_get(root, "space");
  return schema && ts_str_starts_with(schema, SCHEMA_STEM) && json_is_object(space) ? space : NULL;
}

bool ts_origin_is_taken(const char *path) {
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  if (!ts_file_exists(path)) return false;
  bool is_ours = ts_json_doc_open(&doc, path, &err) && ts_origin_space(doc.root);
  ts_json_doc_close(&doc);
  return !is_ours;
}

/* ---- reading ---- */

static size_t count_of(const json_t *object, const char *name) {
  json_int_t value = json_integer_value(json_object_get(object, name));
  return value > 0 ? (size_t)value : 0;
}

static const char *text_of(const json_t *object, const char *name, struct ts_arena *arena) {
  const char *text = json_string_value(json_object_get(object, name));
  return ts_arena_strdup(arena, text ? text : "");
}

bool ts_origin_read(struct design_origin *origin, const char *design, struct ts_arena *arena) {
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  *origin = (struct design_origin){.path = ts_origin_path(design, arena)};
  if (!ts_json_doc_open(&doc, origin->path, &err)) return false;
  const char *layout = json_string_value(json_object_get(doc.root, "layout"));
  bool ok = ts_origin_space(doc.root) && layout && ts_layout_parse(layout, &origin->layout);
  if (ok) {
    const json_t *options = json_object_get(doc.root, "options");
    origin->method = text_of(doc.root, "method", arena);
    origin->title = text_of(doc.root, "title", arena);
    origin->seed = count_of(doc.root, "seed");
    origin->space_digest = text_of(doc.root, "space_digest", arena);
    origin->run_count = count_of(doc.root, "runs");
    origin->levels = count_of(doc.root, "levels");
    origin->harmonics = count_of(options, "harmonics");
    origin->step = json_number_value(json_object_get(options, "step"));
  }
  ts_json_doc_close(&doc);
  return ok;
}

/* ---- writing ---- */

static void set_text(json_t *object, const char *name, const char *text) {
  if (text) json_object_set_new(object, name, json_string(text));
}

static void set_count(json_t *object, const char *name, size_t count) {
  if (count > 0) json_object_set_new(object, name, json_integer((json_int_t)count));
}

static void set_flag(json_t *object, const char *name, bool is_set) {
  if (is_set) json_object_set_new(object, name, json_true());
}

/* What was asked for; what is not there was left to the method. */
static json_t *options_json(const struct ts_request *request) {
  json_t *object = json_object();
  set_count(object, "count", request->count);
  set_count(object, "levels", request->levels);
  set_text(object, "base", request->base);
  set_text(object, "scramble", request->scramble);
  set_count(object, "skip", request->skip);
  set_flag(object, "second_order", request->second_order);
  set_flag(object, "radial", request->radial);
  set_count(object, "candidates", request->candidates);
  set_flag(object, "brute_force", request->brute_force);
  set_count(object, "improve", request->improve);
  set_count(object, "harmonics", request->harmonics);
  if (request->step > 0) json_object_set_new(object, "step", json_real(request->step));
  set_flag(object, "unit", request->with_unit);
  return object;
}

bool ts_origin_write(const char *path, const struct ts_request *request, const struct space_file *file,
                     const json_t *reply, struct ts_error *err) {
  static const char *const kept[] = {"method", "title", "layout", "runs", "block_rows", "levels", "seed"};
  char digest[TS_SPACE_DIGEST_SIZE];
  json_t *object =
      json_pack("{s:s, s:{s:s, s:s}}", "schema", TS_ORIGIN_SCHEMA, "tool", "name", "tessera", "version", TS_VERSION);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    json_t *member = json_object_get(reply, kept[i]);
    if (member) json_object_set(object, kept[i], member);
  }
  json_object_set_new(object, "options", options_json(request));
  ts_space_file_digest(file, digest);
  json_object_set_new(object, "space_digest", json_string(digest));
  json_object_set_new(object, "space", ts_space_file_to_json(file));
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_auto_free char *json = ts_json_dump(object, false, true);
  ts_str_addf(&text, "%s\n", json);
  json_decref(object);
  return ts_file_write(path, ts_str_get(&text), text.length, err);
}
