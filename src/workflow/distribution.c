/* Probabilities and quantiles of cut-off distributions in arithmetic that gives the same bits everywhere.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both tails are kept apart all the way: a probability near 1 is known to 1e-16 only, the one of the other side to 16
 * digits, and a quantile far out needs them. */
#include "workflow/distribution.h"

#include <math.h>

#define LEAST_INSIDE 1e-290 /* below, quotients of probabilities lose digits */

const char *ts_distribution_name(enum ts_distribution_kind kind) {
  switch (kind) {
  case TS_LOG_UNIFORM: return "log-uniform";
  case TS_NORMAL: return "normal";
  case TS_LOGNORMAL: return "lognormal";
  case TS_TRIANGULAR: return "triangular";
  case TS_UNIFORM: break;
  }
  return "uniform";
}

/* How many standard deviations x lies above the mean. */
static double standardise(const struct ts_distribution *d, double x) {
  if (d->kind == TS_NORMAL) return (x - d->mean) / d->sd;
  if (x <= 0) return -INFINITY;
  if (x > 0x1.fffffffffffffp1023) return INFINITY;
  struct ts_exact_pair ln = ts_exact_ln(x);
  return ((ln.high - d->mean) + ln.low) / d->sd;
}

static double triangle_below(const struct ts_distribution *d, double x) {
  if (x <= d->low) return 0;
  if (x >= d->high) return 1;
  double width = d->high - d->low;
  if (x < d->mode) return (x - d->low) / width * ((x - d->low) / (d->mode - d->low));
  return 1 - (d->high - x) / width * ((d->high - x) / (d->high - d->mode));
}

static double triangle_above(const struct ts_distribution *d, double x) {
  if (x <= d->low || x >= d->high || x < d->mode) return 1 - triangle_below(d, x);
  return (d->high - x) / (d->high - d->low) * ((d->high - x) / (d->high - d->mode));
}

/* Probabilities of the whole distribution; not for the uniform ones, which have no values beyond their ends. */
static double below(const struct ts_distribution *d, double x) {
  return d->kind == TS_TRIANGULAR ? triangle_below(d, x) : ts_normal_below(standardise(d, x));
}

static double above(const struct ts_distribution *d, double x) {
  return d->kind == TS_TRIANGULAR ? triangle_above(d, x) : ts_normal_below(-standardise(d, x));
}

static struct ts_exact_pair difference(struct ts_exact_pair a, struct ts_exact_pair b) {
  double high = a.high - b.high;
  double part = a.high - high; /* the part of b that arrived; the rest is the rounding error (Knuth's two-sum) */
  double error = (a.high - (high + part)) + (part - b.high);
  double low = error + (a.low - b.low);
  return (struct ts_exact_pair){high + low, low - ((high + low) - high)};
}

bool ts_distribution_settle(struct ts_distribution *d, double from, double to) {
  d->from = from;
  d->to = to;
  if (d->kind == TS_UNIFORM) return from < to;
  if (d->kind == TS_LOG_UNIFORM) {
    if (!(from > 0 && from < to)) return false;
    d->log_ratio = difference(ts_exact_ln(to), ts_exact_ln(from));
    return true;
  }
  d->below_from = below(d, from);
  d->above_from = above(d, from);
  d->below_to = below(d, to);
  d->above_to = above(d, to);
  if (d->above_from < 0.5) {
    d->inside = d->above_from - d->above_to;
  } else if (d->below_to < 0.5) {
    d->inside = d->below_to - d->below_from;
  } else {
    d->inside = 1 - d->below_from - d->above_to;
  }
  return d->inside > LEAST_INSIDE;
}

static double between_ends(const struct ts_distribution *d, double x) {
  return x < d->from ? d->from : x > d->to ? d->to : x;
}

static double log_uniform(const struct ts_distribution *d, double u) {
  /* From the nearer end, which is met exactly; and nothing overflows. */
  double x = u <= 0.5 ? d->from * ts_exact_exp(ts_exact_times(u, d->log_ratio))
                      : d->to * ts_exact_exp(ts_exact_times(u - 1, d->log_ratio));
  return between_ends(d, x);
}

/* From the probabilities of both sides, of which the smaller counts. */
static double triangle(const struct ts_distribution *d, double lower, double upper) {
  double width = d->high - d->low;
  bool rising = lower * width < d->mode - d->low;
  return rising ? d->low + sqrt(lower * width) * sqrt(d->mode - d->low)
                : d->high - sqrt(upper * width) * sqrt(d->high - d->mode);
}

static double normal(const struct ts_distribution *d, double lower, double upper) {
  double z = lower <= upper ? ts_normal_quantile(lower) : -ts_normal_quantile(upper);
  if (d->kind == TS_NORMAL) return d->mean + d->sd * z;
  struct ts_exact_pair ln = ts_exact_times(z, (struct ts_exact_pair){d->sd, 0});
  return ts_exact_exp(difference(ln, (struct ts_exact_pair){-d->mean, 0}));
}

double ts_distribution_quantile(const struct ts_distribution *d, double u) {
  u = u > 1 ? 1 : u > 0 ? u : 0;
  double v = 1 - u;
  /* Both ends are met exactly, and nothing overflows for ranges wider than a double's half. */
  if (d->kind == TS_UNIFORM) return d->from * v + d->to * u;
  if (d->kind == TS_LOG_UNIFORM) return log_uniform(d, u);
  if (d->kind == TS_TRIANGULAR) {
    return between_ends(d, triangle(d, d->below_from + u * d->inside, d->above_to + v * d->inside));
  }
  if (u < TS_TINY_PROBABILITY && d->below_from == 0) u = TS_TINY_PROBABILITY;
  if (v < TS_TINY_PROBABILITY && d->above_to == 0) v = TS_TINY_PROBABILITY;
  return between_ends(d, normal(d, d->below_from + u * d->inside, d->above_to + v * d->inside));
}

double ts_distribution_share(const struct ts_distribution *d, double x) {
  if (x <= d->from) return 0;
  if (x >= d->to) return 1;
  double u;
  if (d->kind == TS_UNIFORM) {
    u = (x / 2 - d->from / 2) / (d->to / 2 - d->from / 2); /* halves: the distance itself may overflow */
  } else if (d->kind == TS_LOG_UNIFORM) {
    u = difference(ts_exact_ln(x), ts_exact_ln(d->from)).high / d->log_ratio.high;
  } else {
    double lower = below(d, x);
    double upper = above(d, x);
    u = lower <= upper ? (lower - d->below_from) / d->inside : 1 - (upper - d->above_to) / d->inside;
  }
  return u > 1 ? 1 : u > 0 ? u : 0;
}
