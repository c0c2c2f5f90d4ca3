/* Objects of tiles joined into those of the file: the same as if no tile had been cut, and damage is an error.
 * SPDX-License-Identifier: Apache-2.0
 * test-needs: op */
#include "unit/kernels/planes.h"

#include "kernels/compare.h"
#include "kernels/features.h"
#include "kernels/kernels.h"
#include "op/implementation.h"
#include "op/op.h"
#include "ops/objects/objects.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>

enum { HALO = 1, MOST_TILES = 4096 };

static struct ts_registry *registry;

static int setup(void **state) {
  (void)state;
  registry = ts_registry_create();
  ts_registry_add_built_in(registry, ts_objects_operations, ts_objects_operation_count, ts_implementations,
                           ts_implementation_count);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  ts_registry_destroy(registry);
  return 0;
}

static void check(bool ok, const struct ts_error *err) {
  if (!ok) fail_msg("T%d %s (%s)", ts_error_number(err->code), err->text, err->help);
}

/* A rectangle of a plane as data that knows its place; the plane lies at `corner` in its image. */
static struct ts_data *cut(const void *plane, const char *type, struct shape_px s, struct ts_region corner, int64_t x,
                           int64_t y, int64_t w, int64_t h) {
  struct ts_error err = {0};
  const struct ts_type *t = ts_type_find(type);
  const size_t pixel = ts_element_bytes(t->element) * (size_t)t->channels;
  const struct ts_region region = {
      .x = corner.x + x, .y = corner.y + y, .width = w, .height = h, .level = corner.level, .depth = 1, .frames = 1};
  struct ts_data *data = ts_data_create_pixels(t, &region, &err);
  check(data, &err);
  uint8_t *to = ts_data_writable(data);
  for (int64_t row = 0; row < h; row++)
    memcpy(to + (size_t)(row * w) * pixel, (const uint8_t *)plane + (size_t)((y + row) * s.w + x) * pixel,
           (size_t)w * pixel);
  ts_data_finish(data);
  return data;
}

static bool execute(const char *name, struct ts_data *const *inputs, const struct ts_value *values,
                    struct ts_data **outputs, struct ts_error *err) {
  return ts_op_execute(ts_registry_find(registry, name), inputs, values, outputs, NULL, err);
}

/* One picture with what is found in it, and a grid. */
struct picture {
  struct shape_px s;
  struct ts_region corner;
  uint8_t *rgb;
  uint8_t *mask;    /* or NULL */
  uint32_t *labels; /* or NULL */
};

static const char *type_of(const struct picture *p) { return p->mask ? "mask" : "labels"; }
static const void *plane_in(const struct picture *p) { return p->mask ? (const void *)p->mask : p->labels; }

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Calls the operation on every tile and joins what it gives, in any order of the tiles. */
static struct ts_data *pieces_of(const struct picture *p, const struct picture *reference, int64_t side,
                                 const struct ts_value *values) {
  struct ts_error err = {0};
  struct ts_data *pieces[MOST_TILES] = {NULL};
  size_t count = 0;
  for (int64_t y = 0; y < p->s.h; y += side)
    for (int64_t x = 0; x < p->s.w; x += side) {
      const int64_t w = least(side, p->s.w - x), h = least(side, p->s.h - y);
      const int64_t left = most(0, x - HALO), top = most(0, y - HALO);
      struct ts_data *own = cut(plane_in(p), type_of(p), p->s, p->corner, x, y, w, h);
      struct ts_data *other = reference ? cut(plane_in(reference), type_of(reference), p->s, p->corner, x, y, w, h)
                                        : cut(p->rgb, "image/rgb8", p->s, p->corner, left, top,
                                              least(p->s.w, x + w + HALO) - left, least(p->s.h, y + h + HALO) - top);
      struct ts_data *inputs[2] = {reference ? own : other, reference ? other : own}, *outputs[2];
      assert_true(count < MOST_TILES);
      check(execute(reference ? "objects.compare_tile" : "objects.measure_tile", inputs, values, outputs, &err), &err);
      pieces[count++] = outputs[0];
      ts_data_unref(outputs[1]);
      ts_data_unref(own);
      ts_data_unref(other);
    }
  for (size_t i = count; i > 1; i--) {
    const size_t k = random_below((uint32_t)i);
    struct ts_data *moved = pieces[k];
    pieces[k] = pieces[i - 1];
    pieces[i - 1] = moved;
  }
  struct ts_data *all = ts_data_gather((const struct ts_data *const *)pieces, count, &err);
  check(all, &err);
  for (size_t i = 0; i < count; i++) ts_data_unref(pieces[i]);
  return all;
}

struct measured {
  struct ts_data *outputs[3]; /* objects, summary, shapes */
};

static struct measured measure(const struct picture *p, int64_t side, const char *stitch) {
  struct ts_error err = {0};
  const struct ts_value value = ts_value_string(stitch);
  struct measured m;
  struct ts_data *pieces = pieces_of(p, NULL, side, &value);
  check(execute("objects.measure", &pieces, NULL, m.outputs, &err), &err);
  ts_data_unref(pieces);
  return m;
}

static void release(struct measured *m) {
  for (int i = 0; i < 3; i++) ts_data_unref(m->outputs[i]);
}

static void assert_same(const struct ts_data *a, const struct ts_data *b) {
  size_t size_a, size_b;
  const void *bytes_a = ts_data_bytes(a, &size_a), *bytes_b = ts_data_bytes(b, &size_b);
  assert_int_equal(size_a, size_b);
  assert_memory_equal(bytes_a, bytes_b, size_a);
}

static struct picture draw(int round, bool labels) {
  struct picture p = {.s = shape_for(round, 70)};
  p.corner = (struct ts_region){.x = (int64_t)random_below(3) * 1000, .y = random_below(2) * 77, .level = round % 2};
  p.rgb = random_bytes(p.s, 3, 2 + random_below(200));
  if (!labels) {
    p.mask = random_mask(p.s, round);
    return p;
  }
  p.labels = plane_of(p.s, sizeof *p.labels);
  uint8_t *mask = random_mask(p.s, round);
  uint32_t *components = naive_components(mask, p.s, 4);
  for (int64_t i = 0; i < p.s.w * p.s.h; i++) p.labels[i] = components[i] ? components[i] % 97 * 1000003u + 1 : 0;
  free(mask);
  free(components);
  return p;
}

static void erase(struct picture *p) {
  free(p->rgb);
  free(p->mask);
  free(p->labels);
}

/* ---- Measured objects. ---- */

static double cell(const struct ts_data *table, size_t row, const char *name) {
  size_t column = 0;
  assert_true(ts_data_find_column(table, name, &column));
  return ts_data_cells(table)[row * ts_data_columns(table) + column];
}

/* The table against the features of the whole plane, whose objects have the numbers of `labels`: places are those of
 * the picture plus its corner. */
static void assert_features(const struct measured *m, const struct picture *p, const uint32_t *labels) {
  struct ts_error err = {0};
  struct ts_feature_table all;
  check(ts_features(p->rgb, labels, p->s.w, p->s.h, &all, NULL, &err), &err);
  const struct ts_data *table = m->outputs[0];
  assert_int_equal(ts_data_rows(table), all.object_count);
  assert_int_equal(cell(m->outputs[1], 0, "count"), all.object_count);
  for (size_t r = 0; r < all.object_count; r++) {
    assert_int_equal(cell(table, r, "id"), r + 1);
    for (size_t c = 1; c < TS_FEATURES_COUNT; c++) {
      const char *name = ts_feature_names[c];
      if (strstr(name, "_edge_")) continue; /* of the whole plane */
      const double expected = all.values[r * TS_FEATURES_COUNT + c];
      const bool is_x = strcmp(name, "centroid_x") == 0, is_y = strcmp(name, "centroid_y") == 0;
      const double got = cell(table, r, is_x ? "x" : is_y ? "y" : name);
      double shift = is_x || strcmp(name, "box_x") == 0 ? (double)p->corner.x : 0;
      if (is_y || strcmp(name, "box_y") == 0) shift = (double)p->corner.y;
      if (fabs(got - shift - expected) > (shift > 0 ? 1e-9 : 0)) fail_msg("%s of %zu: %.17g", name, r, got);
    }
  }
  ts_feature_table_release(&all);
}

/* Naive components count up from 1 in the order of their first pixels only after they are numbered anew. */
static uint32_t *numbered(const uint8_t *mask, struct shape_px s) {
  uint32_t *labels = naive_components(mask, s, 8), next = 0;
  uint32_t *number = calloc((size_t)(s.w * s.h) + 2, sizeof *number);
  assert_non_null(number);
  for (int64_t i = 0; i < s.w * s.h; i++) {
    if (labels[i] == 0) continue;
    if (number[labels[i]] == 0) number[labels[i]] = ++next;
    labels[i] = number[labels[i]];
  }
  free(number);
  return labels;
}

static void test_components_do_not_depend_on_tiles(void **state) {
  (void)state;
  for (int round = 0; round < 120; round++) {
    struct picture p = draw(round, false);
    struct measured whole = measure(&p, 1000, "components");
    uint32_t *labels = numbered(p.mask, p.s);
    assert_features(&whole, &p, labels);
    for (int k = 0; k < 3; k++) {
      struct measured tiled = measure(&p, k == 0 ? 2 + random_below(4) : 3 + random_below(40), "components");
      for (int i = 0; i < 3; i++) assert_same(whole.outputs[i], tiled.outputs[i]);
      release(&tiled);
    }
    free(labels);
    release(&whole);
    erase(&p);
  }
}

static void test_values_do_not_depend_on_tiles(void **state) {
  (void)state;
  for (int round = 0; round < 60; round++) {
    struct picture p = draw(round, true);
    struct measured whole = measure(&p, 1000, "values"), tiled = measure(&p, 3 + random_below(30), "values");
    for (int i = 0; i < 3; i++) assert_same(whole.outputs[i], tiled.outputs[i]);
    uint32_t labels = 0; /* how many there are */
    for (int64_t i = 0; i < p.s.w * p.s.h; i++) {
      int64_t k = 0;
      while (k < i && p.labels[k] != p.labels[i]) k++;
      labels += p.labels[i] && k == i;
    }
    assert_int_equal(ts_data_rows(whole.outputs[0]), labels);
    release(&whole);
    release(&tiled);
    erase(&p);
  }
}

/* Two tiles of eight columns each: an object in each, at the edge from row a to b and from row c to d. */
static size_t joined(const char *stitch, int64_t a, int64_t b, int64_t c, int64_t d) {
  struct picture p = {.s = {16, 8}};
  p.rgb = random_bytes(p.s, 3, 9);
  p.labels = calloc(16 * 8, sizeof *p.labels);
  assert_non_null(p.labels);
  for (int64_t y = a; y < b; y++) p.labels[y * 16 + 7] = p.labels[y * 16 + 6] = 5;
  for (int64_t y = c; y < d; y++) p.labels[y * 16 + 8] = 9;
  struct measured m = measure(&p, 8, stitch);
  const size_t rows = ts_data_rows(m.outputs[0]);
  release(&m);
  erase(&p);
  return rows;
}

/* By hand: the contact of the one is b - a, of the other d - c, and they have min(b, d) - max(a, c) side by side. */
static void test_labels_join_where_they_overlap_enough(void **state) {
  (void)state;
  assert_int_equal(joined("labels", 1, 6, 3, 8), 1); /* 3 of 5 and 5 */
  assert_int_equal(joined("labels", 1, 5, 3, 8), 2); /* 2 of 4 and 5: half is not enough */
  assert_int_equal(joined("labels", 0, 8, 3, 4), 1); /* all of the shorter one */
  assert_int_equal(joined("labels", 0, 3, 3, 8), 2); /* they touch at a corner */
  assert_int_equal(joined("components", 0, 3, 3, 8), 1);
  assert_int_equal(joined("components", 0, 3, 4, 8), 2);
  assert_int_equal(joined("values", 1, 6, 3, 8), 2);
  assert_int_equal(joined("none", 1, 6, 3, 8), 2);
}

/* ---- Scores. ---- */

static struct ts_compare_plane compared(const struct picture *p) {
  return (struct ts_compare_plane){.mask = p->mask, .labels = p->labels, .width = p->s.w, .height = p->s.h};
}

static void assert_scores(const struct ts_data *table, const struct picture *found, const struct picture *reference) {
  struct ts_error err = {0};
  struct ts_comparison c;
  const struct ts_compare_plane a = compared(found), b = compared(reference);
  check(ts_compare(&a, &b, &c, NULL, &err), &err);
#define NAME(column, member)  column
#define VALUE(column, member) (double)c.member
  static const char *const names[] = {TS_COMPARE_LIST(NAME)};
  const double values[] = {TS_COMPARE_LIST(VALUE)};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (cell(table, 0, names[i]) != values[i])
      fail_msg("%s: %.17g, not %.17g", names[i], cell(table, 0, names[i]), values[i]);
}

static void test_scores_do_not_depend_on_tiles(void **state) {
  (void)state;
  const struct ts_value values[2] = {ts_value_string("values"), ts_value_string("values")};
  for (int round = 0; round < 160; round++) {
    struct picture found = draw(round, round % 4 >= 2), reference = draw(round, round % 2 == 1);
    if (reference.s.w != found.s.w || reference.s.h != found.s.h) { /* random shapes differ */
      erase(&reference);
      reference = (struct picture){.s = found.s, .corner = found.corner};
      reference.mask = random_mask(found.s, round + 1);
    }
    for (int k = 0; k < 3; k++) {
      struct ts_error err = {0};
      struct ts_data *table = NULL;
      struct ts_data *pieces = pieces_of(&found, &reference, k == 0 ? 1000 : 2 + random_below(30), values);
      check(execute("objects.compare", &pieces, NULL, &table, &err), &err);
      assert_scores(table, &found, &reference);
      ts_data_unref(table);
      ts_data_unref(pieces);
    }
    erase(&found);
    erase(&reference);
  }
}

/* ---- Faults. ---- */

static struct ts_data *bytes_of(const void *bytes, size_t size) {
  struct ts_error err = {0};
  struct ts_data *data = ts_data_create_bytes(ts_type_find("pieces"), size, &err);
  check(data, &err);
  if (size > 0) memcpy(ts_data_writable(data), bytes, size);
  ts_data_finish(data);
  return data;
}

/* Damaged pieces are an error or give something; never more than that. */
static void damage(const char *operation, const struct ts_data *pieces, int outputs) {
  size_t size, refused = 0;
  const uint8_t *bytes = ts_data_bytes(pieces, &size);
  for (int round = 0; round < 5000; round++) {
    struct ts_error err = {0};
    struct ts_data *made[3] = {NULL};
    uint8_t *copy = ts_memdup(bytes, size);
    const size_t length = round % 3 == 0 ? random_below((uint32_t)size) : size;
    for (int i = 0; i < 1 + round % 4; i++) copy[random_below((uint32_t)size)] = (uint8_t)random_below(256);
    struct ts_data *data = bytes_of(copy, length);
    const bool ok = execute(operation, &data, NULL, made, &err);
    if (!ok) {
      refused++;
      if (err.code != TS_ERR_BAD_PRODUCT && err.code != TS_ERR_BAD_VALUE) fail_msg("T%d %s", err.code, err.text);
      assert_true(err.help[0] != '\0');
    }
    for (int i = 0; ok && i < outputs; i++) ts_data_unref(made[i]);
    ts_data_unref(data);
    free(copy);
  }
  assert_true(refused > 2000);
}

static void test_damaged_pieces(void **state) {
  (void)state;
  const struct ts_value values[2] = {ts_value_string("components"), ts_value_string("values")};
  struct picture p = draw(30, false), reference = {.s = p.s, .mask = random_mask(p.s, 31)};
  struct ts_data *pieces = pieces_of(&p, NULL, 20, values);
  damage("objects.measure", pieces, 3);
  ts_data_unref(pieces);
  pieces = pieces_of(&p, &reference, 20, values);
  damage("objects.compare", pieces, 1);
  ts_data_unref(pieces);
  erase(&p);
  erase(&reference);
}

/* Numbers of pixels that no file has: sums of such would overflow. They follow the head of a tile. */
static void test_impossible_scores(void **state) {
  (void)state;
  enum { HEAD_BYTES = 40 };
  static const int64_t numbers[] = {-1, ((int64_t)1 << 48) + 1, INT64_MAX, INT64_MIN, 5};
  const struct ts_value values[2] = {ts_value_string("components"), ts_value_string("values")};
  struct picture p = draw(30, false), reference = {.s = p.s, .mask = random_mask(p.s, 31)};
  struct ts_data *pieces = pieces_of(&p, &reference, 1000, values);
  size_t size;
  const uint8_t *bytes = ts_data_bytes(pieces, &size);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct ts_error err = {0};
    struct ts_data *table = NULL;
    uint8_t *copy = ts_memdup(bytes, size);
    memcpy(copy + HEAD_BYTES, &numbers[i], sizeof *numbers);
    struct ts_data *data = bytes_of(copy, size);
    const bool ok = execute("objects.compare", &data, NULL, &table, &err);
    assert_int_equal(ok, numbers[i] == 5);
    if (!ok) assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
    ts_data_unref(table);
    ts_data_unref(data);
    free(copy);
  }
  ts_data_unref(pieces);
  erase(&p);
  erase(&reference);
}

static void test_tiles_that_overlap(void **state) {
  (void)state;
  struct ts_error err = {0};
  const struct ts_value value = ts_value_string("components");
  struct picture p = draw(30, false);
  struct ts_data *one = pieces_of(&p, NULL, 1000, &value), *made[3];
  const struct ts_data *twice[2] = {one, one};
  struct ts_data *both = ts_data_gather(twice, 2, &err);
  assert_false(execute("objects.measure", &both, NULL, made, &err));
  assert_int_equal(err.code, TS_ERR_BAD_VALUE);
  assert_string_equal(err.text, "operation 'objects.measure' failed: its tiles overlap, so that objects in their halo "
                                "would count twice");
  assert_string_equal(err.help, "give the stage that finds the objects of tiles \"region\": {\"mask\": \"core\"}");
  ts_data_unref(one);
  ts_data_unref(both);
  erase(&p);
}

/* A file without any tile of its own is a file without objects. */
static void test_nothing(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_data *nothing = bytes_of("", 0), *made[3];
  check(execute("objects.measure", &nothing, NULL, made, &err), &err);
  assert_int_equal(ts_data_rows(made[0]), 0);
  assert_int_equal(cell(made[1], 0, "count"), 0);
  assert_true(isnan(cell(made[1], 0, "area")));
  for (int i = 0; i < 3; i++) ts_data_unref(made[i]);
  check(execute("objects.compare", &nothing, NULL, made, &err), &err);
  assert_int_equal(cell(made[0], 0, "dice"), 1); /* nothing agrees with nothing */
  ts_data_unref(made[0]);
  ts_data_unref(nothing);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_components_do_not_depend_on_tiles),
      cmocka_unit_test(test_values_do_not_depend_on_tiles),
      cmocka_unit_test(test_labels_join_where_they_overlap_enough),
      cmocka_unit_test(test_scores_do_not_depend_on_tiles),
      cmocka_unit_test(test_damaged_pieces),
      cmocka_unit_test(test_impossible_scores),
      cmocka_unit_test(test_tiles_that_overlap),
      cmocka_unit_test(test_nothing),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
