/* The program's course: read the command line and the settings, answer or call, and end with the right code.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "base/alloc.h"
#include "base/error_format.h"
#include "base/log.h"
#include "cli/arguments_int.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/session.h"
#include "cli/signals.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void report_one(const struct ts_cli_session *session, bool json, const struct ts_error *err) {
  struct ts_faults faults = {0};
  *ts_faults_add(&faults) = *err;
  ts_cli_session_report(session, json, &faults);
  ts_faults_release(&faults);
}

/* Whether JSON was asked for, also where the command line could not be read to its end. */
static bool wants_json(int argc, char *const *argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--json") == 0) return true;
  }
  return false;
}

static void set_log_level(const struct ts_arguments *arguments) {
  enum ts_log_level level = TS_LOG_WARN;
  if (arguments->quiet) {
    level = TS_LOG_QUIET;
  } else if (arguments->verbose > 0) {
    level = arguments->verbose > 1 ? TS_LOG_DEBUG : TS_LOG_INFO;
  }
  ts_log_set_level(level);
}

/* The views need the settings, and the words that start a proposed command. */
static void set_views(struct ts_cli_session *session) {
  const struct ts_arguments *arguments = &session->arguments;
  const char *color = ts_setting_get(&session->settings, TS_SETTING_COLOR);
  struct ts_str program = {0};
  ts_str_add(&program, "tessera");
  if (arguments->change_folder) {
    ts_str_add(&program, " -C ");
    ts_str_add_shell_word(&program, arguments->change_folder);
  }
  session->program = ts_str_detach(&program);
  const struct ts_view view = {.unicode = ts_cli_output_is_unicode(),
                               .quiet = arguments->quiet,
                               .no_cutoff = ts_arguments_get(arguments, "no-cutoff") != NULL,
                               .verbose = arguments->verbose > 0,
                               .program = session->program};
  session->results = view;
  session->results.color = ts_cli_output_color(stdout, color);
  session->results.width = ts_cli_output_width(stdout);
  session->messages = view;
  session->messages.color = ts_cli_output_color(stderr, color);
  session->messages.width = ts_cli_output_width(stderr);
}

/* By its name where that is still there, so that lists of processes show it. */
static void find_own_path(char path[PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = '\0';
  if (length <= 0 || access(path, X_OK) != 0) snprintf(path, PATH_MAX, "/proc/self/exe");
}

/* Settings become options of the call, where it takes them. */
static void use_settings(struct ts_cli_session *session) {
  static const enum ts_setting_id used[] = {TS_SETTING_JOBS, TS_SETTING_STORE, TS_SETTING_SCRATCH};
  const struct tessera_command *command = session->arguments.command;
  struct tessera_fault unused; /* the settings were checked when they were found */
  for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
    const char *name = ts_setting_name(used[i]);
    const struct ts_setting *setting = &session->settings.items[used[i]];
    if (strcmp(setting->origin, "default") == 0) continue;
    if (!tessera_option_applies(ts_option_find(command, name, strlen(name)), command)) continue;
    tessera_call_set(session->arguments.call, name, setting->value, setting->origin, &unused);
  }
  find_own_path(session->own_path);
}

/* For commands that depend on settings: what the library does, and the words that it knows. */
static int run_command(struct ts_cli_session *session) {
  struct ts_faults faults = {0};
  bool fine = ts_settings_find(&session->settings, &session->arguments, &faults);
  set_views(session);
  int code = 0;
  if (!fine) {
    ts_cli_session_report(session, session->arguments.json, &faults);
    code = ts_error_exit_code(faults.items[0].code);
  } else {
    use_settings(session);
    if (session->arguments.show_config) {
      code = ts_answer_config(session);
    } else if (!session->arguments.command->is_program) {
      code = ts_cli_session_call(session);
    } else {
      code = ts_answer_words(session);
    }
  }
  ts_faults_release(&faults);
  return code;
}

static int dispatch(struct ts_cli_session *session, struct ts_error *err) {
  const struct ts_arguments *arguments = &session->arguments;
  if (arguments->help) return ts_answer_help(session, err);
  if (arguments->version) return ts_answer_version(session);
  if (ts_cli_command_is(arguments->command, "help")) return ts_answer_help(session, err);
  if (ts_cli_command_is(arguments->command, "version")) return ts_answer_version(session);
  if (ts_cli_command_is(arguments->command, "completion")) return ts_answer_completion(session);
  if (ts_cli_command_is(arguments->command, "man")) return ts_answer_man(session, err);
  return run_command(session);
}

/* A result that did not arrive does not count. */
static int finish_output(const struct ts_cli_session *session, int code) {
  struct ts_error err = {0};
  bool gone = false;
  if (ts_cli_output_finish(stdout, session->text_errno, &gone, &err)) return code;
  if (!gone) report_one(session, false, &err); /* a reader that went away knows */
  return code ? code : ts_error_exit_code(err.code);
}

static void session_release(struct ts_cli_session *session) {
  ts_settings_release(&session->settings);
  ts_arguments_release(&session->arguments);
  free(session->program);
}

int ts_cli_main(int argc, char *const *argv) {
  ts_log_use_stderr();
  ts_cli_output_secure();
  ts_signals_survive_pipes();
  setlocale(LC_CTYPE, ""); /* only to know whether the terminal takes UTF-8 */
  const char *no_color = getenv("NO_COLOR");
  struct ts_cli_session session = {
      .messages = {.color = ts_cli_output_color(stderr, no_color && *no_color ? "never" : "auto")}};
  struct ts_error err = {0};
  int code = 0;
  bool parsed = ts_arguments_parse(&session.arguments, argc, argv, &err);
  if (parsed) {
    set_log_level(&session.arguments);
    code = dispatch(&session, &err);
  } else if (argc <= 1) {
    struct ts_str overview = {0};
    ts_help_overview(&overview, 80);
    fputs(ts_str_get(&overview), stderr);
    ts_str_release(&overview);
    code = ts_error_exit_code(TS_ERR_USAGE);
  }
  if (err.code != TS_ERR_OK && argc > 1) {
    report_one(&session, wants_json(argc, argv), &err);
    code = ts_error_exit_code(err.code);
  }
  code = finish_output(&session, code);
  session_release(&session);
  return code;
}
