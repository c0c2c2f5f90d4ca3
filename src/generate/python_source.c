/* The Python script of a generated command or script: it reads call.json, starts the program if there is one, and
 * writes what the program did not.
 * SPDX-License-Identifier: Apache-2.0 */
#include "generate/generate_int.h"

#include "base/alloc.h"

#include <string.h>

static const char head[] = "import csv\nimport json\nimport math\nimport subprocess\nimport sys\n";

static const char helpers[] =
    "\n"
    "with open(sys.argv[-1], encoding=\"utf-8\") as request:\n"
    "    call = json.load(request)\n"
    "ports = {**call[\"outputs\"], **call[\"inputs\"]}\n"
    "\n\n"
    "def path(port):\n"
    "    \"\"\"The file of an input or output.\"\"\"\n"
    "    return ports[port][\"path\"]\n"
    "\n\n"
    "def data(port):\n"
    "    \"\"\"The bytes of that file.\"\"\"\n"
    "    with open(path(port), \"rb\") as file:\n"
    "        return file.read()\n"
    "\n\n"
    "def rows(port):\n"
    "    \"\"\"The rows of a table, each as names and texts.\"\"\"\n"
    "    with open(path(port), encoding=\"utf-8\", newline=\"\") as file:\n"
    "        return list(csv.DictReader(file))\n"
    "\n\n"
    "def column(port, name):\n"
    "    \"\"\"The numbers of a column; missing cells are left out.\"\"\"\n"
    "    with open(path(port), encoding=\"utf-8\", newline=\"\") as file:\n"
    "        reader = csv.DictReader(file)\n"
    "        if name not in (reader.fieldnames or []):\n"
    "            sys.exit(f\"the table has no column '{name}'\")\n"
    "        numbers = [float(row[name]) for row in reader if row[name]]\n"
    "    return [number for number in numbers if not math.isnan(number)]\n"
    "\n\n"
    "def value(name):\n"
    "    \"\"\"The value of a parameter.\"\"\"\n"
    "    return call[\"parameters\"][name]\n"
    "\n\n"
    "def text(number):\n"
    "    \"\"\"A value as a program reads it: true, 3, 0.5, word.\"\"\"\n"
    "    return str(number).lower() if isinstance(number, bool) else str(number)\n"
    "\n\n"
    "def write_table(port, cells):\n"
    "    \"\"\"One row; None is a missing value.\"\"\"\n"
    "    with open(path(port), \"w\", encoding=\"utf-8\", newline=\"\") as file:\n"
    "        writer = csv.writer(file)\n"
    "        writer.writerow(cells)\n"
    "        writer.writerow(\"\" if cell is None else repr(float(cell)) for cell in cells.values())\n"
    "\n\n"
    "def start(words, given=None, taken=None):\n"
    "    \"\"\"Runs a program; its standard output goes to the file of a port, or is the result.\"\"\"\n"
    "    run = subprocess.run(words, input=data(given) if given else None, stdout=subprocess.PIPE, check=False)\n"
    "    if run.returncode != 0:\n"
    "        sys.exit(f\"'{words[0]}' ended with exit status {run.returncode}\")\n"
    "    if taken:\n"
    "        with open(path(taken), \"wb\") as file:\n"
    "            file.write(run.stdout)\n"
    "    return run.stdout\n";

/* ---- Placeholders as calls of these functions ---- */

static void print_call(const struct new_operation *op, const struct new_placeholder *found, struct ts_str *out) {
  const bool counts = strcmp(found->property, "count") == 0 || strcmp(found->property, "rows") == 0;
  const bool is_place = strcmp(found->property, "x") == 0 || strcmp(found->property, "y") == 0;
  (void)op;
  if (found->subject == NEW_RESULT) {
    ts_str_add(out, "result");
  } else if (found->subject == NEW_PARAMETER) {
    ts_str_add(out, "value(");
    ts_new_quote(found->name, out);
    ts_str_add_char(out, ')');
  } else if (found->column[0]) {
    ts_str_addf(out, "%scolumn(\"%s\", ", counts ? "len(" : "", found->name);
    ts_new_quote(found->column, out);
    ts_str_add(out, counts ? "))" : ")");
  } else if (is_place) {
    ts_str_addf(out, "ports[\"%s\"][\"%s\"]", found->name, found->property);
  } else {
    ts_str_addf(out, "%s%s(\"%s\")%s", counts ? "len(" : "", found->property, found->name, counts ? ")" : "");
  }
}

/* A word of a command: pieces of text and values, joined. */
static void add_word(const struct new_operation *op, const char *word, struct ts_str *out) {
  struct new_placeholder found;
  size_t at = 0, done = 0;
  const char *between = "";
  while (ts_placeholder_next(op, word, &at, &found)) {
    ts_auto_free char *before = ts_strndup(word + done, found.start - done);
    ts_str_add(out, between);
    if (*before) {
      ts_new_quote(before, out);
      ts_str_add(out, " + ");
    }
    ts_str_add(out, "text(");
    print_call(op, &found, out);
    ts_str_add_char(out, ')');
    between = " + ";
    done = found.end;
  }
  if (done > 0 && !word[done]) return;
  ts_str_add(out, between);
  ts_new_quote(word + done, out);
}

static void add_port_argument(const char *name, const char *port, struct ts_str *out) {
  if (!port) return;
  ts_str_addf(out, ", %s=", name);
  ts_new_quote(port, out);
}

static void add_command(const struct new_operation *op, struct ts_str *out) {
  ts_str_add(out, "result = start([");
  for (size_t i = 0; i < op->command.count; i++) {
    if (i) ts_str_add(out, ", ");
    add_word(op, op->command.items[i].text, out);
  }
  ts_str_add_char(out, ']');
  add_port_argument("given", op->standard_input, out);
  add_port_argument("taken", op->standard_output, out);
  ts_str_add(out, ")\n");
}

static void add_table(const struct new_operation *op, const struct new_output *output, struct ts_str *out) {
  if (output->column_count == 0) return;
  ts_str_addf(out, "write_table(\"%s\", {\n", output->port->name);
  for (size_t c = 0; c < output->column_count; c++) {
    ts_str_add(out, "    ");
    ts_new_quote(output->columns[c].name, out);
    ts_str_add(out, ": ");
    ts_placeholder_expand(op, output->columns[c].value.text, print_call, out);
    ts_str_add(out, ",\n");
  }
  ts_str_add(out, "})\n");
}

void ts_new_python_source(const struct new_operation *op, struct ts_str *out) {
  ts_str_addf(out,
              "\"\"\"The operation %s of tessera, made by 'tessera new operation': any Python 3, no package.\"\"\"\n",
              op->name);
  ts_str_add(out, head);
  for (size_t i = 0; i < op->imports.count; i++) ts_str_addf(out, "import %s\n", op->imports.items[i]);
  ts_str_add(out, helpers);
  ts_str_add(out, "\n\n");
  if (op->kind == NEW_COMMAND) add_command(op, out);
  for (size_t i = 0; i < op->lines.count; i++) {
    ts_placeholder_expand(op, op->lines.items[i].text, print_call, out);
    ts_str_add_char(out, '\n');
  }
  for (size_t i = 0; i < op->output_count; i++) add_table(op, &op->outputs[i], out);
}
