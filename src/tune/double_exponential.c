/* Bounded variable projection: amplitudes in closed form, rates by a grid that zooms in, then Gauss-Newton steps.
 * SPDX-License-Identifier: Apache-2.0
 *
 * For given rates (b, d) the curve is linear in its amplitudes, so the search is one in two dimensions, without a
 * starting guess. Steps from a guess alone would not do: with five samples, exponentials are nearly dependent.
 * G. Golub and V. Pereyra, "Separable nonlinear least squares", Inverse Problems 19 (2003),
 * doi:10.1088/0266-5611/19/2/201; the steps leave out the second part of the derivative of the projection (L. Kaufman,
 * BIT 15, 1975, doi:10.1007/BF01932995). */
#include "tune/double_exponential.h"

#include "base/error.h"
#include "base/order.h"

#include "tune/exact_int.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Rates of t in [0, 1]: below the least a term is as good as constant, above the greatest it acts on one sample. */
static const double least_rate[] = {0.05, 0.02}, greatest_rate[] = {80, 60};
#define GRID     33    /* rates on each axis */
#define ROUNDS   7     /* each with a quarter of the interval before */
#define STEPS    100   /* at most; exact data need about 10 */
#define SINGULAR 1e-12 /* of the product of the squared lengths: the terms are one */
#define MOST     TS_DOUBLE_EXPONENTIAL_SAMPLES
enum { FALLING, RISING, TERMS };

/* Samples, divided by their times: all times are 1, and the errors relative. */
struct samples {
  size_t count;
  double t[MOST], weight[MOST];
};

/* A term at a rate: its weighted values at the samples, and their products with themselves and with the times. */
struct column {
  double value[MOST];
  double square, with_times;
};

struct amplitudes {
  double of[TERMS], error;
};

/* The exponent of a term at t, as a multiple of its rate: both terms are at most 1 in the range. */
static double distance(int term, double t) { return term == FALLING ? -t : t - 1; }

static void make_column(struct column *column, const struct samples *samples, int term, double log2_rate) {
  double rate = ts_exp(log2_rate * TS_LN_OF_2);
  column->square = column->with_times = 0;
  for (size_t i = 0; i < samples->count; i++) {
    double value = ts_exp(rate * distance(term, samples->t[i])) * samples->weight[i];
    column->value[i] = value;
    column->square += value * value;
    column->with_times += value;
  }
}

/* The better of the two terms alone. Both amplitudes are above 0, as the times are. */
static struct amplitudes solve_one(const struct column *columns[TERMS], double count) {
  struct amplitudes best = {.error = INFINITY};
  for (int term = 0; term < TERMS; term++) {
    double amplitude = columns[term]->with_times / columns[term]->square;
    double error = count - amplitude * columns[term]->with_times;
    if (!(error < best.error)) continue;
    best = (struct amplitudes){.error = error};
    best.of[term] = amplitude;
  }
  return best;
}

static struct amplitudes solve(const struct column *columns[TERMS], size_t count) {
  const struct column *falling = columns[FALLING], *rising = columns[RISING];
  double product = 0;
  for (size_t i = 0; i < count; i++) product += falling->value[i] * rising->value[i];
  double determinant = falling->square * rising->square - product * product;
  if (!(determinant > SINGULAR * falling->square * rising->square)) return solve_one(columns, (double)count);
  double a = (falling->with_times * rising->square - rising->with_times * product) / determinant;
  double c = (rising->with_times * falling->square - falling->with_times * product) / determinant;
  if (!(a >= 0) || !(c >= 0)) return solve_one(columns, (double)count);
  return (struct amplitudes){.of = {a, c}, .error = (double)count - a * falling->with_times - c * rising->with_times};
}

struct axis {
  double low, high; /* log2 of the rates */
};

static struct axis bounds(int term) {
  return (struct axis){ts_exact_log2(least_rate[term]), ts_exact_log2(greatest_rate[term])};
}

static double on_axis(const struct axis *axis, size_t index) {
  return axis->low + (axis->high - axis->low) * (double)index / (GRID - 1);
}

/* A quarter of the interval, around `centre`, inside the bounds. */
static void zoom(struct axis *axis, int term, double centre) {
  struct axis all = bounds(term);
  double width = (axis->high - axis->low) / 4;
  axis->low = fmin(fmax(centre - width / 2, all.low), all.high - width);
  axis->high = axis->low + width;
}

/* log2 of the best rates of the grid, the first of equals. */
static void search(const struct samples *samples, double best[TERMS]) {
  struct axis axes[TERMS] = {bounds(FALLING), bounds(RISING)};
  struct column columns[TERMS][GRID];
  double least = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    for (int term = 0; term < TERMS; term++) {
      for (size_t i = 0; i < GRID; i++) make_column(&columns[term][i], samples, term, on_axis(&axes[term], i));
    }
    for (size_t i = 0; i < GRID; i++) {
      for (size_t j = 0; j < GRID; j++) {
        const struct column *pair[] = {&columns[FALLING][i], &columns[RISING][j]};
        double error = solve(pair, samples->count).error;
        if (!(error < least)) continue;
        least = error;
        best[FALLING] = on_axis(&axes[FALLING], i);
        best[RISING] = on_axis(&axes[RISING], j);
      }
    }
    for (int term = 0; term < TERMS; term++) zoom(&axes[term], term, best[term]);
  }
}

/* Rates with their amplitudes, and what the curve leaves of each time. */
struct state {
  double log2_rate[TERMS];
  struct column columns[TERMS];
  struct amplitudes amplitudes;
  double rest[MOST];
};

static void evaluate(struct state *state, const struct samples *samples) {
  const struct column *pair[] = {&state->columns[FALLING], &state->columns[RISING]};
  for (int term = 0; term < TERMS; term++) {
    make_column(&state->columns[term], samples, term, state->log2_rate[term]);
  }
  state->amplitudes = solve(pair, samples->count);
  const double *amplitude = state->amplitudes.of;
  double error = 0; /* again, from the differences: the closed form loses half of the digits */
  for (size_t i = 0; i < samples->count; i++) {
    state->rest[i] = 1 - amplitude[FALLING] * pair[FALLING]->value[i] - amplitude[RISING] * pair[RISING]->value[i];
    error += state->rest[i] * state->rest[i];
  }
  state->amplitudes.error = error;
}

static double dot(const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

static void subtract_projection(double *vector, const double *on, size_t count) {
  double square = dot(on, on, count);
  double share = square > 0 ? dot(vector, on, count) / square : 0;
  for (size_t i = 0; i < count; i++) vector[i] -= share * on[i];
}

/* How the curve changes with log2 of each rate when the amplitudes adapt: the derivative without its share in the space
 * of the two terms. A term of amplitude 0 has none. */
static void derivatives(const struct state *state, const struct samples *samples, double of[TERMS][MOST]) {
  size_t count = samples->count;
  double basis[TERMS][MOST];
  for (int term = 0; term < TERMS; term++) {
    double amplitude = state->amplitudes.of[term], rate = ts_exp(state->log2_rate[term] * TS_LN_OF_2);
    for (size_t i = 0; i < count; i++) {
      basis[term][i] = amplitude > 0 ? state->columns[term].value[i] : 0;
      of[term][i] = amplitude * rate * TS_LN_OF_2 * distance(term, samples->t[i]) * state->columns[term].value[i];
    }
  }
  subtract_projection(basis[RISING], basis[FALLING], count);
  for (int term = 0; term < TERMS; term++) {
    subtract_projection(of[term], basis[FALLING], count);
    subtract_projection(of[term], basis[RISING], count);
  }
}

/* The damped step of the two rates (Levenberg-Marquardt); false if there is none. */
static bool find_step(double of[TERMS][MOST], const double *rest, size_t count, double damping, double step[TERMS]) {
  double left = dot(of[FALLING], of[FALLING], count) * (1 + damping);
  double right = dot(of[RISING], of[RISING], count) * (1 + damping);
  double mixed = dot(of[FALLING], of[RISING], count);
  double target[] = {dot(of[FALLING], rest, count), dot(of[RISING], rest, count)};
  step[FALLING] = left > 0 ? target[FALLING] / left : 0;
  step[RISING] = right > 0 ? target[RISING] / right : 0;
  double determinant = left * right - mixed * mixed;
  if (determinant > SINGULAR * left * right) {
    step[FALLING] = (target[FALLING] * right - target[RISING] * mixed) / determinant;
    step[RISING] = (target[RISING] * left - target[FALLING] * mixed) / determinant;
  }
  return step[FALLING] != 0 || step[RISING] != 0;
}

/* Steps from the best rates of the grid; only those that lower the error and stay within the bounds count. */
static void polish(struct state *state, const struct samples *samples) {
  double of[TERMS][MOST], step[TERMS], damping = 1e-3;
  derivatives(state, samples, of);
  for (int i = 0; i < STEPS && damping < 1e9; i++) {
    if (!find_step(of, state->rest, samples->count, damping, step)) return;
    struct state next = *state;
    for (int term = 0; term < TERMS; term++) {
      struct axis all = bounds(term);
      next.log2_rate[term] = fmin(fmax(state->log2_rate[term] + step[term], all.low), all.high);
    }
    evaluate(&next, samples);
    damping = next.amplitudes.error < state->amplitudes.error ? damping / 10 : damping * 10;
    if (!(next.amplitudes.error < state->amplitudes.error)) continue;
    *state = next;
    derivatives(state, samples, of);
  }
}

static struct samples weighted(int64_t low, int64_t high, const int64_t *x, const double *seconds, size_t count) {
  struct samples samples = {.count = count};
  if (count < 3 || count > MOST || low >= high) TS_BUG("%zu samples of a curve", count);
  for (size_t i = 0; i < count; i++) {
    if (!(seconds[i] > 0) || !isfinite(seconds[i])) TS_BUG("the time of sample %zu is not above 0 and finite", i);
    samples.t[i] = (double)(x[i] - low) / (double)(high - low);
    samples.weight[i] = 1 / seconds[i];
  }
  return samples;
}

/* 1 - the squares that the curve leaves / those around the mean; of times that are all equal 1. */
static double find_r_squared(const struct state *state, const double *seconds, size_t count) {
  double mean = 0, total = 0, rest = 0;
  for (size_t i = 0; i < count; i++) mean += seconds[i] / (double)count;
  for (size_t i = 0; i < count; i++) {
    total += (seconds[i] - mean) * (seconds[i] - mean);
    rest += state->rest[i] * state->rest[i] * seconds[i] * seconds[i];
  }
  return total > 0 ? 1 - rest / total : 1;
}

void ts_double_exponential_fit(struct ts_double_exponential *curve, int64_t low, int64_t high, const int64_t *x,
                               const double *seconds, size_t count) {
  struct samples samples = weighted(low, high, x, seconds, count);
  struct state state;
  search(&samples, state.log2_rate);
  evaluate(&state, &samples);
  polish(&state, &samples);
  *curve = (struct ts_double_exponential){
      .low = low,
      .high = high,
      .a = state.amplitudes.of[FALLING],
      .b = -ts_exp(state.log2_rate[FALLING] * TS_LN_OF_2),
      .c = state.amplitudes.of[RISING],
      .d = ts_exp(state.log2_rate[RISING] * TS_LN_OF_2),
      .error = state.amplitudes.error,
      .r_squared = find_r_squared(&state, seconds, count),
  };
}

double ts_double_exponential_at(const struct ts_double_exponential *curve, double x) {
  double t = (x - (double)curve->low) / (double)(curve->high - curve->low);
  return curve->a * ts_exp(curve->b * t) + curve->c * ts_exp(curve->d * (t - 1));
}

/* Where the derivative a b e^(bt) + c d e^(d(t-1)) is 0. */
int64_t ts_double_exponential_minimum(const struct ts_double_exponential *curve) {
  if (curve->c <= 0) return curve->high;
  if (curve->a <= 0) return curve->low;
  double t = (ts_ln(-curve->a * curve->b) - ts_ln(curve->c * curve->d) + curve->d) / (curve->d - curve->b);
  if (!(t > 0)) return curve->low;
  if (t >= 1) return curve->high;
  int64_t below = curve->low + (int64_t)floor(t * (double)(curve->high - curve->low));
  if (below >= curve->high) return curve->high;
  double at_below = ts_double_exponential_at(curve, (double)below);
  return at_below <= ts_double_exponential_at(curve, (double)below + 1) ? below : below + 1;
}

/* The farthest integer between `best` and `end` within the limit: the curve only rises on the way. */
static int64_t farthest(const struct ts_double_exponential *curve, int64_t best, int64_t end, double limit) {
  int64_t inside = best, outside = end;
  if (ts_double_exponential_at(curve, (double)end) <= limit) return end;
  while (outside - inside > 1 || inside - outside > 1) {
    int64_t middle = inside + (outside - inside) / 2;
    if (ts_double_exponential_at(curve, (double)middle) <= limit)
      inside = middle;
    else
      outside = middle;
  }
  return inside;
}

void ts_double_exponential_neighbourhood(const struct ts_double_exponential *curve, int64_t best, int64_t *first,
                                         int64_t *last) {
  double limit = TS_NEIGHBOURHOOD * ts_double_exponential_at(curve, (double)best);
  *first = farthest(curve, best, curve->low, limit);
  *last = farthest(curve, best, curve->high, limit);
}

double ts_double_exponential_left_out_error(int64_t low, int64_t high, const int64_t *x, const double *seconds,
                                            size_t count) {
  double errors[MOST], other_seconds[MOST];
  int64_t other_x[MOST];
  for (size_t out = 0; out < count; out++) {
    size_t others = 0;
    for (size_t i = 0; i < count; i++) {
      if (i == out) continue;
      other_x[others] = x[i];
      other_seconds[others++] = seconds[i];
    }
    struct ts_double_exponential curve;
    ts_double_exponential_fit(&curve, low, high, other_x, other_seconds, others);
    errors[out] = fabs(ts_double_exponential_at(&curve, (double)x[out]) / seconds[out] - 1);
  }
  qsort(errors, count, sizeof *errors, ts_compare_doubles);
  return (errors[(count - 1) / 2] + errors[count / 2]) / 2;
}
