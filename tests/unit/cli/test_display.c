/* Progress: the look on a terminal, plain lines, JSON lines, and when each is shown, by a clock that the test turns.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/cli/fake_tessera.h"

#include "base/clock.h"
#include "base/log.h"
#include "cli/display.h"

#include <jansson.h>
#include <pthread.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

static uint64_t now_ns;
static uint64_t read_now(void) { return now_ns; }
static void pass_ms(uint64_t ms) { now_ns += ms * 1000000; }

/* The example of the specification. */
static struct tessera_stage stages[] = {
    {.name = "normalise", .total = 400, .done = 400, .reused = 300},
    {.name = "segment", .total = 3600, .done = 1840, .running = 4, .reused = 8400},
    {.name = "features", .total = 3600, .done = 912, .running = 1},
};

static struct tessera_event event(enum tessera_event_kind kind) {
  return (struct tessera_event){.kind = kind,
                                .run = "7f3a91bc",
                                .elapsed_s = 131.2,
                                .left_s = 340,
                                .threads = 8,
                                .stages = stages,
                                .stage_count = COUNT_OF(stages),
                                .stage = "segment",
                                .task = "segment.split",
                                .key = "k1:9c1e4fab",
                                .outcome = "executed",
                                .file = "slide.png",
                                .tile_x = 12,
                                .tile_y = 40,
                                .seconds = 2.31,
                                .message = "",
                                .share = 0.39,
                                .part = "",
                                .phase = "",
                                .phase_state = ""};
}

static struct tessera_event phase_event(const char *name, const char *state, uint64_t done, uint64_t total) {
  struct tessera_event about = event(TESSERA_PHASE);
  about.phase = name;
  about.phase_state = state;
  about.phase_done = done;
  about.phase_total = total;
  about.phase_seconds = 7.1;
  about.left_s = -1;
  return about;
}

struct screen {
  struct ts_display *display;
  FILE *out;
  char *text; /* owned by the stream */
  size_t size;
  size_t seen;
};

static int stop;

static void screen_open(struct screen *screen, enum ts_display_mode mode) {
  memset(screen, 0, sizeof *screen);
  screen->out = open_memstream(&screen->text, &screen->size);
  assert_non_null(screen->out);
  stop = 0;
  now_ns = 5000000000;
  ts_clock_set_fake(read_now);
  const struct ts_display_options options = {
      .mode = mode, .out = screen->out, .width = 80, .height = 24, .name = "morris", .stop = &stop};
  screen->display = ts_display_create(&options);
}

static void screen_close(struct screen *screen) {
  ts_display_destroy(screen->display);
  fclose(screen->out);
  free(screen->text);
  ts_clock_set_fake(NULL);
}

/* What was written since the last call. */
static void assert_new(struct screen *screen, const char *expected) {
  fflush(screen->out);
  assert_string_equal(screen->text + screen->seen, expected);
  screen->seen = screen->size;
}

static void tell(struct screen *screen, enum tessera_event_kind kind) {
  struct tessera_event progress = event(kind);
  ts_display_on_event(screen->display, &progress);
}

static const char look[] = "morris-7f3a91bc  8 workers  02:11 elapsed, about 05:40 left\n"
                           "  [#########...............]  39 %  3 152/7 600 tasks, 8 700 reused\n"
                           "  segment   1 840/3 600  51 % 4 running 8 400 reused\n"
                           "  features    912/3 600  25 % 1 running\n"
                           "  Ctrl-C pauses; finished tasks are kept\n";

static struct ts_snapshot snapshot_of(struct tessera_stage *list, size_t count) {
  return (struct ts_snapshot){.run = "7f3a91bc",
                              .elapsed_s = 131.2,
                              .left_s = 340,
                              .threads = 8,
                              .stages = list,
                              .stage_count = count,
                              .share = 0.39};
}

static void assert_drawn(const struct ts_snapshot *snapshot, const struct ts_display_options *options, size_t lines,
                         const char *expected) {
  struct ts_str text = {0};
  assert_int_equal(ts_display_draw(snapshot, options, &text), lines);
  assert_string_equal(ts_str_get(&text), expected);
  ts_str_release(&text);
}

static void the_look_on_a_terminal(void **state) {
  (void)state;
  const struct ts_snapshot snapshot = snapshot_of(stages, 3);
  struct ts_display_options options = {.name = "morris"};
  assert_drawn(&snapshot, &options, 5, look);
  options.width = 60; /* nothing may reach the last column */
  assert_drawn(&snapshot, &options, 5,
               "morris-7f3a91bc  8 workers  02:11 elapsed, about 05:40 left\n"
               "  [######..........]  39 %  3 152/7 600 tasks, 8 700 reused\n"
               "  segment   1 840/3 600  51 % 4 running 8 400 reused\n"
               "  features    912/3 600  25 % 1 running\n"
               "  Ctrl-C pauses; finished tasks are kept\n");
  options.width = 40;
  assert_drawn(&snapshot, &options, 5,
               "morris-7f3a91bc  02:11, 05:40 left\n"
               "  [#########...............]  39 %\n"
               "  segment   1 840/3 600  51 % 4 running\n"
               "  features    912/3 600  25 % 1 running\n"
               "Ctrl-C pauses; finished tasks are kept\n");
  options.width = 21;
  assert_drawn(&snapshot, &options, 5,
               "morris-7f3a91bc  02:\n"
               "  [###.......]  39 %\n"
               "  segment   1 840/3\n"
               "  features    912/3\n"
               "Ctrl-C pauses; finis\n");
}

static void phases_have_a_line_of_their_own(void **state) {
  (void)state;
  const struct ts_display_options options = {.name = "morris", .width = 80};
  struct ts_snapshot snapshot = snapshot_of(NULL, 0);
  snapshot.run[0] = '\0';
  snapshot.threads = 0;
  snapshot.left_s = -1;
  snapshot.phase = (struct ts_snapshot_phase){.name = "reading", .done = 3, .total = 40, .seconds = 2};
  assert_drawn(&snapshot, &options, 3,
               "morris  02:11 elapsed\n"
               "  reading 3/40   7 %  for 00:02\n"
               "  Ctrl-C pauses; finished tasks are kept\n");
  struct tessera_stage done[] = {{.name = "fit", .total = 4, .done = 4, .failed = 1}};
  snapshot = snapshot_of(done, 1);
  snapshot.left_s = -1;
  snapshot.share = 0.9625;
  snapshot.tasks_ended = true;
  snprintf(snapshot.part, sizeof snapshot.part, "round 2");
  snapshot.phase = (struct ts_snapshot_phase){.name = "analysis", .seconds = 7.9};
  assert_drawn(&snapshot, &options, 4,
               "morris-7f3a91bc  8 workers  02:11 elapsed, finishing\n"
               "  [#######################.]  96 %  round 2  4/4 tasks, 1 failed\n"
               "  analysis  for 00:07\n"
               "  Ctrl-C pauses; finished tasks are kept\n");
}

/* Rows that are read: nobody knows how many there are. */
static void a_stage_of_unknown_size_has_no_percentage(void **state) {
  (void)state;
  struct tessera_stage open[] = {{.name = "read", .done = 5000, .running = 1}, {.name = "analyse"}};
  struct ts_snapshot snapshot = snapshot_of(open, 2);
  const struct ts_display_options options = {.name = "analyse", .ends = true};
  snapshot.run[0] = '\0';
  snapshot.left_s = snapshot.share = -1;
  assert_drawn(&snapshot, &options, 3,
               "analyse  8 workers  02:11 elapsed\n"
               "  read 5 000 1 running\n"
               "  Ctrl-C stops\n");
  struct ts_str line = {0};
  ts_display_plain_line(&snapshot, 0, &line);
  assert_string_equal(ts_str_get(&line), "02:11 read 5000 reused=0 failed=0\n");
  ts_str_release(&line);
}

/* Less than a second is not said: it would be "00:00 left". */
static void the_time_left_is_at_least_a_second(void **state) {
  (void)state;
  struct ts_snapshot snapshot = snapshot_of(stages, 3);
  snapshot.left_s = 1;
  assert_float_equal((float)ts_snapshot_left(&snapshot), 1, 0);
  snapshot.left_s = 0.999;
  assert_true(ts_snapshot_left(&snapshot) < 0);
  struct ts_str line = {0};
  ts_display_plain_line(&snapshot, 1, &line);
  assert_string_equal(ts_str_get(&line), "02:11 segment 1840/3600 51 % reused=8400 failed=0 all=39%\n");
  ts_str_release(&line);
}

static void percentages_are_rounded_down(void **state) {
  (void)state;
  assert_int_equal(ts_display_percent(0, 0), 0);
  assert_int_equal(ts_display_percent(1, 100000), 0);
  assert_int_equal(ts_display_percent(99999, 100000), 99);
  assert_int_equal(ts_display_percent(5, 5), 100);
  for (unsigned percent = 0; percent <= 100; percent++) {
    assert_int_equal(ts_display_percent(percent, 100), percent);
    assert_int_equal(ts_display_share_percent(percent / 100.0), percent);
  }
}

static void a_low_screen_says_how_many_stages_it_leaves_out(void **state) {
  (void)state;
  struct ts_snapshot snapshot = snapshot_of(stages, 3);
  snapshot.elapsed_s = 3700;
  snapshot.left_s = -1;
  const struct ts_display_options options = {.name = "run", .height = 5};
  assert_drawn(&snapshot, &options, 4,
               "run-7f3a91bc  8 workers  1:01:40 elapsed\n"
               "  [#########...............]  39 %  3 152/7 600 tasks, 8 700 reused\n"
               "  and 2 more stages\n"
               "  Ctrl-C pauses; finished tasks are kept\n");
}

static void colors_mark_failures(void **state) {
  (void)state;
  struct tessera_stage odd[] = {{.name = "fit", .total = 4, .done = 2, .running = 1, .failed = 1},
                                {.name = "idle"},
                                {.name = "score", .total = 4}};
  const struct ts_snapshot snapshot = {
      .run = "", .left_s = -1, .threads = 2, .stages = odd, .stage_count = 3, .share = 0.25};
  const struct ts_display_options options = {.name = "run", .color = true};
  assert_drawn(&snapshot, &options, 4,
               "\x1b[1mrun  2 workers  00:00 elapsed\x1b[0m\n"
               "\x1b[31m  [######..................]  25 %  2/8 tasks, 1 failed\x1b[0m\n"
               "\x1b[31m  fit   2/4  50 % 1 running 1 failed\x1b[0m\n"
               "\x1b[2m  Ctrl-C pauses; finished tasks are kept\x1b[0m\n");
}

static void resize(int terminal, unsigned short columns) {
  const struct winsize size = {.ws_row = 24, .ws_col = columns};
  assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
}

/* A terminal that is narrower than what was drawn has broken its lines: all rows are removed. */
static void a_narrower_terminal_is_cleared_as_well(void **state) {
  (void)state;
  int terminal, other;
  char text[4096];
  assert_int_equal(openpty(&terminal, &other, NULL, NULL, NULL), 0);
  resize(terminal, 80);
  now_ns = 5000000000;
  ts_clock_set_fake(read_now);
  struct screen screen = {.out = fdopen(other, "w")};
  assert_non_null(screen.out);
  screen.display =
      ts_display_create(&(struct ts_display_options){.mode = TS_DISPLAY_TERMINAL, .out = screen.out, .name = "morris"});
  tell(&screen, TESSERA_RUN_BEGIN);
  resize(terminal, 40);
  pass_ms(200);
  tell(&screen, TESSERA_TASK_DONE);
  size_t length = 0;
  do { /* what was written may arrive in pieces; without the sequence the test ends by its time limit */
    const ssize_t count = read(terminal, text + length, sizeof text - 1 - length);
    assert_true(count > 0);
    length += (size_t)count;
    text[length] = '\0';
  } while (!strstr(text, "\x1b[J"));
  /* Lines of 59, 65, 52, 39 and 40 columns: 2 + 2 + 2 + 1 + 1 rows. */
  assert_memory_equal(strchr(text, '\x1b') - 1, "\r\x1b[8A\x1b[J", 8);
  screen_close(&screen);
  close(terminal);
}

/* Before there are tasks: nothing of what is over at once, then a phase. */
static void a_phase_is_shown_after_a_moment(void **state) {
  (void)state;
  struct screen screen;
  const struct tessera_event reading = phase_event("reading", "begin", 0, 0);
  const enum ts_display_mode modes[] = {TS_DISPLAY_TERMINAL, TS_DISPLAY_PLAIN};
  for (size_t i = 0; i < COUNT_OF(modes); i++) {
    screen_open(&screen, modes[i]);
    struct tessera_event about = reading;
    about.stage_count = 0;
    about.elapsed_s = about.phase_seconds = 0;
    ts_display_on_event(screen.display, &about);
    pass_ms(99);
    ts_display_tick(screen.display);
    assert_new(&screen, "");
    pass_ms(1);
    ts_display_tick(screen.display);
    assert_new(&screen, modes[i] == TS_DISPLAY_PLAIN ? "00:00 reading\n"
                                                     : "morris-7f3a91bc  8 workers  00:00 elapsed\n"
                                                       "  reading  for 00:00\n"
                                                       "  Ctrl-C pauses; finished tasks are kept\n");
    screen_close(&screen);
  }
}

static void a_long_phase_has_a_plain_line_at_its_end(void **state) {
  (void)state;
  struct screen screen;
  screen_open(&screen, TS_DISPLAY_PLAIN);
  tell(&screen, TESSERA_RUN_BEGIN);
  assert_new(&screen, "02:11 normalise 400/400 100 % reused=300 failed=0 eta=340s all=39%\n");
  struct tessera_event about = phase_event("analysis", "further", 3, 12);
  about.left_s = 21.3;
  ts_display_on_event(screen.display, &about);
  pass_ms(10000);
  ts_display_tick(screen.display);
  assert_new(&screen, "02:21 analysis 3/12 25 % eta=11s all=39%\n");
  about = phase_event("analysis", "end", 12, 12);
  about.share = 0.9625;
  about.part = "round 2";
  ts_display_on_event(screen.display, &about);
  assert_new(&screen, "02:11 analysis 12/12 100 % took=7.1s all=96% (round 2)\n");
  about = phase_event("tables", "end", 0, 0);
  about.phase_seconds = 0.9;
  ts_display_on_event(screen.display, &about);
  assert_new(&screen, "");
  screen_close(&screen);
}

static void the_terminal_is_redrawn_five_times_a_second(void **state) {
  (void)state;
  struct screen screen;
  char redrawn[512];
  snprintf(redrawn, sizeof redrawn, "\r\x1b[5A\x1b[J%s", look);
  screen_open(&screen, TS_DISPLAY_TERMINAL);
  tell(&screen, TESSERA_RUN_BEGIN);
  assert_new(&screen, look);
  pass_ms(199);
  tell(&screen, TESSERA_TASK_DONE);
  assert_new(&screen, "");
  pass_ms(1);
  tell(&screen, TESSERA_TASK_DONE);
  assert_new(&screen, redrawn);
  ts_display_tick(screen.display);
  pass_ms(500);
  ts_display_tick(screen.display);
  assert_new(&screen, "");
  ts_display_destroy(screen.display);
  screen.display = NULL;
  assert_new(&screen, "\r\x1b[5A\x1b[J");
  screen_close(&screen);
}

/* Without news the clock goes on, once a second. */
static void ticks_move_the_clock(void **state) {
  (void)state;
  struct screen screen;
  screen_open(&screen, TS_DISPLAY_TERMINAL);
  ts_display_tick(screen.display); /* nothing was told yet */
  tell(&screen, TESSERA_RUN_BEGIN);
  assert_new(&screen, look);
  pass_ms(60000);
  ts_display_tick(screen.display);
  fflush(screen.out);
  assert_non_null(strstr(screen.text + screen.seen, "03:11 elapsed, about 04:40 left\n"));
  screen_close(&screen);
}

static void a_pause_is_announced_at_once(void **state) {
  (void)state;
  struct screen screen;
  screen_open(&screen, TS_DISPLAY_TERMINAL);
  tell(&screen, TESSERA_RUN_BEGIN);
  pass_ms(250);
  stop = 1;
  ts_display_tick(screen.display);
  fflush(screen.out);
  assert_non_null(
      strstr(screen.text, "  Pausing after running tasks; a 2nd Ctrl-C makes them give up, a 3rd ends now\n"));
  pass_ms(250);
  stop = 2;
  ts_display_tick(screen.display);
  fflush(screen.out);
  assert_non_null(strstr(screen.text, "  Giving up running tasks, within 2 seconds; a 3rd Ctrl-C ends at once\n"));
  screen_close(&screen);
  screen_open(&screen, TS_DISPLAY_PLAIN);
  stop = 1;
  ts_display_tick(screen.display);
  ts_display_tick(screen.display);
  assert_new(&screen, "Pausing after running tasks; a 2nd Ctrl-C makes them give up, a 3rd ends now\n");
  stop = 2;
  ts_display_tick(screen.display);
  ts_display_tick(screen.display);
  assert_new(&screen, "Giving up running tasks, within 2 seconds; a 3rd Ctrl-C ends at once\n");
  screen_close(&screen);
}

/* The log writes to the real stderr; only what the display does about it is looked at. */
static void messages_do_not_tear_the_display(void **state) {
  (void)state;
  ts_log_use_stderr();
  struct screen screen;
  screen_open(&screen, TS_DISPLAY_TERMINAL);
  tell(&screen, TESSERA_RUN_BEGIN);
  assert_new(&screen, look);
  ts_log(TS_LOG_WARN, "a message of the test");
  assert_new(&screen, "\r\x1b[5A\x1b[J");
  tell(&screen, TESSERA_TASK_DONE); /* too soon: the message may not be written yet */
  assert_new(&screen, "");
  pass_ms(200);
  tell(&screen, TESSERA_TASK_DONE);
  assert_new(&screen, look);
  screen_close(&screen);
  ts_log(TS_LOG_WARN, "the display is gone, the log must not call it");
}

static void plain_lines(void **state) {
  (void)state;
  struct screen screen;
  screen_open(&screen, TS_DISPLAY_PLAIN);
  tell(&screen, TESSERA_RUN_BEGIN);
  assert_new(&screen, "02:11 normalise 400/400 100 % reused=300 failed=0 eta=340s all=39%\n");
  pass_ms(9999);
  tell(&screen, TESSERA_TASK_DONE);
  assert_new(&screen, "");
  pass_ms(1);
  tell(&screen, TESSERA_TASK_DONE);
  assert_new(&screen, "02:11 segment 1840/3600 51 % reused=8400 failed=0 eta=340s all=39%\n");
  pass_ms(10000);
  ts_display_tick(screen.display);
  assert_new(&screen, "02:21 segment 1840/3600 51 % reused=8400 failed=0 eta=330s all=39%\n");
  struct tessera_stage saved = stages[1];
  stages[1].done = 3600;
  tell(&screen, TESSERA_TASK_DONE);
  assert_new(&screen, "02:11 segment 3600/3600 100 % reused=8400 failed=0 eta=340s all=39%\n");
  pass_ms(10000);
  ts_display_tick(screen.display); /* segment is finished: the next stage has the word */
  assert_new(&screen, "02:21 features 912/3600 25 % reused=0 failed=0 eta=330s all=39%\n");
  stages[1] = saved;
  screen_close(&screen);
}

static void assert_number(const json_t *object, const char *name, double expected) {
  assert_float_equal((float)json_number_value(json_object_get(object, name)), (float)expected, 1e-6f);
}

static void assert_member(const json_t *object, const char *name, const char *expected) {
  assert_string_equal(json_string_value(json_object_get(object, name)), expected);
}

static void json_lines(void **state) {
  (void)state;
  struct screen screen;
  screen_open(&screen, TS_DISPLAY_JSON);
  tell(&screen, TESSERA_RUN_BEGIN);
  tell(&screen, TESSERA_TASK_DONE);
  struct tessera_event failed = event(TESSERA_TASK_DONE);
  failed.outcome = "store";
  failed.message = "said \"no\"";
  failed.tile_x = -1;
  ts_display_on_event(screen.display, &failed);
  tell(&screen, TESSERA_RUN_END);
  struct tessera_event analysis = phase_event("analysis", "further", 3, 12);
  analysis.part = "round 2";
  ts_display_on_event(screen.display, &analysis);
  fflush(screen.out);
  json_t *lines[5];
  const char *text = screen.text;
  for (size_t i = 0; i < 5; i++) {
    size_t length = strcspn(text, "\n");
    lines[i] = json_loadb(text, length, 0, NULL);
    assert_non_null(lines[i]);
    assert_true(text[length] == '\n');
    text += length + 1;
  }
  assert_true(*text == '\0');
  assert_member(lines[0], "ev", "run_begin");
  assert_number(json_array_get(json_object_get(lines[0], "stages"), 1), "total", 3600);
  assert_number(lines[1], "t", 131.2);
  assert_member(lines[1], "ev", "task_done");
  assert_member(lines[1], "run", "7f3a91bc");
  assert_member(lines[1], "task", "segment/9c1e4f");
  assert_member(lines[1], "name", "segment.split");
  assert_int_equal(json_integer_value(json_array_get(json_object_get(lines[1], "tile"), 0)), 12);
  assert_int_equal(json_integer_value(json_array_get(json_object_get(lines[1], "tile"), 1)), 40);
  assert_number(lines[1], "s", 2.31);
  assert_true(json_is_false(json_object_get(lines[1], "reused")));
  assert_true(json_is_true(json_object_get(lines[2], "reused")));
  assert_member(lines[2], "message", "said \"no\"");
  assert_null(json_object_get(lines[2], "tile"));
  assert_member(lines[3], "ev", "run_end");
  assert_number(json_array_get(json_object_get(lines[3], "stages"), 2), "done", 912);
  assert_number(lines[3], "share", 0.39);
  assert_number(lines[3], "left_s", 340);
  assert_null(json_object_get(lines[3], "part"));
  assert_member(lines[4], "ev", "phase");
  assert_member(lines[4], "phase", "analysis");
  assert_member(lines[4], "state", "further");
  assert_member(lines[4], "part", "round 2");
  assert_number(lines[4], "done", 3);
  assert_number(lines[4], "total", 12);
  assert_number(lines[4], "s", 7.1);
  assert_null(json_object_get(lines[4], "left_s"));
  for (size_t i = 0; i < 5; i++) json_decref(lines[i]);
  screen_close(&screen);
}

static void none_is_silent_but_counts(void **state) {
  (void)state;
  struct screen screen;
  uint64_t done, total;
  screen_open(&screen, TS_DISPLAY_NONE);
  assert_false(ts_display_counts(screen.display, &done, &total));
  tell(&screen, TESSERA_RUN_BEGIN);
  assert_true(ts_display_counts(screen.display, &done, &total));
  assert_int_equal(done, 3152);
  assert_int_equal(total, 7600);
  assert_new(&screen, "");
  screen_close(&screen);
}

static void *tell_often(void *argument) {
  for (int i = 0; i < 500; i++) tell(argument, TESSERA_TASK_DONE);
  return NULL;
}

/* For the sanitizers: calls, ticks and messages from several threads, and an end while the ticker waits. */
static void threads_get_along(void **state) {
  (void)state;
  struct screen screen;
  screen_open(&screen, TS_DISPLAY_TERMINAL);
  ts_display_start_ticker(screen.display);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, tell_often, &screen), 0);
  for (int i = 0; i < 200; i++) {
    ts_display_tick(screen.display);
    if (i % 100 == 0) ts_log(TS_LOG_WARN, "message %d of the test", i);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  screen_close(&screen);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_look_on_a_terminal),
      cmocka_unit_test(phases_have_a_line_of_their_own),
      cmocka_unit_test(a_stage_of_unknown_size_has_no_percentage),
      cmocka_unit_test(the_time_left_is_at_least_a_second),
      cmocka_unit_test(percentages_are_rounded_down),
      cmocka_unit_test(a_low_screen_says_how_many_stages_it_leaves_out),
      cmocka_unit_test(a_narrower_terminal_is_cleared_as_well),
      cmocka_unit_test(a_phase_is_shown_after_a_moment),
      cmocka_unit_test(a_long_phase_has_a_plain_line_at_its_end),
      cmocka_unit_test(colors_mark_failures),
      cmocka_unit_test(the_terminal_is_redrawn_five_times_a_second),
      cmocka_unit_test(ticks_move_the_clock),
      cmocka_unit_test(a_pause_is_announced_at_once),
      cmocka_unit_test(messages_do_not_tear_the_display),
      cmocka_unit_test(plain_lines),
      cmocka_unit_test(json_lines),
      cmocka_unit_test(none_is_silent_but_counts),
      cmocka_unit_test(threads_get_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
