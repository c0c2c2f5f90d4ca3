/* The words of a call by hand: which operation, and NAME=VALUE for its inputs and parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/call/hand_call.h"

#include "base/alloc.h"
#include "base/reader.h"

#include <math.h>
#include <string.h>

#define USAGE_BYTES 300 /* as much as the help of an error holds; the rest is left to 'tessera list' */

/* ---- The operation ---- */

static bool is_file(const char *word) { return ts_str_ends_with(word, ".json") || ts_str_ends_with(word, ".so"); }

static bool load(struct hand_call *call, const char *file, const char **path) {
  *path = ts_request_path(call->request, &call->arena, file);
  return ts_registry_load(call->registry, *path, &call->issues->faults);
}

/* The operation of a file; of several the user must name one. */
static bool find_in_file(struct hand_call *call, const char *file) {
  const char *path = NULL;
  ts_auto(ts_names_release) struct ts_names names = {0};
  if (!load(call, file, &path)) return false;
  for (size_t i = 0; i < ts_registry_count(call->registry); i++) {
    struct ts_op *op = ts_registry_at(call->registry, i);
    if (strcmp(op->source, path) != 0) continue;
    call->op = op;
    ts_names_add(&names, op->descriptor->name);
  }
  if (names.count == 1) return true;
  ts_auto(ts_str_release) struct ts_str list = {0};
  ts_auto(ts_str_release) struct ts_str help = {0};
  ts_names_print(&names, &list);
  ts_str_addf(&help, "name one, as in: tessera call %s --operations %s", names.count ? names.items[0] : "NAME", file);
  return ts_issues_usage(call->issues, ts_str_get(&help), "'%s' has %zu operations: %s", file, names.count,
                         ts_str_get(&list));
}

static bool fail_unknown(struct hand_call *call, const char *name) {
  struct ts_error err = {0};
  const char *near = ts_registry_nearest(call->registry, name);
  ts_fail(&err, TS_ERR_UNKNOWN_OPERATION, "there is no operation '%s'", name);
  if (near)
    ts_error_help(&err, "did you mean '%s'?", near);
  else
    ts_error_help(&err, "'tessera list' shows the built-in ones; for others name their file: --operations FILE");
  return ts_issues_fault(call->issues, &err);
}

bool ts_hand_call_find(struct hand_call *call) {
  const struct ts_request *request = call->request;
  const char *path = NULL, *name = request->operation;
  call->registry = ts_project_registry();
  if (!name) return ts_issues_usage(call->issues, "name one, or its file", "no operation was given");
  for (size_t i = 0; i < request->operations_count; i++)
    if (!load(call, request->operations[i], &path)) return false;
  if (is_file(name)) return find_in_file(call, name);
  call->op = ts_registry_find(call->registry, name);
  return call->op || fail_unknown(call, name);
}

/* ---- What it wants ---- */

static void print_domain(const struct ts_op_parameter *parameter, struct ts_str *out) {
  for (size_t i = 0; parameter->choices && parameter->choices[i]; i++)
    ts_str_addf(out, "%s%s", i ? "|" : "", parameter->choices[i]);
  if (parameter->choices) return;
  if (parameter->type == TS_OP_BOOLEAN) {
    ts_str_add(out, "true|false");
  } else if (parameter->type == TS_OP_STRING || parameter->low > parameter->high) {
    ts_str_add(out, parameter->type == TS_OP_STRING ? "TEXT" : parameter->type == TS_OP_REAL ? "NUMBER" : "INTEGER");
  } else {
    ts_str_addf(out, "%s..%s", TS_SIGNIFICANT(parameter->low, 12), TS_SIGNIFICANT(parameter->high, 12));
  }
}

/* "tessera call pixels.smooth gray=FILE radius=0..64": as much of it as an error has room for. */
static void print_usage(const struct hand_call *call, struct ts_str *out) {
  const struct ts_op_descriptor *d = call->op->descriptor;
  ts_str_addf(out, "tessera call %s", call->request->operation);
  for (size_t i = 0; i < d->input_count; i++)
    ts_str_addf(out, d->inputs[i]->optional ? " [%s=FILE]" : " %s=FILE", d->inputs[i]->name);
  for (size_t i = 0; i < d->parameter_count && out->length < USAGE_BYTES; i++) {
    ts_str_addf(out, " %s=", d->parameters[i]->name);
    print_domain(d->parameters[i], out);
  }
  if (out->length < USAGE_BYTES) return;
  out->length = 0;
  ts_str_addf(out, "'tessera list' shows all its inputs and parameters");
}

static bool check_complete(struct hand_call *call) {
  const struct ts_op_descriptor *d = call->op->descriptor;
  ts_auto(ts_names_release) struct ts_names missing = {0};
  for (size_t i = 0; i < d->input_count; i++)
    if (!call->words[i] && !d->inputs[i]->optional) ts_names_add(&missing, d->inputs[i]->name);
  for (size_t i = 0; i < d->parameter_count; i++)
    if (!call->has_value[i]) ts_names_add(&missing, d->parameters[i]->name);
  if (missing.count == 0) return true;
  ts_auto(ts_str_release) struct ts_str list = {0};
  ts_auto(ts_str_release) struct ts_str usage = {0};
  ts_names_print(&missing, &list);
  print_usage(call, &usage);
  return ts_issues_usage(call->issues, ts_str_get(&usage), "'%s' also needs %s", d->name, ts_str_get(&list));
}

/* ---- The words ---- */

static bool set_value(struct hand_call *call, size_t index, const char *text) {
  const struct ts_op_parameter *parameter = call->op->descriptor->parameters[index];
  struct ts_error err = {0};
  struct ts_value value;
  call->has_value[index] = true;
  if (!ts_value_from_text(text, ts_op_plain_type(parameter->type), &call->arena, &value, &err)) {
    ts_error_context(&err, "reading %s=%s", parameter->name, text);
    return ts_issues_fault(call->issues, &err);
  }
  if (!ts_op_check_value(parameter, &value, &err)) return ts_issues_fault(call->issues, &err);
  call->values[index] = ts_op_canonical(parameter, &value);
  return true;
}

/* The input or parameter that was probably meant counts as given. */
static bool fail_unknown_word(struct hand_call *call, const struct tessera_setting *word) {
  const char *name = word->name;
  size_t index = 0;
  const struct ts_op_descriptor *d = call->op->descriptor;
  ts_auto(ts_names_release) struct ts_names names = {0};
  struct ts_error err = {0};
  for (size_t i = 0; i < d->input_count; i++) ts_names_add(&names, d->inputs[i]->name);
  for (size_t i = 0; i < d->parameter_count; i++) ts_names_add(&names, d->parameters[i]->name);
  ts_fail(&err, TS_ERR_UNKNOWN_PARAMETER, "operation '%s' has no input and no parameter '%s'", d->name, name);
  const char *near = ts_names_suggest(&names, &err, name, "it has", "it has none");
  if (near && ts_op_find_input(call->op, near, &index)) call->words[index] = word->value;
  if (near && ts_op_find_parameter(call->op, near, &index)) call->has_value[index] = true;
  return ts_issues_fault(call->issues, &err);
}

static bool fail_twice(struct hand_call *call, const char *name) {
  return ts_issues_usage(call->issues, "leave out one of the two", "'%s' is given twice", name);
}

static bool assign(struct hand_call *call, const struct tessera_setting *word) {
  size_t index = 0;
  if (ts_op_find_input(call->op, word->name, &index)) {
    if (call->words[index]) return fail_twice(call, word->name);
    call->words[index] = word->value;
    return true;
  }
  if (!ts_op_find_parameter(call->op, word->name, &index)) return fail_unknown_word(call, word);
  if (call->has_value[index]) return fail_twice(call, word->name);
  return set_value(call, index, word->value);
}

bool ts_hand_call_assign(struct hand_call *call) {
  bool good = true;
  for (size_t i = 0; i < call->request->parameter_count; i++)
    good = assign(call, &call->request->parameters[i]) && good;
  return check_complete(call) && good;
}
