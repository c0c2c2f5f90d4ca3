/* What is made from the command table: nothing is missing in help, man pages and completion, and the tools accept them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/cli/fake_tessera.h"

#include "support/test_file.h"

#include "base/file.h"
#include "cli/help.h"
#include "cli/view.h"

/* Whether "--name" stands in the text as a whole word. */
static bool has_option(const char *text, const char *before, const char *name) {
  char wanted[96];
  snprintf(wanted, sizeof wanted, "%s%s", before, name);
  size_t length = strlen(wanted);
  for (const char *p = strstr(text, wanted); p; p = strstr(p + 1, wanted)) {
    char c = p[length];
    if (!isalnum((unsigned char)c) && c != '-' && strncmp(p + length, "\\-", 2) != 0) return true;
  }
  return false;
}

/* In man pages every dash is escaped. */
static char *escaped(const char *name) {
  struct ts_str text = {0};
  for (; *name; name++) ts_str_addf(&text, "%s%c", *name == '-' ? "\\" : "", *name);
  return ts_str_detach(&text);
}

/* Rows of one name belong to different commands. */
static bool command_has(const struct tessera_command *command, const char *name) {
  for (size_t o = 0; o < ts_option_row_count; o++)
    if (strcmp(ts_option_rows[o].shown.name, name) == 0 && tessera_option_applies(&ts_option_rows[o].shown, command))
      return true;
  return false;
}

static void every_option_is_described(void **state) {
  (void)state;
  for (size_t c = 0; c < TS_COMMAND_COUNT; c++) {
    struct ts_str help = {0}, man = {0};
    ts_help_command(&help, &ts_commands[c], 80);
    ts_man_page(&man, &ts_commands[c]);
    for (size_t o = 0; o < ts_option_row_count; o++) {
      bool applies = command_has(&ts_commands[c], ts_option_rows[o].shown.name);
      char *in_man = escaped(ts_option_rows[o].shown.name);
      /* Also the other way round: an option of another command may only be mentioned, not listed. */
      if (applies) assert_true(has_option(ts_str_get(&help), "--", ts_option_rows[o].shown.name));
      assert_int_equal(has_option(ts_str_get(&man), "\\fB\\-\\-", in_man), applies);
      free(in_man);
    }
    ts_str_release(&help);
    ts_str_release(&man);
  }
}

static void the_overview_has_every_command(void **state) {
  (void)state;
  struct ts_str help = {0}, man = {0};
  ts_help_overview(&help, 80);
  ts_man_page(&man, NULL);
  for (size_t c = 0; c < TS_COMMAND_COUNT; c++) {
    char line[64], entry[64];
    snprintf(line, sizeof line, "\n  %s ", ts_commands[c].name);
    snprintf(entry, sizeof entry, ".BR tessera\\-%s (1)\n", ts_commands[c].name);
    bool shown = ts_commands[c].group != NULL;
    assert_int_equal(strstr(ts_str_get(&help), line) != NULL, shown);
    assert_int_equal(strstr(ts_str_get(&man), entry) != NULL, shown);
  }
  for (size_t o = 0; o < ts_option_row_count; o++) {
    bool common = ts_option_is_common(&ts_option_rows[o].shown);
    assert_int_equal(has_option(ts_str_get(&help), "  --", ts_option_rows[o].shown.name) ||
                         has_option(ts_str_get(&help), ", --", ts_option_rows[o].shown.name),
                     common);
  }
  ts_str_release(&help);
  ts_str_release(&man);
}

/* The table itself: one meaning per letter, and per command and name, a text for everything, examples that can be
 * typed. */
static void the_table_is_sound(void **state) {
  (void)state;
  for (size_t a = 0; a < ts_option_row_count; a++) {
    const struct tessera_option *option = &ts_option_rows[a].shown;
    assert_true(ts_option_rows[a].commands != 0);
    assert_true(option->help && !isupper((unsigned char)option->help[0]));
    assert_true(option->help[strlen(option->help) - 1] != '.');
    assert_int_equal(option->kind == TESSERA_OPTION_FLAG || option->kind == TESSERA_OPTION_TALLY,
                     option->argument == NULL);
    bool proposes = option->kind == TESSERA_OPTION_TEXT && option->completes == TESSERA_COMPLETES_CHOICES;
    bool chooses = option->kind == TESSERA_OPTION_WORD || option->kind == TESSERA_OPTION_SWITCH;
    assert_int_equal(chooses || proposes, option->choices != NULL);
    assert_int_equal(option->kind == TESSERA_OPTION_OPTIONAL, ts_option_rows[a].belongs != NULL);
    for (size_t b = a + 1; b < ts_option_row_count; b++) {
      assert_true(strcmp(option->name, ts_option_rows[b].shown.name) != 0 ||
                  (ts_option_rows[a].commands & ts_option_rows[b].commands) == 0);
      assert_true(!option->letter || option->letter != ts_option_rows[b].shown.letter);
    }
  }
  for (size_t c = 0; c < TS_COMMAND_COUNT; c++) {
    const struct tessera_command *command = &ts_commands[c];
    assert_non_null(command->name);
    assert_true(command->summary && !isupper((unsigned char)command->summary[0]));
    assert_true(command->description && command->description[strlen(command->description) - 1] == '.');
    bool is_shown = strcmp(command->name, "worker") != 0 && !command->is_program;
    const char *topic = strcmp(command->name, "store") == 0 ? "verify" : NULL;
    assert_int_equal(is_shown, ts_cli_command_show(command, topic) != ts_show_nothing);
    assert_true(command->exit_codes & 1);
  }
}

/* Lines may be longer only where a word alone is. */
static void help_fits_the_width(void **state) {
  (void)state;
  for (size_t c = 0; c < TS_COMMAND_COUNT; c++) {
    struct ts_str help = {0};
    ts_help_command(&help, &ts_commands[c], 80);
    const char *examples = strstr(ts_str_get(&help), "\nExamples\n");
    for (const char *line = ts_str_get(&help); *line;) {
      size_t length = strcspn(line, "\n");
      if (!examples || line < examples) assert_true(length <= 80);
      line += length + 1;
    }
    ts_str_release(&help);
  }
}

static bool have(const char *program) {
  char command[128];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
  return system(command) == 0;
}

/* Runs "COMMAND < text"; what it says must be nothing. */
static void assert_accepts(const char *command, const struct ts_str *text) {
  char folder[64], file[96], line[512], said[256] = "";
  struct ts_error err = {0};
  scratch_create(folder);
  snprintf(file, sizeof file, "%s/text", folder);
  assert_true(ts_file_write(file, ts_str_get(text), text->length, &err));
  snprintf(line, sizeof line, "%s < %s 2>&1", command, file);
  FILE *pipe = popen(line, "r");
  assert_non_null(pipe);
  size_t length = fread(said, 1, sizeof said - 1, pipe);
  said[length] = '\0';
  int status = pclose(pipe);
  scratch_remove(folder);
  if (status != 0 || length > 0) fail_msg("%s: status %d, %s", command, status, said);
}

static void shells_accept_the_completion(void **state) {
  (void)state;
  static const struct {
    const char *shell, *check;
  } cases[] = {{"bash", "bash -n /dev/stdin"}, {"zsh", "zsh -n /dev/stdin"}, {"fish", "fish --no-execute /dev/stdin"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct ts_str script = {0};
    assert_true(ts_completion_script(&script, cases[i].shell));
    for (size_t c = 0; c < TS_COMMAND_COUNT; c++) {
      if (ts_commands[c].group) assert_non_null(strstr(ts_str_get(&script), ts_commands[c].name));
    }
    for (size_t o = 0; o < ts_option_row_count; o++) {
      const char *before = strcmp(cases[i].shell, "fish") == 0 ? "-l " : "--";
      assert_true(has_option(ts_str_get(&script), before, ts_option_rows[o].shown.name));
    }
    if (have(cases[i].shell)) {
      assert_accepts(cases[i].check, &script);
    } else {
      assert_true(strcmp(cases[i].shell, "bash") != 0); /* bash is always there */
    }
    ts_str_release(&script);
  }
  struct ts_str nothing = {0};
  assert_false(ts_completion_script(&nothing, "tcsh"));
}

/* Lines of examples are as they are; the others fit. */
static void every_page_of_help_is_complete(void **state) {
  (void)state;
  struct ts_str overview = {0}, program = {0};
  ts_help_overview(&overview, 80);
  ts_man_page(&program, NULL);
  const struct ts_topic *topic;
  for (size_t i = 0; (topic = ts_topic_at(i)); i++) {
    struct ts_str help = {0}, man = {0}, line = {0}, entry = {0}, title = {0};
    ts_help_topic(&help, topic, 80);
    ts_man_topic(&man, topic);
    ts_str_addf(&line, "\n  %s ", topic->name);
    ts_str_addf(&entry, ".BR tessera\\-%s (%s)\n", topic->name, topic->section);
    ts_str_addf(&title, "\ntessera\\-%s \\- ", topic->name);
    assert_non_null(strstr(ts_str_get(&overview), ts_str_get(&line)));
    assert_non_null(strstr(ts_str_get(&program), ts_str_get(&entry)));
    assert_non_null(strstr(ts_str_get(&man), ts_str_get(&title)));
    for (const char *text = ts_str_get(&help); *text; text += strcspn(text, "\n") + 1)
      if (strncmp(text, "    ", 4) != 0) assert_in_range(strcspn(text, "\n"), 0, 120);
    assert_ptr_equal(ts_topic_find(topic->name), topic);
    struct ts_str *const all[] = {&help, &man, &line, &entry, &title};
    for (size_t t = 0; t < COUNT_OF(all); t++) ts_str_release(all[t]);
  }
  assert_null(ts_topic_find("stud"));
  assert_null(ts_topic_find("study.7"));
  assert_ptr_equal(ts_topic_find("study.5"), ts_topic_find("study"));
  ts_str_release(&overview);
  ts_str_release(&program);
}

static void groff_accepts_the_man_pages(void **state) {
  (void)state;
  if (!have("groff")) {
    test_skip_part("groff is not installed: the man pages are not checked");
    skip();
  }
  for (size_t c = 0; c <= TS_COMMAND_COUNT; c++) {
    struct ts_str page = {0};
    ts_man_page(&page, c < TS_COMMAND_COUNT ? &ts_commands[c] : NULL);
    assert_accepts("groff -man -ww -z -Tascii -", &page);
    ts_str_release(&page);
  }
  for (size_t i = 0; ts_topic_at(i); i++) {
    struct ts_str page = {0};
    ts_man_topic(&page, ts_topic_at(i));
    assert_accepts("groff -man -ww -z -Tascii -", &page);
    ts_str_release(&page);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_option_is_described),
      cmocka_unit_test(the_overview_has_every_command),
      cmocka_unit_test(the_table_is_sound),
      cmocka_unit_test(help_fits_the_width),
      cmocka_unit_test(shells_accept_the_completion),
      cmocka_unit_test(groff_accepts_the_man_pages),
      cmocka_unit_test(every_page_of_help_is_complete),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
