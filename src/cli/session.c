/* Calls the library for a command: progress while it works, then the reply as text or JSON, and what went wrong.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/session.h"

#include "base/alloc.h"
#include "base/error_format.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/display.h"
#include "cli/output.h"
#include "cli/reply.h"
#include "cli/signals.h"
#include "cli/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void print_json(const json_t *object) {
  char *text = ts_json_dump(object, false, true);
  puts(text);
  free(text);
}

void ts_cli_session_report(const struct ts_cli_session *session, bool json, const struct ts_faults *faults) {
  struct ts_str text = {0};
  ts_faults_format(faults, session->messages.color, &text);
  fputs(ts_str_get(&text), stderr);
  ts_str_release(&text);
  if (!json) return;
  json_t *reply = ts_cli_reply_from_faults(faults);
  print_json(reply);
  json_decref(reply);
}

static bool is(const struct ts_arguments *arguments, const char *name) {
  return ts_cli_command_is(arguments->command, name);
}

static bool is_run(const struct ts_arguments *arguments) {
  return (is(arguments, "run") || is(arguments, "study")) && !arguments->dry_run;
}

/* Whether it ends early, with things in order, when it is stopped. */
static bool is_stoppable(const struct ts_arguments *arguments) { return is_run(arguments) || is(arguments, "store"); }

/* Long only where the data is: with a display, but any signal may end it. */
static bool is_look(const struct ts_arguments *arguments) {
  return is(arguments, "check") || is(arguments, "plan") || arguments->dry_run;
}

static bool is_long(const struct ts_arguments *arguments) {
  return is_look(arguments) || is(arguments, "sample") || is(arguments, "analyse") || is(arguments, "tune") ||
         is_stoppable(arguments);
}

/* A design goes to standard output: progress must not be drawn into it. */
static bool prints_design(const struct ts_arguments *arguments) {
  return is(arguments, "sample") && !ts_arguments_get(arguments, "output");
}

/* Quiet means no progress, unless progress was asked for in the same breath. */
static enum ts_display_mode display_mode(const struct ts_cli_session *session) {
  const char *wanted = ts_setting_get(&session->settings, TS_SETTING_PROGRESS);
  if (session->arguments.quiet && !session->arguments.progress) return TS_DISPLAY_NONE;
  if (strcmp(wanted, "none") == 0) return TS_DISPLAY_NONE;
  if (prints_design(&session->arguments) && ts_cli_output_is_terminal(stdout)) return TS_DISPLAY_NONE;
  if (strcmp(wanted, "json") == 0) return TS_DISPLAY_JSON;
  if (strcmp(wanted, "plain") == 0) return TS_DISPLAY_PLAIN;
  if (ts_cli_output_is_terminal(stderr)) return TS_DISPLAY_TERMINAL;
  return is_look(&session->arguments) ? TS_DISPLAY_NONE : TS_DISPLAY_PLAIN; /* faults alone: programs read them */
}

/* A design without a file goes to standard output as it is made; trouble is reported once, at the end of the
 * program. */
static bool print_text(void *user, const char *text, size_t length) {
  struct ts_cli_session *session = user;
  if (fwrite(text, 1, length, stdout) == length) return true;
  session->text_errno = errno;
  return false;
}

static struct ts_display *start_display(struct ts_cli_session *session, const char *name) {
  const struct ts_display_options options = {.mode = display_mode(session),
                                             .out = stderr,
                                             .color = session->messages.color,
                                             .name = name,
                                             .ends = !is_run(&session->arguments),
                                             .stop = ts_signals_stop()};
  struct ts_display *display = ts_display_create(&options);
  ts_display_start_ticker(display);
  return display;
}

/* How far a run came. */
struct reach {
  bool known;
  uint64_t done, total;
};

/* "Paused at 1 840 of 3 600. Continue with: tessera study --resume 7f3a91bc". */
static void say_paused(const struct ts_arguments *arguments, const struct reach *reach, const char *run) {
  struct ts_str text = {0}, safe = {0};
  char done[32], total[32];
  ts_str_add(&text, "Paused");
  if (reach->known) {
    ts_str_addf(&text, " at %s of %s", ts_format_count(reach->done, done), ts_format_count(reach->total, total));
  }
  ts_str_add(&text, ".");
  if (*run) {
    ts_str_add(&text, " Continue with: ");
    ts_str_add_bytes(&text, arguments->resume_line, arguments->resume_at);
    ts_str_addf(&text, " --resume %s%s", run, arguments->resume_line + arguments->resume_at);
  }
  ts_cli_text_add_safe(&safe, ts_str_get(&text));
  fprintf(stderr, "%s\n", ts_str_get(&safe));
  ts_str_release(&text);
  ts_str_release(&safe);
}

static bool has_faults(const json_t *reply) { return json_array_size(ts_cli_reply_member(reply, "faults")) > 0; }

/* The answer of a study, or the scores of a run. */
static bool has_result(const json_t *reply) {
  return ts_cli_reply_member(reply, "answer") || json_array_size(ts_cli_reply_member(reply, "quality")) > 0;
}

static void print_messages(const struct ts_cli_session *session, const json_t *reply) {
  struct ts_str text = {0};
  ts_cli_reply_add_messages(&text, &session->messages, reply, !session->arguments.quiet);
  size_t faults = json_array_size(ts_cli_reply_member(reply, "faults"));
  if (faults > 1) {
    ts_str_add_char(&text, '\n');
    ts_cli_text_add_count(&text, faults, "fault");
    ts_str_add_char(&text, '\n');
  }
  fputs(ts_str_get(&text), stderr);
  ts_str_release(&text);
}

static void print_result(const struct ts_cli_session *session, const json_t *reply, bool planned) {
  if (session->arguments.json) {
    print_json(reply);
    return;
  }
  if (has_faults(reply) && !has_result(reply)) return; /* what was found and could not be written is shown */
  struct ts_str text = {0};
  const struct tessera_command *command = planned ? ts_cli_command_find("plan") : session->arguments.command;
  ts_cli_command_show(command, session->arguments.topic)(reply, &session->results, &text);
  fputs(ts_str_get(&text), stdout);
  ts_str_release(&text);
}

/* For people who asked, after the answer and beside it, so that what reads the answer is not disturbed. */
static void print_profile(const struct ts_cli_session *session, const json_t *reply) {
  struct ts_str text = {0};
  ts_show_profile(reply, &session->messages, &text);
  fflush(stdout);
  fputs(ts_str_get(&text), stderr);
  ts_str_release(&text);
}

static json_t *parse_reply(const char *text) {
  struct ts_error err = {0};
  struct ts_json_doc doc = {0};
  if (!text || !ts_json_doc_parse(&doc, "reply", text, strlen(text), &err)) {
    TS_BUG("the library's reply is not JSON: %s", text ? err.text : "there is none");
  }
  json_t *root = json_incref(doc.root);
  ts_json_doc_close(&doc);
  return root;
}

/* Calls the library, with progress for what takes long. */
static int call(struct ts_cli_session *session, char **reply, struct reach *reach) {
  const struct ts_arguments *arguments = &session->arguments;
  struct tessera_context context = {.size_bytes = sizeof context,
                                    .command = arguments->command_line,
                                    .program = session->own_path,
                                    .watch = true,
                                    .on_text = print_text,
                                    .text_user = session};
  if (is(arguments, "worker") || is(arguments, "schedule")) {
    ts_signals_catch();
    context.stop = ts_signals_stop();
  }
  if (!is_long(arguments)) return tessera_call_make(arguments->call, &context, reply);
  const char *file = ts_arguments_get(arguments, "file");
  ts_auto_free char *name = is_run(arguments) && file ? ts_path_stem(file) : ts_strdup(arguments->command->name);
  if (is_stoppable(arguments)) {
    ts_signals_catch();
    context.stop = ts_signals_stop();
  } else if (!is_look(arguments)) {
    ts_signals_catch_to_end();
  }
  struct ts_display *display = start_display(session, name);
  const struct tessera_observer observer = {sizeof observer, ts_display_on_event, display};
  context.observer = &observer;
  int code = tessera_call_make(arguments->call, &context, reply);
  reach->known = ts_display_counts(display, &reach->done, &reach->total);
  ts_display_destroy(display);
  return code;
}

int ts_cli_session_call(struct ts_cli_session *session) {
  char *text = NULL;
  struct reach reach = {0};
  int code = call(session, &text, &reach);
  json_t *reply = parse_reply(text);
  tessera_reply_free(text);
  print_messages(session, reply);
  print_result(session, reply, session->arguments.dry_run);
  if (session->arguments.verbose > 0 && is_run(&session->arguments)) print_profile(session, reply);
  if (code == 130 || code == 143) {
    if (!is(&session->arguments, "schedule"))
      say_paused(&session->arguments, &reach, ts_cli_reply_text(reply, "run")); /* a schedule keeps nothing */
    if (ts_signals_exit_code()) code = ts_signals_exit_code(); /* the library cannot know which signal it was */
  }
  json_decref(reply);
  return code;
}
