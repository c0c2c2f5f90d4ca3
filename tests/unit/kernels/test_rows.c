/* The innermost loops: every variant against plain C, bit by bit, on random and degenerate rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/kernels/each_variant.h"
#include "unit/kernels/planes.h"

#include "kernels/cpu/canny_rows.h"
#include "kernels/cpu/nuclei_colour.h"

#include <float.h>

enum { WIDEST = 300, WORDS = WIDEST / 64 + 1, MARGIN = 64 };

static const struct ts_variant *plain = &ts_variant_scalar;

/* Every width up to two words, then some. */
static int64_t width_for(int round) { return round < 130 ? round + 1 : 1 + (int64_t)random_below(WIDEST); }

static void fill(uint8_t *bytes, size_t count, int round) {
  for (size_t i = 0; i < count; i++)
    bytes[i] = (uint8_t)(round % 5 == 0   ? 0
                         : round % 5 == 1 ? 255
                         : round % 5 == 2 ? random_below(2) * 255
                                          : random_below(256));
}

static void test_pack(void **state) {
  (void)state;
  for (int round = 0; round < 600; round++) {
    int64_t width = width_for(round % 300);
    uint8_t row[WIDEST];
    uint64_t got[WORDS], want[WORDS] = {0};
    fill(row, sizeof row, round);
    uint8_t limit = (uint8_t)(round % 3 == 0 ? 0 : round % 3 == 1 ? random_below(256) : 127 + random_below(2));
    for (int64_t x = 0; x < width; x++) want[x / 64] |= (uint64_t)(row[x] > limit) << x % 64;
    memset(got, 0xaa, sizeof got);
    ts_variant_get()->pack(row, width, limit, got);
    assert_memory_equal(got, want, (size_t)(width + 63) / 64 * sizeof *got);
  }
}

static void test_unpack(void **state) {
  (void)state;
  for (int round = 0; round < 300; round++) {
    int64_t width = width_for(round);
    uint8_t bytes[WORDS * 8];
    uint64_t bits[WORDS];
    uint8_t got[WIDEST + 1];
    fill(bytes, sizeof bytes, round);
    memcpy(bits, bytes, sizeof bits);
    got[width] = 77;
    ts_variant_get()->unpack(bits, width, got);
    for (int64_t x = 0; x < width; x++) assert_int_equal(got[x], bits[x / 64] >> x % 64 & 1 ? 255 : 0);
    assert_int_equal(got[width], 77); /* nothing behind the row is touched */
  }
}

static void test_subtract(void **state) {
  (void)state;
  for (int round = 0; round < 300; round++) {
    int64_t width = width_for(round);
    uint8_t a[WIDEST], b[WIDEST], got[WIDEST + 1];
    uint64_t bits[WORDS];
    uint8_t limit = (uint8_t)random_below(256);
    fill(a, sizeof a, round);
    fill(b, sizeof b, round / 5);
    got[width] = 77;
    ts_variant_get()->subtract(a, b, width, limit, got, bits);
    for (int64_t x = 0; x < width; x++) {
      assert_int_equal(got[x], (uint8_t)(a[x] - b[x]));
      assert_int_equal(bits[x / 64] >> x % 64 & 1, got[x] > limit);
    }
    assert_int_equal(got[width], 77);
  }
}

/* By the definition: a run begins where a set bit follows none. */
static int32_t runs_of(const uint64_t *bits, int64_t width, bool of_background) {
  int32_t count = 0;
  bool before = false;
  for (int64_t x = 0; x < width; x++) {
    bool here = (bits[x / 64] >> x % 64 & 1) != of_background;
    count += here && !before;
    before = here;
  }
  return count;
}

static void test_count_runs(void **state) {
  (void)state;
  for (int round = 0; round < 900; round++) {
    int64_t width = width_for(round % 300);
    uint64_t bits[WORDS];
    uint8_t bytes[sizeof bits];
    fill(bytes, sizeof bytes, round);
    memcpy(bits, bytes, sizeof bits);
    uint64_t tail = ~UINT64_C(0) >> (63 - (width - 1) % 64); /* bits behind the width are set here, and do not count */
    for (int background = 0; background < 2; background++)
      assert_int_equal(ts_variant_get()->count_runs(bits, (width + 63) / 64, background ? ~UINT64_C(0) : 0, tail),
                       runs_of(bits, width, background));
  }
}

static void test_take_channel(void **state) {
  (void)state;
  for (int round = 0; round < 300; round++) {
    int64_t width = width_for(round);
    uint8_t *rgb = malloc((size_t)width * 3); /* exactly: the sanitizer sees what reads beyond */
    uint8_t got[WIDEST + 1];
    int channel = round % 3;
    uint8_t flip = round % 2 ? 255 : 0;
    fill(rgb, (size_t)width * 3, 3);
    got[width] = 77;
    ts_variant_get()->take_channel(rgb + channel, width, flip, got);
    for (int64_t x = 0; x < width; x++) assert_int_equal(got[x], rgb[3 * x + channel] ^ flip);
    assert_int_equal(got[width], 77);
    free(rgb);
  }
}

static void test_red_cells(void **state) {
  (void)state;
  for (int round = 0; round < 400; round++) {
    int64_t width = width_for(round % 300);
    uint8_t *rgb = malloc((size_t)width * 3);
    fill(rgb, (size_t)width * 3, 3);
    struct ts_red_cells_limits limits = {.t1 = (float)random_below(80) * 0.1f, .t2 = (float)random_below(80) * 0.1f};
    limits.red = (int)random_below(258) - 1; /* from below to above what a byte can be */
    limits.green = (int)random_below(258) - 1;
    limits.blue = (int)random_below(258) - 1;
    int64_t bright = 0;
    uint64_t want[3][WORDS] = {0}, got[3][WORDS];
    for (int64_t x = 0; x < width; x++) {
      const uint8_t *p = rgb + 3 * x;
      if (random_below(4) == 0) rgb[3 * x + 1] = (uint8_t)random_below(4);
      float ratio = (float)p[0] / ((float)p[1] + FLT_EPSILON);
      want[0][x / 64] |= (uint64_t)(ratio > limits.t1) << x % 64;
      want[1][x / 64] |= (uint64_t)(ratio > limits.t2) << x % 64;
      want[2][x / 64] |= (uint64_t)(p[0] > p[2]) << x % 64;
      bright += p[0] > limits.red && p[1] > limits.green && p[2] > limits.blue;
    }
    for (int g = 0; g < 256; g++) { /* the tables that plain C uses, by their definition */
      limits.smallest1[g] = limits.smallest2[g] = 0;
      while (limits.smallest1[g] < 256 && !((float)limits.smallest1[g] / ((float)g + FLT_EPSILON) > limits.t1))
        limits.smallest1[g]++;
      while (limits.smallest2[g] < 256 && !((float)limits.smallest2[g] / ((float)g + FLT_EPSILON) > limits.t2))
        limits.smallest2[g]++;
    }
    assert_int_equal(ts_variant_get()->red_cells(rgb, width, &limits, got[0], got[1], got[2]), bright);
    for (int i = 0; i < 3; i++) assert_memory_equal(got[i], want[i], (size_t)(width + 63) / 64 * sizeof got[i][0]);
    free(rgb);
  }
}

static void test_minima(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    uint8_t a[257], b[257], got[256], old[256];
    fill(a, sizeof a, round);
    fill(b, sizeof b, round / 5);
    fill(old, sizeof old, 3);
    memcpy(got, old, sizeof got);
    ts_variant_get()->min_into(got, a, b + 1, 256);
    for (int i = 0; i < 256; i++) {
      uint8_t low = a[i] < b[i + 1] ? a[i] : b[i + 1];
      assert_int_equal(got[i], low < old[i] ? low : old[i]);
    }
    ts_variant_get()->min_of_two(got, a + 1, b, 256);
    for (int i = 0; i < 256; i++) assert_int_equal(got[i], a[i + 1] < b[i] ? a[i + 1] : b[i]);
  }
}

/* ---- Reconstruction of a block ---- */

/* A row of three blocks, of which the middle one is visited, and the rows around it. */
struct relax_rows {
  _Alignas(64) uint8_t value[3 * TS_CHUNK];
  _Alignas(64) uint8_t mask[3 * TS_CHUNK];
  _Alignas(64) uint8_t above[3 * TS_CHUNK];
  _Alignas(64) uint8_t below[3 * TS_CHUNK];
};

static struct ts_relax_block middle_of(struct relax_rows *r, bool corners) {
  return (struct ts_relax_block){r->value + TS_CHUNK, r->mask + TS_CHUNK, r->above + TS_CHUNK, r->below + TS_CHUNK,
                                 corners};
}

static void test_relax_u8(void **state) {
  (void)state;
  for (int round = 0; round < 4000; round++) {
    struct relax_rows rows;
    uint32_t levels = 1 + random_below(255);
    for (int i = 0; i < 3 * TS_CHUNK; i++) {
      rows.mask[i] = (uint8_t)random_below(levels + 1);
      rows.value[i] = (uint8_t)random_below(rows.mask[i] + 1u);
      if (round % 3) rows.value[i] = random_below(40) ? 0 : rows.value[i]; /* long ways */
      rows.above[i] = (uint8_t)(random_below(20) ? 0 : random_below(levels + 1));
      rows.below[i] = (uint8_t)(random_below(20) ? 0 : random_below(levels + 1));
    }
    struct relax_rows same = rows;
    struct ts_relax_block got = middle_of(&rows, round % 2);
    struct ts_relax_block want = middle_of(&same, round % 2);
    assert_int_equal(ts_variant_get()->relax_u8(&got), plain->relax_u8(&want));
    assert_memory_equal(rows.value, same.value, sizeof rows.value);
    assert_int_equal(ts_variant_get()->relax_u8(&got), 0); /* in balance */
  }
}

static void test_relax_f32(void **state) {
  (void)state;
  enum { FLOATS = 3 * TS_CHUNK / sizeof(float) };
  for (int round = 0; round < 4000; round++) {
    float value[FLOATS], mask[FLOATS], above[FLOATS], below[FLOATS];
    for (int i = 0; i < FLOATS; i++) {
      mask[i] = random_below(10) ? (float)random_below(1000) * 0.1f - 20.0f : random_below(2) ? FLT_MAX : -FLT_MAX;
      value[i] = random_below(3) ? -FLT_MAX : mask[i] - (float)random_below(3);
      above[i] = random_below(4) ? -FLT_MAX : (float)random_below(100);
      below[i] = random_below(4) ? -FLT_MAX : FLT_MAX;
    }
    struct relax_rows rows, same;
    memcpy(rows.value, value, sizeof value);
    memcpy(rows.mask, mask, sizeof mask);
    memcpy(rows.above, above, sizeof above);
    memcpy(rows.below, below, sizeof below);
    same = rows;
    struct ts_relax_block got = middle_of(&rows, round % 2);
    struct ts_relax_block want = middle_of(&same, round % 2);
    assert_int_equal(ts_variant_get()->relax_f32(&got), plain->relax_f32(&want));
    assert_memory_equal(rows.value, same.value, sizeof rows.value);
    assert_int_equal(ts_variant_get()->relax_f32(&got), 0);
  }
}

/* ---- Distances and domes ---- */

static void test_look_aside(void **state) {
  (void)state;
  enum { COUNT = 5 * TS_CHUNK / sizeof(int16_t), FARTHEST = 127 };
  for (int round = 0; round < 300; round++) {
    int16_t squares[COUNT + 2 * FARTHEST], nearest[COUNT + 1], old[COUNT + 1];
    int64_t count = (int64_t)(1 + round % 5) * TS_CHUNK / (int64_t)sizeof(int16_t);
    int d = 1 + round % FARTHEST;
    int16_t largest =
        round % 3 ? 128 * 128 : 50; /* the largest is further than any distance; small ones are often equal */
    for (int i = 0; i < COUNT + 2 * FARTHEST; i++) squares[i] = (int16_t)random_below((uint32_t)largest + 1);
    for (int i = 0; i <= COUNT; i++) nearest[i] = old[i] = (int16_t)random_below((uint32_t)largest + 1);
    ts_variant_get()->look_aside(nearest, squares + FARTHEST, count, d);
    for (int i = 0; i <= COUNT; i++) {
      int left = squares[FARTHEST + i - d] + d * d;
      int right = i + d < COUNT + FARTHEST ? squares[FARTHEST + i + d] + d * d : left;
      int want = old[i] < left ? old[i] : left;
      if (right < want) want = right;
      assert_int_equal(nearest[i], i < count ? want : old[i]);
    }
  }
}

static void test_lower_f32(void **state) {
  (void)state;
  enum { COUNT = 7 * TS_CHUNK / sizeof(float) };
  const float special[] = {FLT_MAX, -FLT_MAX, 0.0f, -0.0f, 1.0f, FLT_MIN, FLT_EPSILON, 16777217.0f};
  for (int round = 0; round < 100; round++) {
    float from[COUNT], got[COUNT + 1], want[COUNT + 1];
    int64_t count = (int64_t)(1 + round % 7) * TS_CHUNK / (int64_t)sizeof(float);
    for (int i = 0; i < COUNT; i++)
      from[i] = random_below(4) ? (float)random_below(100000) * 0.001f : special[random_below(8)];
    for (int i = 0; i <= COUNT; i++) got[i] = want[i] = 77.0f;
    for (int i = 0; i < count; i++) want[i] = from[i] - 1.0f;
    ts_variant_get()->lower_f32(got, from, count);
    assert_memory_equal(got, want, sizeof got);
  }
}

/* ---- Colours ---- */

static void check_colours(const uint8_t *rgb, int64_t width, const struct ts_colour_transfer *transfer) {
  struct ts_colour_sums got = {0}, want = {0};
  ts_colour_rows_get()->sums(rgb, width, &got);
  ts_colour_rows_scalar.sums(rgb, width, &want);
  assert_memory_equal(&got, &want, sizeof got);
  uint8_t *out = malloc((size_t)width * 6);
  ts_colour_rows_get()->transfer(rgb, width, transfer, out);
  ts_colour_rows_scalar.transfer(rgb, width, transfer, out + 3 * width);
  assert_memory_equal(out, out + 3 * width, (size_t)width * 3);
  free(out);
}

static const struct ts_colour_transfer usual = {{-0.63f, -0.05f, 0.03f}, {1.3f, 0.8f, 2.1f}, {-0.5f, -0.04f, 0.02f}};
/* Results outside every range: powers that are 0 or infinite. */
static const struct ts_colour_transfer extreme = {{0.0f, 0.0f, 0.0f}, {-80.0f, 3000.0f, 1e30f}, {60.0f, -70.0f, 0.0f}};

static void test_colours(void **state) {
  (void)state;
  for (int round = 0; round < 400; round++) {
    int64_t width = width_for(round % 300);
    uint8_t *rgb = malloc((size_t)width * 3);
    fill(rgb, (size_t)width * 3, round % 7 == 0 ? 0 : 3);
    for (int64_t x = 0; x < width; x++)
      if (random_below(30) == 0) memset(rgb + 3 * x, 0, 3); /* black has no logarithm */
    check_colours(rgb, width, round % 3 ? &usual : &extreme);
    free(rgb);
  }
}

/* A plane through the cube of colours at every green: all bytes of all channels. */
static void test_many_colours(void **state) {
  (void)state;
  enum { W = 256 * 16 };
  uint8_t *rgb = malloc((size_t)W * 3);
  for (int green = 0; green < 256; green += 3) {
    for (int x = 0; x < W; x++) {
      rgb[3 * x] = (uint8_t)(x % 256);
      rgb[3 * x + 1] = (uint8_t)green;
      rgb[3 * x + 2] = (uint8_t)(x / 256 * 17 + green % 16);
    }
    check_colours(rgb, W, green % 2 ? &usual : &extreme);
  }
  free(rgb);
}

/* ---- Canny ---- */

static void test_canny_rows(void **state) {
  (void)state;
  enum { COUNT = 192, LONG = COUNT + 2 * MARGIN };
  const struct ts_canny_rows *loops = ts_canny_rows_get();
  for (int round = 0; round < 300; round++) {
    uint8_t bytes[5][COUNT], map[2][COUNT];
    int16_t s[2][LONG] = {0}, d[2][LONG] = {0}, dx[2][COUNT], dy[2][COUNT], m[2][LONG] = {0}, others[2][LONG] = {0};
    for (int i = 0; i < 5; i++) fill(bytes[i], COUNT, round % 4 ? 3 : round / 4);
    const uint8_t *rows[5] = {bytes[0], bytes[1], bytes[2], bytes[3], bytes[4]};
    loops->columns(rows, COUNT, s[0] + MARGIN, d[0] + MARGIN);
    ts_canny_rows_scalar.columns(rows, COUNT, s[1] + MARGIN, d[1] + MARGIN);
    assert_memory_equal(s[0], s[1], sizeof s[0]);
    assert_memory_equal(d[0], d[1], sizeof d[0]);
    loops->sobel(s[0] + MARGIN, d[0] + MARGIN, COUNT, dx[0], dy[0], m[0] + MARGIN);
    ts_canny_rows_scalar.sobel(s[1] + MARGIN, d[1] + MARGIN, COUNT, dx[1], dy[1], m[1] + MARGIN);
    assert_memory_equal(dx[0], dx[1], sizeof dx[0]);
    assert_memory_equal(dy[0], dy[1], sizeof dy[0]);
    assert_memory_equal(m[0], m[1], sizeof m[0]);
    for (int i = 0; i < LONG; i++) { /* neighbours that are often equal */
      others[0][i] = (int16_t)(m[0][i] + (int)random_below(3) - 1);
      others[1][i] = (int16_t)random_below(24481);
    }
    const int16_t *const magnitude[3] = {others[0] + MARGIN, m[0] + MARGIN, others[round % 2] + MARGIN};
    int16_t low = (int16_t)((int)random_below(3000) - 1);
    loops->ridges(magnitude, dx[0], dy[0], COUNT, low, (int16_t)(low + 500), map[0]);
    ts_canny_rows_scalar.ridges(magnitude, dx[0], dy[0], COUNT, low, (int16_t)(low + 500), map[1]);
    assert_memory_equal(map[0], map[1], sizeof map[0]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pack),         cmocka_unit_test(test_unpack),     cmocka_unit_test(test_subtract),
      cmocka_unit_test(test_take_channel), cmocka_unit_test(test_red_cells),  cmocka_unit_test(test_minima),
      cmocka_unit_test(test_count_runs),   cmocka_unit_test(test_look_aside), cmocka_unit_test(test_lower_f32),
      cmocka_unit_test(test_relax_u8),     cmocka_unit_test(test_relax_f32),  cmocka_unit_test(test_colours),
      cmocka_unit_test(test_many_colours), cmocka_unit_test(test_canny_rows),
  };
  return RUN_FOR_EACH_VARIANT(tests);
}
