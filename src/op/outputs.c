/* Outputs of a call: the host functions that make them, and the checks of what was made.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/op_int.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

static struct ts_call_state *state_of(const struct ts_op_call *call) { return call->private_data; }

bool ts_call_break_contract(const struct ts_call_state *state, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  ts_fail(state->err, TS_ERR_OPERATION_CONTRACT, "operation '%s' %s", state->op->descriptor->name, text);
  return ts_error_help(state->err, "this is a mistake in the operation; report it to its author");
}

static bool check_port(const struct ts_call_state *state, size_t port) {
  if (port < state->op->descriptor->output_count) return true;
  return ts_call_break_contract(state, "named output %zu, but has %zu", port, state->op->descriptor->output_count);
}

static bool may_make(const struct ts_call_state *state, size_t port) {
  if (!check_port(state, port)) return false;
  if (!state->outputs[port]) return true;
  return ts_call_break_contract(state, "made its output '%s' twice", state->op->descriptor->outputs[port]->name);
}

static bool has_shape(const struct ts_type *type, enum ts_data_kind kind, int element, int32_t channels) {
  return type->kind == kind &&
         (kind != TS_DATA_PIXELS || ((int)type->element == element && type->channels == channels));
}

/* The first alternative of a port type with this shape, and how many have it. */
static const struct ts_type *alternative(const char *declaration, enum ts_data_kind kind, int element, int32_t channels,
                                         size_t *count) {
  const struct ts_type *first = NULL;
  char name[64];
  *count = 0;
  while (ts_op_next_type(&declaration, name)) {
    const struct ts_type *type = ts_type_find(name);
    if (!type || !has_shape(type, kind, element, channels)) continue;
    if (!first) first = type;
    ++*count;
  }
  return first;
}

static const struct ts_type *type_to_make(const struct ts_call_state *state, size_t port, enum ts_data_kind kind,
                                          int element, int32_t channels) {
  if (!may_make(state, port)) return NULL;
  const struct ts_op_port *output = state->op->descriptor->outputs[port];
  size_t count;
  const struct ts_type *type = alternative(output->type, kind, element, channels, &count);
  static const char *const kinds[] = {"", "pixels", "a table", "bytes", "a file"};
  static const char *const elements[] = {"", "8-bit", "16-bit", "32-bit", "float", "double"};
  if (type) return type;
  if (kind == TS_DATA_PIXELS && element >= TS_U8 && element <= TS_F64)
    ts_call_break_contract(state, "made %s pixels with %d channels for its output '%s' of type %s", elements[element],
                           (int)channels, output->name, output->type);
  else
    ts_call_break_contract(state, "made %s for its output '%s' of type %s", kinds[kind], output->name, output->type);
  return NULL;
}

/* The memory of a new output, with marks around it that conclude() looks for. */
static void *writable(struct ts_call_state *state, size_t port) {
  if (!state->outputs[port]) return NULL;
  ts_data_guard(state->outputs[port]);
  state->is_guarded[port] = true;
  return ts_data_writable(state->outputs[port]);
}

static void *make_pixels(struct ts_call_state *state, size_t port, const struct ts_type *type,
                         const struct ts_region *region) {
  const char *name = state->op->descriptor->outputs[port]->name;
  if (region->width < 1 || region->height < 1) {
    ts_call_break_contract(state, "made %lld x %lld pixels for its output '%s'", (long long)region->width,
                           (long long)region->height, name);
    return NULL;
  }
  if (region->depth < 0 || region->frames < 0) {
    ts_call_break_contract(state, "made %d planes of %d frames for its output '%s'", (int)region->depth,
                           (int)region->frames, name);
    return NULL;
  }
  state->outputs[port] = ts_data_create_pixels(type, region, state->err);
  return writable(state, port);
}

void *ts_call_output_pixels(struct ts_op_call *call, size_t port, int64_t width, int64_t height, int32_t channels,
                            enum ts_op_element element) {
  struct ts_call_state *state = state_of(call);
  const struct ts_type *type = type_to_make(state, port, TS_DATA_PIXELS, (int)element, channels);
  if (!type) return NULL;
  struct ts_region region = state->place;
  region.width = width;
  region.height = height;
  region.depth = region.frames = 1;
  return make_pixels(state, port, type, &region);
}

/* The place that a call was given; false if it does not say how long it is. */
static bool read_place(const struct ts_call_state *state, size_t port, const struct ts_op_place *given,
                       struct ts_region *region) {
  struct ts_op_place place;
  if (!ts_op_adopt_place(given, &place)) {
    ts_call_break_contract(state, "gave its output '%s' a place without its size",
                           state->op->descriptor->outputs[port]->name);
    return false;
  }
  *region = (struct ts_region){.x = place.x,
                               .y = place.y,
                               .width = place.width,
                               .height = place.height,
                               .level = place.level,
                               .z = place.z,
                               .t = place.t,
                               .depth = place.depth,
                               .frames = place.frames};
  return true;
}

void *ts_call_output_region(struct ts_op_call *call, size_t port, const struct ts_op_place *place, int32_t channels,
                            enum ts_op_element element) {
  struct ts_call_state *state = state_of(call);
  struct ts_region region;
  const struct ts_type *type = type_to_make(state, port, TS_DATA_PIXELS, (int)element, channels);
  if (!type || !read_place(state, port, place, &region)) return NULL;
  return make_pixels(state, port, type, &region);
}

static bool check_names(const struct ts_call_state *state, size_t port, size_t columns, const char *const *names) {
  const char *output = state->op->descriptor->outputs[port]->name;
  if (columns == 0 || !names) return ts_call_break_contract(state, "made its output '%s' without columns", output);
  for (size_t i = 0; i < columns; i++) {
    if (!names[i] || !names[i][0] || !ts_utf8_valid(names[i], strlen(names[i])))
      return ts_call_break_contract(state, "gave column %zu of its output '%s' a name that is empty or not UTF-8", i,
                                    output);
    for (size_t k = 0; k < i; k++)
      if (strcmp(names[i], names[k]) == 0)
        return ts_call_break_contract(state, "gave its output '%s' two columns named '%s'", output, names[i]);
  }
  return true;
}

double *ts_call_output_table(struct ts_op_call *call, size_t port, size_t rows, size_t columns,
                             const char *const *names) {
  struct ts_call_state *state = state_of(call);
  if (!type_to_make(state, port, TS_DATA_TABLE, 0, 0)) return NULL;
  if (!check_names(state, port, columns, names)) return NULL;
  state->outputs[port] = ts_data_create_table(rows, columns, names, state->err);
  return writable(state, port);
}

void *ts_call_output_bytes(struct ts_op_call *call, size_t port, size_t size_bytes) {
  struct ts_call_state *state = state_of(call);
  const struct ts_type *type = type_to_make(state, port, TS_DATA_BYTES, 0, 0);
  if (!type) return NULL;
  state->outputs[port] = ts_data_create_bytes(type, size_bytes, state->err);
  return writable(state, port);
}

void ts_call_output_place(struct ts_op_call *call, size_t port, const struct ts_op_place *given) {
  struct ts_call_state *state = state_of(call);
  if (!check_port(state, port)) return;
  state->has_place[port] = read_place(state, port, given, &state->placed[port]);
}

void ts_call_output_type(struct ts_op_call *call, size_t port, const char *type_name) {
  struct ts_call_state *state = state_of(call);
  if (!check_port(state, port)) return;
  const struct ts_op_port *output = state->op->descriptor->outputs[port];
  const struct ts_type *type = type_name ? ts_type_find(type_name) : NULL;
  if (type && ts_type_fits(type, output->type))
    state->type[port] = type;
  else
    ts_call_break_contract(state, "called its output '%s' '%s', which is not %s", output->name,
                           type_name ? type_name : "", output->type);
}

static bool settle_type(const struct ts_call_state *state, size_t port) {
  const struct ts_op_port *output = state->op->descriptor->outputs[port];
  const struct ts_type *made = ts_data_type(state->outputs[port]), *declared = state->type[port];
  if (declared && !has_shape(declared, made->kind, (int)made->element, made->channels))
    return ts_call_break_contract(state, "called its output '%s' %s, but made %s", output->name, declared->name,
                                  made->name);
  if (declared) {
    if (declared != made) ts_data_set_type(state->outputs[port], declared);
    return true;
  }
  size_t count;
  alternative(output->type, made->kind, (int)made->element, made->channels, &count);
  if (count == 1) return true;
  return ts_call_break_contract(state, "did not say which of %s its output '%s' is", output->type, output->name);
}

/* Studies rely on declared columns before a run; see tessera_op.h. */
static bool check_columns(const struct ts_call_state *state, size_t port) {
  const char *missing = NULL, *surplus = NULL, *name = state->op->descriptor->outputs[port]->name;
  if (ts_op_table_fits(state->op, port, state->outputs[port], &missing, &surplus)) return true;
  if (missing) return ts_call_break_contract(state, "did not give its table '%s' the column '%s'", name, missing);
  return ts_call_break_contract(state, "gave its table '%s' the column '%s', which it does not declare", name, surplus);
}

static bool check_output(const struct ts_call_state *state, size_t port) {
  const char *name = state->op->descriptor->outputs[port]->name;
  struct ts_data *data = state->outputs[port];
  if (!data) return ts_call_break_contract(state, "did not make its output '%s'", name);
  if (!settle_type(state, port)) return false;
  const struct ts_type *type = ts_data_type(data);
  if (type->kind == TS_DATA_PIXELS && state->has_place[port]) ts_data_set_place(data, &state->placed[port]);
  if (type->kind == TS_DATA_TABLE && !check_columns(state, port)) return false;
  if (strcmp(type->name, "mask") != 0 || ts_data_check_mask(data)) return true;
  return ts_call_break_contract(state, "put other values than 0 and 255 into its mask '%s'", name);
}

/* Also after a failure: damaged memory is the more important error. */
static bool check_guards(const struct ts_call_state *state) {
  for (size_t i = 0; i < state->op->descriptor->output_count; i++) {
    if (!state->is_guarded[i] || ts_data_is_intact(state->outputs[i])) continue;
    ts_error_clear(state->err);
    return ts_call_break_contract(state, "wrote outside the memory of its output '%s'",
                                  state->op->descriptor->outputs[i]->name);
  }
  return true;
}

bool ts_call_conclude(const struct ts_call_state *state, int status) {
  if (!check_guards(state)) return false;
  if (state->err->code != TS_ERR_OK) return false;
  if (status != 0)
    return ts_fail(state->err, TS_ERR_TASK_FAILED, "operation '%s' failed with status %d and gave no reason",
                   state->op->descriptor->name, status);
  for (size_t i = 0; i < state->op->descriptor->output_count; i++) {
    if (!check_output(state, i)) return false;
    ts_data_finish(state->outputs[i]);
  }
  return true;
}

void ts_call_drop_outputs(struct ts_call_state *state) {
  for (size_t i = 0; i < state->op->descriptor->output_count; i++) {
    ts_data_unref(state->outputs[i]);
    state->outputs[i] = NULL;
  }
}
