/* Tests of the table of port types.
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_every_type_is_found_by_its_name(void **state) {
  (void)state;
  static const char *const names[] = {"image/rgb8", "image/gray8", "image/gray16", "mask",   "labels", "field/f32",
                                      "table",      "objects",     "shapes",       "pieces", "bytes",  "file"};
  size_t count = 0;
  const struct ts_type *const *types = ts_type_list(&count);
  assert_int_equal(count, sizeof names / sizeof names[0]);
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(types[i]->name, names[i]);
    assert_ptr_equal(ts_type_find(names[i]), types[i]);
  }
  assert_null(ts_type_find("image"));
  assert_null(ts_type_find(""));
  assert_null(ts_type_find("image/rgb8 "));
}

static void test_shapes(void **state) {
  (void)state;
  assert_int_equal(ts_type_find("image/rgb8")->channels, 3);
  assert_int_equal(ts_type_find("image/gray16")->element, TS_U16);
  assert_int_equal(ts_type_find("labels")->element, TS_U32);
  assert_int_equal(ts_type_find("mask")->element, TS_U8);
  assert_string_equal(ts_type_find("objects")->file_ending, "geojson");
  assert_string_equal(ts_type_find("shapes")->file_ending, "geojson");
  assert_string_equal(ts_type_find("table")->file_ending, "csv");
  size_t count = 0;
  const struct ts_type *const *types = ts_type_list(&count);
  for (size_t i = 0; i < count; i++) {
    bool pieces = strcmp(types[i]->name, "pieces") == 0;
    assert_int_equal(types[i]->internal, pieces);
    assert_int_equal(types[i]->chains, pieces);
  }
  static const size_t sizes[] = {1, 2, 4, 4, 8};
  for (int element = TS_U8; element <= TS_F64; element++) {
    assert_int_equal(ts_element_bytes((enum ts_element)element), sizes[element - 1]);
  }
}

static void test_alternatives(void **state) {
  (void)state;
  const struct ts_type *mask = ts_type_find("mask");
  const struct ts_type *labels = ts_type_find("labels");
  assert_true(ts_type_fits(mask, "mask"));
  assert_true(ts_type_fits(mask, "mask|labels"));
  assert_true(ts_type_fits(labels, "mask|labels"));
  assert_false(ts_type_fits(labels, "mask"));
  assert_false(ts_type_fits(mask, "masks|labels"));
  assert_false(ts_type_fits(mask, "mas"));
  assert_false(ts_type_fits(mask, ""));
  assert_true(ts_type_fits(ts_type_find("image/gray8"), "image/rgb8|image/gray8|image/gray16"));
  assert_false(ts_type_fits(ts_type_find("image/gray8"), "image/rgb8|image/gray16"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_type_is_found_by_its_name),
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_alternatives),
  };
  return cmocka_run_group_tests_name("type", tests, NULL, NULL);
}
