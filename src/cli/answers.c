/* Commands that need no library: help, version, completion, man, words, and the settings in force.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/session.h"

#include "base/alloc.h"
#include "base/json.h"
#include "base/pool.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/reply.h"
#include "cli/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_COLUMNS 80  /* of help that does not go to a terminal */
#define MAX_COLUMNS  100 /* wider text is hard to read */
#define MAX_NAMES    64

static void print_and_release(struct ts_str *text) {
  fputs(ts_str_get(text), stdout);
  ts_str_release(text);
}

/* What 'help' and 'man' are asked about: a command, a page of help, or neither: the program. */
struct subject {
  const struct tessera_command *command;
  const struct ts_topic *topic;
};

/* False if there is nothing of this name. */
static bool find_subject(const struct ts_cli_session *session, struct subject *subject, struct ts_error *err) {
  const char *name = session->arguments.topic;
  *subject = (struct subject){0};
  if (!name) return true;
  subject->command = ts_cli_command_find(name);
  subject->topic = ts_topic_find(name);
  if (subject->command || subject->topic) return true;
  const char *names[MAX_NAMES];
  size_t count = ts_cli_command_names(names, MAX_NAMES);
  for (size_t i = 0; ts_topic_at(i) && count < MAX_NAMES; i++) names[count++] = ts_topic_at(i)->name;
  ts_fail(err, TS_ERR_USAGE, "there is no command or page of help '%s'", name);
  ts_suggest_help(err, name, names, count, "", "'tessera help' lists them");
  return false;
}

static size_t text_width(void) {
  const int columns = ts_cli_output_width(stdout);
  return columns == 0 ? TEXT_COLUMNS : columns > MAX_COLUMNS ? MAX_COLUMNS : (size_t)columns;
}

/* 'study' is a command and a file: the help of both. */
int ts_answer_help(const struct ts_cli_session *session, struct ts_error *err) {
  struct subject subject = {.command = session->arguments.command};
  const bool is_asked = ts_cli_command_is(subject.command, "help");
  if (is_asked && !session->arguments.help && !find_subject(session, &subject, err))
    return ts_error_exit_code(TS_ERR_USAGE);
  const size_t width = text_width();
  struct ts_str text = {0};
  if (subject.command) ts_help_command(&text, subject.command, width);
  if (subject.command && subject.topic) ts_str_add(&text, "\n\n");
  if (subject.topic) ts_help_topic(&text, subject.topic, width);
  if (!subject.command && !subject.topic) ts_help_overview(&text, width);
  print_and_release(&text);
  return 0;
}

static void print_json(json_t *object) {
  char *text = ts_json_dump(object, false, true);
  puts(text);
  free(text);
  json_decref(object);
}

int ts_answer_version(const struct ts_cli_session *session) {
  if (session->arguments.json) {
    print_json(json_pack("{s:s, s:s}", "schema", "tessera.version/1", "version", tessera_version()));
  } else {
    printf("tessera %s\n", tessera_version());
  }
  return 0;
}

int ts_answer_completion(const struct ts_cli_session *session) {
  struct ts_str text = {0};
  if (!ts_completion_script(&text, session->arguments.topic)) TS_BUG("no script for '%s'", session->arguments.topic);
  print_and_release(&text);
  return 0;
}

int ts_answer_man(const struct ts_cli_session *session, struct ts_error *err) {
  struct subject subject;
  if (!find_subject(session, &subject, err)) return ts_error_exit_code(TS_ERR_USAGE);
  struct ts_str text = {0};
  if (subject.topic && !subject.command)
    ts_man_topic(&text, subject.topic);
  else
    ts_man_page(&text, subject.command);
  print_and_release(&text);
  return 0;
}

/* A shell waits for the words: trouble means no words, not a message. */
static void print_members(const char *command, const struct ts_cli_session *session, const char *list,
                          const char *member) {
  static const char *const passed_on[] = {"folder", "store"};
  struct tessera_call *call = tessera_call_create(command);
  struct tessera_fault unused;
  char *reply = NULL;
  for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++) {
    const char *text = ts_arguments_get(&session->arguments, passed_on[i]);
    if (text) tessera_call_set(call, passed_on[i], text, NULL, &unused);
  }
  tessera_call_make(call, NULL, &reply);
  tessera_call_destroy(call);
  json_t *root = reply ? json_loads(reply, 0, NULL) : NULL;
  const json_t *items = ts_cli_reply_member(root, list);
  for (size_t i = 0; i < json_array_size(items); i++) puts(ts_cli_reply_text(json_array_get(items, i), member));
  json_decref(root);
  tessera_reply_free(reply);
}

static void print_methods(const struct tessera_command *command) {
  json_t *list = ts_cli_method_list(command);
  for (size_t i = 0; i < json_array_size(list); i++) puts(ts_cli_method_name(json_array_get(list, i)));
  json_decref(list);
}

/* The commands, and what else has a page of help; 'study' is both. */
static void print_names(bool with_topics) {
  const char *names[MAX_NAMES];
  size_t count = ts_cli_command_names(names, MAX_NAMES);
  for (size_t i = 0; i < count; i++) puts(names[i]);
  for (size_t i = 0; with_topics && ts_topic_at(i); i++)
    if (!ts_cli_command_find(ts_topic_at(i)->name)) puts(ts_topic_at(i)->name);
}

int ts_answer_words(const struct ts_cli_session *session) {
  const struct tessera_command *command = ts_cli_command_find(session->arguments.topic);
  if (command) {
    print_methods(command);
  } else if (strcmp(session->arguments.topic, "runs") == 0) {
    print_members("status", session, "runs", "id");
  } else if (strcmp(session->arguments.topic, "demos") == 0) {
    print_members("list", session, "demos", "name");
  } else if (strcmp(session->arguments.topic, "pages") == 0) {
    for (size_t i = 0; ts_topic_at(i); i++) printf("%s.%s\n", ts_topic_at(i)->name, ts_topic_at(i)->section);
  } else {
    print_names(strcmp(session->arguments.topic, "topics") == 0);
  }
  return 0;
}

static void config_json(const struct ts_settings *settings) {
  json_t *list = json_array();
  for (int i = 0; i < TS_SETTING_COUNT; i++) {
    const struct ts_setting *setting = &settings->items[i];
    json_t *value =
        i == TS_SETTING_JOBS ? json_integer((json_int_t)ts_settings_jobs(settings)) : json_string(setting->value);
    json_array_append_new(list, json_pack("{s:s, s:o*, s:s}", "name", ts_setting_name((enum ts_setting_id)i), "value",
                                          value, "origin", setting->origin));
  }
  print_json(json_pack("{s:s, s:o}", "schema", "tessera.config/1", "settings", list));
}

int ts_answer_config(const struct ts_cli_session *session) {
  const struct ts_settings *settings = &session->settings;
  if (session->arguments.json) {
    config_json(settings);
    return 0;
  }
  struct ts_cli_table table;
  ts_cli_table_init(&table, "lll");
  ts_cli_table_add(&table, "setting");
  ts_cli_table_add(&table, "value");
  ts_cli_table_add(&table, "from");
  for (int i = 0; i < TS_SETTING_COUNT; i++) {
    const struct ts_setting *setting = &settings->items[i];
    bool every_cpu = i == TS_SETTING_JOBS && ts_settings_jobs(settings) == 0;
    ts_cli_table_add(&table, ts_setting_name((enum ts_setting_id)i));
    if (every_cpu) {
      ts_cli_table_addf(&table, "%zu (every CPU)", ts_cpu_count());
    } else {
      ts_cli_table_add(&table, setting->value);
    }
    ts_cli_table_add(&table, setting->origin);
  }
  struct ts_str text = {0};
  ts_cli_table_print(&table, "", &text);
  ts_cli_table_release(&table);
  print_and_release(&text);
  return 0;
}
