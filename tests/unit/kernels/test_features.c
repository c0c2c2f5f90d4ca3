/* Features of objects: closed forms of rectangles, statistics with libm, gradients and edges by their definition.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/planes.h"

#include <math.h>

#include "kernels/cpu/canny.h"
#include "kernels/features.h"

static int column(const char *name) {
  for (int i = 0; i < TS_FEATURES_COUNT; i++)
    if (strcmp(ts_feature_names[i], name) == 0) return i;
  fail_msg("no column '%s'", name);
  return 0;
}

static double value_of(const struct ts_feature_table *table, size_t object, const char *name) {
  return table->values[object * TS_FEATURES_COUNT + (size_t)column(name)];
}

static void check(double got, double want) { assert_true(fabs(got - want) <= 1e-9 * fmax(1, fabs(want))); }

static void test_names_are_different(void **state) {
  (void)state;
  for (int i = 0; i < TS_FEATURES_COUNT; i++) {
    assert_non_null(ts_feature_names[i]);
    assert_int_equal(column(ts_feature_names[i]), i);
  }
}

static void test_no_objects(void **state) {
  (void)state;
  const uint8_t rgb[3] = {1, 2, 3};
  const uint32_t label = 0;
  struct ts_feature_table table;
  assert_true(ts_features(rgb, &label, 1, 1, &table, threads, NULL));
  assert_int_equal(table.object_count, 0);
  ts_feature_table_release(&table);
}

/* A rectangle w x h has the second moments w^2/12 and h^2/12, so its axes are 2w/sqrt(3) and 2h/sqrt(3). */
static void check_rectangle(int64_t w, int64_t h) {
  struct shape_px s = {40, 30};
  uint8_t *rgb = random_bytes(s, 3, 256);
  uint32_t *labels = calloc((size_t)(s.w * s.h), sizeof *labels);
  for (int64_t y = 7; y < 7 + h; y++)
    for (int64_t x = 11; x < 11 + w; x++) labels[y * s.w + x] = 42;
  struct ts_feature_table table;
  assert_true(ts_features(rgb, labels, s.w, s.h, &table, threads, NULL));
  assert_int_equal(table.object_count, 1);
  double wd = (double)w, hd = (double)h;
  double longer = fmax(wd, hd), shorter = fmin(wd, hd);
  double perimeter = 4 * 0.7071 + 2 * (wd - 1) + 2 * (hd - 1);
  check(value_of(&table, 0, "label"), 42);
  check(value_of(&table, 0, "area"), wd * hd);
  check(value_of(&table, 0, "box_x"), 11);
  check(value_of(&table, 0, "box_y"), 7);
  check(value_of(&table, 0, "box_width"), wd);
  check(value_of(&table, 0, "box_height"), hd);
  check(value_of(&table, 0, "centroid_x"), 11 + (wd - 1) / 2);
  check(value_of(&table, 0, "centroid_y"), 7 + (hd - 1) / 2);
  check(value_of(&table, 0, "major_axis"), 2 * longer / sqrt(3));
  check(value_of(&table, 0, "minor_axis"), 2 * shorter / sqrt(3));
  assert_true(fabs(value_of(&table, 0, "eccentricity") - sqrt(1 - shorter * shorter / (longer * longer))) < 1e-6);
  check(value_of(&table, 0, "extent"), 1);
  check(value_of(&table, 0, "perimeter"), perimeter);
  check(value_of(&table, 0, "circularity"), 4 * 3.14159265358979 * wd * hd / (perimeter * perimeter));
  ts_feature_table_release(&table);
  free(labels);
  free(rgb);
}

static void test_rectangles(void **state) {
  (void)state;
  check_rectangle(1, 1);
  check_rectangle(1, 9);
  check_rectangle(12, 1);
  check_rectangle(8, 8);
  check_rectangle(13, 6);
  check_rectangle(5, 23);
}

/* Diagonal pixels: extent one half, one quad with two on the diagonal, six quads with one pixel. */
static void test_diagonal_pair(void **state) {
  (void)state;
  const uint8_t rgb[12] = {0};
  const uint32_t labels[4] = {5, 0, 0, 5};
  struct ts_feature_table table;
  assert_true(ts_features(rgb, labels, 2, 2, &table, threads, NULL));
  check(value_of(&table, 0, "extent"), 0.5);
  check(value_of(&table, 0, "perimeter"), 6 * 0.7071 + 1.4142);
  check(value_of(&table, 0, "major_axis"), sqrt(8) * sqrt(2 * (0.25 + 1.0 / 12) + 0.5));
  check(value_of(&table, 0, "minor_axis"), sqrt(8) * sqrt(2 * (0.25 + 1.0 / 12) - 0.5));
  ts_feature_table_release(&table);
}

/* ---- Statistics ---- */

struct sample {
  double values[4000];
  int count;
};

static double moment(const struct sample *s, double about, int order) {
  double sum = 0;
  for (int i = 0; i < s->count; i++) sum += pow(s->values[i] - about, order);
  return sum / s->count;
}

/* mean, std, entropy, energy, skewness, kurtosis */
static void naive_statistics(const struct sample *s, double out[6]) {
  double mean = moment(s, 0, 1);
  double m2 = moment(s, mean, 2);
  double p[256] = {0};
  out[0] = mean;
  out[1] = sqrt(m2);
  out[2] = out[3] = 0;
  for (int i = 0; i < s->count; i++) p[(int)s->values[i]] += 1.0 / s->count;
  for (int i = 0; i < 256; i++) {
    if (p[i] > 0) out[2] -= p[i] * log2(p[i]);
    out[3] += p[i] * p[i];
  }
  bool varies = m2 > 1e-12;
  out[4] = varies ? moment(s, mean, 3) / pow(m2, 1.5) : 0;
  out[5] = varies ? moment(s, mean, 4) / (m2 * m2) : 0;
}

static struct sample sample_of(const uint8_t *plane, const uint32_t *labels, struct shape_px s, uint32_t label) {
  static struct sample sample;
  sample.count = 0;
  for (int64_t i = 0; i < s.w * s.h; i++)
    if (labels[i] == label) sample.values[sample.count++] = plane[i];
  return sample;
}

/* The planes behind the columns, of one channel. */
static void gradient_of(const uint8_t *in, struct shape_px s, uint8_t *out) {
  const struct ts_channel channel = {in, s.w, s.h, 1};
  for (int64_t y = 0; y < s.h; y++) ts_gradient_row(&channel, y, 0, s.w, out + y * s.w);
}

static void edges_of(const uint8_t *in, struct shape_px s, uint8_t *out) {
  const struct ts_channel channel = {in, s.w, s.h, 1};
  struct ts_edges edges = {0};
  assert_true(ts_edges_find(&edges, &channel, 70, 90, threads, NULL));
  for (int64_t i = 0; i < s.w * s.h; i++) out[i] = ts_edges_row(&edges, i / s.w)[i % s.w] == 255 ? 255 : 0;
  ts_edges_release(&edges);
}

static void check_channel(const uint8_t *rgb, const uint32_t *labels, struct shape_px s, uint32_t label, int channel,
                          const double *row) {
  uint8_t *plane = plane_of(s, 1);
  uint8_t *derived = plane_of(s, 1);
  double want[6];
  for (int64_t i = 0; i < s.w * s.h; i++) plane[i] = rgb[3 * i + channel];
  const double *got = row + TS_FEATURES_SHAPE + channel * TS_FEATURES_CHANNEL;
  struct sample sample = sample_of(plane, labels, s, label);
  naive_statistics(&sample, want);
  double low = 255, high = 0;
  for (int i = 0; i < sample.count; i++) {
    low = fmin(low, sample.values[i]);
    high = fmax(high, sample.values[i]);
  }
  const double intensity[8] = {want[0], high, low, want[1], want[2], want[3], want[4], want[5]};
  for (int i = 0; i < 8; i++) check(got[i], intensity[i]);
  gradient_of(plane, s, derived);
  sample = sample_of(derived, labels, s, label);
  naive_statistics(&sample, want);
  for (int i = 0; i < 6; i++) check(got[8 + i], want[i]);
  edges_of(plane, s, derived);
  sample = sample_of(derived, labels, s, label);
  naive_statistics(&sample, want);
  check(got[14], want[0] * sample.count / 255);
  check(got[15], want[0]);
  free(derived);
  free(plane);
}

static void test_statistics(void **state) {
  (void)state;
  for (int round = 0; round < 20; round++) {
    struct shape_px s = shape_for(round, 50);
    uint8_t *rgb = random_bytes(s, 3, 1 + random_below(40));
    uint32_t *labels = plane_of(s, sizeof *labels);
    for (int64_t i = 0; i < s.w * s.h; i++) labels[i] = (uint32_t)(1 + (i % s.w) / 9 * 1000000 + (i / s.w) / 9);
    if (round % 2)
      for (int64_t i = 0; i < s.w * s.h; i++) labels[i] = i < 4 ? (uint32_t)i : random_below(4); /* in many pieces */
    struct ts_feature_table table;
    assert_true(ts_features(rgb, labels, s.w, s.h, &table, threads, NULL));
    if (round % 2 == 0) assert_int_equal(table.object_count, (size_t)(((s.w + 8) / 9) * ((s.h + 8) / 9)));
    if (round % 2 && s.w * s.h >= 4) assert_int_equal(table.object_count, 3);
    for (size_t k = 0; k < table.object_count; k++) {
      const double *row = table.values + k * TS_FEATURES_COUNT;
      if (k > 0) assert_true(row[0] > row[-TS_FEATURES_COUNT]); /* in the order of the labels */
      for (int c = 0; c < 3; c++) check_channel(rgb, labels, s, (uint32_t)row[0], c, row);
    }
    ts_feature_table_release(&table);
    free(labels);
    free(rgb);
  }
}

/* ---- Planes ---- */

static double derivative(const uint8_t *in, int64_t at, int64_t count, int64_t step) {
  if (count == 1) return 0;
  if (at == 0) return in[step] - in[0];
  if (at == count - 1) return in[at * step] - in[(at - 1) * step];
  return 0.5 * in[(at + 1) * step] - 0.5 * in[(at - 1) * step];
}

static void test_gradient(void **state) {
  (void)state;
  for (int round = 0; round < 100; round++) {
    struct shape_px s = shape_for(round, 40);
    uint8_t *in = random_bytes(s, 1, round % 2 ? 256 : 4);
    uint8_t *got = plane_of(s, 1);
    gradient_of(in, s, got);
    for (int64_t i = 0; i < s.w * s.h; i++) {
      double dx = derivative(in + i / s.w * s.w, i % s.w, s.w, 1);
      double dy = derivative(in + i % s.w, i / s.w, s.h, s.w);
      assert_int_equal(got[i], (int)fmin(255, floor(sqrt(dx * dx + dy * dy) + 0.5)));
    }
    free(got);
    free(in);
  }
}

static int at_clamped(const uint8_t *in, struct shape_px s, int64_t x, int64_t y) {
  x = x < 0 ? 0 : x >= s.w ? s.w - 1 : x;
  y = y < 0 ? 0 : y >= s.h ? s.h - 1 : y;
  return in[y * s.w + x];
}

/* Sobel by its 5 x 5 kernel, ridges by the three sectors, edges by spreading until nothing changes. */
static void naive_sobel(const uint8_t *in, struct shape_px s, int64_t at, int *dx, int *dy) {
  static const int smooth[5] = {1, 4, 6, 4, 1};
  static const int derive[5] = {-1, -2, 0, 2, 1};
  *dx = *dy = 0;
  for (int64_t b = 0; b < 5; b++)
    for (int64_t a = 0; a < 5; a++) {
      int v = at_clamped(in, s, at % s.w + a - 2, at / s.w + b - 2);
      *dx += v * derive[a] * smooth[b];
      *dy += v * smooth[a] * derive[b];
    }
}

/* p: the magnitude, in a plane with a ring of zeros and rows of w. */
static bool naive_ridge(const int *p, int64_t w, int dx, int dy) {
  int64_t x = abs(dx);
  int64_t y = (int64_t)abs(dy) * 32768;
  if (y < x * 13573) return p[0] > p[-1] && p[0] >= p[1];
  if (y > x * 13573 + x * 65536) return p[0] > p[-w] && p[0] >= p[w];
  if ((dx < 0) == (dy < 0)) return p[0] > p[-w - 1] && p[0] > p[w + 1];
  return p[0] > p[-w + 1] && p[0] > p[w - 1];
}

/* Turns each 1 beside a 255 into 255; returns whether there was one. */
static bool naive_follow(uint8_t *map, struct shape_px s) {
  bool changed = false;
  for (int64_t i = 0; i < s.w * s.h; i++) {
    int64_t beside[8];
    int count = map[i] == 1 ? neighbours_of(s, i, 8, beside) : 0;
    for (int k = 0; k < count; k++)
      if (map[beside[k]] == 255) map[i] = 255;
    changed |= count > 0 && map[i] == 255;
  }
  return changed;
}

static uint8_t *naive_canny(const uint8_t *in, struct shape_px s, int low, int high) {
  int64_t w = s.w + 2;
  int *m = calloc((size_t)(w * (s.h + 2)), sizeof *m);
  uint8_t *map = plane_of(s, 1);
  int dx;
  int dy;
  for (int64_t i = 0; i < s.w * s.h; i++) {
    naive_sobel(in, s, i, &dx, &dy);
    m[(i / s.w + 1) * w + i % s.w + 1] = abs(dx) + abs(dy);
  }
  for (int64_t i = 0; i < s.w * s.h; i++) {
    const int *p = m + (i / s.w + 1) * w + i % s.w + 1;
    naive_sobel(in, s, i, &dx, &dy);
    map[i] = 0;
    if (*p > low && naive_ridge(p, w, dx, dy)) map[i] = *p > high ? 255 : 1;
  }
  while (naive_follow(map, s)) {
  }
  for (int64_t i = 0; i < s.w * s.h; i++) map[i] = map[i] == 255 ? 255 : 0;
  free(m);
  return map;
}

static void test_canny(void **state) {
  (void)state;
  for (int round = 0; round < 100; round++) {
    struct shape_px s = shape_for(round, 50);
    uint8_t *in = random_bytes(s, 1, round % 2 ? 256 : 3);
    if (round % 3 == 0)
      for (int64_t i = 0; i < s.w * s.h; i++) in[i] = (uint8_t)(in[i] / 40 + (i % s.w + i / s.w) % 7); /* faint */
    uint8_t *want = naive_canny(in, s, 70, 90);
    edges_of(in, s, in);
    assert_memory_equal(in, want, (size_t)(s.w * s.h));
    free(want);
    free(in);
  }
}

/* A step between two columns is one line of edges, in the first of the two equally steep columns. */
static void test_canny_of_a_step(void **state) {
  (void)state;
  struct shape_px s = {12, 9};
  uint8_t *in = zero_plane(s);
  for (int64_t i = 0; i < s.w * s.h; i++)
    if (i % s.w >= 6) in[i] = 100;
  edges_of(in, s, in);
  for (int64_t i = 0; i < s.w * s.h; i++) assert_int_equal(in[i], i % s.w == 5 ? 255 : 0);
  free(in);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_are_different),
      cmocka_unit_test(test_no_objects),
      cmocka_unit_test(test_rectangles),
      cmocka_unit_test(test_diagonal_pair),
      cmocka_unit_test(test_statistics),
      cmocka_unit_test(test_gradient),
      cmocka_unit_test(test_canny),
      cmocka_unit_test(test_canny_of_a_step),
  };
  return RUN_FOR_EACH_VARIANT(tests);
}
