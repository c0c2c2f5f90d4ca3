/* Reading JSON: places and advice for syntax errors, pointers, kinds, and random bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/random.h"

static bool parse(struct ts_json_doc *doc, const char *text, struct ts_error *err) {
  return ts_json_doc_parse(doc, "w.json", text, strlen(text), err);
}

static void documents_are_read(void **state) {
  (void)state;
  struct ts_json_doc doc;
  struct ts_error err = {0};
  assert_true(parse(&doc, "{\"a\": [1, 9223372036854775807, 5.0, -0.0, \"K\\u00f6ln\"]}", &err));
  const json_t *list = json_object_get(doc.root, "a");
  assert_true(json_integer_value(json_array_get(list, 1)) == INT64_MAX);
  assert_true(json_is_real(json_array_get(list, 2)));
  assert_string_equal(json_string_value(json_array_get(list, 4)), "K\xC3\xB6ln");
  assert_string_equal(doc.file, "w.json");
  ts_json_doc_close(&doc);
  assert_null(doc.root);
  ts_json_doc_close(&doc);
  assert_true(parse(&doc, "7", &err)); /* not an object: the reader complains, with a place */
  ts_json_doc_close(&doc);
}

static void a_byte_order_mark_is_skipped(void **state) {
  (void)state;
  struct ts_json_doc doc;
  assert_true(parse(&doc, "\xEF\xBB\xBF{\"a\":1}", NULL));
  int line, column;
  assert_true(ts_json_locate(&doc, "/a", TS_JSON_KEY, &line, &column));
  assert_int_equal(column, 2);
  ts_json_doc_close(&doc);
}

static void syntax_errors_have_place_and_advice(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line, column;
    const char *says, *help;
  } cases[] = {
      {"{\n \"a\": 1,\n}", 3, 1, "'}'", "comma before"},
      {"[1,2,]", 1, 6, "']'", "comma before"},
      {"{\"a\":1,\n  \"a\":2}", 2, 3, "duplicate", "rename"},
      {"{\"a\": tru}", 1, 7, "'tru'", "true, false and null"},
      {"{\"\xC3\xA9\": averyveryverylongwordindeed}", 1, 7, "invalid token", "double quotation"},
      {"[1,2", 1, 5, "']' expected", "close every"},
      {"{'a':1}", 1, 2, "'''", "double quotation marks"},
      {"[1\n 2]", 2, 2, "']' expected", "commas"},
      {"{\"a\":\"x\x01\"}", 1, 8, "control character", ""},
      {"[\"ab\ncd\"]", 1, 5, "newline", ""},
      {"[\"abc", 1, 2, "premature end", "close every"},
      {"[ 123456789012345678901]", 1, 3, "too big integer", "64 bits"},
      {"[ 1e999]", 1, 3, "overflow", "64 bits"},
      {"", 1, 1, "nothing in it", "{}"},
      {" \n ", 2, 2, "nothing in it", "{}"},
      {"{\"a\":1}\nx", 2, 1, "end of file expected", "one JSON value"},
      {"[\"\\u0000\"]", 1, 2, "\\u0000", "remove"},
      {"// c\n[1]", 1, 1, "'/'", "no comments"},
      {"[\"a\xFF\"]", 1, 4, "0xff", "UTF-8"},
      {"[01]", 1, 2, "invalid token", "commas"},
      {"{\"a\" 1}", 1, 6, "':' expected", "colons"},
      {"[NaN]", 1, 2, "'NaN'", "true, false and null"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct ts_json_doc doc;
    struct ts_error err = {0};
    assert_false(parse(&doc, cases[i].text, &err));
    assert_error(&err, TS_ERR_JSON_SYNTAX);
    if (!strstr(err.text, cases[i].says)) fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
    if (!strstr(err.help, cases[i].help)) fail_msg("'%s' does not advise '%s'", err.help, cases[i].help);
    if (err.where.line != cases[i].line || err.where.column != cases[i].column) {
      fail_msg("'%s' (case %zu) placed at %d:%d", cases[i].text, i, err.where.line, err.where.column);
    }
    assert_string_equal(err.where.file, "w.json");
    assert_null(doc.root);
    assert_null(doc.text);
  }
}

static void deep_nesting_is_an_ordinary_error(void **state) {
  (void)state;
  size_t depth = 100000;
  ts_auto_free char *text = ts_malloc(depth + 1);
  memset(text, '[', depth);
  text[depth] = '\0';
  struct ts_json_doc doc;
  struct ts_error err = {0};
  assert_false(parse(&doc, text, &err));
  assert_error(&err, TS_ERR_JSON_SYNTAX);
  assert_int_equal(err.where.line, 1);
}

static void files_are_read(void **state) {
  (void)state;
  char folder[64];
  scratch_create(folder);
  ts_auto_free char *path = ts_path_join(folder, "w.json");
  struct ts_json_doc doc;
  struct ts_error err = {0};
  assert_false(ts_json_doc_open(&doc, path, &err));
  assert_error(&err, TS_ERR_FILE_NOT_FOUND);
  ts_json_doc_close(&doc);
  ts_error_clear(&err);
  assert_true(ts_file_write(path, "{\"a\":1}\n", 8, &err));
  assert_true(ts_json_doc_open(&doc, path, &err));
  assert_string_equal(doc.file, path);
  ts_json_doc_close(&doc);
  assert_true(ts_file_write(path, "{\"a\":\n", 6, &err));
  assert_false(ts_json_doc_open(&doc, path, &err));
  assert_error(&err, TS_ERR_JSON_SYNTAX);
  assert_place(&err, path, 2, 1);
  scratch_remove(folder);
}

static void pointers_are_escaped(void **state) {
  (void)state;
  struct ts_str pointer = {0};
  ts_json_pointer_add(&pointer, "stages");
  ts_json_pointer_add_index(&pointer, 12);
  ts_json_pointer_add(&pointer, "a/b~c");
  ts_json_pointer_add(&pointer, "");
  assert_string_equal(ts_str_get(&pointer), "/stages/12/a~1b~0c/");
  ts_str_release(&pointer);
}

static void kinds_have_names(void **state) {
  (void)state;
  static const char *const texts[] = {"{}", "[]", "\"\"", "1", "1.5", "true", "false", "null"};
  static const char *const kinds[] = {"an object",     "a list",    "a string",  "an integer",
                                      "a real number", "a boolean", "a boolean", "null"};
  for (size_t i = 0; i < COUNT_OF(texts); i++) {
    json_t *json = json_loads(texts[i], JSON_DECODE_ANY, NULL);
    assert_string_equal(ts_json_kind(json), kinds[i]);
    json_decref(json);
  }
  assert_string_equal(ts_json_kind(NULL), "nothing");
}

/* Whatever the bytes: false if and only if the error is set, with a place inside the text; what parses is written and
 * parsed again to the same. */
static void random_bytes_are_survived(void **state) {
  (void)state;
  static const char alphabet[] = "{}[]:,\"\\u019-.eEtrufalsn \n\t/\x01\xC3\xA9\xE2";
  static const char seed_text[] = "{\"a\":[1,2.5,\"x\\n\\u00e9\",{\"b\":null,\"c\":true}],\n \"d\":{}}";
  struct ts_random random;
  ts_random_init(&random, 7, 0);
  size_t parsed = 0;
  for (int i = 0; i < 20000; i++) {
    char text[64];
    size_t length = sizeof seed_text - 1;
    memcpy(text, seed_text, length);
    if (i % 2) {
      length = (size_t)ts_random_below(&random, sizeof text);
      for (size_t k = 0; k < length; k++) text[k] = alphabet[ts_random_below(&random, sizeof alphabet - 1)];
    } else {
      text[ts_random_below(&random, length)] = (char)ts_random_below(&random, 256);
    }
    struct ts_json_doc doc;
    struct ts_error err = {0};
    bool ok = ts_json_doc_parse(&doc, "r", text, length, &err);
    assert_true(ok == (err.code == TS_ERR_OK));
    int line, column;
    if (ok) {
      parsed++;
      ts_auto_free char *again = ts_json_dump(doc.root, false, i % 3 == 0);
      json_t *copy = json_loads(again, JSON_DECODE_ANY, NULL);
      assert_true(json_equal(copy, doc.root));
      json_decref(copy);
      assert_true(ts_json_locate(&doc, "", TS_JSON_VALUE, &line, &column));
      ts_json_locate(&doc, "/a/3/c", TS_JSON_KEY, &line, &column);
    } else {
      assert_true(err.where.line >= 1 && err.where.line <= 64);
      assert_true(err.where.column >= 1 && err.where.column <= 65);
    }
    ts_json_doc_close(&doc);
  }
  assert_true(parsed > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(documents_are_read),
      cmocka_unit_test(a_byte_order_mark_is_skipped),
      cmocka_unit_test(syntax_errors_have_place_and_advice),
      cmocka_unit_test(deep_nesting_is_an_ordinary_error),
      cmocka_unit_test(files_are_read),
      cmocka_unit_test(pointers_are_escaped),
      cmocka_unit_test(kinds_have_names),
      cmocka_unit_test(random_bytes_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
