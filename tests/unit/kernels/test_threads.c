/* Threads inside one tile: every task gives the same bits for any number of them, and under every variant.
 * SPDX-License-Identifier: Apache-2.0
 * test-timeout: 300 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/planes.h"

#include "kernels/compare.h"
#include "kernels/cpu/bands.h"
#include "kernels/features.h"
#include "kernels/kernels.h"
#include "kernels/nuclei.h"

static void test_bands_cover_all_rows(void **state) {
  (void)state;
  for (int64_t rows = 1; rows < 3000; rows += 1 + rows / 7) {
    struct ts_kernel_threads many = {.count = 1 + random_below(200)};
    size_t count = ts_band_count(&many, rows);
    assert_true(count >= 1 && count <= TS_BANDS_MAX);
    int64_t next = 0;
    for (size_t i = 0; i < count; i++) {
      struct ts_band band = ts_band_at(i, count, rows);
      assert_int_equal(band.index, i);
      assert_int_equal(band.begin, next);
      assert_true(band.end > band.begin);
      next = band.end;
    }
    assert_int_equal(next, rows);
  }
  assert_int_equal(ts_band_count(NULL, 1000), 1);
}

/* ---- An image like tissue: dark blobs of all sizes, some touching, on a textured ground ---- */

static uint8_t *tissue(struct shape_px s, int blobs) {
  uint8_t *rgb = plane_of(s, 3);
  for (int64_t i = 0; i < s.w * s.h; i++) {
    rgb[3 * i] = (uint8_t)(190 + random_below(40));
    rgb[3 * i + 1] = (uint8_t)(140 + random_below(40));
    rgb[3 * i + 2] = (uint8_t)(180 + random_below(40));
  }
  for (int b = 0; b < blobs; b++) {
    int64_t cx = random_below((uint32_t)s.w);
    int64_t cy = random_below((uint32_t)s.h);
    int64_t rx = 2 + random_below(12);
    int64_t ry = 2 + random_below(12);
    bool red = random_below(6) == 0;
    for (int64_t y = cy > ry ? cy - ry : 0; y < s.h && y <= cy + ry; y++)
      for (int64_t x = cx > rx ? cx - rx : 0; x < s.w && x <= cx + rx; x++) {
        if ((x - cx) * (x - cx) * ry * ry + (y - cy) * (y - cy) * rx * rx > rx * rx * ry * ry) continue;
        uint8_t *pixel = rgb + 3 * (y * s.w + x);
        pixel[0] = (uint8_t)(red ? 200 + random_below(30) : 60 + random_below(40));
        pixel[1] = (uint8_t)(red ? 20 + random_below(30) : 40 + random_below(40));
        pixel[2] = (uint8_t)(90 + random_below(40));
      }
  }
  return rgb;
}

/* All that the tasks make of one image. */
struct products {
  struct shape_px s;
  uint8_t *normalised;
  uint8_t *plane[10];
  uint32_t *labels;
  struct ts_comparison comparison;
  struct ts_feature_table features;
};

static struct products products_of(const uint8_t *rgb, struct shape_px s, int connectivity) {
  struct products p = {.s = s, .normalised = plane_of(s, 3), .labels = plane_of(s, 4)};
  uint8_t **q = p.plane;
  for (int i = 0; i < 10; i++) q[i] = plane_of(s, 1);
  const struct ts_nuclei_red_cells_params red = {220, 220, 220, 5.0, 4.0};
  enum ts_nuclei_status status;
  uint32_t count;
  assert_true(ts_nuclei_normalise(rgb, s.w, s.h, &ts_nuclei_default_target, NULL, p.normalised, threads, NULL));
  assert_true(ts_nuclei_red_cells(rgb, s.w, s.h, &red, q[0], &status, threads, NULL));
  assert_true(ts_nuclei_background(rgb, s.w, s.h, connectivity, q[1], q[2], q[3], threads, NULL));
  assert_true(ts_nuclei_candidates(q[1], q[3], s.w, s.h, connectivity, 40, q[4], q[5], threads, NULL));
  assert_true(ts_nuclei_candidate_size(q[5], s.w, s.h, 5, 3000, q[6], threads, NULL));
  assert_true(ts_nuclei_refine(q[4], q[6], q[0], s.w, s.h, 20, q[7], threads, NULL));
  assert_true(ts_nuclei_split(rgb, q[7], s.w, s.h, 10, connectivity, q[8], threads, NULL, NULL));
  assert_true(ts_nuclei_final_size(q[8], s.w, s.h, 5, 3000, connectivity, q[9], threads, NULL));
  assert_true(ts_label(q[9], s.w, s.h, 8, p.labels, &count, threads, NULL));
  const struct ts_compare_plane found = {.mask = q[9], .width = s.w, .height = s.h};
  const struct ts_compare_plane other = {.mask = q[5], .width = s.w, .height = s.h};
  assert_true(ts_compare(&found, &other, &p.comparison, threads, NULL));
  assert_true(ts_features(rgb, p.labels, s.w, s.h, &p.features, threads, NULL));
  return p;
}

static void products_release(struct products *p) {
  for (int i = 0; i < 10; i++) free(p->plane[i]);
  free(p->normalised);
  free(p->labels);
  ts_feature_table_release(&p->features);
}

static void assert_products_equal(const struct products *a, const struct products *b) {
  size_t pixels = (size_t)(a->s.w * a->s.h);
  assert_memory_equal(a->normalised, b->normalised, pixels * 3);
  for (int i = 0; i < 10; i++) assert_memory_equal(a->plane[i], b->plane[i], pixels);
  assert_memory_equal(a->labels, b->labels, pixels * sizeof *a->labels);
  assert_memory_equal(&a->comparison, &b->comparison, sizeof a->comparison);
  assert_int_equal(a->features.object_count, b->features.object_count);
  if (a->features.object_count > 0)
    assert_memory_equal(a->features.values, b->features.values,
                        a->features.object_count * TS_FEATURES_COUNT * sizeof(double));
}

/* Every variant with 1, 3 and 8 threads against plain C alone. */
static void check(struct shape_px s, int blobs, int connectivity, bool expect_nuclei) {
  uint8_t *rgb = tissue(s, blobs);
  assert_true(ts_variant_use("scalar"));
  threads = NULL;
  struct products want = products_of(rgb, s, connectivity);
  if (expect_nuclei) assert_true(want.features.object_count > 10);
  static const size_t counts[] = {1, 3, 8};
  for (int v = 0; v < VARIANT_COUNT; v++) {
    if (!ts_variant_use(variant_names[v])) continue;
    for (int i = 0; i < 3; i++) {
      struct ts_kernel_threads some = test_threads;
      some.count = counts[i];
      threads = &some;
      struct products got = products_of(rgb, s, connectivity);
      assert_products_equal(&got, &want);
      products_release(&got);
    }
  }
  products_release(&want);
  free(rgb);
}

static void test_tissue(void **state) {
  (void)state;
  check((struct shape_px){331, 407}, 260, 8, true);
  check((struct shape_px){200, 290}, 150, 4, true);
}

/* Much touching, so that objects and holes reach over many bands. */
static void test_crowded(void **state) {
  (void)state;
  check((struct shape_px){260, 240}, 700, 8, false);
}

static void test_slivers(void **state) {
  (void)state;
  check((struct shape_px){1, 300}, 20, 8, false);
  check((struct shape_px){300, 1}, 20, 4, false);
  check((struct shape_px){65, 17}, 5, 8, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bands_cover_all_rows),
      cmocka_unit_test(test_tissue),
      cmocka_unit_test(test_crowded),
      cmocka_unit_test(test_slivers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
