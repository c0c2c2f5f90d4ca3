/* Running a command operation: files out, the program, files in; every kind of failure becomes a message.
 * SPDX-License-Identifier: Apache-2.0 */
#include "op/command_files_int.h"

#include "base/alloc.h"
#include "base/budget.h"
#include "base/file.h"
#include "base/str.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The part of the user's environment that a command sees: enough to start programs, too little to change results
 * unnoticed. */
static const char *const passed_on[] = {"PATH", "HOME", "USER", "LD_LIBRARY_PATH"};
/* One language, one time zone, no caches written beside the scripts, the same order of Python's sets every time. */
static const char *const fixed[] = {"LC_ALL=C.UTF-8", "TZ=UTC", "PYTHONDONTWRITEBYTECODE=1", "PYTHONHASHSEED=0"};

#define LINE_BYTES 300 /* of the line of its output that is shown: it must fit into the text of an error */

#define COUNT(array)    (sizeof(array) / sizeof((array)[0]))
#define MAX_ENVIRONMENT (COUNT(passed_on) + COUNT(fixed) + 3)

static void make_environment(struct ts_arena *arena, const char *folder, const char *request,
                             const char *environment[MAX_ENVIRONMENT]) {
  size_t count = 0;
  for (size_t i = 0; i < COUNT(passed_on); i++) {
    const char *value = getenv(passed_on[i]);
    if (value) environment[count++] = ts_arena_printf(arena, "%s=%s", passed_on[i], value);
  }
  for (size_t i = 0; i < COUNT(fixed); i++) environment[count++] = fixed[i];
  environment[count++] = ts_arena_printf(arena, "TMPDIR=%s", folder);
  environment[count++] = ts_arena_printf(arena, "TESSERA_CALL=%s", request);
  environment[count] = NULL;
}

static const char *const *make_words(struct ts_arena *arena, const struct ts_command *command, const char *request) {
  const char **words = ts_arena_array(arena, command->word_count + 2, sizeof(*words));
  for (size_t i = 0; i < command->word_count; i++) words[i] = command->words[i];
  words[command->word_count] = request;
  return words;
}

/* The stricter of the manifest's and the caller's time limit; 0: none. */
static double time_limit(const struct ts_command *command, const struct ts_op_context *context) {
  const bool is_stricter =
      context->timeout_s > 0 && (command->timeout_s <= 0 || context->timeout_s < command->timeout_s);
  return is_stricter ? context->timeout_s : command->timeout_s;
}

/* Turns the end of the process into an error unless all is well. */
static void fail_cancelled(const struct ts_call_state *state) {
  ts_fail(state->err, TS_ERR_CANCELLED, "command '%s' was stopped", state->op->descriptor->name);
}

static bool judge(const struct ts_call_state *state, const struct ts_process *process,
                  const struct ts_captured *captured) {
  const char *name = state->op->descriptor->name;
  struct ts_error *err = state->err;
  if (process->end == TS_PROCESS_EXITED && process->status == 0) return true;
  /* After a stop request by the user that is the reason, whatever ended the process. */
  char last[LINE_BYTES];
  ts_captured_remark(captured, true, last, sizeof(last));
  /* What it wrote to its output need not be the reason. */
  const char *colon = !last[0] ? "" : captured->errors.length > 0 ? ": " : ", after it wrote: ";
  switch (ts_call_is_cancelled(state) ? TS_PROCESS_CANCELLED : process->end) {
  case TS_PROCESS_EXITED:
    ts_fail(err, TS_ERR_COMMAND, "command '%s' ended with exit status %d%s%s", name, process->status, colon, last);
    break;
  case TS_PROCESS_SIGNALLED:
    ts_fail(err, TS_ERR_COMMAND, "command '%s' was killed by signal %d (%s)%s%s", name, process->status,
            strsignal(process->status), colon, last);
    break;
  case TS_PROCESS_TIMED_OUT:
    ts_fail(err, TS_ERR_COMMAND, "command '%s' took longer than %s s and was stopped%s%s", name,
            TS_SIGNIFICANT(process->timeout_s, 6), colon, last);
    ts_error_help(err, "raise 'timeout_s' in its manifest, or the task limit of the study, if it needs more time");
    break;
  case TS_PROCESS_FULL:
    ts_fail(err, TS_ERR_OUTPUT_TOO_LARGE, "command '%s' wrote more than %s, 15/16 of --scratch, and was stopped", name,
            ts_format_bytes(process->most_bytes, (char[32]){0}));
    ts_error_help(err, "let the command write less, or allow more temporary files with --scratch");
    break;
  case TS_PROCESS_CROWDED: TS_BUG("a command that is alone found others");
  case TS_PROCESS_CANCELLED: fail_cancelled(state); break;
  }
  if (!last[0]) ts_error_help(err, "it wrote nothing; run it by hand with a call.json to see why");
  return false;
}

/* Into the log of the call, and into the folder that is left. */
static bool write_log(const struct ts_call_state *state, const struct ts_captured *captured) {
  const struct ts_op_context *context = state->context;
  char line[LINE_BYTES];
  ts_captured_remark(captured, false, line, sizeof line);
  if (context->log) ts_captured_print(captured, context->log);
  if (context->remark) ts_str_add(context->remark, line);
  if (!context->call_folder) return true;
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_auto_free char *path = ts_path_join(context->call_folder, TS_CALL_LOG);
  ts_captured_print(captured, &text);
  return ts_file_write(path, ts_str_get(&text), text.length, state->err);
}

/* A command that was stopped because others wrote at the same time leaves no error and no log: it will run again. */
static bool run_process(const struct ts_call_state *state, const struct ts_command *command, const char *folder,
                        const char *request, struct ts_scratch_share *share, bool *crowded) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  ts_auto(ts_captured_release) struct ts_captured captured = {0};
  const char *environment[MAX_ENVIRONMENT];
  make_environment(&arena, folder, request, environment);
  struct ts_process process = {.words = make_words(&arena, command, request),
                               .environment = environment,
                               .folder = folder,
                               .timeout_s = time_limit(command, state->context),
                               .most_bytes = ts_budget_command_bytes(),
                               .share = share,
                               .cancelled = state->context->cancelled};
  if (!ts_process_run(&process, &captured, state->err)) return false;
  *crowded = process.end == TS_PROCESS_CROWDED && !ts_call_is_cancelled(state);
  if (*crowded) return false;
  return write_log(state, &captured) && judge(state, &process, &captured);
}

static void close_file(const int *file) {
  if (*file >= 0) close(*file);
}

static bool run_in_folder(struct ts_op_call *call, const char *folder, struct ts_scratch_share *share, bool *crowded) {
  const struct ts_call_state *state = call->private_data;
  const struct ts_command *command = call->user;
  ts_auto(close_file) int entered = ts_scratch_enter(folder, state->err);
  if (entered < 0) return false;
  ts_auto_free char *request = ts_path_join(folder, "call.json");
  if (!ts_command_send(call, folder, request)) return false;
  if (!run_process(state, command, folder, request, share, crowded)) return false;
  /* A file that was changed meanwhile may or may not have been used: the key would be wrong. */
  return ts_command_unchanged(command, state->err) && ts_command_receive(state, folder, entered);
}

/* In the folder that is to be left, or in one that goes with the call. */
static bool run_once(struct ts_op_call *call, struct ts_scratch_share *share, bool *crowded) {
  const struct ts_call_state *state = call->private_data;
  if (state->context->call_folder) return run_in_folder(call, state->context->call_folder, share, crowded);
  ts_auto(ts_scratch_close) char *folder = NULL;
  if (!ts_scratch_open(state->context->scratch_folder, &folder, state->err)) return false;
  return run_in_folder(call, folder, share, crowded);
}

int ts_command_run(struct ts_op_call *call) {
  const struct ts_call_state *state = call->private_data;
  bool crowded = false, done = false, alone = false;
  if (!ts_command_unchanged(call->user, state->err)) return -1;
  do {
    alone = crowded;
    crowded = false;
    struct ts_scratch_share share;
    if (!ts_budget_begin_command(&share, alone, state->context->cancelled)) {
      fail_cancelled(state);
      return -1;
    }
    done = run_once(call, &share, &crowded);
    ts_budget_end_command(&share);
  } while (crowded);
  return done ? 0 : -1;
}
