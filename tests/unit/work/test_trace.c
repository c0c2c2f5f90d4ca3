/* Traces: what the events say, what is in the file at any moment, which files are replaced, and full disks.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/growth.h"
#include "unit/base/testing.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/random.h"
#include "base/str.h"
#include "work/trace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char folder[64];
static char path[128];

static int make_folder(void **state) {
  (void)state;
  scratch_create(folder);
  snprintf(path, sizeof path, "%s/trace.json", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  ts_clock_set_fake(NULL);
  scratch_remove(folder);
  return 0;
}

static uint64_t fake_now_ns;
static uint64_t fake_clock(void) { return fake_now_ns; }

static struct ts_trace *open_named(size_t threads) {
  struct ts_error err = {0};
  struct ts_trace *trace = ts_trace_open(path, &err);
  assert_non_null(trace);
  assert_int_equal(err.code, TS_ERR_OK);
  ts_trace_name(trace, "nuclei", "7f3a91bc", threads);
  return trace;
}

static void close_fine(struct ts_trace *trace) {
  struct ts_error err = {0};
  assert_true(ts_trace_close(trace, &err));
  assert_int_equal(err.code, TS_ERR_OK);
}

static const struct ts_trace_call plain = {.name = "segment.split",
                                           .is_task = true,
                                           .worker = 1,
                                           .start_s = 1.5,
                                           .wall_s = 0.0020005,
                                           .cpu_s = 0.001,
                                           .key = "k1:9c1e",
                                           .set = 7,
                                           .file = "slide.png",
                                           .has_tile = true,
                                           .tile_x = 512,
                                           .tile_y = 0,
                                           .outcome = "executed"};

/* What is in the file, with `ending` behind it, as JSON. */
static json_t *load(const char *ending) {
  struct ts_str text = {0};
  struct ts_error err = {0};
  json_error_t why;
  assert_true(ts_file_read(path, 0, &text, &err));
  ts_str_add(&text, ending);
  json_t *root = json_loads(ts_str_get(&text), JSON_REJECT_DUPLICATES, &why);
  if (!root) print_error("line %d: %s\n", why.line, why.text);
  assert_true(json_is_array(root));
  ts_str_release(&text);
  return root;
}

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "(none)";
}

static size_t count_phase(const json_t *events, const char *phase) {
  size_t count = 0;
  for (size_t i = 0; i < json_array_size(events); i++)
    count += strcmp(text_of(json_array_get(events, i), "ph"), phase) == 0;
  return count;
}

static const json_t *find_phase(const json_t *events, const char *phase) {
  for (size_t i = 0; i < json_array_size(events); i++) {
    if (strcmp(text_of(json_array_get(events, i), "ph"), phase) == 0) return json_array_get(events, i);
  }
  fail_msg("there is no event of phase %s", phase);
  return NULL;
}

static int64_t nanoseconds(const json_t *object, const char *name) {
  const json_t *value = json_object_get(object, name);
  assert_true(json_is_number(value));
  return llround(json_number_value(value) * 1000);
}

static void events_say_what_happened(void **state) {
  (void)state;
  struct ts_trace *trace = open_named(2);
  ts_trace_call(trace, &plain);
  ts_trace_count(trace, 1.6, &(struct ts_trace_counts){.executed = 3, .cutoff = 2, .store = 1, .failed = 4});
  close_fine(trace);
  json_t *events = load("");
  const json_t *call = find_phase(events, "X"), *args = json_object_get(call, "args");
  assert_string_equal(text_of(call, "name"), "segment.split");
  assert_string_equal(text_of(call, "cat"), "task");
  assert_int_equal(json_integer_value(json_object_get(call, "pid")), 1);
  assert_int_equal(json_integer_value(json_object_get(call, "tid")), 2);
  assert_int_equal(nanoseconds(call, "ts"), 1500000000);
  assert_int_equal(nanoseconds(call, "dur"), 2000500);
  assert_int_equal(nanoseconds(args, "cpu_us"), 1000000);
  assert_string_equal(text_of(args, "key"), "k1:9c1e");
  assert_string_equal(text_of(args, "tile"), "512,0");
  assert_string_equal(text_of(args, "file"), "slide.png");
  assert_string_equal(text_of(args, "outcome"), "executed");
  assert_int_equal(json_integer_value(json_object_get(args, "set")), 7);
  const json_t *point = find_phase(events, "C");
  assert_int_equal(nanoseconds(point, "ts"), 1600000000);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(point, "args"), "cutoff")), 2);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(point, "args"), "failed")), 4);
  /* The process, its label, and a name and a place for each of two threads. */
  assert_int_equal(count_phase(events, "M"), 6);
  json_decref(events);
}

static void texts_are_escaped(void **state) {
  (void)state;
  static const char *const names[] = {"a\"b\\c", "line\nend\ttab\x01", "\xC3\xA9t\xC3\xA9", "\xFFnot UTF-8\xC3"};
  static const char *const read[] = {"a\"b\\c", "line\nend\ttab\x01", "\xC3\xA9t\xC3\xA9", "?not UTF-8?"};
  struct ts_trace *trace = open_named(1);
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    struct ts_trace_call call = plain;
    call.name = call.file = names[i];
    ts_trace_call(trace, &call);
  }
  close_fine(trace);
  json_t *events = load("");
  size_t first = json_array_size(events) - COUNT_OF(names);
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    const json_t *call = json_array_get(events, first + i);
    assert_string_equal(text_of(call, "name"), read[i]);
    assert_string_equal(text_of(json_object_get(call, "args"), "file"), read[i]);
  }
  json_decref(events);
}

/* A worker that goes from task to task without a pause: the ends of one and the start of the next are the same
 * number. */
static void neighbours_do_not_overlap(void **state) {
  (void)state;
  enum { CALLS = 20000 };
  struct ts_random random;
  ts_random_init(&random, 5, 0);
  struct ts_trace *trace = open_named(2);
  uint64_t now_ns = 0;
  for (size_t i = 0; i < CALLS; i++) {
    uint64_t long_ns = ts_random_u64(&random) % (i % 100 == 0 ? 100000000000 : 100000);
    struct ts_trace_call call = plain;
    call.start_s = (double)now_ns / 1e9;
    call.wall_s = (double)long_ns / 1e9;
    ts_trace_call(trace, &call);
    now_ns += long_ns;
  }
  close_fine(trace);
  json_t *events = load("");
  int64_t end_ns = 0;
  for (size_t i = 0; i < json_array_size(events); i++) {
    const json_t *call = json_array_get(events, i);
    if (strcmp(text_of(call, "ph"), "X") != 0) continue;
    int64_t start_ns = nanoseconds(call, "ts");
    assert_int_equal(start_ns, end_ns);
    assert_true(nanoseconds(call, "dur") >= 0);
    end_ns = start_ns + nanoseconds(call, "dur");
  }
  assert_int_equal(end_ns, now_ns);
  assert_int_equal(count_phase(events, "X"), CALLS);
  json_decref(events);
}

/* Whatever a killed process left needs no more than its closing bracket, and lags behind by a fraction of a second. */
static void a_killed_trace_is_readable(void **state) {
  (void)state;
  ts_clock_set_fake(fake_clock);
  fake_now_ns = 1000;
  struct ts_trace *trace = open_named(2);
  json_decref(load("]"));
  off_t last_size = 0;
  size_t seen = 0;
  for (size_t i = 1; i <= 3000; i++) {
    fake_now_ns += 1000000;
    ts_trace_call(trace, &plain);
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    if (about.st_size != last_size) {
      last_size = about.st_size;
      json_t *events = load("]");
      seen = count_phase(events, "X");
      json_decref(events);
    }
    assert_true(seen + 250 >= i); /* a millisecond each */
  }
  assert_true(seen > 2500);
  close_fine(trace);
  json_t *events = load("");
  assert_int_equal(count_phase(events, "X"), 3000);
  json_decref(events);
}

static void the_curve_is_thinned(void **state) {
  (void)state;
  struct ts_trace *trace = open_named(1);
  for (size_t i = 0; i < 100000; i++) ts_trace_count(trace, (double)i * 1e-5, &(struct ts_trace_counts){.executed = i});
  close_fine(trace);
  json_t *events = load("");
  /* One second, a point every hundredth of it. */
  assert_in_range(count_phase(events, "C"), 99, 101);
  json_decref(events);
}

static void other_files_are_not_replaced(void **state) {
  (void)state;
  static const char *const others[] = {"{ \"tessera\": 1 }\n", "[", "[\n{\"ph\":\"X\"}\n]\n"};
  for (size_t i = 0; i < COUNT_OF(others); i++) {
    struct ts_error err = {0};
    struct ts_str text = {0};
    assert_true(ts_file_write(path, others[i], strlen(others[i]), &err));
    assert_null(ts_trace_open(path, &err));
    assert_error(&err, TS_ERR_BAD_VALUE);
    err = (struct ts_error){0};
    assert_true(ts_file_read(path, 0, &text, &err));
    assert_string_equal(ts_str_get(&text), others[i]);
    ts_str_release(&text);
  }
}

static void earlier_traces_are_replaced(void **state) {
  (void)state;
  struct ts_trace *trace = open_named(8);
  for (size_t i = 0; i < 100; i++) ts_trace_call(trace, &plain);
  close_fine(trace);
  for (size_t round = 0; round < 2; round++) { /* a whole one, then one that was cut off in a line */
    trace = open_named(1);
    ts_trace_call(trace, &plain);
    close_fine(trace);
    json_t *events = load("");
    assert_int_equal(count_phase(events, "X"), 1);
    json_decref(events);
    assert_int_equal(truncate(path, 200), 0);
  }
}

static void a_trace_of_nothing_is_json(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_trace *trace = ts_trace_open(path, &err);
  assert_non_null(trace);
  close_fine(trace);
  json_t *events = load("");
  assert_int_equal(json_array_size(events), 1);
  json_decref(events);
  close_fine(NULL);
}

static void folders_are_made_and_bad_paths_told(void **state) {
  (void)state;
  struct ts_error err = {0};
  snprintf(path, sizeof path, "%s/new/deep/trace.json", folder);
  close_fine(open_named(1));
  json_decref(load(""));
  assert_null(ts_trace_open(folder, &err));
  assert_error(&err, TS_ERR_FILE_IO);
  err = (struct ts_error){0};
  assert_null(ts_trace_open("/proc/nowhere/trace.json", &err));
  assert_true(err.code != TS_ERR_OK);
}

static void a_full_device_is_told_at_the_end(void **state) {
  (void)state;
  struct ts_error err = {0};
  struct ts_trace *trace = ts_trace_open("/dev/full", &err);
  assert_non_null(trace);
  ts_trace_name(trace, "nuclei", "", 2);
  for (size_t i = 0; i < 1000; i++) ts_trace_call(trace, &plain);
  assert_false(ts_trace_close(trace, &err));
  assert_error(&err, TS_ERR_FILE_IO);
  assert_non_null(strstr(err.text, "1000 events"));
}

/* A disk that fills up in the middle of a line: the line is taken back, what was written before stays readable. */
static void a_disk_that_fills_up_leaves_whole_lines(void **state) {
  (void)state;
  struct rlimit before, small;
  struct ts_error err = {0};
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 200001;
  signal(SIGXFSZ, SIG_IGN);
  struct ts_trace *trace = open_named(2);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  for (size_t i = 0; i < 5000; i++) ts_trace_call(trace, &plain);
  bool closed = ts_trace_close(trace, &err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  assert_false(closed);
  assert_error(&err, TS_ERR_FILE_IO);
  json_t *events = load("]");
  size_t kept = count_phase(events, "X");
  uintmax_t lost = 0;
  const char *number = strstr(err.text, "lacks ");
  assert_non_null(number);
  lost = strtoumax(number + strlen("lacks "), NULL, 10);
  assert_true(kept > 0);
  assert_int_equal(kept + lost, 5000);
  json_decref(events);
}

static double cost_of_events(void *user, size_t items) {
  (void)user;
  struct ts_trace *trace = open_named(2);
  struct ts_trace_call call = plain;
  call.key = "k1:395baf72386cbfc5347f9c08204352da213ae1e47a6b9e37dfbbea5af98c08fb"; /* as long as they are */
  uint64_t begin_ns = ts_clock_process_cpu_ns();
  for (size_t i = 0; i < items; i++) ts_trace_call(trace, &call);
  close_fine(trace);
  return (double)(ts_clock_process_cpu_ns() - begin_ns) * 1e-9;
}

/* The figure in docs/performance.md is printed; whatever was traced before, the next event costs the same. */
static void an_event_costs_the_same_late_and_early(void **state) {
  (void)state;
  growth_check("an event", cost_of_events, NULL, 25000, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(events_say_what_happened),
      TEST(texts_are_escaped),
      TEST(neighbours_do_not_overlap),
      TEST(a_killed_trace_is_readable),
      TEST(the_curve_is_thinned),
      TEST(other_files_are_not_replaced),
      TEST(earlier_traces_are_replaced),
      TEST(a_trace_of_nothing_is_json),
      TEST(folders_are_made_and_bad_paths_told),
      TEST(a_full_device_is_told_at_the_end),
      TEST(a_disk_that_fills_up_leaves_whole_lines),
      TEST(an_event_costs_the_same_late_and_early),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
