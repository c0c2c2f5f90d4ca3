/* Outlines of objects: by hand, and on random label planes drawn back from their rings.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/planes.h"

#include "kernels/kernels.h"
#include "kernels/outline.h"

static struct ts_outlines outline(const uint32_t *labels, int64_t w, int64_t h) {
  struct ts_outlines o;
  assert_true(ts_outline(labels, w, h, &o, NULL));
  return o;
}

static int64_t doubled_area(const struct ts_outlines *o, const struct ts_ring *ring) {
  const struct ts_vertex *v = o->vertices + ring->first;
  int64_t sum = 0;
  for (size_t i = 0; i + 1 < ring->count; i++) sum += (int64_t)v[i].x * v[i + 1].y - (int64_t)v[i + 1].x * v[i].y;
  return sum;
}

static void test_one_pixel(void **state) {
  (void)state;
  const uint32_t labels[9] = {0, 0, 0, 0, 0, 9, 0, 0, 0};
  struct ts_outlines o = outline(labels, 3, 3);
  assert_int_equal(o.ring_count, 1);
  assert_int_equal(o.rings[0].label, 9);
  assert_false(o.rings[0].hole);
  assert_int_equal(o.rings[0].count, 5);
  assert_int_equal(doubled_area(&o, &o.rings[0]), 2);
  for (size_t i = 0; i < 5; i++) {
    assert_true(o.vertices[i].x >= 2 && o.vertices[i].x <= 3);
    assert_true(o.vertices[i].y >= 1 && o.vertices[i].y <= 2);
  }
  assert_memory_equal(&o.vertices[0], &o.vertices[4], sizeof o.vertices[0]);
  ts_outlines_release(&o);
}

static void test_nothing(void **state) {
  (void)state;
  const uint32_t labels[4] = {0};
  struct ts_outlines o = outline(labels, 2, 2);
  assert_int_equal(o.ring_count, 0);
  assert_int_equal(o.vertex_count, 0);
  ts_outlines_release(&o);
}

/* Two pixels that meet at a corner are two polygons of one object. */
static void test_diagonal_pair(void **state) {
  (void)state;
  const uint32_t labels[4] = {3, 0, 0, 3};
  struct ts_outlines o = outline(labels, 2, 2);
  assert_int_equal(o.ring_count, 2);
  for (size_t i = 0; i < 2; i++) {
    assert_false(o.rings[i].hole);
    assert_int_equal(o.rings[i].outer, i);
    assert_int_equal(o.rings[i].count, 5);
  }
  ts_outlines_release(&o);
}

static void test_hole(void **state) {
  (void)state;
  const uint32_t labels[9] = {1, 1, 1, 1, 0, 1, 1, 1, 1};
  struct ts_outlines o = outline(labels, 3, 3);
  assert_int_equal(o.ring_count, 2);
  assert_false(o.rings[0].hole);
  assert_true(o.rings[1].hole);
  assert_int_equal(o.rings[1].outer, 0);
  assert_int_equal(doubled_area(&o, &o.rings[0]), 18);
  assert_int_equal(doubled_area(&o, &o.rings[1]), -2);
  ts_outlines_release(&o);
}

/* The hole is open to the outside through a corner only: the walk passes that corner twice and is cut there. */
static void test_pinched_hole(void **state) {
  (void)state;
  const uint32_t labels[16] = {0, 1, 1, 1, /**/ 1, 0, 1, 1, /**/ 1, 1, 1, 1, /**/ 1, 1, 1, 1};
  struct ts_outlines o = outline(labels, 4, 4);
  assert_int_equal(o.ring_count, 2);
  assert_true(o.rings[1].hole);
  assert_int_equal(doubled_area(&o, &o.rings[0]), 30);
  assert_int_equal(doubled_area(&o, &o.rings[1]), -2);
  ts_outlines_release(&o);
}

/* Even-odd: a pixel is inside if a ray from its centre to the left crosses an odd number of edges. */
static bool inside(const struct ts_outlines *o, const struct ts_ring *ring, int64_t x, int64_t y) {
  const struct ts_vertex *v = o->vertices + ring->first;
  bool in = false;
  for (size_t i = 0; i + 1 < ring->count; i++) {
    if (v[i].x != v[i + 1].x || v[i].x > x) continue;
    int32_t low = v[i].y < v[i + 1].y ? v[i].y : v[i + 1].y;
    int32_t high = v[i].y < v[i + 1].y ? v[i + 1].y : v[i].y;
    if (low <= y && y < high) in = !in;
  }
  return in;
}

static void check_ring(const struct ts_outlines *o, size_t index) {
  const struct ts_ring *ring = &o->rings[index];
  const struct ts_vertex *v = o->vertices + ring->first;
  assert_true(ring->count >= 5);
  assert_memory_equal(&v[0], &v[ring->count - 1], sizeof v[0]);
  for (size_t i = 0; i + 1 < ring->count; i++) {
    const struct ts_vertex *next = &v[i + 1];
    const struct ts_vertex *after = i + 2 < ring->count ? &v[i + 2] : &v[1];
    assert_true((v[i].x == next->x) != (v[i].y == next->y));   /* along one axis */
    assert_true((v[i].x == next->x) == (next->y == after->y)); /* and a turn at each vertex */
    for (size_t k = i + 1; k + 1 < ring->count; k++) assert_false(v[i].x == v[k].x && v[i].y == v[k].y);
  }
  assert_true((doubled_area(o, ring) < 0) == ring->hole);
  if (ring->hole) {
    assert_true(ring->outer < index);
    assert_false(o->rings[ring->outer].hole);
    assert_int_equal(o->rings[ring->outer].label, ring->label);
    /* the pixel below the upper left vertex of a hole lies in its outer ring */
    const struct ts_vertex *corner = &v[0];
    for (size_t i = 1; i < ring->count; i++)
      if (v[i].y < corner->y || (v[i].y == corner->y && v[i].x < corner->x)) corner = &v[i];
    assert_true(inside(o, &o->rings[ring->outer], corner->x, corner->y));
  } else {
    assert_int_equal(ring->outer, index);
  }
}

static void test_random(void **state) {
  (void)state;
  int64_t holes = 0;
  for (int round = 0; round < 300; round++) {
    struct shape_px s = shape_for(round, 32);
    uint8_t *mask = random_mask(s, round);
    uint32_t *labels = plane_of(s, sizeof *labels);
    uint32_t *drawn = calloc((size_t)(s.w * s.h), sizeof *drawn);
    uint32_t count;
    assert_true(ts_label(mask, s.w, s.h, 8, labels, &count, NULL, NULL));
    if (round % 4 == 1) /* labels that touch each other */
      for (int64_t i = 0; i < s.w * s.h; i++) labels[i] = random_below(4);
    struct ts_outlines o = outline(labels, s.w, s.h);
    for (size_t r = 0; r < o.ring_count; r++) {
      check_ring(&o, r);
      if (r > 0) assert_true(o.rings[r].label >= o.rings[r - 1].label);
      holes += o.rings[r].hole;
      for (int64_t i = 0; i < s.w * s.h; i++)
        if (inside(&o, &o.rings[r], i % s.w, i / s.w))
          drawn[i] += o.rings[r].hole ? 0u - o.rings[r].label : o.rings[r].label;
    }
    for (int64_t i = 0; i < s.w * s.h; i++) assert_int_equal(drawn[i], labels[i]);
    ts_outlines_release(&o);
    free(drawn);
    free(labels);
    free(mask);
  }
  assert_true(holes > 500);
}

/* ---- One object by its runs ---- */

static void assert_same(const struct ts_outlines *a, const struct ts_outlines *b) {
  assert_int_equal(a->ring_count, b->ring_count);
  assert_int_equal(a->vertex_count, b->vertex_count);
  assert_memory_equal(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices);
  for (size_t i = 0; i < a->ring_count; i++) {
    assert_int_equal(a->rings[i].label, b->rings[i].label);
    assert_int_equal(a->rings[i].hole, b->rings[i].hole);
    assert_int_equal(a->rings[i].outer, b->rings[i].outer);
    assert_int_equal(a->rings[i].first, b->rings[i].first);
    assert_int_equal(a->rings[i].count, b->rings[i].count);
  }
}

/* Runs of a mask, which lies elsewhere. */
static size_t runs_of(const uint8_t *mask, struct shape_px s, int32_t left, int32_t top, struct ts_pixel_run *runs) {
  size_t count = 0;
  for (int64_t y = 0; y < s.h; y++)
    for (int64_t x = 0; x < s.w; x++) {
      if (!mask[y * s.w + x]) continue;
      if (x == 0 || !mask[y * s.w + x - 1])
        runs[count++] = (struct ts_pixel_run){.y = (int32_t)y + top, .begin = (int32_t)x + left};
      runs[count - 1].end = (int32_t)x + 1 + left;
    }
  return count;
}

static void test_without_a_plane(void **state) {
  (void)state;
  for (int round = 0; round < 400; round++) {
    struct shape_px s = shape_for(round, 32);
    uint8_t *mask = random_mask(s, round);
    struct ts_pixel_run *runs = calloc((size_t)(s.w * s.h), sizeof *runs);
    const size_t count = runs_of(mask, s, 17 - round, 1000 - 7 * round, runs);
    if (count > 0) {
      struct ts_outlines with, without;
      assert_true(ts_outline_runs(runs, count, &with, NULL));
      assert_true(ts_outline_sparse(runs, count, &without, NULL));
      assert_same(&with, &without);
      ts_outlines_release(&with);
      ts_outlines_release(&without);
    }
    free(runs);
    free(mask);
  }
}

/* A frame of 100,000 x 80,000 pixels, one pixel thick, takes what its runs take: its plane would be 32 GB. */
static void test_a_frame_around_a_slide(void **state) {
  (void)state;
  enum { WIDE = 100000, HIGH = 80000, LEFT = 500, TOP = 300 };
  struct ts_pixel_run *runs = calloc(2 * (size_t)HIGH, sizeof *runs);
  size_t count = 0;
  for (int32_t y = TOP; y < TOP + HIGH; y++) {
    const bool is_end = y == TOP || y == TOP + HIGH - 1;
    runs[count++] = (struct ts_pixel_run){y, LEFT, is_end ? LEFT + WIDE : LEFT + 1};
    if (!is_end) runs[count++] = (struct ts_pixel_run){y, LEFT + WIDE - 1, LEFT + WIDE};
  }
  struct ts_outlines o;
  assert_true(ts_outline_runs(runs, count, &o, NULL));
  assert_int_equal(o.ring_count, 2);
  assert_int_equal(doubled_area(&o, &o.rings[0]), 2 * (int64_t)WIDE * HIGH);
  assert_int_equal(doubled_area(&o, &o.rings[1]), -2 * (int64_t)(WIDE - 2) * (HIGH - 2));
  assert_true(o.rings[1].hole && o.rings[0].count == 5 && o.rings[1].count == 5);
  for (size_t i = 0; i < 5; i++)
    assert_true((o.vertices[i].x == LEFT || o.vertices[i].x == LEFT + WIDE) &&
                (o.vertices[i].y == TOP || o.vertices[i].y == TOP + HIGH));
  ts_outlines_release(&o);
  free(runs);
}

static void test_too_large(void **state) {
  (void)state;
  const struct ts_pixel_run wide[] = {{0, INT32_MIN, INT32_MAX}}, high[] = {{INT32_MIN, 0, 1}, {5, 0, 1}},
                            last[] = {{INT32_MAX, 0, 1}};
  const struct ts_pixel_run *const all[] = {wide, high, last};
  for (size_t i = 0; i < 3; i++) {
    struct ts_outlines o;
    struct ts_error err = {0};
    assert_false(ts_outline_runs(all[i], i == 1 ? 2 : 1, &o, &err));
    assert_int_equal(err.code, TS_ERR_BAD_IMAGE);
    assert_true(err.help[0] != '\0');
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_pixel),       cmocka_unit_test(test_nothing),
      cmocka_unit_test(test_diagonal_pair),   cmocka_unit_test(test_hole),
      cmocka_unit_test(test_pinched_hole),    cmocka_unit_test(test_random),
      cmocka_unit_test(test_without_a_plane), cmocka_unit_test(test_a_frame_around_a_slide),
      cmocka_unit_test(test_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
