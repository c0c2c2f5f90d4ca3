/* Places of JSON pointers: by hand, and in documents whose writer took down every position as it wrote.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/json.h"
#include "base/random.h"

struct spot {
  char *pointer; /* owned */
  int key_line, key_column;
  int line, column;
};

/* Writes a document character by character and keeps count of where it is. */
struct writer {
  struct ts_str text;
  struct ts_random random;
  int line, column;
  struct spot *spots; /* owned */
  size_t spot_count, spot_capacity;
};

static void put(struct writer *writer, const char *text) {
  ts_str_add(&writer->text, text);
  for (const char *p = text; *p; p++) {
    unsigned char c = (unsigned char)*p;
    if (c == '\n') {
      writer->line++;
      writer->column = 1;
    } else if (c < 0x80 || c >= 0xC0) {
      writer->column++;
    }
  }
}

static size_t choose(struct writer *writer, size_t count) { return (size_t)ts_random_below(&writer->random, count); }

static void put_space(struct writer *writer) {
  static const char *const spaces[] = {"", "", " ", "\n", "\t", "\r\n", "  \n   "};
  put(writer, spaces[choose(writer, COUNT_OF(spaces))]);
}

/* Keys that look like structure, in JSON and as a token of a pointer. */
static const struct {
  const char *json, *token;
} keys[] = {
    {"\"a\"", "a"},
    {"\"\"", ""},
    {"\"0\"", "0"},
    {"\"a/b\"", "a~1b"},
    {"\"a\\/c\"", "a~1c"},
    {"\"m~n\"", "m~0n"},
    {"\"~1\"", "~01"},
    {"\"K\xC3\xB6ln\"", "K\xC3\xB6ln"},
    {"\"\\u00e9t\\u00C9\"", "\xC3\xA9t\xC3\x89"},
    {"\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80"},
    {"\"\\u20ac\"", "\xE2\x82\xAC"},
    {"\"}\"", "}"},
    {"\"]\"", "]"},
    {"\",:\"", ",:"},
    {"\"q\\\"{\"", "q\"{"},
    {"\"\\\\\"", "\\"},
    {"\"x\\n\\t\\b\\f\\r\"", "x\n\t\b\f\r"},
};

static struct spot *add_spot(struct writer *writer, const char *pointer) {
  writer->spots = ts_grow(writer->spots, writer->spot_count, &writer->spot_capacity, sizeof *writer->spots);
  struct spot *spot = &writer->spots[writer->spot_count++];
  *spot = (struct spot){.pointer = ts_strdup(pointer), .key_line = writer->line, .key_column = writer->column};
  return spot;
}

static void put_value(struct writer *writer, size_t spot, int depth);

static void put_object(struct writer *writer, const char *pointer, int depth) {
  put(writer, "{");
  bool used[COUNT_OF(keys)] = {false};
  size_t count = choose(writer, 6);
  bool first = true;
  for (size_t i = 0; i < count; i++) {
    size_t key = choose(writer, COUNT_OF(keys));
    if (used[key]) continue;
    used[key] = true;
    if (!first) put(writer, ",");
    first = false;
    put_space(writer);
    struct ts_str child = {0};
    ts_str_addf(&child, "%s/%s", pointer, keys[key].token);
    add_spot(writer, ts_str_get(&child));
    size_t spot = writer->spot_count - 1;
    put(writer, keys[key].json);
    put_space(writer);
    put(writer, ":");
    put_space(writer);
    put_value(writer, spot, depth);
    put_space(writer);
    ts_str_release(&child);
  }
  put(writer, "}");
}

static void put_array(struct writer *writer, const char *pointer, int depth) {
  put(writer, "[");
  size_t count = choose(writer, 6);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) put(writer, ",");
    put_space(writer);
    struct ts_str child = {0};
    ts_str_addf(&child, "%s/%zu", pointer, i);
    add_spot(writer, ts_str_get(&child)); /* no key: the value's own place */
    size_t spot = writer->spot_count - 1;
    put_value(writer, spot, depth);
    put_space(writer);
    ts_str_release(&child);
  }
  put(writer, "]");
}

static void put_value(struct writer *writer, size_t spot, int depth) {
  static const char *const plain[] = {
      "1", "-2.5e+3", "true", "null", "\"a]}{[,:\\\"\"", "\"\\\\\"", "\"\xE2\x82\xAC\\n\"", "{}", "[]"};
  writer->spots[spot].line = writer->line;
  writer->spots[spot].column = writer->column;
  ts_auto_free char *pointer = ts_strdup(writer->spots[spot].pointer);
  size_t kind = depth >= 5 ? 2 : choose(writer, 3);
  if (kind == 0 || depth == 0) {
    put_object(writer, pointer, depth + 1);
  } else if (kind == 1) {
    put_array(writer, pointer, depth + 1);
  } else {
    put(writer, plain[choose(writer, COUNT_OF(plain))]);
  }
}

static void check_spots(const struct ts_json_doc *doc, const struct writer *writer) {
  for (size_t i = 0; i < writer->spot_count; i++) {
    const struct spot *spot = &writer->spots[i];
    int line = 0, column = 0;
    if (!ts_json_locate(doc, spot->pointer, TS_JSON_VALUE, &line, &column)) fail_msg("'%s' not found", spot->pointer);
    assert_int_equal(line, spot->line);
    assert_int_equal(column, spot->column);
    assert_true(ts_json_locate(doc, spot->pointer, TS_JSON_KEY, &line, &column));
    assert_int_equal(line, spot->key_line);
    assert_int_equal(column, spot->key_column);
    struct ts_str missing = {0};
    ts_str_addf(&missing, "%s/nowhere", spot->pointer);
    assert_false(ts_json_locate(doc, ts_str_get(&missing), TS_JSON_VALUE, &line, &column));
    /* A complaint about what is not there stands where its container does. */
    struct ts_error err = {0};
    ts_fail(&err, TS_ERR_MISSING_KEY, "x");
    ts_json_place(&err, doc, ts_str_get(&missing), TS_JSON_KEY);
    assert_place(&err, "doc.json", spot->line, spot->column);
    ts_str_release(&missing);
  }
}

static void every_written_place_is_found(void **state) {
  (void)state;
  size_t total = 0;
  for (uint64_t seed = 0; seed < 300; seed++) {
    struct writer writer = {.line = 1, .column = 1};
    ts_random_init(&writer.random, seed, 8);
    put_space(&writer);
    add_spot(&writer, "");
    put_value(&writer, 0, 0);
    put_space(&writer);
    struct ts_json_doc doc;
    struct ts_error err = {0};
    if (!ts_json_doc_parse(&doc, "doc.json", ts_str_get(&writer.text), writer.text.length, &err)) {
      fail_msg("seed %d: %s", (int)seed, err.text);
    }
    check_spots(&doc, &writer);
    total += writer.spot_count;
    ts_json_doc_close(&doc);
    for (size_t i = 0; i < writer.spot_count; i++) free(writer.spots[i].pointer);
    free(writer.spots);
    ts_str_release(&writer.text);
  }
  assert_true(total > 3000);
}

static const char sample[] = "{\n"
                             "  \"stages\": [\n"
                             "    {\"name\": \"a\", \"op\": \"x.y\"},\n"
                             "    {\"name\": \"b\"}\n"
                             "  ]\n"
                             "}\n";

static void places_by_hand(void **state) {
  (void)state;
  static const struct {
    const char *pointer;
    int key_line, key_column, line, column;
  } cases[] = {
      {"", 1, 1, 1, 1},
      {"/stages", 2, 3, 2, 13},
      {"/stages/0", 3, 5, 3, 5},
      {"/stages/0/op", 3, 19, 3, 25},
      {"/stages/1/name", 4, 6, 4, 14},
  };
  struct ts_json_doc doc;
  assert_true(ts_json_doc_parse(&doc, "w.json", sample, sizeof sample - 1, NULL));
  int line, column;
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    assert_true(ts_json_locate(&doc, cases[i].pointer, TS_JSON_KEY, &line, &column));
    assert_int_equal(line, cases[i].key_line);
    assert_int_equal(column, cases[i].key_column);
    assert_true(ts_json_locate(&doc, cases[i].pointer, TS_JSON_VALUE, &line, &column));
    assert_int_equal(line, cases[i].line);
    assert_int_equal(column, cases[i].column);
  }
  static const char *const missing[] = {
      "stages",     "/stage",         "/stages/2", "/stages/-", "/stages/00",
      "/stages/-1", "/stages/0/op/x", "/",         "/stages/",  "/stages/99999999999999999999",
      "/stages/0x0"};
  for (size_t i = 0; i < COUNT_OF(missing); i++) {
    if (ts_json_locate(&doc, missing[i], TS_JSON_VALUE, &line, &column)) fail_msg("'%s' was found", missing[i]);
  }
  ts_json_doc_close(&doc);
  assert_false(ts_json_locate(&doc, "", TS_JSON_VALUE, &line, &column));
}

static void complaints_fall_back(void **state) {
  (void)state;
  struct ts_json_doc doc;
  assert_true(ts_json_doc_parse(&doc, "w.json", sample, sizeof sample - 1, NULL));
  struct ts_error err = {0};
  ts_json_place(&err, &doc, "/stages", TS_JSON_KEY);
  assert_string_equal(err.where.file, ""); /* no error, no place */
  ts_fail(&err, TS_ERR_MISSING_KEY, "x");
  ts_json_place(&err, &doc, "/stages/1/op/deeper", TS_JSON_KEY);
  assert_place(&err, "w.json", 4, 5);
  assert_string_equal(err.where.path, "/stages/1/op/deeper");
  ts_json_place(&err, &doc, "/stages", TS_JSON_KEY);
  assert_place(&err, "w.json", 4, 5); /* the first place stays */
  ts_error_clear(&err);
  ts_fail(&err, TS_ERR_MISSING_KEY, "x");
  ts_json_place(&err, &doc, "nonsense", TS_JSON_VALUE);
  assert_place(&err, "w.json", 0, 0);
  ts_json_doc_close(&doc);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_written_place_is_found),
      cmocka_unit_test(places_by_hand),
      cmocka_unit_test(complaints_fall_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
