/* Progress of a call as a whole: shares and seconds left in closed form, by a clock that the test turns.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/clock.h"
#include "request/phases.h"

static uint64_t now_ns;
static uint64_t read_now(void) { return now_ns; }
static void pass_ms(uint64_t ms) { now_ns += ms * 1000000; }

static struct tessera_event seen;
static size_t seen_count;

static void on_event(void *user, const struct tessera_event *event) {
  (void)user;
  seen = *event;
  seen_count++;
}

static const struct tessera_observer observer = {sizeof observer, on_event, NULL};
static const char *const following[] = {TS_PHASE_ANALYSIS, TS_PHASE_REPORT};

static struct ts_phases *begin(void) {
  now_ns = 7000000000;
  seen_count = 0;
  ts_clock_set_fake(read_now);
  return ts_phases_create(&observer);
}

static void end(struct ts_phases *phases) {
  ts_phases_destroy(phases);
  ts_clock_set_fake(NULL);
}

static void assert_near(double value, double expected) { assert_float_equal((float)value, (float)expected, 1e-6f); }

static void tell(struct ts_phases *phases, enum tessera_event_kind kind, uint64_t done, uint64_t total, double left_s) {
  static struct tessera_stage stages[2];
  stages[0] = (struct tessera_stage){.size_bytes = sizeof *stages, .name = "first", .total = 1, .done = done > 0};
  stages[1] = (struct tessera_stage){.size_bytes = sizeof *stages, .name = "second", .total = total - 1};
  stages[1].done = done - stages[0].done;
  struct tessera_event event = {
      .kind = kind, .run = "7f3a91bc", .left_s = left_s, .threads = 2, .stages = stages, .stage_count = 2};
  ts_phases_tell(phases, &event);
}

static void nobody_observes(void **state) {
  (void)state;
  assert_null(ts_phases_create(NULL));
  ts_phases_follow(NULL, following, 2);
  ts_phases_part(NULL, "round 2");
  ts_phase_begin(NULL, TS_PHASE_READING, 3);
  ts_phase_set(NULL, 1, 3);
  ts_phase_advance(NULL);
  ts_phase_end(NULL);
  ts_phases_tell(NULL, &seen);
  ts_phases_destroy(NULL);
}

static void a_phase_says_how_far_it_is(void **state) {
  (void)state;
  struct ts_phases *phases = begin();
  pass_ms(20);
  ts_phase_begin(phases, TS_PHASE_READING, 0);
  assert_int_equal(seen.kind, TESSERA_PHASE);
  assert_string_equal(seen.phase, "reading");
  assert_string_equal(seen.phase_state, "begin");
  assert_int_equal(seen.phase_total, 0);
  assert_int_equal(seen.stage_count, 0);
  assert_string_equal(seen.run, "");
  assert_near(seen.elapsed_s, 0.02);
  assert_near(seen.share, 0);
  pass_ms(99);
  ts_phase_set(phases, 1, 4); /* too soon for another event */
  assert_int_equal(seen_count, 1);
  pass_ms(1);
  ts_phase_advance(phases);
  assert_int_equal(seen_count, 2);
  assert_string_equal(seen.phase_state, "further");
  assert_int_equal(seen.phase_done, 2);
  assert_int_equal(seen.phase_total, 4);
  assert_near(seen.phase_seconds, 0.1);
  assert_true(seen.left_s < 0); /* nobody knows yet what the tasks take */
  ts_phase_begin(phases, TS_PHASE_READING, 0);
  assert_int_equal(seen_count, 2); /* it goes on */
  ts_phase_begin(phases, TS_PHASE_PLANNING, 0);
  assert_int_equal(seen_count, 4); /* the end of the one, the beginning of the other */
  assert_string_equal(seen.phase, "planning");
  end(phases);
  assert_int_equal(seen_count, 5); /* a call that fails in a phase ends it */
  assert_string_equal(seen.phase_state, "end");
}

/* 0.95 of the whole are tasks; the two phases behind them have 0.025 each. */
static void shares_of_tasks_and_phases(void **state) {
  (void)state;
  struct ts_phases *phases = begin();
  ts_phases_follow(phases, following, 2);
  tell(phases, TESSERA_RUN_BEGIN, 0, 10, -1);
  assert_near(seen.share, 0);
  tell(phases, TESSERA_TASK_DONE, 4, 10, 30);
  assert_near(seen.share, 0.95 * 0.4);
  assert_near(seen.left_s, 30);
  assert_string_equal(seen.phase, "");
  tell(phases, TESSERA_TASK_DONE, 5, 20, 60); /* repetitions by workers make it longer */
  assert_near(seen.share, 0.95 * 0.4);
  tell(phases, TESSERA_RUN_END, 20, 20, 0);
  assert_near(seen.share, 0.95);
  ts_phase_begin(phases, TS_PHASE_ANALYSIS, 8);
  assert_near(seen.share, 0.95);
  assert_int_equal(seen.stage_count, 2);
  assert_string_equal(seen.run, "7f3a91bc");
  pass_ms(3000);
  ts_phase_set(phases, 2, 8);
  assert_near(seen.share, 0.95 + 0.025 * 2 / 8);
  assert_near(seen.left_s, 9); /* 1.5 s a step, 6 steps */
  ts_phase_begin(phases, TS_PHASE_REPORT, 0);
  assert_near(seen.share, 0.975);
  assert_true(seen.left_s < 0);
  ts_phase_end(phases);
  assert_near(seen.share, 1);
  end(phases);
}

static void without_phases_tasks_are_the_whole(void **state) {
  (void)state;
  struct ts_phases *phases = begin();
  tell(phases, TESSERA_TASK_DONE, 5, 20, -1);
  assert_near(seen.share, 0.25);
  tell(phases, TESSERA_RUN_END, 20, 20, -1);
  assert_near(seen.share, 1);
  end(phases);
}

/* A share falls only where the part has another name; what an analysis took before is known to follow the tasks. */
static void rounds_add_to_the_whole(void **state) {
  (void)state;
  struct ts_phases *phases = begin();
  ts_phases_follow(phases, following, 2);
  ts_phases_part(phases, "round 1");
  tell(phases, TESSERA_TASK_DONE, 10, 10, 0);
  assert_string_equal(seen.part, "round 1");
  ts_phase_begin(phases, TS_PHASE_ANALYSIS, 1);
  pass_ms(4000);
  ts_phase_set(phases, 1, 1);
  assert_true(seen.left_s < 0); /* another round may follow */
  ts_phase_begin(phases, TS_PHASE_PLANNING, 0);
  assert_near(seen.share, 0.975);
  ts_phase_end(phases);
  ts_phases_part(phases, "round 2");
  tell(phases, TESSERA_PROGRESS, 10, 40, 20);
  assert_string_equal(seen.part, "round 2");
  assert_near(seen.share, 0.95 / 4);
  assert_near(seen.left_s, 20 + 4);
  end(phases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nobody_observes),
      cmocka_unit_test(a_phase_says_how_far_it_is),
      cmocka_unit_test(shares_of_tasks_and_phases),
      cmocka_unit_test(without_phases_tasks_are_the_whole),
      cmocka_unit_test(rounds_add_to_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
