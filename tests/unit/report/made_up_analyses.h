/* Made-up results with a list of analyses, for the tests of the report: usual ones and extreme ones.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_UNIT_REPORT_MADE_UP_ANALYSES_H
#define TS_TESTS_UNIT_REPORT_MADE_UP_ANALYSES_H

#include "made_up.h"

/* What a made-up analysis looks like. Values are shares of a hyperbola, so that ranks are clear but the last ones are
 * not. */
struct made_up_analysis {
  const char *method, *title;
  const char *columns[8]; /* NULL-ended */
  const char *rank_by;
  size_t runs, blocks, lost, resamples;
  bool intervals, pairs, notes, facts, has_sign;
  bool broken;    /* some numbers are not known, negative, zero or huge */
  bool all_known; /* false with broken: the largest is unknown too */
  size_t steps;   /* of convergence */
  size_t slides;
  size_t open; /* unsettled pairs */
};

static const struct made_up_analysis made_up_vbd = {
    .method = "vbd",
    .title = "Variance-based indices (Sobol'; S1 by Saltelli 2010, ST by Jansen)",
    .columns = {"S1", "ST"},
    .rank_by = "ST",
    .runs = 1152,
    .blocks = 64,
    .resamples = 1000,
    .intervals = true,
    .pairs = true,
    .steps = 4,
    .open = 1};
static const struct made_up_analysis made_up_morris = {.method = "morris",
                                                       .title = "Elementary effects (Morris 1991, Campolongo 2007)",
                                                       .columns = {"mu", "mu_star", "sigma"},
                                                       .rank_by = "mu_star",
                                                       .runs = 160,
                                                       .blocks = 10,
                                                       .resamples = 1000,
                                                       .intervals = true,
                                                       .open = 1};

static inline json_t *made_up_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static inline double made_up_value(const struct made_up_analysis *analysis, size_t row, size_t column, double shift) {
  bool total = strcmp(analysis->columns[column], "S1") != 0;
  double value = 0.55 / (1 + 0.8 * (double)row) * (total ? 1 : 0.7) + shift;
  if (analysis->has_sign && row % 2) value = -value;
  if (!analysis->broken) return value;
  if (!analysis->all_known || row % 7 == 3) return NAN;
  if (row % 7 == 4) return 0;
  return !total && row % 7 == 5 ? -0.08 : value;
}

static inline void made_up_set(json_t *object, const char *name, double value, double half, bool interval) {
  char key[64];
  json_object_set_new(object, name, made_up_number(value));
  snprintf(key, sizeof key, "%s_lo", name);
  json_object_set_new(object, key, interval ? made_up_number(value - half) : json_null());
  snprintf(key, sizeof key, "%s_hi", name);
  json_object_set_new(object, key, interval ? made_up_number(value + half) : json_null());
}

static inline json_t *made_up_rows(const struct made_up_analysis *analysis, const char *const *names, size_t count,
                                   double half, double shift) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_t *row =
        json_pack("{s:s,s:I}", "name", names[i], "n",
                  (json_int_t)((analysis->blocks ? analysis->blocks : analysis->runs) - i % (analysis->lost + 1)));
    if (strcmp(analysis->method, "morris") == 0)
      json_object_set_new(row, "class", json_string(i < 2 ? "interacting" : i < 5 ? "influential" : "negligible"));
    for (size_t c = 0; analysis->columns[c]; c++) {
      bool interval = analysis->intervals && !(analysis->broken && i % 3 == 0);
      made_up_set(row, analysis->columns[c], made_up_value(analysis, i, c, shift), half, interval);
    }
    json_array_append_new(list, row);
  }
  return list;
}

static inline json_t *made_up_pairs_of(const struct made_up_analysis *analysis, const char *const *names,
                                       size_t count) {
  json_t *list = json_array();
  for (size_t a = 0; analysis->pairs && a < count; a++) {
    for (size_t b = a + 1; b < count; b++) {
      double value = 0.2 / (double)((a + 1) * (b + 1)) - 0.01;
      if (analysis->broken && (a + b) % 11 == 5) value = NAN;
      json_array_append_new(list, json_pack("{s:s,s:s,s:o,s:o,s:o}", "a", names[a], "b", names[b], "value",
                                            made_up_number(value), "lo", made_up_number(value - 0.03), "hi",
                                            made_up_number(value + 0.03)));
    }
  }
  return list;
}

static inline json_t *made_up_steps(const struct made_up_analysis *analysis, const char *const *names, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < analysis->steps; i++) {
    double rough = pow(2, (double)(analysis->steps - 1 - i));
    json_array_append_new(list, json_pack("{s:I,s:o}", "n", (json_int_t)((double)analysis->blocks / rough), "indices",
                                          made_up_rows(analysis, names, count, 0.03 * sqrt(rough),
                                                       0.012 * (sqrt(rough) - 1) * (i % 2 ? 1 : -1))));
  }
  return list;
}

static inline json_t *made_up_analysis(const struct made_up_analysis *analysis, const char *const *names, size_t count,
                                       int phase, const char *output, const char *file, size_t slide) {
  json_t *columns = json_array(), *order = json_array(), *open = json_array();
  for (size_t i = 0; analysis->columns[i]; i++) json_array_append_new(columns, json_string(analysis->columns[i]));
  for (size_t i = 0; i < count; i++) json_array_append_new(order, json_string(names[i]));
  for (size_t i = 0; i < analysis->open && i + 1 < count; i++) {
    json_array_append_new(
        open, json_pack("{s:s,s:s,s:i,s:i}", "a", names[i], "b", names[i + 1], "more_blocks", 20, "more_runs", 320));
  }
  double shift = *file ? 0.02 * (double)(slide % 7) - 0.06 : 0;
  json_t *object =
      json_pack("{s:i,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:f,s:o,s:s}", "phase", phase, "method",
                analysis->method, "title", analysis->title, "assumes",
                "parameters are independent of each other, and the runs come from the design of the method", "interval",
                "range of the middle share (95 %) of the values that bootstrap resamples give", "output", output,
                "label", strchr(output, '<') ? output : "the number of differing pixels", "over_tiles", "sum", "scope",
                *file ? "file" : "pooled", "file", file, "runs", (json_int_t)analysis->runs, "blocks",
                (json_int_t)analysis->blocks, "lost", (json_int_t)analysis->lost, "resamples",
                (json_int_t)analysis->resamples, "confidence", 0.95, "columns", columns, "rank_by", analysis->rank_by);
  json_object_set_new(object, "indices", made_up_rows(analysis, names, count, 0.03, shift));
  json_object_set_new(object, "order", order);
  json_object_set_new(object, "unsettled", open);
  json_object_set_new(object, "pairs", *file ? json_array() : made_up_pairs_of(analysis, names, count));
  json_object_set_new(object, "convergence", *file ? json_array() : made_up_steps(analysis, names, count));
  if (analysis->facts) json_object_set_new(object, "facts", json_pack("{s:f,s:f}", "LOO error", 0.0123, "R2", 0.987));
  json_object_set_new(object, "notes",
                      analysis->notes ? json_pack("[s]", "12 of 160 runs (7.5 %) gave no usable output")
                                      : json_array());
  return object;
}

/* The pooled analysis and those of its slides. */
static inline void made_up_add(json_t *analyses, const struct made_up_analysis *analysis, const char *const *names,
                               size_t count, int phase, const char *output) {
  json_array_append_new(analyses, made_up_analysis(analysis, names, count, phase, output, "", 0));
  for (size_t i = 0; i < analysis->slides; i++) {
    char file[96];
    snprintf(file, sizeof file, "slides/patient-%zu/biopsy & stain <%zu>.svs", i + 1, i);
    json_array_append_new(analyses, made_up_analysis(analysis, names, count, phase, output, file, i));
  }
}

static inline json_t *made_up_phases(const char *const *names, size_t kept, size_t count) {
  json_t *keep = json_array(), *drop = json_array(), *why = json_object();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(i < kept ? keep : drop, json_string(names[i]));
    json_object_set_new(
        why, names[i],
        json_string(i < kept ? "mu* 0.55 (0.52 to 0.58) reaches 0.055" : "mu* 0.02 (0.01 to 0.03) stays below 0.055"));
  }
  return json_pack("[{s:s,s:s,s:i,s:i,s:i,s:i,s:s,s:o,s:o,s:o},{s:s,s:s,s:i,s:i,s:i,s:i}]", "name", "screening",
                   "method", "morris", "runs", 160, "distinct_runs", 131, "executed", 400, "reused", 1200, "rule",
                   "mu* interval reaches 10 % of the largest mu*", "kept", keep, "dropped", drop, "why", why, "name",
                   "variance", "method", "vbd", "runs", 1152, "distinct_runs", 1017, "executed", 5321, "reused", 6199);
}

/* The names of forty parameters; those of every fourth are long. Call once with room for 40. */
static inline void made_up_forty(char texts[40][96], const char **names) {
  for (size_t i = 0; i < 40; i++) {
    snprintf(texts[i], 96, i % 4 == 1 ? "segmentation.stage_%zu.minimal size of a nucleus <px> & more of it" : "p%zu",
             i + 1);
    names[i] = texts[i];
  }
}

#endif
