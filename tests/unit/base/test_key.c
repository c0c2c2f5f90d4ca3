/* Keys against the golden vectors (in this thread, in eight threads, in a second process), and every refusal.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Called with the argument "print-keys" it prints the keys of the vectors instead, one a line. */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/json.h"
#include "base/key.h"
#include "base/map.h"
#include "support/vectors.h"

#include <math.h>
#include <pthread.h>

#define VECTOR_COUNT ((size_t)13)

static struct ts_json_doc vectors;

/* False if there are none. */
static bool load_vectors(void) {
  const char *shared = vectors_parent("keys");
  if (!shared) return false;
  ts_auto_free char *path = ts_path_join(shared, "vectors/keys/keys.json");
  struct ts_error err = {0};
  if (!ts_json_doc_open(&vectors, path, &err)) {
    fprintf(stderr, "%s\n", err.text);
    exit(1);
  }
  return true;
}

static const json_t *vector_at(size_t index) { return json_array_get(json_object_get(vectors.root, "cases"), index); }

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  assert_non_null(text);
  return text;
}

static struct ts_value plain_value(const char *type_name, const json_t *json, struct ts_arena *arena) {
  enum ts_value_type type;
  struct ts_value value;
  assert_true(ts_value_type_parse(type_name, &type));
  assert_true(ts_value_from_json(json, type, arena, &value, NULL));
  return value;
}

/* {"type": "list", "value": {"of": TYPE, "items": [...]}} or {"type": TYPE, "value": ...} */
static struct ts_value value_of(const json_t *described, struct ts_arena *arena) {
  const char *type = text_of(described, "type");
  const json_t *json = json_object_get(described, "value");
  if (strcmp(type, "list") != 0) return plain_value(type, json, arena);
  const json_t *items = json_object_get(json, "items");
  struct ts_value *values = ts_arena_array(arena, json_array_size(items), sizeof *values);
  for (size_t i = 0; i < json_array_size(items); i++) {
    values[i] = plain_value(text_of(json, "of"), json_array_get(items, i), arena);
  }
  struct ts_value_list *list = ts_arena_alloc(arena, sizeof *list);
  *list = (struct ts_value_list){.count = json_array_size(items), .items = values};
  return (struct ts_value){.type = TS_VALUE_LIST, .as.list = list};
}

/* In reverse order if asked: the order must not matter. */
static void fields_of(const json_t *vector, bool reversed, struct ts_arena *arena, struct ts_key_fields *fields) {
  json_t *json = json_object_get(vector, "fields");
  *fields = (struct ts_key_fields){.domain = text_of(json, "domain"),
                                   .salt = text_of(json, "salt"),
                                   .operation = text_of(json, "op"),
                                   .numeric_class = text_of(json, "numeric")};
  assert_true(ts_hex_decode(text_of(json, "implementation"), fields->implementation.bytes, 32));
  json_t *parameters = json_object_get(json, "params");
  json_t *inputs = json_object_get(json, "inputs");
  fields->parameter_count = json_object_size(parameters);
  fields->input_count = json_object_size(inputs);
  struct ts_key_parameter *parameter = ts_arena_array(arena, fields->parameter_count, sizeof *parameter);
  struct ts_key_input *input = ts_arena_array(arena, fields->input_count, sizeof *input);
  fields->parameters = parameter;
  fields->inputs = input;
  const char *name;
  json_t *value;
  size_t i = 0;
  json_object_foreach(parameters, name, value) {
    size_t place = reversed ? fields->parameter_count - 1 - i : i;
    parameter[place] = (struct ts_key_parameter){.name = name, .value = value_of(value, arena)};
    i++;
  }
  i = 0;
  json_object_foreach(inputs, name, value) {
    size_t place = reversed ? fields->input_count - 1 - i : i;
    input[place].port = name;
    assert_true(ts_hex_decode(json_string_value(value), input[place].key.digest.bytes, 32));
    i++;
  }
}

static void vectors_are_met(void **state) {
  (void)state;
  assert_int_equal(json_array_size(json_object_get(vectors.root, "cases")), VECTOR_COUNT);
  for (size_t i = 0; i < 2 * VECTOR_COUNT; i++) {
    const json_t *vector = vector_at(i / 2);
    struct ts_arena arena = {0};
    struct ts_key_fields fields;
    struct ts_str bytes = {0};
    struct ts_error err = {0};
    fields_of(vector, i % 2 != 0, &arena, &fields);
    assert_true(ts_key_encode(&fields, &bytes, &err));
    ts_auto_free char *hex = ts_malloc(2 * bytes.length + 1);
    ts_hex_encode((const uint8_t *)bytes.data, bytes.length, hex);
    assert_string_equal(hex, text_of(vector, "encoded_hex"));
    struct ts_key key;
    char text[TS_KEY_TEXT_SIZE];
    assert_true(ts_key_compute(&fields, &key, &err));
    ts_key_print(&key, text);
    assert_string_equal(text, text_of(vector, "key"));
    struct ts_key_prefix prefix;
    for (int round = 0; round < 2; round++) { /* a prefix can be used again */
      if (round == 0) assert_true(ts_key_begin(&fields, &prefix, &err));
      assert_true(ts_key_end(&prefix, fields.inputs, fields.input_count, &key, &err));
      ts_key_print(&key, text);
      assert_string_equal(text, text_of(vector, "key"));
    }
    ts_str_release(&bytes);
    ts_arena_release(&arena);
  }
}

static bool key_text(size_t index, char text[TS_KEY_TEXT_SIZE]) {
  struct ts_arena arena = {0};
  struct ts_key_fields fields;
  struct ts_key key;
  fields_of(vector_at(index), false, &arena, &fields);
  bool ok = ts_key_compute(&fields, &key, NULL);
  if (ok) ts_key_print(&key, text);
  ts_arena_release(&arena);
  return ok;
}

static void *compute_often(void *argument) {
  size_t wrong = 0;
  for (size_t i = 0; i < 40 * VECTOR_COUNT; i++) {
    char text[TS_KEY_TEXT_SIZE];
    const char *expected = json_string_value(json_object_get(vector_at(i % VECTOR_COUNT), "key"));
    wrong += !key_text(i % VECTOR_COUNT, text) || strcmp(text, expected) != 0;
  }
  return wrong ? argument : NULL;
}

static void threads_agree(void **state) {
  (void)state;
  pthread_t threads[8];
  for (size_t i = 0; i < COUNT_OF(threads); i++)
    assert_int_equal(pthread_create(&threads[i], NULL, compute_often, threads), 0);
  for (size_t i = 0; i < COUNT_OF(threads); i++) {
    void *wrong = threads;
    pthread_join(threads[i], &wrong);
    assert_null(wrong);
  }
}

static int print_keys(void) {
  char text[TS_KEY_TEXT_SIZE];
  for (size_t i = 0; i < VECTOR_COUNT; i++) {
    if (!key_text(i, text)) return 1;
    puts(text);
  }
  return 0;
}

static void another_process_agrees(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl("/proc/self/exe", "test_key", "print-keys", (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  FILE *output = fdopen(ends[0], "r");
  char line[256];
  size_t count = 0;
  for (; fgets(line, sizeof line, output); count++) {
    line[strcspn(line, "\n")] = '\0';
    assert_true(count < VECTOR_COUNT);
    assert_string_equal(line, text_of(vector_at(count), "key"));
  }
  fclose(output);
  int status = 1;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_int_equal(count, VECTOR_COUNT);
}

static struct ts_key_fields simple_fields(void) {
  return (struct ts_key_fields){.domain = TS_KEY_DOMAIN_TASK, .operation = "x.y", .numeric_class = "exact"};
}

/* Every field, when changed, changes the key, and all 20 keys are different. */
static void every_field_counts(void **state) {
  (void)state;
  static const struct ts_value reals[] = {{.type = TS_VALUE_REAL, .as.real = 1}, {.type = TS_VALUE_REAL, .as.real = 2}};
  static const struct ts_value_list lists[] = {{0, NULL}, {1, reals}, {2, reals}};
  const struct ts_value values[] = {ts_value_integer(0),
                                    ts_value_integer(-1),
                                    ts_value_real(0),
                                    ts_value_boolean(false),
                                    ts_value_boolean(true),
                                    ts_value_string(""),
                                    ts_value_string("true"),
                                    {.type = TS_VALUE_LIST, .as.list = &lists[0]},
                                    {.type = TS_VALUE_LIST, .as.list = &lists[1]},
                                    {.type = TS_VALUE_LIST, .as.list = &lists[2]}};
  struct ts_map seen = {0};
  size_t count = 0;
  for (size_t i = 0; i < COUNT_OF(values) + 10; i++) {
    struct ts_key_fields fields = simple_fields();
    struct ts_key_parameter parameter = {.name = "p"};
    struct ts_key_input input = {.port = "in"};
    if (i < COUNT_OF(values)) {
      parameter.value = values[i];
      fields.parameters = &parameter;
      fields.parameter_count = 1;
    }
    switch (i < COUNT_OF(values) ? SIZE_MAX : i - COUNT_OF(values)) {
    case 0: fields.domain = TS_KEY_DOMAIN_CONTENT; break;
    case 1: fields.domain = TS_KEY_DOMAIN_BLOCK; break;
    case 2: fields.salt = "s"; break;
    case 3: fields.operation = "x.z"; break;
    case 4: fields.implementation.bytes[31] = 1; break;
    case 5: fields.numeric_class = "nondeterministic"; break;
    case 6: fields.inputs = &input, fields.input_count = 1; break;
    case 7: fields.inputs = &input, fields.input_count = 1, input.port = "im"; break;
    case 8: fields.inputs = &input, fields.input_count = 1, input.key.digest.bytes[0] = 1; break;
    default: break;
    }
    struct ts_key key;
    bool inserted;
    assert_true(ts_key_compute(&fields, &key, NULL));
    ts_map_insert(&seen, key.digest.bytes, 32, &inserted);
    assert_true(inserted);
    count++;
  }
  assert_int_equal(count, 20);
  ts_map_release(&seen);
}

/* Each field written by hand, as key.md has it. */
static void encoding_by_hand(void **state) {
  (void)state;
  struct ts_value inner = ts_value_boolean(true);
  struct ts_value_list inner_list = {1, &inner};
  struct ts_value nested = {.type = TS_VALUE_LIST, .as.list = &inner_list};
  struct ts_value_list outer_list = {1, &nested};
  struct ts_key_parameter parameters[] = {{"b", {.type = TS_VALUE_LIST, .as.list = &outer_list}},
                                          {"B", {.type = TS_VALUE_REAL, .as.real = -0.0}},
                                          {"a", {.type = TS_VALUE_INTEGER, .as.integer = -2}}};
  struct ts_key_fields fields = {
      .domain = "d", .operation = "", .numeric_class = "n", .parameters = parameters, .parameter_count = 3};
#define LENGTH(n) n "\0\0\0\0\0\0\0"
  static const char expected[] = "D" LENGTH(
      "\1") "d"
            "S" LENGTH("\0") "O" LENGTH("\0") "I" LENGTH(
                "\x20") "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                        "N" LENGTH(
                            "\1") "n"
                                  "P" LENGTH("\x08") LENGTH("\3") "n" LENGTH(
                                      "\1") "B"
                                            "r" LENGTH(
                                                "\x08") "\0\0\0\0\0\0\0\0"
                                                        "n" LENGTH(
                                                            "\1") "a"
                                                                  "i" LENGTH(
                                                                      "\x08") "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
                                                                              "n" LENGTH(
                                                                                  "\1") "b"
                                                                                        "l" LENGTH("\x23") LENGTH(
                                                                                            "\1") "l" LENGTH("\x12")
                                                                                            LENGTH("\1") "b" LENGTH(
                                                                                                "\1") "\1"
                                                                                                      "U" LENGTH("\x08")
                                                                                                          LENGTH("\0");
  struct ts_str bytes = {0};
  assert_true(ts_key_encode(&fields, &bytes, NULL));
  assert_int_equal(bytes.length, sizeof expected - 1);
  assert_memory_equal(bytes.data, expected, sizeof expected - 1);
  struct ts_sha256 digest;
  struct ts_key key;
  ts_sha256_of(expected, sizeof expected - 1, &digest);
  assert_true(ts_key_compute(&fields, &key, NULL));
  assert_memory_equal(digest.bytes, key.digest.bytes, 32);
  ts_str_release(&bytes);
}

static void bad_numbers_are_refused(void **state) {
  (void)state;
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (size_t i = 0; i < 2 * COUNT_OF(bad); i++) {
    struct ts_value real = {.type = TS_VALUE_REAL, .as.real = bad[i / 2]};
    struct ts_value_list list = {1, &real};
    struct ts_key_parameter parameter = {"T1", real};
    if (i % 2) parameter.value = (struct ts_value){.type = TS_VALUE_LIST, .as.list = &list};
    struct ts_key_fields fields = simple_fields();
    fields.parameters = &parameter;
    fields.parameter_count = 1;
    struct ts_error err = {0};
    struct ts_key key;
    assert_false(ts_key_compute(&fields, &key, &err));
    assert_error(&err, TS_ERR_BAD_VALUE);
    assert_non_null(strstr(err.text, "'T1'"));
  }
}

/* Few and many inputs, short and long names, in any order: hashed from a prefix as in one piece. */
static void prefixes_give_the_same_keys(void **state) {
  (void)state;
  enum { MOST = 20 };
  struct ts_key_input inputs[MOST];
  char ports[MOST][200];
  for (size_t count = 0; count <= MOST; count++) {
    for (size_t length = 2; length < sizeof ports[0]; length += 27) {
      for (size_t i = 0; i < count; i++) {
        memset(ports[i], 'p', sizeof ports[i]);
        ports[i][length - 2] = (char)('a' + (i * 7 + 3) % MOST);
        ports[i][length - 1] = '\0';
        inputs[i].port = ports[i];
        memset(&inputs[i].key, (int)i, sizeof inputs[i].key);
      }
      struct ts_key_fields fields = simple_fields();
      struct ts_key_prefix prefix;
      struct ts_key key, expected;
      fields.inputs = inputs;
      fields.input_count = count;
      assert_true(ts_key_compute(&fields, &expected, NULL));
      assert_true(ts_key_begin(&fields, &prefix, NULL));
      assert_true(ts_key_end(&prefix, inputs, count, &key, NULL));
      assert_true(ts_key_equal(&key, &expected));
    }
  }
}

static void names_given_twice_are_refused(void **state) {
  (void)state;
  struct ts_key_parameter parameters[] = {
      {"a", ts_value_integer(1)}, {"b", ts_value_integer(1)}, {"a", ts_value_integer(1)}};
  struct ts_key_input inputs[] = {{.port = "left"}, {.port = "left"}};
  struct ts_key_fields fields = simple_fields();
  struct ts_key key;
  struct ts_error err = {0};
  fields.parameters = parameters;
  fields.parameter_count = 3;
  assert_false(ts_key_compute(&fields, &key, &err));
  assert_error(&err, TS_ERR_BAD_VALUE);
  assert_string_equal(err.text, "parameter 'a' is given twice");
  ts_error_clear(&err);
  fields.parameter_count = 2;
  fields.inputs = inputs;
  fields.input_count = 2;
  assert_false(ts_key_compute(&fields, &key, &err));
  assert_string_equal(err.text, "input 'left' is given twice");
  struct ts_key_prefix prefix;
  ts_error_clear(&err);
  assert_true(ts_key_begin(&fields, &prefix, &err));
  assert_false(ts_key_end(&prefix, inputs, 2, &key, &err));
  assert_string_equal(err.text, "input 'left' is given twice");
}

static void outputs_have_keys_of_their_own(void **state) {
  (void)state;
  struct ts_key task = {.digest.bytes = {1, 2, 3}};
  struct ts_key single, mask, image;
  ts_key_of_output(&task, "mask", true, &single);
  assert_true(ts_key_equal(&single, &task));
  ts_key_of_output(&task, "mask", false, &mask);
  ts_key_of_output(&task, "image", false, &image);
  assert_false(ts_key_equal(&mask, &task));
  assert_false(ts_key_equal(&mask, &image));
  /* D "tessera.output.1", k task key, n port name, by hand. */
  struct ts_str bytes = {0};
  ts_str_add_bytes(&bytes, "D\x10\0\0\0\0\0\0\0tessera.output.1k\x20\0\0\0\0\0\0\0", 34);
  ts_str_add_bytes(&bytes, task.digest.bytes, 32);
  ts_str_add_bytes(&bytes, "n\4\0\0\0\0\0\0\0mask", 13);
  struct ts_sha256 digest;
  ts_sha256_of(bytes.data, bytes.length, &digest);
  assert_memory_equal(digest.bytes, mask.digest.bytes, 32);
  ts_str_release(&bytes);
}

static void the_text_is_the_prefix_and_hexadecimal_digits(void **state) {
  (void)state;
  struct ts_key key;
  char text[TS_KEY_TEXT_SIZE], expected[TS_KEY_TEXT_SIZE] = "k1:";
  for (size_t i = 0; i < 32; i++) {
    key.digest.bytes[i] = (uint8_t)(i * 37);
    snprintf(expected + 3 + 2 * i, 3, "%02x", (unsigned)(i * 37 & 0xff));
  }
  ts_key_print(&key, text);
  assert_string_equal(text, expected);
}

int main(int argc, char **argv) {
  bool loaded = load_vectors();
  if (argc > 1 && strcmp(argv[1], "print-keys") == 0) {
    int printed = loaded ? print_keys() : 1;
    ts_json_doc_close(&vectors);
    return printed;
  }
  const struct CMUnitTest own_tests[] = {
      cmocka_unit_test(every_field_counts),
      cmocka_unit_test(encoding_by_hand),
      cmocka_unit_test(bad_numbers_are_refused),
      cmocka_unit_test(prefixes_give_the_same_keys),
      cmocka_unit_test(names_given_twice_are_refused),
      cmocka_unit_test(outputs_have_keys_of_their_own),
      cmocka_unit_test(the_text_is_the_prefix_and_hexadecimal_digits),
  };
  const struct CMUnitTest vector_tests[] = {
      cmocka_unit_test(vectors_are_met),
      cmocka_unit_test(threads_agree),
      cmocka_unit_test(another_process_agrees),
  };
  int failures = cmocka_run_group_tests(own_tests, NULL, NULL);
  if (!loaded) {
    puts("SKIP: there is no ../shared/vectors/keys");
    return failures ? failures : 77;
  }
  failures += cmocka_run_group_tests(vector_tests, NULL, NULL);
  ts_json_doc_close(&vectors);
  return failures;
}
