/* The rules that every operation descriptor keeps, and looking up its ports and parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/op_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_word_char(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; }

bool ts_op_word_allowed(const char *name) {
  if (!is_letter(*name)) return false;
  while (is_word_char(*name)) name++;
  return *name == '\0';
}

bool ts_op_name_allowed(const char *name) {
  size_t parts = 0;
  for (;;) {
    if (!is_letter(*name)) return false;
    while (is_word_char(*name) || *name == '-') name++;
    parts++;
    if (*name == '\0') return parts >= 2;
    if (*name++ != '.') return false;
  }
}

bool ts_op_site_allowed(const char *site) {
  if (!*site || strlen(site) > TS_OP_SITE_MAX) return false;
  while (is_word_char(*site) || *site == '.' || *site == '-') site++;
  return *site == '\0';
}

bool ts_op_numeric_allowed(const char *numeric) {
  if (strcmp(numeric, "exact") == 0 || strcmp(numeric, "nondeterministic") == 0) return true;
  if (!ts_str_starts_with(numeric, "tolerance:")) return false;
  const char *name = numeric + strlen("tolerance:");
  if (!*name) return false;
  while (is_word_char(*name) || *name == '-' || *name == '.') name++;
  return *name == '\0';
}

const char *ts_op_numeric_words(void) { return "write 'exact', 'tolerance:CLASS' or 'nondeterministic'"; }

const char *ts_op_value_type_name(enum ts_op_value_type type) {
  switch (type) {
  case TS_OP_INTEGER: return "integer";
  case TS_OP_REAL: return "real";
  case TS_OP_BOOLEAN: return "boolean";
  case TS_OP_STRING: return "string";
  }
  return "unknown";
}

bool ts_op_next_type(const char **rest, char name[64]) {
  if (!*rest) return false;
  const char *end = strchrnul(*rest, '|');
  snprintf(name, 64, "%.*s", (int)(end - *rest > 63 ? 63 : end - *rest), *rest);
  *rest = *end ? end + 1 : NULL;
  return true;
}

bool ts_op_declaration_allowed(const char *declaration, char unknown[64]) {
  while (ts_op_next_type(&declaration, unknown))
    if (!ts_type_find(unknown)) return false;
  return true;
}

static bool find_port(const struct ts_op_port *const *ports, size_t count, const char *name, size_t *index) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(ports[i]->name, name) != 0) continue;
    *index = i;
    return true;
  }
  return false;
}

bool ts_op_find_input(const struct ts_op *op, const char *port, size_t *index) {
  return find_port(op->descriptor->inputs, op->descriptor->input_count, port, index);
}

bool ts_op_find_output(const struct ts_op *op, const char *port, size_t *index) {
  return find_port(op->descriptor->outputs, op->descriptor->output_count, port, index);
}

bool ts_op_find_parameter(const struct ts_op *op, const char *name, size_t *index) {
  for (size_t i = 0; i < op->descriptor->parameter_count; i++) {
    if (strcmp(op->descriptor->parameters[i]->name, name) != 0) continue;
    *index = i;
    return true;
  }
  return false;
}

/* ---- Checks. ---- */

struct check {
  const struct ts_op_descriptor *op; /* borrowed */
  const char *source;                /* borrowed */
  struct ts_faults *faults;          /* borrowed */
};

static struct ts_error *complain(const struct check *check, enum ts_error_code code, const char *format, ...)
    TS_PRINTF(3, 4);

static struct ts_error *complain(const struct check *check, enum ts_error_code code, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  return ts_op_fault(check->faults, check->source, code, "operation '%s': %s", check->op->name, text);
}

static void check_name(const struct check *check, const char *what, const char *name) {
  if (ts_op_word_allowed(name)) return;
  struct ts_error *err = complain(check, TS_ERR_BAD_NAME, "%s '%s' has a name that is not allowed", what, name);
  ts_error_help(err, "use letters, digits and '_', a letter first");
}

static void check_port(const struct check *check, const char *what, const struct ts_op_port *const *ports,
                       size_t index) {
  const struct ts_op_port *port = ports[index];
  if (!port->name || !port->type) {
    complain(check, TS_ERR_MISSING_KEY, "%s %zu lacks a name or a type", what, index);
    return;
  }
  check_name(check, what, port->name);
  for (size_t i = 0; i < index; i++)
    if (ports[i]->name && strcmp(ports[i]->name, port->name) == 0)
      complain(check, TS_ERR_DUPLICATE_NAME, "%s '%s' is declared twice", what, port->name);
  char unknown[64];
  if (ts_op_declaration_allowed(port->type, unknown)) return;
  struct ts_error *err =
      complain(check, TS_ERR_PORT_TYPE, "%s '%s' has the unknown type '%s'", what, port->name, unknown);
  ts_error_help(err, "the types are listed in tessera_op.h");
}

static void check_ports(const struct check *check, const char *what, const struct ts_op_port *const *ports,
                        size_t count) {
  if (count > TS_OP_MAX_PORTS || (count > 0 && !ports)) {
    complain(check, TS_ERR_PLUGIN, "%zu %ss cannot be right (at most %d)", count, what, TS_OP_MAX_PORTS);
    return;
  }
  for (size_t i = 0; i < count; i++) check_port(check, what, ports, i);
}

/* An operation makes new data, hence no files by name. */
static void check_outputs(const struct check *check) {
  const struct ts_op_descriptor *op = check->op;
  check_ports(check, "output", op->outputs, op->output_count);
  if (op->output_count == 0) complain(check, TS_ERR_MISSING_KEY, "it has no output");
  if (op->output_count > TS_OP_MAX_PORTS || !op->outputs) return;
  for (size_t i = 0; i < op->output_count; i++) {
    const struct ts_type *file = ts_type_find("file");
    if (op->outputs[i]->type && op->outputs[i]->name && file && ts_type_fits(file, op->outputs[i]->type))
      complain(check, TS_ERR_PORT_TYPE, "output '%s' may not be of type 'file'; use 'bytes'", op->outputs[i]->name);
  }
}

/* The canonical form must lie in the domain and be its own canonical form, else keys would not be stable. */
static void check_canonical(const struct check *check, const struct ts_op_parameter *parameter, struct ts_value value) {
  struct ts_value once = ts_op_canonical(parameter, &value);
  struct ts_value twice = ts_op_canonical(parameter, &once);
  struct ts_error outside = {0};
  if (!ts_op_check_value(parameter, &once, &outside) || !ts_value_equal(&once, &twice))
    complain(check, TS_ERR_OPERATION_CONTRACT,
             "the canonical form of parameter '%s' leaves its domain or is not its own canonical form",
             parameter->name);
}

static void check_canonical_samples(const struct check *check, const struct ts_op_parameter *parameter) {
  if (!parameter->canonical) return;
  if (parameter->type == TS_OP_STRING) {
    for (size_t i = 0; parameter->choices && parameter->choices[i]; i++)
      check_canonical(check, parameter, ts_value_string(parameter->choices[i]));
  } else if (parameter->type == TS_OP_BOOLEAN) {
    check_canonical(check, parameter, ts_value_boolean(false));
    check_canonical(check, parameter, ts_value_boolean(true));
  } else if (parameter->low < parameter->high) {
    double ends[] = {parameter->low, parameter->high};
    for (size_t i = 0; i < 2; i++)
      check_canonical(check, parameter,
                      parameter->type == TS_OP_REAL ? ts_value_real(ends[i]) : ts_value_integer((int64_t)ends[i]));
  }
}

static bool fits_integer(double number) { return fabs(number) <= 9007199254740992.0 && trunc(number) == number; }

/* True if the domain makes sense. */
static bool check_domain(const struct check *check, const struct ts_op_parameter *parameter) {
  bool numeric = parameter->type == TS_OP_INTEGER || parameter->type == TS_OP_REAL;
  if (parameter->type == TS_OP_STRING && parameter->choices && !parameter->choices[0]) {
    complain(check, TS_ERR_EMPTY_RANGE, "parameter '%s' has no choices", parameter->name);
    return false;
  }
  if (!numeric || parameter->low > parameter->high) return true;
  struct ts_error *err = NULL;
  if (!isfinite(parameter->low) || !isfinite(parameter->high) || parameter->low == parameter->high)
    err = complain(check, TS_ERR_EMPTY_RANGE, "the domain of parameter '%s' is not a range", parameter->name);
  else if (parameter->type == TS_OP_INTEGER && (!fits_integer(parameter->low) || !fits_integer(parameter->high)))
    err = complain(check, TS_ERR_EMPTY_RANGE, "the domain of parameter '%s' must end in whole numbers below 2^53",
                   parameter->name);
  ts_error_help(err, "set low and high to what the operation accepts, or low above high for no bounds");
  return !err;
}

static void check_parameter(const struct check *check, size_t index) {
  const struct ts_op_parameter *parameter = check->op->parameters[index];
  if (!parameter->name) {
    complain(check, TS_ERR_MISSING_KEY, "parameter %zu has no name", index);
    return;
  }
  check_name(check, "parameter", parameter->name);
  for (size_t i = 0; i < index; i++)
    if (check->op->parameters[i]->name && strcmp(check->op->parameters[i]->name, parameter->name) == 0)
      complain(check, TS_ERR_DUPLICATE_NAME, "parameter '%s' is declared twice", parameter->name);
  if (parameter->type < TS_OP_INTEGER || parameter->type > TS_OP_STRING)
    complain(check, TS_ERR_WRONG_TYPE, "parameter '%s' has the unknown type %d", parameter->name, (int)parameter->type);
  else if (check_domain(check, parameter))
    check_canonical_samples(check, parameter);
}

static void check_parameters(const struct check *check) {
  size_t count = check->op->parameter_count;
  if (count > TS_OP_MAX_PARAMETERS || (count > 0 && !check->op->parameters)) {
    complain(check, TS_ERR_PLUGIN, "%zu parameters cannot be right (at most %d)", count, TS_OP_MAX_PARAMETERS);
    return;
  }
  for (size_t i = 0; i < count; i++) check_parameter(check, i);
}

/* The reach 'radius' has one, 'component' may have one as its largest extent. */
static void check_radius(const struct check *check) {
  const struct ts_op_descriptor *op = check->op;
  const bool has_one = op->radius_px > 0 || op->radius_parameter;
  const bool needs_one = op->reach == TS_OP_REACH_RADIUS, may_have_one = op->reach == TS_OP_REACH_COMPONENT;
  if (op->radius_px < 0 || (has_one ? !needs_one && !may_have_one : needs_one))
    complain(check, TS_ERR_BAD_VALUE, "a radius above 0 goes with the reach 'radius' or 'component' and with no other");
  bool is_integer = !op->radius_parameter || !op->parameters;
  for (size_t i = 0; !is_integer && i < op->parameter_count && i < TS_OP_MAX_PARAMETERS; i++)
    is_integer = op->parameters[i]->name && strcmp(op->parameters[i]->name, op->radius_parameter) == 0 &&
                 op->parameters[i]->type == TS_OP_INTEGER;
  if (!is_integer)
    complain(check, TS_ERR_MISSING_KEY, "its radius_parameter '%s' is not one of its integer parameters",
             op->radius_parameter);
}

static void check_whole(const struct check *check) {
  const struct ts_op_descriptor *op = check->op;
  if (!ts_op_name_allowed(op->name))
    ts_error_help(complain(check, TS_ERR_BAD_NAME, "the name is not allowed"),
                  "name it 'library.operation', in letters, digits, '_' and '-'");
  if (op->version == 0) complain(check, TS_ERR_BAD_VALUE, "versions start at 1");
  if (op->numeric && !ts_op_numeric_allowed(op->numeric))
    ts_error_help(complain(check, TS_ERR_BAD_VALUE, "unknown numeric class '%s'", op->numeric), "%s",
                  ts_op_numeric_words());
  if ((int)op->reach < TS_OP_REACH_TILE || op->reach > TS_OP_REACH_COMPONENT)
    complain(check, TS_ERR_BAD_VALUE, "unknown reach %d", (int)op->reach);
  else
    check_radius(check);
  if (op->close && !op->open) complain(check, TS_ERR_MISSING_KEY, "it has a close function, but none to open");
  if (!op->run) complain(check, TS_ERR_MISSING_KEY, "it has no run function");
}

static void check_needs(const struct check *check) {
  const struct ts_op_needs *needs = check->op->needs;
  if (!needs) return;
  if (needs->cores > TS_OP_MOST_NEEDED || needs->gpus > TS_OP_MOST_NEEDED || needs->gang > TS_OP_MOST_NEEDED ||
      needs->memory_bytes > TS_OP_MOST_NEEDED_BYTES)
    ts_error_help(complain(check, TS_ERR_BAD_VALUE, "it needs more than any machine has"),
                  "give cores, gpus and gang in whole units, and memory_bytes in bytes");
  if (needs->site && !ts_op_site_allowed(needs->site))
    ts_error_help(complain(check, TS_ERR_BAD_NAME, "the site '%s' has a name that is not allowed", needs->site),
                  "use at most %d letters, digits, '.', '_' and '-'", TS_OP_SITE_MAX);
}

static void check_variant(const struct check *check, size_t index) {
  const struct ts_op_variant *const *variants = check->op->variants, *variant = variants[index];
  if (!variant->device || !variant->run || !ts_op_site_allowed(variant->device)) {
    complain(check, TS_ERR_MISSING_KEY, "variant %zu lacks a device or a run function", index);
    return;
  }
  if (strcmp(variant->device, TS_OP_OWN_DEVICE) == 0)
    complain(check, TS_ERR_DUPLICATE_NAME, "variant %zu is for the device of the operation's own run", index);
  for (size_t i = 0; i < index; i++)
    if (variants[i]->device && strcmp(variants[i]->device, variant->device) == 0)
      complain(check, TS_ERR_DUPLICATE_NAME, "two variants are for the device '%s'", variant->device);
  if (variant->numeric)
    ts_error_help(complain(check, TS_ERR_BAD_VALUE,
                           "the variant for '%s' does not promise the same bits (numeric '%s')", variant->device,
                           variant->numeric),
                  "make it an operation of its own, with this numeric class: a workflow chooses between the two");
}

static void check_variants(const struct check *check) {
  const size_t count = check->op->variant_count;
  if (count > TS_OP_MAX_VARIANTS || (count > 0 && !check->op->variants)) {
    complain(check, TS_ERR_PLUGIN, "%zu variants cannot be right (at most %d)", count, TS_OP_MAX_VARIANTS);
    return;
  }
  for (size_t i = 0; i < count; i++) check_variant(check, i);
}

static void complain_of_table(void *user, const struct ts_op_tables_fault *fault) {
  ts_error_help(complain(user, fault->code, "%s", fault->text), "%s", fault->help);
}

bool ts_op_descriptor_check(const struct ts_op_descriptor *descriptor, const char *source, struct ts_faults *faults) {
  size_t before = faults->count;
  if (!descriptor->name) {
    ts_op_fault(faults, source, TS_ERR_MISSING_KEY, "an operation has no name");
    return false;
  }
  struct check check = {descriptor, source, faults};
  check_whole(&check);
  check_ports(&check, "input", descriptor->inputs, descriptor->input_count);
  check_outputs(&check);
  check_parameters(&check);
  check_needs(&check);
  check_variants(&check);
  if (faults->count == before) ts_op_tables_check(descriptor, complain_of_table, &check);
  return faults->count == before;
}
