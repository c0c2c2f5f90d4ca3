/* Tests of the canonical encoded form, its digests and the packed form, also on damaged bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/random.h"
#include "data/data.h"
#include "support/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ts_data *make_mask(void) {
  struct ts_region region = {.x = 258, .y = -1, .width = 3, .height = 2, .level = 1, .z = 2, .t = 3};
  struct ts_data *data = ts_data_create_pixels(ts_type_find("mask"), &region, NULL);
  memcpy(ts_data_writable(data), "\0\377\0\377\0\377", 6);
  return data;
}

/* Two frames of three planes. */
static struct ts_data *make_volume(void) {
  struct ts_region region = {.x = 1, .y = 2, .width = 2, .height = 1, .z = 4, .t = -5, .depth = 3, .frames = 2};
  struct ts_data *data = ts_data_create_pixels(ts_type_find("image/gray8"), &region, NULL);
  for (int i = 0; i < 12; i++) ((uint8_t *)ts_data_writable(data))[i] = (uint8_t)(65 + i);
  return data;
}

static struct ts_data *make_mask_volume(void) {
  struct ts_region region = {.width = 3, .height = 1, .depth = 1, .frames = 3};
  struct ts_data *data = ts_data_create_pixels(ts_type_find("mask"), &region, NULL);
  memcpy(ts_data_writable(data), "\0\377\0\377\0\377\377\377\0", 9);
  return data;
}

static struct ts_data *make_table(void) {
  const char *names[] = {"id", "\xc3\xa4rea"};
  struct ts_data *data = ts_data_create_table(3, 2, names, NULL);
  const double cells[] = {1, 2.5, 2, -1e300, 3, 0};
  memcpy(ts_data_writable(data), cells, sizeof cells);
  return data;
}

static struct ts_data *make_bytes(void) {
  struct ts_data *data = ts_data_create_bytes(ts_type_find("objects"), 5, NULL);
  memcpy(ts_data_writable(data), "{\"a\":", 5);
  return data;
}

static struct ts_data *make_file(void) {
  struct ts_sha256 digest = {{0xab, 0xcd}};
  return ts_data_create_file("slides/one.svs", &digest);
}

static struct ts_data *(*const makers[])(void) = {make_mask,  make_volume, make_mask_volume,
                                                  make_table, make_bytes,  make_file};
#define MAKERS (sizeof makers / sizeof makers[0])

static void assert_same(const struct ts_data *a, const struct ts_data *b) {
  ts_auto(ts_str_release) struct ts_str bytes_a = {0};
  ts_auto(ts_str_release) struct ts_str bytes_b = {0};
  ts_data_encode(a, &bytes_a);
  ts_data_encode(b, &bytes_b);
  assert_int_equal(bytes_a.length, bytes_b.length);
  assert_memory_equal(bytes_a.data, bytes_b.data, bytes_a.length);
}

/* The bytes are written out by hand from the description of the format at the top of encode.c. */
static void test_format(void **state) {
  (void)state;
  static const unsigned char expected[] = {'T',  'S',  'D',  '2',  72,   0,    0,    0,    /* header size */
                                           1,    0,    0,    0,    0,    0,    0,    0,    /* payload size */
                                           4,    0,    0,    0,    'm',  'a',  's',  'k',  /* type */
                                           2,    1,    0,    0,    0,    0,    0,    0,    /* x 258 */
                                           0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* y -1 */
                                           3,    0,    0,    0,    0,    0,    0,    0,    2, 0, 0, 0,
                                           0,    0,    0,    0, /* width, height */
                                           1,    0,    0,    0,    2,    0,    0,    0,    3, 0, 0, 0, /* level, z, t */
                                           1,    0,    0,    0, /* coding: bits */
                                           0x2a};               /* 0 255 0 255 0 255, the first pixel lowest */
  ts_auto(ts_data_unref_pointer) struct ts_data *data = make_mask();
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  ts_data_encode(data, &bytes);
  assert_int_equal(bytes.length, sizeof expected);
  assert_memory_equal(bytes.data, expected, sizeof expected);
  /* The digest takes the changes instead of the bits: one word of them, at the pixels 1 to 6. */
  unsigned char short_form[sizeof expected - 1 + 16] = {0};
  memcpy(short_form, expected, sizeof expected - 1);
  short_form[sizeof expected - 1] = 1;
  short_form[sizeof expected - 1 + 8] = 0x7e;
  struct ts_sha256 digest;
  struct ts_sha256 wanted;
  ts_data_digest(data, &digest);
  ts_sha256_of(short_form, sizeof short_form, &wanted);
  assert_memory_equal(&digest, &wanted, sizeof digest);
}

/* Volumes have a form of their own, written out by hand as well. */
static void test_format_of_volumes(void **state) {
  (void)state;
  static const unsigned char head[] = {
      'T', 'S', 'D', '3', 87,  0,   0,   0,   12,   0,    0,    0,    0,   0,   0,   0, /* sizes */
      11,  0,   0,   0,   'i', 'm', 'a', 'g', 'e',  '/',  'g',  'r',  'a', 'y', '8',    /* type */
      1,   0,   0,   0,   0,   0,   0,   0,   2,    0,    0,    0,    0,   0,   0,   0, /* x, y */
      2,   0,   0,   0,   0,   0,   0,   0,   1,    0,    0,    0,    0,   0,   0,   0, /* width, height */
      0,   0,   0,   0,   4,   0,   0,   0,   0xfb, 0xff, 0xff, 0xff,                   /* level, z, t -5 */
      3,   0,   0,   0,   2,   0,   0,   0,   0,    0,    0,    0};                     /* depth, frames, coding */
  ts_auto(ts_data_unref_pointer) struct ts_data *data = make_volume();
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  ts_data_encode(data, &bytes);
  assert_int_equal(bytes.length, sizeof head + 12);
  assert_memory_equal(bytes.data, head, sizeof head);
  assert_memory_equal(bytes.data + sizeof head, "ABCDEFGHIJKL", 12);
  struct ts_sha256 digest, wanted;
  ts_data_digest(data, &digest);
  ts_sha256_of(bytes.data, bytes.length, &wanted);
  assert_memory_equal(&digest, &wanted, sizeof digest);
}

/* Equal data have one form: one plane is never written as a volume, nor is anything but pixels. */
static void test_volumes_that_are_none(void **state) {
  (void)state;
  static const struct {
    size_t place; /* of depth or frames in the header of make_volume */
    unsigned char depth[4], frames[4];
  } rows[] = {{75, {1}, {1}}, {75, {0}, {2}},
              {75, {3}, {0}}, {75, {0xff, 0xff, 0xff, 0xff}, {0xff, 0xff, 0xff, 0xff}},
              {75, {2}, {2}}, {75, {0, 0, 0, 0x40}, {0, 0, 0, 0x40}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ts_auto(ts_data_unref_pointer) struct ts_data *data = make_volume();
    ts_auto(ts_str_release) struct ts_str bytes = {0};
    struct ts_error err = {0};
    ts_data_encode(data, &bytes);
    memcpy(bytes.data + rows[i].place, rows[i].depth, 4);
    memcpy(bytes.data + rows[i].place + 4, rows[i].frames, 4);
    assert_null(ts_data_decode(bytes.data, bytes.length, &err));
    assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
  }
  for (size_t i = 0; i < MAKERS; i++) { /* the other number in front */
    ts_auto(ts_data_unref_pointer) struct ts_data *data = makers[i]();
    ts_auto(ts_str_release) struct ts_str bytes = {0};
    struct ts_error err = {0};
    ts_data_encode(data, &bytes);
    bytes.data[3] = bytes.data[3] == '2' ? '3' : '2';
    assert_null(ts_data_decode(bytes.data, bytes.length, &err));
    assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
  }
}

/* A depth and frames of 0 count as 1: the same bytes and digests as ever. */
static void test_one_plane_is_no_volume(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *data = make_mask();
  struct ts_region region = {.x = 258, .y = -1, .width = 3, .height = 2, .level = 1, .z = 2, .t = 3, 1, 1};
  ts_auto(ts_data_unref_pointer) struct ts_data *said = ts_data_create_pixels(ts_type_find("mask"), &region, NULL);
  memcpy(ts_data_writable(said), "\0\377\0\377\0\377", 6);
  assert_same(data, said);
  assert_true(same_region(ts_data_region(data), &region));
}

/* The short form of a mask, pixel by pixel. */
static void add_changes(const uint8_t *pixels, size_t count, struct ts_str *out) {
  const size_t words = ((count + 7) / 8 + 7) / 8; /* the bits of the last byte count, beyond them nothing changes */
  for (size_t first = 0; first < words; first += 64) {
    uint64_t flags = 0;
    ts_auto(ts_str_release) struct ts_str changed = {0};
    for (size_t w = first; w < first + 64 && w < words; w++) {
      uint64_t changes = 0;
      for (size_t i = 64 * w; i < 64 * w + 64; i++) {
        const bool here = i < count && pixels[i] != 0, before = i > 0 && i <= count && pixels[i - 1] != 0;
        if (here != before) changes |= UINT64_C(1) << i % 64;
      }
      if (changes == 0) continue;
      flags |= UINT64_C(1) << (w - first);
      ts_str_add_bytes(&changed, &changes, sizeof changes);
    }
    ts_str_add_bytes(out, &flags, sizeof flags);
    if (changed.length > 0) ts_str_add_bytes(out, changed.data, changed.length);
  }
}

/* Digests of masks against the short form made pixel by pixel. */
static void test_digests_of_masks(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 6, 1);
  for (int64_t width = 1; width < 20000; width += width < 200 ? 1 : 2777) {
    struct ts_region region = {.width = width, .height = 1 + width % 3};
    ts_auto(ts_data_unref_pointer) struct ts_data *data = ts_data_create_pixels(ts_type_find("mask"), &region, NULL);
    uint8_t *pixels = ts_data_writable(data);
    const size_t count = ts_data_size_bytes(data);
    const uint64_t often = width % 2 ? 2 : 100;
    for (size_t i = 0; i < count; i++)
      pixels[i] = (uint8_t)((i > 0 ? pixels[i - 1] : 0) ^ (ts_random_below(&random, often) ? 0 : 255));
    assert_true(ts_data_check_mask(data));
    ts_auto(ts_str_release) struct ts_str bytes = {0}, form = {0};
    ts_data_encode(data, &bytes);
    ts_str_add_bytes(&form, bytes.data, bytes.length - (count + 7) / 8);
    add_changes(pixels, count, &form);
    struct ts_sha256 wanted, digest;
    ts_sha256_of(form.data, form.length, &wanted);
    ts_data_digest(data, &digest);
    assert_memory_equal(&digest, &wanted, sizeof digest);
    ((uint8_t *)ts_data_writable(data))[ts_random_below(&random, count)] ^= 255;
    ts_data_digest(data, &digest);
    assert_memory_not_equal(&digest, &wanted, sizeof digest);
    ((uint8_t *)ts_data_writable(data))[ts_random_below(&random, count)] = 7;
    assert_false(ts_data_check_mask(data));
  }
}

/* Within a run it is the encoded form that counts. */
static void test_run_digest(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *data = make_bytes();
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  ts_data_encode(data, &bytes);
  struct ts_xxh128 run = ts_data_run_digest(data);
  struct ts_xxh128 run_wanted = ts_xxh128_of(bytes.data, bytes.length, 0);
  assert_true(run.low == run_wanted.low && run.high == run_wanted.high);
}

/* Masks of every small size and many contents come back; each pixel is the bit it should be. */
static void test_mask_bits(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 5, 1);
  for (int64_t width = 1; width < 70; width++) {
    struct ts_region region = {.width = width, .height = 1 + width % 3};
    ts_auto(ts_data_unref_pointer) struct ts_data *data = ts_data_create_pixels(ts_type_find("mask"), &region, NULL);
    uint8_t *pixels = ts_data_writable(data);
    size_t count = ts_data_size_bytes(data);
    for (size_t i = 0; i < count; i++) pixels[i] = ts_random_below(&random, 2) ? 255 : 0;
    ts_auto(ts_str_release) struct ts_str bytes = {0};
    ts_data_encode(data, &bytes);
    const uint8_t *bits = (const uint8_t *)bytes.data + bytes.length - (count + 7) / 8;
    for (size_t i = 0; i < count; i++) assert_int_equal(bits[i / 8] >> i % 8 & 1, pixels[i] == 255);
    struct ts_error err = {0};
    ts_auto(ts_data_unref_pointer) struct ts_data *decoded = ts_data_decode(bytes.data, bytes.length, &err);
    assert_non_null(decoded);
    assert_memory_equal(ts_data_bytes(decoded, NULL), pixels, count);
  }
}

/* A mask with another value, at any place, keeps its bytes; and bits that could be, but are not, coded so are
 * refused. */
static void test_mask_of_other_values(void **state) {
  (void)state;
  struct ts_region region = {.width = 37, .height = 1};
  for (size_t place = 0; place < 37; place++) {
    ts_auto(ts_data_unref_pointer) struct ts_data *data = ts_data_create_pixels(ts_type_find("mask"), &region, NULL);
    uint8_t *pixels = ts_data_writable(data);
    memset(pixels, 255, 37);
    pixels[place] = place % 2 ? 127 : 128;
    ts_auto(ts_str_release) struct ts_str bytes = {0};
    ts_data_encode(data, &bytes);
    assert_memory_equal(bytes.data + bytes.length - 37, pixels, 37);
    struct ts_error err = {0};
    ts_auto(ts_data_unref_pointer) struct ts_data *decoded = ts_data_decode(bytes.data, bytes.length, &err);
    assert_non_null(decoded);
    assert_memory_equal(ts_data_bytes(decoded, NULL), pixels, 37);
    bytes.data[bytes.length - 37 + place] = (char)255;
    assert_null(ts_data_decode(bytes.data, bytes.length, &err));
    assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
  }
}

static void test_round_trips(void **state) {
  (void)state;
  for (size_t i = 0; i < MAKERS; i++) {
    struct ts_error err = {0};
    ts_auto(ts_data_unref_pointer) struct ts_data *data = makers[i]();
    ts_auto(ts_str_release) struct ts_str bytes = {0};
    ts_data_encode(data, &bytes);
    ts_auto(ts_data_unref_pointer) struct ts_data *decoded = ts_data_decode(bytes.data, bytes.length, &err);
    assert_non_null(decoded);
    assert_ptr_equal(ts_data_type(decoded), ts_data_type(data));
    assert_same(data, decoded);
    ts_auto(ts_str_release) struct ts_str packed = {0};
    assert_true(ts_data_pack(data, &packed, &err));
    ts_auto(ts_data_unref_pointer) struct ts_data *unpacked = ts_data_unpack(packed.data, packed.length, &err);
    assert_non_null(unpacked);
    assert_same(data, unpacked);
  }
}

static void test_large_payload_packs_small(void **state) {
  (void)state;
  struct ts_region region = {.width = 3000, .height = 2000};
  ts_auto(ts_data_unref_pointer) struct ts_data *data = ts_data_create_pixels(ts_type_find("mask"), &region, NULL);
  memset(ts_data_writable(data), 0, 6000000);
  ((char *)ts_data_writable(data))[4321] = 1;
  ts_auto(ts_str_release) struct ts_str packed = {0};
  assert_true(ts_data_pack(data, &packed, NULL));
  assert_true(packed.length < 2000);
  ts_auto(ts_data_unref_pointer) struct ts_data *back = ts_data_unpack(packed.data, packed.length, NULL);
  assert_same(data, back);
}

static bool equal_digest(const struct ts_data *a, const struct ts_data *b) {
  struct ts_xxh128 x = ts_data_run_digest(a);
  struct ts_xxh128 y = ts_data_run_digest(b);
  struct ts_sha256 long_x;
  struct ts_sha256 long_y;
  ts_data_digest(a, &long_x);
  ts_data_digest(b, &long_y);
  bool short_equal = x.low == y.low && x.high == y.high;
  assert_int_equal(short_equal, memcmp(&long_x, &long_y, sizeof long_x) == 0);
  return short_equal;
}

/* Type, place, names, shape and content all count; for files only the bytes they hold. */
static void test_what_digests_cover(void **state) {
  (void)state;
  ts_auto(ts_data_unref_pointer) struct ts_data *a = make_mask();
  ts_auto(ts_data_unref_pointer) struct ts_data *b = make_mask();
  assert_true(equal_digest(a, b));
  ts_data_set_type(b, ts_type_find("image/gray8"));
  assert_false(equal_digest(a, b));
  ts_data_set_type(b, ts_type_find("mask"));
  ts_data_set_place(b, &(struct ts_region){.x = 258, .y = 0, .level = 1, .z = 2, .t = 3});
  assert_false(equal_digest(a, b));
  ts_data_set_place(b, ts_data_region(a));
  assert_true(equal_digest(a, b));
  ((unsigned char *)ts_data_writable(b))[5] = 0;
  assert_false(equal_digest(a, b));
  const char *other_names[] = {"id", "area"};
  ts_auto(ts_data_unref_pointer) struct ts_data *table = make_table();
  ts_auto(ts_data_unref_pointer) struct ts_data *renamed = ts_data_create_table(3, 2, other_names, NULL);
  memcpy(ts_data_writable(renamed), ts_data_cells(table), 6 * sizeof(double));
  assert_false(equal_digest(table, renamed));
  ts_auto(ts_data_unref_pointer) struct ts_data *file = make_file();
  struct ts_sha256 digest = {{0xab, 0xcd}};
  ts_auto(ts_data_unref_pointer) struct ts_data *moved = ts_data_create_file("elsewhere.svs", &digest);
  assert_true(equal_digest(file, moved));
  digest.bytes[31] = 1;
  ts_auto(ts_data_unref_pointer) struct ts_data *changed = ts_data_create_file("slides/one.svs", &digest);
  assert_false(equal_digest(file, changed));
}

/* Decodes bytes in a block of exactly their size, so that the address sanitizer sees a read beyond it. */
static struct ts_data *decode_exact(const char *bytes, size_t size, bool packed, struct ts_error *err) {
  char *copy = ts_malloc(size + (size == 0));
  memcpy(copy, bytes, size);
  struct ts_data *data = packed ? ts_data_unpack(copy, size, err) : ts_data_decode(copy, size, err);
  free(copy);
  return data;
}

static void test_every_cut_is_an_error(void **state) {
  (void)state;
  for (size_t i = 0; i < MAKERS; i++) {
    ts_auto(ts_data_unref_pointer) struct ts_data *data = makers[i]();
    ts_auto(ts_str_release) struct ts_str bytes = {0};
    ts_auto(ts_str_release) struct ts_str packed = {0};
    ts_data_encode(data, &bytes);
    assert_true(ts_data_pack(data, &packed, NULL));
    for (size_t length = 0; length < bytes.length; length++) {
      struct ts_error err = {0};
      assert_null(decode_exact(bytes.data, length, false, &err));
      assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
    }
    for (size_t length = 0; length < packed.length; length++) {
      struct ts_error err = {0};
      assert_null(decode_exact(packed.data, length, true, &err));
      assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
    }
    ts_str_add_char(&bytes, 'x');
    ts_str_add_char(&packed, 'x');
    struct ts_error err = {0};
    assert_null(decode_exact(bytes.data, bytes.length, false, &err));
    assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
    ts_error_clear(&err);
    assert_null(decode_exact(packed.data, packed.length, true, &err));
    assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
  }
}

/* Whatever is accepted must mean exactly the bytes that were read. */
static void check_damaged(const char *bytes, size_t size, bool packed) {
  struct ts_error err = {0};
  ts_auto(ts_data_unref_pointer) struct ts_data *data = decode_exact(bytes, size, packed, &err);
  assert_int_equal(data == NULL, err.code != TS_ERR_OK);
  if (!data || packed) return;
  ts_auto(ts_str_release) struct ts_str again = {0};
  ts_data_encode(data, &again);
  assert_int_equal(again.length, size);
  assert_memory_equal(again.data, bytes, size);
}

static void test_random_damage_never_crashes(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 20, 1);
  for (size_t round = 0; round < 20000; round++) {
    ts_auto(ts_data_unref_pointer) struct ts_data *data = makers[round % MAKERS]();
    ts_auto(ts_str_release) struct ts_str bytes = {0};
    bool packed = round % 8 >= 4;
    if (packed) {
      assert_true(ts_data_pack(data, &bytes, NULL));
    } else {
      ts_data_encode(data, &bytes);
    }
    size_t flips = 1 + ts_random_below(&random, 4);
    for (size_t i = 0; i < flips; i++) {
      bytes.data[ts_random_below(&random, bytes.length)] = (char)ts_random_below(&random, 256);
    }
    check_damaged(bytes.data, bytes.length, packed);
  }
}

static void test_random_bytes_never_crash(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 21, 1);
  for (int round = 0; round < 20000; round++) {
    char bytes[96];
    size_t size = ts_random_below(&random, sizeof bytes);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)ts_random_below(&random, 256);
    if (size > 4) memcpy(bytes, round % 4 < 2 ? "TSD2" : "TSD3", 4);
    if (size > 8) memcpy(bytes + 4, "\x20\0\0", 4);
    check_damaged(bytes, size, round % 2 == 0);
  }
}

/* A header that promises more than the frame can hold must not make us ask for that memory. */
static void test_bomb_is_refused(void **state) {
  (void)state;
  struct ts_error err = {0};
  ts_auto(ts_data_unref_pointer) struct ts_data *data = make_bytes();
  ts_auto(ts_str_release) struct ts_str packed = {0};
  assert_true(ts_data_pack(data, &packed, &err));
  memcpy(packed.data + 8, "\0\0\0\0\0\1\0\0", 8); /* payload of 2^40 bytes */
  ts_buffer_reset_peak();
  assert_null(ts_data_unpack(packed.data, packed.length, &err));
  assert_int_equal(err.code, TS_ERR_BAD_PRODUCT);
  assert_true(ts_buffer_peak_bytes() < 1 << 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_format),
      cmocka_unit_test(test_format_of_volumes),
      cmocka_unit_test(test_volumes_that_are_none),
      cmocka_unit_test(test_one_plane_is_no_volume),
      cmocka_unit_test(test_digests_of_masks),
      cmocka_unit_test(test_run_digest),
      cmocka_unit_test(test_mask_bits),
      cmocka_unit_test(test_mask_of_other_values),
      cmocka_unit_test(test_round_trips),
      cmocka_unit_test(test_large_payload_packs_small),
      cmocka_unit_test(test_what_digests_cover),
      cmocka_unit_test(test_every_cut_is_an_error),
      cmocka_unit_test(test_random_damage_never_crashes),
      cmocka_unit_test(test_random_bytes_never_crash),
      cmocka_unit_test(test_bomb_is_refused),
  };
  return cmocka_run_group_tests_name("encode", tests, NULL, NULL);
}
