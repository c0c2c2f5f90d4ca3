/* The tasks of the nuclei workflow on small images: by hand, by their definition, and at their limits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/naive_recon.h"
#include "unit/kernels/naive_watershed.h"

#include <float.h>
#include <math.h>

#include "kernels/kernels.h"
#include "kernels/nuclei.h"

static const struct ts_nuclei_red_cells_params default_red_cells = {220, 220, 220, 5.0, 4.0};

static void set_pixel(uint8_t *rgb, int64_t at, int r, int g, int b) {
  rgb[3 * at] = (uint8_t)r;
  rgb[3 * at + 1] = (uint8_t)g;
  rgb[3 * at + 2] = (uint8_t)b;
}

/* ---- red_cells ---- */

static enum ts_nuclei_status status_with_bright(int bright, int pixels, uint8_t *rbc) {
  struct shape_px s = {pixels, 1};
  uint8_t *rgb = plane_of(s, 3);
  for (int i = 0; i < pixels; i++) set_pixel(rgb, i, i < bright ? 221 : 220, 221, 221);
  enum ts_nuclei_status status;
  assert_true(ts_nuclei_red_cells(rgb, pixels, 1, &default_red_cells, rbc, &status, threads, NULL));
  free(rgb);
  return status;
}

static void test_background_limits(void **state) {
  (void)state;
  uint8_t rbc[1000];
  assert_int_equal(status_with_bright(991, 1000, rbc), TS_NUCLEI_BACKGROUND);
  for (int i = 0; i < 1000; i++) assert_int_equal(rbc[i], 255);
  assert_int_equal(status_with_bright(990, 1000, rbc), TS_NUCLEI_BACKGROUND); /* (float)0.99 is above 0.99 */
  assert_int_equal(status_with_bright(989, 1000, rbc), TS_NUCLEI_BACKGROUND_LIKELY);
  assert_int_equal(rbc[999], 255);
  assert_int_equal(status_with_bright(901, 1000, rbc), TS_NUCLEI_BACKGROUND_LIKELY);
  assert_int_equal(status_with_bright(899, 1000, rbc), TS_NUCLEI_TISSUE);
  assert_int_equal(rbc[0], 0);
}

static void naive_red_cells(const uint8_t *rgb, struct shape_px s, double t1, double t2, uint8_t *rbc) {
  uint8_t *continues = plane_of(s, 1);
  for (int64_t i = 0; i < s.w * s.h; i++)
    continues[i] = (float)rgb[3 * i] / ((float)rgb[3 * i + 1] + FLT_EPSILON) > (float)t2;
  uint32_t *component = naive_components(continues, s, 8);
  uint8_t *started = calloc((size_t)(s.w * s.h) + 1, 1);
  for (int64_t i = 0; i < s.w * s.h; i++)
    if ((float)rgb[3 * i] / ((float)rgb[3 * i + 1] + FLT_EPSILON) > (float)t1) started[component[i]] = 1;
  for (int64_t i = 0; i < s.w * s.h; i++)
    rbc[i] = component[i] && started[component[i]] && rgb[3 * i] > rgb[3 * i + 2] ? 255 : 0;
  free(started);
  free(component);
  free(continues);
}

static void test_red_cells(void **state) {
  (void)state;
  for (int round = 0; round < 100; round++) {
    struct shape_px s = shape_for(round, 30);
    uint8_t *rgb = random_bytes(s, 3, 2 + random_below(254));
    for (int64_t i = 0; i < s.w * s.h; i++) rgb[3 * i + 1] /= (uint8_t)(1 + random_below(9));
    struct ts_nuclei_red_cells_params params = {256, 256, 256, 1.0 + random_below(6), 1.0 + random_below(6)};
    uint8_t *got = plane_of(s, 1);
    uint8_t *want = plane_of(s, 1);
    enum ts_nuclei_status status;
    assert_true(ts_nuclei_red_cells(rgb, s.w, s.h, &params, got, &status, threads, NULL));
    assert_int_equal(status, TS_NUCLEI_TISSUE);
    naive_red_cells(rgb, s, params.t1, params.t2, want);
    assert_memory_equal(got, want, (size_t)(s.w * s.h));
    free(want);
    free(got);
    free(rgb);
  }
}

/* No green at all counts as a huge ratio, black as none. */
static void test_red_cells_without_green(void **state) {
  (void)state;
  uint8_t rgb[6];
  uint8_t rbc[2];
  enum ts_nuclei_status status;
  set_pixel(rgb, 0, 1, 0, 0);
  set_pixel(rgb, 1, 0, 0, 0);
  assert_true(ts_nuclei_red_cells(rgb, 2, 1, &default_red_cells, rbc, &status, threads, NULL));
  assert_int_equal(rbc[0], 255);
  assert_int_equal(rbc[1], 0);
}

/* ---- split, against its definition on the whole image ---- */

static float *lowered(const float *in, struct shape_px s) {
  float *out = plane_of(s, sizeof *out);
  for (int64_t i = 0; i < s.w * s.h; i++) out[i] = in[i] - 1.0f;
  return out;
}

/* Sets a pixel and its four neighbours. */
static void add_cross(uint8_t *mask, struct shape_px s, int64_t at) {
  int64_t beside[8];
  int count = neighbours_of(s, at, 4, beside);
  mask[at] = 255;
  for (int k = 0; k < count; k++) mask[beside[k]] = 255;
}

static uint8_t *naive_big(const uint8_t *seg_open, struct shape_px s, int64_t min_size) {
  uint32_t *component = naive_components(seg_open, s, 8);
  int64_t *area = calloc((size_t)(s.w * s.h) + 1, sizeof *area);
  for (int64_t i = 0; i < s.w * s.h; i++) area[component[i]]++;
  uint8_t *big = zero_plane(s);
  for (int64_t i = 0; i < s.w * s.h; i++)
    if (component[i] && area[component[i]] >= min_size) add_cross(big, s, i);
  free(area);
  free(component);
  return big;
}

static float nearest_background(const uint8_t *mask, struct shape_px s, int64_t at) {
  int64_t best = -1;
  for (int64_t i = 0; i < s.w * s.h; i++) {
    int64_t dx = i % s.w - at % s.w;
    int64_t dy = i / s.w - at / s.w;
    if (!mask[i] && (best < 0 || dx * dx + dy * dy < best)) best = dx * dx + dy * dy;
  }
  return best < 0 ? FLT_MAX : sqrtf((float)best);
}

static uint32_t *naive_split_seeds(const uint8_t *big, struct shape_px s, int connectivity) {
  float *distance = plane_of(s, sizeof *distance);
  for (int64_t i = 0; i < s.w * s.h; i++) distance[i] = big[i] ? nearest_background(big, s, i) : FLT_MAX;
  float *low = lowered(distance, s);
  float *domes = naive_recon(low, distance, s, 8);
  float *m = lowered(domes, s);
  float *k = naive_recon(m, domes, s, connectivity);
  uint8_t *is_seed = plane_of(s, 1);
  for (int64_t i = 0; i < s.w * s.h; i++) is_seed[i] = !(m[i] < k[i]);
  uint32_t *seeds = naive_components(is_seed, s, connectivity);
  free(is_seed);
  free(k);
  free(m);
  free(domes);
  free(low);
  free(distance);
  return seeds;
}

static uint8_t *naive_split(const uint8_t *rgb, const uint8_t *seg_open, struct shape_px s, int64_t min_size,
                            int connectivity) {
  uint8_t *big = naive_big(seg_open, s, min_size);
  uint32_t *seeds = naive_split_seeds(big, s, connectivity);
  uint8_t *masked = plane_of(s, 3);
  for (int64_t i = 0; i < s.w * s.h * 3; i++) masked[i] = big[i / 3] ? rgb[i] : 0;
  int *label = naive_flood(masked, seeds, s);
  int *closed = naive_close(label, s);
  for (int64_t i = 0; i < s.w * s.h; i++)
    if (closed[(i / s.w + 1) * (s.w + 2) + i % s.w + 1] < 0) big[i] = 0;
  free(closed);
  free(label);
  free(masked);
  free(seeds);
  return big;
}

/* Discs thrown at random, some with holes: touching, nested, apart, and cut by the image's edge. */
static uint8_t *random_discs(struct shape_px s, int round) {
  if (round % 4 == 3) return random_mask(s, round);
  uint8_t *mask = zero_plane(s);
  bool apart = round % 4 == 2;
  uint32_t discs = 1 + random_below((uint32_t)(s.w * s.h) / (apart ? 250 : 60) + 2);
  for (uint32_t d = 0; d < discs; d++) {
    int64_t cx = random_below((uint32_t)s.w);
    int64_t cy = random_below((uint32_t)s.h);
    int64_t outer = 2 + random_below(apart ? 5 : 9);
    int64_t inner = random_below(3) ? -1 : (int64_t)random_below((uint32_t)outer);
    for (int64_t y = 0; y < s.h; y++)
      for (int64_t x = 0; x < s.w; x++) {
        int64_t r2 = (x - cx) * (x - cx) + (y - cy) * (y - cy);
        if (r2 <= outer * outer) mask[y * s.w + x] = r2 <= inner * inner && inner >= 0 ? 0 : 255;
      }
  }
  return mask;
}

static void test_split(void **state) {
  (void)state;
  int64_t with_lines = 0;
  for (int round = 0; round < 150; round++) {
    struct shape_px s = shape_for(round, round % 4 == 2 ? 80 : 50);
    int connectivity = random_below(2) ? 8 : 4;
    uint8_t *rgb = random_bytes(s, 3, 1 + random_below(20));
    uint8_t *seg_open = random_discs(s, round);
    int64_t min_size = random_below(30);
    uint8_t *want = naive_split(rgb, seg_open, s, min_size, connectivity);
    uint8_t *big = naive_big(seg_open, s, min_size);
    with_lines += memcmp(want, big, (size_t)(s.w * s.h)) != 0;
    assert_true(
        ts_nuclei_split(rgb, seg_open, s.w, s.h, min_size, connectivity, seg_open, threads, NULL, NULL)); /* in place */
    assert_memory_equal(seg_open, want, (size_t)(s.w * s.h));
    free(big);
    free(want);
    free(seg_open);
    free(rgb);
  }
  assert_true(with_lines > 45); /* the images were worth comparing */
}

static void test_split_of_a_full_image(void **state) {
  (void)state;
  struct shape_px s = {25, 20};
  uint8_t *rgb = random_bytes(s, 3, 256);
  uint8_t *mask = plane_of(s, 1);
  memset(mask, 255, (size_t)(s.w * s.h));
  assert_true(ts_nuclei_split(rgb, mask, s.w, s.h, 30, 8, mask, threads, NULL, NULL));
  for (int64_t i = 0; i < s.w * s.h; i++) assert_int_equal(mask[i], 255);
  free(mask);
  free(rgb);
}

/* The same on large images: with the building blocks that have tests of their own where the naive ones are slow. */
static uint8_t *split_by_blocks(const uint8_t *rgb, const uint8_t *seg_open, struct shape_px s, int connectivity) {
  int64_t pixels = s.w * s.h;
  uint8_t *kept = plane_of(s, 1);
  uint8_t *big = zero_plane(s);
  uint8_t *colour = plane_of(s, 3);
  float *distance = plane_of(s, sizeof *distance);
  uint32_t *seeds = plane_of(s, sizeof *seeds);
  uint32_t count;
  assert_true(ts_area_filter(seg_open, s.w, s.h, 10, INT32_MAX, 8, kept, NULL, NULL));
  for (int64_t i = 0; i < pixels; i++)
    if (kept[i]) add_cross(big, s, i);
  assert_true(ts_edt(big, s.w, s.h, distance, NULL));
  for (int64_t i = 0; i < pixels; i++) distance[i] = big[i] ? distance[i] : FLT_MAX;
  float *low = lowered(distance, s);
  float *domes = naive_recon(low, distance, s, 8);
  float *lower = lowered(domes, s);
  float *cut = naive_recon(lower, domes, s, connectivity);
  uint8_t *is_seed = plane_of(s, 1);
  for (int64_t i = 0; i < pixels; i++) {
    is_seed[i] = !(lower[i] < cut[i]);
    for (int c = 0; c < 3; c++) colour[3 * i + c] = big[i] ? rgb[3 * i + c] : 0;
  }
  assert_true(ts_label(is_seed, s.w, s.h, connectivity, seeds, &count, NULL, NULL));
  int *label = naive_flood(colour, seeds, s);
  int *closed = naive_close(label, s);
  for (int64_t i = 0; i < pixels; i++)
    if (closed[(i / s.w + 1) * (s.w + 2) + i % s.w + 1] < 0) big[i] = 0;
  free(closed);
  free(label);
  free(is_seed);
  free(cut);
  free(lower);
  free(domes);
  free(low);
  free(seeds);
  free(distance);
  free(colour);
  free(kept);
  return big;
}

static void draw_ellipse(uint8_t *mask, struct shape_px s, int64_t cx, int64_t cy, int64_t rx, int64_t ry,
                         uint8_t value) {
  for (int64_t y = 0; y < s.h; y++)
    for (int64_t x = 0; x < s.w; x++)
      if ((x - cx) * (x - cx) * ry * ry + (y - cy) * (y - cy) * rx * rx <= rx * rx * ry * ry) mask[y * s.w + x] = value;
}

static void check_split_of(const uint8_t *mask, struct shape_px s) {
  uint8_t *rgb = random_bytes(s, 3, 256);
  for (int connectivity = 4; connectivity <= 8; connectivity += 4) {
    uint8_t *got = plane_of(s, 1);
    uint8_t *want = split_by_blocks(rgb, mask, s, connectivity);
    assert_true(ts_nuclei_split(rgb, mask, s.w, s.h, 10, connectivity, got, threads, NULL, NULL));
    assert_memory_equal(got, want, (size_t)(s.w * s.h));
    free(want);
    free(got);
  }
  free(rgb);
}

/* Distances beyond 16 bits, touching the edge of the image or not. */
static void test_split_of_large_objects(void **state) {
  (void)state;
  struct shape_px s = {420, 330};
  uint8_t *mask = zero_plane(s);
  draw_ellipse(mask, s, 180, 160, 150, 140, 255);
  draw_ellipse(mask, s, 350, 100, 60, 20, 255); /* joined to the large one */
  draw_ellipse(mask, s, 400, 300, 15, 12, 255);
  check_split_of(mask, s);
  draw_ellipse(mask, s, 0, 0, 200, 200, 255);
  check_split_of(mask, s);
  free(mask);
}

/* Rings in rings: their windows together are larger than the image, which then is one window. */
static void test_split_of_nested_objects(void **state) {
  (void)state;
  struct shape_px s = {200, 170};
  uint8_t *mask = zero_plane(s);
  for (int64_t r = 84; r > 6; r -= 11) {
    draw_ellipse(mask, s, 100, 85, r, r, 255);
    draw_ellipse(mask, s, 100, 85, r - 7, r - 7, 0);
  }
  draw_ellipse(mask, s, 100, 85, 4, 4, 255);
  check_split_of(mask, s);
  free(mask);
}

/* ---- the remaining tasks ---- */

static void test_background_and_candidates(void **state) {
  (void)state;
  struct shape_px s = {64, 48};
  uint8_t *rgb = plane_of(s, 3);
  memset(rgb, 200, (size_t)(s.w * s.h) * 3);
  for (int64_t y = 20; y < 26; y++)
    for (int64_t x = 30; x < 37; x++)
      if (x != 33 || y != 23) rgb[3 * (y * s.w + x)] = 50; /* a dark spot with a hole, smaller than the disk */
  uint8_t *plane[6];
  for (int i = 0; i < 6; i++) plane[i] = plane_of(s, 1);
  assert_true(ts_nuclei_background(rgb, s.w, s.h, 8, plane[0], plane[1], plane[2], threads, NULL));
  for (int64_t i = 0; i < s.w * s.h; i++) {
    assert_int_equal(plane[0][i], 255 - rgb[3 * i]);
    assert_int_equal(plane[1][i], 55);
    assert_int_equal(plane[2][i], 55);
  }
  assert_true(ts_nuclei_candidates(plane[0], plane[2], s.w, s.h, 4, 149, plane[3], plane[4], threads, NULL));
  assert_int_equal(plane[3][20 * s.w + 30], 150);
  assert_int_equal(plane[3][0], 0);
  assert_int_equal(plane[4][23 * s.w + 33], 255); /* the hole */
  assert_int_equal(plane[4][20 * s.w + 29], 0);
  assert_true(
      ts_nuclei_candidates(plane[0], plane[2], s.w, s.h, 4, 150, plane[3], plane[5], threads, NULL)); /* strict */
  for (int64_t i = 0; i < s.w * s.h; i++) assert_int_equal(plane[5][i], 0);
  for (int i = 0; i < 6; i++) free(plane[i]);
  free(rgb);
}

static void check_all_zero(const uint8_t *plane, int64_t count) {
  for (int64_t i = 0; i < count; i++) assert_int_equal(plane[i], 0);
}

static void draw_block(uint8_t *plane, struct shape_px s, int64_t left, uint8_t value) {
  for (int64_t y = 2; y < 7; y++)
    for (int64_t x = left; x < left + 6; x++) plane[y * s.w + x] = value;
}

/* A block with a candidate in it and one without; a red cell on a corner, where the cross does not fit anyway. */
static void test_refine(void **state) {
  (void)state;
  struct shape_px s = {20, 10};
  uint8_t *diff = zero_plane(s);
  uint8_t *seed = zero_plane(s);
  uint8_t *rbc = zero_plane(s);
  uint8_t *want = zero_plane(s);
  uint8_t *out = plane_of(s, 1);
  draw_block(diff, s, 2, 46);
  draw_block(diff, s, 12, 46);
  seed[3 * s.w + 3] = 255;
  rbc[6 * s.w + 2] = 255;
  draw_block(want, s, 2, 255);
  want[2 * s.w + 2] = want[2 * s.w + 7] = want[6 * s.w + 2] = want[6 * s.w + 7] = 0;
  assert_true(ts_nuclei_refine(diff, seed, rbc, s.w, s.h, 45, out, threads, NULL));
  assert_memory_equal(out, want, 200);
  assert_true(ts_nuclei_refine(diff, seed, rbc, s.w, s.h, 46, out, threads, NULL)); /* strict */
  check_all_zero(out, 200);
  memset(rbc, 255, 200); /* what red_cells gives for background */
  assert_true(ts_nuclei_refine(diff, seed, rbc, s.w, s.h, 45, out, threads, NULL));
  check_all_zero(out, 200);
  free(out);
  free(want);
  free(rbc);
  free(seed);
  free(diff);
}

/* The final sizes count 4-connected pieces, the candidate sizes 8-connected ones. */
static void test_sizes(void **state) {
  (void)state;
  const uint8_t mask[9] = {255, 255, 0, 0, 0, 255, 0, 0, 255};
  uint8_t out[9];
  assert_true(ts_nuclei_candidate_size(mask, 3, 3, 4, 5, out, threads, NULL));
  assert_memory_equal(out, mask, 9);
  assert_true(ts_nuclei_final_size(mask, 3, 3, 2, 3, 4, out, threads, NULL));
  assert_memory_equal(out, mask, 9);
  assert_true(ts_nuclei_final_size(mask, 3, 3, 3, 100, 4, out, threads, NULL));
  for (int i = 0; i < 9; i++) assert_int_equal(out[i], 0);
}

/* ---- normalisation ---- */

/* Bright background only: nothing to learn from, the image stays. */
static void test_normalise_without_foreground(void **state) {
  (void)state;
  uint8_t rgb[4 * 3];
  uint8_t out[4 * 3];
  for (int i = 0; i < 4; i++) set_pixel(rgb, i, 10 + i, 200, 10);
  assert_true(ts_nuclei_normalise(rgb, 4, 1, &ts_nuclei_default_target, NULL, out, threads, NULL));
  assert_memory_equal(out, rgb, sizeof rgb);
}

/* One colour: its spread is 0, so the channels keep their values up to the inexact matrices. Black stays black. */
static void test_normalise_one_colour(void **state) {
  (void)state;
  uint8_t rgb[5 * 3];
  uint8_t out[5 * 3];
  for (int i = 0; i < 5; i++) set_pixel(rgb, i, 150, 60, 160);
  set_pixel(rgb, 4, 0, 0, 0);
  assert_true(ts_nuclei_normalise(rgb, 5, 1, &ts_nuclei_default_target, NULL, out, threads, NULL));
  for (int i = 0; i < 12; i++) assert_true(abs(out[i] - rgb[i]) <= 1);
  for (int i = 12; i < 15; i++) assert_int_equal(out[i], 0);
}

/* The formulas again with libm and doubles: at most rounding apart. */
static void naive_lab(const uint8_t *rgb, double lab[3]) {
  double r = rgb[0] / 255.0, g = rgb[1] / 255.0, b = rgb[2] / 255.0;
  double l = log10(.3811 * r + .5783 * g + .0402 * b);
  double m = log10(.1967 * r + .7244 * g + .0782 * b);
  double s = log10(.0241 * r + .1288 * g + .8444 * b);
  lab[0] = (l + m + s) / sqrt(3);
  lab[1] = (l + m - 2 * s) / sqrt(6);
  lab[2] = (l - m) / sqrt(2);
}

static int naive_byte(double v) { return (int)floor(fmin(fmax(v * 255, 0), 255) + 0.5); }

static void test_normalise_formulas(void **state) {
  (void)state;
  struct shape_px s = {60, 50};
  uint8_t *rgb = plane_of(s, 3);
  uint8_t *out = plane_of(s, 3);
  bool fg[3000];
  double sum[3] = {0}, squares[3] = {0};
  int n = 0;
  for (int i = 0; i < 3000; i++) {
    set_pixel(rgb, i, 60 + (int)random_below(196), 20 + (int)random_below(200), 60 + (int)random_below(196));
    double r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2], lab[3];
    fg[i] = -0.154 * r + 0.035 * g + 0.549 * b - 45.718 < -0.057 * r - 0.817 * g + 1.170 * b - 49.887;
    naive_lab(rgb + 3 * i, lab);
    for (int c = 0; fg[i] && c < 3; c++) {
      sum[c] += lab[c];
      squares[c] += lab[c] * lab[c];
    }
    n += fg[i];
  }
  struct ts_nuclei_stain stain;
  assert_true(ts_nuclei_measure_stain(rgb, s.w, s.h, &stain, threads, NULL));
  assert_int_equal(stain.count, n);
  for (int c = 0; c < 3; c++) {
    assert_true(fabs(stain.mean[c] - sum[c] / n) < 1e-6);
    assert_true(fabs(stain.std[c] - sqrt(squares[c] / n - sum[c] / n * (sum[c] / n))) < 1e-6);
  }
  assert_true(ts_nuclei_normalise(rgb, s.w, s.h, &ts_nuclei_default_target, NULL, out, threads, NULL));
  /* The rows of the image one by one, with the stain of the whole: the same bytes. */
  uint8_t row[60 * 3];
  for (int y = 0; y < 50; y++) {
    assert_true(ts_nuclei_normalise(rgb + 180 * y, 60, 1, &ts_nuclei_default_target, &stain, row, threads, NULL));
    assert_memory_equal(row, out + 180 * y, sizeof row);
  }
  static const double target_mean[3] = {-0.632356, -0.0516004, 0.0376543};
  static const double target_std[3] = {0.26235, 0.0514831, 0.0114217};
  int different = 0;
  for (int i = 0; i < 3000; i++) {
    double lab[3];
    naive_lab(rgb + 3 * i, lab);
    for (int c = 0; fg[i] && c < 3; c++) {
      double mean = sum[c] / n;
      lab[c] = (lab[c] - mean) * (target_std[c] / sqrt(squares[c] / n - mean * mean)) + target_mean[c];
    }
    double p = lab[0] / sqrt(3), q = lab[1] / sqrt(6), t = lab[2] / sqrt(2);
    double l = pow(10, p + q + t), m = pow(10, p + q - t), k = pow(10, p - 2 * q);
    int want[3] = {naive_byte(4.4687 * l - 3.5887 * m + .1196 * k), naive_byte(-1.2197 * l + 2.3831 * m - .1626 * k),
                   naive_byte(.0585 * l - .2611 * m + 1.2057 * k)};
    for (int c = 0; c < 3; c++) {
      assert_true(abs(want[c] - out[3 * i + c]) <= 1);
      different += want[c] != out[3 * i + c];
    }
  }
  assert_true(n > 100 && n < 2900);
  assert_true(different <= 20);
  free(out);
  free(rgb);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_background_limits),
      cmocka_unit_test(test_red_cells),
      cmocka_unit_test(test_red_cells_without_green),
      cmocka_unit_test(test_split),
      cmocka_unit_test(test_split_of_a_full_image),
      cmocka_unit_test(test_split_of_large_objects),
      cmocka_unit_test(test_split_of_nested_objects),
      cmocka_unit_test(test_background_and_candidates),
      cmocka_unit_test(test_refine),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_normalise_without_foreground),
      cmocka_unit_test(test_normalise_one_colour),
      cmocka_unit_test(test_normalise_formulas),
  };
  return RUN_FOR_EACH_VARIANT(tests);
}
