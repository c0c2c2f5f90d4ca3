/* Reading JSON objects against known keys: every complaint with its place and words, and what is accepted in silence.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/reader.h"

struct fixture {
  struct ts_json_doc doc;
  struct ts_arena arena;
  struct ts_faults faults;
  struct ts_reader reader;
};

static void open_text(struct fixture *f, const char *text) {
  struct ts_error err = {0};
  memset(f, 0, sizeof *f);
  assert_true(ts_json_doc_parse(&f->doc, "a.json", text, strlen(text), &err));
  f->reader = (struct ts_reader){.doc = &f->doc, .arena = &f->arena, .faults = &f->faults};
}

static void close_text(struct fixture *f) {
  ts_faults_release(&f->faults);
  ts_arena_release(&f->arena);
  ts_json_doc_close(&f->doc);
}

static void assert_fault(const struct fixture *f, size_t index, enum ts_error_code code, int line, int column,
                         const char *path, const char *text, const char *help) {
  assert_true(index < f->faults.count);
  const struct ts_error *err = &f->faults.items[index];
  assert_error(err, code);
  assert_place(err, "a.json", line, column);
  assert_string_equal(err->where.path, path);
  assert_string_equal(err->text, text);
  assert_string_equal(err->help, help);
}

/* The keys of "a task": one of each kind, the first two required, the last without an example. */
enum { NAME, COUNT, IN, LIST, SURE, SHARE, FIELDS };
static const struct ts_field task_fields[FIELDS] = {
    [NAME] = {.name = "name", .want = TS_WANT_STRING, .required = true, .example = "\"blur\""},
    [COUNT] = {.name = "count", .want = TS_WANT_INTEGER, .required = true},
    [IN] = {.name = "in", .want = TS_WANT_OBJECT, .example = "{}"},
    [LIST] = {.name = "list", .want = TS_WANT_LIST, .example = "[1, 2]"},
    [SURE] = {.name = "sure", .want = TS_WANT_BOOLEAN, .example = "true"},
    [SHARE] = {.name = "share", .want = TS_WANT_NUMBER},
};

static bool read_task(struct fixture *f, const char *text, struct ts_field fields[FIELDS]) {
  open_text(f, text);
  memcpy(fields, task_fields, sizeof task_fields);
  return ts_reader_fields(&f->reader, f->doc.root, "", "a task", fields, FIELDS);
}

static void what_fits_is_read(void **state) {
  (void)state;
  struct fixture f;
  struct ts_field fields[FIELDS];
  assert_true(read_task(&f,
                        "{\"name\": \"x\", \"count\": 3, \"in\": {\"a\": 1}, \"list\": [], \"sure\": false,"
                        " \"share\": 1, \"help\": \"why\", \"comment\": \"when\"}",
                        fields));
  assert_int_equal(f.faults.count, 0);
  assert_string_equal(json_string_value(fields[NAME].value), "x");
  assert_int_equal(json_integer_value(fields[COUNT].value), 3);
  for (size_t i = 0; i < FIELDS; i++) {
    assert_false(fields[i].faulty);
    assert_ptr_equal(fields[i].value, json_object_get(f.doc.root, fields[i].name));
  }
  assert_string_equal(ts_reader_help(&f.reader, f.doc.root), "why");
  close_text(&f);
}

static void keys_that_are_not_required_may_be_absent(void **state) {
  (void)state;
  struct fixture f;
  struct ts_field fields[FIELDS];
  assert_true(read_task(&f, "{\"name\": \"x\", \"count\": 3}", fields));
  for (size_t i = IN; i < FIELDS; i++) {
    assert_null(fields[i].value);
    assert_false(fields[i].faulty);
  }
  assert_string_equal(ts_reader_help(&f.reader, f.doc.root), "");
  close_text(&f);
}

static void missing_keys(void **state) {
  (void)state;
  struct fixture f;
  struct ts_field fields[FIELDS];
  assert_false(read_task(&f, "\n  {}", fields));
  assert_int_equal(f.faults.count, 2);
  assert_fault(&f, 0, TS_ERR_MISSING_KEY, 2, 3, "", "a task needs the key 'name'", "add it, as in \"name\": \"blur\"");
  assert_fault(&f, 1, TS_ERR_MISSING_KEY, 2, 3, "", "a task needs the key 'count'",
               "add it; its value is a whole number");
  assert_true(fields[NAME].faulty && fields[COUNT].faulty);
  close_text(&f);
}

static void unknown_keys(void **state) {
  (void)state;
  struct fixture f;
  struct ts_field fields[FIELDS];
  assert_false(read_task(&f, "{\"name\": \"x\",\n \"cuont\": 3,\n  \"zzzzzzz\": {}}", fields));
  assert_int_equal(f.faults.count, 2); /* the misspelt key excuses the missing one */
  assert_fault(&f, 0, TS_ERR_UNKNOWN_KEY, 2, 2, "/cuont", "a task has no key 'cuont'", "did you mean 'count'?");
  assert_fault(&f, 1, TS_ERR_UNKNOWN_KEY, 3, 3, "/zzzzzzz", "a task has no key 'zzzzzzz'",
               "keys that can be added here: 'count', 'in', 'list', 'sure', 'share', 'help' and 'comment'");
  assert_true(fields[COUNT].faulty);
  assert_null(fields[COUNT].value);
  close_text(&f);
}

static void a_key_that_is_there_is_not_proposed(void **state) {
  (void)state;
  struct fixture f;
  struct ts_field fields[FIELDS];
  assert_false(read_task(&f, "{\"name\": \"x\", \"count\": 3, \"coumt\": 4}", fields));
  assert_int_equal(f.faults.count, 1);
  assert_null(strstr(f.faults.items[0].help, "'count'"));
  assert_int_equal(json_integer_value(fields[COUNT].value), 3);
  close_text(&f);
}

static void values_of_the_wrong_kind(void **state) {
  (void)state;
  struct fixture f;
  struct ts_field fields[FIELDS];
  assert_false(read_task(&f,
                         "{\"name\": 1,\n\"count\": 2.0,\n\"in\": [],\n\"list\": {},\n\"sure\": 1,\n\"share\": true,\n"
                         "\"help\": null,\n\"comment\": [\"a\"]}",
                         fields));
  assert_int_equal(f.faults.count, 8);
  ts_faults_sort(&f.faults);
  const enum ts_error_code code = TS_ERR_WRONG_TYPE;
  assert_fault(&f, 0, code, 1, 10, "/name", "'name' must be a string, but it is an integer",
               "write it as in \"name\": \"blur\"");
  assert_fault(&f, 1, code, 2, 10, "/count", "'count' must be a whole number, but it is a real number",
               "write a whole number");
  assert_fault(&f, 2, code, 3, 7, "/in", "'in' must be an object, but it is a list", "write it as in \"in\": {}");
  assert_fault(&f, 3, code, 4, 9, "/list", "'list' must be a list, but it is an object",
               "write it as in \"list\": [1, 2]");
  assert_fault(&f, 4, code, 5, 9, "/sure", "'sure' must be true or false, but it is an integer",
               "write it as in \"sure\": true");
  assert_fault(&f, 5, code, 6, 10, "/share", "'share' must be a number, but it is a boolean", "write a number");
  assert_fault(&f, 6, code, 7, 9, "/help", "'help' must be a string, but it is null",
               "write it as in \"help\": \"what this is for\"");
  assert_fault(&f, 7, code, 8, 12, "/comment", "'comment' must be a string, but it is a list",
               "write it as in \"comment\": \"what this is for\"");
  for (size_t i = 0; i < FIELDS; i++) assert_true(fields[i].faulty && !fields[i].value);
  assert_string_equal(ts_reader_help(&f.reader, f.doc.root), "");
  close_text(&f);
}

/* Places are found in objects inside others, also behind keys that a pointer must escape. */
static void places_inside(void **state) {
  (void)state;
  struct fixture f;
  open_text(&f, "{\"a/b~\": [0,\n  {\"x\": 1}]}");
  const char *item = ts_reader_item(&f.reader, ts_reader_child(&f.reader, "", "a/b~"), 1);
  assert_string_equal(item, "/a~1b~0/1");
  const json_t *object = json_array_get(json_object_get(f.doc.root, "a/b~"), 1);
  struct ts_field fields[] = {{.name = "y", .want = TS_WANT_ANY, .required = true}};
  assert_false(ts_reader_fields(&f.reader, object, item, "'a/b~'", fields, 1));
  assert_fault(&f, 0, TS_ERR_UNKNOWN_KEY, 2, 4, "/a~1b~0/1/x", "'a/b~' has no key 'x'",
               "keys that can be added here: 'y', 'help' and 'comment'");
  assert_fault(&f, 1, TS_ERR_MISSING_KEY, 2, 3, "/a~1b~0/1", "'a/b~' needs the key 'y'",
               "add it; its value is a value");
  close_text(&f);
}

static void a_value_alone(void **state) {
  (void)state;
  struct fixture f;
  open_text(&f, "[7]");
  const json_t *root = f.doc.root;
  assert_true(ts_reader_want(&f.reader, root, "", "a task", TS_WANT_LIST, NULL));
  assert_true(ts_reader_want(&f.reader, root, "", "a task", TS_WANT_ANY, NULL));
  assert_int_equal(f.faults.count, 0);
  assert_false(ts_reader_want(&f.reader, root, "", "a task", TS_WANT_OBJECT, "{\"name\": \"x\"}"));
  assert_fault(&f, 0, TS_ERR_WRONG_TYPE, 1, 1, "", "a task must be an object, but it is a list",
               "write it as in {\"name\": \"x\"}");
  ts_reader_wrong_type(&f.reader, json_array_get(root, 0), "/0", "'files'", "a list of strings", NULL);
  assert_fault(&f, 1, TS_ERR_WRONG_TYPE, 1, 2, "/0", "'files' must be a list of strings, but it is an integer",
               "write a list of strings");
  close_text(&f);
}

/* A hundred are named, the others counted. */
static void very_many_unknown_keys(void **state) {
  (void)state;
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_add(&text, "{");
  for (int i = 0; i < TS_JSON_UNKNOWN_MAX + 17; i++) ts_str_addf(&text, "\"key%d\": 0, ", i);
  ts_str_add(&text, "\"name\": \"x\", \"count\": 1}");
  struct fixture f;
  struct ts_field fields[FIELDS];
  assert_false(read_task(&f, ts_str_get(&text), fields));
  assert_int_equal(f.faults.count, TS_JSON_UNKNOWN_MAX + 1);
  assert_string_equal(f.faults.items[0].text, "a task has no key 'key0'");
  assert_fault(&f, TS_JSON_UNKNOWN_MAX, TS_ERR_UNKNOWN_KEY, 1, 1, "", "a task has 17 more unknown keys",
               "check that this is the right file");
  close_text(&f);
}

static void values_without_complaints(void **state) {
  (void)state;
  struct fixture f;
  open_text(&f, "{\"a\": \"text\", \"b\": 1, \"c\": 1.5}");
  assert_string_equal(ts_reader_string(&f.reader, f.doc.root, "a"), "text");
  assert_null(ts_reader_string(&f.reader, f.doc.root, "b"));
  assert_null(ts_reader_string(&f.reader, f.doc.root, "d"));
  assert_non_null(ts_reader_get(f.doc.root, "b", TS_WANT_INTEGER));
  assert_non_null(ts_reader_get(f.doc.root, "b", TS_WANT_NUMBER));
  assert_non_null(ts_reader_get(f.doc.root, "c", TS_WANT_NUMBER));
  assert_null(ts_reader_get(f.doc.root, "c", TS_WANT_INTEGER));
  assert_null(ts_reader_get(f.doc.root, "d", TS_WANT_ANY));
  assert_int_equal(f.faults.count, 0);
  close_text(&f);
}

static void lists_of_names(void **state) {
  (void)state;
  static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
  static const struct {
    size_t count;
    const char *text;
  } cases[] = {
      {0, ""},
      {1, "'a'"},
      {2, "'a' and 'b'"},
      {3, "'a', 'b' and 'c'"},
      {10, "'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i' and 'j'"},
      {11, "'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i' and 2 more"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct ts_names names = {0};
    ts_auto(ts_str_release) struct ts_str text = {0};
    for (size_t j = 0; j < cases[i].count; j++) ts_names_add(&names, letters[j]);
    ts_names_print(&names, &text);
    assert_string_equal(ts_str_get(&text), cases[i].text);
    ts_names_release(&names);
  }
}

static void proposals(void **state) {
  (void)state;
  struct ts_names names = {0};
  struct ts_error none = {0}, near = {0}, far = {0};
  ts_fail(&none, TS_ERR_USAGE, "x");
  ts_fail(&near, TS_ERR_USAGE, "x");
  ts_fail(&far, TS_ERR_USAGE, "x");
  assert_null(ts_names_suggest(&names, &none, "word", "words", "there are no words"));
  assert_string_equal(none.help, "there are no words");
  ts_names_add(&names, "threshold");
  assert_string_equal(ts_names_suggest(&names, &near, "treshold", "words", ""), "threshold");
  assert_string_equal(near.help, "did you mean 'threshold'?");
  assert_null(ts_names_suggest(&names, &far, "q", "words", ""));
  assert_string_equal(far.help, "words: 'threshold'");
  ts_names_release(&names);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_fits_is_read),
      cmocka_unit_test(keys_that_are_not_required_may_be_absent),
      cmocka_unit_test(missing_keys),
      cmocka_unit_test(unknown_keys),
      cmocka_unit_test(a_key_that_is_there_is_not_proposed),
      cmocka_unit_test(values_of_the_wrong_kind),
      cmocka_unit_test(places_inside),
      cmocka_unit_test(a_value_alone),
      cmocka_unit_test(very_many_unknown_keys),
      cmocka_unit_test(values_without_complaints),
      cmocka_unit_test(lists_of_names),
      cmocka_unit_test(proposals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
