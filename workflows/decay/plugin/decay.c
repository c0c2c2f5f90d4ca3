/* A tessera plugin: simulating an exponential decay, comparing it with observations, and scoring the comparison.
 * SPDX-License-Identifier: Apache-2.0
 *
 * It needs tessera_op.h and nothing else of tessera. All results come from additions, multiplications, divisions and
 * square roots in a fixed order, so the operations are exact: the same bits on every machine. */
#include "tessera_op.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The index of a column, or -1. */
static int find_column(const struct ts_op_view *table, const char *name) {
  for (size_t i = 0; i < table->columns; i++)
    if (strcmp(table->names[i], name) == 0) return (int)i;
  return -1;
}

static double cell(const struct ts_op_view *table, size_t row, int column) {
  return table->cells[row * table->columns + (size_t)column];
}

/* ---- decay.simulate: dy/dt = -rate * (y - background), y(0) = amplitude + background, at times of a series. ---- */

static double slope(double y, double rate, double background) { return -rate * (y - background); }

/* One step of the Euler, midpoint or Runge-Kutta method of this order. */
static double advance(double y, double h, double rate, double background, int64_t order) {
  double k1 = slope(y, rate, background);
  if (order == 1) return y + h * k1;
  double k2 = slope(y + 0.5 * h * k1, rate, background);
  if (order == 2) return y + h * k2;
  double k3 = slope(y + 0.5 * h * k2, rate, background);
  double k4 = slope(y + h * k3, rate, background);
  return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

static int simulate(struct ts_op_call *call) {
  const struct ts_op_view *series = call->inputs[0];
  double rate = call->parameters[0]->real, amplitude = call->parameters[1]->real,
         background = call->parameters[2]->real;
  double step = call->parameters[3]->real;
  int64_t order = call->parameters[4]->integer;
  int t_column = find_column(series, "t");
  if (t_column < 0) return call->host->fail(call, "the series has no column 't'");
  static const char *const names[] = {"t", "y"};
  double *out = call->host->output_table(call, 0, series->rows, 2, names);
  if (!out) return -1;
  double t = 0, y = amplitude + background;
  for (size_t row = 0; row < series->rows; row++) {
    double next = cell(series, row, t_column);
    if (!(next >= t)) return call->host->fail(call, "time must not run backwards (row %zu)", row + 1);
    /* As many equal steps as it takes to be no longer than asked. */
    double count = ceil((next - t) / step), h = count > 0 ? (next - t) / count : 0;
    for (double i = 0; i < count; i++) y = advance(y, h, rate, background, order);
    t = next;
    out[2 * row] = t;
    out[2 * row + 1] = y;
  }
  return 0;
}

/* There are methods of order 1, 2 and 4; what lies between acts as the one below. */
static void canonical_order(struct ts_op_value *value) {
  value->integer = value->integer >= 4 ? 4 : value->integer >= 2 ? 2 : 1;
}

static const struct ts_op_port *const simulate_inputs[] = {
    TS_OP_PORT("series", "table", "its column t says when to look", 0)};
static const struct ts_op_port *const simulate_outputs[] = {TS_OP_PORT("series", "table", "columns t and y", 0)};
static const struct ts_op_parameter *const simulate_parameters[] = {
    TS_OP_PARAMETER("rate", TS_OP_REAL, 0, 10, NULL, "decay per unit of time", NULL),
    TS_OP_PARAMETER("amplitude", TS_OP_REAL, 0, 1e6, NULL, "height above the background at time 0", NULL),
    TS_OP_PARAMETER("background", TS_OP_REAL, 0, 1e6, NULL, "what never decays", NULL),
    TS_OP_PARAMETER("step", TS_OP_REAL, 0.001, 1, NULL, "longest step of the integration", NULL),
    TS_OP_PARAMETER("order", TS_OP_INTEGER, 1, 6, NULL, "order of the integration: 1, 2 or 4", canonical_order),
};
static const struct ts_op_descriptor simulate_operation = {
    TS_OP_DESCRIPTOR_HEAD,
    .name = "decay.simulate",
    .version = 1,
    .help = "integrates an exponential decay to a background",
    .inputs = simulate_inputs,
    .input_count = COUNT(simulate_inputs),
    .outputs = simulate_outputs,
    .output_count = COUNT(simulate_outputs),
    .parameters = simulate_parameters,
    .parameter_count = COUNT(simulate_parameters),
    .run = simulate,
};

/* ---- decay.residual: simulated minus observed, row by row. ---- */

static int residual(struct ts_op_call *call) {
  const struct ts_op_view *observed = call->inputs[0], *simulated = call->inputs[1];
  int poisson = strcmp(call->parameters[0]->string, "poisson") == 0;
  int t = find_column(observed, "t"), y = find_column(observed, "y"), model = find_column(simulated, "y");
  if (t < 0 || y < 0 || model < 0) return call->host->fail(call, "both series need the columns 't' and 'y'");
  if (observed->rows != simulated->rows)
    return call->host->fail(call, "%zu rows were observed, but %zu simulated", observed->rows, simulated->rows);
  static const char *const names[] = {"t", "residual"};
  double *out = call->host->output_table(call, 0, observed->rows, 2, names);
  if (!out) return -1;
  for (size_t row = 0; row < observed->rows; row++) {
    double seen = cell(observed, row, y);
    /* A count has the standard deviation of its square root. */
    double scale = poisson ? sqrt(seen > 1 ? seen : 1) : 1;
    out[2 * row] = cell(observed, row, t);
    out[2 * row + 1] = (cell(simulated, row, model) - seen) / scale;
  }
  return 0;
}

static const char *const weights[] = {"uniform", "poisson", NULL};
static const struct ts_op_port *const residual_inputs[] = {
    TS_OP_PORT("observed", "table", "columns t and y", 0),
    TS_OP_PORT("simulated", "table", "columns t and y, the same times", 0)};
static const struct ts_op_port *const residual_outputs[] = {
    TS_OP_PORT("residuals", "table", "columns t and residual", 0)};
static const struct ts_op_parameter *const residual_parameters[] = {
    TS_OP_PARAMETER("weight", TS_OP_STRING, 0, 0, weights, "every row alike, or by the noise of counts", NULL)};
static const struct ts_op_descriptor residual_operation = {
    TS_OP_DESCRIPTOR_HEAD,
    .name = "decay.residual",
    .version = 1,
    .help = "compares a simulated with an observed series",
    .inputs = residual_inputs,
    .input_count = COUNT(residual_inputs),
    .outputs = residual_outputs,
    .output_count = COUNT(residual_outputs),
    .parameters = residual_parameters,
    .parameter_count = COUNT(residual_parameters),
    .run = residual,
};

/* ---- decay.score: one row for the whole dataset. ---- */

static int score(struct ts_op_call *call) {
  const struct ts_op_view *residuals = call->inputs[0], *fits = call->inputs[1];
  double rate = call->parameters[0]->real;
  int difference = find_column(residuals, "residual"), fitted = find_column(fits, "rate");
  if (difference < 0 || fitted < 0) return call->host->fail(call, "the columns 'residual' and 'rate' are needed");
  if (residuals->rows == 0 || fits->rows == 0) return call->host->fail(call, "there is nothing to score");
  static const char *const names[] = {"error", "rate_error", "rate_fitted", "rows"};
  double *out = call->host->output_table(call, 0, 1, COUNT(names), names);
  if (!out) return -1;
  double squares = 0, sum = 0;
  for (size_t row = 0; row < residuals->rows; row++) {
    double value = cell(residuals, row, difference);
    squares += value * value;
  }
  for (size_t row = 0; row < fits->rows; row++) sum += cell(fits, row, fitted);
  out[0] = sqrt(squares / (double)residuals->rows);
  out[2] = sum / (double)fits->rows;
  out[1] = fabs(rate - out[2]);
  out[3] = (double)residuals->rows;
  return 0;
}

static const struct ts_op_port *const score_inputs[] = {
    TS_OP_PORT("residuals", "table", "column residual", 0),
    TS_OP_PORT("fits", "table", "column rate, one row per series", 0)};
static const struct ts_op_port *const score_outputs[] = {
    TS_OP_PORT("table", "table", "error, rate_error, rate_fitted, rows", 0)};
static const struct ts_op_parameter *const score_parameters[] = {
    TS_OP_PARAMETER("rate", TS_OP_REAL, 0, 10, NULL, "the rate that was simulated", NULL)};
static const struct ts_op_descriptor score_operation = {
    TS_OP_DESCRIPTOR_HEAD,
    .name = "decay.score",
    .version = 1,
    .help = "root mean square of all residuals, and how far the rate is from the fitted one",
    .inputs = score_inputs,
    .input_count = COUNT(score_inputs),
    .outputs = score_outputs,
    .output_count = COUNT(score_outputs),
    .parameters = score_parameters,
    .parameter_count = COUNT(score_parameters),
    .run = score,
};

const struct ts_op_descriptor *const *tessera_operations(uint32_t host_api, size_t *count) {
  static const struct ts_op_descriptor *const operations[] = {&simulate_operation, &residual_operation,
                                                              &score_operation};
  *count = COUNT(operations);
  return host_api == TESSERA_OP_API ? operations : NULL;
}
