/* A call by name: a command, the options that were set, and the request that they make.
 * SPDX-License-Identifier: Apache-2.0 */
#include "request/table.h"

#include "base/alloc.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

struct tessera_call {
  const struct tessera_command *command; /* static */
  struct ts_arena arena;                 /* owns the texts and lists of the request */
  struct ts_request request;
  const char *topic; /* in the arena; NULL */
  const char **set;  /* in the arena: per row of the option table, what it was set to; NULL: it was not */
};

const struct tessera_option *tessera_option_at(size_t number) {
  return number < ts_option_row_count ? &ts_option_rows[number].shown : NULL;
}

bool tessera_operand_repeats(const struct tessera_command *command, const struct tessera_operand *operand) {
  const struct tessera_option *option;
  if (strcmp(operand->sets, "runs") == 0) return true;
  for (size_t i = 0; (option = tessera_option_at(i)); i++) {
    const bool adds = option->kind == TESSERA_OPTION_LIST || option->kind == TESSERA_OPTION_SETTING;
    if (adds && strcmp(option->name, operand->sets) == 0 && tessera_option_applies(option, command)) return true;
  }
  return false;
}

/* The row that shows this entry. */
static const struct ts_option_row *row_of(const struct tessera_option *option) {
  return (const struct ts_option_row *)(const void *)((const char *)option - offsetof(struct ts_option_row, shown));
}

bool tessera_option_applies(const struct tessera_option *option, const struct tessera_command *command) {
  return (row_of(option)->commands & TS_COMMAND_BIT(ts_command_id(command))) != 0;
}

bool tessera_option_takes(const struct tessera_option *option, const char *word) {
  if (option->kind == TESSERA_OPTION_OPTIONAL) return row_of(option)->belongs(word);
  return option->argument != NULL;
}

struct tessera_call *tessera_call_create(const char *name) {
  const struct tessera_command *command = ts_command_find(name);
  if (!command) return NULL;
  struct tessera_call *call = ts_calloc(1, sizeof *call);
  call->command = command;
  call->set = ts_arena_array(&call->arena, ts_option_row_count, sizeof *call->set);
  return call;
}

void tessera_call_destroy(struct tessera_call *call) {
  if (!call) return;
  ts_arena_release(&call->arena);
  free(call);
}

/* An option that the command takes; NULL: none of this name. */
static const struct ts_option_row *find_row(const struct tessera_call *call, const char *name) {
  for (size_t i = 0; i < ts_option_row_count; i++) {
    const struct ts_option_row *row = &ts_option_rows[i];
    if (strcmp(row->shown.name, name) == 0 && tessera_option_applies(&row->shown, call->command)) return row;
  }
  return NULL;
}

static const struct tessera_operand *find_operand(const struct tessera_command *command, const char *name) {
  const struct tessera_operand *operand = command->operands;
  while (operand->name && strcmp(operand->sets, name) != 0) operand++;
  return operand->name ? operand : NULL;
}

/* Offset of the text that an operand sets. */
static size_t place_of(const char *name) {
  if (strcmp(name, "file") == 0) return offsetof(struct tessera_call, request.file);
  if (strcmp(name, "run") == 0) return offsetof(struct tessera_call, request.run);
  if (strcmp(name, "operation") == 0) return offsetof(struct tessera_call, request.operation);
  if (strcmp(name, "task") == 0) return offsetof(struct tessera_call, request.task);
  if (strcmp(name, "topic") == 0) return offsetof(struct tessera_call, topic);
  TS_BUG("no field for the operand '%s'", name);
}

/* The one operand that is a list. Lists grow by one: they are short, and arrays in an arena cannot be moved. */
static void add_run(struct tessera_call *call, const char *text) {
  struct ts_request *request = &call->request;
  const char **runs = ts_arena_array(&call->arena, request->run_count + 1, sizeof *runs);
  for (size_t i = 0; i < request->run_count; i++) runs[i] = request->runs[i];
  runs[request->run_count++] = ts_arena_strdup(&call->arena, text);
  request->runs = runs;
}

static bool set_operand(struct tessera_call *call, const struct tessera_operand *operand, const char *text,
                        const char *called, struct ts_error *err) {
  if (!text || *text == '\0') {
    ts_fail(err, TS_ERR_USAGE, "'%s' needs %s", call->command->name, called ? called : operand->name);
    ts_error_help(err, "%s: %s", operand->name, operand->help);
    return false;
  }
  if (operand->choices && !ts_option_is_choice(called ? called : operand->name, text, operand->choices, err))
    return false;
  if (strcmp(operand->sets, "runs") == 0)
    add_run(call, text);
  else
    *(const char **)(void *)((char *)call + place_of(operand->sets)) = ts_arena_strdup(&call->arena, text);
  return true;
}

static bool fail_unknown(const struct tessera_call *call, const char *name, struct ts_error *err) {
  const char **names = ts_malloc(ts_option_row_count * sizeof *names);
  size_t count = 0;
  for (size_t i = 0; i < ts_option_row_count; i++)
    if (tessera_option_applies(&ts_option_rows[i].shown, call->command) && !ts_option_rows[i].shown.is_program)
      names[count++] = ts_option_rows[i].shown.name;
  const char *near = ts_suggest(name, names, count);
  ts_fail(err, TS_ERR_USAGE, "'%s' has no option '%s'", call->command->name, name);
  if (near) {
    ts_error_help(err, "did you mean '%s'?", near);
  } else {
    ts_error_help(err, "'tessera %s --help' lists them", call->command->name);
  }
  free(names);
  return false;
}

static bool set(struct tessera_call *call, const char *name, const char *text, const char *called,
                struct ts_error *err) {
  const struct ts_option_row *row = find_row(call, name);
  const struct tessera_operand *operand = find_operand(call->command, name);
  if (operand && (!row || row->shown.is_program)) return set_operand(call, operand, text, called, err);
  if (!row || row->shown.is_program) return fail_unknown(call, name, err);
  if (!ts_option_store(row, called ? called : name, text, &call->arena, &call->request, err)) return false;
  call->set[row - ts_option_rows] = ts_arena_strdup(&call->arena, text ? text : row->fallback ? row->fallback : "");
  return true;
}

static bool hand_out(const struct ts_error *err, struct tessera_fault *fault) {
  if (err->code == TS_ERR_OK) return true;
  *fault = (struct tessera_fault){.code = ts_error_number(err->code)};
  memcpy(fault->text, err->text, sizeof err->text);
  memcpy(fault->help, err->help, sizeof err->help);
  return false;
}

bool tessera_call_set(struct tessera_call *call, const char *name, const char *text, const char *called,
                      struct tessera_fault *fault) {
  struct ts_error err = {0};
  set(call, name, text, called, &err);
  return hand_out(&err, fault);
}

bool tessera_option_check(const struct tessera_option *option, const char *text, const char *called,
                          struct tessera_fault *fault) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_request unused = {0};
  struct ts_error err = {0};
  if (!option->is_program) {
    ts_option_store(row_of(option), called, text, &arena, &unused, &err);
  } else if (option->kind == TESSERA_OPTION_WORD) {
    ts_option_is_choice(called, text, option->choices, &err);
  }
  return hand_out(&err, fault);
}

const char *tessera_call_get(const struct tessera_call *call, const char *name) {
  const struct ts_option_row *row = find_row(call, name);
  if (row && !row->shown.is_program) return call->set[row - ts_option_rows];
  if (!find_operand(call->command, name)) return NULL;
  if (strcmp(name, "runs") == 0) return call->request.run_count > 0 ? call->request.runs[0] : NULL;
  return *(const char *const *)(const void *)((const char *)call + place_of(name));
}

const struct ts_request *ts_call_request(const struct tessera_call *call) { return &call->request; }
const struct tessera_command *ts_call_command(const struct tessera_call *call) { return call->command; }
const char *ts_call_topic(const struct tessera_call *call) { return call->topic; }
