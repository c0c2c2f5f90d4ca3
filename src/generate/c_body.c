/* The function of a generated plugin that does the work: arguments, the call, its failure, and the outputs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every property that a placeholder names becomes a variable, and nothing else does: the source has no warnings. */
#include "generate/generate_int.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

/* ---- Names ---- */

static size_t column_index(const struct new_input *input, const char *column) {
  size_t c = 0;
  while (strcmp(input->columns[c], column) != 0) c++;
  return c;
}

static void print_variable(const struct new_operation *op, const struct new_placeholder *found, struct ts_str *out) {
  if (found->subject == NEW_RESULT)
    ts_str_add(out, "result");
  else if (found->subject == NEW_PARAMETER)
    ts_str_addf(out, "%s_value", found->name);
  else if (found->column[0])
    ts_str_addf(out, "%s_column_%zu%s%s", found->name, column_index(&op->inputs[found->index], found->column),
                found->property[0] ? "_" : "", found->property);
  else
    ts_str_addf(out, "%s_%s", found->name, found->property);
}

static void add_text(const struct new_operation *op, const char *text, struct ts_str *out) {
  ts_placeholder_expand(op, text, print_variable, out);
}

static bool uses(const struct new_operation *op, const char *port, const char *property) {
  return ts_placeholder_is_used(op, port, property);
}

static const char *c_type(const struct ts_type *type) {
  if (type->kind == TS_DATA_BYTES) return "unsigned char";
  switch (type->element) {
  case TS_U16: return "uint16_t";
  case TS_U32: return "uint32_t";
  case TS_F32: return "float";
  case TS_F64: return "double";
  case TS_U8: break;
  }
  return "uint8_t";
}

static const char *element_name(const struct ts_type *type) {
  switch (type->element) {
  case TS_U16: return "TS_OP_U16";
  case TS_U32: return "TS_OP_U32";
  case TS_F32: return "TS_OP_F32";
  case TS_F64: return "TS_OP_F64";
  case TS_U8: break;
  }
  return "TS_OP_U8";
}

static bool is_pixels(const struct ts_type *type) { return type->kind == TS_DATA_PIXELS; }

/* ---- Parameters and inputs ---- */

static void add_parameters(const struct new_operation *op, struct ts_str *out) {
  static const char *const types[] = {"", "int64_t ", "double ", "int ", "const char *"};
  static const char *const members[] = {"", "integer", "real", "integer != 0", "string"};
  for (size_t i = 0; i < op->parameter_count; i++) {
    const struct ts_op_parameter *parameter = op->parameters[i].parameter;
    if (uses(op, parameter->name, ""))
      ts_str_addf(out, "  const %s%s_value = call->parameters[%zu]->%s;\n",
                  parameter->type == TS_OP_STRING ? "char *const " : types[parameter->type], parameter->name, i,
                  members[parameter->type]);
  }
}

/* Properties that a view has itself, and the C expression of each. */
static void add_view(const struct new_operation *op, const struct new_input *input, size_t index, struct ts_str *out) {
  const char *name = input->port->name;
  const struct {
    const char *property, *type, *value;
  } simple[] = {{"width", "int", "(int)%s_view->width"},       {"height", "int", "(int)%s_view->height"},
                {"channels", "int", "(int)%s_view->channels"}, {"stride", "size_t", "%s_view->row_bytes"},
                {"bytes", "size_t", "%s_view->size_bytes"},    {"rows", "size_t", "%s_view->rows"},
                {"columns", "size_t", "%s_view->columns"},     {"cells", "double *const", "%s_view->cells"}};
  ts_str_addf(out, "  const struct ts_op_view *const %s_view = call->inputs[%zu];\n  (void)%s_view;\n", name, index,
              name);
  if (uses(op, name, "data"))
    ts_str_addf(out, "  const %s *const %s_data = %s_view->data;\n", c_type(input->type), name, name);
  for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
    if (!uses(op, name, simple[i].property)) continue;
    const char *cut = strstr(simple[i].value, "%s");
    ts_str_addf(out, "  const %s %s_%s = %.*s%s%s;\n", simple[i].type, name, simple[i].property,
                (int)(cut - simple[i].value), simple[i].value, name, cut + 2);
  }
  if (uses(op, name, "count"))
    ts_str_addf(out, "  const size_t %s_count = (size_t)(%s_view->width * %s_view->height * %s_view->channels);\n",
                name, name, name, name);
}

/* Copies that the library may change. */
static void add_copies(const struct new_operation *op, const struct new_input *input, struct ts_str *out) {
  const char *name = input->port->name, *type = c_type(input->type);
  if (uses(op, name, "copy"))
    ts_str_addf(out,
                "  %s *const %s_copy = take(call, memory, %s_view->size_bytes);\n  if (!%s_copy) return -1;\n"
                "  memcpy(%s_copy, %s_view->data, %s_view->size_bytes);\n",
                type, name, name, name, name, name, name);
  if (uses(op, name, "text"))
    ts_str_addf(out,
                "  char *const %s_text = take(call, memory, %s_view->size_bytes + 1);\n  if (!%s_text) return -1;\n"
                "  memcpy(%s_text, %s_view->data, %s_view->size_bytes);\n  %s_text[%s_view->size_bytes] = '\\0';\n",
                name, name, name, name, name, name, name, name);
  if (uses(op, name, "doubles"))
    ts_str_addf(out,
                "  const size_t %s_values = (size_t)(%s_view->width * %s_view->height * %s_view->channels);\n"
                "  double *const %s_doubles = take(call, memory, %s_values * sizeof(double));\n"
                "  if (!%s_doubles) return -1;\n"
                "  for (size_t i = 0; i < %s_values; i++) %s_doubles[i] = ((const %s *)%s_view->data)[i];\n",
                name, name, name, name, name, name, name, name, name, type, name);
}

static bool uses_column_count(const struct new_operation *op, const struct new_input *input, const char *column) {
  struct new_placeholder found;
  for (size_t i = 0; i < op->text_count; i++)
    for (size_t at = 0; ts_placeholder_next(op, op->texts[i].text, &at, &found);)
      if (strcmp(found.name, input->port->name) == 0 && strcmp(found.column, column) == 0 && found.property[0])
        return true;
  return false;
}

static void add_columns(const struct new_operation *op, const struct new_input *input, struct ts_str *out) {
  const char *name = input->port->name;
  for (size_t c = 0; c < input->column_count; c++) {
    ts_str_addf(out,
                "  size_t %s_column_%zu_count = 0;\n  double *const %s_column_%zu = column(call, memory, %s_view, ",
                name, c, name, c, name);
    ts_new_quote(input->columns[c], out);
    ts_str_addf(out, ", &%s_column_%zu_count);\n  if (!%s_column_%zu) return -1;\n", name, c, name, c);
    if (!uses_column_count(op, input, input->columns[c])) ts_str_addf(out, "  (void)%s_column_%zu_count;\n", name, c);
  }
}

static void add_inputs(const struct new_operation *op, struct ts_str *out) {
  for (size_t i = 0; i < op->input_count; i++) {
    const struct new_input *input = &op->inputs[i];
    add_view(op, input, i, out);
    add_copies(op, input, out);
    add_columns(op, input, out);
  }
}

/* ---- Outputs that the library writes into ---- */

static void add_pixels(const struct new_operation *op, const struct new_output *output, size_t index,
                       struct ts_str *out) {
  const char *name = output->port->name, *like = output->like, *type = c_type(output->type);
  ts_str_addf(out,
              "  %s *const %s_data = call->host->output_pixels(call, %zu, %s_view->width, %s_view->height, %d, %s);\n"
              "  if (!%s_data) return -1;\n",
              type, name, index, like, like, (int)output->type->channels, element_name(output->type), name);
  const char *const sides[] = {"width", "height"};
  for (size_t i = 0; i < 2; i++)
    if (uses(op, name, sides[i]))
      ts_str_addf(out, "  const int %s_%s = (int)%s_view->%s;\n", name, sides[i], like, sides[i]);
  if (uses(op, name, "channels"))
    ts_str_addf(out, "  const int %s_channels = %d;\n", name, (int)output->type->channels);
  if (uses(op, name, "stride"))
    ts_str_addf(out, "  const size_t %s_stride = (size_t)%s_view->width * %d * sizeof(%s);\n", name, like,
                (int)output->type->channels, type);
  if (uses(op, name, "count"))
    ts_str_addf(out, "  const size_t %s_count = (size_t)(%s_view->width * %s_view->height) * %d;\n", name, like, like,
                (int)output->type->channels);
  if (uses(op, name, "bytes"))
    ts_str_addf(out, "  const size_t %s_bytes = (size_t)(%s_view->width * %s_view->height) * %d * sizeof(%s);\n", name,
                like, like, (int)output->type->channels, type);
  if (output->starts_as_like)
    ts_str_addf(out, "  memcpy(%s_data, %s_view->data, %s_view->size_bytes);\n", name, like, like);
  else /* what the library leaves alone must not differ from call to call */
    ts_str_addf(out, "  memset(%s_data, 0, (size_t)(%s_view->width * %s_view->height) * %d * sizeof(%s));\n", name,
                like, like, (int)output->type->channels, type);
}

static void add_bytes(const struct new_operation *op, const struct new_output *output, struct ts_str *out) {
  const char *name = output->port->name;
  ts_str_addf(out, "  const size_t %s_room = (size_t)(", name);
  add_text(op, output->size.text, out);
  ts_str_addf(out,
              ");\n  size_t %s_bytes = %s_room; /* the call says how many it has written */\n"
              "  unsigned char *const %s_data = take(call, memory, %s_room);\n  if (!%s_data) return -1;\n",
              name, name, name, name, name);
}

static void add_rooms(const struct new_operation *op, struct ts_str *out) {
  for (size_t i = 0; i < op->output_count; i++) {
    const struct new_output *output = &op->outputs[i];
    if (is_pixels(output->type)) add_pixels(op, output, i, out);
    if (output->type->kind == TS_DATA_BYTES) add_bytes(op, output, out);
  }
}

/* ---- The call, and what comes out ---- */

static void add_lines(const struct new_operation *op, const struct new_texts *lines, struct ts_str *out) {
  for (size_t i = 0; i < lines->count; i++) {
    ts_str_add(out, "  ");
    add_text(op, lines->items[i].text, out);
    ts_str_add_char(out, '\n');
  }
}

static void add_call(const struct new_operation *op, struct ts_str *out) {
  add_lines(op, &op->before, out);
  if (op->call.text) {
    ts_str_add(out, "  ");
    if (op->returns) ts_str_addf(out, "const %s result = ", op->returns);
    add_text(op, op->call.text, out);
    ts_str_add(out, ";\n");
    if (op->returns && !uses(op, "result", "")) ts_str_add(out, "  (void)result;\n");
  }
  add_lines(op, &op->after, out);
  if (!op->fails_if.text) return;
  ts_str_add(out, "  if (");
  add_text(op, op->fails_if.text, out);
  ts_str_add(out, ") return call->host->fail(call, \"%s\", ");
  if (op->fails_reason.text)
    add_text(op, op->fails_reason.text, out);
  else
    ts_str_add(out, "\"the library reported a failure\"");
  ts_str_add(out, ");\n");
}

static void add_table(const struct new_operation *op, const struct new_output *output, size_t index,
                      struct ts_str *out) {
  const char *name = output->port->name;
  ts_str_addf(out, "  static const char *const %s_names[] = {", name);
  for (size_t c = 0; c < output->column_count; c++) {
    if (c) ts_str_add(out, ", ");
    ts_new_quote(output->columns[c].name, out);
  }
  ts_str_addf(out,
              "};\n  double *const %s_cells = call->host->output_table(call, %zu, 1, %zu, %s_names);\n"
              "  if (!%s_cells) return -1;\n",
              name, index, output->column_count, name, name);
  for (size_t c = 0; c < output->column_count; c++) {
    ts_str_addf(out, "  %s_cells[%zu] = (double)(", name, c);
    add_text(op, output->columns[c].value.text, out);
    ts_str_add(out, ");\n");
  }
}

static void add_results(const struct new_operation *op, struct ts_str *out) {
  for (size_t i = 0; i < op->output_count; i++) {
    const struct new_output *output = &op->outputs[i];
    const char *name = output->port->name;
    if (output->type->kind == TS_DATA_TABLE) add_table(op, output, i, out);
    if (output->type->kind == TS_DATA_BYTES)
      ts_str_addf(
          out,
          "  if (%s_bytes > %s_room) return call->host->fail(call, \"more bytes were written than there is room\");\n"
          "  void *const %s_out = call->host->output_bytes(call, %zu, %s_bytes);\n"
          "  if (!%s_out) return -1;\n  memcpy(%s_out, %s_data, %s_bytes);\n",
          name, name, name, i, name, name, name, name, name);
  }
}

void ts_new_c_body(const struct new_operation *op, struct ts_str *out) {
  ts_str_add(out, "static int work(struct ts_op_call *call, struct memory *memory) {\n  (void)memory;\n");
  add_parameters(op, out);
  add_inputs(op, out);
  add_rooms(op, out);
  add_call(op, out);
  add_results(op, out);
  ts_str_add(out, "  return 0;\n}\n");
}
