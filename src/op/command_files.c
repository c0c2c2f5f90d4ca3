/* Exchange between tessera and a command: a scratch folder with the request, input files and output files.
 * SPDX-License-Identifier: Apache-2.0
 *
 * call.json: {"inputs": {PORT: {"path", "type", ...}}, "outputs": {PORT: {"path", "type"}}, "parameters": {NAME:
 * VALUE}}. Tables travel as CSV, pixels as PNG (with their place in the image), objects as GeoJSON, bytes as they
 * are, files by name. All paths are absolute. */
#include "op/command_files_int.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool ts_scratch_open(const char *parent, char **folder, struct ts_error *err) {
  *folder = ts_folder_create_scratch(parent, TS_COMMAND_SCRATCH, err);
  return *folder != NULL;
}

void ts_scratch_close(char **folder) {
  if (*folder) ts_folder_remove(*folder);
  free(*folder);
  *folder = NULL;
}

char *ts_command_file_name(const char *direction, const char *port, const struct ts_type *type) {
  struct ts_str name = {0};
  ts_str_addf(&name, "%s.%s.%s", direction, port, type->file_ending);
  return ts_str_detach(&name);
}

static char *port_path(const char *folder, const char *direction, const char *port, const struct ts_type *type) {
  ts_auto_free char *name = ts_command_file_name(direction, port, type);
  return ts_path_join(folder, name);
}

static bool write_data(const struct ts_data *data, const char *path, struct ts_error *err) {
  const struct ts_type *type = ts_data_type(data);
  if (type->kind == TS_DATA_PIXELS && type->element != TS_F32) return ts_image_write_png(path, data, err);
  if (type->kind == TS_DATA_PIXELS || type->kind == TS_DATA_BYTES) {
    size_t size;
    const void *bytes = ts_data_bytes(data, &size);
    return ts_file_write(path, bytes, size, err);
  }
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_table_to_raw_csv(data, &text);
  return ts_file_write(path, ts_str_get(&text), text.length, err);
}

/* Writes one input and describes it; NULL on error. */
static json_t *send_input(const char *folder, const char *port, const struct ts_data *data,
                          const struct ts_pixel_size *pixel_size, struct ts_error *err) {
  const struct ts_type *type = ts_data_type(data);
  ts_auto_free char *path =
      type->kind == TS_DATA_FILE ? realpath(ts_data_path(data), NULL) : port_path(folder, "in", port, type);
  if (!path) {
    ts_fail(err, TS_ERR_FILE_NOT_FOUND, "file '%s' cannot be opened: %s", ts_data_path(data), strerror(errno));
    return NULL;
  }
  if (type->kind != TS_DATA_FILE && !write_data(data, path, err)) {
    ts_error_context(err, "writing input '%s'", port);
    return NULL;
  }
  json_t *entry = json_pack("{s:s, s:s}", "path", path, "type", type->name);
  if (!entry) {
    ts_fail(err, TS_ERR_BAD_NAME, "the path of input '%s' is not UTF-8", port);
    return NULL;
  }
  if (type->kind == TS_DATA_PIXELS) {
    const struct ts_region *region = ts_data_region(data);
    json_object_set_new(entry, "x", json_integer(region->x));
    json_object_set_new(entry, "y", json_integer(region->y));
    json_object_set_new(entry, "level", json_integer(region->level));
    if (pixel_size)
      json_object_set_new(entry, "pixel_size_um", json_pack("[f, f]", pixel_size->x_um, pixel_size->y_um));
  }
  return entry;
}

static bool send_inputs(const struct ts_call_state *state, const char *folder, json_t *inputs) {
  const struct ts_op_descriptor *descriptor = state->op->descriptor;
  const struct ts_pixel_size *size = descriptor->reads_pixel_size ? &state->context->pixel_size : NULL;
  for (size_t i = 0; i < descriptor->input_count; i++) {
    if (!state->inputs[i]) continue;
    json_t *entry = send_input(folder, descriptor->inputs[i]->name, state->inputs[i], size, state->err);
    if (!entry) return false;
    json_object_set_new(inputs, descriptor->inputs[i]->name, entry);
  }
  return true;
}

/* An output of a command has one type; of other operations whose exchange is left the first one names the file. */
static const struct ts_type *first_type(const char *declaration) {
  char name[64];
  ts_op_next_type(&declaration, name);
  return ts_type_find(name);
}

static void name_outputs(const struct ts_call_state *state, const char *folder, json_t *outputs) {
  const struct ts_op_descriptor *descriptor = state->op->descriptor;
  for (size_t i = 0; i < descriptor->output_count; i++) {
    const struct ts_op_port *port = descriptor->outputs[i];
    ts_auto_free char *path = port_path(folder, "out", port->name, first_type(port->type));
    json_object_set_new(outputs, port->name, json_pack("{s:s, s:s}", "path", path, "type", port->type));
  }
}

static json_t *value_to_json(const struct ts_op_value *value) {
  switch (value->type) {
  case TS_OP_INTEGER: return json_integer(value->integer);
  case TS_OP_REAL: return json_real(value->real);
  case TS_OP_BOOLEAN: return json_boolean(value->integer != 0);
  case TS_OP_STRING: return json_string(value->string);
  }
  return NULL;
}

bool ts_call_leave_outputs(const struct ts_call_state *state, const char *folder) {
  const struct ts_op_descriptor *descriptor = state->op->descriptor;
  for (size_t i = 0; i < descriptor->output_count; i++) {
    ts_auto_free char *path = port_path(folder, "out", descriptor->outputs[i]->name, ts_data_type(state->outputs[i]));
    if (!write_data(state->outputs[i], path, state->err)) return false;
  }
  return true;
}

bool ts_command_send(const struct ts_op_call *call, const char *folder, const char *request_path) {
  const struct ts_call_state *state = call->private_data;
  const struct ts_op_descriptor *descriptor = state->op->descriptor;
  json_t *inputs = json_object(), *outputs = json_object(), *parameters = json_object();
  json_auto_t *request = json_pack("{s:o, s:o, s:o}", "inputs", inputs, "outputs", outputs, "parameters", parameters);
  for (size_t i = 0; i < descriptor->parameter_count; i++)
    json_object_set_new(parameters, descriptor->parameters[i]->name, value_to_json(call->parameters[i]));
  name_outputs(state, folder, outputs);
  bool done = send_inputs(state, folder, inputs);
  if (done) {
    ts_auto_free char *text = ts_json_dump(request, false, true);
    done = ts_file_write(request_path, text, strlen(text), state->err);
  }
  return done;
}
