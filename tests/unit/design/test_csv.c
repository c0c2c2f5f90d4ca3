/* Tests of design/csv.c: designs given as files, with the line and column of every fault.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design.h"

#include "base/file.h"
#include "support/design_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct ts_value sizes[3];
static struct ts_value modes[2];
static struct ts_parameter parameters[4];
static struct ts_constraint constraint;
static struct ts_workflow workflow;

static int make_workflow(void **state) {
  (void)state;
  for (size_t i = 0; i < 3; i++) sizes[i] = ts_value_integer(10 * (int64_t)(i + 1));
  modes[0] = ts_value_string("fast, rough");
  modes[1] = ts_value_string("slow");
  parameters[0] = (struct ts_parameter){.name = "minSize",
                                        .help = "",
                                        .type = TS_VALUE_INTEGER,
                                        .has_domain = true,
                                        .domain_low = 0,
                                        .domain_high = 100,
                                        .levels = sizes,
                                        .level_count = 3,
                                        .default_value = sizes[0]};
  parameters[1] = (struct ts_parameter){.name = "maxSize",
                                        .help = "",
                                        .type = TS_VALUE_INTEGER,
                                        .has_domain = true,
                                        .domain_low = 0,
                                        .domain_high = 100,
                                        .default_value = ts_value_integer(50)};
  parameters[2] =
      (struct ts_parameter){.name = "T1", .help = "", .type = TS_VALUE_REAL, .default_value = ts_value_real(5)};
  parameters[3] = (struct ts_parameter){.name = "mode",
                                        .help = "",
                                        .type = TS_VALUE_STRING,
                                        .choices = modes,
                                        .choice_count = 2,
                                        .default_value = modes[1]};
  constraint = (struct ts_constraint){.text = "minSize < maxSize", .left = 0, .right = 1, .comparison = TS_LESS};
  workflow = (struct ts_workflow){.file = "workflow.json",
                                  .name = "nuclei",
                                  .parameters = parameters,
                                  .parameter_count = 4,
                                  .constraints = &constraint,
                                  .constraint_count = 1};
  return 0;
}

static bool read_text(struct ts_design *design, const char *text, struct ts_faults *faults) {
  char path[] = P_tmpdir "/tessera-design-XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  struct ts_error err = {0};
  assert_true(ts_file_write(path, text, strlen(text), &err));
  bool ok = ts_design_read_csv(design, &workflow, path, faults);
  unlink(path);
  return ok;
}

static void reads_columns_in_any_order(void **state) {
  (void)state;
  struct ts_design design;
  struct ts_faults faults = {0};
  assert_true(read_text(&design, "mode,minSize,T1\n\"fast, rough\",20,5.5\nslow,7,1e-3\n", &faults));
  assert_int_equal(design.row_count, 2);
  assert_int_equal(design.column_count, 3);
  assert_string_equal(design.names[0], "mode");
  assert_string_equal(design.names[2], "T1");
  assert_string_equal(design.values[0].as.string, "fast, rough");
  assert_int_equal(design.values[1].as.integer, 20);
  assert_int_equal(design.levels[1], 1);
  assert_int_equal(design.values[4].as.integer, 7); /* in the domain, though not on the grid */
  assert_int_equal(design.levels[4], -1);
  assert_true(design.values[5].as.real == 1e-3);
  assert_true(isnan(design.unit[0]) && isnan(design.unit[5]));
  ts_design_release(&design);
  ts_faults_release(&faults);
}

struct expected {
  enum ts_error_code code;
  int line, column;
};

static void faults_are(const char *text, const struct expected *expected, size_t count) {
  struct ts_design design;
  struct ts_faults faults = {0};
  assert_false(read_text(&design, text, &faults));
  ts_faults_sort(&faults);
  assert_int_equal(faults.count, count);
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(faults.items[i].code, expected[i].code);
    assert_int_equal(faults.items[i].where.line, expected[i].line);
    assert_int_equal(faults.items[i].where.column, expected[i].column);
    assert_non_null(strstr(faults.items[i].where.file, "tessera-design-"));
  }
  ts_faults_release(&faults);
}

static void names_line_and_column_of_every_fault(void **state) {
  (void)state;
  const struct expected cells[] = {{TS_ERR_OUTSIDE_DOMAIN, 2, 17}, {TS_ERR_BAD_VALUE, 3, 6}, {TS_ERR_BAD_VALUE, 3, 10}};
  faults_are("mode,T1,minSize\n\"fast, rough\",1,140\nslow,abc,2.5\n", cells, 3);
}

static void finds_cells_behind_quotes_and_wide_characters(void **state) {
  (void)state;
  parameters[3].choices = NULL;
  const struct expected cells[] = {{TS_ERR_BAD_VALUE, 3, 6}, {TS_ERR_BAD_VALUE, 4, 5}};
  faults_are("\xef\xbb\xbfmode,T1\r\n\"a \"\"b\"\"\nc,d\",x\r\n\xc3\xa4\xc3\xb6\xc3\xbc,y\r\n", cells, 2);
  parameters[3].choices = modes;
}

static void names_faults_of_the_header(void **state) {
  (void)state;
  const struct expected header[] = {{TS_ERR_UNKNOWN_PARAMETER, 1, 4}, {TS_ERR_DUPLICATE_NAME, 1, 12}};
  faults_are("T1,minsize,T1\n1,2,3\n", header, 2);
  struct ts_design design;
  struct ts_faults faults = {0};
  assert_false(read_text(&design, "minsize\n1\n", &faults));
  assert_non_null(strstr(faults.items[0].help, "did you mean 'minSize'"));
  ts_faults_release(&faults);
}

static void rows_must_satisfy_the_constraints(void **state) {
  (void)state;
  const struct expected rows[] = {{TS_ERR_CONSTRAINT, 2, 1}, {TS_ERR_CONSTRAINT, 4, 1}};
  faults_are("minSize,maxSize\n30,20\n20,30\n50,50\n", rows, 2);
  const struct expected with_default[] = {{TS_ERR_CONSTRAINT, 3, 1}}; /* maxSize is 50 by default */
  faults_are("minSize\n49\n51\n", with_default, 1);
}

static void wants_rows_and_a_readable_file(void **state) {
  (void)state;
  const struct expected none[] = {{TS_ERR_BAD_VALUE, 1, 1}};
  faults_are("T1\n", none, 1);
  struct ts_design design;
  struct ts_faults faults = {0};
  assert_false(ts_design_read_csv(&design, &workflow, "/nowhere/design.csv", &faults));
  assert_int_equal(faults.items[0].code, TS_ERR_FILE_NOT_FOUND);
  ts_faults_release(&faults);
  faults = (struct ts_faults){0};
  assert_false(read_text(&design, "T1,mode\n1\n", &faults));
  assert_int_equal(faults.items[0].code, TS_ERR_CSV_SYNTAX);
  assert_int_equal(faults.items[0].where.line, 2);
  ts_faults_release(&faults);
}

static void derives_unit_coordinates(void **state) {
  (void)state;
  struct ts_design design;
  struct ts_faults faults = {0};
  assert_true(read_text(&design, "u_minSize,minSize,T1\n,20,5.5\n0.4,20,1\n,7,1\n", &faults));
  assert_int_equal(design.column_count, 2);
  assert_string_equal(design.names[0], "minSize");
  assert_true(design.unit[0] == 0.5); /* the middle of the second of three levels */
  assert_true(design.unit[2] == 0.4); /* as given */
  assert_true(isnan(design.unit[4]) && isnan(design.unit[1]));
  ts_design_release(&design);
  ts_faults_release(&faults);
  const struct expected cells[] = {{TS_ERR_BAD_VALUE, 2, 1}, {TS_ERR_BAD_VALUE, 3, 1}};
  faults_are("u_minSize,minSize\n1.5,20\nx,20\n", cells, 2);
  const struct expected header[] = {{TS_ERR_UNKNOWN_PARAMETER, 1, 4}};
  faults_are("T1,u_minSize\n1,0.5\n", header, 1);
}

static void what_is_written_reads_back(void **state) {
  (void)state;
  const char *text = "mode,minSize,T1\n\"fast, rough\",20,5.5\nslow,7,0.1\n";
  struct ts_design design, again;
  struct ts_faults faults = {0};
  struct ts_str out = {0};
  assert_true(read_text(&design, text, &faults));
  design_write_csv(&design, &out);
  assert_string_equal(ts_str_get(&out), text);
  assert_true(read_text(&again, ts_str_get(&out), &faults));
  for (size_t cell = 0; cell < 6; cell++) assert_true(ts_value_equal(&design.values[cell], &again.values[cell]));
  ts_str_release(&out);
  ts_design_release(&design);
  ts_design_release(&again);
  ts_faults_release(&faults);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_columns_in_any_order),
      cmocka_unit_test(names_line_and_column_of_every_fault),
      cmocka_unit_test(finds_cells_behind_quotes_and_wide_characters),
      cmocka_unit_test(names_faults_of_the_header),
      cmocka_unit_test(rows_must_satisfy_the_constraints),
      cmocka_unit_test(wants_rows_and_a_readable_file),
      cmocka_unit_test(derives_unit_coordinates),
      cmocka_unit_test(what_is_written_reads_back),
  };
  return cmocka_run_group_tests(tests, make_workflow, NULL);
}
