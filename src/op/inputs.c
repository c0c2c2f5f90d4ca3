/* What an operation sees of a call: views of its inputs and canonical parameters, after both were checked.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/op_int.h"

_Static_assert((int)TS_OP_PIXELS == (int)TS_DATA_PIXELS && (int)TS_OP_TABLE == (int)TS_DATA_TABLE &&
                   (int)TS_OP_BYTES == (int)TS_DATA_BYTES && (int)TS_OP_FILE == (int)TS_DATA_FILE,
               "kinds have the same numbers in the contract and in the data module");
_Static_assert((int)TS_OP_U8 == (int)TS_U8 && (int)TS_OP_U16 == (int)TS_U16 && (int)TS_OP_U32 == (int)TS_U32 &&
                   (int)TS_OP_F32 == (int)TS_F32 && (int)TS_OP_F64 == (int)TS_F64,
               "elements have the same numbers in the contract and in the data module");

static struct ts_op_view view_of(const struct ts_data *data, const struct ts_pixel_size *pixel_size) {
  struct ts_op_view view = {.struct_bytes = sizeof view};
  if (!data) return view;
  const struct ts_type *type = ts_data_type(data);
  view.kind = (enum ts_op_kind)type->kind;
  view.type = type->name;
  if (type->kind == TS_DATA_PIXELS) {
    const struct ts_region *region = ts_data_region(data);
    view.width = region->width;
    view.height = region->height;
    view.depth = region->depth;
    view.frames = region->frames;
    view.row_bytes = (size_t)region->width * (size_t)type->channels * ts_element_bytes(type->element);
    view.channels = type->channels;
    view.element = (enum ts_op_element)type->element;
    view.x = region->x;
    view.y = region->y;
    view.z = region->z;
    view.t = region->t;
    view.pixel_size_x_um = pixel_size->x_um;
    view.pixel_size_y_um = pixel_size->y_um;
    view.level = region->level;
  }
  if (type->kind == TS_DATA_TABLE) {
    view.rows = ts_data_rows(data);
    view.columns = ts_data_columns(data);
    view.names = ts_data_column_names(data);
    view.cells = ts_data_cells(data);
  }
  if (type->kind == TS_DATA_PIXELS || type->kind == TS_DATA_BYTES) view.data = ts_data_bytes(data, &view.size_bytes);
  if (type->kind == TS_DATA_FILE) view.path = ts_data_path(data);
  return view;
}

static bool check_planes(const struct ts_call_state *state, const struct ts_op_port *port, const struct ts_data *data) {
  if (port->volumes || ts_data_type(data)->kind != TS_DATA_PIXELS) return true;
  const struct ts_region *region = ts_data_region(data);
  if (!ts_region_is_volume(region)) return true;
  ts_fail(state->err, TS_ERR_PORT_TYPE, "input '%s' of '%s' takes one plane, but %d planes of %d frames arrived",
          port->name, state->op->descriptor->name, (int)region->depth, (int)region->frames);
  return ts_error_help(state->err, "choose a plane, or project them onto one, before it");
}

static bool check_input(const struct ts_call_state *state, size_t index) {
  const struct ts_op_descriptor *descriptor = state->op->descriptor;
  const struct ts_op_port *port = descriptor->inputs[index];
  const struct ts_data *data = state->inputs[index];
  if (!data) {
    if (port->optional) return true;
    ts_fail(state->err, TS_ERR_NO_PRODUCER, "input '%s' of '%s' is missing", port->name, descriptor->name);
    return ts_error_help(state->err, "connect it to %s", port->type);
  }
  if (ts_type_fits(ts_data_type(data), port->type)) return check_planes(state, port, data);
  ts_fail(state->err, TS_ERR_PORT_TYPE, "input '%s' of '%s' takes %s, but %s arrived", port->name, descriptor->name,
          port->type, ts_data_type(data)->name);
  return ts_error_help(state->err, "connect it to an output of type %s", port->type);
}

/* Checks the inputs, makes their views and finds where outputs lie. */
static bool prepare_inputs(struct ts_call_state *state, struct ts_prepared *prepared) {
  bool placed = false;
  const struct ts_pixel_size unknown = {0};
  const struct ts_pixel_size *size = state->op->descriptor->reads_pixel_size ? &state->context->pixel_size : &unknown;
  for (size_t i = 0; i < state->op->descriptor->input_count; i++) {
    if (!check_input(state, i)) return false;
    prepared->views[i] = view_of(state->inputs[i], size);
    prepared->inputs[i] = &prepared->views[i];
    if (placed || prepared->views[i].kind != TS_OP_PIXELS) continue;
    state->place = *ts_data_region(state->inputs[i]);
    placed = true;
  }
  return true;
}

static bool prepare_parameters(const struct ts_call_state *state, const struct ts_value *given,
                               struct ts_prepared *prepared) {
  const struct ts_op_descriptor *descriptor = state->op->descriptor;
  for (size_t i = 0; i < descriptor->parameter_count; i++) {
    const struct ts_op_parameter *parameter = descriptor->parameters[i];
    if (!ts_op_check_value(parameter, &given[i], state->err)) return false;
    struct ts_value canonical = ts_op_canonical(parameter, &given[i]);
    prepared->values[i] = ts_op_value_of(parameter->type, &canonical);
    prepared->parameters[i] = &prepared->values[i];
  }
  return true;
}

bool ts_call_prepare(struct ts_call_state *state, const struct ts_value *parameters, struct ts_prepared *prepared) {
  return prepare_inputs(state, prepared) && prepare_parameters(state, parameters, prepared);
}
