/* The text of every reply, against texts written by hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/cli/fake_tessera.h"

#include "cli/reply.h"
#include "cli/view.h"

typedef void show_function(const json_t *reply, const struct ts_view *view, struct ts_str *out);

static json_t *load(const char *text) {
  json_error_t failure;
  json_t *reply = json_loads(text, 0, &failure);
  if (!reply) fail_msg("%s at %d: %s", failure.text, failure.position, text);
  return reply;
}

static void assert_shown_by(show_function *show, const struct ts_view *view, const char *json, const char *expected) {
  json_t *reply = load(json);
  struct ts_str out = {0};
  show(reply, view, &out);
  assert_string_equal(ts_str_get(&out), expected);
  ts_str_release(&out);
  json_decref(reply);
}

static void assert_shown(show_function *show, const char *json, const char *expected) {
  const struct ts_view view = {.unicode = false, .program = "tessera"};
  assert_shown_by(show, &view, json, expected);
}

static void check(void **state) {
  (void)state;
  assert_shown(
      ts_show_check,
      "{\"ok\": true, \"file\": \"study.json\", \"kind\": \"study\", \"summary\": {\"stages\": 4, \"tasks\": 11, "
      "\"parameters\": 15, \"varied\": 15, \"files\": 1, \"tiles\": 4, \"runs\": 160}}",
      "study.json is fine: 4 stages, 11 tasks, 15 parameters (15 varied), 1 file, 4 tiles, 160 runs\n");
  assert_shown(
      ts_show_check,
      "{\"ok\": true, \"file\": \"workflow.json\", \"summary\": {\"stages\": 1, \"tasks\": 2, \"parameters\": 0, "
      "\"varied\": 0, \"runs\": null}}",
      "workflow.json is fine: 1 stage, 2 tasks, 0 parameters (0 varied)\n");
}

#define CHECKED_HALO(text) "{\"file\": \"study.json\", \"summary\": {\"tiles\": 4}, \"halo\": " text "}"

static void check_says_the_halo(void **state) {
  (void)state;
  assert_shown(ts_show_check, CHECKED_HALO("null"), "study.json is fine: 4 tiles\n");
  assert_shown(ts_show_check,
               CHECKED_HALO("{\"px\": 26, \"needed_px\": 26, \"given\": false, \"path\": [{\"task\": "
                            "\"segment.smooth\", \"px\": 5}, {\"task\": \"segment.select\", \"px\": 21}], "
                            "\"tile_tasks\": []}"),
               "study.json is fine: 4 tiles\nhalo: 26 px (segment.smooth 5, segment.select 21)\n");
  assert_shown(ts_show_check,
               CHECKED_HALO("{\"px\": 0, \"needed_px\": 0, \"given\": false, \"path\": [], \"tile_tasks\": "
                            "[\"a.b\"]}"),
               "study.json is fine: 4 tiles\nhalo: 0 px; 1 task looks at the whole tile\n");
  assert_shown(
      ts_show_check,
      CHECKED_HALO("{\"px\": 4, \"needed_px\": 7, \"given\": true, \"path\": [{\"task\": \"s.a\", \"px\": 1}, "
                   "{\"task\": \"s.b\", \"px\": 1}, {\"task\": \"s.c\", \"px\": 1}, {\"task\": \"s.d\", "
                   "\"px\": 1}, {\"task\": \"s.e\", \"px\": 1}, {\"task\": \"s.f\", \"px\": 1}, {\"task\": "
                   "\"s.g\", \"px\": 1}], \"tile_tasks\": [\"a.b\", \"a.c\"]}"),
      "study.json is fine: 4 tiles\nhalo: 4 px as given, 7 needed (s.a 1, s.b 1, s.c 1, s.d 1, s.e 1, s.f 1 and 1 "
      "more); 2 tasks look at the whole tile\n");
}

static const char plan_json[] =
    "{\"name\": \"morris\", \"file\": \"study.json\", \"merge\": \"lineage\", \"runs\": 160, \"files\": 1, \"tiles\": "
    "4, "
    "\"requested\": 12000, \"executed\": 3600, "
    "\"reuse\": {\"stage\": 6000, \"task\": 2400, \"cutoff\": null, \"store\": 0}, "
    "\"reference\": {\"requested\": 11, \"executed\": 10, \"store\": 1}, "
    "\"by_task\": [{\"stage\": \"normalise\", \"task\": \"colours\", \"requested\": 6000, \"executed\": 0, "
    "\"stage_reused\": 6000, \"task_reused\": 0, \"store\": 0}, "
    "{\"stage\": \"segment\", \"task\": \"grow\", \"requested\": 3000, \"executed\": 1600, \"stage_reused\": 0, "
    "\"task_reused\": 1400, \"store\": 0}, "
    "{\"stage\": \"segment\", \"task\": \"split\", \"requested\": 3000, \"executed\": 2000, \"stage_reused\": 0, "
    "\"task_reused\": 1000, \"store\": 0}], \"planning_s\": 0.25}";

static const char plan_table[] = "stage      task     requested  stage reuse  task reuse  store  to run\n"
                                 "normalise  colours      6 000        6 000           0      0       0\n"
                                 "segment    grow         3 000            0       1 400      0   1 600\n"
                                 "           split        3 000            0       1 000      0   2 000\n"
                                 "total                  12 000        6 000       2 400      0   3 600\n"
                                 "                        100 %         50 %        20 %    0 %    30 %\n"
                                 "\n"
                                 "160 runs over 1 file (4 tiles), merge lineage, planned in 0.3 s\n"
                                 "The reference run comes on top: 11 tasks, 10 to run\n";

static void plan(void **state) {
  (void)state;
  char expected[2048];
  snprintf(expected, sizeof expected, "%s\n%s",
           "12 000 tasks requested, 8 400 (70 %) avoided, 3 600 to run at most; early cutoff may save more\n",
           plan_table);
  assert_shown(ts_show_plan, plan_json, expected);
  snprintf(expected, sizeof expected, "%s\n%s", "12 000 tasks requested, 8 400 (70 %) avoided, 3 600 to run\n",
           plan_table);
  const struct ts_view view = {.no_cutoff = true, .program = "tessera"};
  assert_shown_by(ts_show_plan, &view, plan_json, expected);
}

static const char bucket_plan[] =
    "{\"merge\": \"trtma\", \"runs\": 9, \"requested\": 90, \"executed\": 60, \"reuse\": {\"stage\": 0, "
    "\"task\": 30, \"cutoff\": null, \"store\": 0}, \"by_task\": [], \"workers\": 4, \"cost\": \"unit\", "
    "\"grouping\": {\"keys\": \"dag\", \"cost\": \"unit\", \"workers\": 4, \"imbalance\": 0.125, \"makespan\": 17, "
    "\"lower_bound\": 15, \"stages\": [{\"stage\": \"segment\", \"members\": 9, \"buckets\": 4, "
    "\"imbalance\": 0.125, \"makespan\": 17, \"lower_bound\": 15}]}, \"compare\": [{\"merge\": \"none\", "
    "\"executed\": 90, \"buckets\": 9, \"imbalance\": 0, \"makespan\": 24, \"lower_bound\": 23, "
    "\"planning_s\": 0.001}, {\"merge\": \"sca\", \"keys\": \"chain\", \"refused\": \"too many\"}, "
    "{\"merge\": \"rtma\", \"keys\": \"chain\", \"executed\": 70, \"buckets\": 2, \"imbalance\": 0.5, "
    "\"makespan\": 40, \"lower_bound\": 20, \"planning_s\": 0.002}], \"picture\": \"b.svg\"}";

/* Buckets of this kind do not cut off: nothing is said about it. */
static void plan_with_buckets(void **state) {
  (void)state;
  assert_shown(ts_show_plan, bucket_plan,
               "90 tasks requested, 30 (33 %) avoided, 60 to run\n"
               "\n"
               "stage  requested  stage reuse  task reuse  store  to run\n"
               "total         90            0          30      0      60\n"
               "           100 %          0 %        33 %    0 %    67 %\n"
               "\n"
               "9 runs, merge trtma\n"
               "\n"
               "stage    distinct  buckets  imbalance  makespan  lower bound\n"
               "segment         9        4     12.5 %        17           15\n"
               "\n"
               "Buckets for each piece of the data, dag keys. Prediction for 4 workers that share no memory: 17 task "
               "lengths; no grouping with these keys needs less than 15\n"
               "\n"
               "Grouped for 4 workers that share no memory, times in task lengths:\n"
               "merge  keys   to run  avoided  buckets  imbalance  makespan  lower bound  planned in\n"
               "none              90      0 %        9      0.0 %        24           23        1 ms\n"
               "rtma   chain      70     22 %        2     50.0 %        40           20        2 ms\n"
               "Not compared: sca, chain keys: too many\n"
               "\n"
               "Picture: b.svg\n");
}

static void plan_with_buckets_in_a_narrow_window(void **state) {
  (void)state;
  const struct ts_view view = {.width = 80, .program = "tessera"};
  assert_shown_by(ts_show_plan, &view, bucket_plan,
                  "90 tasks requested, 30 (33 %) avoided, 60 to run\n"
                  "\n"
                  "stage  requested  stage reuse  task reuse  store  to run\n"
                  "total         90            0          30      0      60\n"
                  "           100 %          0 %        33 %    0 %    67 %\n"
                  "\n"
                  "9 runs, merge trtma\n"
                  "\n"
                  "stage    distinct  buckets  imbalance  makespan  lower bound\n"
                  "segment         9        4     12.5 %        17           15\n"
                  "\n"
                  "Buckets for each piece of the data, dag keys. Prediction for 4 workers that\n"
                  "share no memory: 17 task lengths; no grouping with these keys needs less than 15\n"
                  "\n"
                  "Grouped for 4 workers that share no memory, times in task lengths:\n"
                  "merge  keys   to run  saved  buckets  imb.  makespan  bound  planned\n"
                  "none              90    0 %        9   0 %        24     23     1 ms\n"
                  "rtma   chain      70   22 %        2  50 %        40     20     2 ms\n"
                  "Not compared: sca, chain keys: too many\n"
                  "\n"
                  "Picture: b.svg\n");
}

static void run_with_quality(void **state) {
  (void)state;
  assert_shown(
      ts_show_run,
      "{\"run\": \"7f3a91bc\", \"name\": \"nuclei\", \"state\": \"done\", "
      "\"outputs\": [\"out/n/a/segment.mask.png\", \"out/n/a/features.table.csv\", \"out/n/b/segment.mask.png\"], "
      "\"quality\": [{\"file\": \"a\", \"tiles\": 1, \"values\": {\"count\": 10, \"dice\": 0.8}}, "
      "{\"file\": \"b\", \"tiles\": 1, \"values\": {\"count\": 13, \"dice\": 0.9, \"odd\": null}}], "
      "\"quality_over_files\": [{\"files\": 2, \"values\": {\"count\": 23, \"dice\": 0.85, \"odd\": null}, "
      "\"over_files\": {\"count\": \"sum\", \"dice\": \"mean\"}, \"notes\": []}], "
      "\"reuse\": {\"requested\": 44, \"stage\": 0, \"task\": 8, \"cutoff\": 2, \"store\": 1, \"executed\": 33, "
      "\"recomputed\": 0, \"failed\": 0, \"skipped\": 0}, \"wall_s\": 2.34, \"threads\": 2, \"failed\": []}",
      "Dice 0.85, on average over 2 files\n"
      "\n"
      "  measure  value  over files  lowest  highest\n"
      "  count       23  sum             10       13\n"
      "  dice     0.850  mean         0.800    0.900\n"
      "\n"
      "Results: out/n (3 files)\n"
      "Ran 33 tasks in 2.3 s on 2 threads.\n"
      "Reused 11 of 44 tasks (25 %).\n");
}

/* What scores are against, and what was not written, one line for each reason. */
static void run_says_what_was_compared(void **state) {
  (void)state;
  assert_shown(
      ts_show_run,
      "{\"name\": \"nuclei\", \"state\": \"done\", \"outputs\": [\"a.png\"], \"skipped\": ["
      "{\"output\": \"a.table\", \"reason\": \"no files\"}, {\"output\": \"b.table\", \"reason\": \"no truth\"}, "
      "{\"output\": \"c.table\", \"reason\": \"no files\"}], "
      "\"quality_over_files\": [{\"against\": \"default\", \"files\": 1, \"values\": {\"dice_vs_default\": 0.8}}], "
      "\"reuse\": {\"requested\": 1, \"executed\": 1}}",
      "Dice 0.8 against the run at default parameters\n"
      "Results: a.png\n"
      "a.table, c.table were not written: no files\n"
      "b.table was not written: no truth\n"
      "Ran 1 task.\n"
      "Reused 0 of 1 task (0 %).\n");
  assert_shown(ts_show_run,
               "{\"outputs\": [\"a.png\"], \"reuse\": {\"requested\": 1, \"executed\": 1}, \"quality\": ["
               "{\"tiles\": 1, \"values\": {\"dice\": 0.8}}, {\"tiles\": 1, \"values\": {\"dice\": 0.6}}], "
               "\"quality_over_files\": [{\"against\": \"truth\", \"files\": 2, \"values\": {\"dice\": 0.7}, "
               "\"over_tiles\": {\"dice\": \"pool\"}, \"over_files\": {\"dice\": \"mean\"}}]}",
               "Dice 0.7 against the truth, on average over 2 files\n"
               "\n"
               "  measure  value  over files  lowest  highest\n"
               "  dice     0.700  mean         0.600    0.800\n"
               "\n"
               "Results: a.png\n"
               "Ran 1 task.\n"
               "Reused 0 of 1 task (0 %).\n");
}

/* Of one file in tiles: how tiles became a number, and what the tiles did to objects. */
static void run_over_tiles(void **state) {
  (void)state;
  assert_shown(ts_show_run,
               "{\"name\": \"nuclei\", \"state\": \"done\", \"outputs\": [\"one.csv\"], "
               "\"quality\": [{\"file\": \"a\", \"tiles\": 30, \"values\": {\"found\": 1985, \"dice\": 0.61}}], "
               "\"quality_over_files\": [{\"files\": 1, \"values\": {\"found\": 1985, \"dice\": 0.61}, "
               "\"over_tiles\": {\"found\": \"sum\", \"dice\": \"pool\"}, "
               "\"over_files\": {\"found\": \"sum\", \"dice\": \"mean\"}, "
               "\"notes\": [\"objects cut at tile edges: found\"]}], \"reuse\": {\"requested\": 9, \"executed\": 9}}",
               "Dice 0.61, pooled over 30 tiles\n"
               "\n"
               "  measure  value  over tiles\n"
               "  found    1 985  sum\n"
               "  dice     0.610  pooled\n"
               "\n"
               "  objects cut at tile edges: found\n"
               "\n"
               "Results: one.csv\n"
               "Ran 9 tasks.\n"
               "Reused 0 of 9 tasks (0 %).\n");
}

static void run_without_quality(void **state) {
  (void)state;
  assert_shown(ts_show_run,
               "{\"run\": \"7f3a91bc\", \"name\": \"decay\", \"state\": \"failed\", \"outputs\": [\"one.csv\"], "
               "\"reuse\": {\"requested\": 9, \"executed\": 6, \"failed\": 1, \"skipped\": 2}}",
               "decay ran, but some tasks failed\n"
               "Results: one.csv\n"
               "Ran 6 tasks; 1 failed, 2 skipped.\n"
               "Reused 0 of 9 tasks (0 %).\n");
  assert_shown(ts_show_run, "{\"state\": \"paused\", \"name\": \"decay\"}", "");
}

static const char study_json[] =
    "{\"run\": \"7f3a91bc\", \"study\": \"morris\", \"question\": \"Which parameters matter?\", "
    "\"answer\": \"G1 and T1 decide the result; 5 other parameters have no measurable effect (mu* = 0)\", "
    "\"reuse\": {\"requested\": 12000, \"stage\": 6000, \"task\": 2000, \"cutoff\": 300, \"store\": 100, "
    "\"executed\": 3600}, "
    "\"by_task\": [{\"stage\": \"normalise\", \"task\": \"colours\", \"executed\": 4}, "
    "{\"stage\": \"segment\", \"task\": \"split\", \"executed\": 560}], "
    "\"outputs\": [{\"name\": \"dice\", \"indices\": ["
    "{\"name\": \"T1\", \"mu\": -0.1, \"mu_star\": 0.2, \"sigma\": 0.05, \"lo\": 0.1, \"hi\": 0.3, \"n\": 10, "
    "\"class\": \"interacting\"}, "
    "{\"name\": \"G1\", \"mu\": 0.4, \"mu_star\": 0.4, \"sigma\": 0.12, \"lo\": 0.35, \"hi\": 0.45, \"n\": 10, "
    "\"class\": \"influential\", \"finding\": \"deciding\"}, "
    "{\"name\": \"FH\", \"mu\": 0, \"mu_star\": 0, \"sigma\": 0, \"lo\": 0, \"hi\": 0, \"n\": 10, "
    "\"class\": \"negligible\", \"finding\": \"none\"}, "
    "{\"name\": \"WC\", \"mu\": 0, \"mu_star\": 0.1, \"sigma\": 0.3, \"lo\": 0, \"hi\": 0.3, \"n\": 10, "
    "\"class\": \"interacting\", \"finding\": \"unclear\"}, "
    "{\"name\": \"RC\", \"mu\": null, \"mu_star\": null, \"sigma\": null, \"lo\": null, \"hi\": null, \"n\": 0, "
    "\"class\": \"unknown\"}]}], "
    "\"report\": \"out/morris/report.html\", \"wall_s\": 131, \"threads\": 8, \"state\": \"done\"}";

static void study(void **state) {
  (void)state;
  assert_shown(ts_show_study, study_json,
               "G1 and T1 decide the result; 5 other parameters have no measurable effect (mu* = 0).\n"
               "\n"
               "  dice    mu*   95 % interval  sigma\n"
               "  G1    0.400  0.350 to 0.450  0.120  influential           ########################\n"
               "  T1    0.200  0.100 to 0.300  0.050  interacting           ############\n"
               "  WC    0.100  0.000 to 0.300  0.300  not clear             ######\n"
               "  FH    0.000  0.000 to 0.000  0.000  no measurable effect\n"
               "  RC        -                      -  unknown\n"
               "\n"
               "Ran 3 600 tasks in 2 min 11 s on 8 threads.\n"
               "Reused 8 400 of 12 000 tasks (70 %). Report: out/morris/report.html\n"
               "Next: tessera explain segment.split   why its tasks were run or reused\n"
               "      tessera status 7f3a91bc         what became of each task\n");
}

static void study_in_color_and_quiet(void **state) {
  (void)state;
  const struct ts_view view = {.color = true, .unicode = true, .quiet = true, .width = 40, .program = "tessera -C x"};
  json_t *reply = load(study_json);
  struct ts_str out = {0};
  ts_show_study(reply, &view, &out);
  const char *text = ts_str_get(&out);
  assert_true(ts_str_starts_with(text, "\x1b[1mG1 and T1 decide the result; 5 other\nparameters have"));
  assert_non_null(strstr(text, "(mu* = 0).\x1b[0m\n"));
  assert_non_null(strstr(text, "influential           \xE2\x96\x88\xE2\x96\x88"));
  assert_null(strstr(text, "Next:"));
  ts_str_release(&out);
  json_decref(reply);
}

static void status(void **state) {
  (void)state;
  assert_shown(ts_show_status,
               "{\"runs\": [{\"id\": \"7f3a91bc\", \"command\": \"study\", \"file\": \"/home/me/study.json\", "
               "\"state\": \"done\", \"started\": \"2026-01-31T12:00:59Z\", \"finished\": \"2026-01-31T12:03:00Z\", "
               "\"wall_s\": 131, \"answer\": \"G1 decides\", \"requested\": 12000, \"executed\": 3600}, "
               "{\"id\": \"00000001\", \"command\": \"run\", \"file\": \"w.json\", \"state\": \"running\", "
               "\"started\": \"2026-01-30T08:00:00Z\", \"finished\": \"\", \"wall_s\": null, \"answer\": null, "
               "\"requested\": null, \"executed\": null}]}",
               "run       state    started (UTC)           took        tasks run  command  file\n"
               "7f3a91bc  done     2026-01-31 12:00  2 min 11 s  3 600 of 12 000  study    study.json\n"
               "          G1 decides\n"
               "00000001  running  2026-01-30 08:00                               run      w.json\n");
  assert_shown(ts_show_status, "{\"runs\": []}", "No runs yet. Start one with: tessera study\n");
  assert_shown(
      ts_show_status,
      "{\"runs\": [{\"id\": \"7f3a91bc\", \"state\": \"done\"}], \"detail\": {\"by_task\": ["
      "{\"stage\": \"segment\", \"task\": \"split\", \"executed\": 560, \"cutoff\": 3, \"store\": 0, \"failed\": 1, "
      "\"skipped\": 0, \"seconds\": 12.4}]}}",
      "run       state\n"
      "7f3a91bc  done\n"
      "\n"
      "stage    task   executed  cutoff  store  failed  skipped  time\n"
      "segment  split       560       3      0       1        0  12 s\n");
}

static void log_of_a_run(void **state) {
  (void)state;
  assert_shown(ts_show_log,
               "{\"run\": \"7f3a91bc\", \"tasks\": [{\"task\": \"segment.split\", \"key\": \"k1:9c1e4fab\", \"file\": "
               "\"slide.png\", \"tile\": [12, 40], \"outcome\": \"failed\", \"seconds\": 2.31, \"message\": "
               "\"no memory\\nfor the mask\"}]}",
               "failed: segment/9c1e4f (segment.split), slide.png, tile 12,40, 2.3 s\n"
               "  no memory\n"
               "  for the mask\n");
  assert_shown(ts_show_log, "{\"run\": \"7f3a91bc\", \"tasks\": []}", "No task of run 7f3a91bc said anything.\n");
}

static void explain(void **state) {
  (void)state;
  static const char json[] =
      "{\"run\": \"7f3a91bc\", \"task\": \"segment.split\", \"key\": \"k1:9c1e4fab\", \"outcome\": \"executed\", "
      "\"because\": \"segment.split ran because G1 = 40 (was 35.5)\", \"compared_with\": \"5b210000\", "
      "\"outcomes\": {\"executed\": 1200, \"store\": 3}, "
      "\"reason\": \"it ran: the nearest earlier one differs in 2 fields\", "
      "\"nearest\": {\"key\": \"k1:00112233445566778899\", \"run\": \"5b210000\", \"differs\": ["
      "{\"field\": \"parameter G1\", \"here\": 40, \"there\": 35.5}, "
      "{\"field\": \"input mask\", \"here\": \"k1:aa\", \"there\": null}]}, "
      "\"inputs\": [{\"port\": \"mask\", \"key\": \"k1:aabb\", \"task\": \"nuclei.refine\"}], "
      "\"cost\": {\"recompute_s\": 0.23, \"load_s\": 0.004, \"bytes\": 1200000}}";
  static const char answer[] = "segment.split ran because G1 = 40 (was 35.5)\n"
                               "Run 7f3a91bc, task segment/9c1e4f, compared with run 5b210000; in this run: 1 200 "
                               "executed, 3 from the store\n"
                               "Cost: 0.2 s to compute, 4 ms to load, 1.2 MB\n";
  assert_shown(ts_show_explain, json, answer);
  const struct ts_view verbose = {.verbose = true, .program = "tessera"};
  char all[2048];
  snprintf(all, sizeof all,
           "%s\n"
           "it ran: the nearest earlier one differs in 2 fields\n"
           "\n"
           "Nearest earlier task: 0011223344556677 of run 5b210000\n"
           "  differs in    here  there\n"
           "  parameter G1  40    35.5\n"
           "  input mask    aa    -\n"
           "\n"
           "  input  made by        key\n"
           "  mask   nuclei.refine  aabb\n",
           answer);
  assert_shown_by(ts_show_explain, &verbose, json, all);
}

static void explain_of_a_stage(void **state) {
  (void)state;
  assert_shown(ts_show_explain,
               "{\"run\": \"7f3a91bc\", \"stage\": \"segment\", \"tasks\": [{\"task\": \"segment.dark\", \"because\": "
               "\"segment.dark was reused\"}, {\"task\": \"segment.split\", \"because\": \"segment.split ran\"}]}",
               "segment.dark was reused\n"
               "segment.split ran\n"
               "\n"
               "Stage segment of run 7f3a91bc. One task: tessera explain segment.dark\n");
}

static void costs(void **state) {
  (void)state;
  assert_shown(ts_show_costs, "{\"machine\": \"AMD EPYC, 2 CPUs\", \"operations\": []}",
               "The store knows no costs yet: the next run or study that computes something teaches it.\n");
  static const char json[] =
      "{\"machine\": \"this, 2 CPUs\", \"operations\": [{\"operation\": \"nuclei.split\", \"version\": "
      "\"00112233445566\", \"machine\": \"this, 2 CPUs\", \"measure\": \"px\", \"calls\": 1365, \"size_min\": 131072, "
      "\"size_max\": 262144, \"size\": 200000, \"seconds\": 0.0025, \"seconds_per_megapixel\": 0.0125, \"bytes\": "
      "196400, \"peak_bytes\": 553300, \"cutoff_share\": 0.35}, {\"operation\": \"nuclei.split\", \"version\": "
      "\"ff112233445566\", \"machine\": \"this, 2 CPUs\", \"measure\": \"px\", \"calls\": 1, \"size_min\": 131072, "
      "\"size_max\": 131072, \"size\": 131072, \"seconds\": 0.0025, \"seconds_per_megapixel\": 0.019, \"bytes\": "
      "0, \"peak_bytes\": 0}, {\"operation\": \"store.load\", \"version\": \"00\", \"machine\": \"that, 8 CPUs\", "
      "\"measure\": \"bytes\", \"calls\": 640, \"size_min\": 96, \"size_max\": 96, \"size\": 96, \"seconds\": "
      "0.00001, \"bytes\": 96, \"peak_bytes\": 0}]}";
  static const char expected[] =
      "operation     version   machine       calls  size                    per Mpx  per call     makes  peak memory  "
      "cut "
      "off\n"
      "nuclei.split  00112233  this, 2 CPUs  1 365  0.131 Mpx to 0.262 Mpx  12.5 ms    2.5 ms  196.4 kB     553.3 kB   "
      "  "
      "35 %\n"
      "nuclei.split  ff112233  this, 2 CPUs      1  0.131 Mpx                 19 ms    2.5 ms\n"
      "store.load              that, 8 CPUs    640  96 B                              0.01 ms      96 B\n";
  const struct ts_view quiet = {.quiet = true, .program = "tessera"};
  assert_shown_by(ts_show_costs, &quiet, json, expected);
  char all[4096];
  snprintf(all, sizeof all,
           "%s\nTimes are CPU seconds, averages of a sample of the calls without those far out; 'store.load' is wall "
           "time.\nThis machine: this, 2 CPUs\n",
           expected);
  assert_shown(ts_show_costs, json, all);
}

static void assert_prediction(const char *json, const char *expected) {
  struct ts_str text = {0};
  json_t *reply = json_loads(json, 0, NULL);
  assert_non_null(reply);
  ts_show_prediction(reply, &text);
  assert_string_equal(ts_str_get(&text), expected);
  ts_str_release(&text);
  json_decref(reply);
}

static void verify(void **state) {
  (void)state;
  assert_shown(ts_show_verify,
               "{\"store\": \".tessera\", \"checked\": {\"rows\": 982, \"products\": 1, \"files\": 0}, \"damaged\": "
               "{\"rows\": 0, \"products\": 0}, \"removed\": {\"rows\": 0, \"products\": 0, \"files\": 0}, "
               "\"rebuilt\": false}",
               "Read 982 rows, 1 product and 0 files of the store '.tessera'.\nEverything is as it was written.\n");
  assert_shown(ts_show_verify,
               "{\"store\": \"s\", \"checked\": {\"rows\": 9, \"products\": 2, \"files\": 3}, \"damaged\": "
               "{\"rows\": 1, \"products\": 2}, \"removed\": {\"rows\": 1, \"products\": 2, \"files\": 1}, "
               "\"rebuilt\": true, \"recomputed\": {\"runs\": 2, \"records\": 2950, \"of\": 3608}, \"differs\": "
               "[{\"operation\": "
               "\"a.b\", \"key\": \"0123456789abcdef01\", \"run\": \"7f3a91bc\"}]}",
               "Read 9 rows, 2 products and 3 files of the store 's'.\n"
               "Removed 1 row and 2 products that were damaged; they are computed again when they are needed.\n"
               "The database was rewritten from its sound rows.\n"
               "Removed 1 file that belongs to no product.\n"
               "Computed 2 runs again: 2 950 of 3 608 records compared, 1 was wrong and removed:\n"
               "  a.b  key 0123456789abcdef  made by run 7f3a91bc\n");
  assert_shown(
      ts_show_verify, "{\"rebuilt\": true, \"recomputed\": {}, \"differs\": []}",
      "Read 0 rows, 0 products and 0 files of the store ''.\nIndexes were damaged.\nThe database was rewritten "
      "from its sound rows.\nComputed 0 runs again: none of 0 records could be compared.\n");
}

static void prediction(void **state) {
  (void)state;
  assert_prediction("{}", "");
  assert_prediction("{\"costs\": {\"source\": \"unit\", \"guessed\": []}}", "Costs of tasks: 1 each\n");
  assert_prediction("{\"costs\": {\"source\": \"file\", \"guessed\": []}, \"predicted\": {\"cpu_s\": 8, "
                    "\"cpu_s_most\": 8, \"wall_s\": 4, \"threads\": 2}}",
                    "Predicted: about 4.0 s with 2 threads, 8.0 s of CPU time\nCosts of tasks: the file\n");
  assert_prediction(
      "{\"costs\": {\"source\": \"model\", \"guessed\": [\"a.b\", \"a.c\"]}, \"predicted\": "
      "{\"cpu_s\": 8, \"cpu_s_most\": 12, \"wall_s\": 8, \"threads\": 1}}",
      "Predicted: about 8.0 s with 1 thread, 8.0 s of CPU time (at most 12 s: early cutoff saved as much as "
      "that before)\n"
      "Costs of tasks: as measured by the store, see 'tessera store costs'\n"
      "That is partly a guess: a.b and 1 more were measured on another machine, in another version or at "
      "other sizes only\n");
  assert_prediction("{\"costs\": {\"source\": \"model\", \"guessed\": []}, \"predicted\": {\"cpu_s\": 0, "
                    "\"cpu_s_most\": 0, \"wall_s\": 0, \"threads\": 1}}",
                    "Costs of tasks: as measured by the store, see 'tessera store costs'\n");
}

static void short_ones(void **state) {
  (void)state;
  assert_shown(ts_show_report, "{\"run\": \"7f3a91bc\", \"report\": \"a/report.html\"}", "Report: a/report.html\n");
  assert_shown(ts_show_init,
               "{\"folder\": \"my nuclei\", \"files\": [\"slide.png\", \"study.json\"], \"next\": [\"tessera study\", "
               "\"tessera run\"]}",
               "Made my nuclei with slide.png and study.json\n"
               "Next: cd 'my nuclei'\n"
               "      tessera study\n"
               "      tessera run\n");
  assert_shown(ts_show_init, "{\"folder\": \".\", \"files\": [\"workflow.json\"], \"next\": [\"tessera check\"]}",
               "Made . with workflow.json\n"
               "Next: tessera check\n");
}

static void list(void **state) {
  (void)state;
  assert_shown(
      ts_show_list,
      "{\"operations\": [{\"name\": \"nuclei.split\", \"version\": 2, \"origin\": \"built in\", \"numeric\": "
      "\"exact\", \"help\": \"splits touching nuclei\", \"inputs\": [{\"name\": \"mask\", \"type\": \"mask\"}], "
      "\"outputs\": [{\"name\": \"mask\", \"type\": \"mask\"}], \"parameters\": [{\"name\": \"WC\", \"type\": "
      "\"integer\", \"domain\": [4, 8]}, {\"name\": \"way\", \"type\": \"string\", \"domain\": [\"a\", \"b\"]}, "
      "{\"name\": \"free\", \"type\": \"real\"}], \"needs\": {\"cores\": 2, \"gpu\": 1, \"gang\": 3, "
      "\"memory_bytes\": 8000000000, \"exclusive\": true, \"site\": \"a\"}}], "
      "\"demos\": [{\"name\": \"nuclei\", \"help\": \"a synthetic slide\"}], \"methods\": [\"morris\"]}",
      "Operations\n"
      "  nuclei.split 2 (built in, exact)\n"
      "    does        splits touching nuclei\n"
      "    takes       mask: mask\n"
      "    gives       mask: mask\n"
      "    parameters  WC integer 4..8, way string a|b, free real\n"
      "    needs       2 cores, 1 GPU, a gang of 3, 8.0 GB of memory, a machine for itself, site a\n"
      "\n"
      "Demos\n"
      "  nuclei  a synthetic slide\n"
      "\n"
      "Methods of studies\n"
      "  morris\n");
}

static void bench(void **state) {
  (void)state;
  assert_shown(
      ts_show_bench,
      "{\"variant\": \"scalar\", \"threads\": 1, \"operations\": [{\"name\": \"segment.split\", \"cpu_s\": 0.5, "
      "\"wall_s\": 0.25, \"pixels\": 4000000, \"peak_bytes\": 2500000}, {\"name\": \"fit.fit\", \"cpu_s\": "
      "0.0125, \"wall_s\": 0.0125, \"pixels\": 0, \"peak_bytes\": 12}]}",
      "0.5125 s of CPU time in 2 operations (scalar, 1 thread)\n"
      "\n"
      "operation       CPU s  wall s     pixels  Mpx/s  peak memory\n"
      "segment.split  0.5000  0.2500  4 000 000     16       2.5 MB\n"
      "fit.fit        0.0125  0.0125          0                12 B\n");
}

static void messages(void **state) {
  (void)state;
  json_t *reply = load(
      "{\"run\": \"7f3a91bc\", \"warnings\": [\"ranks 3 and 4 overlap\", \"warning[W120]: so it is\"], "
      "\"faults\": [{\"code\": 203, \"text\": \"'segment.input' needs a label image, but 'normalise.output' is an "
      "RGB tile\", \"file\": \"workflow.json\", \"line\": 41, \"column\": 17, \"path\": \"/stages/1\", \"help\": "
      "\"put a 'threshold' step between them, or connect 'mask.output'\"}, "
      "{\"code\": 310, \"text\": \"parameter 'G1' = 140 is outside 5..80\", \"file\": \"\", \"line\": 0, "
      "\"column\": 0, \"path\": \"\", \"help\": \"\"}], "
      "\"failed\": [{\"task\": \"segment.split\", \"key\": \"k1:9c1e4fab\", \"file\": \"slide.png\", \"tile\": [12, "
      "40], \"message\": \"3.9 GB used\"}, {\"task\": \"fit.fit\", \"key\": \"k1:11223344\", \"file\": \"a.csv\", "
      "\"code\": 504, \"text\": \"command 'a.b' ended with exit status 3\", \"help\": \"its last words were: no\", "
      "\"message\": \"all of it\", \"where\": {\"file\": \"fit.json\", \"line\": 3, \"column\": 1}}]}");
  const struct ts_view view = {.program = "tessera"};
  static const char errors[] =
      "error[T203]: 'segment.input' needs a label image, but 'normalise.output' is an RGB tile\n"
      "  --> workflow.json:41:17\n"
      "help: put a 'threshold' step between them, or connect 'mask.output'\n"
      "\n"
      "error[T310]: parameter 'G1' = 140 is outside 5..80\n"
      "\n"
      "error[T501]: task segment/9c1e4f (slide.png, tile 12,40) failed: 3.9 GB used\n"
      "help: tessera log 7f3a91bc segment/9c1e4f\n"
      "\n"
      "error[T504]: task fit/112233 (a.csv) failed: command 'a.b' ended with exit status 3\n"
      "  --> fit.json:3:1\n"
      "help: its last words were: no\n"
      "  tessera log 7f3a91bc fit/112233\n";
  char expected[2048];
  snprintf(expected, sizeof expected, "%s\n%s", "warning: ranks 3 and 4 overlap\nwarning[W120]: so it is\n", errors);
  struct ts_str out = {0};
  ts_cli_reply_add_messages(&out, &view, reply, true);
  assert_string_equal(ts_str_get(&out), expected);
  ts_str_clear(&out);
  ts_cli_reply_add_messages(&out, &view, reply, false);
  assert_string_equal(ts_str_get(&out), errors);
  ts_str_release(&out);
  json_decref(reply);
}

static void equal_failures_are_one_message(void **state) {
  (void)state;
  json_t *reply = load(
      "{\"run\": \"7f3a91bc\", \"failed\": [{}, {}], \"failures\": ["
      "{\"task\": \"segment.split\", \"key\": \"k1:9c1e4fab\", \"file\": \"he01\", \"tile\": [12, 40], \"code\": 504, "
      "\"text\": \"it ended\", \"help\": \"\", \"params\": {\"G1\": 40, \"way\": \"fast\"}, \"count\": 1024, "
      "\"units\": 1024, \"per\": \"tile\"}, "
      "{\"task\": \"post.fit\", \"key\": \"k1:11223344\", \"file\": \"he01\", \"code\": 501, \"text\": \"no\", "
      "\"help\": \"\", \"params\": {}, \"count\": 8, \"units\": 2, \"per\": \"file\"}, "
      "{\"task\": \"post.fit\", \"key\": \"k1:55667788\", \"file\": \"he01\", \"code\": 501, \"text\": \"other\", "
      "\"help\": \"\", \"params\": {\"T\": 1.5}, \"count\": 1, \"units\": 1, \"per\": \"file\"}]}");
  const struct ts_view view = {.program = "tessera"};
  struct ts_str out = {0};
  ts_cli_reply_add_messages(&out, &view, reply, true);
  assert_string_equal(
      ts_str_get(&out),
      "error[T504]: task segment/9c1e4f failed in 1 024 tiles, first in he01, tile 12,40, with G1 = 40, "
      "way = fast: it ended\n"
      "help: tessera log 7f3a91bc segment/9c1e4f\n"
      "\n"
      "error[T501]: task post/112233 failed 8 times, first in he01: no\n"
      "help: tessera log 7f3a91bc post/112233\n"
      "\n"
      "error[T501]: task post/556677 (he01) failed with T = 1.5: other\n"
      "help: tessera log 7f3a91bc post/556677\n");
  ts_str_release(&out);
  json_decref(reply);
}

/* Five files with one error and all others are shown; faults inside a file are all shown. */
static void many_wrong_files_are_counted(void **state) {
  (void)state;
  json_t *reply = json_object(), *faults = json_array();
  for (int i = 0; i < 9; i++)
    json_array_append_new(faults, json_pack("{s:i, s:s, s:s, s:i}", "code", 402, "text", "no image", "file", "a.png",
                                            "line", i < 7 ? 0 : i));
  json_object_set_new(reply, "faults", faults);
  const struct ts_view view = {.program = "tessera"};
  struct ts_str out = {0};
  ts_cli_reply_add_messages(&out, &view, reply, true);
  size_t shown = 0;
  for (const char *at = ts_str_get(&out); (at = strstr(at, "error[T402]")); at++) shown++;
  assert_int_equal(shown, 5 + 2);
  assert_true(
      ts_str_ends_with(ts_str_get(&out), "\nand 2 more files with errors of the same kind; --json lists all\n"));
  ts_str_release(&out);
  json_decref(reply);
}

static void many_failed_tasks_are_cut(void **state) {
  (void)state;
  json_t *reply = load("{\"run\": \"7f3a91bc\"}");
  json_t *failed = json_array();
  for (int i = 0; i < 8; i++) json_array_append_new(failed, json_pack("{s:s, s:s}", "task", "a.b", "message", "no"));
  json_object_set_new(reply, "failed", failed);
  const struct ts_view view = {.program = "tessera"};
  struct ts_str out = {0};
  ts_cli_reply_add_messages(&out, &view, reply, true);
  assert_true(ts_str_ends_with(ts_str_get(&out), "\nand 3 more tasks failed: tessera log 7f3a91bc\n"));
  ts_str_release(&out);
  json_decref(reply);
}

/* A reply of another version may lack anything. */
static void empty_replies_do_no_harm(void **state) {
  (void)state;
  show_function *const shows[] = {ts_show_check,  ts_show_plan, ts_show_run,     ts_show_study,
                                  ts_show_status, ts_show_log,  ts_show_explain, ts_show_report,
                                  ts_show_init,   ts_show_list, ts_show_bench,   ts_show_verify};
  const struct ts_view view = {.program = "tessera", .width = 80};
  static const char *const replies[] = {
      "{}",
      "{\"outputs\": [{}, 5, null], \"by_task\": [{}, []], \"runs\": [null], \"tasks\": [3], \"operations\": [[]], "
      "\"quality\": [{}], \"failed\": [null], \"files\": [1], \"next\": [null], \"nearest\": {}, \"inputs\": [0], "
      "\"answer\": 7, \"reuse\": [], \"detail\": {\"by_task\": [0]}, \"demos\": [{}], \"methods\": [{}]}"};
  for (size_t i = 0; i < COUNT_OF(shows) * 2; i++) {
    json_t *reply = load(replies[i % 2]);
    struct ts_str out = {0};
    shows[i / 2](reply, &view, &out);
    ts_cli_reply_add_messages(&out, &view, reply, true);
    ts_str_release(&out);
    json_decref(reply);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(check),
      cmocka_unit_test(check_says_the_halo),
      cmocka_unit_test(plan),
      cmocka_unit_test(plan_with_buckets),
      cmocka_unit_test(plan_with_buckets_in_a_narrow_window),
      cmocka_unit_test(run_with_quality),
      cmocka_unit_test(run_says_what_was_compared),
      cmocka_unit_test(run_over_tiles),
      cmocka_unit_test(run_without_quality),
      cmocka_unit_test(study),
      cmocka_unit_test(study_in_color_and_quiet),
      cmocka_unit_test(status),
      cmocka_unit_test(log_of_a_run),
      cmocka_unit_test(explain),
      cmocka_unit_test(explain_of_a_stage),
      cmocka_unit_test(equal_failures_are_one_message),
      cmocka_unit_test(costs),
      cmocka_unit_test(verify),
      cmocka_unit_test(prediction),
      cmocka_unit_test(short_ones),
      cmocka_unit_test(list),
      cmocka_unit_test(bench),
      cmocka_unit_test(messages),
      cmocka_unit_test(many_failed_tasks_are_cut),
      cmocka_unit_test(many_wrong_files_are_counted),
      cmocka_unit_test(empty_replies_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
