/* Tests of report/findings.c and answer.c: over random results of all methods, no sentence contradicts its table.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The oracle below is written from the definitions in docs/report.md and looks at the table only; the sentence is read
 * back by read_sentence.h. Neither calls what judges. */
#include "report/report.h"
#include "report/result.h"

#include "base/random.h"
#include "read_sentence.h"

#define RESULTS      10000
#define RENDER_EVERY 25 /* of them also as a page: 400 pages take some 0.3 s */
#define MOST_NAMES   20
#define RESULT_SEED  20

/* What the documents say of the methods. */
struct facts {
  const char *method, *measure, *column, *level; /* level: the fact that states that of an inert input */
  bool has_sign, zero_is_exact, has_intervals;
};
static const struct facts all_facts[] = {
    {"morris", "mu*", "mu_star", NULL, false, true, true},
    {"vbd", "ST", "ST", NULL, false, true, true},
    {"dgsm", "dgsm", "dgsm", NULL, false, true, true},
    {"correlation", "prcc", "prcc", NULL, true, false, true},
    {"regression", "src", "src", NULL, true, false, true},
    {"pawn", "median", "median", "mean of an inert input", false, false, true},
    {"delta", "delta", "delta", "delta of an inert input", false, false, true},
    {"fast", "ST", "ST", NULL, false, false, false},
    {"rbd-fast", "S1", "S1", NULL, false, false, true},
    {"given-data", "S1", "S1", NULL, false, false, true},
    {"pce", "ST", "ST", NULL, false, false, true},
};

enum kind { DECIDING, SMALLER, BELOW, NONE, UNCLEAR, UNKNOWN, KINDS };

struct row {
  double value, low, high;
  size_t usable;
};

struct table {
  const struct facts *facts;
  struct row rows[MOST_NAMES];
  size_t count;
  double level;
};

/* ---- the oracle ---- */

static double size(const struct table *table, double value) { return table->facts->has_sign ? fabs(value) : value; }

static bool known(const struct row *row) { return isfinite(row->low) && isfinite(row->high); }

static double upper_end(const struct table *table, const struct row *row) {
  if (!known(row)) return size(table, row->value);
  return table->facts->has_sign ? fmax(fabs(row->low), fabs(row->high)) : row->high;
}

static double largest_of(const struct table *table) {
  double largest = 0;
  for (size_t i = 0; i < table->count; i++) {
    if (isfinite(table->rows[i].value)) largest = fmax(largest, size(table, table->rows[i].value));
  }
  return largest;
}

/* Whether the interval (or the index, without one) is apart from what an inert input gives. */
static bool measured(const struct table *table, const struct row *row) {
  if (!known(row)) return size(table, row->value) > table->level;
  if (table->facts->has_sign) return !(row->low <= 0 && row->high >= 0);
  return row->low > table->level;
}

static enum kind kind_of(const struct table *table, const struct row *row) {
  double unit = largest_of(table) - table->level, above = size(table, row->value) - table->level;
  if (!isfinite(row->value)) return UNKNOWN;
  double end_above = upper_end(table, row) - table->level;
  if (measured(table, row)) {
    if (known(row) && end_above < 0.05 * unit) return BELOW;
    return above > 0 && above >= 0.2 * unit ? DECIDING : SMALLER;
  }
  if (!known(row)) return row->usable > 1 ? NONE : UNCLEAR;
  if (row->value == table->level && row->high <= table->level) return NONE;
  if (table->facts->zero_is_exact) return end_above < 0.05 * unit ? NONE : UNCLEAR;
  return unit > 0 && above >= 0.2 * unit ? UNCLEAR : NONE;
}

/* ---- random results ---- */

static double uniform(struct ts_random *random, double from, double to) {
  return from + (to - from) * ts_random_unit(random);
}

static bool chance(struct ts_random *random, double share) { return ts_random_unit(random) < share; }

static void draw_row(struct ts_random *random, const struct table *table, double scale, struct row *row) {
  const struct facts *facts = table->facts;
  double value = scale * pow(uniform(random, 0, 1), 1 + 5 * uniform(random, 0, 1));
  if (chance(random, 0.15)) value = 0;
  if (chance(random, 0.1)) value = scale * (double)ts_random_below(random, 6) / 5; /* ties, and shares exactly met */
  if (table->level > 0 && chance(random, 0.4)) value = table->level * uniform(random, 0.7, 1.2);
  if (facts->has_sign && chance(random, 0.5)) value = -value;
  if (!facts->has_sign && !facts->zero_is_exact && chance(random, 0.1)) value = -value / 10;
  double below = scale * pow(uniform(random, 0, 0.6), 3), above = scale * pow(uniform(random, 0, 0.6), 3);
  if (chance(random, 0.2)) below = above = value == 0 ? 0 : fabs(value) * uniform(random, 0, 0.1);
  if (facts->zero_is_exact && value == 0) below = above = 0;
  *row = (struct row){value, value - below, value + above, 2 + (size_t)ts_random_below(random, 200)};
  if (facts->zero_is_exact) row->low = fmax(row->low, 0);
  if (!facts->has_intervals || chance(random, 0.03)) row->low = row->high = NAN;
  if (chance(random, 0.02)) row->high = NAN; /* one end only */
  if (chance(random, 0.05)) row->usable = 1;
  if (chance(random, 0.05)) *row = (struct row){NAN, NAN, NAN, 0};
}

static void draw_table(struct ts_random *random, struct table *table) {
  size_t methods = sizeof all_facts / sizeof *all_facts;
  *table = (struct table){.facts = &all_facts[ts_random_below(random, methods)],
                          .count = 1 + (size_t)ts_random_below(random, MOST_NAMES)};
  bool is_effect = strcmp(table->facts->method, "morris") == 0 || strcmp(table->facts->method, "dgsm") == 0;
  double scale = is_effect ? pow(10, uniform(random, -6, 9)) : 1;
  if (table->facts->level) table->level = uniform(random, 0.01, 0.3);
  bool flat = chance(random, 0.02), lost = chance(random, 0.01);
  for (size_t i = 0; i < table->count; i++) {
    draw_row(random, table, scale, &table->rows[i]);
    if (flat) table->rows[i] = (struct row){0, 0, 0, 10};
    if (lost) table->rows[i] = (struct row){NAN, NAN, NAN, 0};
  }
}

/* ---- from the table to the code's structures ---- */

static const char *const names[] = {"p0",  "p1",  "p2",  "p3",  "p4",  "p5",  "p6",  "p7",  "p8",  "p9",
                                    "p10", "p11", "p12", "p13", "p14", "p15", "p16", "p17", "p18", "p19"};

static void fill_indices(const struct table *table, struct ts_indices *indices) {
  struct ts_error err = {0};
  const struct ts_method *method = ts_method_find(table->facts->method, &err);
  struct ts_runs runs = {.names = names, .parameter_count = table->count, .group_count = table->count};
  struct ts_analysis_options options = {0};
  ts_indices_init(indices, method, &runs, &options);
  size_t column = ts_indices_column(indices, table->facts->column);
  for (size_t i = 0; i < table->count; i++) {
    const struct row *row = &table->rows[i];
    indices->cells[i * indices->column_count + column] = (struct ts_index){row->value, row->low, row->high};
    indices->usable[i] = row->usable;
  }
  if (!table->facts->level) return;
  indices->facts[0].name = table->facts->level;
  indices->facts[0].value = table->level;
  indices->fact_count = 1;
}

/* ---- checking ---- */

static size_t count_of(const struct table *table, enum kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < table->count; i++) count += kind_of(table, &table->rows[i]) == kind;
  return count;
}

/* The largest size (or upper end) of a kind. */
static double most_of(const struct table *table, enum kind kind, bool upper) {
  double most = 0;
  for (size_t i = 0; i < table->count; i++) {
    const struct row *row = &table->rows[i];
    if (kind_of(table, row) != kind) continue;
    most = fmax(most, upper ? upper_end(table, row) : size(table, row->value));
  }
  return most;
}

/* Two digits, rounded up: never below, less than 10 % above. */
static void check_limit(const struct table *table, const struct read_clause *clause, enum kind kind) {
  if (clause->count == 0) return;
  bool upper = kind != SMALLER;
  double most = most_of(table, kind, upper);
  bool zero = true, intervals = false;
  for (size_t i = 0; i < table->count; i++) {
    const struct row *row = &table->rows[i];
    intervals = intervals || (known(row) && isfinite(row->value));
    if (kind_of(table, row) == kind)
      zero = zero && row->value == 0 && !(fabs(row->low) > 0) && !(fabs(row->high) > 0); /* NaN: not shown */
  }
  assert_int_equal(clause->is_zero, zero && kind == NONE);
  if (clause->is_zero) return;
  assert_int_equal(clause->of_upper_ends, upper && intervals);
  if (!clause->of_upper_ends && kind == NONE) most = fmax(most, table->level); /* no intervals: at most the level */
  assert_true(clause->limit >= most * (1 - 1e-9) && clause->limit <= most * 1.1001);
}

static void check_names(const struct table *table, const struct read_names *read, enum kind kind) {
  double last = INFINITY;
  for (size_t i = 0; i < read->count; i++) {
    assert_true(read->items[i] < table->count);
    const struct row *row = &table->rows[read->items[i]];
    assert_int_equal(kind_of(table, row), kind);
    assert_true(size(table, row->value) <= last); /* largest first */
    last = size(table, row->value);
    for (size_t k = 0; k < i; k++) assert_true(read->items[k] != read->items[i]);
    if (!isnan(read->values[i])) assert_true(fabs(read->values[i] - row->value) <= 0.05 * fabs(row->value));
  }
}

/* Those that are named first are the largest, and nothing said of the others exceeds them. */
static void check_order(const struct table *table, const struct read_sentence *sentence) {
  double least = INFINITY;
  for (size_t i = 0; i < table->count; i++) {
    if (kind_of(table, &table->rows[i]) == DECIDING) least = fmin(least, size(table, table->rows[i].value));
  }
  if (sentence->deciding.count == 0) return;
  for (size_t i = 0; i < table->count; i++) {
    enum kind kind = kind_of(table, &table->rows[i]);
    if (kind == SMALLER || kind == BELOW || kind == NONE) assert_true(size(table, table->rows[i].value) < least);
  }
}

/* Intervals of sizes that touch. */
static bool overlap(const struct table *table, const struct row *a, const struct row *b) {
  double a_low = a->low, a_high = a->high, b_low = b->low, b_high = b->high;
  if (!known(a) || !known(b)) return true;
  if (table->facts->has_sign) { /* deciding ones do not contain 0 */
    a_low = fmin(fabs(a->low), fabs(a->high)), a_high = fmax(fabs(a->low), fabs(a->high));
    b_low = fmin(fabs(b->low), fabs(b->high)), b_high = fmax(fabs(b->low), fabs(b->high));
  }
  return a_low <= b_high && b_low <= a_high;
}

static void check_chains(const struct table *table, const struct read_sentence *sentence) {
  for (size_t c = 0; c < sentence->chain_count; c++) {
    const struct read_names *chain = &sentence->chains[c];
    check_names(table, chain, DECIDING);
    assert_true(size_of_names(chain) >= 2);
    for (size_t i = 0; i + 1 < chain->count; i++)
      assert_true(overlap(table, &table->rows[chain->items[i]], &table->rows[chain->items[i + 1]]));
  }
}

static void check_share(const struct table *table, const struct read_sentence *sentence) {
  double sum = 0, deciding = 0;
  if (isnan(sentence->share)) return;
  for (size_t i = 0; i < table->count; i++) {
    if (!isfinite(table->rows[i].value)) continue;
    sum += table->rows[i].value;
    if (kind_of(table, &table->rows[i]) == DECIDING) deciding += table->rows[i].value;
  }
  assert_true(fabs(sentence->share - deciding / sum) <= 0.0051);
}

/* Nobody whose interval stays clear of an inert input is among those without a measurable effect. */
static void check_none(const struct table *table, const struct ts_findings *findings) {
  for (size_t i = 0; i < findings->count; i++) {
    const struct ts_finding_row *row = &findings->rows[i];
    if (row->finding != TS_FINDING_NONE) continue;
    double low = row->index.low, high = row->index.high;
    if (!isfinite(low) || !isfinite(high))
      assert_true(size(table, row->index.value) <= table->level);
    else if (table->facts->has_sign)
      assert_true(low <= 0 && high >= 0);
    else
      assert_true(low <= table->level);
  }
}

static void check_sentence(const struct table *table, const char *text) {
  struct read_sentence sentence;
  read_sentence(text, table->facts->measure, &sentence);
  assert_int_equal(sentence.nothing_known, count_of(table, UNKNOWN) == table->count);
  if (sentence.nothing_known) return;
  const struct read_clause *clauses[] = {&sentence.deciding, &sentence.smaller, &sentence.below,
                                         &sentence.none,     &sentence.unclear, &sentence.unknown};
  for (size_t kind = DECIDING; kind < KINDS; kind++)
    assert_int_equal(clauses[kind]->count, count_of(table, (enum kind)kind));
  for (size_t kind = SMALLER; kind <= UNCLEAR; kind++) check_limit(table, clauses[kind], (enum kind)kind);
  check_names(table, &sentence.deciding.names, DECIDING);
  check_names(table, &sentence.smaller.names, SMALLER);
  check_names(table, &sentence.unclear.names, UNCLEAR);
  if (sentence.none.has_lower) assert_int_equal(sentence.none.contains_zero, table->facts->has_sign);
  if (sentence.none.has_lower) assert_true(fabs(sentence.none.inert - table->level) <= 0.005 * table->level);
  if (sentence.none.count > 0) /* S1 does not see what a parameter does only together with others */
    assert_int_equal(sentence.none.of_their_own, strcmp(table->facts->measure, "S1") == 0);
  if (sentence.none_at_all) assert_int_equal(sentence.none.count + sentence.unknown.count, table->count);
  check_order(table, &sentence);
  check_chains(table, &sentence);
  check_share(table, &sentence);
}

/* ---- the page ---- */

static json_t *real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *page_result(const struct table *table, const struct ts_findings *findings, const char *answer) {
  json_t *indices = json_array(), *order = json_array();
  for (size_t i = 0; i < table->count; i++) {
    const struct row *row = &table->rows[i];
    json_t *object = json_pack("{s:s, s:I}", "name", names[i], "n", (json_int_t)row->usable);
    char key[64];
    json_object_set_new(object, table->facts->column, real(row->value));
    snprintf(key, sizeof key, "%s_lo", table->facts->column);
    json_object_set_new(object, key, real(row->low));
    snprintf(key, sizeof key, "%s_hi", table->facts->column);
    json_object_set_new(object, key, real(row->high));
    json_array_append_new(indices, object);
    json_array_append_new(order, json_string(findings->rows[i].name));
  }
  json_t *facts = json_object();
  if (table->facts->level) json_object_set_new(facts, table->facts->level, json_real(table->level));
  json_t *analysis =
      json_pack("{s:i, s:s, s:s, s:s, s:s, s:[s], s:s, s:o, s:o, s:o}", "phase", 1, "method", table->facts->method,
                "output", "o", "label", WHAT, "file", "", "columns", table->facts->column, "rank_by",
                table->facts->column, "indices", indices, "order", order, "facts", facts);
  return json_pack("{s:s, s:s, s:[o]}", "schema", "tessera.study/2", "answer", answer, "analyses", analysis);
}

/* The words of a parameter's last cell. */
static void check_cell(const char *page, const char *name, const char *expected) {
  char head[64];
  snprintf(head, sizeof head, "<th scope=\"row\">%s</th>", name);
  const char *row = strstr(page, head);
  assert_non_null(row);
  const char *end = strstr(row, "</td></tr>");
  assert_non_null(end);
  const char *cell = end;
  while (*cell != '>') cell--;
  if (strncmp(cell + 1, expected, strlen(expected)) != 0 || cell + 1 + strlen(expected) != end)
    fail_msg("%s: '%.*s' instead of '%s'", name, (int)(end - cell - 1), cell + 1, expected);
}

static void check_page(const struct table *table, const struct ts_findings *findings, const char *answer) {
  static const char *const words[KINDS] = {
      "decides", "smaller", "below 5\xc2\xa0% of the largest", "no measurable effect", "not clear", "unknown"};
  json_t *result = page_result(table, findings, answer);
  struct ts_str html = {0};
  struct ts_error err = {0};
  assert_true(ts_report_write(result, NULL, 0, &html, &err));
  size_t counts[KINDS] = {0};
  bool intervals = false;
  for (size_t i = 0; i < table->count; i++) {
    enum kind kind = kind_of(table, &table->rows[i]);
    counts[kind]++;
    intervals = intervals || (kind != UNKNOWN && known(&table->rows[i]));
    check_cell(ts_str_get(&html), names[i], words[kind]);
  }
  char card[128];
  snprintf(card, sizeof card, "<b>%zu of %zu</b><span>%s", counts[DECIDING] + counts[SMALLER] + counts[BELOW],
           table->count,
           table->count == 1 ? "parameter has a measurable effect" : "parameters have a measurable effect");
  assert_int_equal(strstr(ts_str_get(&html), card) != NULL, intervals);
  assert_int_equal(strstr(ts_str_get(&html), "<dt>Not clear</dt>") != NULL, counts[UNCLEAR] > 0);
  assert_int_equal(strstr(ts_str_get(&html), "<dt>No measurable effect</dt>") != NULL, counts[NONE] > 0);
  ts_str_release(&html);
  json_decref(result);
}

static void check_result(size_t number) {
  struct ts_random random;
  struct table table;
  struct ts_indices indices;
  struct ts_findings findings;
  struct ts_str text = {0};
  ts_random_init(&random, RESULT_SEED, number);
  draw_table(&random, &table);
  fill_indices(&table, &indices);
  ts_findings_of_indices(&findings, &indices);
  ts_answer(&findings, WHAT, &text);
  for (size_t i = 0; i < findings.count; i++) {
    size_t at = (size_t)strtoul(findings.rows[i].name + 1, NULL, 10);
    assert_int_equal(findings.rows[i].finding, kind_of(&table, &table.rows[at]));
  }
  check_none(&table, &findings);
  check_sentence(&table, ts_str_get(&text));
  if (number % RENDER_EVERY == 0) check_page(&table, &findings, ts_str_get(&text));
  ts_str_release(&text);
  ts_findings_release(&findings);
  ts_indices_release(&indices);
}

static void no_sentence_contradicts_its_table(void **state) {
  (void)state;
  for (size_t i = 0; i < RESULTS; i++) check_result(i);
}

/* The generator would not prove much if a kind hardly occurred. */
static void every_kind_occurs_with_every_method(void **state) {
  (void)state;
  size_t seen[sizeof all_facts / sizeof *all_facts][KINDS] = {{0}};
  for (size_t number = 0; number < RESULTS; number++) {
    struct ts_random random;
    struct table table;
    ts_random_init(&random, RESULT_SEED, number);
    draw_table(&random, &table);
    for (size_t i = 0; i < table.count; i++) seen[table.facts - all_facts][kind_of(&table, &table.rows[i])]++;
  }
  for (size_t m = 0; m < sizeof all_facts / sizeof *all_facts; m++) {
    for (size_t kind = DECIDING; kind < KINDS; kind++) {
      if (kind == BELOW && !all_facts[m].has_intervals) continue;
      if (seen[m][kind] < 20) fail_msg("%s: kind %zu occurs %zu times", all_facts[m].method, kind, seen[m][kind]);
    }
  }
}

/* Each method's own contract agrees with what the documents say of it. */
static void methods_are_as_documented(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof all_facts / sizeof *all_facts; i++) {
    struct ts_error err = {0};
    const struct ts_method *method = ts_method_find(all_facts[i].method, &err);
    struct ts_measure measure = ts_measure_of(method, method->rank_by, NAN);
    assert_string_equal(measure.name, all_facts[i].measure);
    assert_int_equal(measure.has_sign, all_facts[i].has_sign);
    assert_int_equal(measure.zero_is_exact, all_facts[i].zero_is_exact);
  }
  size_t count = 0;
  while (ts_methods[count]) count++;
  assert_int_equal(count, sizeof all_facts / sizeof *all_facts);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(methods_are_as_documented),
      cmocka_unit_test(every_kind_occurs_with_every_method),
      cmocka_unit_test(no_sentence_contradicts_its_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
