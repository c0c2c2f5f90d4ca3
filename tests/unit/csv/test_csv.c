/* CSV: RFC 4180 by example, places of faults, round trips of random tables, random bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/random.h"
#include "csv/csv.h"

static bool parse(struct ts_csv *csv, const char *text, struct ts_error *err) {
  return ts_csv_parse(csv, "t.csv", text, strlen(text), err);
}

/* All cells joined: cells by |, rows by newline with their line number. */
static char *flat(const struct ts_csv *csv) {
  struct ts_str out = {0};
  for (size_t c = 0; c < csv->column_count; c++) ts_str_addf(&out, "%s|", csv->header[c]);
  for (size_t r = 0; r < csv->row_count; r++) {
    ts_str_addf(&out, "\n%d:", csv->lines[r]);
    for (size_t c = 0; c < csv->column_count; c++) ts_str_addf(&out, "%s|", csv->rows[r][c]);
  }
  return ts_str_detach(&out);
}

static void tables_are_read(void **state) {
  (void)state;
  static const struct {
    const char *text, *expected;
  } cases[] = {
      {"a,b\n1,2\n3,4\n", "a|b|\n2:1|2|\n3:3|4|"},
      {"a,b\r\n1,2\r\n3,4", "a|b|\n2:1|2|\n3:3|4|"},
      {"a,b\r1,2\r", "a|b|\n2:1|2|"},
      {"\xEF\xBB\xBF"
       "a\n1\n",
       "a|\n2:1|"},
      {"a,b\n,\n", "a|b|\n2:||"},
      {"a\n\n\n1\n\n", "a|\n4:1|"},
      {"\n\na\n1", "a|\n4:1|"},
      {"a\n\"\"\n", "a|\n2:|"},
      {"a,b\n\"1,2\",\"say \"\"hi\"\"\"\n", "a|b|\n2:1,2|say \"hi\"|"},
      {"a,b\n\"x\ny\r\nz\",1\n5,6\n", "a|b|\n2:x\ny\r\nz|1|\n5:5|6|"},
      {"\"a\n1\",b\n1,2\n", "a\n1|b|\n3:1|2|"},
      {"a, b\n 1 ,\t2\t \n\" x \",  \n", "a|b|\n2:1|2|\n3: x ||"},
      {"a,b\r\"x\ry\",1\r\r5,6\r", "a|b|\n2:x\ry|1|\n5:5|6|"},
      {"K\xC3\xB6ln\n\xE2\x82\xAC\n", "K\xC3\xB6ln|\n2:\xE2\x82\xAC|"},
      {"a,b\n", "a|b|"},
      {"a", "a|"},
      {"a,\n1,\n", "a||\n2:1||"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct ts_csv csv;
    struct ts_error err = {0};
    if (!parse(&csv, cases[i].text, &err)) fail_msg("case %zu: %s", i, err.text);
    ts_auto_free char *text = flat(&csv);
    assert_string_equal(text, cases[i].expected);
    ts_csv_release(&csv);
  }
}

static void faults_have_places(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line, column;
    const char *says;
  } cases[] = {
      {"", 1, 1, "no header"},
      {"\n\n", 3, 1, "no header"},
      {"\xEF\xBB\xBF", 1, 1, "no header"},
      {"a,b\n1,2\n3\n", 3, 1, "1 cell where the header has 2"},
      {"a,b\n1,2,3\n", 2, 1, "3 cells where the header has 2"},
      {"a\n\"x\ny\",2\n", 2, 1, "2 cells where the header has 1"},
      {"a,b\n1,\"x\ny\n", 2, 3, "never closed"},
      {"a,b\n\xC3\xA9,\"x\"y\n", 2, 6, "after a closing"},
      {"a,b\n\"1\n2\"x,2\n", 3, 3, "after a closing"},
      {"a,b\n1,x\"y\"\n", 2, 4, "inside a cell"},
      {"a,b\r1,2\r3,x\"\r", 3, 4, "inside a cell"},
      {"a,b\n1, \"x\"\n", 2, 4, "inside a cell"},
      {"a\nx\n\xFF\n", 3, 1, "UTF-8"},
      {"a\rx\r\xFF\r", 3, 1, "UTF-8"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct ts_csv csv;
    struct ts_error err = {0};
    if (parse(&csv, cases[i].text, &err)) fail_msg("case %zu was accepted", i);
    assert_error(&err, TS_ERR_CSV_SYNTAX);
    assert_place(&err, "t.csv", cases[i].line, cases[i].column);
    if (!strstr(err.text, cases[i].says)) fail_msg("'%s' does not say '%s'", err.text, cases[i].says);
    assert_null(csv.header);
    assert_int_equal(csv.row_count, 0);
  }
  struct ts_csv csv;
  struct ts_error err = {0};
  assert_false(ts_csv_parse(&csv, "t.csv", "a\nb\0c\n", 6, &err));
  assert_error(&err, TS_ERR_CSV_SYNTAX);
  assert_place(&err, "t.csv", 2, 1);
}

static void files_are_read(void **state) {
  (void)state;
  char folder[64];
  scratch_create(folder);
  ts_auto_free char *path = ts_path_join(folder, "t.csv");
  struct ts_csv csv;
  struct ts_error err = {0};
  assert_false(ts_csv_read(&csv, path, &err));
  assert_error(&err, TS_ERR_FILE_NOT_FOUND);
  ts_csv_release(&csv);
  ts_error_clear(&err);
  assert_true(ts_file_write(path, "a\n1\n", 4, &err));
  assert_true(ts_csv_read(&csv, path, &err));
  assert_int_equal(csv.row_count, 1);
  ts_csv_release(&csv);
  assert_true(ts_file_write(path, "a\n1,2\n", 6, &err));
  assert_false(ts_csv_read(&csv, path, &err));
  assert_place(&err, path, 2, 1);
  scratch_remove(folder);
}

static void cells_are_quoted_when_needed(void **state) {
  (void)state;
  struct ts_str out = {0};
  ts_csv_add_cell(&out, "plain text", true);
  ts_csv_add_cell(&out, "", false);
  ts_csv_add_cell(&out, "a,b", false);
  ts_csv_add_cell(&out, "say \"hi\"", false);
  ts_csv_add_cell(&out, "two\nlines", false);
  ts_csv_add_cell(&out, "cr\r", false);
  assert_string_equal(ts_str_get(&out), "plain text,,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\"cr\r\"");
  ts_str_clear(&out);
  ts_csv_add_cell(&out, "", true);
  assert_string_equal(ts_str_get(&out), "\"\"");
  ts_str_clear(&out);
  /* A name that begins with a byte order mark must not lose it to the reader. */
  ts_csv_add_cell(&out, "\xEF\xBB\xBFname", true);
  ts_csv_add_cell(&out, "\xEF\xBB\xBFname", false);
  assert_string_equal(ts_str_get(&out), "\"\xEF\xBB\xBFname\",\xEF\xBB\xBFname");
  ts_str_release(&out);
}

/* What a spreadsheet takes for a formula is text again; numbers stay numbers. */
static void formulas_are_neutralised(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"=HYPERLINK(\"http://x\")", "\"'=HYPERLINK(\"\"http://x\"\")\""},
      {"+1+cmd", "\"'+1+cmd\""},
      {"-2-3", "\"'-2-3\""},
      {"@SUM(A1)", "\"'@SUM(A1)\""},
      {"\t=1", "\"'\t=1\""},
      {"\r=1", "\"'\r=1\""},
      {"=", "\"'=\""},
      {"-", "\"'-\""},
      {"--5", "\"'--5\""},
      {"'=1", "\"''=1\""},
      {"''@", "\"'''@\""},
      {"'-5", "\"''-5\""},
      {"-5", "-5"},
      {"+3", "+3"},
      {"-1.5e-3", "-1.5e-3"},
      {"-inf", "-inf"},
      {"a=b", "a=b"},
      {"'tis", "'tis"},
      {"'", "'"},
      {"''", "''"},
      {" =1", "\" =1\""},
      {"x\t", "\"x\t\""},
      {"1-2", "1-2"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    ts_auto(ts_str_release) struct ts_str out = {0};
    ts_csv_add_cell(&out, cases[i][0], true);
    assert_string_equal(ts_str_get(&out), cases[i][1]);
    ts_csv_add_cell(&out, cases[i][0], false);
    struct ts_csv csv;
    struct ts_error err = {0};
    assert_true(parse(&csv, ts_str_get(&out), &err));
    assert_int_equal(csv.column_count, 2);
    assert_string_equal(csv.header[0], cases[i][0]);
    assert_string_equal(csv.header[1], cases[i][0]);
    ts_csv_release(&csv);
  }
  ts_auto(ts_str_release) struct ts_str raw = {0};
  ts_csv_add_raw_cell(&raw, "=1", true);
  assert_string_equal(ts_str_get(&raw), "=1");
}

#define MAX_ROWS    8
#define MAX_COLUMNS 5

static void random_tables_survive_a_round_trip(void **state) {
  (void)state;
  static const char *const pieces[] = {"",         "a",    "\"",  ",", "\n", "\r\n", "\r", " ",
                                       "\xC3\xA9", "\"\"", "1.5", "=", "'",  "-",    "@",  "\t"};
  struct ts_random random;
  ts_random_init(&random, 10, 0);
  for (int round = 0; round < 1500; round++) {
    size_t columns = 1 + (size_t)ts_random_below(&random, MAX_COLUMNS);
    size_t rows = 1 + (size_t)ts_random_below(&random, MAX_ROWS);
    char cells[MAX_ROWS][MAX_COLUMNS][16] = {{{0}}};
    struct ts_str text = {0};
    for (size_t r = 0; r < rows; r++) {
      for (size_t c = 0; c < columns; c++) {
        for (int i = 0; i < 4; i++) strcat(cells[r][c], pieces[ts_random_below(&random, COUNT_OF(pieces))]);
        ts_csv_add_cell(&text, cells[r][c], c == 0);
      }
      ts_str_add(&text, (const char *[]){"\n", "\r\n", "\r"}[round % 3]);
    }
    struct ts_csv csv;
    struct ts_error err = {0};
    if (!ts_csv_parse(&csv, "r", ts_str_get(&text), text.length, &err)) fail_msg("%s", err.text);
    assert_int_equal(csv.column_count, columns);
    assert_int_equal(csv.row_count, rows - 1);
    for (size_t r = 0; r < rows; r++) {
      char **row = r == 0 ? csv.header : csv.rows[r - 1];
      for (size_t c = 0; c < columns; c++) assert_string_equal(row[c], cells[r][c]);
    }
    ts_csv_release(&csv);
    ts_str_release(&text);
  }
}

static void random_bytes_are_survived(void **state) {
  (void)state;
  static const char alphabet[] = "ab,,\"\"\n\n\r1 \xC3\xA9\xEF\xBB\xBF";
  struct ts_random random;
  ts_random_init(&random, 11, 0);
  size_t accepted = 0;
  for (int i = 0; i < 20000; i++) {
    char text[32];
    size_t length = (size_t)ts_random_below(&random, sizeof text);
    for (size_t k = 0; k < length; k++) {
      text[k] = i % 4 ? alphabet[ts_random_below(&random, sizeof alphabet - 1)] : (char)ts_random_below(&random, 256);
    }
    struct ts_csv csv;
    struct ts_error err = {0};
    bool ok = ts_csv_parse(&csv, "r", text, length, &err);
    assert_true(ok == (err.code == TS_ERR_OK));
    if (ok) {
      accepted++;
      ts_auto_free char *all = flat(&csv); /* touches every cell */
      assert_non_null(all);
    } else {
      assert_true(err.where.line >= 1 && err.where.column >= 1);
    }
    ts_csv_release(&csv);
  }
  assert_true(accepted > 500);
}

/* A random cell as it stands in a file, quoted or not; line and column are moved behind it. */
static void add_random_cell(struct ts_random *random, struct ts_str *text, int *line, int *column) {
  static const char *const pieces[] = {"a", "\xC3\xB6", " ", ",", "\n", "\r\n", "\"\"", ";"};
  bool quoted = ts_random_below(random, 2) == 0;
  size_t count = ts_random_below(random, 4);
  if (quoted) ts_str_add_char(text, '"');
  *column += quoted ? 1 : 0;
  for (size_t i = 0; i < count; i++) {
    size_t piece = ts_random_below(random, quoted ? COUNT_OF(pieces) : 3);
    ts_str_add(text, pieces[piece]);
    bool line_end = piece == 4 || piece == 5;
    *line += line_end ? 1 : 0;
    *column = line_end ? 1 : *column + (piece == 6 ? 2 : 1);
  }
  if (quoted) ts_str_add_char(text, '"');
  *column += quoted ? 1 : 0;
}

#define PLACES_EDGE 4 /* rows and columns at most */

struct places {
  size_t rows, columns;
  int starts[PLACES_EDGE]; /* lines of the rows */
  int cells[PLACES_EDGE][PLACES_EDGE][2];
  int end; /* the line behind the last one */
};

/* A random table; places are noted while it is written. */
static void write_random_table(struct ts_random *random, const char *line_end, struct ts_str *text, struct places *p) {
  int line = 1;
  p->rows = 1 + ts_random_below(random, PLACES_EDGE);
  p->columns = 2 + ts_random_below(random, PLACES_EDGE - 1);
  for (size_t r = 0; r < p->rows; r++, line++) {
    for (; ts_random_below(random, 4) == 0; line++) ts_str_add(text, line_end);
    p->starts[r] = line;
    int column = 1;
    for (size_t c = 0; c < p->columns; c++) {
      if (c > 0) ts_str_add_char(text, ',');
      column += c > 0 ? 1 : 0;
      p->cells[r][c][0] = line;
      p->cells[r][c][1] = column;
      add_random_cell(random, text, &line, &column);
    }
    ts_str_add(text, line_end);
  }
  p->end = line;
}

/* Marks, empty lines, line ends, quotes, characters of two bytes. */
static void cells_are_located(void **state) {
  (void)state;
  struct ts_random random;
  char folder[64];
  ts_random_init(&random, 11, 0);
  scratch_create(folder);
  ts_auto_free char *path = ts_path_join(folder, "t.csv");
  for (size_t t = 0; t < 200; t++) {
    ts_auto(ts_str_release) struct ts_str text = {0};
    struct places p = {0};
    int at[2] = {0};
    if (t % 4 == 0) ts_str_add(&text, "\xEF\xBB\xBF");
    write_random_table(&random, (const char *[]){"\n", "\r\n", "\r"}[t % 3], &text, &p);
    assert_true(ts_file_write(path, ts_str_get(&text), text.length, NULL));
    for (size_t i = 0; i < p.rows * p.columns; i++) {
      assert_true(ts_csv_locate(path, p.starts[i / p.columns], i % p.columns, &at[0], &at[1]));
      assert_memory_equal(at, p.cells[i / p.columns][i % p.columns], sizeof at);
    }
    assert_false(ts_csv_locate(path, p.starts[0], p.columns, &at[0], &at[1]));
    assert_false(ts_csv_locate(path, p.end, 0, &at[0], &at[1]));
  }
  scratch_remove(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_are_read),
      cmocka_unit_test(faults_have_places),
      cmocka_unit_test(files_are_read),
      cmocka_unit_test(cells_are_quoted_when_needed),
      cmocka_unit_test(cells_are_located),
      cmocka_unit_test(formulas_are_neutralised),
      cmocka_unit_test(random_tables_survive_a_round_trip),
      cmocka_unit_test(random_bytes_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
