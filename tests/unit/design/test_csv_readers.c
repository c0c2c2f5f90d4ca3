/* Small CSV files through both readers: a design for study and one for analyse mean the same, values and faults.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design.h"
#include "design/read_table.h"

#include "base/alloc.h"
#include "base/file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MARK "\xEF\xBB\xBF"

static const struct ts_value words[] = {{.type = TS_VALUE_STRING, .as.string = "slow"},
                                        {.type = TS_VALUE_STRING, .as.string = "a, b"},
                                        {.type = TS_VALUE_STRING, .as.string = "say \"hi\""},
                                        {.type = TS_VALUE_STRING, .as.string = "two\nlines"},
                                        {.type = TS_VALUE_STRING, .as.string = " x "},
                                        {.type = TS_VALUE_STRING, .as.string = "=1"},
                                        {.type = TS_VALUE_STRING, .as.string = "\xC3\xA9t\xC3\xA9"},
                                        {.type = TS_VALUE_STRING, .as.string = "3"}};
#define WORDS (sizeof words / sizeof *words)

static const struct ts_parameter parameters[] = {
    {.name = "x", .help = "", .type = TS_VALUE_REAL},
    {.name = "n", .help = "", .type = TS_VALUE_INTEGER},
    {.name = "flag", .help = "", .type = TS_VALUE_BOOLEAN},
    {.name = "word",
     .help = "",
     .type = TS_VALUE_STRING,
     .levels = words,
     .level_count = WORDS,
     .choices = words,
     .choice_count = WORDS},
    {.name = "w,\"2\"", .help = "", .type = TS_VALUE_REAL},
};
#define PARAMETERS (sizeof parameters / sizeof *parameters)

/* What a file means: numbers by '|', each row ends with ';' (words are their place above); or "LINE:COLUMN" of the
 * first fault. By hand from RFC 4180 and the rules in csv/scan.h. */
static const struct {
  const char *text, *means;
} files[] = {
    {"x\n1\n2.5\n", "1;2.5;"},
    {"x\n1\n2.5", "1;2.5;"},
    {"x\r\n1\r\n2.5\r\n", "1;2.5;"},
    {"x\r1\r2.5\r", "1;2.5;"},
    {"x\r1\r2.5", "1;2.5;"},
    {"x\r\n1\r2.5\n-3", "1;2.5;-3;"},
    {MARK "x,n\n1,2\n", "1|2;"},
    {MARK "\"x\",n\n1,2\n", "1|2;"},
    {"\n\nx,n\n\n1,2\n\n\n3,4\n\n", "1|2;3|4;"},
    {"x\n1\n\n2\n\n", "1;2;"},
    {"x\r\r1\r\r2\r", "1;2;"},
    {" x , n\n 1 ,\t2\t\n", "1|2;"},
    {"\"x\",\"n\"\n\"1\",\"2\"\n", "1|2;"},
    {"\"w,\"\"2\"\"\"\n7\n", "7;"},
    {"x\n+1\n-1e-3\n.5\n5.\n1E2\n007\n", "1;-0.001;0.5;5;100;7;"},
    {"n\n5\n5.0\n-3\n1e2\n", "5;5;-3;100;"},
    {"flag\ntrue\nFALSE\nTrue\n1\n0\n", "1;0;1;1;0;"},
    {"word\nslow\n\"a, b\"\n\"say \"\"hi\"\"\"\n3\n", "0;1;2;7;"},
    {"word,x\n\"two\nlines\",1\nslow,2\n", "3|1;0|2;"},
    {"word,x\r\"two\nlines\",1\rslow,2\r", "3|1;0|2;"},
    {"word\n slow \n\" x \"\n", "0;4;"},
    {"word\n'=1\n\"'=1\"\n=1\n", "5;5;5;"},
    {"word\n\xC3\xA9t\xC3\xA9\n", "6;"},
    {"x,word\n9007199254740993,slow\n", "9007199254740992|0;"},
    {"", "1:1"},
    {MARK, "1:1"},
    {"x,n\n1\n", "2:1"},
    {"x,n\n1,2\n1,2,3\n", "3:1"},
    {"x,n\n1,2\n ,\n", "3:1"},
    {"x,n\r1,2\r1\r", "3:1"},
    {"word,x\n\"two\nlines\",1\nslow\n", "4:1"},
    {"word,x\r\"two\nlines\",1\rslow\r", "4:1"},
    {"x,word\n1,\"slow\n", "2:3"},
    {"x,word\n1,\"slow\"er\n", "2:9"},
    {"x,word\n1,\"slow\" \n", "2:9"},
    {"word,x\n\xC3\xA9t\xC3\xA9,1\nslow,\"2\"3\n", "3:9"},
    {"x,word\n1,sl\"ow\"\n", "2:5"},
    {"x,word\n1, \"slow\"\n", "2:4"},
    {"x,n\n1,2\n1,2x\n", "3:3"},
    {"x,n\n\"1\n\",2\n", "2:1"},
    {"x\n0x10\n", "2:1"},
    {"x\n1,5\n", "2:1"},
    {"x\n1 2\n", "2:1"},
    {"x,n\n1,\n", "2:3"},
    {"x\nnan\n", "2:1"},
    {"x\n1\n-inf\n", "3:1"},
    {"x\n1\n1e999\n", "3:1"},
    {"flag\nyes\n", "2:1"},
    {"word\nslwo\n", "2:1"},
    {"word\nSLOW\n", "2:1"},
    {"x,word\n1,slow\n2,\xFF\n", "3:1"},
    {"x\r1\r\xC3\r", "3:1"},
    {"x,n,x\n1,2,3\n", "1:5"},
};
#define FILES (sizeof files / sizeof *files)

static void add_place(struct ts_str *out, const struct ts_error *err) {
  ts_str_clear(out);
  ts_str_addf(out, "%d:%d", err->where.line, err->where.column);
}

static double number_of(const struct ts_value *value, int64_t level) {
  switch (value->type) {
  case TS_VALUE_INTEGER: return (double)value->as.integer;
  case TS_VALUE_BOOLEAN: return value->as.boolean ? 1 : 0;
  case TS_VALUE_STRING: return (double)level;
  default: return value->as.real;
  }
}

static void read_for_study(const char *path, struct ts_str *out) {
  struct ts_workflow workflow = {
      .file = "workflow.json", .name = "w", .parameters = parameters, .parameter_count = PARAMETERS};
  struct ts_faults faults = {0};
  struct ts_design design;
  if (ts_design_read_csv(&design, &workflow, path, &faults)) {
    for (size_t i = 0; i < design.row_count * design.column_count; i++) {
      ts_str_add_double(out, number_of(&design.values[i], design.levels[i]));
      ts_str_add_char(out, (i + 1) % design.column_count == 0 ? ';' : '|');
    }
    ts_design_release(&design);
  } else {
    add_place(out, &faults.items[0]);
  }
  ts_faults_release(&faults);
}

/* As analyse has it: designs have no missing and no infinite values. */
static bool read_rows(struct ts_table_reader *table, struct ts_str *out, struct ts_error *err) {
  for (;;) {
    double row[PARAMETERS];
    bool has_row;
    if (!ts_table_reader_next(table, row, &has_row, err)) return false;
    if (!has_row) return true;
    for (size_t i = 0; i < table->chosen_count; i++) {
      if (!isfinite(row[i])) {
        ts_fail(err, TS_ERR_BAD_VALUE, "not a value");
        ts_table_reader_place(table, i, err);
        return false;
      }
      ts_str_add_double(out, row[i]);
      ts_str_add_char(out, i + 1 == table->chosen_count ? ';' : '|');
    }
  }
}

static void read_for_analyse(const char *path, struct ts_str *out) {
  struct ts_error err = {0};
  struct ts_table_reader table;
  if (!ts_table_reader_open(&table, path, &err)) {
    add_place(out, &err);
    return;
  }
  ts_table_reader_skip_empty_lines(&table);
  for (size_t c = 0; c < table.column_count; c++) {
    size_t i = 0;
    while (i < PARAMETERS && strcmp(parameters[i].name, table.names[c]) != 0) i++;
    assert_true(i < PARAMETERS);
    ts_table_reader_set_parameter(&table, c, &parameters[i]);
  }
  if (!read_rows(&table, out, &err)) add_place(out, &err);
  ts_table_reader_close(&table);
}

static void files_mean_the_same(void **state) {
  (void)state;
  char path[] = P_tmpdir "/tessera-csv-XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0);
  close(descriptor);
  for (size_t i = 0; i < FILES; i++) {
    ts_auto(ts_str_release) struct ts_str study = {0};
    ts_auto(ts_str_release) struct ts_str analyse = {0};
    assert_true(ts_file_write(path, files[i].text, strlen(files[i].text), NULL));
    read_for_study(path, &study);
    read_for_analyse(path, &analyse);
    if (strcmp(ts_str_get(&study), files[i].means) != 0 || strcmp(ts_str_get(&analyse), files[i].means) != 0) {
      fail_msg("file %zu means %s: study reads %s, analyse reads %s\n%s", i, files[i].means, ts_str_get(&study),
               ts_str_get(&analyse), files[i].text);
    }
  }
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_mean_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
