/* The help texts, made from the tables of commands and topics.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include "base/alloc.h"
#include "cli/text.h"

#include <ctype.h>
#include <string.h>

#define METHOD_COLUMNS 18
#define OPTION_COLUMNS 26 /* before the text of an option; longer ones get a line of their own */

/* "tessera log RUN [TASK]", without the options. */
static void add_synopsis(struct ts_str *out, const struct tessera_command *command) {
  ts_str_addf(out, "tessera %s", command->name);
  for (size_t i = 0; command->operands[i].name; i++) {
    const struct tessera_operand *operand = &command->operands[i];
    ts_str_addf(out, operand->optional ? " [%s]%s" : " %s%s", operand->name,
                tessera_operand_repeats(command, operand) ? "..." : "");
  }
}

/* "-j, --jobs N", "--resume [ID]". */
static void add_option(struct ts_str *out, const struct tessera_option *option) {
  if (option->letter) ts_str_addf(out, "-%c, ", option->letter);
  ts_str_addf(out, "--%s", option->name);
  if (!option->argument) return;
  ts_str_addf(out, option->kind == TESSERA_OPTION_OPTIONAL ? " [%s]" : " %s", option->argument);
}

/* A term and its text beside it, or below it where the term is long. */
static void add_entry(struct ts_str *out, const char *term, const char *text, size_t columns, size_t width) {
  char *indent = ts_malloc(columns + 1);
  memset(indent, ' ', columns);
  indent[columns] = '\0';
  ts_str_addf(out, "  %s", term);
  size_t at = 2 + ts_cli_text_width(term);
  if (at + 2 > columns) {
    ts_str_addf(out, "\n%s", indent);
  } else {
    ts_cli_text_add_repeated(out, " ", columns - at);
  }
  ts_cli_text_add_wrapped(out, text, width, columns, indent);
  ts_str_add_char(out, '\n');
  free(indent);
}

/* The options of a command that are, or are not, common to all; all common ones for no command. */
static void add_options(struct ts_str *out, const struct tessera_command *command, bool common, size_t width) {
  bool first = true;
  const struct tessera_option *option;
  for (size_t i = 0; (option = tessera_option_at(i)); i++) {
    if (ts_option_is_common(option) != common || (command && !tessera_option_applies(option, command))) continue;
    if (first) ts_str_add(out, common ? "\nCommon options\n" : "\nOptions\n");
    first = false;
    struct ts_str term = {0};
    if (!option->letter) ts_str_add(&term, "    ");
    add_option(&term, option);
    add_entry(out, ts_str_get(&term), option->help, OPTION_COLUMNS, width);
    ts_str_release(&term);
  }
}

static void add_exit_codes(struct ts_str *out, uint32_t codes, size_t width) {
  ts_str_add(out, "\nExit status\n");
  const struct tessera_exit_code *exit;
  for (size_t i = 0; (exit = tessera_exit_code_at(i)); i++) {
    if (codes >> i & 1) add_entry(out, exit->code, exit->meaning, 13, width);
  }
}

static void add_group(struct ts_str *out, const char *group, size_t width) {
  ts_str_addf(out, "\n%s\n", group);
  const struct tessera_command *command;
  for (size_t i = 0; (command = tessera_command_at(i)); i++) {
    if (!command->group || strcmp(command->group, group) != 0) continue;
    add_entry(out, command->name, command->summary, 14, width);
  }
}

static void add_topics(struct ts_str *out, size_t width) {
  ts_str_add(out, "\nPages of help\n");
  const struct ts_topic *topic;
  for (size_t i = 0; (topic = ts_topic_at(i)); i++) {
    ts_auto(ts_str_release) struct ts_str summary = {0};
    ts_topic_summary(topic, &summary);
    add_entry(out, topic->name, ts_str_get(&summary), 14, width);
  }
}

void ts_help_overview(struct ts_str *out, size_t width) {
  ts_str_add(out, "tessera: " TS_PROGRAM_SUMMARY "\n\nUsage: tessera COMMAND [OPTION]... [ARGUMENT]...\n");
  const char *previous = "";
  const struct tessera_command *command;
  for (size_t i = 0; (command = tessera_command_at(i)); i++) {
    const char *group = command->group;
    if (!group || strcmp(group, previous) == 0) continue;
    add_group(out, group, width);
    previous = group;
  }
  add_topics(out, width);
  add_options(out, NULL, true, width);
  add_exit_codes(out, UINT32_MAX, width);
  ts_str_add(out, "\n'tessera help WHAT' says more. To begin: tessera init --demo nuclei, or tessera run SLIDE\n");
}

static void add_paragraphs(struct ts_str *out, const char *text, size_t width) {
  while (*text) {
    const char *end = strstr(text, "\n\n");
    size_t length = end ? (size_t)(end - text) : strlen(text);
    char *paragraph = ts_strndup(text, length);
    ts_str_add_char(out, '\n');
    ts_cli_text_add_wrapped(out, paragraph, width, 0, "");
    ts_str_add_char(out, '\n');
    free(paragraph);
    text += length + (end ? 2 : 0);
  }
}

static void add_operands(struct ts_str *out, const struct tessera_command *command, size_t width) {
  if (!command->operands[0].name) return;
  ts_str_add(out, "\nArguments\n");
  for (size_t i = 0; command->operands[i].name; i++) {
    add_entry(out, command->operands[i].name, command->operands[i].help, OPTION_COLUMNS, width);
  }
}

static void add_methods(struct ts_str *out, const struct tessera_command *command, size_t width) {
  json_t *list = ts_cli_method_list(command);
  if (json_array_size(list) > 0) ts_str_add(out, "\nMethods\n");
  for (size_t i = 0; i < json_array_size(list); i++) {
    struct ts_str text = {0};
    ts_cli_method_text(json_array_get(list, i), &text);
    add_entry(out, ts_cli_method_name(json_array_get(list, i)), ts_str_get(&text), METHOD_COLUMNS, width);
    ts_str_release(&text);
  }
  json_decref(list);
}

static void add_examples(struct ts_str *out, const struct tessera_command *command) {
  if (!command->examples[0].command) return;
  ts_str_add(out, "\nExamples\n");
  for (size_t i = 0; command->examples[i].command; i++) {
    ts_str_addf(out, "  %s\n      %s\n", command->examples[i].command, command->examples[i].what);
  }
}

void ts_help_command(struct ts_str *out, const struct tessera_command *command, size_t width) {
  ts_str_addf(out, "tessera %s: %s\n\nUsage: ", command->name, command->summary);
  add_synopsis(out, command);
  ts_str_add(out, " [OPTION]...\n");
  add_paragraphs(out, command->description, width);
  add_operands(out, command, width);
  add_methods(out, command, width);
  add_options(out, command, false, width);
  add_options(out, command, true, width);
  add_examples(out, command);
  add_exit_codes(out, command->exit_codes, width);
}

/* ---- topics ---- */

static void write_heading(struct ts_str *out, const char *text) { ts_str_addf(out, "\n%s\n", text); }

static void write_paragraph(const struct ts_topic_writer *writer, struct ts_str *out, const char *text) {
  add_paragraphs(out, text, writer->width);
}

static void write_entry(const struct ts_topic_writer *writer, struct ts_str *out, const char *term, const char *text) {
  add_entry(out, term, text, METHOD_COLUMNS, writer->width);
}

static void write_literal(struct ts_str *out, const char *lines) {
  while (*lines) {
    const size_t length = strcspn(lines, "\n");
    ts_str_add(out, length > 0 ? "  " : "");
    ts_str_add_bytes(out, lines, length + 1);
    lines += length + 1;
  }
}

void ts_help_topic(struct ts_str *out, const struct ts_topic *topic, size_t width) {
  const struct ts_topic_writer writer = {width, write_heading, write_paragraph, write_entry, write_literal};
  ts_str_addf(out, "tessera help %s: ", topic->name);
  ts_topic_summary(topic, out);
  ts_str_add_char(out, '\n');
  ts_topic_write(topic, &writer, out);
}
