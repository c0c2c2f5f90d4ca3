/* Calling an operation: views of its inputs, the host functions, and checks of everything that it declares.
 * SPDX-License-Identifier: Apache-2.0
 *
 * ts_op_execute is the only way to run an operation, so every execution is counted and every output checked here.
 * The host functions belong to the thread that called run(); an operation with threads of its own calls them from
 * that thread, apart from those in parts.c. */
#include "op/state_int.h"
#include "op/watch_int.h"

#include "base/str.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)TS_OP_PIXELS == (int)TS_DATA_PIXELS && (int)TS_OP_TABLE == (int)TS_DATA_TABLE &&
                   (int)TS_OP_BYTES == (int)TS_DATA_BYTES && (int)TS_OP_FILE == (int)TS_DATA_FILE,
               "kinds have the same numbers in the contract and in the data module");
_Static_assert((int)TS_OP_U8 == (int)TS_U8 && (int)TS_OP_U16 == (int)TS_U16 && (int)TS_OP_U32 == (int)TS_U32 &&
                   (int)TS_OP_F32 == (int)TS_F32 && (int)TS_OP_F64 == (int)TS_F64,
               "elements have the same numbers in the contract and in the data module");

static struct ts_call_state *state_of(const struct ts_op_call *call) { return call->private_data; }

bool ts_call_is_cancelled(const struct ts_call_state *state) {
  return state->context->cancelled && atomic_load_explicit(state->context->cancelled, memory_order_relaxed);
}

/* ---- Inputs. ---- */

static struct ts_op_view view_of(const struct ts_data *data) {
  struct ts_op_view view = {.struct_bytes = sizeof view};
  if (!data) return view;
  const struct ts_type *type = ts_data_type(data);
  view.kind = (enum ts_op_kind)type->kind;
  view.type = type->name;
  if (type->kind == TS_DATA_PIXELS) {
    const struct ts_region *region = ts_data_region(data);
    view.width = region->width;
    view.height = region->height;
    view.channels = type->channels;
    view.element = (enum ts_op_element)type->element;
    view.x = region->x;
    view.y = region->y;
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

static bool check_input(const struct ts_call_state *state, size_t index) {
  const struct ts_op_descriptor *descriptor = state->op->descriptor;
  const struct ts_op_port *port = descriptor->inputs[index];
  const struct ts_data *data = state->inputs[index];
  if (!data) {
    if (port->optional) return true;
    ts_fail(state->err, TS_ERR_NO_PRODUCER, "input '%s' of '%s' is missing", port->name, descriptor->name);
    ts_error_help(state->err, "connect it to %s", port->type);
    return false;
  }
  if (ts_type_fits(ts_data_type(data), port->type)) return true;
  ts_fail(state->err, TS_ERR_PORT_TYPE, "input '%s' of '%s' takes %s, but %s arrived", port->name, descriptor->name,
          port->type, ts_data_type(data)->name);
  ts_error_help(state->err, "connect it to an output of type %s", port->type);
  return false;
}

/* What the operation sees of its inputs and parameters. */
struct prepared {
  struct ts_op_view views[TS_OP_MAX_PORTS];
  struct ts_op_value values[TS_OP_MAX_PARAMETERS];
  const struct ts_op_view *inputs[TS_OP_MAX_PORTS];
  const struct ts_op_value *parameters[TS_OP_MAX_PARAMETERS];
};

/* Checks the inputs, makes their views and finds where outputs lie. */
static bool prepare_inputs(struct ts_call_state *state, struct prepared *prepared) {
  bool placed = false;
  for (size_t i = 0; i < state->op->descriptor->input_count; i++) {
    if (!check_input(state, i)) return false;
    prepared->views[i] = view_of(state->inputs[i]);
    prepared->inputs[i] = &prepared->views[i];
    if (placed || prepared->views[i].kind != TS_OP_PIXELS) continue;
    state->place = *ts_data_region(state->inputs[i]);
    placed = true;
  }
  return true;
}

static bool prepare_parameters(const struct ts_call_state *state, const struct ts_value *given,
                               struct prepared *prepared) {
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

/* ---- Outputs. ---- */

static bool break_contract(const struct ts_call_state *state, const char *format, ...) TS_PRINTF(2, 3);

static bool break_contract(const struct ts_call_state *state, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  ts_fail(state->err, TS_ERR_OPERATION_CONTRACT, "operation '%s' %s", state->op->descriptor->name, text);
  ts_error_help(state->err, "this is a mistake in the operation; report it to its author");
  return false;
}

static bool check_port(const struct ts_call_state *state, size_t port) {
  if (port < state->op->descriptor->output_count) return true;
  return break_contract(state, "named output %zu, but has %zu", port, state->op->descriptor->output_count);
}

static bool may_make(const struct ts_call_state *state, size_t port) {
  if (!check_port(state, port)) return false;
  if (!state->outputs[port]) return true;
  return break_contract(state, "made its output '%s' twice", state->op->descriptor->outputs[port]->name);
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
    break_contract(state, "made %s pixels with %d channels for its output '%s' of type %s", elements[element],
                   (int)channels, output->name, output->type);
  else
    break_contract(state, "made %s for its output '%s' of type %s", kinds[kind], output->name, output->type);
  return NULL;
}

/* The memory of a new output, with marks around it that conclude() looks for. */
static void *writable(struct ts_call_state *state, size_t port) {
  if (!state->outputs[port]) return NULL;
  ts_data_guard(state->outputs[port]);
  state->is_guarded[port] = true;
  return ts_data_writable(state->outputs[port]);
}

static void *output_pixels(struct ts_op_call *call, size_t port, int64_t width, int64_t height, int32_t channels,
                           enum ts_op_element element) {
  struct ts_call_state *state = state_of(call);
  const struct ts_type *type = type_to_make(state, port, TS_DATA_PIXELS, (int)element, channels);
  if (!type) return NULL;
  if (width < 1 || height < 1) {
    break_contract(state, "made %lld x %lld pixels for its output '%s'", (long long)width, (long long)height,
                   state->op->descriptor->outputs[port]->name);
    return NULL;
  }
  struct ts_region region = state->place;
  region.width = width;
  region.height = height;
  state->outputs[port] = ts_data_create_pixels(type, &region, state->err);
  return writable(state, port);
}

static bool check_names(const struct ts_call_state *state, size_t port, size_t columns, const char *const *names) {
  const char *output = state->op->descriptor->outputs[port]->name;
  if (columns == 0 || !names) return break_contract(state, "made its output '%s' without columns", output);
  for (size_t i = 0; i < columns; i++) {
    if (!names[i] || !names[i][0] || !ts_utf8_valid(names[i], strlen(names[i])))
      return break_contract(state, "gave column %zu of its output '%s' a name that is empty or not UTF-8", i, output);
    for (size_t k = 0; k < i; k++)
      if (strcmp(names[i], names[k]) == 0)
        return break_contract(state, "gave its output '%s' two columns named '%s'", output, names[i]);
  }
  return true;
}

static double *output_table(struct ts_op_call *call, size_t port, size_t rows, size_t columns,
                            const char *const *names) {
  struct ts_call_state *state = state_of(call);
  if (!type_to_make(state, port, TS_DATA_TABLE, 0, 0)) return NULL;
  if (!check_names(state, port, columns, names)) return NULL;
  state->outputs[port] = ts_data_create_table(rows, columns, names, state->err);
  return writable(state, port);
}

static void *output_bytes(struct ts_op_call *call, size_t port, size_t size_bytes) {
  struct ts_call_state *state = state_of(call);
  const struct ts_type *type = type_to_make(state, port, TS_DATA_BYTES, 0, 0);
  if (!type) return NULL;
  state->outputs[port] = ts_data_create_bytes(type, size_bytes, state->err);
  return writable(state, port);
}

static void output_place(struct ts_op_call *call, size_t port, const struct ts_op_place *given) {
  struct ts_call_state *state = state_of(call);
  if (!check_port(state, port)) return;
  struct ts_op_place place;
  if (!ts_op_adopt_place(given, &place)) {
    break_contract(state, "gave its output '%s' a place without its size", state->op->descriptor->outputs[port]->name);
    return;
  }
  state->has_place[port] = true;
  state->placed[port] = (struct ts_region){.x = place.x, .y = place.y, .level = place.level};
}

static void output_type(struct ts_op_call *call, size_t port, const char *type_name) {
  struct ts_call_state *state = state_of(call);
  if (!check_port(state, port)) return;
  const struct ts_op_port *output = state->op->descriptor->outputs[port];
  const struct ts_type *type = type_name ? ts_type_find(type_name) : NULL;
  if (type && ts_type_fits(type, output->type))
    state->type[port] = type;
  else
    break_contract(state, "called its output '%s' '%s', which is not %s", output->name, type_name ? type_name : "",
                   output->type);
}

static int fail(struct ts_op_call *call, const char *format, ...) TS_PRINTF(2, 3);

static int fail(struct ts_op_call *call, const char *format, ...) {
  struct ts_call_state *state = state_of(call);
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  const char *name = state->op->descriptor->name;
  if (ts_call_is_cancelled(state))
    ts_fail(state->err, TS_ERR_CANCELLED, "operation '%s' was stopped", name);
  else if (ts_watch_is_late())
    ts_fail(state->err, TS_ERR_TASK_FAILED, "operation '%s' took longer than %s s and was stopped: %s", name,
            TS_SIGNIFICANT(ts_watch_limit_s(), 6), text);
  else
    ts_fail(state->err, TS_ERR_TASK_FAILED, "operation '%s' failed: %s", name, text);
  return -1;
}

static int cancelled(const struct ts_op_call *call) {
  return ts_call_is_cancelled(state_of(call)) || ts_watch_is_late();
}

static const struct ts_op_host host = {
    .struct_bytes = sizeof host,
    .output_pixels = output_pixels,
    .output_table = output_table,
    .output_bytes = output_bytes,
    .output_place = output_place,
    .output_type = output_type,
    .fail = fail,
    .cancelled = cancelled,
    .parallel_for = ts_lent_parallel_for,
    .thread_count = ts_lent_thread_count,
    .recall = ts_parts_recall,
    .remember = ts_parts_remember,
    .input_digest = ts_parts_input_digest,
};

static bool settle_type(const struct ts_call_state *state, size_t port) {
  const struct ts_op_port *output = state->op->descriptor->outputs[port];
  const struct ts_type *made = ts_data_type(state->outputs[port]), *declared = state->type[port];
  if (declared && !has_shape(declared, made->kind, (int)made->element, made->channels))
    return break_contract(state, "called its output '%s' %s, but made %s", output->name, declared->name, made->name);
  if (declared) {
    if (declared != made) ts_data_set_type(state->outputs[port], declared);
    return true;
  }
  size_t count;
  alternative(output->type, made->kind, (int)made->element, made->channels, &count);
  if (count == 1) return true;
  return break_contract(state, "did not say which of %s its output '%s' is", output->type, output->name);
}

/* Studies rely on declared columns before a run; see tessera_op.h. */
static bool check_columns(const struct ts_call_state *state, size_t port) {
  const char *missing = NULL, *surplus = NULL, *name = state->op->descriptor->outputs[port]->name;
  if (ts_op_table_fits(state->op, port, state->outputs[port], &missing, &surplus)) return true;
  if (missing) return break_contract(state, "did not give its table '%s' the column '%s'", name, missing);
  return break_contract(state, "gave its table '%s' the column '%s', which it does not declare", name, surplus);
}

static bool check_output(const struct ts_call_state *state, size_t port) {
  const char *name = state->op->descriptor->outputs[port]->name;
  struct ts_data *data = state->outputs[port];
  if (!data) return break_contract(state, "did not make its output '%s'", name);
  if (!settle_type(state, port)) return false;
  const struct ts_type *type = ts_data_type(data);
  if (type->kind == TS_DATA_PIXELS && state->has_place[port]) ts_data_set_place(data, &state->placed[port]);
  if (type->kind == TS_DATA_TABLE && !check_columns(state, port)) return false;
  if (strcmp(type->name, "mask") != 0 || ts_data_check_mask(data)) return true;
  return break_contract(state, "put other values than 0 and 255 into its mask '%s'", name);
}

/* Also after a failure: damaged memory is the more important error. */
static bool check_guards(const struct ts_call_state *state) {
  for (size_t i = 0; i < state->op->descriptor->output_count; i++) {
    if (!state->is_guarded[i] || ts_data_is_intact(state->outputs[i])) continue;
    ts_error_clear(state->err);
    return break_contract(state, "wrote outside the memory of its output '%s'",
                          state->op->descriptor->outputs[i]->name);
  }
  return true;
}

/* ---- Inputs that were changed (only on request: hashing takes longer than many operations). ---- */

static bool is_verifying(void) {
  static atomic_int known; /* 0: not asked yet, 1: no, 2: yes */
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer == 0) {
    const char *value = getenv("TESSERA_VERIFY");
    answer = value && value[0] != '\0' && strcmp(value, "0") != 0 ? 2 : 1;
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer == 2;
}

static void digest_inputs(const struct ts_call_state *state, struct ts_xxh128 *digests) {
  for (size_t i = 0; i < state->op->descriptor->input_count; i++) {
    if (state->inputs[i]) digests[i] = ts_data_run_digest(state->inputs[i]);
  }
}

static bool check_inputs_unchanged(const struct ts_call_state *state, const struct ts_xxh128 *digests) {
  for (size_t i = 0; i < state->op->descriptor->input_count; i++) {
    if (!state->inputs[i]) continue;
    const struct ts_xxh128 now = ts_data_run_digest(state->inputs[i]);
    if (now.low == digests[i].low && now.high == digests[i].high) continue;
    ts_error_clear(state->err);
    return break_contract(state, "changed its input '%s'", state->op->descriptor->inputs[i]->name);
  }
  return true;
}

static bool conclude(const struct ts_call_state *state, int status) {
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

static int run_locked(struct ts_op *op, struct ts_op_call *call) {
  if (op->lock) pthread_mutex_lock(op->lock);
  struct ts_watched watched = {.state = state_of(call), .parameters = call->parameters};
  struct ts_thread_state before;
  state_of(call)->was_called = true;
  atomic_fetch_add_explicit(&op->executions, 1, memory_order_relaxed);
  ts_watch_enter(&watched);
  ts_thread_state_enter(&before, op->origin == TS_OP_PLUGIN);
  int status = ts_early_end_run(op->descriptor->run, call);
  ts_thread_state_leave(&before);
  ts_watch_leave(&watched);
  if (op->lock) pthread_mutex_unlock(op->lock);
  return status;
}

static bool check_same_outputs(const struct ts_call_state *state, struct ts_data *const *others) {
  for (size_t i = 0; i < state->op->descriptor->output_count; i++) {
    const struct ts_xxh128 one = ts_data_run_digest(state->outputs[i]), other = ts_data_run_digest(others[i]);
    if (one.low == other.low && one.high == other.high) continue;
    return break_contract(state, "made a different output '%s' with recalled parts than without",
                          state->op->descriptor->outputs[i]->name);
  }
  return true;
}

/* The same call without recalled parts must make the same outputs. It is a check and does not count as an execution. */
static bool check_parts(struct ts_call_state *state, const struct ts_op_call *call) {
  struct ts_data *outputs[TS_OP_MAX_PORTS] = {0};
  struct ts_call_state again = {.op = state->op,
                                .inputs = state->inputs,
                                .outputs = outputs,
                                .context = state->context,
                                .err = state->err,
                                .place = state->place};
  struct ts_op_call second = *call;
  second.private_data = &again;
  bool ok = conclude(&again, run_locked(state->op, &second)) && check_same_outputs(state, outputs);
  atomic_fetch_sub_explicit(&state->op->executions, 1, memory_order_relaxed);
  for (size_t i = 0; i < state->op->descriptor->output_count; i++) ts_data_unref(outputs[i]);
  return ok;
}

/* Runs with a check of the inputs before and after, and of recalled parts. */
static bool run_verified(struct ts_call_state *state, struct ts_op_call *call) {
  struct ts_xxh128 digests[TS_OP_MAX_PORTS] = {{0}};
  digest_inputs(state, digests);
  int status = run_locked(state->op, call);
  if (!check_inputs_unchanged(state, digests) || !conclude(state, status)) return false;
  bool exact = strcmp(state->op->numeric, "exact") == 0; /* others may differ from call to call */
  return !exact || !atomic_load_explicit(&state->has_recalled, memory_order_relaxed) || check_parts(state, call);
}

static bool execute(struct ts_call_state *state, const struct ts_value *parameters) {
  struct prepared prepared;
  if (ts_call_is_cancelled(state))
    return ts_fail(state->err, TS_ERR_CANCELLED, "operation '%s' was not started", state->op->descriptor->name);
  if (!prepare_inputs(state, &prepared) || !prepare_parameters(state, parameters, &prepared)) return false;
  struct ts_op_call call = {.struct_bytes = sizeof call,
                            .host = &host,
                            .inputs = prepared.inputs,
                            .parameters = prepared.parameters,
                            .user = state->op->descriptor->user,
                            .private_data = state};
  ts_parts_begin(state, state->context->memo);
  if (is_verifying()) return run_verified(state, &call);
  return conclude(state, run_locked(state->op, &call));
}

bool ts_call_once(struct ts_call_state *state, const struct ts_value *parameters) {
  const size_t output_count = state->op->descriptor->output_count;
  for (size_t i = 0; i < output_count; i++) state->outputs[i] = NULL;
  if (execute(state, parameters)) return true;
  ts_call_drop_outputs(state);
  return false;
}

void ts_call_drop_outputs(struct ts_call_state *state) {
  for (size_t i = 0; i < state->op->descriptor->output_count; i++) {
    ts_data_unref(state->outputs[i]);
    state->outputs[i] = NULL;
  }
}

bool ts_op_execute(struct ts_op *op, struct ts_data *const *inputs, const struct ts_value *parameters,
                   struct ts_data **outputs, const struct ts_op_context *context, struct ts_error *err) {
  static const struct ts_op_context no_context = {0};
  /* An error of this call alone, so that faults of the operation are seen even if the caller passed NULL. */
  struct ts_error error = {0};
  struct ts_call_state state = {
      .op = op, .inputs = inputs, .outputs = outputs, .context = context ? context : &no_context, .err = &error};
  if (ts_call_guarded(&state, parameters)) return true;
  if (error.code == TS_ERR_NO_MEMORY) ts_error_context(&error, "running operation '%s'", op->descriptor->name);
  if (err && err->code == TS_ERR_OK) *err = error;
  return false;
}
