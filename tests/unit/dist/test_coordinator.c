/* Worker processes that cannot start, die, differ, or do their work: what the coordinator makes of each.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The workers are this program, started again: main plays the part that the environment names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/log.h"
#include "dist/dist.h"
#include "dist/link.h"
#include "dist/messages.h"
#include "message/channel.h"
#include "support/toy_run.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PART "TESSERA_TEST_PART"

static char folder[256]; /* where sockets are made */
static char self[PATH_MAX];

static const char workflow[] =
    "{\"tessera\": 1, \"name\": \"toy\", \"inputs\": {\"data\": {\"type\": \"table\"}}, \"parameters\": {}, "
    "\"stages\": [{\"name\": \"s\", \"per\": \"file\", \"in\": {\"a\": \"data\"}, \"out\": {\"out\": \"t.out\"}, "
    "\"tasks\": [{\"name\": \"t\", \"op\": \"toy.same\", \"in\": {\"a\": \"a\"}}]}]}";
static const struct toy_image images[] = {{"one", 4, 4}, {"two", 4, 4}, {"three", 4, 4}, {"four", 4, 4}};

static void subject_open(struct toy_subject *s, struct ts_registry *registry, size_t image_count) {
  toy_case_init(&s->toy, workflow, registry);
  toy_subject_complete(s, registry, images, image_count, 0, 0);
}

/* ---- the worker's side ---- */
static int end_with(const struct ts_error *err) {
  fprintf(stderr, "error: %s\n", err->text);
  return 5;
}

/* A program of another version. */
static int speak_another_protocol(const char *place) {
  const char *socket = strchr(place, '@') + 1;
  struct ts_channel channel;
  struct ts_error err = {0};
  struct ts_message message;
  ts_channel_init(&channel, ts_channel_connect(socket, &err));
  struct ts_str *out = ts_channel_begin(&channel);
  ts_wire_add_u64(out, TS_DIST_MAGIC);
  ts_wire_add_u32(out, TS_DIST_PROTOCOL + 1);
  ts_wire_add_u8(out, TS_DIST_ROLE_WORK);
  ts_wire_add_text(out, "0123456789abcdef");
  if (!ts_channel_end(&channel, TS_DIST_HELLO, &err) || ts_channel_flush(&channel) != TS_CHANNEL_DONE ||
      ts_channel_receive(&channel, &message) != TS_CHANNEL_DONE || message.kind != TS_ANSWER_FAILED)
    return 1;
  struct ts_wire answer = ts_wire_of(message.bytes, message.count);
  ts_wire_error(&answer, TS_ERR_STORE, &err);
  return end_with(&err);
}

/* Whether this process is the first that comes here. */
static bool is_first(const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", getenv("XDG_RUNTIME_DIR"), name);
  return mkdir(path, 0700) == 0;
}

static void die(void *user, uint32_t node) {
  (void)user, (void)node;
  raise(SIGKILL);
}

/* By hand, as a worker does it. */
static void be_ready(struct ts_dist_link *link, const struct toy_subject *s) {
  ts_auto(ts_str_release) struct ts_str bytes = {0};
  struct ts_sha256 fingerprint;
  struct ts_error err = {0};
  ts_dist_fingerprint(s->plan, &s->data.dataset, &fingerprint);
  ts_str_add_bytes(&bytes, &fingerprint, sizeof fingerprint);
  if (!ts_dist_link_ask(link, TS_DIST_READY, &bytes, NULL, &err)) _exit(1);
}

/* By hand: takes a bucket as a worker does, and gives its number and token. */
static struct ts_dist_bucket take_bucket(struct ts_dist_link *link, const struct toy_subject *s) {
  ts_auto(ts_str_release) struct ts_str answer = {0};
  struct ts_error err = {0};
  const struct ts_str nothing = {0};
  be_ready(link, s);
  if (!ts_dist_link_ask(link, TS_DIST_TAKE, &nothing, &answer, &err)) _exit(1);
  struct ts_wire wire = ts_wire_of(answer.data, answer.length);
  if (ts_wire_u8(&wire) != TS_DIST_ANSWER_WORK) _exit(1);
  struct ts_dist_bucket bucket = ts_dist_read_bucket(&wire);
  bucket.body = NULL;
  return bucket;
}

/* A worker that does not renew its lease, and comes with news and a result when another one has its bucket. */
static void be_late(struct ts_dist_link *link, struct ts_dist_bucket bucket) {
  ts_auto(ts_str_release) struct ts_str news = {0}, bytes = {0};
  struct ts_error err = {0};
  nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
  ts_wire_add_u64(&news, bucket.number);
  ts_wire_add_u64(&news, bucket.token);
  for (uint32_t node = 0; node < 20; node++)
    ts_dist_add_task(
        &news, &(struct ts_task_event){.node = node, .outcome = TS_OUTCOME_EXECUTED, .log = "late", .remark = ""});
  ts_dist_result_add(&bytes, &(struct ts_dist_result){.number = bucket.number, .token = bucket.token, .dropped = 1000});
  if (!ts_dist_link_ask(link, TS_DIST_NEWS, &news, NULL, &err)) _exit(1);
  if (!ts_dist_link_ask(link, TS_DIST_RESULT, &bytes, NULL, &err)) _exit(1);
}

/* A worker that takes longer than its lease, with a heartbeat, and dies in the end. */
static void be_slow(struct ts_dist_link *link, struct ts_dist_bucket bucket) {
  ts_dist_link_set_lease(link, 1000000000);
  ts_dist_link_hold(link, bucket.token);
  nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
  raise(SIGKILL);
}

/* A worker that names products which the store does not have, as on a disk that loses what it was given. */
static void name_nothing(struct ts_dist_link *link, struct ts_dist_bucket bucket, const struct toy_subject *s) {
  ts_auto(ts_str_release) struct ts_str news = {0}, bytes = {0};
  const struct ts_sha256 digest = {{1, 2, 3}};
  struct ts_error err = {0};
  ts_wire_add_u64(&news, bucket.number);
  ts_wire_add_u64(&news, bucket.token);
  for (uint32_t node = 0; node < s->plan->node_count; node++) {
    for (size_t unit = 0; unit < 4; unit++) ts_dist_add_kept(&news, node, 0, unit, &digest);
  }
  ts_dist_result_add(&bytes, &(struct ts_dist_result){.number = bucket.number, .token = bucket.token});
  if (!ts_dist_link_ask(link, TS_DIST_NEWS, &news, NULL, &err)) _exit(1);
  if (!ts_dist_link_ask(link, TS_DIST_RESULT, &bytes, NULL, &err)) _exit(1);
}

static bool find_faults(struct ts_dist_link *link) {
  struct ts_faults faults = {0};
  for (int i = 1; i <= 3; i++) {
    struct ts_error *fault = ts_faults_add(&faults);
    ts_fail(fault, TS_ERR_BAD_VALUE, "fault %d", i);
    ts_error_help(fault, "fix %d", i);
    ts_error_place(fault, "study.json", i, 2, "/method");
  }
  ts_dist_give_up(link, &faults);
  ts_faults_release(&faults);
  return false;
}

static int play(const char *part, const char *place) {
  struct ts_error err = {0};
  struct toy_subject s = {0};
  if (strcmp(part, "protocol") == 0) return speak_another_protocol(place);
  char stranger[512];
  snprintf(stranger, sizeof stranger, "0123456789abcdef%s", strchr(place, '@'));
  struct ts_dist_link *link = ts_dist_connect(strcmp(part, "stranger") == 0 ? stranger : place, true, &err);
  if (!link) return end_with(&err);
  struct ts_store *store =
      ts_store_open(&(struct ts_store_options){.backend = "remote", .path = ts_dist_store(link)}, &err);
  if (!store) return end_with(&err);
  if (strcmp(part, "leave") == 0) return 0; /* without a word, and as if all were well */
  if (strcmp(part, "late") == 0 && is_first("first")) raise(SIGKILL);
  struct ts_registry *registry = toy_registry_create();
  subject_open(&s, registry, strcmp(part, "files") == 0 ? 3 : 4);
  struct ts_dist_worker worker = {.link = link, .store = store, .plan = s.plan, .dataset = &s.data.dataset};
  worker.run = (struct ts_run_options){.threads = 1, .registry = registry, .store = store, .run_id = "r"};
  if (strcmp(part, "bucket") == 0) {
    take_bucket(link, &s);
    fprintf(stderr, "these are its last words\n");
    die(NULL, 0);
  }
  if (strcmp(part, "silent") == 0 && is_first("silent"))
    be_late(link, take_bucket(link, &s));
  else if (strcmp(part, "silent") == 0)
    nanosleep(&(struct timespec){.tv_sec = 6}, NULL); /* so that the first one comes while there is work */
  if (strcmp(part, "idle") == 0 && (is_first("idle") || is_first("second idle"))) {
    be_ready(link, &s);
    raise(SIGSTOP);
  }
  if (strcmp(part, "slow") == 0 && is_first("slow")) be_slow(link, take_bucket(link, &s));
  if (strcmp(part, "nothing") == 0 && is_first("nothing")) name_nothing(link, take_bucket(link, &s), &s);
  if (strcmp(part, "all nothing") == 0) {
    for (;;) name_nothing(link, take_bucket(link, &s), &s);
  }
  if (strcmp(part, "warn") == 0 && is_first("warn")) ts_log(TS_LOG_WARN, "this is a warning");
  bool ok = strcmp(part, "many faults") == 0 ? find_faults(link) : ts_dist_work(&worker, &err);
  if (strcmp(part, "many faults") == 0) _exit(5);
  struct ts_faults faults = {0};
  if (!ok) *ts_faults_add(&faults) = err;
  if (!ok) ts_dist_give_up(link, &faults);
  ts_faults_release(&faults);
  ts_dist_disconnect(link);
  toy_subject_release(&s);
  ts_registry_destroy(registry);
  ts_store_close(store);
  return ok ? 0 : end_with(&err);
}

/* ---- the coordinator's side ---- */
struct seen {
  size_t executed, products;
  struct ts_error faults[4];
  size_t fault_count;
};

static double lease_s;              /* 0: the usual one */
static struct ts_run_result counts; /* of the last run; its arrays are gone */
static char warnings[4096];

static bool on_warning(void *user, enum ts_log_level level, const char *text) {
  (void)user;
  const size_t length = strlen(warnings);
  if (level == TS_LOG_WARN) snprintf(warnings + length, sizeof warnings - length, "%s\n", text);
  return true;
}

static void on_fault(void *user, const struct ts_error *fault) {
  struct seen *seen = user;
  assert_in_range(seen->fault_count, 0, 3);
  seen->faults[seen->fault_count++] = *fault;
}

static void on_task(void *user, const struct ts_task_event *event) {
  ((struct seen *)user)->executed += event->outcome == TS_OUTCOME_EXECUTED;
  assert_true(event->worker < 2 && event->start_s >= 0 && event->start_s < 300);
}

static void on_product(void *user, uint32_t node, uint32_t port, size_t unit, struct ts_data *data) {
  (void)node, (void)port, (void)unit, (void)data;
  ((struct seen *)user)->products++;
}

/* Runs the four files with workers that play a part; no socket stays behind. */
static bool coordinate(const char *program, const char *part, struct seen *seen, struct ts_error *err) {
  struct toy_subject s = {0};
  struct ts_registry *registry = toy_registry_create();
  struct ts_store *store = toy_store_open(NULL);
  struct ts_run_result result = {0};
  subject_open(&s, registry, 4);
  *seen = (struct seen){0};
  setenv(PART, part, 1);
  const struct ts_dist_options options = {.workers = 2,
                                          .program = program,
                                          .description = "",
                                          .lease_s = lease_s,
                                          .on_fault = on_fault,
                                          .run = {.registry = registry,
                                                  .store = store,
                                                  .run_id = "r",
                                                  .user = seen,
                                                  .on_task = on_task,
                                                  .on_product = on_product}};
  warnings[0] = '\0';
  ts_log_set_sink(on_warning, NULL);
  bool ok = ts_dist_run(s.plan, &s.data.dataset, &options, &result, err);
  ts_log_set_sink(NULL, NULL);
  counts = result;
  assert_int_equal(ok, err->code == TS_ERR_OK);
  ts_run_result_release(&result);
  ts_store_close(store);
  toy_subject_release(&s);
  ts_registry_destroy(registry);
  DIR *directory = opendir(folder);
  const struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (strncmp(entry->d_name, "tessera-", 8) == 0) fail_msg("'%s' is left behind", entry->d_name);
  }
  closedir(directory);
  return ok;
}

static void assert_refused(const char *program, const char *part, enum ts_error_code code, const char *const *texts) {
  struct seen seen;
  struct ts_error err = {0};
  assert_false(coordinate(program, part, &seen, &err));
  assert_int_equal(err.code, code);
  for (; *texts; texts++) {
    if (!strstr(err.text, *texts)) fail_msg("'%s' does not say '%s'", err.text, *texts);
  }
  assert_int_not_equal(err.help[0], '\0');
}

static void workers_do_the_work(void **state) {
  (void)state;
  struct seen seen;
  struct ts_error err = {0};
  if (!coordinate(self, "work", &seen, &err)) fail_msg("%s", err.text);
  assert_int_equal(seen.products, 4);
  assert_int_equal(seen.executed, 4 + 4); /* every file is read */
}

static void there_is_no_program(void **state) {
  (void)state;
  assert_refused("/nonexistent/tessera", "", TS_ERR_SYSTEM,
                 (const char *[]){"could not be started", "/nonexistent/tessera", "No such file", NULL});
  assert_refused("/", "", TS_ERR_SYSTEM, (const char *[]){"could not be started", "'/'", NULL});
}

static void workers_die_at_once(void **state) {
  (void)state;
  assert_refused("/bin/false", "", TS_ERR_WORKER, (const char *[]){"without work", "ended with code 1", NULL});
  assert_refused(self, "leave", TS_ERR_WORKER, (const char *[]){"without work", "ended with code 0", NULL});
}

static void another_version_of_the_program(void **state) {
  (void)state;
  assert_refused(self, "protocol", TS_ERR_WORKER,
                 (const char *[]){"without work ended with code 5", "the worker speaks protocol", NULL});
}

static void another_plan(void **state) {
  (void)state;
  assert_refused(self, "files", TS_ERR_WORKER, (const char *[]){"reads other files", "something was changed", NULL});
}

static void a_bucket_that_kills(void **state) {
  (void)state;
  assert_refused(self, "bucket", TS_ERR_WORKER,
                 (const char *[]){"ended 3 worker processes", "signal 9", "these are its last words", NULL});
}

/* One that dies is replaced. */
static void another_one_takes_its_place(void **state) {
  (void)state;
  struct seen seen;
  struct ts_error err = {0};
  if (!coordinate(self, "late", &seen, &err)) fail_msg("%s", err.text);
  assert_int_equal(seen.products, 4);
}

/* invariant 17: it loses its bucket; what it says then counts for nothing, and it takes other work. */
static void one_that_is_late_is_refused(void **state) {
  (void)state;
  struct seen seen;
  struct ts_error err = {0};
  lease_s = 1;
  const bool ok = coordinate(self, "silent", &seen, &err);
  lease_s = 0;
  if (!ok) fail_msg("%s\n%s", err.text, warnings);
  assert_int_equal(seen.products, 4);
  assert_int_equal(seen.executed, 4 + 4);
  assert_int_equal(counts.repeated, 0);
  assert_int_equal(counts.dropped, 0);
  if (!strstr(warnings, "has not answered for 1 s")) fail_msg("'%s'", warnings);
  if (!strstr(warnings, "are refused")) fail_msg("'%s'", warnings);
}

/* All workers stand still before they have a bucket, so that no lease ends: others take their places. */
static void those_without_a_bucket_are_replaced(void **state) {
  (void)state;
  struct seen seen;
  struct ts_error err = {0};
  lease_s = 1;
  const bool ok = coordinate(self, "idle", &seen, &err);
  lease_s = 0;
  if (!ok) fail_msg("%s\n%s", err.text, warnings);
  assert_int_equal(seen.products, 4);
  if (!strstr(warnings, "has not answered for 1 s") || !strstr(warnings, "takes its place")) fail_msg("'%s'", warnings);
}

/* Its heartbeat keeps the bucket for it. */
static void one_that_is_slow_keeps_its_bucket(void **state) {
  (void)state;
  struct seen seen;
  struct ts_error err = {0};
  lease_s = 1;
  const bool ok = coordinate(self, "slow", &seen, &err);
  lease_s = 0;
  if (!ok) fail_msg("%s", err.text);
  assert_int_equal(seen.products, 4);
  if (!strstr(warnings, "signal 9") || strstr(warnings, "has not answered")) fail_msg("'%s'", warnings);
}

/* The bucket is done again; not for ever. */
static void a_product_that_is_not_there(void **state) {
  (void)state;
  struct seen seen;
  struct ts_error err = {0};
  if (!coordinate(self, "nothing", &seen, &err)) fail_msg("%s", err.text);
  assert_int_equal(seen.products, 4);
  if (!strstr(warnings, "it is not in the store")) fail_msg("'%s'", warnings);
  assert_refused(self, "all nothing", TS_ERR_STORE, (const char *[]){"cannot be loaded", NULL});
}

static void a_process_that_is_not_ours(void **state) {
  (void)state;
  assert_refused(self, "stranger", TS_ERR_WORKER, (const char *[]){"did not start this worker", NULL});
}

static void warnings_come_as_they_are(void **state) {
  (void)state;
  struct seen seen;
  struct ts_error err = {0};
  if (!coordinate(self, "warn", &seen, &err)) fail_msg("%s", err.text);
  assert_string_equal(warnings, "this is a warning\n");
}

/* With their places and help: the first is the error of the run. */
static void all_faults_come(void **state) {
  (void)state;
  struct seen seen;
  struct ts_error err = {0};
  assert_false(coordinate(self, "many faults", &seen, &err));
  assert_int_equal(seen.fault_count, 2);
  for (int i = 1; i <= 3; i++) {
    const struct ts_error *fault = i == 1 ? &err : &seen.faults[i - 2];
    char text[16];
    snprintf(text, sizeof text, "fault %d", i);
    assert_int_equal(fault->code, TS_ERR_BAD_VALUE);
    assert_string_equal(fault->text, text);
    snprintf(text, sizeof text, "fix %d", i);
    assert_string_equal(fault->help, text);
    assert_string_equal(fault->where.file, "study.json");
    assert_int_equal(fault->where.line, i);
    assert_string_equal(fault->where.path, "/method");
  }
}

/* Places that are too long for a socket, or not there, are passed over. */
static void places_for_the_socket(void **state) {
  (void)state;
  struct seen seen;
  struct ts_error err = {0};
  char path[512];
  snprintf(path, sizeof path, "%s/%080d", folder, 0);
  assert_int_equal(mkdir(path, 0700), 0);
  setenv("XDG_RUNTIME_DIR", path, 1);
  setenv("TMPDIR", folder, 1);
  if (!coordinate(self, "work", &seen, &err)) fail_msg("%s", err.text);
  setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
  if (!coordinate(self, "work", &seen, &err)) fail_msg("%s", err.text);
  setenv("XDG_RUNTIME_DIR", "relative", 1);
  if (!coordinate(self, "work", &seen, &err)) fail_msg("%s", err.text);
  assert_int_equal(seen.products, 4);
  setenv("XDG_RUNTIME_DIR", folder, 1);
}

int main(int count, char **words) {
  const char *part = getenv(PART);
  if (count == 4 && strcmp(words[1], "worker") == 0 && part) _exit(play(part, words[3]));
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) return 1;
  toy_folder_create(folder);
  setenv("XDG_RUNTIME_DIR", folder, 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_do_the_work),
      cmocka_unit_test(there_is_no_program),
      cmocka_unit_test(workers_die_at_once),
      cmocka_unit_test(another_version_of_the_program),
      cmocka_unit_test(another_plan),
      cmocka_unit_test(a_bucket_that_kills),
      cmocka_unit_test(another_one_takes_its_place),
      cmocka_unit_test(one_that_is_late_is_refused),
      cmocka_unit_test(those_without_a_bucket_are_replaced),
      cmocka_unit_test(one_that_is_slow_keeps_its_bucket),
      cmocka_unit_test(a_product_that_is_not_there),
      cmocka_unit_test(a_process_that_is_not_ours),
      cmocka_unit_test(warnings_come_as_they_are),
      cmocka_unit_test(all_faults_come),
      cmocka_unit_test(places_for_the_socket),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  toy_folder_remove(folder);
  return failed;
}
