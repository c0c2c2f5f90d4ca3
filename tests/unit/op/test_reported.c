/* Errors of lower modules that a built-in operation reports by their text: code, help and place are kept.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "op/implementation.h"

#define LONG_TEXT 500 /* characters: a deep path makes an error as long as it may be */

static struct ts_error below; /* what the lower module says */

static void fill(char *text, size_t length) {
  memset(text, 'd', length);
  text[length] = '\0';
}

static void fail_below(size_t length) {
  char path[LONG_TEXT + 1];
  fill(path, length);
  ts_error_clear(&below);
  ts_fail(&below, TS_ERR_BAD_IMAGE, "no image: %s", path);
  ts_error_help(&below, "look at it");
  ts_error_place(&below, "slide.tif", 3, 4, "");
}

static int report_short(struct ts_op_call *call) {
  fail_below(5);
  return (call->host->fail)(call, "%s", below.text);
}

static int report_long(struct ts_op_call *call) {
  fail_below(LONG_TEXT);
  return (call->host->fail)(call, "%s", below.text);
}

static int report_with_place(struct ts_op_call *call) {
  char file[256];
  fill(file, sizeof file - 1);
  fail_below(LONG_TEXT);
  return (call->host->fail)(call, "%s:%d: %s", file, 12345, below.text);
}

/* The context pushes the end of the text out. */
static int report_in_context(struct ts_op_call *call) {
  char what[180];
  fill(what, sizeof what - 1);
  fail_below(LONG_TEXT);
  ts_error_context(&below, "reading %s", what);
  return (call->host->fail)(call, "%s", below.text);
}

static int report_own(struct ts_op_call *call) {
  fail_below(5); /* and does without */
  return (call->host->fail)(call, "nothing to see");
}

#define OPERATIONS(X) X(own) X(short) X(long) X(with_place) X(in_context)

static const struct ts_op_port *const outputs[] = {TS_OP_PORT("table", "table", "", 0)};
#define X(kind)                                                                                                        \
  static const struct ts_op_descriptor of_##kind = {TS_OP_DESCRIPTOR_HEAD, .name = "report." #kind,                    \
                                                    .version = 1,          .outputs = outputs,                         \
                                                    .output_count = 1,     .run = report_##kind};
OPERATIONS(X)
#undef X
#define X(kind) &of_##kind,
static const struct ts_op_descriptor *const descriptors[] = {OPERATIONS(X)};
#undef X
static const struct ts_implementation implementations[] = {{"report.in_context", {1}},
                                                           {"report.long", {2}},
                                                           {"report.own", {3}},
                                                           {"report.short", {4}},
                                                           {"report.with_place", {5}}};

static struct ts_error error_of(const char *name) {
  struct ts_registry *registry = ts_registry_create();
  ts_registry_add_built_in(registry, descriptors, COUNT(descriptors), implementations, COUNT(implementations));
  const struct ts_op_context context = {0};
  struct ts_data *out = NULL;
  struct ts_error err = {0};
  assert_false(ts_op_execute(ts_registry_find(registry, name), NULL, NULL, &out, &context, &err));
  ts_registry_destroy(registry);
  return err;
}

static void errors_below_are_kept(void **state) {
  (void)state;
  static const char *const names[] = {"report.short", "report.long", "report.with_place", "report.in_context"};
  for (size_t i = 0; i < COUNT(names); i++) {
    const struct ts_error err = error_of(names[i]);
    print_message("%s\n", names[i]);
    assert_error(&err, TS_ERR_BAD_IMAGE, names[i]);
    assert_string_equal(err.help, "look at it");
    assert_string_equal(err.where.file, "slide.tif");
    assert_int_equal(err.where.line, 3);
  }
}

static void an_error_that_was_not_reported_is_not_kept(void **state) {
  (void)state;
  const struct ts_error err = error_of("report.own");
  assert_error(&err, TS_ERR_TASK_FAILED, "'report.own' failed: nothing to see");
  assert_string_equal(err.help, "");
  assert_string_equal(err.where.file, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(errors_below_are_kept),
                                     cmocka_unit_test(an_error_that_was_not_reported_is_not_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
