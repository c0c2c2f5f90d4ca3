/* The text of a job: what is written is read back, and nothing else is accepted.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "dist/job.h"
#include "support/toy_run.h"

#include <stdlib.h>
#include <string.h>

#define CASES 500

static struct ts_registry *registry;

static bool same_part(const struct ts_run_part *a, const struct ts_run_part *b) {
  bool same = a->window == b->window && a->keep == b->keep && a->execution == b->execution &&
              a->wanted_count == b->wanted_count && !a->wanted == !b->wanted;
  for (size_t i = 0; same && i < a->wanted_count; i++)
    same = a->wanted[i].node == b->wanted[i].node && a->wanted[i].port == b->wanted[i].port &&
           a->wanted[i].unit == b->wanted[i].unit;
  return same;
}

/* Wishes of one window, drawn; ports are those that the node has. */
static size_t draw_demands(const struct toy_subject *s, uint32_t window, struct ts_random *random,
                           struct ts_run_demand *demands, size_t most) {
  size_t count = 0;
  for (size_t tries = 0; tries < 4 * most && count < most; tries++) {
    uint32_t node = (uint32_t)ts_random_below(random, s->plan->node_count);
    enum ts_scope scope = s->plan->nodes[node].scope;
    size_t unit = (size_t)ts_random_below(random, toy_units(&s->data.dataset, scope));
    if (ts_run_window_of(s->plan, &s->data.dataset, scope, unit) == window)
      demands[count++] = (struct ts_run_demand){node, 0, unit};
  }
  return count;
}

static void drawn_jobs_are_read_back(void **state) {
  (void)state;
  const struct toy_settings settings = {.stages = 4, .tasks = 3, .sets = 6, .digits = 3};
  for (uint64_t seed = 0; seed < CASES; seed++) {
    struct toy_subject s = {0};
    struct ts_random random;
    struct ts_run_demand demands[20];
    ts_random_init(&random, seed, 0);
    toy_subject_draw(&s, registry, &settings, false, seed);
    uint32_t window = (uint32_t)ts_random_below(&random, ts_run_window_count(s.plan, &s.data.dataset));
    struct ts_run_part part = {
        .window = window, .keep = seed % 2, .execution = seed % 3 ? 0 : seed + (UINT64_MAX - CASES)};
    part.wanted = seed % 5 ? demands : NULL;
    if (part.wanted) part.wanted_count = draw_demands(&s, window, &random, demands, 20);
    struct ts_str text = {0};
    struct ts_job job;
    ts_job_print(&part, &text);
    if (!ts_job_parse(ts_str_get(&text), window, s.plan, &s.data.dataset, &job) || !same_part(&part, &job.part))
      fail_msg("seed %llu: %s", (unsigned long long)seed, ts_str_get(&text));
    ts_job_release(&job);
    for (size_t length = 0; length < text.length; length++) { /* beginnings are shorter jobs or none, never a fault */
      ts_auto_free char *cut = ts_strdup(ts_str_get(&text));
      cut[length] = '\0';
      if (ts_job_parse(cut, window, s.plan, &s.data.dataset, &job)) ts_job_release(&job);
    }
    ts_str_release(&text);
    toy_subject_release(&s);
  }
}

static void other_texts_are_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      "al",
                                      "list 999999",
                                      "list 0:63",
                                      "list 0@99999",
                                      "list -1",
                                      "list 2-1",
                                      "list 0 ",
                                      "list 0,1",
                                      "all ",
                                      "keep",
                                      "execution all",
                                      "execution x all",
                                      "list 99999999999999999999",
                                      "keep keep all"};
  static const struct toy_image image[] = {{"one", 4, 4}};
  struct toy_subject s = {0};
  toy_case_init(
      &s.toy,
      "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"data\": {\"type\": \"table\"}}, \"parameters\": {}, "
      "\"stages\": [{\"name\": \"s\", \"per\": \"file\", \"in\": {\"a\": \"data\"}, "
      "\"out\": {\"out\": \"t.out\"}, \"tasks\": [{\"name\": \"t\", \"op\": \"toy.same\", "
      "\"in\": {\"a\": \"a\"}}]}]}",
      registry);
  toy_subject_complete(&s, registry, image, 1, 0, 0);
  struct ts_job job;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (ts_job_parse(texts[i], 0, s.plan, &s.data.dataset, &job)) fail_msg("'%s' was accepted", texts[i]);
  }
  assert_false(ts_job_parse("all", 1, s.plan, &s.data.dataset, &job)); /* there is one window */
  assert_true(ts_job_parse("keep execution 7 list 0-1", 0, s.plan, &s.data.dataset, &job));
  assert_int_equal(job.part.wanted_count, 2);
  ts_job_release(&job);
  toy_subject_release(&s);
}

int main(void) {
  registry = toy_registry_create();
  const struct CMUnitTest tests[] = {cmocka_unit_test(drawn_jobs_are_read_back),
                                     cmocka_unit_test(other_texts_are_refused)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ts_registry_destroy(registry);
  return failed;
}
