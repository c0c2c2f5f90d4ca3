/* Declarations about the columns of tables: which exist, which add up, which are ratios of sums.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A study relies on it: a column that does not exist is found before a run, and a ratio over the tiles of a slide is
 * made from its sums. Hence every declaration is checked when an operation is loaded, and every table against it. */
#include "op/op_int.h"

#include "base/alloc.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Looking up. ---- */

static bool is_column(const struct ts_op_column *column, const char *output, const char *name) {
  return strcmp(column->name, name) == 0 && strcmp(column->output, output) == 0;
}

static bool is_listed(const struct ts_op_column *const *list, size_t count, const char *output, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (is_column(list[i], output, name)) return true;
  return false;
}

static bool declares(const struct ts_op_descriptor *d, const char *output) {
  for (size_t i = 0; i < d->column_count; i++)
    if (strcmp(d->columns[i]->output, output) == 0) return true;
  return false;
}

static const char *port_name(const struct ts_op *op, size_t port) { return op->descriptor->outputs[port]->name; }

bool ts_op_declares_columns(const struct ts_op *op, size_t port) {
  return declares(op->descriptor, port_name(op, port));
}

bool ts_op_has_column(const struct ts_op *op, size_t port, const char *column) {
  return is_listed(op->descriptor->columns, op->descriptor->column_count, port_name(op, port), column);
}

const char *ts_op_nearest_column(const struct ts_op *op, size_t port, const char *column) {
  const struct ts_op_descriptor *d = op->descriptor;
  ts_auto_free const char **names = ts_calloc(d->column_count + 1, sizeof *names);
  size_t count = 0;
  for (size_t i = 0; i < d->column_count; i++)
    if (strcmp(d->columns[i]->output, port_name(op, port)) == 0) names[count++] = d->columns[i]->name;
  return ts_nearest_word(column, names, count);
}

const struct ts_op_ratio *ts_op_find_ratio(const struct ts_op *op, size_t port, const char *column) {
  const struct ts_op_descriptor *d = op->descriptor;
  for (size_t i = 0; i < d->ratio_count; i++)
    if (is_column(d->ratios[i]->column, port_name(op, port), column)) return d->ratios[i];
  return NULL;
}

static bool has_term(const struct ts_op_term *const *terms, size_t count, const char *column) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(terms[i]->column, column) == 0) return true;
  return false;
}

bool ts_op_is_count(const struct ts_op *op, size_t port, const char *column) {
  const struct ts_op_descriptor *d = op->descriptor;
  const char *output = port_name(op, port);
  if (is_listed(d->counts, d->counts_count, output, column)) return true;
  for (size_t i = 0; i < d->ratio_count; i++) {
    const struct ts_op_ratio *ratio = d->ratios[i];
    if (strcmp(ratio->column->output, output) == 0 && (has_term(ratio->numerator, ratio->numerator_count, column) ||
                                                       has_term(ratio->denominator, ratio->denominator_count, column)))
      return true;
  }
  return false;
}

bool ts_op_of_objects(const struct ts_op *op, size_t port, const char *column) {
  return is_listed(op->descriptor->objects, op->descriptor->objects_count, port_name(op, port), column);
}

bool ts_op_table_fits(const struct ts_op *op, size_t port, const struct ts_data *table, const char **missing,
                      const char **surplus) {
  const struct ts_op_descriptor *d = op->descriptor;
  size_t declared = 0, ignored;
  for (size_t i = 0; i < d->column_count; i++) {
    if (strcmp(d->columns[i]->output, port_name(op, port)) != 0) continue;
    /* As a rule columns come in the order of their declaration. */
    const bool in_place =
        declared < ts_data_columns(table) && strcmp(ts_data_column_names(table)[declared], d->columns[i]->name) == 0;
    declared++;
    if (in_place || ts_data_find_column(table, d->columns[i]->name, &ignored)) continue;
    *missing = d->columns[i]->name;
    return false;
  }
  if (declared == 0 || declared == ts_data_columns(table)) return true;
  for (size_t c = 0; c < ts_data_columns(table) && !*surplus; c++)
    if (!ts_op_has_column(op, port, ts_data_column_names(table)[c])) *surplus = ts_data_column_names(table)[c];
  return false;
}

/* ---- Checks. ---- */

struct check {
  const struct ts_op_descriptor *op;
  ts_op_tables_report report;
  void *user;
  const char *list; /* at hand */
  size_t index;
};

static void complain(const struct check *check, enum ts_error_code code, const char *help, const char *format, ...)
    TS_PRINTF(4, 5);

static void complain(const struct check *check, enum ts_error_code code, const char *help, const char *format, ...) {
  char text[400];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  const struct ts_op_tables_fault fault = {check->list, check->index, code, text, help};
  check->report(check->user, &fault);
}

/* Whether the column has a name and belongs to a table that the operation makes. */
static bool check_place(const struct check *check, const struct ts_op_column *column) {
  if (!column->output || !column->name || !column->name[0]) {
    complain(check, TS_ERR_MISSING_KEY, "name the port and the column", "entry %zu of its '%s' lacks a name",
             check->index, check->list);
    return false;
  }
  for (size_t i = 0; i < check->op->output_count; i++) {
    const struct ts_op_port *port = check->op->outputs[i];
    if (strcmp(port->name, column->output) != 0) continue;
    if (strcmp(port->type, "table") == 0) return true;
    complain(check, TS_ERR_PORT_TYPE, "only tables have columns", "its '%s' name a column of '%s', which is of type %s",
             check->list, column->output, port->type);
    return false;
  }
  complain(check, TS_ERR_NO_PRODUCER, "name one of its table outputs",
           "its '%s' name a column of '%s', which is not an output", check->list, column->output);
  return false;
}

/* Where a port declares its columns, others are typing errors. */
static void check_known(const struct check *check, const char *output, const char *name) {
  const struct ts_op_descriptor *d = check->op;
  if (!declares(d, output) || is_listed(d->columns, d->column_count, output, name)) return;
  complain(check, TS_ERR_BAD_RATIO, "name it in 'columns', or correct it",
           "its '%s' use '%s', but '%s' declares no such column", check->list, name, output);
}

static void check_terms(const struct check *check, const struct ts_op_ratio *ratio, const char *side,
                        const struct ts_op_term *const *terms, size_t count) {
  const char *name = ratio->column->name;
  if (count == 0 || count > TS_OP_MAX_DECLARED || !terms) {
    complain(check, TS_ERR_BAD_RATIO, "name at least one column with a factor", "the %s of the ratio '%s' has no terms",
             side, name);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    if (!terms[i]->column || !terms[i]->column[0])
      complain(check, TS_ERR_MISSING_KEY, "name a column", "a term of the ratio '%s' names no column", name);
    else if (strcmp(terms[i]->column, name) == 0)
      complain(check, TS_ERR_BAD_RATIO, "name the counts that it is made from", "the ratio '%s' is a term of itself",
               name);
    else
      check_known(check, ratio->column->output, terms[i]->column);
    if (!isfinite(terms[i]->factor) || terms[i]->factor == 0)
      complain(check, TS_ERR_BAD_RATIO, "write 1 for a plain sum", "a factor of the ratio '%s' is 0 or not finite",
               name);
  }
}

static void check_ratio(const struct check *check, const struct ts_op_ratio *ratio) {
  if (!check_place(check, ratio->column)) return;
  const char *name = ratio->column->name;
  for (size_t i = 0; i < check->index; i++) {
    const struct ts_op_column *other = check->op->ratios[i]->column;
    if (other->name && other->output && is_column(other, ratio->column->output, name))
      complain(check, TS_ERR_DUPLICATE_NAME, "remove one of the two", "the ratio '%s' is declared twice", name);
  }
  if (is_listed(check->op->counts, check->op->counts_count, ratio->column->output, name))
    complain(check, TS_ERR_BAD_RATIO, "remove it from one of the two", "'%s' is a ratio and a count", name);
  check_known(check, ratio->column->output, name);
  check_terms(check, ratio, "numerator", ratio->numerator, ratio->numerator_count);
  check_terms(check, ratio, "denominator", ratio->denominator, ratio->denominator_count);
}

/* True if every entry of the list can be looked at. */
static bool check_list(struct check *check, const char *list, const struct ts_op_column *const *columns, size_t count) {
  bool ok = true;
  check->list = list;
  check->index = 0;
  if (count > TS_OP_MAX_DECLARED || (count > 0 && !columns)) {
    complain(check, TS_ERR_PLUGIN, "set the pointer and the count, or neither", "%zu '%s' cannot be right", count,
             list);
    return false;
  }
  for (; check->index < count; check->index++) ok = check_place(check, columns[check->index]) && ok;
  return ok;
}

static void check_twins(struct check *check) {
  const struct ts_op_descriptor *d = check->op;
  check->list = "columns";
  for (check->index = 1; check->index < d->column_count; check->index++) {
    const struct ts_op_column *column = d->columns[check->index];
    if (is_listed(d->columns, check->index, column->output, column->name))
      complain(check, TS_ERR_DUPLICATE_NAME, "remove one of the two", "the column '%s' is declared twice",
               column->name);
  }
}

static void check_all_known(struct check *check, const char *list, const struct ts_op_column *const *columns,
                            size_t count) {
  check->list = list;
  for (check->index = 0; check->index < count; check->index++)
    check_known(check, columns[check->index]->output, columns[check->index]->name);
}

void ts_op_tables_check(const struct ts_op_descriptor *d, ts_op_tables_report report, void *user) {
  struct check check = {.op = d, .report = report, .user = user};
  bool ok = check_list(&check, "columns", d->columns, d->column_count);
  ok = check_list(&check, "counts", d->counts, d->counts_count) && ok;
  ok = check_list(&check, "objects", d->objects, d->objects_count) && ok;
  check.list = "ratios";
  check.index = 0;
  if (d->ratio_count > TS_OP_MAX_DECLARED || (d->ratio_count > 0 && !d->ratios)) {
    complain(&check, TS_ERR_PLUGIN, "set the pointer and the count, or neither", "%zu 'ratios' cannot be right",
             d->ratio_count);
    return;
  }
  if (!ok) return; /* names that are not there cannot be compared */
  check_twins(&check);
  check_all_known(&check, "counts", d->counts, d->counts_count);
  check_all_known(&check, "objects", d->objects, d->objects_count);
  check.list = "ratios";
  for (check.index = 0; check.index < d->ratio_count; check.index++) check_ratio(&check, d->ratios[check.index]);
}
