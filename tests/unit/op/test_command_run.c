/* Running commands: files there and back, and every way in which a program can end badly.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/op/helpers.h"

#include "base/budget.h"
#include "base/clock.h"
#include "op/command_files_int.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

static struct ts_budget budget;

struct fixture {
  char *folder;  /* owned: manifest and scripts */
  char *scratch; /* owned: must be empty after every call */
  struct ts_registry *registry;
  struct ts_str log, remark;
  struct ts_error err;
};

static int setup(void **state) {
  struct fixture *fixture = ts_calloc(1, sizeof(*fixture));
  fixture->folder = make_folder();
  fixture->scratch = ts_path_join(fixture->folder, "scratch");
  assert_int_equal(mkdir(fixture->scratch, 0700), 0);
  *state = fixture;
  return 0;
}

static int teardown(void **state) {
  struct fixture *fixture = *state;
  ts_registry_destroy(fixture->registry);
  ts_str_release(&fixture->log);
  ts_str_release(&fixture->remark);
  ts_scratch_close(&fixture->folder);
  free(fixture->scratch);
  free(fixture);
  return 0;
}

/* Loads an operation "test.run" whose program is this shell or Python script; `ports` is JSON. */
static struct ts_op *define(struct fixture *fixture, const char *program, const char *script, const char *ports) {
  struct ts_str manifest = {0};
  ts_str_addf(&manifest,
              "{\"tessera_operation\": 1, \"name\": \"test.run\", \"version\": 1, \"command\": [%s, \"script\"], %s}",
              program, ports);
  write_text(fixture->folder, "script", script);
  write_text(fixture->folder, "op.json", ts_str_get(&manifest));
  ts_str_release(&manifest);
  char *path = ts_path_join(fixture->folder, "op.json");
  fixture->registry = registry_with(path);
  free(path);
  return ts_registry_find(fixture->registry, "test.run");
}

#define SHELL   "\"sh\""
#define PYTHON  "\"python3\", \"-I\", \"-S\""
#define A_TABLE "\"outputs\": {\"table\": {\"type\": \"table\"}}"

static bool execute(struct fixture *fixture, struct ts_op *op, struct ts_data **inputs, const struct ts_value *values,
                    struct ts_data **outputs, double timeout_s, const atomic_bool *cancelled) {
  struct ts_op_context context = {.cancelled = cancelled,
                                  .scratch_folder = fixture->scratch,
                                  .log = &fixture->log,
                                  .remark = &fixture->remark,
                                  .timeout_s = timeout_s};
  bool done = ts_op_execute(op, inputs, values, outputs, &context, &fixture->err);
  /* The scratch folder of the call is gone, however it ended. */
  assert_true(ts_folder_is_empty(fixture->scratch));
  return done;
}

static bool run_script(struct fixture *fixture, const char *script, double timeout_s) {
  struct ts_op *op = define(fixture, SHELL, script, A_TABLE);
  struct ts_data *out = NULL;
  bool done = execute(fixture, op, NULL, NULL, &out, timeout_s, NULL);
  assert_int_equal(done, out != NULL);
  ts_data_unref(out);
  return done;
}

/* Every kind of input and output, every type of parameter; the script checks what it sees and fails otherwise. */
static const char all_kinds[] =
    "import json, os, shutil, sys\n"
    "assert sys.argv[1] == os.environ['TESSERA_CALL']\n"
    "call = json.load(open(sys.argv[1]))\n"
    "i, o, p = call['inputs'], call['outputs'], call['parameters']\n"
    "assert set(i) == {'table', 'mask', 'bytes', 'file'}, i\n"
    "assert i['mask']['type'] == 'mask' and (i['mask']['x'], i['mask']['y'], i['mask']['level']) == (30, 40, 2)\n"
    "assert open(i['table']['path']).read() == 'a,b\\n1,2.5\\n,4\\n'\n"
    "assert open(i['bytes']['path'], 'rb').read() == b'\\x00\\xff'\n"
    "assert open(i['file']['path']).read().startswith('import json')\n"
    "assert p == {'n': 3, 'x': 0.1, 'flag': True, 'mode': 'one'} and isinstance(p['x'], float), p\n"
    "assert os.getcwd() == os.path.dirname(sys.argv[1]) == os.environ['TMPDIR']\n"
    "assert 'TESSERA_TEST_SECRET' not in os.environ and os.environ['TZ'] == 'UTC'\n"
    "assert sorted(int(f) for f in os.listdir('/proc/self/fd'))[:3] == [0, 1, 2]\n"
    "assert not any('secret' in os.readlink('/proc/self/fd/' + f) for f in os.listdir('/proc/self/fd')\n"
    "               if os.path.exists('/proc/self/fd/' + f))\n"
    "print('hello from the script')\n"
    "for port in ('table', 'mask', 'bytes'): shutil.copy(i[port]['path'], o[port]['path'])\n"
    "open(o['objects']['path'], 'w').write('{\"type\": \"FeatureCollection\", \"features\": []}')\n";
static const char all_ports[] =
    "\"inputs\": {\"table\": {\"type\": \"table\"}, \"mask\": {\"type\": \"mask|labels\"},"
    " \"bytes\": {\"type\": \"bytes\"}, \"file\": {\"type\": \"file\"},"
    " \"absent\": {\"type\": \"table\", \"optional\": true}},"
    "\"outputs\": {\"table\": {\"type\": \"table\"}, \"mask\": {\"type\": \"mask\"}, \"bytes\": {\"type\": \"bytes\"},"
    " \"objects\": {\"type\": \"objects\"}},"
    "\"parameters\": {\"n\": {\"type\": \"integer\"}, \"x\": {\"type\": \"real\"}, \"flag\": {\"type\": \"boolean\"},"
    " \"mode\": {\"type\": \"string\"}}";

static void test_every_kind(void **state) {
  struct fixture *fixture = *state;
  struct ts_op *op = define(fixture, PYTHON, all_kinds, all_ports);
  setenv("TESSERA_TEST_SECRET", "1", 1);
  char *script = ts_path_join(fixture->folder, "script"), *secret = ts_path_join(fixture->folder, "secret");
  int inherited = open(secret, O_CREAT | O_RDWR, 0600); /* without O_CLOEXEC, on purpose */
  struct ts_sha256 digest = {{0}};
  struct ts_data *inputs[5] = {make_table("a,b\n1,2.5\n,4\n"), make_pixels("mask", 30, 40, 6, 5, 255), NULL,
                               ts_data_create_file(script, &digest), NULL};
  inputs[2] = ts_data_create_bytes(ts_type_find("bytes"), 2, &fixture->err);
  memcpy(ts_data_writable(inputs[2]), "\0\377", 2);
  struct ts_value values[] = {ts_value_integer(3), ts_value_real(0.1), ts_value_boolean(true), ts_value_string("one")};
  struct ts_data *outputs[4];
  execute(fixture, op, inputs, values, outputs, 0, NULL);
  close(inherited);
  if (fixture->err.code) print_message("%s\n", ts_str_get(&fixture->log));
  assert_no_error(&fixture->err);
  assert_string_equal(ts_str_get(&fixture->log), "hello from the script\n");
  assert_int_equal(ts_data_rows(outputs[0]), 2);
  assert_true(table_cell(outputs[0], 0, "b") == 2.5);
  size_t size = 0;
  const uint8_t *pixels = ts_data_bytes(outputs[1], &size);
  assert_int_equal(size, 30);
  for (size_t i = 0; i < size; i++) assert_int_equal(pixels[i], 255);
  assert_string_equal(ts_data_type(outputs[1])->name, "mask");
  assert_int_equal(ts_data_region(outputs[1])->x, 30);
  assert_int_equal(ts_data_region(outputs[1])->y, 40);
  assert_int_equal(ts_data_region(outputs[1])->level, 2);
  assert_memory_equal(ts_data_bytes(outputs[2], &size), "\0\377", 2);
  assert_int_equal(size, 2);
  assert_string_equal(ts_data_type(outputs[3])->name, "objects");
  assert_int_equal(op->executions, 1);
  for (size_t i = 0; i < 5; i++) ts_data_unref(inputs[i]);
  for (size_t i = 0; i < 4; i++) ts_data_unref(outputs[i]);
  free(script);
  free(secret);
}

static void test_exit_status(void **state) {
  struct fixture *fixture = *state;
  assert_false(run_script(fixture, "echo first; echo; echo 'second	line' >&2; exit 3", 0));
  assert_error(&fixture->err, TS_ERR_COMMAND, "command 'test.run' ended with exit status 3: second line");
  assert_string_equal(fixture->err.help, "");
  assert_string_equal(ts_str_get(&fixture->log), "first\n\nsecond\tline\n");
}

/* What the script writes to its error output, and the line of it that is shown. */
static void expect_remark(const char *written, const char *of_failure, const char *of_success) {
  struct ts_captured captured = {0};
  char line[40];
  ts_captured_add(&captured, "on its way\n", strlen("on its way\n"), false);
  ts_captured_add(&captured, written, strlen(written), true);
  ts_captured_remark(&captured, true, line, sizeof line);
  assert_string_equal(line, of_failure);
  ts_captured_remark(&captured, false, line, sizeof line);
  assert_string_equal(line, of_success);
  ts_captured_release(&captured);
}

static void test_the_line_that_matters(void **state) {
  (void)state;
  expect_remark("", "on its way", "");
  expect_remark("one\ntwo\n\n  \n", "two", "two");
  expect_remark("no newline", "no newline", "no newline");
  /* The end of a long line goes, not its beginning. */
  expect_remark("0123456789012345678901234567890123456789\n", "012345678901234567890123456789012345...",
                "012345678901234567890123456789012345...");
  expect_remark("Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\nKeyError: 'a'\n\n"
                "During handling of the above exception, another exception occurred:\n\n"
                "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    g()\n"
                "ValueError: no seeds\nsecond line of it\n",
                "ValueError: no seeds", "second line of it");
  expect_remark("a.py:3: UserWarning: lossy\n  save(x)\n", "a.py:3: UserWarning: lossy", "a.py:3: UserWarning: lossy");
  expect_remark("WARNING: lossy\ndone\n", "done", "WARNING: lossy");
}

/* A command that ends well is heard, too. */
static void test_output_of_success(void **state) {
  struct fixture *fixture = *state;
  assert_true(run_script(fixture, "echo a > out.table.csv; echo fine; echo 'low contrast' >&2", 0));
  assert_string_equal(ts_str_get(&fixture->log), "fine\nlow contrast\n");
  assert_string_equal(ts_str_get(&fixture->remark), "low contrast");
}

static void test_killed_by_signal(void **state) {
  struct fixture *fixture = *state;
  assert_false(run_script(fixture, "kill -SEGV $$", 0));
  assert_error(&fixture->err, TS_ERR_COMMAND, "was killed by signal 11");
  assert_contains(fixture->err.help, "it wrote nothing");
}

static void test_timeout(void **state) {
  struct fixture *fixture = *state;
  uint64_t start = ts_clock_ns();
  /* Waits for a writer that never comes, after writing all the time to nobody's interest. */
  assert_false(run_script(fixture, "mkfifo pipe; echo waiting; read line < pipe", 0.2));
  double seconds = (double)(ts_clock_ns() - start) * 1e-9;
  assert_error(&fixture->err, TS_ERR_COMMAND, "took longer than 0.2 s and was stopped");
  assert_contains(fixture->err.help, "timeout_s");
  assert_true(seconds >= 0.2 && seconds < 20);
}

static void test_timeout_of_a_writer(void **state) {
  struct fixture *fixture = *state;
  assert_false(run_script(fixture, "exec yes", 0.2));
  assert_error(&fixture->err, TS_ERR_COMMAND, "took longer than 0.2 s");
  assert_true(fixture->log.length > 60000 && fixture->log.length < 110000);
}

static void test_timeout_after_output_was_closed(void **state) {
  struct fixture *fixture = *state;
  assert_false(run_script(fixture, "mkfifo pipe; exec >&- 2>&-; read line < pipe", 0.2));
  assert_error(&fixture->err, TS_ERR_COMMAND, "took longer than 0.2 s");
}

/* Whether a process is gone, or dead and only waiting for its new parent to notice. */
static bool is_dead(int pid) {
  char path[64], state = 'Z';
  snprintf(path, sizeof(path), "/proc/%d/stat", pid);
  FILE *file = fopen(path, "r");
  if (!file) return true;
  int fields = fscanf(file, "%*d (%*[^)]) %c", &state);
  fclose(file);
  return fields != 1 || state == 'Z' || state == 'X';
}

static int read_number(const struct fixture *fixture, const char *name) {
  char *path = ts_path_join(fixture->folder, name);
  struct ts_str text = {0};
  struct ts_error err = {0};
  int64_t number = 0;
  ts_file_read(path, 0, &text, &err);
  assert_no_error(&err);
  text.data[strcspn(text.data, "\n")] = '\0';
  assert_true(ts_parse_int64(text.data, &number));
  ts_str_release(&text);
  free(path);
  return (int)number;
}

/* A grandchild that would keep the output open for long must neither delay the end nor survive it. */
static void test_leftover_children_die(void **state) {
  struct fixture *fixture = *state;
  uint64_t start = ts_clock_ns();
  run_script(fixture, "sleep 1000 & echo $! > \"${0%/*}/pid\"; exit 4", 0);
  assert_error(&fixture->err, TS_ERR_COMMAND, "exit status 4");
  assert_true((double)(ts_clock_ns() - start) * 1e-9 < 60);
  int pid = read_number(fixture, "pid");
  for (int i = 0; i < 1000000 && !is_dead(pid); i++) sched_yield();
  assert_true(is_dead(pid));
}

static void test_missing_output(void **state) {
  struct fixture *fixture = *state;
  assert_false(run_script(fixture, "exit 0", 0));
  assert_error(&fixture->err, TS_ERR_OPERATION_CONTRACT, "ended well but did not write its output 'table'");
}

static void test_garbage_table(void **state) {
  struct fixture *fixture = *state;
  assert_false(run_script(fixture, "printf 'a,b\\n1,2\\n3,cow\\n' > out.table.csv", 0));
  assert_error(&fixture->err, TS_ERR_OPERATION_CONTRACT,
               "wrote an output 'table' that cannot be read in line 3: 'cow' in column 'b' is not a number");
  assert_string_equal(fixture->err.where.file, "");
}

static void run_bad_output(struct fixture *fixture, const char *type, const char *script, const char *text) {
  char ports[128];
  snprintf(ports, sizeof(ports), "\"outputs\": {\"x\": {\"type\": \"%s\"}}", type);
  struct ts_op *op = define(fixture, SHELL, script, ports);
  struct ts_data *out = NULL;
  assert_false(execute(fixture, op, NULL, NULL, &out, 0, NULL));
  assert_error(&fixture->err, TS_ERR_OPERATION_CONTRACT, text);
  assert_null(out);
}

static void test_garbage_image(void **state) {
  run_bad_output(*state, "mask", "echo no image > out.x.png", "wrote an output 'x' that cannot be read");
}

static void test_garbage_objects(void **state) {
  run_bad_output(*state, "objects", "printf '{\\n oops' > out.x.geojson", "cannot be read in line 2");
}

/* ---- Outputs that are not what they seem. ---- */

static void test_output_is_not_a_file(void **state) {
  static const char *const cases[][2] = {
      {"mkfifo out.x.bin", "left a named pipe where its output 'x' should be"},
      {"ln -s /dev/zero out.x.bin", "left a symbolic link where its output 'x' should be"},
      {"echo secret > secret; ln -s secret out.x.bin", "left a symbolic link where its output 'x' should be"},
      {"mkdir out.x.bin", "left a folder where its output 'x' should be"},
      {"ln -s nowhere out.x.bin", "left a symbolic link where its output 'x' should be"},
      /* The folder is not what it was: what lies in its place is not read. */
      {"here=$PWD; cd /; rm -r \"$here\"; mkdir \"$here\"; echo fake > \"$here/out.x.bin\"",
       "did not write its output 'x'"},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct fixture *fixture = *state;
    ts_error_clear(&fixture->err);
    run_bad_output(fixture, "bytes", cases[i][0], cases[i][1]);
    teardown(state);
    setup(state);
  }
}

static void expect_too_large(void **state, const char *type, const char *script, const char *text) {
  struct fixture *fixture = *state;
  char ports[128];
  snprintf(ports, sizeof(ports), "\"outputs\": {\"x\": {\"type\": \"%s\"}}", type);
  struct ts_op *op = define(fixture, SHELL, script, ports);
  struct ts_data *out = NULL;
  assert_false(execute(fixture, op, NULL, NULL, &out, 0, NULL));
  assert_error(&fixture->err, TS_ERR_OUTPUT_TOO_LARGE, text);
  assert_contains(fixture->err.help, "--");
  assert_null(out);
  teardown(state);
  setup(state);
}

/* 64 MB of memory: 32 MB for bytes and pixels, 64/24 for tables, 256 MB for temporary files; 1 MB of those is less than
 * the last three take. */
static void test_output_is_too_large(void **state) {
  ts_budget_set(&budget, (uint64_t)64 << 20, 0);
  expect_too_large(state, "bytes", "truncate -s 20G out.x.bin",
                   "wrote more than 251.7 MB, 15/16 of --scratch, and was");
  expect_too_large(state, "bytes", "truncate -s 200M out.x.bin", "wrote an output 'x' of 209.7 MB");
  expect_too_large(state, "bytes", "truncate -s 33554433 out.x.bin", "more than the 33.6 MB that are allowed");
  expect_too_large(state, "table", "truncate -s 3M out.x.csv", "more than the 2.8 MB that are allowed");
  expect_too_large(state, "objects", "truncate -s 2M out.x.geojson", "wrote an output 'x' of 2.1 MB");
  ts_budget_set(&budget, (uint64_t)64 << 20, (uint64_t)1 << 20);
  /* Found while it runs or when it has ended: both say this. */
  expect_too_large(state, "bytes", "head -c 2000000 /dev/zero > more; echo good > out.x.bin",
                   "more than 983.0 kB, 15/16 of --scratch");
  expect_too_large(state, "bytes", "exec head -c 2000000 /dev/zero > out.x.bin",
                   "wrote more than 983.0 kB, 15/16 of --scratch, and was stopped");
  expect_too_large(state, "bytes", "for i in 1 2 3 4; do head -c 600000 /dev/zero > $i; done; sleep 60", "was stopped");
  ts_budget_set(&budget, 0, 0);
}

static void test_output_at_the_limit(void **state) {
  struct fixture *fixture = *state;
  ts_budget_set(&budget, (uint64_t)64 << 20, 0);
  struct ts_op *op =
      define(fixture, SHELL, "truncate -s 33554432 out.x.bin", "\"outputs\": {\"x\": {\"type\": \"bytes\"}}");
  struct ts_data *out = NULL;
  assert_true(execute(fixture, op, NULL, NULL, &out, 0, NULL));
  assert_int_equal(ts_data_size_bytes(out), 33554432);
  ts_data_unref(out);
  ts_budget_set(&budget, 0, 0);
}

static void test_huge_output(void **state) {
  struct fixture *fixture = *state;
  assert_false(run_script(fixture, "head -c 5000000 /dev/zero | tr '\\0' x; echo; echo the end; exit 1", 0));
  assert_error(&fixture->err, TS_ERR_COMMAND, "exit status 1, after it wrote: the end");
  /* The log keeps the beginning and the end and says how much lies between. */
  assert_true(fixture->log.length > 60000 && fixture->log.length < 110000);
  assert_contains(ts_str_get(&fixture->log), "bytes left out]");
  assert_true(ts_str_ends_with(ts_str_get(&fixture->log), "x\nthe end\n"));
  size_t left_out = 0;
  assert_int_equal(sscanf(strchr(ts_str_get(&fixture->log), '['), "[%zu", &left_out), 1);
  size_t note = strcspn(strchr(ts_str_get(&fixture->log), '['), "]") + 3;
  assert_int_equal(fixture->log.length - note + left_out, 5000000 + strlen("\nthe end\n"));
}

/* ---- Stopping. ---- */

struct stopper {
  const char *fifo;
  int end; /* kept open, so that the command does not die of a broken pipe first */
  atomic_bool cancelled;
};

static void *stop_once_it_runs(void *argument) {
  struct stopper *stopper = argument;
  /* Opening for reading waits until the command opens the other end: then it runs for certain. */
  stopper->end = open(stopper->fifo, O_RDONLY);
  atomic_store(&stopper->cancelled, true);
  return NULL;
}

static void test_stop_on_request(void **state) {
  struct fixture *fixture = *state;
  char *fifo = ts_path_join(fixture->folder, "started");
  assert_int_equal(mkfifo(fifo, 0600), 0);
  struct ts_op *op = define(fixture, SHELL, "echo go > \"${0%/*}/started\"; mkfifo pipe; read line < pipe", A_TABLE);
  struct stopper stopper = {.fifo = fifo};
  struct ts_data *out = NULL;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, stop_once_it_runs, &stopper), 0);
  assert_false(execute(fixture, op, NULL, NULL, &out, 0, &stopper.cancelled));
  pthread_join(thread, NULL);
  assert_true(stopper.end >= 0);
  close(stopper.end);
  assert_error(&fixture->err, TS_ERR_CANCELLED, "command 'test.run' was stopped");
  free(fifo);
}

/* ---- Files that change under a running study. ---- */

static void test_changed_script(void **state) {
  struct fixture *fixture = *state;
  static const char script[] = "printf 'a\\n1\\n' > out.table.csv";
  struct ts_op *op = define(fixture, SHELL, script, A_TABLE);
  struct ts_data *out = NULL;
  /* Written again with the same contents: nothing has changed. */
  write_text(fixture->folder, "script", script);
  execute(fixture, op, NULL, NULL, &out, 0, NULL);
  assert_no_error(&fixture->err);
  ts_data_unref(out);
  write_text(fixture->folder, "script", "printf 'a\\n2\\n' > out.table.csv");
  assert_false(execute(fixture, op, NULL, NULL, &out, 0, NULL));
  assert_error(&fixture->err, TS_ERR_COMMAND, "file 'script' of a command was changed during the run");
}

static void test_script_that_changes_itself(void **state) {
  struct fixture *fixture = *state;
  assert_false(run_script(fixture, "printf 'a\\n1\\n' > out.table.csv; echo '# more' >> \"$0\"; exit 0", 0));
  assert_error(&fixture->err, TS_ERR_COMMAND, "was changed during the run");
}

static void test_scratch_folder_missing(void **state) {
  struct fixture *fixture = *state;
  struct ts_op *op = define(fixture, SHELL, "exit 0", A_TABLE);
  struct ts_op_context context = {.scratch_folder = "/nowhere/at/all"};
  struct ts_data *out = NULL;
  assert_false(ts_op_execute(op, NULL, NULL, &out, &context, &fixture->err));
  assert_error(&fixture->err, TS_ERR_FILE_IO, "no scratch folder can be made in '/nowhere/at/all'");
}

/* ---- Commands that write at the same time. ---- */

static char *read_text(const char *folder, const char *name) {
  ts_auto_free char *path = ts_path_join(folder, name);
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_error err = {0};
  assert_true(ts_file_read(path, 1 << 20, &text, &err));
  return ts_strdup(ts_str_get(&text));
}

struct two {
  struct fixture *fixture;
  struct ts_op *op;
  struct ts_error err;
  bool succeeded;
};

static void *run_one_of_two(void *argument) {
  struct two *one = argument;
  struct ts_op_context context = {.scratch_folder = one->fixture->scratch};
  struct ts_data *out = NULL;
  one->succeeded = ts_op_execute(one->op, NULL, NULL, &out, &context, &one->err);
  ts_data_unref(out);
  return NULL;
}

/* Each writes 6 MB of the 10; the first attempts meet, so that one of them is stopped and runs again when the other has
 * ended. `attempts` has a line for each, `most` the bytes in both folders at the end of those that were not stopped. */
static void test_two_that_fit_one_by_one(void **state) {
  struct fixture *fixture = *state;
  static const char script[] =
      "echo >> \"${0%/*}/attempts\"; until [ $(wc -l < \"${0%/*}/attempts\") -ge 2 ]; do sleep 0.01; done\n"
      "head -c 3000000 /dev/zero > a; sleep 0.3; head -c 3000000 /dev/zero > b; sleep 0.3\n"
      "du -s --block-size=1 .. | cut -f1 >> \"${0%/*}/most\"; printf 'a\\n1\\n' > out.table.csv";
  ts_budget_set(&budget, (uint64_t)64 << 20, 10000000);
  struct two two[2] = {{.fixture = fixture}, {.fixture = fixture}};
  two[0].op = two[1].op = define(fixture, SHELL, script, A_TABLE);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, run_one_of_two, &two[i]), 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 2; i++) {
    assert_no_error(&two[i].err);
    assert_true(two[i].succeeded);
  }
  ts_auto_free char *attempts = read_text(fixture->folder, "attempts");
  ts_auto_free char *most = read_text(fixture->folder, "most");
  assert_true(strlen(attempts) == 3 || strlen(attempts) == 4); /* one was stopped, or each stopped the other */
  int lines = 0;
  for (const char *line = most; *line; line = strchr(line, '\n') + 1, lines++) assert_true(atoll(line) < 10000000);
  assert_int_equal(lines, 2);
  assert_int_equal(ts_budget_scratch_held(), 0);
  ts_budget_set(&budget, 0, 0);
}

/* 2 GB/s fill 2 MB per ms: the folder is measured before what is left can be written, from 1 to 250 ms. */
static void test_next_look(void **state) {
  (void)state;
  const uint64_t ms = 1000000;
  assert_int_equal(ts_process_next_look_ns(0, 0), ms);
  assert_int_equal(ts_process_next_look_ns(2000000, 0), ms);
  assert_int_equal(ts_process_next_look_ns(10000000, 0), 5 * ms);
  assert_int_equal(ts_process_next_look_ns(12000000, 0), 6 * ms);
  assert_int_equal(ts_process_next_look_ns(100000000, 0), 50 * ms);
  assert_int_equal(ts_process_next_look_ns(499999998, 0), 250 * ms - 1);
  assert_int_equal(ts_process_next_look_ns(500000000, 0), 250 * ms);
  assert_int_equal(ts_process_next_look_ns(UINT64_MAX, 0), 250 * ms);
  assert_int_equal(ts_process_next_look_ns(0, 7 * ms), 7 * ms); /* looking takes at most half of the time */
  assert_int_equal(ts_process_next_look_ns(100000000, 7 * ms), 50 * ms);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_next_look),
      cmocka_unit_test_setup_teardown(test_every_kind, setup, teardown),
      cmocka_unit_test_setup_teardown(test_exit_status, setup, teardown),
      cmocka_unit_test(test_the_line_that_matters),
      cmocka_unit_test_setup_teardown(test_output_of_success, setup, teardown),
      cmocka_unit_test_setup_teardown(test_killed_by_signal, setup, teardown),
      cmocka_unit_test_setup_teardown(test_timeout, setup, teardown),
      cmocka_unit_test_setup_teardown(test_timeout_of_a_writer, setup, teardown),
      cmocka_unit_test_setup_teardown(test_timeout_after_output_was_closed, setup, teardown),
      cmocka_unit_test_setup_teardown(test_leftover_children_die, setup, teardown),
      cmocka_unit_test_setup_teardown(test_missing_output, setup, teardown),
      cmocka_unit_test_setup_teardown(test_garbage_table, setup, teardown),
      cmocka_unit_test_setup_teardown(test_garbage_image, setup, teardown),
      cmocka_unit_test_setup_teardown(test_garbage_objects, setup, teardown),
      cmocka_unit_test_setup_teardown(test_huge_output, setup, teardown),
      cmocka_unit_test_setup_teardown(test_output_is_not_a_file, setup, teardown),
      cmocka_unit_test_setup_teardown(test_output_is_too_large, setup, teardown),
      cmocka_unit_test_setup_teardown(test_output_at_the_limit, setup, teardown),
      cmocka_unit_test_setup_teardown(test_stop_on_request, setup, teardown),
      cmocka_unit_test_setup_teardown(test_changed_script, setup, teardown),
      cmocka_unit_test_setup_teardown(test_script_that_changes_itself, setup, teardown),
      cmocka_unit_test_setup_teardown(test_scratch_folder_missing, setup, teardown),
      cmocka_unit_test_setup_teardown(test_two_that_fit_one_by_one, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
