/* What the tests of the samplers share: spaces made by hand, drawing, small statistics.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_DESIGN_SAMPLE_SUPPORT_H
#define TS_TESTS_DESIGN_SAMPLE_SUPPORT_H

#include "design/points.h"
#include "workflow/workflow.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_PARAMETERS 32

/* A space of at most MAX_PARAMETERS real parameters between 0 and 1; tests change what they need. */
struct cube {
  struct ts_parameter parameters[MAX_PARAMETERS];
  const struct ts_parameter *pointers[MAX_PARAMETERS];
  char names[MAX_PARAMETERS][8];
  struct ts_constraint constraint;
  struct ts_space space;
};

static inline void cube_init(struct cube *cube, size_t count) {
  memset(cube, 0, sizeof *cube);
  assert_true(count <= MAX_PARAMETERS);
  for (size_t i = 0; i < count; i++) {
    snprintf(cube->names[i], sizeof cube->names[i], "x%zu", i + 1);
    cube->parameters[i] = (struct ts_parameter){
        .name = cube->names[i], .help = "", .type = TS_VALUE_REAL, .has_range = true, .range_low = 0, .range_high = 1};
    cube->pointers[i] = &cube->parameters[i];
  }
  cube->space = (struct ts_space){.parameters = cube->pointers, .count = count};
}

/* x1 < x2. */
static inline void cube_constrain(struct cube *cube) {
  cube->constraint = (struct ts_constraint){.text = "x1 < x2", .left = 0, .right = 1, .comparison = TS_LESS};
  cube->space.constraints = &cube->constraint;
  cube->space.constraint_count = 1;
}

static inline void fill(const char *source, size_t dimensions, size_t first, size_t count,
                        const struct ts_sample_options *options, double *out) {
  struct ts_error err = {0};
  if (!ts_source_fill(source, dimensions, first, count, options, out, &err)) fail_msg("%s", err.text);
}

static inline void draw(const char *sampler, const struct ts_space *space, const struct ts_sample_options *options,
                        struct ts_points *points) {
  struct ts_error err = {0};
  const struct ts_sampler *found = ts_sampler_find(sampler, &err);
  if (!found || !found->draw(points, space, options, &err)) fail_msg("%s", err.text);
}

/* Draws what cannot be drawn; the error must have this code and a help text. */
static inline void refuse(const char *sampler, const struct ts_space *space, const struct ts_sample_options *options,
                          enum ts_error_code code) {
  struct ts_error err = {0};
  struct ts_points points;
  const struct ts_sampler *found = ts_sampler_find(sampler, &err);
  assert_non_null(found);
  assert_false(found->draw(&points, space, options, &err));
  assert_int_equal(err.code, code);
  assert_true(err.help[0] != 0);
}

/* Whether each of `count` strata holds exactly one of the values x[0], x[stride], ... */
static inline bool one_per_stratum(const double *x, size_t count, size_t stride) {
  bool *seen = calloc(count, sizeof *seen);
  bool ok = true;
  for (size_t i = 0; i < count; i++) {
    double value = x[i * stride];
    size_t stratum = value >= 0 && value < 1 ? (size_t)(value * (double)count) : 0;
    ok = ok && value >= 0 && value < 1 && !seen[stratum];
    seen[stratum] = true;
  }
  free(seen);
  return ok;
}

#endif
