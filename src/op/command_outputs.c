/* Reads the outputs of a command: regular files in its own folder only, never larger than the budget allows.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A command may leave anything under the name of an output: a pipe without a writer, a link to a device, a file with
 * more holes than the machine has memory. So the folder is opened before the command runs, its files are opened
 * without following links, looked at, and compared with a limit before the first byte is read; a file that still
 * grows is read up to the size it had then. */
#include "op/command_files_int.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/file.h"
#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The part of the budget that the file of an output may have, and its least size. Tables take about 12 bytes of
 * memory per byte of CSV while they are read (2 bytes per cell: a pointer, a number, the text), GeoJSON about 24 (2
 * bytes per value: two small allocations and a pointer); half of the budget is left to the other products. */
#define BYTES_SHARE   2
#define TABLE_SHARE   24
#define OBJECTS_SHARE 48
#define BYTES_LEAST   ((uint64_t)16 << 20)
#define TABLE_LEAST   ((uint64_t)2 << 20)
#define OBJECTS_LEAST ((uint64_t)1 << 20)

/* An output while it is read. */
struct output {
  const struct ts_call_state *state; /* borrowed */
  const struct ts_op_port *port;     /* borrowed */
  const struct ts_type *type;
  char *name; /* owned: of the file */
  int file;   /* owned; -1: not open */
  uint64_t size_bytes;
  uint64_t limit_bytes;
};

static void release_output(const struct output *output) {
  if (output->file >= 0) close(output->file);
  free(output->name);
}

static bool is_objects(const struct ts_type *type) { return strcmp(type->name, "objects") == 0; }

static uint64_t limit_of(const struct ts_type *type) {
  uint64_t memory = ts_budget_memory_bytes();
  uint64_t share = memory / BYTES_SHARE, least = BYTES_LEAST;
  if (type->kind == TS_DATA_TABLE) {
    share = memory / TABLE_SHARE;
    least = TABLE_LEAST;
  } else if (is_objects(type)) {
    share = memory / OBJECTS_SHARE;
    least = OBJECTS_LEAST;
  }
  return share > least ? share : least;
}

int ts_scratch_enter(const char *folder, struct ts_error *err) {
  int entered = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (entered < 0) ts_fail(err, TS_ERR_SYSTEM, "the scratch folder '%s' cannot be opened: %s", folder, strerror(errno));
  return entered;
}

/* ---- Complaints ---- */

static const char *command_of(const struct output *output) { return output->state->op->descriptor->name; }

static bool refuse_missing(const struct output *output) {
  struct ts_error *err = output->state->err;
  ts_fail(err, TS_ERR_OPERATION_CONTRACT, "command '%s' ended well but did not write its output '%s'",
          command_of(output), output->port->name);
  return ts_error_help(err, "write it to the path that call.json names for this output");
}

static bool refuse_kind(const struct output *output, const char *kind) {
  struct ts_error *err = output->state->err;
  ts_fail(err, TS_ERR_OPERATION_CONTRACT, "command '%s' left %s where its output '%s' should be", command_of(output),
          kind, output->port->name);
  return ts_error_help(err,
                       "write a regular file to the path that call.json names for this output; links are not followed");
}

static bool refuse_size(const struct output *output, uint64_t bytes, const char *what) {
  struct ts_error *err = output->state->err;
  char size[32], limit[32];
  ts_fail(err, TS_ERR_OUTPUT_TOO_LARGE, "command '%s' wrote an output '%s' of %s%s, more than the %s that are allowed",
          command_of(output), output->port->name, ts_format_bytes(bytes, size), what,
          ts_format_bytes(output->limit_bytes, limit));
  return ts_error_help(
      err, "check what the command writes; if it is right, give more memory (--memory) or use smaller tiles");
}

/* The scratch file is gone when the user reads the message: only its line is of use. */
static bool refuse_content(const struct output *output, const struct ts_error *reason) {
  char line[32] = "";
  if (output->state->err->code != TS_ERR_OK) return false; /* a complaint of its own */
  if (reason->where.line > 0) snprintf(line, sizeof(line), " in line %d", reason->where.line);
  ts_fail(output->state->err, TS_ERR_OPERATION_CONTRACT, "command '%s' wrote an output '%s' that cannot be read%s: %s",
          command_of(output), output->port->name, line, reason->text);
  return ts_error_help(output->state->err, "correct what the command writes to the path of this output in call.json");
}

/* ---- Contents ---- */

/* The open file under a name that libvips can open; no process can replace it. */
static void name_of_open_file(int file, char name[32]) { snprintf(name, 32, "/proc/self/fd/%d", file); }

/* Messages about the image name the file that the command wrote. */
static void name_file(struct ts_error *reason, const char *from, const char *to) {
  const char *at = strstr(reason->text, from);
  if (!at) return;
  struct ts_error before = *reason;
  snprintf(reason->text, sizeof reason->text, "%.*s%s%s", (int)(at - reason->text), before.text, to,
           before.text + (at - reason->text) + strlen(from));
}

static struct ts_data *read_pixels(const struct output *output, struct ts_error *reason) {
  char path[32];
  struct ts_image_info info;
  struct ts_data *data = NULL;
  const struct ts_region *place = &output->state->place;
  name_of_open_file(output->file, path);
  if (ts_image_inspect(path, 0, &info, reason)) {
    const struct ts_type *type = output->type;
    uint64_t pixels = (uint64_t)info.width * (uint64_t)info.height; /* below 2^62: sides are below 2^31 */
    uint64_t pixel_bytes = ts_element_bytes(type->element) * (uint64_t)type->channels;
    if (pixels > output->limit_bytes / pixel_bytes) {
      refuse_size(output, pixels < UINT64_MAX / pixel_bytes ? pixels * pixel_bytes : UINT64_MAX, " when decoded");
      return NULL;
    }
    struct ts_region whole = {.width = info.width, .height = info.height};
    data = ts_image_read(path, type, &whole, reason);
  }
  if (data) ts_data_set_place(data, place);
  name_file(reason, path, output->name);
  return data;
}

static bool read_into(const struct output *output, void *bytes, struct ts_error *reason) {
  if (ts_file_read_exactly(output->file, bytes, (size_t)output->size_bytes)) return true;
  return ts_fail(reason, TS_ERR_FILE_IO, "'%s' became shorter while it was read", output->name);
}

static struct ts_data *read_bytes(const struct output *output, struct ts_error *reason) {
  struct ts_data *data = ts_data_create_bytes(output->type, (size_t)output->size_bytes, reason);
  if (!data) return NULL;
  char *bytes = ts_data_writable(data);
  bool good = output->size_bytes == 0 || read_into(output, bytes, reason);
  if (good && is_objects(output->type)) {
    struct ts_json_doc doc = {0};
    good = ts_json_doc_parse(&doc, output->name, bytes ? bytes : "", (size_t)output->size_bytes, reason);
    ts_json_doc_close(&doc);
  }
  if (good) return data;
  ts_data_unref(data);
  return NULL;
}

static struct ts_data *read_table(const struct output *output, struct ts_error *reason) {
  ts_auto_free char *text = malloc((size_t)output->size_bytes + 1);
  if (!text) {
    ts_fail(reason, TS_ERR_NO_MEMORY, "there is no memory for it");
    return NULL;
  }
  if (!read_into(output, text, reason)) return NULL;
  text[output->size_bytes] = '\0';
  return ts_table_from_csv(output->name, text, (size_t)output->size_bytes, reason);
}

static struct ts_data *read_content(const struct output *output, struct ts_error *reason) {
  if (output->type->kind == TS_DATA_PIXELS) return read_pixels(output, reason);
  return output->type->kind == TS_DATA_TABLE ? read_table(output, reason) : read_bytes(output, reason);
}

static bool receive_output(const struct ts_call_state *state, int entered, size_t index) {
  ts_auto(release_output) struct output output = {.state = state, .file = -1};
  output.port = state->op->descriptor->outputs[index];
  output.type = ts_type_find(output.port->type);
  output.name = ts_command_file_name("out", output.port->name, output.type);
  output.limit_bytes = limit_of(output.type);
  const char *kind = NULL;
  output.file = ts_file_open_inside(entered, output.name, &output.size_bytes, &kind);
  if (output.file < 0) return kind ? refuse_kind(&output, kind) : refuse_missing(&output);
  if (output.size_bytes > output.limit_bytes) return refuse_size(&output, output.size_bytes, "");
  struct ts_error reason = {0};
  state->outputs[index] = read_content(&output, &reason);
  return state->outputs[index] || refuse_content(&output, &reason);
}

/* Once more when the command has ended: it may have been quicker than the looks at its folder. */
static bool check_folder(const struct ts_call_state *state, const char *folder) {
  uint64_t used = ts_folder_used_bytes(folder), limit = ts_budget_command_bytes();
  if (used <= limit) return true;
  char size[32], most[32];
  ts_fail(state->err, TS_ERR_OUTPUT_TOO_LARGE,
          "command '%s' filled its folder with %s, more than %s, 15/16 of --scratch", state->op->descriptor->name,
          ts_format_bytes(used, size), ts_format_bytes(limit, most));
  return ts_error_help(state->err, "let the command write less, or allow more temporary files with --scratch");
}

bool ts_command_receive(const struct ts_call_state *state, const char *folder, int entered) {
  if (!check_folder(state, folder)) return false;
  for (size_t i = 0; i < state->op->descriptor->output_count; i++)
    if (!receive_output(state, entered, i)) return false;
  return true;
}
