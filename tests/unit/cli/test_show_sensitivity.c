/* The text of sample and analyse, against texts written by hand; hostile and empty replies do no harm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/cli/fake_tessera.h"

#include "cli/reply.h"
#include "cli/view.h"

typedef void show_function(const json_t *reply, const struct ts_view *view, struct ts_str *out);

static void assert_shown(show_function *show, bool quiet, const char *json, const char *expected) {
  const struct ts_view view = {.program = "tessera -C there", .quiet = quiet};
  json_error_t failure;
  json_t *reply = json_loads(json, 0, &failure);
  if (!reply) fail_msg("%s at %d: %s", failure.text, failure.position, json);
  struct ts_str out = {0};
  show(reply, &view, &out);
  assert_string_equal(ts_str_get(&out), expected);
  ts_str_release(&out);
  json_decref(reply);
}

static void a_design_in_a_file(void **state) {
  (void)state;
  const char *json = "{\"output\": \"my design.csv\", \"space\": \"space.json\", \"runs\": 5120, \"title\": \"Saltelli "
                     "design\", \"parameters\": [\"a\", \"b\", \"c\"], \"groups\": [\"g\", \"c\"], \"analyses\": "
                     "[\"vbd\"]}";
  assert_shown(ts_show_sample, true, json,
               "Wrote my design.csv: 5 120 runs of 3 parameters in 2 groups (Saltelli design)\n");
  assert_shown(ts_show_sample, false, json,
               "Wrote my design.csv: 5 120 runs of 3 parameters in 2 groups (Saltelli design)\n"
               "Next: run your model on every row, write the outputs to y.csv in the same order, then\n"
               "      tessera -C there analyse --method vbd --space space.json --design 'my design.csv' --outputs "
               "y.csv\n");
}

static void a_design_on_standard_output(void **state) {
  (void)state;
  assert_shown(ts_show_sample, false, "{\"runs\": 5120, \"title\": \"Saltelli design\", \"parameters\": [\"a\"]}", "");
}

static void indices_by_rank(void **state) {
  (void)state;
  assert_shown(
      ts_show_analyse, false,
      "{\"title\": \"Variance-based indices\", \"runs\": 1280, \"parameters\": [\"x1\", \"x2\"], \"columns\": [\"S1\", "
      "\"ST\"], \"rank_by\": \"ST\", \"confidence\": 0.9, \"resamples\": 100, \"counted_in\": \"base samples\", "
      "\"interval\": \"bootstrap over base samples\", \"assumes\": \"Parameters are independent.\", \"outputs\": [{"
      "\"name\": \"y\", \"lost\": 3, \"order\": [\"x2\", \"x1\"], \"unsettled\": [{\"rank\": 1, \"a\": \"x2\", \"b\": "
      "\"x1\", \"more\": 1200}], \"facts\": {\"sum of S1\": 0.75}, \"S2\": [{\"a\": \"x1\", \"b\": \"x2\", \"value\": "
      "0.1, \"value_lo\": -0.1, \"value_hi\": 0.3}], \"convergence\": [{\"n\": 64, \"indices\": [{\"name\": \"x1\", "
      "\"ST\": 0.5}, {\"name\": \"x2\", \"ST\": 0.25}]}], \"indices\": [{\"name\": \"x1\", \"S1\": 0.25, \"S1_lo\": "
      "0.2, "
      "\"S1_hi\": 0.3, \"ST\": 0.5, \"ST_lo\": 0.4, \"ST_hi\": 0.6, \"n\": 320}, {\"name\": \"x2\", \"S1\": -0.01, "
      "\"S1_lo\": null, \"S1_hi\": null, \"ST\": 0.55, \"ST_lo\": 0.45, \"ST_hi\": 0.65, \"n\": 319}]}]}",
      "Variance-based indices: 1 280 runs, 2 parameters\n"
      "\n"
      "y: 3 runs without a usable output\n"
      "            S1  90 %          ST  90 %            n\n"
      "  1  x2  -0.01              0.55  [0.45, 0.65]  319\n"
      "  2  x1   0.25  [0.2, 0.3]   0.5  [0.4, 0.6]    320\n"
      "\n"
      "  pair     S2\n"
      "  x1, x2  0.1  [-0.1, 0.3]\n"
      "\n"
      "  ST at n =    64\n"
      "  x2         0.25\n"
      "  x1          0.5\n"
      "\n"
      "  sum of S1: 0.75\n"
      "\n"
      "Ranks 1 and 2 (x2, x1) are unsettled: about 1 200 more base samples would likely settle them.\n"
      "\n"
      "Interval: bootstrap over base samples.\n"
      "Assumes: Parameters are independent.\n");
}

static void without_intervals(void **state) {
  (void)state;
  assert_shown(
      ts_show_analyse, false,
      "{\"title\": \"Effects\", \"runs\": 1, \"parameters\": [\"x\"], \"columns\": [\"mu\"], \"confidence\": "
      "0.95, \"interval\": \"bootstrap\", \"outputs\": [{\"name\": \"y\", \"order\": [\"x\"], \"unsettled\": "
      "[{\"rank\": 1, \"a\": \"x\", \"b\": \"z\"}], \"indices\": [{\"name\": \"x\", \"mu\": null, \"n\": 0}]}]}",
      "Effects: 1 run, 1 parameter\n"
      "\n"
      "y\n"
      "        mu  n\n"
      "  1  x   -  0\n"
      "\n"
      "Ranks 1 and 2 (x, z) are unsettled: they are too close to separate.\n"
      "\n");
}

static void strange_replies_do_no_harm(void **state) {
  (void)state;
  show_function *const shows[] = {ts_show_sample, ts_show_analyse};
  static const char *const replies[] = {
      "{}", "{\"output\": \"x\\u001b[2J\", \"analyses\": [3], \"parameters\": 4}",
      "{\"outputs\": [{}, 5, null, {\"indices\": [1, {}], \"order\": [2], \"S2\": [4, {}], \"convergence\": [[]], "
      "\"facts\": {\"a\": \"b\"}, \"unsettled\": [7, {}]}], \"columns\": [null, \"a\", \"b\", \"c\", \"d\", \"e\", "
      "\"f\", \"g\", \"h\", \"i\", \"j\", \"k\", \"l\", \"m\"]}"};
  for (size_t i = 0; i < COUNT_OF(shows) * COUNT_OF(replies); i++) {
    const struct ts_view view = {.program = "tessera", .width = 40};
    json_t *reply = json_loads(replies[i % COUNT_OF(replies)], 0, NULL);
    struct ts_str out = {0};
    assert_non_null(reply);
    shows[i / COUNT_OF(replies)](reply, &view, &out);
    assert_null(strchr(ts_str_get(&out), '\x1b'));
    ts_str_release(&out);
    json_decref(reply);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_design_in_a_file),
      cmocka_unit_test(a_design_on_standard_output),
      cmocka_unit_test(indices_by_rank),
      cmocka_unit_test(without_intervals),
      cmocka_unit_test(strange_replies_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
