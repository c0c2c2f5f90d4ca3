/* Parts of messages: their bytes as written by hand, and reading of anything at all without passing the end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/random.h"
#include "message/wire.h"

#include <math.h>

static void bytes_are_as_described(void **state) {
  (void)state;
  static const unsigned char expected[] = {
      0xAB,                                                             /* u8 */
      0x04, 0x03, 0x02, 0x01,                                           /* u32 */
      0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01,                   /* u64 */
      0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,                   /* i64 -2 */
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xF8, 0xBF,                   /* f64 -1.5 */
      0x02, 0x00, 0x00, 0x00, 'h',  'i',  0x00,                         /* text */
      0x00, 0x00, 0x00, 0x00, 0x00,                                     /* text NULL */
      0x00,                                                             /* optional NULL */
      0x01, 0x01, 0x00, 0x00, 0x00, 'x',  0x00,                         /* optional */
      0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, /* blob */
      0x09, 0x08,                                                       /* raw */
  };
  struct ts_str out = {0};
  ts_wire_add_u8(&out, 0xAB);
  ts_wire_add_u32(&out, 0x01020304);
  ts_wire_add_u64(&out, UINT64_C(0x0102030405060708));
  ts_wire_add_i64(&out, -2);
  ts_wire_add_f64(&out, -1.5);
  ts_wire_add_text(&out, "hi");
  ts_wire_add_text(&out, NULL);
  ts_wire_add_optional(&out, NULL);
  ts_wire_add_optional(&out, "x");
  ts_wire_add_blob(&out, "\0\1\2", 3);
  ts_wire_add_raw(&out, "\x09\x08", 2);
  assert_int_equal(out.length, sizeof expected);
  assert_memory_equal(out.data, expected, sizeof expected);
  ts_str_release(&out);
}

/* Reads what the test above wrote, from the first `count` bytes of it. */
static bool read_all(const struct ts_str *bytes, size_t count) {
  unsigned char *copy = malloc(count ? count : 1); /* of exactly this size, for the sanitizers */
  assert_non_null(copy);
  if (count) memcpy(copy, bytes->data, count);
  struct ts_wire wire = ts_wire_of(copy, count);
  bool equal = ts_wire_u8(&wire) == 7;
  equal &= ts_wire_u32(&wire) == UINT32_MAX;
  equal &= ts_wire_u64(&wire) == UINT64_MAX;
  equal &= ts_wire_i64(&wire) == INT64_MIN;
  equal &= signbit(ts_wire_f64(&wire)) != 0;
  equal &= strcmp(ts_wire_text(&wire), "größe\n\xff") == 0;
  equal &= strcmp(ts_wire_text(&wire), "") == 0;
  equal &= ts_wire_optional(&wire) == NULL;
  const char *optional = ts_wire_optional(&wire);
  equal &= optional && strcmp(optional, "") == 0;
  size_t size;
  const void *blob = ts_wire_blob(&wire, &size);
  equal &= blob && size == 300 && memcmp(blob, bytes->data, 10) == 0;
  unsigned char raw[5];
  ts_wire_raw(&wire, raw, sizeof raw);
  equal &= memcmp(raw, "12345", 5) == 0;
  equal &= ts_wire_count(&wire, 2) == 1;
  ts_wire_raw(&wire, raw, 2);
  const bool whole = ts_wire_is_whole(&wire);
  free(copy);
  return whole && equal;
}

static void every_shorter_message_is_refused(void **state) {
  (void)state;
  struct ts_str out = {0};
  ts_wire_add_u8(&out, 7);
  ts_wire_add_u32(&out, UINT32_MAX);
  ts_wire_add_u64(&out, UINT64_MAX);
  ts_wire_add_i64(&out, INT64_MIN);
  ts_wire_add_f64(&out, -0.0);
  ts_wire_add_text(&out, "größe\n\xff");
  ts_wire_add_text(&out, "");
  ts_wire_add_optional(&out, NULL);
  ts_wire_add_optional(&out, "");
  char blob[300] = "";
  memcpy(blob, out.data, 10);
  ts_wire_add_blob(&out, blob, sizeof blob);
  ts_wire_add_raw(&out, "12345", 5);
  ts_wire_add_u64(&out, 1);
  ts_wire_add_raw(&out, "ab", 2);
  assert_true(read_all(&out, out.length));
  for (size_t count = 0; count < out.length; count++) assert_false(read_all(&out, count));
  ts_str_add_char(&out, 'x'); /* something is left over */
  assert_false(read_all(&out, out.length));
  ts_str_release(&out);
}

static void texts_end_where_they_say(void **state) {
  (void)state;
  static const char inner[] = "\4\0\0\0a\0bc"; /* a NUL inside */
  struct ts_wire wire = ts_wire_of(inner, sizeof inner);
  assert_string_equal(ts_wire_text(&wire), "");
  assert_true(wire.failed);
  static const char no_end[] = {2, 0, 0, 0, 'a', 'b', 'c'};
  wire = ts_wire_of(no_end, sizeof no_end);
  assert_string_equal(ts_wire_text(&wire), "");
  assert_true(wire.failed);
  static const unsigned char huge[] = {0xFF, 0xFF, 0xFF, 0xFF, 'a', 0};
  wire = ts_wire_of(huge, sizeof huge);
  assert_string_equal(ts_wire_text(&wire), "");
  assert_true(wire.failed);
}

static void counts_must_fit(void **state) {
  (void)state;
  struct ts_str out = {0};
  ts_wire_add_u64(&out, 3);
  ts_wire_add_raw(&out, "123456789012", 12);
  for (size_t least = 0; least < 8; least++) {
    struct ts_wire wire = ts_wire_of(out.data, out.length);
    assert_int_equal(ts_wire_count(&wire, least), least <= 4 ? 3 : 0);
    assert_int_equal(wire.failed, least > 4);
  }
  ts_str_release(&out);
  ts_wire_add_u64(&out, UINT64_MAX);
  struct ts_wire wire = ts_wire_of(out.data, out.length);
  assert_int_equal(ts_wire_count(&wire, SIZE_MAX), 0);
  assert_true(wire.failed);
  ts_str_release(&out);
}

/* After a failure nothing is read any more, however much is left. */
static void failure_is_for_good(void **state) {
  (void)state;
  static const char bytes[] = {9, 9, 9, 9, 1, 2, 3};
  struct ts_wire wire = ts_wire_of(bytes, sizeof bytes);
  assert_int_equal(ts_wire_u64(&wire), 0);
  assert_int_equal(ts_wire_u8(&wire), 0);
  size_t count = 5;
  assert_null(ts_wire_blob(&wire, &count));
  assert_int_equal(count, 0);
  assert_false(ts_wire_is_whole(&wire));
}

static void random_bytes_do_no_harm(void **state) {
  (void)state;
  struct ts_random random;
  ts_random_init(&random, 77, 0);
  for (size_t round = 0; round < 20000; round++) {
    const size_t count = (size_t)ts_random_below(&random, 40);
    unsigned char *bytes = malloc(count ? count : 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++)
      bytes[i] = (unsigned char)(ts_random_below(&random, 3) ? 0 : ts_random_u64(&random));
    struct ts_wire wire = ts_wire_of(bytes, count);
    for (size_t step = 0; step < 12; step++) {
      size_t size = 0;
      unsigned char raw[16];
      switch (ts_random_below(&random, 6)) {
      case 0: ts_wire_u8(&wire); break;
      case 1: ts_wire_u64(&wire); break;
      case 2: assert_true(strlen(ts_wire_text(&wire)) <= count); break;
      case 3: ts_wire_blob(&wire, &size); break;
      case 4: ts_wire_raw(&wire, raw, sizeof raw); break;
      default: assert_true(ts_wire_count(&wire, 4) <= count / 4); break;
      }
      assert_true(size <= count && wire.left <= count);
    }
    free(bytes);
  }
}

/* An error comes back as it was; of any other bytes comes an error, too. */
static void errors_come_back(void **state) {
  (void)state;
  ts_auto(ts_str_release) struct ts_str out = {0};
  struct ts_error sent = {0}, got = {0};
  ts_fail(&sent, TS_ERR_BAD_VALUE, "what");
  ts_error_help(&sent, "do this");
  ts_error_place(&sent, "study.json", 7, 3, "/method");
  ts_wire_add_error(&out, &sent);
  struct ts_wire wire = ts_wire_of(out.data, out.length);
  ts_wire_error(&wire, TS_ERR_STORE, &got);
  assert_true(ts_wire_is_whole(&wire));
  assert_int_equal(got.code, TS_ERR_BAD_VALUE);
  assert_string_equal(got.text, "what");
  assert_string_equal(got.help, "do this");
  assert_string_equal(got.where.file, "study.json");
  assert_int_equal(got.where.line, 7);
  assert_int_equal(got.where.column, 3);
  assert_string_equal(got.where.path, "/method");
  for (size_t length = 0; length < out.length; length++) {
    wire = ts_wire_of(out.data, length);
    got = (struct ts_error){0};
    ts_wire_error(&wire, TS_ERR_STORE, &got);
    assert_true(wire.failed);
    assert_int_equal(got.code, length < 4 ? TS_ERR_STORE : TS_ERR_BAD_VALUE);
    assert_true(got.text[0] != '\0');
  }
  static const unsigned char unknown[] = {0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  wire = ts_wire_of(unknown, sizeof unknown);
  got = (struct ts_error){0};
  ts_wire_error(&wire, TS_ERR_STORE, &got);
  assert_int_equal(got.code, TS_ERR_STORE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_are_as_described),   cmocka_unit_test(every_shorter_message_is_refused),
      cmocka_unit_test(texts_end_where_they_say), cmocka_unit_test(counts_must_fit),
      cmocka_unit_test(failure_is_for_good),      cmocka_unit_test(random_bytes_do_no_harm),
      cmocka_unit_test(errors_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
