/* The command line: every form of an option, what is refused, and what is proposed instead.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/cli/fake_tessera.h"

#include "cli/arguments.h"

#define MAX_WORDS 24

/* Splits at single spaces; "''" is an empty word. Words stay valid until the next call. */
static char **split(const char *line, int *count) {
  static char text[512];
  static char *words[MAX_WORDS + 1];
  snprintf(text, sizeof text, "tessera %s", line);
  *count = 0;
  for (char *next = text; *next && *count < MAX_WORDS;) {
    words[(*count)++] = next;
    next += strcspn(next, " ");
    if (*next) *next++ = '\0';
  }
  for (int i = 0; i < *count; i++) {
    if (strcmp(words[i], "''") == 0) *words[i] = '\0';
  }
  words[*count] = NULL;
  return words;
}

static struct ts_arguments parsed(const char *line) {
  struct ts_arguments arguments;
  struct ts_error err = {0};
  int count;
  char **words = split(line, &count);
  if (!ts_arguments_parse(&arguments, count, words, &err)) fail_msg("'%s': %s", line, err.text);
  return arguments;
}

static void assert_refused(const char *line, const char *text, const char *help) {
  struct ts_arguments arguments;
  struct ts_error err = {0};
  int count;
  char **words = split(line, &count);
  assert_false(ts_arguments_parse(&arguments, count, words, &err));
  assert_error(&err, TS_ERR_USAGE);
  assert_string_equal(err.text, text);
  assert_string_equal(err.help, help);
  ts_arguments_release(&arguments);
}

static void numbers_come_in_every_form(void **state) {
  (void)state;
  static const char *const lines[] = {"study -j4", "study -j 4",    "study --jobs=4", "study --jobs 4",
                                      "-j4 study", "-j 4 study -q", "study -nj4",     "study -j 9 -j 4"};
  for (size_t i = 0; i < COUNT_OF(lines); i++) {
    struct ts_arguments arguments = parsed(lines[i]);
    assert_int_equal(ts_call_request(arguments.call)->threads, 4);
    assert_string_equal(ts_arguments_get(&arguments, "jobs"), "4");
    assert_string_equal(arguments.command->name, "study");
    ts_arguments_release(&arguments);
  }
}

static void letters_may_be_joined(void **state) {
  (void)state;
  struct ts_arguments arguments = parsed("run -qnvv -pG1=40 -p T1=2.5=x workflow.json");
  assert_true(arguments.quiet && arguments.dry_run);
  assert_int_equal(arguments.verbose, 2);
  assert_int_equal(ts_call_request(arguments.call)->parameter_count, 2);
  assert_string_equal(ts_call_request(arguments.call)->parameters[0].name, "G1");
  assert_string_equal(ts_call_request(arguments.call)->parameters[0].value, "40");
  assert_string_equal(ts_call_request(arguments.call)->parameters[1].name, "T1");
  assert_string_equal(ts_call_request(arguments.call)->parameters[1].value, "2.5=x");
  assert_string_equal(ts_call_request(arguments.call)->file, "workflow.json");
  ts_arguments_release(&arguments);
}

static void texts_words_and_lists_arrive(void **state) {
  (void)state;
  struct ts_arguments arguments =
      parsed("plan s.json --design d.csv --data a --data=b --tile 512 --merge stage --canonical off --no-cutoff "
             "--no-reuse --store=there --method morris --trajectories 20 --seed 18446744073709551615");
  const struct ts_request *request = ts_call_request(arguments.call);
  assert_string_equal(request->file, "s.json");
  assert_string_equal(request->design, "d.csv");
  assert_int_equal(request->data_count, 2);
  assert_string_equal(request->data[0], "a");
  assert_string_equal(request->data[1], "b");
  assert_true(request->has_tile && request->has_seed && request->raw_values && request->no_cutoff && request->no_reuse);
  assert_int_equal(request->tile_px, 512);
  assert_string_equal(request->merge, "stage");
  assert_string_equal(request->store, "there");
  assert_string_equal(request->method, "morris");
  assert_int_equal(request->trajectories, 20);
  assert_true(request->seed == UINT64_MAX);
  ts_arguments_release(&arguments);
  arguments = parsed("run --only segment --overlay --no-parts -o out --tile=0");
  assert_string_equal(ts_call_request(arguments.call)->only_stage, "segment");
  assert_string_equal(ts_call_request(arguments.call)->output, "out");
  assert_true(ts_call_request(arguments.call)->overlays && ts_call_request(arguments.call)->has_tile &&
              ts_call_request(arguments.call)->no_parts);
  assert_int_equal(ts_call_request(arguments.call)->tile_px, 0);
  ts_arguments_release(&arguments);
}

static void limits_of_buckets_arrive(void **state) {
  (void)state;
  struct ts_arguments arguments =
      parsed("plan --merge rtma --max-bucket-size 7 --max-buckets 24 --max-bucket-memory 1.5G "
             "--keys dag --cost c.json --compare --workers 5 --picture b.svg");
  const struct ts_request *request = ts_call_request(arguments.call);
  assert_string_equal(request->merge, "rtma");
  assert_int_equal(request->max_bucket_size, 7);
  assert_int_equal(request->max_buckets, 24);
  assert_int_equal(request->max_bucket_bytes, 1500000000);
  assert_string_equal(request->keys, "dag");
  assert_string_equal(request->cost, "c.json");
  assert_true(request->compare);
  assert_int_equal(request->workers, 5);
  assert_string_equal(request->picture, "b.svg");
  ts_arguments_release(&arguments);
}

static void options_of_sample_and_analyse_arrive(void **state) {
  (void)state;
  struct ts_arguments arguments = parsed("sample --method saltelli --space s.json -N 1024 --second-order --base lhs "
                                         "--scramble shift --skip 16 --unit --seed 4 -o d.csv");
  const struct ts_request *request = ts_call_request(arguments.call);
  assert_string_equal(request->method, "saltelli");
  assert_string_equal(request->space, "s.json");
  assert_string_equal(request->base, "lhs");
  assert_string_equal(request->scramble, "shift");
  assert_string_equal(request->output, "d.csv");
  assert_true(request->count == 1024 && request->skip == 16 && request->second_order && request->with_unit);
  assert_true(request->has_seed && request->seed == 4);
  ts_arguments_release(&arguments);
  arguments = parsed("sample --levels 6 --radial --candidates 50 --brute-force --improve 3 --harmonics 5 --step 0.05");
  request = ts_call_request(arguments.call);
  const size_t numbers[] = {request->levels, request->candidates, request->improve, request->harmonics};
  const size_t expected[] = {6, 50, 3, 5};
  assert_memory_equal(numbers, expected, sizeof numbers);
  assert_true(request->radial && request->brute_force && request->step == 0.05);
  ts_arguments_release(&arguments);
  arguments = parsed("analyse --design d.csv --outputs y.csv --output-column a --output-column=b --resamples 0 "
                     "--confidence 0.9 --interval normal --estimator janon --scaled --convergence --slices 12 "
                     "--degree 6");
  request = ts_call_request(arguments.call);
  assert_string_equal(request->design, "d.csv");
  assert_string_equal(request->outputs, "y.csv");
  assert_int_equal(request->output_column_count, 2);
  assert_string_equal(request->output_columns[1], "b");
  assert_true(request->has_resamples && request->resamples == 0 && request->confidence == 0.9);
  assert_string_equal(request->interval, "normal");
  assert_string_equal(request->estimator, "janon");
  assert_true(request->scaled && request->convergence && request->slices == 12 && request->degree == 6);
  ts_arguments_release(&arguments);
  assert_refused("analyse --confidence 95", "'95' is not a number that '--confidence' takes",
                 "give a number between 0 and 1");
  assert_refused("sample --json", "'--json' and the design would both go to standard output",
                 "name a file for the design: -o design.csv");
  assert_refused("sample -N 0", "'0' is not a number that '-N' takes", "give a whole number from 1 to 1000000000");
}

static void zero_is_the_default(void **state) {
  (void)state;
  struct ts_arguments arguments = parsed("study");
  struct ts_request nothing = {0};
  assert_memory_equal(ts_call_request(arguments.call), &nothing, sizeof nothing);
  ts_arguments_release(&arguments);
}

static void resume_takes_an_id_or_none(void **state) {
  (void)state;
  static const struct {
    const char *line, *id, *file;
  } cases[] = {{"study --resume", NULL, NULL},
               {"study --resume 7f3a91bc", "7f3a91bc", NULL},
               {"study --resume=7f3a91bc", "7f3a91bc", NULL},
               {"study --resume other.json", NULL, "other.json"},
               {"study --resume 7f3a91bc other.json", "7f3a91bc", "other.json"},
               {"study --resume -q", NULL, NULL},
               {"study --resume 7F3A91BC", NULL, "7F3A91BC"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct ts_arguments arguments = parsed(cases[i].line);
    assert_true(ts_call_request(arguments.call)->resume);
    if (cases[i].id) {
      assert_string_equal(ts_call_request(arguments.call)->resume_id, cases[i].id);
    } else {
      assert_null(ts_call_request(arguments.call)->resume_id);
    }
    if (cases[i].file) assert_string_equal(ts_call_request(arguments.call)->file, cases[i].file);
    ts_arguments_release(&arguments);
  }
}

static void init_knows_where_and_what(void **state) {
  (void)state;
  static const struct {
    const char *line, *demo, *folder;
  } cases[] = {{"init", NULL, NULL},
               {"init project", NULL, "project"},
               {"init --demo", "nuclei", "nuclei"},
               {"init --demo decay", "decay", "decay"},
               {"init --demo=decay here", "decay", "here"},
               {"init --demo nuclei demo/nuclei", "nuclei", "demo/nuclei"},
               {"init --demo ./here", "nuclei", "./here"},
               {"init here --demo", "nuclei", "here"},
               {"-C top init --demo", "nuclei", "top/nuclei"},
               {"-C top init", NULL, "top"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct ts_arguments arguments = parsed(cases[i].line);
    const char *demo = ts_call_request(arguments.call)->demo, *folder = ts_call_request(arguments.call)->folder;
    assert_string_equal(demo ? demo : "-", cases[i].demo ? cases[i].demo : "-");
    assert_string_equal(folder ? folder : "-", cases[i].folder ? cases[i].folder : "-");
    ts_arguments_release(&arguments);
  }
}

static void data_takes_the_words_that_are_left(void **state) {
  (void)state;
  struct ts_arguments arguments = parsed("run study.json --data a.svs b.svs -j2 c.svs d.svs e.svs f.svs");
  static const char *const wanted[] = {"a.svs", "b.svs", "c.svs", "d.svs", "e.svs", "f.svs"};
  const struct ts_request *request = ts_call_request(arguments.call);
  assert_string_equal(request->file, "study.json");
  assert_int_equal(request->data_count, COUNT_OF(wanted));
  for (size_t i = 0; i < COUNT_OF(wanted); i++) assert_string_equal(request->data[i], wanted[i]);
  ts_arguments_release(&arguments);
}

static void operands_find_their_fields(void **state) {
  (void)state;
  struct ts_arguments arguments = parsed("log 7f3a91bc segment/9c1e4f");
  assert_string_equal(ts_call_request(arguments.call)->run, "7f3a91bc");
  assert_string_equal(ts_call_request(arguments.call)->task, "segment/9c1e4f");
  ts_arguments_release(&arguments);
  arguments = parsed("explain segment.split --run 7f3a91bc");
  assert_string_equal(ts_call_request(arguments.call)->run, "7f3a91bc");
  assert_string_equal(ts_call_request(arguments.call)->task, "segment.split");
  ts_arguments_release(&arguments);
  arguments = parsed("bench nuclei --image a.png --threads 3");
  assert_string_equal(ts_call_request(arguments.call)->file, "nuclei");
  assert_string_equal(ts_call_request(arguments.call)->data[0], "a.png");
  assert_int_equal(ts_call_request(arguments.call)->threads, 3);
  ts_arguments_release(&arguments);
  arguments = parsed("check -- -j");
  assert_string_equal(ts_call_request(arguments.call)->file, "-j");
  ts_arguments_release(&arguments);
  arguments = parsed("check -");
  assert_string_equal(ts_call_request(arguments.call)->file, "-");
  ts_arguments_release(&arguments);
}

static void help_and_version_need_no_operands(void **state) {
  (void)state;
  static const char *const lines[] = {"log --help", "--help", "explain -h", "--version", "-h study"};
  for (size_t i = 0; i < COUNT_OF(lines); i++) {
    struct ts_arguments arguments = parsed(lines[i]);
    assert_true(arguments.help || arguments.version);
    ts_arguments_release(&arguments);
  }
}

static void unknown_words_get_a_proposal(void **state) {
  (void)state;
  assert_refused("studdy", "unknown command 'studdy'", "did you mean 'tessera study'?");
  assert_refused("compl", "unknown command 'compl'", "did you mean 'tessera completion'?");
  assert_refused("comprae", "unknown command 'comprae'", "did you mean 'tessera compare'?");
  assert_refused("quux", "unknown command 'quux'", "'tessera help' lists the commands");
  assert_refused("study --sed 3", "unknown option '--sed'", "did you mean '--seed'?");
  assert_refused("study --traj=3", "unknown option '--traj'", "did you mean '--trajectories'?");
  assert_refused("study --quuxquux", "unknown option '--quuxquux'", "'tessera study --help' lists the options");
  assert_refused("--quuxquux", "unknown option '--quuxquux'", "'tessera --help' lists the options");
  assert_refused("study -x", "unknown option '-x'", "'tessera study --help' lists the options");
  assert_refused("study --merge=lineag", "'lineag' is nothing that '--merge' takes",
                 "did you mean 'lineage'? it takes none, stage, naive, sca, rtma, trtma or lineage");
  assert_refused("study --color maybe", "'maybe' is nothing that '--color' takes", "it takes auto, always or never");
  assert_refused("completion tcsh", "'tcsh' is nothing that 'SHELL' takes", "it takes bash, zsh or fish");
}

static void options_without_effect_are_refused(void **state) {
  (void)state;
  assert_refused("status --seed 3", "'--seed' has no effect on 'status'",
                 "leave it out; it is for 'plan', 'study', 'sample', 'analyse' and 'schedule'");
  assert_refused("--seed 3 status", "'--seed' has no effect on 'status'",
                 "leave it out; it is for 'plan', 'study', 'sample', 'analyse' and 'schedule'");
  assert_refused("study -p G1=4", "'--parameter' has no effect on 'study'",
                 "leave it out; it is for 'plan', 'run' and 'call'");
  assert_refused("--keep a call b.c", "'--keep' comes before 'call', where it means something else",
                 "write it behind 'call'");
  assert_refused("plan -n", "'--dry-run' has no effect on 'plan'", "leave it out; it is for 'run' and 'study'");
  assert_refused("help --json", "'--json' has no effect on 'help'",
                 "leave it out; it is for 'init', 'check', 'list', 'plan', 'run', 'study', 'bench', 'call', 'new', "
                 "'sample', "
                 "'analyse', 'schedule', 'tune', 'status', 'log', "
                 "'explain', 'compare', 'report', 'store', 'version' and 'worker'");
  assert_refused("study --resume --no-reuse", "'--resume' needs what '--no-reuse' does not keep",
                 "leave out one of them");
  assert_refused("check a.json --show-config", "'--show-config' shows settings and checks no file, but got 'a.json'",
                 "leave out one of them");
}

static void bad_values_are_refused(void **state) {
  (void)state;
  assert_refused("study -j", "'-j' needs a value", "write -j N");
  assert_refused("study --seed", "'--seed' needs a value", "write --seed N");
  assert_refused("study -j x", "'x' is not a number that '-j' takes", "give a whole number from 0 to 4096");
  assert_refused("study -j -1", "'-1' is not a number that '-j' takes", "give a whole number from 0 to 4096");
  assert_refused("study -j 4097", "'4097' is not a number that '-j' takes", "give a whole number from 0 to 4096");
  assert_refused("study --trajectories 0", "'0' is not a number that '--trajectories' takes",
                 "give a whole number from 1 to 1000000");
  assert_refused("study --seed 18446744073709551616", "'18446744073709551616' is not a number that '--seed' takes",
                 "give a whole number from 0 to 18446744073709551615");
  assert_refused("study --json=yes", "'--json' takes no value, but got 'yes'", "write --json alone");
  assert_refused("run -p G1", "'G1' is not a setting of a parameter", "write -p NAME=VALUE, such as -p G1=40");
  assert_refused("run -p =4", "'=4' is not a setting of a parameter", "write -p NAME=VALUE, such as -p G1=40");
  assert_refused("study --resume=abc", "'abc' is nothing that '--resume' takes",
                 "--resume: continue an unfinished run of the same file: the last one, or the one with these 8 digits");
  assert_refused("study --store=", "'--store' has an empty value",
                 "--store FOLDER: where products and records are kept (.tessera); 'memory' keeps nothing");
}

static void too_many_or_too_few_operands(void **state) {
  (void)state;
  assert_refused("status a b", "'b' is one word too many for 'status'",
                 "'tessera status --help' shows how it is called");
  assert_refused("report a b c d e", "'b' is one word too many for 'report'",
                 "'tessera report --help' shows how it is called");
  assert_refused("log a b c d", "'c' is one word too many for 'log'", "'tessera log --help' shows how it is called");
  assert_refused("version now", "'now' is one word too many for 'version'",
                 "'tessera version --help' shows how it is called");
  assert_refused("explain", "'explain' needs TASK",
                 "TASK: such as segment.split, segment/9c1e4f, or the digits of a key");
  assert_refused(
      "check ''", "'check' needs FILE",
      "FILE: study or workflow; without it study.json, or else workflow.json; or data: an image, a folder of "
      "images, a manifest (CSV)");
  assert_refused("", "no command was given", "'tessera help' lists the commands");
}

/* The line to continue with, as session.c puts it together. */
static void assert_continues(const char *line, const char *expected) {
  struct ts_arguments arguments = parsed(line);
  char text[512];
  snprintf(text, sizeof text, "%.*s --resume ID%s", (int)arguments.resume_at, arguments.resume_line,
           arguments.resume_line + arguments.resume_at);
  assert_string_equal(text, expected);
  ts_arguments_release(&arguments);
}

static void the_way_back_is_kept(void **state) {
  (void)state;
  assert_continues("study", "tessera study --resume ID");
  assert_continues("-C a study --resume 7f3a91bc s.json -j2", "tessera -C a study s.json -j2 --resume ID");
  assert_continues("study --resume", "tessera study --resume ID");
  assert_continues("study -- --odd", "tessera study --resume ID -- --odd");
  assert_continues("run -p name=it's*", "tessera run -p 'name=it'\\''s*' --resume ID");
  struct ts_arguments arguments = parsed("study --seed 3");
  assert_string_equal(arguments.command_line, "tessera study --seed 3");
  ts_arguments_release(&arguments);
}

static void many_letters_before_the_command(void **state) {
  (void)state;
  struct ts_arguments arguments = parsed("-vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv study");
  assert_int_equal(arguments.verbose, 60);
  ts_arguments_release(&arguments);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_come_in_every_form),           cmocka_unit_test(letters_may_be_joined),
      cmocka_unit_test(texts_words_and_lists_arrive),         cmocka_unit_test(limits_of_buckets_arrive),
      cmocka_unit_test(options_of_sample_and_analyse_arrive), cmocka_unit_test(zero_is_the_default),
      cmocka_unit_test(resume_takes_an_id_or_none),           cmocka_unit_test(init_knows_where_and_what),
      cmocka_unit_test(operands_find_their_fields),           cmocka_unit_test(data_takes_the_words_that_are_left),
      cmocka_unit_test(help_and_version_need_no_operands),    cmocka_unit_test(unknown_words_get_a_proposal),
      cmocka_unit_test(options_without_effect_are_refused),   cmocka_unit_test(bad_values_are_refused),
      cmocka_unit_test(too_many_or_too_few_operands),         cmocka_unit_test(the_way_back_is_kept),
      cmocka_unit_test(many_letters_before_the_command),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
