/* Comparison of segmentations: closed forms, edge cases, and a naive evaluation over all pairs of objects.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/planes.h"

#include <math.h>

#include "kernels/compare.h"

static struct ts_compare_plane mask_plane(const uint8_t *mask, int64_t w, int64_t h) {
  return (struct ts_compare_plane){.mask = mask, .width = w, .height = h};
}

static struct ts_compare_plane label_plane(const uint32_t *labels, int64_t w, int64_t h) {
  return (struct ts_compare_plane){.labels = labels, .width = w, .height = h};
}

static struct ts_comparison compare(struct ts_compare_plane found, struct ts_compare_plane reference) {
  struct ts_comparison c;
  assert_true(ts_compare(&found, &reference, &c, threads, NULL));
  return c;
}

static void check(double got, double want) { assert_true(fabs(got - want) < 1e-15); }

static void test_both_empty(void **state) {
  (void)state;
  const uint8_t none[6] = {0};
  struct ts_comparison c = compare(mask_plane(none, 3, 2), mask_plane(none, 3, 2));
  assert_int_equal(c.differing_px, 0);
  assert_int_equal(c.reference_px, 0);
  assert_int_equal(c.found_objects + c.reference_objects + c.matched_objects, 0);
  check(c.dice, 1);
  check(c.jaccard, 1);
  check(c.precision, 1);
  check(c.recall, 1);
  check(c.f1, 1);
  check(c.aggregated_jaccard, 1);
  check(c.panoptic_quality, 1);
  check(c.pixel_precision, 1);
  check(c.pixel_recall, 1);
  assert_int_equal(c.found_px + c.both_px + c.aji_both_px + c.aji_joined_px,
                   0); /* nothing is added to a slide's sums */
}

static void test_one_empty(void **state) {
  (void)state;
  const uint8_t none[6] = {0};
  const uint8_t some[6] = {0, 9, 9, 0, 0, 0};
  for (int i = 0; i < 2; i++) {
    struct ts_compare_plane a = mask_plane(none, 3, 2);
    struct ts_compare_plane b = mask_plane(some, 3, 2);
    struct ts_comparison c = i ? compare(a, b) : compare(b, a);
    assert_int_equal(c.differing_px, 2);
    assert_int_equal(c.reference_px, i ? 2 : 0);
    check(c.dice + c.jaccard + c.precision + c.recall + c.f1 + c.aggregated_jaccard + c.panoptic_quality, 0);
    check(c.pixel_precision + c.pixel_recall + c.iou_sum, 0);
    assert_int_equal(c.found_px, i ? 0 : 2);
    assert_int_equal(c.aji_joined_px, 2);
  }
}

/* Reference: bars of 4 and 2 pixels. Found: 3 of the first, none of the second, and a false one of 1 pixel. */
static void test_by_hand(void **state) {
  (void)state;
  const uint8_t reference[16] = {1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0};
  const uint8_t found[16] = {0, 255, 255, 255, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0};
  const uint32_t named[16] = {7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0xffffffffu, 0xffffffffu, 0, 0};
  for (int i = 0; i < 2; i++) {
    struct ts_comparison c =
        compare(mask_plane(found, 16, 1), i ? label_plane(named, 16, 1) : mask_plane(reference, 16, 1));
    assert_int_equal(c.differing_px, 4);
    assert_int_equal(c.reference_px, 6);
    assert_int_equal(c.found_objects, 2);
    assert_int_equal(c.reference_objects, 2);
    assert_int_equal(c.matched_objects, 1);
    check(c.dice, 6.0 / 10);
    check(c.jaccard, 3.0 / 7);
    check(c.precision, 0.5);
    check(c.recall, 0.5);
    check(c.f1, 0.5);
    check(c.aggregated_jaccard, 3.0 / (4 + 2 + 1));
    check(c.panoptic_quality, 0.75 / 2);
  }
}

/* An intersection over union of exactly one half is no match: the other half could claim the same. */
static void test_half_is_no_match(void **state) {
  (void)state;
  const uint32_t reference[4] = {1, 1, 1, 1};
  const uint32_t found[4] = {1, 1, 2, 2};
  struct ts_comparison c = compare(label_plane(found, 4, 1), label_plane(reference, 4, 1));
  assert_int_equal(c.matched_objects, 0);
  check(c.dice, 1);
  check(c.aggregated_jaccard, 2.0 / 6); /* the first half is taken, the second is surplus */
}

/* Diagonal neighbours are one object in a mask, whatever a label plane says. */
static void test_masks_are_8_connected(void **state) {
  (void)state;
  const uint8_t mask[4] = {255, 0, 0, 255};
  const uint32_t labels[4] = {1, 0, 0, 2};
  struct ts_comparison c = compare(mask_plane(mask, 2, 2), label_plane(labels, 2, 2));
  assert_int_equal(c.found_objects, 1);
  assert_int_equal(c.reference_objects, 2);
}

static void test_other_size(void **state) {
  (void)state;
  const uint8_t mask[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  struct ts_comparison c = compare(mask_plane(mask, 4, 3), mask_plane(mask, 5, 2));
  assert_int_equal(c.differing_px, 12);
  assert_int_equal(c.reference_px, 10);
  assert_int_equal(c.found_px, 12);
  assert_int_equal(c.both_px, 0);
  check(c.dice, 0);
  c = compare(mask_plane(mask, 3, 3), mask_plane(mask, 5, 2));
  assert_int_equal(c.differing_px, 10);
}

enum { LABELS = 12 };

/* Everything from the table of all pairs. */
static struct ts_comparison naive_compare(const uint32_t *found, const uint32_t *reference, int64_t pixels) {
  static int64_t n[LABELS][LABELS];
  int64_t f[LABELS] = {0}, r[LABELS] = {0};
  memset(n, 0, sizeof n);
  for (int64_t i = 0; i < pixels; i++) {
    n[found[i]][reference[i]]++;
    f[found[i]]++;
    r[reference[i]]++;
  }
  struct ts_comparison c = {0};
  double common = 0, iou_sum = 0, aji_c = 0, aji_u = 0;
  bool used[LABELS] = {0};
  for (int j = 1; j < LABELS; j++) {
    if (f[j]) c.found_objects++;
    if (!r[j]) continue;
    c.reference_objects++;
    int best = 0;
    double best_iou = 0;
    for (int i = 1; i < LABELS; i++) {
      common += (double)n[i][j];
      double iou = (double)n[i][j] / (double)(f[i] + r[j] - n[i][j]);
      if (iou > best_iou) {
        best_iou = iou;
        best = i;
      }
      if (iou > 0.5) {
        c.matched_objects++;
        iou_sum += iou;
      }
    }
    aji_c += best ? (double)n[best][j] : 0;
    aji_u += best ? (double)(f[best] + r[j] - n[best][j]) : (double)r[j];
    used[best] = true;
  }
  for (int i = 1; i < LABELS; i++)
    if (!used[i]) aji_u += (double)f[i];
  double fp = (double)(pixels - f[0]), rp = (double)(pixels - r[0]),
         both = (double)(c.found_objects + c.reference_objects);
  c.found_px = pixels - f[0];
  c.reference_px = pixels - r[0];
  c.both_px = (int64_t)common;
  c.iou_sum = iou_sum;
  c.aji_both_px = (int64_t)aji_c;
  c.aji_joined_px = (int64_t)aji_u;
  c.pixel_precision = common / fp;
  c.pixel_recall = common / rp;
  c.differing_px = (int64_t)(fp + rp - 2 * common);
  c.dice = 2 * common / (fp + rp);
  c.jaccard = common / (fp + rp - common);
  c.precision = (double)c.matched_objects / (double)c.found_objects;
  c.recall = (double)c.matched_objects / (double)c.reference_objects;
  c.f1 = 2 * (double)c.matched_objects / both;
  c.aggregated_jaccard = aji_c / aji_u;
  c.panoptic_quality = iou_sum / ((double)c.matched_objects + 0.5 * (both - 2 * (double)c.matched_objects));
  return c;
}

static void test_random(void **state) {
  (void)state;
  int64_t matched = 0;
  for (int round = 0; round < 300; round++) {
    struct shape_px s = {8 + random_below(30), 8 + random_below(30)};
    uint32_t *reference = plane_of(s, sizeof *reference);
    uint32_t *found = plane_of(s, sizeof *found);
    for (int64_t i = 0; i < s.w * s.h; i++) {
      reference[i] = (uint32_t)((i % s.w) / 5 + (i / s.w) / 9 * 3) % LABELS;
      found[i] = random_below(1 + (uint32_t)round % 6) ? random_below(LABELS) : reference[i];
    }
    struct ts_comparison want = naive_compare(found, reference, s.w * s.h);
    struct ts_comparison got = compare(label_plane(found, s.w, s.h), label_plane(reference, s.w, s.h));
    assert_int_equal(got.differing_px, want.differing_px);
    assert_int_equal(got.reference_px, want.reference_px);
    assert_int_equal(got.found_px, want.found_px);
    assert_int_equal(got.both_px, want.both_px);
    assert_int_equal(got.aji_both_px, want.aji_both_px);
    assert_int_equal(got.aji_joined_px, want.aji_joined_px);
    assert_int_equal(got.found_objects, want.found_objects);
    assert_int_equal(got.reference_objects, want.reference_objects);
    assert_int_equal(got.matched_objects, want.matched_objects);
    const double g[] = {got.dice,
                        got.jaccard,
                        got.precision,
                        got.recall,
                        got.f1,
                        got.aggregated_jaccard,
                        got.panoptic_quality,
                        got.iou_sum,
                        got.pixel_precision,
                        got.pixel_recall};
    const double w[] = {want.dice,
                        want.jaccard,
                        want.precision,
                        want.recall,
                        want.f1,
                        want.aggregated_jaccard,
                        want.panoptic_quality,
                        want.iou_sum,
                        want.pixel_precision,
                        want.pixel_recall};
    for (size_t i = 0; i < sizeof g / sizeof *g; i++) assert_true(fabs(g[i] - w[i]) < 1e-12);
    matched += got.matched_objects;
    free(found);
    free(reference);
  }
  assert_true(matched > 100);
}

/* More pairs than the first table holds. */
static void test_many_objects(void **state) {
  (void)state;
  struct shape_px s = {300, 100};
  uint32_t *labels = plane_of(s, sizeof *labels);
  for (int64_t i = 0; i < s.w * s.h; i++) labels[i] = (uint32_t)i * 2654435761u | 1u;
  struct ts_comparison c = compare(label_plane(labels, s.w, s.h), label_plane(labels, s.w, s.h));
  assert_int_equal(c.matched_objects, c.found_objects);
  assert_true(c.found_objects > 14000);
  check(c.panoptic_quality, 1);
  check(c.aggregated_jaccard, 1);
  free(labels);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_both_empty),
      cmocka_unit_test(test_one_empty),
      cmocka_unit_test(test_by_hand),
      cmocka_unit_test(test_half_is_no_match),
      cmocka_unit_test(test_masks_are_8_connected),
      cmocka_unit_test(test_other_size),
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_many_objects),
  };
  return RUN_FOR_EACH_VARIANT(tests);
}
