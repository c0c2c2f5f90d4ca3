/* The program from its words to its exit code, with a stand-in for the library: streams, codes, signals, settings.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/cli/fake_tessera.h"

#include "base/const.h"
#include "base/file.h"
#include "cli/cli.h"

#include <fcntl.h>
#include <jansson.h>

static char folder[64];

/* What a call of the program left. */
struct outcome {
  int code; /* or minus the signal that ended it */
  struct ts_str out, err;
};

static void outcome_release(struct outcome *outcome) {
  ts_str_release(&outcome->out);
  ts_str_release(&outcome->err);
}

static void redirect(int stream, const char *name) {
  char path[96];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, stream) < 0) _exit(99);
  close(file);
}

static void read_back(const char *name, struct ts_str *text) {
  char path[96];
  struct ts_error err = {0};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_true(ts_file_read(path, 0, text, &err));
}

/* In a child: signals and the standard streams are the process's. `prepare` runs there first; it may be NULL. */
static struct outcome call(void (*prepare)(void), const char *const *words) {
  int count = 0;
  while (words[count]) count++;
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    redirect(STDOUT_FILENO, "out");
    redirect(STDERR_FILENO, "err");
    signal(SIGINT, SIG_DFL); /* a test in the background would inherit that it is ignored */
    signal(SIGTERM, SIG_DFL);
    if (prepare) prepare();
    exit(ts_cli_main(count, ts_without_const(words)));
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  struct outcome outcome = {.code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status)};
  read_back("out", &outcome.out);
  read_back("err", &outcome.err);
  return outcome;
}

#define WORDS(...) ((const char *const[]){"tessera", __VA_ARGS__, NULL})

static void assert_outcome(struct outcome outcome, int code, const char *out, const char *err) {
  assert_string_equal(ts_str_get(&outcome.out), out);
  assert_string_equal(ts_str_get(&outcome.err), err);
  assert_int_equal(outcome.code, code);
  outcome_release(&outcome);
}

static int enter(void **state) {
  (void)state;
  static const char *const variables[] = {"TESSERA_JOBS",     "TESSERA_STORE",   "TESSERA_COLOR",
                                          "TESSERA_PROGRESS", "TESSERA_SCRATCH", "NO_COLOR"};
  for (size_t i = 0; i < COUNT_OF(variables); i++) unsetenv(variables[i]);
  scratch_create(folder);
  setenv("XDG_CONFIG_HOME", folder, 1);
  fake_reply_text = NULL;
  fake_code = 0;
  fake_work = NULL;
  return 0;
}

static int leave(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

static void results_go_to_standard_output(void **state) {
  (void)state;
  fake_reply_text =
      "{\"schema\": \"tessera.report/1\", \"report\": \"r.html\", \"warnings\": [\"old\"], \"faults\": []}";
  assert_outcome(call(NULL, WORDS("report")), 0, "Report: r.html\n", "warning: old\n");
  assert_outcome(call(NULL, WORDS("report", "-q")), 0, "Report: r.html\n", "");
  assert_outcome(call(NULL, WORDS("report", "--json", "-q")), 0,
                 "{\n"
                 "  \"schema\": \"tessera.report/1\",\n"
                 "  \"report\": \"r.html\",\n"
                 "  \"warnings\": [\n"
                 "    \"old\"\n"
                 "  ],\n"
                 "  \"faults\": []\n"
                 "}\n",
                 "");
}

static void faults_go_to_standard_error(void **state) {
  (void)state;
  fake_code = 3;
  fake_reply_text = "{\"schema\": \"tessera.check/1\", \"ok\": false, \"faults\": ["
                    "{\"code\": 201, \"text\": \"unknown key 'a'\", \"file\": \"s.json\", \"line\": 2, \"column\": 3, "
                    "\"path\": \"/a\", \"help\": \"remove it\"}, "
                    "{\"code\": 202, \"text\": \"missing key 'b'\", \"file\": \"s.json\", \"line\": 1, \"column\": 1, "
                    "\"path\": \"\", \"help\": \"add it\"}]}";
  static const char faults[] = "error[T201]: unknown key 'a'\n"
                               "  --> s.json:2:3\n"
                               "help: remove it\n"
                               "\n"
                               "error[T202]: missing key 'b'\n"
                               "  --> s.json:1:1\n"
                               "help: add it\n"
                               "\n"
                               "2 faults\n";
  assert_outcome(call(NULL, WORDS("check")), 3, "", faults);
  struct outcome outcome = call(NULL, WORDS("check", "--json"));
  json_t *reply = json_loads(ts_str_get(&outcome.out), 0, NULL);
  assert_non_null(reply);
  assert_int_equal(json_array_size(json_object_get(reply, "faults")), 2);
  assert_string_equal(ts_str_get(&outcome.err), faults);
  json_decref(reply);
  outcome_release(&outcome);
  outcome = call(NULL, WORDS("check", "--color=always"));
  assert_true(ts_str_starts_with(ts_str_get(&outcome.err), "\x1b[1;31merror[T201]\x1b[0m: unknown key 'a'\n"));
  outcome_release(&outcome);
}

static void usage_errors_exit_with_2(void **state) {
  (void)state;
  assert_outcome(call(NULL, WORDS("studdy")), 2, "",
                 "error[T901]: unknown command 'studdy'\nhelp: did you mean 'tessera study'?\n");
  struct outcome outcome = call(NULL, WORDS("study", "--json", "--sed=3"));
  assert_int_equal(outcome.code, 2);
  json_t *reply = json_loads(ts_str_get(&outcome.out), 0, NULL);
  assert_string_equal(json_string_value(json_object_get(reply, "schema")), "tessera.error/1");
  const json_t *fault = json_array_get(json_object_get(reply, "faults"), 0);
  assert_int_equal(json_integer_value(json_object_get(fault, "code")), 901);
  assert_string_equal(json_string_value(json_object_get(fault, "help")), "did you mean '--seed'?");
  json_decref(reply);
  outcome_release(&outcome);
  outcome = call(NULL, (const char *const[]){"tessera", NULL});
  assert_int_equal(outcome.code, 2);
  assert_true(ts_str_starts_with(ts_str_get(&outcome.err), "tessera: parameter studies"));
  assert_int_equal(outcome.out.length, 0);
  outcome_release(&outcome);
}

/* Not everything that comes as a word is UTF-8; JSON has to be. */
static void odd_bytes_in_words(void **state) {
  (void)state;
  struct outcome outcome = call(NULL, WORDS("stu\xFF\x1b", "--json"));
  json_t *reply = json_loads(ts_str_get(&outcome.out), 0, NULL);
  assert_non_null(reply);
  json_decref(reply);
  assert_null(strchr(ts_str_get(&outcome.err), '\x1b'));
  outcome_release(&outcome);
}

static void help_and_version(void **state) {
  (void)state;
  assert_outcome(call(NULL, WORDS("version")), 0, "tessera 1.2.3\n", "");
  assert_outcome(call(NULL, WORDS("--version")), 0, "tessera 1.2.3\n", "");
  assert_outcome(call(NULL, WORDS("version", "--json")), 0,
                 "{\n  \"schema\": \"tessera.version/1\",\n  \"version\": \"1.2.3\"\n}\n", "");
  struct outcome by_option = call(NULL, WORDS("study", "--help")), by_command = call(NULL, WORDS("help", "study"));
  assert_int_equal(by_option.code, 0);
  assert_true(ts_str_starts_with(ts_str_get(&by_option.out), "tessera study: find out which parameters matter\n"));
  assert_true(ts_str_starts_with(ts_str_get(&by_command.out), ts_str_get(&by_option.out)));
  assert_non_null(strstr(ts_str_get(&by_command.out), "\ntessera help study: what a study file says"));
  outcome_release(&by_option);
  outcome_release(&by_command);
  assert_outcome(call(NULL, WORDS("help", "studdy")), 2, "",
                 "error[T901]: there is no command or page of help 'studdy'\nhelp: did you mean 'study'?\n");
  struct outcome page = call(NULL, WORDS("help", "manifest"));
  assert_true(ts_str_starts_with(ts_str_get(&page.out), "tessera help manifest: what a manifest says"));
  outcome_release(&page);
}

static void words_for_completion(void **state) {
  (void)state;
  fake_reply_text = "{\"runs\": [{\"id\": \"7f3a91bc\"}, {\"id\": \"00000001\"}], \"demos\": [{\"name\": \"nuclei\"}]}";
  assert_outcome(call(NULL, WORDS("words", "runs")), 0, "7f3a91bc\n00000001\n", "");
  assert_outcome(call(NULL, WORDS("words", "demos")), 0, "nuclei\n", "");
  struct outcome outcome = call(NULL, WORDS("words", "commands"));
  assert_true(ts_str_starts_with(ts_str_get(&outcome.out), "init\ncheck\nlist\nplan\n"));
  outcome_release(&outcome);
  outcome = call(NULL, WORDS("words", "topics"));
  assert_non_null(strstr(ts_str_get(&outcome.out), "\nversion\nworker\nworkflow\nmanifest\noperations\nmethods\n"));
  outcome_release(&outcome);
  assert_outcome(call(NULL, WORDS("words", "pages")), 0, "workflow.5\nstudy.5\nmanifest.5\noperations.7\nmethods.7\n",
                 "");
}

static void show_config(void **state) {
  (void)state;
  setenv("TESSERA_STORE", "elsewhere", 1);
  assert_outcome(call(NULL, WORDS("check", "--show-config", "-j3", "--color", "never")), 0,
                 "setting   value       from\n"
                 "jobs      3           option\n"
                 "store     elsewhere   TESSERA_STORE\n"
                 "color     never       option\n"
                 "progress  auto        default\n"
                 "scratch   4 x memory  default\n",
                 "");
  struct outcome outcome = call(NULL, WORDS("check", "--show-config", "-j3", "--json"));
  json_t *reply = json_loads(ts_str_get(&outcome.out), 0, NULL);
  const json_t *jobs = json_array_get(json_object_get(reply, "settings"), 0);
  assert_int_equal(json_integer_value(json_object_get(jobs, "value")), 3);
  assert_string_equal(json_string_value(json_object_get(jobs, "origin")), "option");
  json_decref(reply);
  outcome_release(&outcome);
  setenv("TESSERA_JOBS", "many", 1);
  assert_outcome(call(NULL, WORDS("list")), 2, "",
                 "error[T901]: 'many' is not a number that 'TESSERA_JOBS' takes\n"
                 "help: give a whole number from 0 to 4096\n");
}

/* Writes what the library was asked for; the text comes back on standard error. */
static void tell_request(const struct ts_request *request) {
  fprintf(stderr, "%s jobs=%zu store=%s file=%s%s\n", fake_called, request->threads,
          request->store ? request->store : "-", request->file ? request->file : "-", request->dry_run ? " dry" : "");
}

static void settings_reach_the_library(void **state) {
  (void)state;
  fake_work = tell_request;
  assert_outcome(call(NULL, WORDS("report", "--json")), 0, "{\n  \"schema\": \"tessera.fake/1\"\n}\n",
                 "report jobs=0 store=- file=-\n");
  assert_outcome(call(NULL, WORDS("store", "costs", "--json")), 0, "{\n  \"schema\": \"tessera.fake/1\"\n}\n",
                 "store costs jobs=0 store=- file=-\n");
  assert_outcome(call(NULL, WORDS("store", "verify", "s.json", "--recompute", "--json")), 0,
                 "{\n  \"schema\": \"tessera.fake/1\"\n}\n", "store verify jobs=0 store=- file=s.json\n");
  setenv("TESSERA_STORE", "there", 1);
  setenv("TESSERA_JOBS", "7", 1);
  assert_outcome(call(NULL, WORDS("plan", "--json")), 0, "{\n  \"schema\": \"tessera.fake/1\"\n}\n",
                 "plan jobs=7 store=there file=-\n");
  assert_outcome(call(NULL, WORDS("study", "s.json", "-n", "-j2", "--store=x", "--json")), 0,
                 "{\n  \"schema\": \"tessera.fake/1\"\n}\n", "study jobs=2 store=x file=s.json dry\n");
}

static struct tessera_stage stage = {.name = "segment", .total = 3600, .done = 1840};

static void tell_progress(const struct ts_request *request, enum tessera_event_kind kind) {
  const struct tessera_event progress = {.kind = kind,
                                         .run = "7f3a91bc",
                                         .left_s = -1,
                                         .threads = 2,
                                         .stages = &stage,
                                         .stage_count = 1,
                                         .stage = "segment",
                                         .task = "segment.split",
                                         .key = "9c1e4f",
                                         .outcome = "executed",
                                         .file = "",
                                         .message = "",
                                         .share = (double)stage.done / (double)stage.total,
                                         .part = "",
                                         .phase = "",
                                         .phase_state = ""};
  request->observer->on_event(request->observer->user, &progress);
}

static void work_to_the_end(const struct ts_request *request) {
  tell_progress(request, TESSERA_RUN_BEGIN);
  stage.done = stage.total;
  tell_progress(request, TESSERA_TASK_DONE);
}

static void progress_is_plain_without_a_terminal(void **state) {
  (void)state;
  fake_work = work_to_the_end;
  fake_reply_text = "{\"state\": \"paused\"}";
  static const char line[] = "00:00 segment 3600/3600 100 % reused=0 failed=0 all=100%\n";
  assert_outcome(call(NULL, WORDS("study")), 0, "", line);
  assert_outcome(call(NULL, WORDS("study", "-q")), 0, "", "");
  assert_outcome(call(NULL, WORDS("study", "-q", "--progress=plain")), 0, "", line);
  assert_outcome(call(NULL, WORDS("study", "--progress=none")), 0, "", "");
  struct outcome outcome = call(NULL, WORDS("run", "--progress=json"));
  assert_true(ts_str_starts_with(ts_str_get(&outcome.err), "{\"t\":0.0,\"ev\":\"run_begin\",\"run\":\"7f3a91bc\","));
  outcome_release(&outcome);
}

static void get_signal(const struct ts_request *request, int number) {
  tell_progress(request, TESSERA_RUN_BEGIN);
  if (*request->stop) _exit(98);
  raise(number);
  if (!*request->stop) _exit(97);
}
static void get_interrupt(const struct ts_request *request) { get_signal(request, SIGINT); }
static void get_termination(const struct ts_request *request) { get_signal(request, SIGTERM); }
static void get_two(const struct ts_request *request) {
  get_signal(request, SIGINT);
  raise(SIGINT);
  if (*request->stop != 2) _exit(95);
  raise(SIGALRM); /* the time to give up is over */
  _exit(96);
}
static void get_three(const struct ts_request *request) {
  get_signal(request, SIGINT);
  raise(SIGINT);
  if (*request->stop != 2) _exit(95);
  raise(SIGTERM);
  _exit(96); /* the third one does not come back */
}

static void the_first_signal_pauses(void **state) {
  (void)state;
  fake_reply_text = "{\"schema\": \"tessera.study/2\", \"run\": \"7f3a91bc\", \"state\": \"paused\"}";
  fake_code = 130;
  fake_work = get_interrupt;
  assert_outcome(call(NULL, WORDS("study", "-q")), 130, "",
                 "Paused at 1 840 of 3 600. Continue with: tessera study -q --resume 7f3a91bc\n");
  assert_outcome(call(NULL, WORDS("study", "--progress=none", "--resume", "00000001", "my study.json")), 130, "",
                 "Paused at 1 840 of 3 600. Continue with: tessera study --progress=none 'my study.json' --resume "
                 "7f3a91bc\n");
  fake_work = get_termination;
  struct outcome outcome = call(NULL, WORDS("run", "-q", "--json"));
  assert_int_equal(outcome.code, 143);
  assert_non_null(strstr(ts_str_get(&outcome.out), "\"state\": \"paused\""));
  assert_string_equal(ts_str_get(&outcome.err),
                      "Paused at 1 840 of 3 600. Continue with: tessera run -q --json --resume 7f3a91bc\n");
  outcome_release(&outcome);
}

static void the_second_signal_ends_soon_and_the_third_at_once(void **state) {
  (void)state;
  fake_work = get_two;
  assert_outcome(call(NULL, WORDS("study", "-q")), 130, "", "\n");
  fake_work = get_three;
  assert_outcome(call(NULL, WORDS("study", "-q")), 143, "", "\n");
}

/* What does not look at the stop flag must still be killable. */
static void raise_only(const struct ts_request *request) {
  (void)request;
  raise(SIGINT);
}

static void short_commands_die_of_signals(void **state) {
  (void)state;
  fake_work = raise_only;
  assert_outcome(call(NULL, WORDS("plan")), -SIGINT, "", "");
}

static void ignore_interrupts(void) { signal(SIGINT, SIG_IGN); }

static void ignored_signals_stay_ignored(void **state) {
  (void)state;
  fake_work = raise_only;
  fake_reply_text = "{\"state\": \"paused\"}";
  assert_outcome(call(ignore_interrupts, WORDS("study", "-q")), 0, "", "");
}

static void close_stdout(void) { close(STDOUT_FILENO); }

static void break_stdout(void) {
  int ends[2];
  if (pipe(ends) != 0 || dup2(ends[1], STDOUT_FILENO) < 0) _exit(99);
  close(ends[0]);
  close(ends[1]);
}

static void fill_stdout(void) {
  int full = open("/dev/full", O_WRONLY);
  if (full < 0 || dup2(full, STDOUT_FILENO) < 0) _exit(99);
}

static void results_that_do_not_arrive_are_errors(void **state) {
  (void)state;
  struct outcome outcome = call(close_stdout, WORDS("version"));
  assert_int_equal(outcome.code, 5);
  assert_true(ts_str_starts_with(ts_str_get(&outcome.err), "error[T102]: the results could not be written"));
  outcome_release(&outcome);
  outcome = call(fill_stdout, WORDS("version"));
  assert_int_equal(outcome.code, 5);
  assert_non_null(strstr(ts_str_get(&outcome.err), "No space left on device"));
  outcome_release(&outcome);
  assert_outcome(call(break_stdout, WORDS("version")), 5, "", "");
}

/* A store opened while standard output is closed must not become standard output. */
static void open_a_file(const struct ts_request *request) {
  (void)request;
  char path[96];
  snprintf(path, sizeof path, "%s/precious", folder);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file <= 2) _exit(95);
}

static void closed_streams_are_not_taken_over(void **state) {
  (void)state;
  fake_work = open_a_file;
  fake_reply_text = "{\"report\": \"r.html\"}";
  struct outcome outcome = call(close_stdout, WORDS("report"));
  assert_int_equal(outcome.code, 5);
  outcome_release(&outcome);
  struct ts_str kept = {0};
  read_back("precious", &kept);
  assert_int_equal(kept.length, 0);
  ts_str_release(&kept);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
  const struct CMUnitTest tests[] = {
      TEST(results_go_to_standard_output),
      TEST(faults_go_to_standard_error),
      TEST(usage_errors_exit_with_2),
      TEST(odd_bytes_in_words),
      TEST(help_and_version),
      TEST(words_for_completion),
      TEST(show_config),
      TEST(settings_reach_the_library),
      TEST(progress_is_plain_without_a_terminal),
      TEST(the_first_signal_pauses),
      TEST(the_second_signal_ends_soon_and_the_third_at_once),
      TEST(short_commands_die_of_signals),
      TEST(ignored_signals_stay_ignored),
      TEST(results_that_do_not_arrive_are_errors),
      TEST(closed_streams_are_not_taken_over),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
