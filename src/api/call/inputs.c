/* The inputs of a call by hand: files, or parts of images, as data of the type that the port takes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/call/hand_call.h"

#include "base/alloc.h"
#include "base/file.h"

#include <string.h>

/* A file and, of pixels, the part of it. */
struct source {
  const struct ts_op_port *port; /* borrowed */
  const char *path;              /* in the arena */
  struct ts_region part;         /* zero: the whole, at full resolution */
  bool has_part;
};

/* ---- "slide.svs@2048,4096,1024,1024" ---- */

/* Four numbers, or five with the level. */
static bool read_part(const char *text, struct ts_region *part) {
  int64_t numbers[5] = {0};
  size_t count = 0;
  ts_auto_free char *copy = ts_strdup(text);
  char *rest = NULL;
  for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest), count++)
    if (count == 5 || !ts_parse_int64(word, &numbers[count]) || numbers[count] < 0) return false;
  *part = (struct ts_region){
      .x = numbers[0], .y = numbers[1], .width = numbers[2], .height = numbers[3], .level = (int32_t)numbers[4]};
  return count >= 4 && part->width > 0 && part->height > 0 && numbers[4] <= INT32_MAX;
}

/* A name may itself have an '@': what is there as it is written is meant. */
static bool find_source(struct hand_call *call, size_t index, struct source *source) {
  const char *word = call->words[index], *at = strrchr(word, '@');
  *source = (struct source){.port = call->op->descriptor->inputs[index]};
  source->path = ts_request_path(call->request, &call->arena, word);
  if (at && !ts_file_exists(source->path)) {
    const char *file = ts_arena_strndup(&call->arena, word, (size_t)(at - word));
    source->path = ts_request_path(call->request, &call->arena, file);
    source->has_part = read_part(at + 1, &source->part);
    if (!source->has_part)
      return ts_issues_usage(call->issues, "write FILE@X,Y,WIDTH,HEIGHT, or with the level as a fifth number",
                             "'%s' does not say which part of '%s' is meant", at + 1, file);
  }
  struct ts_error err = {0};
  if (ts_folder_exists(source->path)) {
    ts_fail(&err, TS_ERR_FILE_NOT_FOUND, "'%s', given for input '%s', is a folder", source->path, source->port->name);
    ts_error_help(&err, "one call takes one file; for a folder use: tessera run --data");
  } else if (!ts_file_exists(source->path)) {
    ts_fail(&err, TS_ERR_FILE_NOT_FOUND, "there is no file '%s' for input '%s'", source->path, source->port->name);
    ts_error_help(&err, "check the name; it is relative to '%s'", ts_request_folder(call->request));
  }
  return err.code == TS_ERR_OK || ts_issues_fault(call->issues, &err);
}

/* ---- Pixels ---- */

/* What image.read and polygons.read are told, by name; others of their parameters are 1. */
static struct ts_value reader_value(const char *name, const struct ts_region *part, const char *type) {
  const struct {
    const char *name;
    int64_t value;
  } numbers[] = {
      {"x", part->x}, {"y", part->y}, {"width", part->width}, {"height", part->height}, {"level", part->level}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (strcmp(numbers[i].name, name) == 0) return ts_value_integer(numbers[i].value);
  return strcmp(name, "as") == 0 ? ts_value_string(type) : ts_value_real(1);
}

static struct ts_data *read_by(const struct hand_call *call, const char *reader, const struct source *source,
                               const char *type, struct ts_error *err) {
  struct ts_op *op = ts_registry_find(call->registry, reader);
  const struct ts_sha256 unknown = {0};
  struct ts_data *pixels = NULL, *file = ts_data_create_file(source->path, &unknown);
  struct ts_value values[TS_OP_MAX_PARAMETERS];
  for (size_t i = 0; i < op->descriptor->parameter_count; i++)
    values[i] = reader_value(op->descriptor->parameters[i]->name, &source->part, type);
  const struct ts_op_context context = {.shares_process = !call->request->watch};
  if (!ts_op_execute(op, &file, values, &pixels, &context, err)) pixels = NULL;
  ts_data_unref(file);
  return pixels;
}

/* The alternative that holds what the file has and no more; otherwise the first that loses nothing. */
static const struct ts_type *choose_type(const char *declaration, const struct ts_image_info *info) {
  size_t count = 0;
  const struct ts_type *const *types = ts_type_list(&count), *first = NULL;
  for (size_t i = 0; i < count; i++) {
    const struct ts_type *type = types[i];
    if (type->kind != TS_DATA_PIXELS || type->element == TS_F32 || !ts_type_fits(type, declaration) ||
        !ts_image_fits_type(info, type))
      continue;
    const int32_t bits = type->element == TS_U8 ? 8 : 16;
    if (type->channels == info->channels && bits == info->bits) return type;
    if (!first) first = type;
  }
  return first;
}

static bool fits_memory(const struct source *source, const struct ts_type *type, const struct ts_image_info *info,
                        struct ts_error *err) {
  const uint64_t pixels = source->has_part ? (uint64_t)source->part.width * (uint64_t)source->part.height
                                           : (uint64_t)info->width * (uint64_t)info->height;
  const uint64_t bytes = pixels * (uint64_t)type->channels * ts_element_bytes(type->element);
  char size[32], most[32];
  if (bytes <= ts_budget_memory_bytes()) return true;
  ts_fail(err, TS_ERR_IMAGE_TOO_LARGE, "'%s' has %s of pixels, more than the %s that may be used", source->path,
          ts_format_bytes(bytes, size), ts_format_bytes(ts_budget_memory_bytes(), most));
  return ts_error_help(err, "give a part: %s=%s@X,Y,WIDTH,HEIGHT", source->port->name, source->path);
}

static struct ts_data *read_image(struct hand_call *call, const struct source *source, struct ts_error *err) {
  struct ts_image_info info;
  if (!ts_image_startup(err) || !ts_image_inspect(source->path, source->part.level, &info, err)) return NULL;
  const struct ts_type *type = choose_type(source->port->type, &info);
  if (!type) {
    ts_fail(err, TS_ERR_PORT_TYPE, "input '%s' of '%s' takes %s, but '%s' is %s", source->port->name,
            call->op->descriptor->name, source->port->type, source->path, ts_image_description(&info));
    ts_error_help(err, "convert the file, or give another one");
    return NULL;
  }
  if (!fits_memory(source, type, &info, err)) return NULL;
  if (call->pixel_size.x_um <= 0) call->pixel_size = info.pixel_size;
  return read_by(call, "image.read", source, type->name, err);
}

static struct ts_data *read_polygons(struct hand_call *call, const struct source *source, struct ts_error *err) {
  if (source->has_part)
    return read_by(call, "polygons.read", source,
                   ts_type_fits(ts_type_find("mask"), source->port->type) ? "mask" : "labels", err);
  ts_fail(err, TS_ERR_BAD_VALUE, "outlines have no size of their own: which pixels of '%s' are meant?", source->path);
  ts_error_help(err, "write %s=FILE@X,Y,WIDTH,HEIGHT", source->port->name);
  return NULL;
}

static struct ts_data *read_pixels(struct hand_call *call, const struct source *source, struct ts_error *err) {
  const char *declaration = source->port->type;
  const bool is_outlines = ts_str_ends_with(source->path, ".geojson") || ts_str_ends_with(source->path, ".json");
  if (is_outlines &&
      (ts_type_fits(ts_type_find("mask"), declaration) || ts_type_fits(ts_type_find("labels"), declaration)))
    return read_polygons(call, source, err);
  const struct ts_type *field = ts_type_find("field/f32"), *wide = ts_image_wide_type(source->path);
  const bool is_field = strcmp(declaration, field->name) == 0;
  if (is_field || (wide && ts_type_fits(wide, declaration)))
    return ts_image_read_wide(source->path, is_field ? field : wide, source->has_part ? &source->part : NULL, err);
  return read_image(call, source, err);
}

/* ---- Everything else ---- */

static struct ts_data *read_text(const struct source *source, const struct ts_type *type, struct ts_error *err) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  if (!ts_file_read(source->path, 0, &text, err)) return NULL;
  if (type->kind == TS_DATA_TABLE) return ts_table_from_csv(source->path, ts_str_get(&text), text.length, err);
  if (strcmp(type->name, "objects") == 0) {
    struct ts_json_doc doc = {0};
    const bool good = ts_json_doc_parse(&doc, source->path, ts_str_get(&text), text.length, err);
    ts_json_doc_close(&doc);
    if (!good) return NULL;
  }
  struct ts_data *data = ts_data_create_bytes(type, text.length, err);
  if (!data) return NULL;
  if (text.length > 0) memcpy(ts_data_writable(data), text.data, text.length);
  ts_data_finish(data);
  return data;
}

static struct ts_data *read_file(const struct source *source, struct ts_error *err) {
  struct ts_sha256 digest;
  return ts_sha256_of_file(source->path, &digest, err) ? ts_data_create_file(source->path, &digest) : NULL;
}

/* Alternatives of a port are of one kind: its first type stands for all of them. */
static const struct ts_type *first_type(struct hand_call *call, const char *declaration) {
  return ts_type_find(ts_arena_strndup(&call->arena, declaration, strcspn(declaration, "|")));
}

/* A table given for an image, and the like: the message names what the port takes. */
static bool check_kind(struct hand_call *call, const struct source *source, const struct ts_type *type,
                       struct ts_error *err) {
  static const char *const pictures[] = {".png", ".tif", ".tiff", ".jpg", ".jpeg", ".svs", ".ndpi"};
  bool is_picture = false;
  for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
    const size_t length = strlen(pictures[i]), have = strlen(source->path);
    is_picture = is_picture || (have > length && ts_word_equal(source->path + have - length, pictures[i]));
  }
  const bool is_table = ts_str_ends_with(source->path, ".csv");
  const bool is_wrong = type->kind == TS_DATA_PIXELS  ? is_table
                        : type->kind == TS_DATA_TABLE ? is_picture
                                                      : strcmp(type->name, "objects") == 0 && (is_picture || is_table);
  if (!is_wrong && source->has_part && type->kind != TS_DATA_PIXELS) {
    ts_fail(err, TS_ERR_BAD_VALUE, "input '%s' takes %s, which has no parts", source->port->name, type->article);
    return ts_error_help(err, "leave out what follows the '@'");
  }
  if (!is_wrong) return true;
  ts_fail(err, TS_ERR_PORT_TYPE, "input '%s' of '%s' takes %s, but '%s' is %s", source->port->name,
          call->op->descriptor->name, type->article, source->path, is_table ? "a table" : "an image");
  return ts_error_help(err, "give a file of type %s", source->port->type);
}

static bool read_input(struct hand_call *call, size_t index) {
  struct source source;
  struct ts_error err = {0};
  if (!call->words[index]) return true;
  if (!find_source(call, index, &source)) return false;
  const struct ts_type *type = first_type(call, source.port->type);
  if (check_kind(call, &source, type, &err))
    call->inputs[index] = type->kind == TS_DATA_PIXELS ? read_pixels(call, &source, &err)
                          : type->kind == TS_DATA_FILE ? read_file(&source, &err)
                                                       : read_text(&source, type, &err);
  return call->inputs[index] || ts_issues_fault(call->issues, &err);
}

bool ts_hand_call_read(struct hand_call *call) {
  bool good = true;
  for (size_t i = 0; i < call->op->descriptor->input_count; i++) good = read_input(call, i) && good;
  return good;
}
