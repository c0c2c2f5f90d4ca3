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
#include "base/channel.h"
#include "dist/dist.h"
#include "dist/messages.h"
#include "store/remote/wire_int.h"
#include "support/toy_run.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
static int speak_another_protocol(const char *socket) {
  struct ts_channel channel;
  struct ts_error err = {0};
  struct ts_message message;
  ts_channel_init(&channel, ts_channel_connect(socket, &err));
  struct ts_str *out = ts_channel_begin(&channel);
  ts_wire_add_u64(out, TS_REMOTE_MAGIC);
  ts_wire_add_u32(out, TS_REMOTE_PROTOCOL + 1);
  ts_wire_add_u8(out, TS_REMOTE_WORKER);
  if (!ts_channel_end(&channel, TS_REMOTE_HELLO, &err) || ts_channel_flush(&channel) != TS_CHANNEL_DONE ||
      ts_channel_receive(&channel, &message) != TS_CHANNEL_DONE || message.kind != TS_REMOTE_FAILED)
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

static int play(const char *part, const char *socket) {
  ts_auto(ts_str_release) struct ts_str description = {0};
  struct ts_error err = {0};
  struct toy_subject s = {0};
  if (strcmp(part, "protocol") == 0) return speak_another_protocol(socket);
  struct ts_store *store = ts_store_open(&(struct ts_store_options){.backend = "remote", .path = socket}, &err);
  if (!store || !ts_dist_hello(store, &description, &err)) return end_with(&err);
  if (strcmp(part, "leave") == 0) return 0; /* without a word, and as if all were well */
  if (strcmp(part, "late") == 0 && is_first("first")) raise(SIGKILL);
  struct ts_registry *registry = toy_registry_create();
  subject_open(&s, registry, strcmp(part, "files") == 0 ? 3 : 4);
  struct ts_dist_worker worker = {.store = store, .plan = s.plan, .dataset = &s.data.dataset};
  worker.run = (struct ts_run_options){.threads = 1, .registry = registry, .store = store, .run_id = "r"};
  if (strcmp(part, "bucket") == 0) {
    ts_auto(ts_str_release) struct ts_str answer = {0};
    struct ts_sha256 fingerprint;
    ts_dist_fingerprint(s.plan, &s.data.dataset, &fingerprint);
    if (!ts_store_say(store, TS_DIST_READY, &fingerprint, sizeof fingerprint, &answer, &err)) return 1;
    ts_str_clear(&answer);
    if (!ts_store_say(store, TS_DIST_TAKE, NULL, 0, &answer, &err)) return 1;
    fprintf(stderr, "these are its last words\n");
    die(NULL, 0);
  }
  bool ok = ts_dist_work(&worker, &err);
  if (!ok) ts_dist_give_up(store, &err);
  toy_subject_release(&s);
  ts_registry_destroy(registry);
  ts_store_close(store);
  return ok ? 0 : end_with(&err);
}

/* ---- the coordinator's side ---- */
struct seen {
  size_t executed, products;
};

static void on_task(void *user, const struct ts_task_event *event) {
  ((struct seen *)user)->executed += event->outcome == TS_OUTCOME_EXECUTED;
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
                                          .run = {.registry = registry,
                                                  .store = store,
                                                  .run_id = "r",
                                                  .user = seen,
                                                  .on_task = on_task,
                                                  .on_product = on_product}};
  bool ok = ts_dist_run(s.plan, &s.data.dataset, &options, &result, err);
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
      cmocka_unit_test(places_for_the_socket),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  toy_folder_remove(folder);
  return failed;
}
