/* Tests of report/report.c, and the generator of the reports that tests/report looks at: test_report_report FOLDER.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include "base/file.h"
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "made_up_analyses.h"

static const char *const usual_names[] = {"G1", "T1", "T2", "minSize", "RC", "G2", "WC", "maxSize"};
static const double usual_sizes[] = {0.42, 0.31, 0.29, 0.18, 0.09, 0.03, 0.015, 0.01};
static const char *const usual_warnings[] = {
    "ranks 2 and 3 (T1, T2) overlap; 20 more trajectories would likely separate them"};
static const struct made_up usual = {.question = "Which parameters matter for nuclei segmentation?",
                                     .names = usual_names,
                                     .name_count = 8,
                                     .mu_star = usual_sizes,
                                     .trajectories = 10,
                                     .output_count = 2,
                                     .files = 1,
                                     .tiles_per_side = 4,
                                     .spans = 600,
                                     .workers = 8,
                                     .warnings = usual_warnings,
                                     .warning_count = 1};

static const char *const long_names[] = {"B",
                                         "G",
                                         "R",
                                         "a_parameter_with_a_very_long_name_that_somebody_generated",
                                         "T2",
                                         "G1",
                                         "G2",
                                         "minimal size of an object in square pixels",
                                         "maxSize",
                                         "minSizePl",
                                         "<script>alert(1)</script>",
                                         "minSizeSeg & Co.",
                                         "FH",
                                         "\xc3\x84\xc3\xb6\xc3\xbc \xe7\xb4\xb0\xe8\x83\x9e",
                                         "WConn"};
static const double long_sizes[] = {12345.6, 12340, 12300, 9876.5, 9000, 8999, 0.001, 4000,
                                    4001,    3999,  2500,  30,     0,    0,    1800};
static const char *const long_warnings[] = {
    "</script><b>a warning that tries to break out</b>",
    "a_word_without_any_place_to_break_it_which_is_longer_than_a_telephone_is_wide_"
    "and_then_some_more"};
static const struct made_up extreme = {
    .question = "Which of fifteen parameters, some with names of a length that nobody would choose, matter for "
                "</title><b>segmentation</b>?",
    .names = long_names,
    .name_count = 15,
    .mu_star = long_sizes,
    .trajectories = 40,
    .output_count = 3,
    .files = 3,
    .tiles_per_side = 20,
    .spans = 5000,
    .workers = 16,
    .failures = 13,
    .warnings = long_warnings,
    .warning_count = 2};

static const char *const one_name[] = {"threshold"};
static const double one_size[] = {0.5};
static const struct made_up one = {.question = "Does the threshold matter?",
                                   .names = one_name,
                                   .name_count = 1,
                                   .mu_star = one_size,
                                   .trajectories = 4,
                                   .output_count = 1,
                                   .files = 1,
                                   .tiles_per_side = 1,
                                   .spans = 3,
                                   .workers = 1};

static const double no_sizes[] = {0, 0, 0, 0, 0, 0, 0, 0};
static const struct made_up zero = {.question = "Does anything matter?",
                                    .names = usual_names,
                                    .name_count = 8,
                                    .mu_star = no_sizes,
                                    .trajectories = 10,
                                    .output_count = 1,
                                    .files = 1,
                                    .tiles_per_side = 2,
                                    .spans = 70,
                                    .workers = 70};

static json_t *plain_run(void) {
  return json_pack("{s:s,s:{s:s,s:s},s:s,s:s,s:s,s:[{s:s,s:s,s:f},{s:s,s:f}],s:{s:i,s:i},s:f,s:i,s:o}", "schema",
                   "tessera.run/2", "tool", "name", "tessera", "version", "0.1.0", "run", "0badcafe", "study", "nuclei",
                   "command", "tessera run workflow.json --data slide.tif -o out", "outputs", "name",
                   "features.table:nuclei", "over_tiles", "sum", "value", 1234.0, "name", "compare.table:dice", "value",
                   0.8912, "reuse", "requested", 160, "executed", 160, "wall_s", 3.25, "threads", 2, "tiles",
                   made_up_tiles(1, 3));
}

/* ---- results with a list of analyses ---- */

static json_t *with_analyses(json_t *analyses) {
  json_t *result = made_up_study(&usual);
  json_object_set_new(result, "analyses", analyses);
  json_object_set_new(result, "distinct_runs", json_integer(81));
  json_object_set_new(result, "answer",
                      json_string("G1 and T1 explain 62 % of the variance of the number of differing "
                                  "pixels."));
  return result;
}

static json_t *variance_result(void) {
  json_t *analyses = json_array();
  struct made_up_analysis vbd = made_up_vbd;
  vbd.slides = 4;
  made_up_add(analyses, &vbd, usual_names, 8, 1, "compare.table:diff");
  vbd.slides = 0;
  vbd.open = 0;
  made_up_add(analyses, &vbd, usual_names, 8, 1, "<features>.table:nuclei");
  json_t *result = with_analyses(analyses);
  json_object_set_new(result, "until",
                      json_pack("{s:s,s:b,s:i,s:i,s:s}", "text", "ci(ST) < 0.05", "met", 1, "rounds", 3, "blocks", 64,
                                "reason", "the widest interval is 0.041"));
  return result;
}

static json_t *phases_result(void) {
  json_t *analyses = json_array();
  struct made_up_analysis morris = made_up_morris, vbd = made_up_vbd;
  morris.lost = 12;
  morris.notes = true;
  vbd.pairs = false;
  made_up_add(analyses, &morris, usual_names, 8, 1, "compare.table:diff");
  made_up_add(analyses, &vbd, usual_names, 3, 2, "compare.table:diff");
  json_t *result = with_analyses(analyses);
  json_object_set_new(result, "phases", made_up_phases(usual_names, 3, 8));
  json_object_set_new(result, "until",
                      json_pack("{s:s,s:b,s:i,s:i,s:s}", "text", "ci(ST) < 0.01", "met", 0, "rounds", 5, "blocks", 64,
                                "reason", "the most runs that were allowed are done"));
  return result;
}

/* Forty parameters with long names; unknown, zero and negative numbers; many slides; all pairs; many steps. */
static json_t *forty_result(void) {
  char texts[40][96];
  const char *names[40];
  made_up_forty(texts, names);
  json_t *analyses = json_array();
  struct made_up_analysis vbd = made_up_vbd, morris = made_up_morris;
  vbd.broken = vbd.all_known = vbd.notes = true;
  vbd.steps = 12;
  vbd.blocks = 65536;
  vbd.runs = 5373952;
  vbd.slides = 30;
  vbd.open = 39;
  vbd.lost = 3;
  morris.broken = morris.all_known = true;
  made_up_add(analyses, &morris, names, 40, 1, "compare.table:diff");
  made_up_add(analyses, &vbd, names, 40, 2, "compare.table:diff");
  json_t *result = with_analyses(analyses);
  json_object_set_new(result, "phases", made_up_phases(names, 40, 40));
  return result;
}

/* One parameter, one run, nothing to resample. */
static json_t *lone_result(void) {
  json_t *analyses = json_array();
  struct made_up_analysis vbd = made_up_vbd;
  vbd.intervals = false;
  vbd.resamples = 0;
  vbd.runs = vbd.blocks = vbd.steps = 1;
  made_up_add(analyses, &vbd, one_name, 1, 1, "compare.table:diff");
  return with_analyses(analyses);
}

static const struct made_up_analysis correlation = {.method = "correlation",
                                                    .title = "Correlation: Pearson, Spearman, partial and partial rank",
                                                    .columns = {"pearson", "spearman", "pcc", "prcc"},
                                                    .rank_by = "prcc",
                                                    .runs = 200,
                                                    .resamples = 1000,
                                                    .intervals = true,
                                                    .has_sign = true,
                                                    .notes = true,
                                                    .open = 3};

/* Several methods on the same runs; signs; no intervals; nothing known. */
static json_t *methods_result(void) {
  json_t *analyses = json_array();
  struct made_up_analysis pce = made_up_vbd, pawn = correlation, delta = correlation;
  pce.method = "pce";
  pce.title = "Sparse polynomial chaos (Sobol' indices from an expansion chosen by least-angle regression)";
  pce.facts = true;
  pce.blocks = pce.steps = pce.open = 0;
  pawn.method = "pawn";
  pawn.title = "PAWN: distances between output distributions";
  memcpy(pawn.columns, (const char *[8]){"minimum", "mean", "median", "maximum", "CV"}, sizeof pawn.columns);
  pawn.rank_by = "median";
  pawn.has_sign = pawn.intervals = false;
  delta.method = "delta";
  delta.title = "Delta: moment-independent importance (Borgonovo)";
  memcpy(delta.columns, (const char *[8]){"delta", "S1"}, sizeof delta.columns);
  delta.rank_by = "delta";
  delta.broken = true;
  made_up_add(analyses, &correlation, long_names, 15, 1, "compare.table:diff");
  made_up_add(analyses, &pce, long_names, 15, 1, "compare.table:diff");
  made_up_add(analyses, &pawn, usual_names, 8, 1, "compare.table:diff");
  made_up_add(analyses, &delta, usual_names, 8, 1, "compare.table:diff");
  return with_analyses(analyses);
}

/* Groups of parameters by elementary effects, two outputs and slides. */
static json_t *groups_result(void) {
  static const char *const groups[] = {"colour", "segmentation", "size limits"};
  json_t *analyses = json_array();
  struct made_up_analysis morris = made_up_morris;
  morris.slides = 2;
  made_up_add(analyses, &morris, groups, 3, 1, "compare.table:diff");
  made_up_add(analyses, &morris, groups, 3, 1, "<features>.table:nuclei");
  return with_analyses(analyses);
}

/* A goal over three files, with all that a study says about it; a name that must be escaped. */
static json_t *goal_result(void) {
  static const char goal[] =
      "{\"goal\": {\"name\": \"compare.table:dice\", \"label\": \"the <Dice> overlap\", \"better\": \"higher\", "
      "\"against\": \"truth\"}, \"default\": {\"set\": \"default\", \"params\": {}, \"value\": 0.272, \"lo\": 0.1, "
      "\"hi\": 0.4, \"command\": \"tessera run --of 1a2b3c4d --set default\", \"by_file\": [{\"file\": \"a\", "
      "\"value\": 0.1}, {\"file\": \"b\", \"value\": 0.4}]}, \"best\": {\"set\": 37, \"value\": 0.654, \"lo\": 0.51, "
      "\"hi\": 0.74, \"by_file\": [{\"file\": \"a\", \"value\": 0.6}, {\"file\": \"b\", \"value\": 0.7}]}, "
      "\"top\": [{\"set\": 37, \"params\": {\"G1\": 30, \"G2\": 2}, \"value\": 0.654, \"lo\": 0.51, \"hi\": 0.74, "
      "\"command\": \"tessera run --of 1a2b3c4d --set 37\"}], \"shortest_change\": {\"steps\": [{\"parameter\": "
      "\"G1\", "
      "\"value\": 30, \"goal\": 0.61, \"share\": 0.885, \"runs\": 12}], \"runs\": 12, \"command\": \"tessera run -p "
      "G1=30\", \"text\": \"G1 = 30 alone gives 0.61.\", \"by_file\": [{\"file\": \"a\", \"value\": 0.55}, {\"file\": "
      "\"b\", \"value\": 0.67}]}, \"choice_stability\": {\"files\": [{\"file\": \"a\", \"set\": 12, \"left_out\": 0.5, "
      "\"best\": 0.6, \"default\": 0.1}], \"text\": \"Leaving out one file changes the best set.\"}, \"further\": "
      "{\"runs\": 13, \"requested\": 1300, \"executed\": 210}, \"values_file\": \"out/best-values.json\"}";
  json_t *result = made_up_study(&usual), *more = json_loads(goal, 0, NULL);
  assert_non_null(more);
  json_object_update(result, more);
  json_decref(more);
  return result;
}

struct report_case {
  const char *name;
  const struct made_up *study; /* NULL: made by `make`, a plain run, or the least that is a result */
  json_t *(*make)(void);
  bool least;
  size_t pictures;
};
static const struct report_case cases[] = {{.name = "usual", .study = &usual, .pictures = 3},
                                           {.name = "extreme", .study = &extreme, .pictures = 2},
                                           {.name = "one", .study = &one, .pictures = 1},
                                           {.name = "zero", .study = &zero},
                                           {.name = "run", .pictures = 3},
                                           {.name = "least", .least = true},
                                           {.name = "variance", .make = variance_result, .pictures = 3},
                                           {.name = "phases", .make = phases_result},
                                           {.name = "forty", .make = forty_result},
                                           {.name = "lone", .make = lone_result},
                                           {.name = "methods", .make = methods_result},
                                           {.name = "groups", .make = groups_result, .pictures = 2},
                                           {.name = "goal", .make = goal_result, .pictures = 3}};

static json_t *case_result(const struct report_case *report_case) {
  if (report_case->study) return made_up_study(report_case->study);
  if (report_case->make) return report_case->make();
  return report_case->least ? json_pack("{s:s}", "schema", "tessera.study/2") : plain_run();
}

static void render(const struct report_case *report_case, const json_t *result, struct ts_str *html) {
  struct ts_str pngs[3] = {{0}};
  struct ts_report_picture pictures[3] = {
      {.role = "default", .caption = "Default parameters: 412 nuclei"},
      {.role = "different", .caption = "Most different, run 37 (G1 = 5, T1 = 7.5): 38 nuclei"},
      {.role = "image", .caption = "The tile itself"}};
  for (size_t i = 0; i < report_case->pictures; i++) {
    made_up_png(&pngs[i], 240, 8 + 4 * (double)i);
    pictures[i].png = (const uint8_t *)ts_str_get(&pngs[i]);
    pictures[i].png_bytes = pngs[i].length;
  }
  struct ts_error err = {0};
  assert_true(ts_report_write(result, pictures, report_case->pictures, html, &err));
  for (size_t i = 0; i < 3; i++) ts_str_release(&pngs[i]);
}

static size_t occurrences(const char *text, const char *part) {
  size_t count = 0;
  for (const char *p = text; (p = strstr(p, part)); p += strlen(part)) count++;
  return count;
}

/* The object in the page is the object that was given. */
static void embeds_the_result(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    json_t *result = case_result(&cases[i]);
    struct ts_str html = {0};
    render(&cases[i], result, &html);
    const char *start = strstr(ts_str_get(&html), "id=\"tessera-result\">");
    assert_non_null(start);
    start = strchr(start, '>') + 1;
    const char *end = strstr(start, "</script>");
    assert_non_null(end);
    assert_null(memchr(start, '<', (size_t)(end - start)));
    json_t *again = json_loadb(start, (size_t)(end - start), 0, NULL);
    assert_true(json_equal(result, again));
    assert_int_equal(occurrences(ts_str_get(&html), "<script"), 1);
    json_decref(again);
    json_decref(result);
    ts_str_release(&html);
  }
}

static void stays_below_a_megabyte(void **state) {
  (void)state;
  json_t *result = case_result(&cases[1]);
  struct report_case bare = cases[1];
  bare.pictures = 0;
  struct ts_str html = {0};
  render(&bare, result, &html);
  char *json = ts_json_dump_html(result);
  /* The embedded object is as large as its data; everything drawn from it must stay small. */
  assert_true(html.length - strlen(json) < 600000);
  free(json);
  ts_str_release(&html);
  json_decref(result);
  result = case_result(&cases[0]);
  bare = cases[0];
  bare.pictures = 0;
  render(&bare, result, &html);
  assert_true(html.length < 400000);
  ts_str_release(&html);
  json_decref(result);
}

static void answers_first_and_keeps_the_order(void **state) {
  (void)state;
  json_t *result = case_result(&cases[0]);
  struct ts_str html = {0};
  render(&cases[0], result, &html);
  static const char *const parts[] = {
      "<h1>Which parameters matter for nuclei segmentation?</h1>\n<p class=\"answer\">G1, T1",
      "class=\"cards\"",
      "8 of 8</b><span>parameters have a measurable effect",
      "70\xc2\xa0%",
      "Bar chart of",
      "Default parameters: 412",
      "1 What matters",
      "Scatter plot",
      "2 Where on the slide",
      "Map of 16 tiles",
      "3 What it cost",
      "Waterfall",
      "Icicle",
      "Timeline",
      "4 Trust",
      "T1 and T2: not settled, their",
      "5 Method",
      "--seed 500",
      "60303ae22b99",
      "6 All data",
      "All 90 runs",
      "id=\"tessera-result\""};
  const char *at = ts_str_get(&html);
  for (size_t i = 0; i < COUNT_OF(parts); i++) {
    const char *found = strstr(at, parts[i]);
    if (!found) fail_msg("'%s' is missing, or not in its place", parts[i]);
    at = found;
  }
  ts_str_release(&html);
  json_decref(result);
}

static void shows_the_best_beside_the_defaults(void **state) {
  (void)state;
  json_t *result = goal_result();
  struct ts_str html = {0};
  render(&cases[0], result, &html);
  static const char *const parts[] = {
      "<b>0.27</b><span>is the &lt;Dice&gt; overlap at the defaults</span>",
      "<b>0.65</b><span>in the best run; over files 0.51 to 0.74</span>",
      "2 Best values",
      "The goal is the &lt;Dice&gt; overlap against the truth, higher is better.",
      "<code>out/best-values.json</code>",
      "<th scope=\"row\">37</th>",
      "<td>G1 = 30, G2 = 2</td><td><code>tessera run --of 1a2b3c4d --set 37</code></td>",
      "<th scope=\"row\">default</th>",
      "G1 = 30 alone gives 0.61.",
      "89\xc2\xa0%",
      "<code>tessera run -p G1=30</code>",
      "Leaving out one file changes the best set.",
      "13 further runs are behind this section (the defaults, and changes of them); 210 of their 1300 tasks",
      "3 Where on the slide"};
  const char *at = ts_str_get(&html);
  for (size_t i = 0; i < COUNT_OF(parts); i++) {
    const char *found = strstr(at, parts[i]);
    if (!found) fail_msg("'%s' is missing, or not in its place", parts[i]);
    at = found;
  }
  ts_str_release(&html);
  json_decref(result);
}

static void names_every_chart_and_gives_it_a_table(void **state) {
  (void)state;
  json_t *result = case_result(&cases[0]);
  struct ts_str html = {0};
  render(&cases[0], result, &html);
  const char *text = ts_str_get(&html);
  /* bars and scatter of two outputs, map, waterfall, icicle, timeline; each drawn twice */
  assert_int_equal(occurrences(text, "role=\"img\""), 16);
  assert_int_equal(occurrences(text, "role=\"img\""), occurrences(text, ".\">\n"));
  assert_true(occurrences(text, "<details>") >= 7);
  ts_str_release(&html);
  json_decref(result);
}

static void escapes_what_it_is_given(void **state) {
  (void)state;
  json_t *result = case_result(&cases[1]);
  struct ts_str html = {0};
  render(&cases[1], result, &html);
  const char *text = ts_str_get(&html);
  assert_null(strstr(text, "<script>alert"));
  assert_null(strstr(text, "<b>a warning"));
  assert_null(strstr(text, "<b>segmentation"));
  assert_non_null(strstr(text, "&lt;/title&gt;&lt;b&gt;segmentation"));
  ts_str_release(&html);
  json_decref(result);
}

static void refuses_other_schemas(void **state) {
  (void)state;
  json_t *results[] = {json_pack("{s:s}", "schema", "tessera.study/3"), json_pack("{s:s}", "schema", "tessera.study/1"),
                       json_pack("{s:s}", "schema", "tessera.run/1"), json_object(), json_array()};
  for (size_t i = 0; i < COUNT_OF(results); i++) {
    struct ts_str html = {0};
    struct ts_error err = {0};
    assert_false(ts_report_write(results[i], NULL, 0, &html, &err));
    assert_int_equal(err.code, TS_ERR_FORMAT_VERSION);
    assert_true(err.help[0]);
    assert_int_equal(html.length, 0);
    json_decref(results[i]);
  }
}

/* What results were compared with is said by a card and in the method, unless nothing was compared. */
static void says_what_was_compared(void **state) {
  (void)state;
  static const struct {
    const char *schema, *against, *words;
  } kinds[] = {{"tessera.study/2", "truth", "the truth"},
               {"tessera.study/2", "default", "the run at default parameters"},
               {"tessera.run/2", "files", "the reference files"},
               {"tessera.study/2", "tomorrow", "tomorrow"},
               {"tessera.study/2", "", NULL},
               {"tessera.run/2", "", NULL}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    json_t *result = json_pack("{s:s, s:[{s:s, s:s}]}", "schema", kinds[i].schema, "outputs", "name", "a.b:c",
                               "against", kinds[i].against);
    struct ts_str html = {0}, card = {0}, fact = {0};
    struct ts_error err = {0};
    assert_true(ts_report_write(result, NULL, 0, &html, &err));
    ts_str_addf(&card, "<b>%s</b><span>is what results are compared with</span>", kinds[i].words ? kinds[i].words : "");
    ts_str_addf(&fact, "<dt>Compared with</dt><dd>a.b:c: %s</dd>", kinds[i].words ? kinds[i].words : "");
    const char *place = kinds[i].words ? ts_str_get(&card) : "compared with";
    assert_true((strstr(ts_str_get(&html), place) != NULL) == (kinds[i].words != NULL));
    place = kinds[i].words ? ts_str_get(&fact) : "Compared with";
    assert_true((strstr(ts_str_get(&html), place) != NULL) == (kinds[i].words != NULL));
    ts_str_release(&card);
    ts_str_release(&fact);
    ts_str_release(&html);
    json_decref(result);
  }
}

/* Fields of the wrong type are as good as missing. */
static void survives_nonsense(void **state) {
  (void)state;
  static const char *const keys[] = {"tool",      "params",  "method", "outputs",  "analyses", "reuse",
                                     "reference", "by_task", "tree",   "timeline", "tiles",    "runs",
                                     "warnings",  "failed",  "wall_s", "question"};
  json_t *nonsense[] = {json_null(),
                        json_integer(-3),
                        json_string("<>"),
                        json_pack("[i,s,[]]", 1, "x"),
                        json_pack("[{s:[]},{s:i}]", "indices", "name", 4),
                        json_pack("{s:[[]],s:i}", "levels", "a", 2)};
  for (size_t k = 0; k < COUNT_OF(keys); k++) {
    for (size_t n = 0; n < COUNT_OF(nonsense); n++) {
      json_t *result = made_up_study(&one);
      json_object_set(result, keys[k], nonsense[n]);
      struct ts_str html = {0};
      struct ts_error err = {0};
      assert_true(ts_report_write(result, NULL, 0, &html, &err));
      assert_non_null(strstr(ts_str_get(&html), "</html>"));
      ts_str_release(&html);
      json_decref(result);
    }
  }
  for (size_t n = 0; n < COUNT_OF(nonsense); n++) json_decref(nonsense[n]);
}

static int write_cases(const char *folder) {
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    json_t *result = case_result(&cases[i]);
    struct ts_str html = {0};
    struct ts_error err = {0};
    char path[1024];
    render(&cases[i], result, &html);
    snprintf(path, sizeof path, "%s/%s.html", folder, cases[i].name);
    if (!ts_folder_create(folder, &err) || !ts_file_write(path, html.data, html.length, &err)) {
      fprintf(stderr, "%s\n", err.text);
      return 1;
    }
    printf("%s %zu\n", path, html.length);
    ts_str_release(&html);
    json_decref(result);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) return write_cases(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(embeds_the_result),
      cmocka_unit_test(stays_below_a_megabyte),
      cmocka_unit_test(answers_first_and_keeps_the_order),
      cmocka_unit_test(shows_the_best_beside_the_defaults),
      cmocka_unit_test(names_every_chart_and_gives_it_a_table),
      cmocka_unit_test(escapes_what_it_is_given),
      cmocka_unit_test(refuses_other_schemas),
      cmocka_unit_test(says_what_was_compared),
      cmocka_unit_test(survives_nonsense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
