/* The source of a generated plugin: includes, helpers that it needs, the working function, and the descriptor.
 * SPDX-License-Identifier: Apache-2.0 */
#include "generate/generate_int.h"

#include "base/alloc.h"

#include <string.h>

void ts_new_quote(const char *text, struct ts_str *out) {
  ts_str_add_char(out, '"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') ts_str_add_char(out, '\\');
    if ((unsigned char)*text < ' ')
      ts_str_addf(out, "\\%03o", (unsigned)(unsigned char)*text);
    else
      ts_str_add_char(out, *text);
  }
  ts_str_add_char(out, '"');
}

static const char memory_helper[] =
    "/* Memory of one call: all of it is freed when the call ends, however it ends. */\n"
    "struct memory {\n  void *blocks[MOST_BLOCKS];\n  size_t count;\n};\n\n";

static const char take_helper[] =
    "static void *take(struct ts_op_call *call, struct memory *memory, size_t bytes) {\n"
    "  void *block = memory->count < MOST_BLOCKS ? malloc(bytes > 0 ? bytes : 1) : NULL;\n"
    "  if (block)\n    memory->blocks[memory->count++] = block;\n"
    "  else\n    call->host->fail(call, \"there is no memory for %zu bytes\", bytes);\n"
    "  return block;\n}\n\n";

static const char column_helper[] =
    "/* The numbers of a column; missing cells are left out. */\n"
    "static double *column(struct ts_op_call *call, struct memory *memory, const struct ts_op_view *table,\n"
    "                      const char *name, size_t *count) {\n"
    "  size_t c = 0;\n"
    "  while (c < table->columns && strcmp(table->names[c], name) != 0) c++;\n"
    "  if (c == table->columns) {\n"
    "    call->host->fail(call, \"the table has no column '%s'\", name);\n    return NULL;\n  }\n"
    "  double *numbers = take(call, memory, table->rows * sizeof *numbers);\n"
    "  *count = 0;\n"
    "  for (size_t row = 0; numbers && row < table->rows; row++) {\n"
    "    const double cell = table->cells[row * table->columns + c];\n"
    "    if (cell == cell) numbers[(*count)++] = cell;\n  }\n"
    "  return numbers;\n}\n\n";

static const char run_function[] = "static int run(struct ts_op_call *call) {\n"
                                   "  struct memory memory = {.count = 0};\n"
                                   "  const int status = work(call, &memory);\n"
                                   "  while (memory.count > 0) free(memory.blocks[--memory.count]);\n"
                                   "  return status;\n}\n\n";

/* How many blocks a call can take, and whether any. */
static size_t count_blocks(const struct new_operation *op) {
  static const char *const copies[] = {"copy", "doubles", "text"};
  size_t count = 0;
  for (size_t i = 0; i < op->input_count; i++) {
    count += op->inputs[i].column_count;
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++)
      count += ts_placeholder_is_used(op, op->inputs[i].port->name, copies[c]);
  }
  for (size_t i = 0; i < op->output_count; i++) count += op->outputs[i].type->kind == TS_DATA_BYTES;
  return count;
}

static bool has_columns(const struct new_operation *op) {
  for (size_t i = 0; i < op->input_count; i++)
    if (op->inputs[i].column_count > 0) return true;
  return false;
}

static void add_head(const struct new_operation *op, size_t blocks, struct ts_str *out) {
  ts_str_addf(out,
              "/* The operation %s as a plugin of tessera, made by 'tessera new operation'. It needs tessera_op.h and\n"
              " * the library, nothing else. */\n#include \"tessera_op.h\"\n\n",
              op->name);
  for (size_t i = 0; i < op->headers.count; i++) ts_str_addf(out, "#include <%s>\n", op->headers.items[i]);
  ts_str_addf(out, "#include <stdlib.h>\n#include <string.h>\n\n#define MOST_BLOCKS %zu\n\n", blocks > 0 ? blocks : 1);
  ts_str_add(out, memory_helper);
  if (blocks > 0) ts_str_add(out, take_helper);
  if (has_columns(op)) ts_str_add(out, column_helper);
}

static void add_open(const struct new_operation *op, struct ts_str *out) {
  if (!op->open.text) return;
  ts_str_addf(out,
              "static int open_library(const struct ts_op_open *open, void **state) {\n  *state = NULL;\n"
              "  return (%s) == 0 ? 0 : open->fail(open, \"the library could not be started\");\n}\n\n",
              op->open.text);
}

/* ---- The descriptor ---- */

static void add_port(const struct ts_op_port *port, struct ts_str *out) {
  ts_str_add(out, "    TS_OP_PORT(.name = ");
  ts_new_quote(port->name, out);
  ts_str_add(out, ", .type = ");
  ts_new_quote(port->type, out);
  ts_str_add(out, ", .help = ");
  ts_new_quote(port->help ? port->help : "", out);
  ts_str_add(out, "),\n");
}

static void add_ports(const struct new_operation *op, struct ts_str *out) {
  ts_str_add(out, "static const struct ts_op_port *const inputs[] = {\n");
  for (size_t i = 0; i < op->input_count; i++) add_port(op->inputs[i].port, out);
  ts_str_add(out, "};\nstatic const struct ts_op_port *const outputs[] = {\n");
  for (size_t i = 0; i < op->output_count; i++) add_port(op->outputs[i].port, out);
  ts_str_add(out, "};\n");
}

static void add_choices(const struct ts_op_parameter *parameter, struct ts_str *out) {
  if (!parameter->choices) return;
  ts_str_addf(out, "static const char *const %s_choices[] = {", parameter->name);
  for (size_t i = 0; parameter->choices[i]; i++) {
    ts_new_quote(parameter->choices[i], out);
    ts_str_add(out, ", ");
  }
  ts_str_add(out, "NULL};\n");
}

static void add_parameter(const struct ts_op_parameter *parameter, struct ts_str *out) {
  static const char *const types[] = {"", "TS_OP_INTEGER", "TS_OP_REAL", "TS_OP_BOOLEAN", "TS_OP_STRING"};
  ts_str_add(out, "    TS_OP_PARAMETER(.name = ");
  ts_new_quote(parameter->name, out);
  ts_str_addf(out, ", .type = %s, .low = ", types[parameter->type]);
  ts_str_add_double(out, parameter->low);
  ts_str_add(out, ", .high = ");
  ts_str_add_double(out, parameter->high);
  if (parameter->choices) ts_str_addf(out, ", .choices = %s_choices", parameter->name);
  ts_str_add(out, ",\n                    .help = ");
  ts_new_quote(parameter->help ? parameter->help : "", out);
  ts_str_add(out, "),\n");
}

static void add_parameters(const struct new_operation *op, struct ts_str *out) {
  for (size_t i = 0; i < op->parameter_count; i++) add_choices(op->parameters[i].parameter, out);
  if (op->parameter_count == 0) return;
  ts_str_add(out, "static const struct ts_op_parameter *const parameters[] = {\n");
  for (size_t i = 0; i < op->parameter_count; i++) add_parameter(op->parameters[i].parameter, out);
  ts_str_add(out, "};\n");
}

static void add_table_columns(const struct new_operation *op, struct ts_str *out) {
  ts_str_add(out, "static const struct ts_op_column *const columns[] = {\n");
  for (size_t i = 0; i < op->output_count; i++) {
    for (size_t c = 0; c < op->outputs[i].column_count; c++) {
      ts_str_add(out, "    TS_OP_COLUMN(.output = ");
      ts_new_quote(op->outputs[i].port->name, out);
      ts_str_add(out, ", .name = ");
      ts_new_quote(op->outputs[i].columns[c].name, out);
      ts_str_add(out, "),\n");
    }
  }
  ts_str_add(out, "};\n");
}

static size_t count_columns(const struct new_operation *op) {
  size_t count = 0;
  for (size_t i = 0; i < op->output_count; i++) count += op->outputs[i].column_count;
  return count;
}

static const char *reach_name(const char *reach) {
  if (strcmp(reach, "pixel") == 0) return "TS_OP_REACH_PIXEL";
  if (strcmp(reach, "radius") == 0) return "TS_OP_REACH_RADIUS";
  return strcmp(reach, "component") == 0 ? "TS_OP_REACH_COMPONENT" : "TS_OP_REACH_TILE";
}

static void add_descriptor(const struct new_operation *op, struct ts_str *out) {
  ts_str_add(out, "static const struct ts_op_descriptor operation = {\n    TS_OP_DESCRIPTOR_HEAD,\n    .name = ");
  ts_new_quote(op->name, out);
  ts_str_addf(out, ",\n    .version = %u,\n    .numeric = ", (unsigned)op->version);
  ts_new_quote(op->numeric ? op->numeric : "exact", out);
  ts_str_add(out, ",\n    .help = ");
  ts_new_quote(op->help, out);
  ts_str_addf(out,
              ",\n    .inputs = inputs,\n    .input_count = %zu,\n    .outputs = outputs,\n    .output_count = %zu,\n",
              op->input_count, op->output_count);
  if (op->parameter_count > 0)
    ts_str_addf(out, "    .parameters = parameters,\n    .parameter_count = %zu,\n", op->parameter_count);
  ts_str_add(out, "    .run = run,\n");
  if (op->open.text) ts_str_add(out, "    .open = open_library,\n");
  if (op->not_thread_safe) ts_str_add(out, "    .not_thread_safe = 1,\n");
  if (op->reach) ts_str_addf(out, "    .reach = %s,\n", reach_name(op->reach));
  if (op->radius_px > 0) ts_str_addf(out, "    .radius_px = %lld,\n", (long long)op->radius_px);
  if (count_columns(op) > 0) ts_str_addf(out, "    .columns = columns,\n    .column_count = %zu,\n", count_columns(op));
  ts_str_add(out, "};\n\n");
}

static const char entry[] =
    "const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {\n"
    "  static const struct ts_op_descriptor *const operations[] = {&operation};\n"
    "  *count = 1;\n"
    "  return host_api == TESSERA_OP_API ? operations : NULL;\n}\n";

void ts_new_c_source(const struct new_operation *op, struct ts_str *out) {
  add_head(op, count_blocks(op), out);
  ts_new_c_body(op, out);
  ts_str_add_char(out, '\n');
  ts_str_add(out, run_function);
  add_open(op, out);
  add_ports(op, out);
  add_parameters(op, out);
  if (count_columns(op) > 0) add_table_columns(op, out);
  add_descriptor(op, out);
  ts_str_add(out, entry);
}
