/* The Makefile, the test and the README of a generated operation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "generate/generate_int.h"

#include "base/alloc.h"

#include <string.h>

/* ---- Makefile ---- */

static void add_words(const char *before, const struct new_words *words, struct ts_str *out) {
  for (size_t i = 0; i < words->count; i++) ts_str_addf(out, "%s%s", i ? " " : before, words->items[i]);
}

static void add_library(const struct new_operation *op, struct ts_str *out) {
  ts_str_add(out, "CFLAGS ?= -O2\n\nLIBRARY_CFLAGS :=");
  if (op->packages.count > 0) {
    add_words(" $(shell pkg-config --cflags ", &op->packages, out);
    ts_str_add(out, ")");
  }
  add_words(" ", &op->flags, out);
  ts_str_add(out, "\nLIBRARY_LIBS :=");
  if (op->packages.count > 0) {
    add_words(" $(shell pkg-config --libs ", &op->packages, out);
    ts_str_add(out, ")");
  }
  add_words(" ", &op->libraries, out);
  ts_str_addf(
      out,
      "\n\nall: lib%s.so\n\n"
      "# -ffp-contract=off: the same bits on every machine, as far as it depends on this source. Headers of the\n"
      "# library are not ours: they may have warnings.\n"
      "lib%s.so: %s.c tessera_op.h Makefile\n"
      "\t$(CC) -std=c17 -Wall -Wextra -Werror $(CFLAGS) -ffp-contract=off -fPIC -shared -Wl,--build-id \\\n"
      "\t  -I. $(patsubst -I%%,-isystem %%,$(LIBRARY_CFLAGS)) -o $@ %s.c $(LIBRARY_LIBS)\n\n",
      op->stem, op->stem, op->stem, op->stem);
}

void ts_new_makefile(const struct new_operation *op, struct ts_str *out) {
  const bool is_c = op->kind == NEW_C;
  ts_str_addf(out, "# %s the operation %s, and tests it.\n", is_c ? "Builds" : "Checks", op->name);
  if (is_c)
    add_library(op, out);
  else
    ts_str_add(out, "all:\n\n");
  ts_str_add(out, "test: all\n\tsh test.sh\n\nclean:\n\trm -rf out-test");
  if (is_c) ts_str_addf(out, " lib%s.so", op->stem);
  ts_str_add(out, "\n\n.PHONY: all test clean\n");
}

/* ---- The test ---- */

/* " image=data/image-1.png level=6" */
static void add_call_words(const struct new_operation *op, struct ts_str *out) {
  char name[128];
  for (size_t i = 0; i < op->input_count; i++) {
    ts_auto(ts_str_release) struct ts_str word = {0};
    ts_new_example_name(&op->inputs[i], 1, name);
    ts_str_addf(&word, "%s=%s", op->inputs[i].port->name, name);
    ts_str_add_char(out, ' ');
    ts_str_add_shell_word(out, ts_str_get(&word));
  }
  for (size_t i = 0; i < op->parameter_count; i++) {
    ts_auto(ts_str_release) struct ts_str word = {0};
    const json_t *value = op->parameters[i].default_value;
    ts_auto_free char *text = json_is_string(value) ? ts_strdup(json_string_value(value))
                                                    : json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    ts_str_addf(&word, "%s=%s", op->parameters[i].parameter->name, text ? text : "");
    ts_str_add_char(out, ' ');
    ts_str_add_shell_word(out, ts_str_get(&word));
  }
}

void ts_new_test(const struct new_operation *op, struct ts_str *out) {
  const char *file = ts_new_operation_file(op);
  const bool has_study = ts_new_has_study(op);
  ts_str_addf(out,
              "#!/bin/sh\n# Tries the operation %s: alone, in the workflow, and in the study. TESSERA: the program.\n"
              "set -eu\ncd \"$(dirname \"$0\")\"\nTESSERA=${TESSERA:-tessera}\nrm -rf out-test\nmkdir out-test\n\n",
              op->name);
  ts_str_addf(out, "\"$TESSERA\" call %s", file);
  add_call_words(op, out);
  ts_str_add(out, " -o out-test/call\n");
  const char *const names[] = {"study.json", "workflow.json"};
  for (size_t i = has_study ? 0 : 1; i < 2; i++) ts_str_addf(out, "\"$TESSERA\" check %s\n", names[i]);
  ts_str_add(out, "\"$TESSERA\" run study.json --store out-test/store -o out-test/run\n");
  if (has_study) ts_str_add(out, "\"$TESSERA\" study study.json --store out-test/store -o out-test/study\n");
  ts_str_addf(out, "echo \"%s works\"\n", op->name);
}

/* ---- README ---- */

static void add_ports(const struct new_operation *op, struct ts_str *out) {
  ts_str_add(out, "| | name | type | meaning |\n|---|---|---|---|\n");
  for (size_t i = 0; i < op->input_count; i++)
    ts_str_addf(out, "| input | `%s` | `%s` | %s |\n", op->inputs[i].port->name, op->inputs[i].port->type,
                op->inputs[i].port->help ? op->inputs[i].port->help : "");
  for (size_t i = 0; i < op->parameter_count; i++) {
    static const char *const types[] = {"", "integer", "real", "boolean", "string"};
    const struct ts_op_parameter *p = op->parameters[i].parameter;
    ts_str_addf(out, "| parameter | `%s` | %s | %s |\n", p->name, types[p->type], p->help ? p->help : "");
  }
  for (size_t i = 0; i < op->output_count; i++)
    ts_str_addf(out, "| output | `%s` | `%s` | %s |\n", op->outputs[i].port->name, op->outputs[i].port->type,
                op->outputs[i].port->help ? op->outputs[i].port->help : "");
}

void ts_new_readme(const struct new_operation *op, struct ts_str *out) {
  const bool is_c = op->kind == NEW_C;
  ts_str_addf(out, "# %s\n\n%s\n\n", op->name, *op->help ? op->help : "An operation of tessera.");
  add_ports(op, out);
  ts_str_addf(out, "\n```sh\nmake test%s\n```\n\n", is_c ? "            # builds the plugin, and tries it" : "");
  ts_str_add(out, "The same by hand:\n\n```sh\n");
  if (is_c) ts_str_add(out, "make\n");
  ts_str_addf(out, "tessera call %s", ts_new_operation_file(op));
  add_call_words(op, out);
  ts_str_addf(out, "\n%s```\n\n", ts_new_has_study(op) ? "tessera study\n" : "tessera run study.json\n");
  ts_str_addf(out,
              "Made from `descriptor.json`. All of it is yours to edit: the source (`%s.%s`), `workflow.json`, and\n"
              "`study.json`. The files in `data` are examples; name your own in `data.csv`, or with `--data`.\n"
              "Raise the version of the operation whenever its results change%s.\n",
              op->stem, is_c ? "c" : "py",
              is_c                      ? "; a new version of the library may change them, too"
              : op->kind == NEW_COMMAND ? "; a new version of the program may change them, too"
                                        : "");
}
