/* The man pages: tessera(1) and one page per command, made from the command table, and one per topic.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only macros of man(7) that groff and mandoc both know. No date: the same source gives the same page. */
#include "cli/help.h"

#include "base/alloc.h"
#include "base/version.h"

#include <string.h>

/* Text of a line: backslashes and dashes escaped, and no line that begins like a macro. */
static void add_text(struct ts_str *out, const char *text) {
  bool at_start = true;
  for (; *text; text++) {
    if (at_start && (*text == '.' || *text == '\'')) ts_str_add(out, "\\&");
    at_start = *text == '\n';
    switch (*text) {
    case '\\': ts_str_add(out, "\\e"); break;
    case '-': ts_str_add(out, "\\-"); break;
    case '\'': ts_str_add(out, "\\(aq"); break;
    case '~': ts_str_add(out, "\\(ti"); break;
    case '^': ts_str_add(out, "\\(ha"); break;
    case '`': ts_str_add(out, "\\(ga"); break;
    default: ts_str_add_char(out, *text);
    }
  }
}

/* A line of text with a capital and a full stop. */
static void add_sentence(struct ts_str *out, const char *text) {
  struct ts_str sentence = {0};
  ts_str_add(&sentence, text);
  sentence.data[0] = ts_char_upper(sentence.data[0]);
  add_text(out, ts_str_get(&sentence));
  ts_str_add(out, ".\n");
  ts_str_release(&sentence);
}

/* "tessera-study", "5", and what it is about. */
static void add_title(struct ts_str *out, const char *title, const char *section, const char *manual,
                      const char *summary) {
  ts_str_add(out, ".\\\" Made from the tables of tessera.\n.\\\" SPDX-License-Identifier: Apache-2.0\n.TH ");
  for (const char *p = title; *p; p++) ts_str_add_char(out, ts_char_upper(*p));
  ts_str_addf(out, " %s \"\" \"tessera %s\" \"%s\"\n.SH NAME\n", section, TS_VERSION, manual);
  add_text(out, title);
  ts_str_add(out, " \\- ");
  add_text(out, summary);
  ts_str_add_char(out, '\n');
}

static void add_heading(struct ts_str *out, const struct tessera_command *command) {
  ts_auto(ts_str_release) struct ts_str title = {0};
  ts_str_add(&title, command ? "tessera-" : "tessera");
  if (command) ts_str_add(&title, command->name);
  add_title(out, ts_str_get(&title), "1", "User Commands", command ? command->summary : TS_PROGRAM_SUMMARY);
}

static void add_synopsis(struct ts_str *out, const struct tessera_command *command) {
  ts_str_add(out, ".SH SYNOPSIS\n.B tessera");
  if (!command) {
    ts_str_add(out, "\n.I COMMAND\n.RI [ OPTION ]...\n.RI [ ARGUMENT ]...\n");
    return;
  }
  ts_str_addf(out, " %s\n", command->name);
  for (size_t i = 0; command->operands[i].name; i++) {
    const struct tessera_operand *operand = &command->operands[i];
    ts_str_addf(out, operand->optional ? ".RI [ %s ]%s\n" : ".I %s%s\n", operand->name,
                tessera_operand_repeats(command, operand) ? "..." : "");
  }
  ts_str_add(out, ".RI [ OPTION ]...\n");
}

static void add_paragraphs(struct ts_str *out, const char *text) {
  ts_str_add(out, ".SH DESCRIPTION\n");
  while (*text) {
    const char *end = strstr(text, "\n\n");
    size_t length = end ? (size_t)(end - text) : strlen(text);
    char *paragraph = ts_strndup(text, length);
    add_text(out, paragraph);
    ts_str_add(out, end ? "\n.PP\n" : "\n");
    free(paragraph);
    text += length + (end ? 2 : 0);
  }
}

static void add_option(struct ts_str *out, const struct tessera_option *option) {
  ts_str_add(out, ".TP\n");
  if (option->letter) ts_str_addf(out, "\\fB\\-%c\\fR, ", option->letter);
  ts_str_add(out, "\\fB\\-\\-");
  add_text(out, option->name);
  ts_str_add(out, "\\fR");
  if (option->argument) {
    bool optional = option->kind == TESSERA_OPTION_OPTIONAL;
    ts_str_add(out, optional ? " [\\fI" : " \\fI");
    add_text(out, option->argument);
    ts_str_add(out, optional ? "\\fR]" : "\\fR");
  }
  ts_str_add_char(out, '\n');
  add_sentence(out, option->help);
}

static void add_options(struct ts_str *out, const struct tessera_command *command, bool common) {
  bool first = true;
  const struct tessera_option *option;
  for (size_t i = 0; (option = tessera_option_at(i)); i++) {
    if (ts_option_is_common(option) != common || (command && !tessera_option_applies(option, command))) continue;
    if (first) ts_str_add(out, common ? ".SH COMMON OPTIONS\n" : ".SH OPTIONS\n");
    first = false;
    add_option(out, option);
  }
}

static void add_operands(struct ts_str *out, const struct tessera_command *command) {
  if (!command->operands[0].name) return;
  ts_str_add(out, ".SH ARGUMENTS\n");
  for (size_t i = 0; command->operands[i].name; i++) {
    ts_str_addf(out, ".TP\n.I %s\n", command->operands[i].name);
    add_sentence(out, command->operands[i].help);
  }
}

static void add_methods(struct ts_str *out, const struct tessera_command *command) {
  json_t *list = ts_cli_method_list(command);
  if (json_array_size(list) > 0) ts_str_add(out, ".SH METHODS\n");
  for (size_t i = 0; i < json_array_size(list); i++) {
    struct ts_str text = {0};
    ts_cli_method_text(json_array_get(list, i), &text);
    ts_str_add(out, ".TP\n.B ");
    add_text(out, ts_cli_method_name(json_array_get(list, i)));
    ts_str_add_char(out, '\n');
    if (text.length > 0) add_sentence(out, ts_str_get(&text));
    ts_str_release(&text);
  }
  json_decref(list);
}

static void add_commands(struct ts_str *out) {
  const struct tessera_command *command;
  ts_str_add(out, ".SH COMMANDS\n");
  for (size_t i = 0; (command = tessera_command_at(i)); i++) {
    if (!command->group) continue;
    ts_str_addf(out, ".TP\n.BR tessera\\-%s (1)\n", command->name);
    add_sentence(out, command->summary);
  }
}

static void add_topics(struct ts_str *out) {
  const struct ts_topic *topic;
  ts_str_add(out, ".SH FORMATS AND LISTS\n");
  for (size_t i = 0; (topic = ts_topic_at(i)); i++) {
    ts_auto(ts_str_release) struct ts_str summary = {0};
    ts_topic_summary(topic, &summary);
    ts_str_addf(out, ".TP\n.BR tessera\\-%s (%s)\n", topic->name, topic->section);
    add_sentence(out, ts_str_get(&summary));
  }
}

static void add_exit_status(struct ts_str *out, uint32_t codes) {
  ts_str_add(out, ".SH EXIT STATUS\n");
  const struct tessera_exit_code *exit;
  for (size_t i = 0; (exit = tessera_exit_code_at(i)); i++) {
    if (!(codes >> i & 1)) continue;
    ts_str_addf(out, ".TP\n.B %s\n", exit->code);
    add_sentence(out, exit->meaning);
  }
}

static void add_examples(struct ts_str *out, const struct tessera_command *command) {
  if (!command->examples[0].command) return;
  ts_str_add(out, ".SH EXAMPLES\n");
  for (size_t i = 0; command->examples[i].command; i++) {
    ts_str_add(out, ".TP\n.B ");
    add_text(out, command->examples[i].command);
    ts_str_add_char(out, '\n');
    add_text(out, command->examples[i].what);
    ts_str_add_char(out, '\n');
  }
}

static void add_environment(struct ts_str *out) {
  ts_str_add(out, ".SH ENVIRONMENT\n"
                  ".TP\n.BR TESSERA_JOBS \", \" TESSERA_STORE \", \" TESSERA_COLOR \", \" TESSERA_PROGRESS \", \" "
                  "TESSERA_SCRATCH\n"
                  "Settings that the option of the same name overrides.\n"
                  ".TP\n.B NO_COLOR\nNo colours, unless an option or TESSERA_COLOR says otherwise.\n"
                  ".SH FILES\n"
                  ".TP\n.I tessera.json\nSettings of a project: jobs, store, color, progress, scratch.\n"
                  ".TP\n.I $XDG_CONFIG_HOME/tessera/config.json\nThe same for a user; the project goes first.\n"
                  ".TP\n.I .tessera\nThe store: products and records of runs.\n");
}

void ts_man_page(struct ts_str *out, const struct tessera_command *command) {
  add_heading(out, command);
  add_synopsis(out, command);
  if (command) {
    add_paragraphs(out, command->description);
    add_operands(out, command);
    add_methods(out, command);
    add_options(out, command, false);
    add_options(out, command, true);
    add_examples(out, command);
    add_exit_status(out, command->exit_codes);
    ts_str_add(out, ".SH SEE ALSO\n.BR tessera (1)\n");
  } else {
    add_paragraphs(out,
                   "Runs a workflow of operations over images or other data for many parameter sets, finds out which "
                   "parameters matter, and keeps every product, so that nothing is computed twice.\n\n"
                   "Results go to standard output; progress, messages and errors go to standard error.");
    add_commands(out);
    add_topics(out);
    add_options(out, NULL, true);
    add_environment(out);
    add_exit_status(out, UINT32_MAX);
  }
}

/* ---- topics ---- */

static void write_heading(struct ts_str *out, const char *text) {
  ts_str_add(out, ".SH \"");
  for (const char *p = text; *p; p++) ts_str_add_char(out, *p == '"' ? '\'' : ts_char_upper(*p));
  ts_str_add(out, "\"\n");
}

static void write_paragraph(const struct ts_topic_writer *writer, struct ts_str *out, const char *text) {
  (void)writer;
  ts_str_add(out, ".PP\n");
  add_text(out, text);
  ts_str_add_char(out, '\n');
}

static void write_entry(const struct ts_topic_writer *writer, struct ts_str *out, const char *term, const char *text) {
  (void)writer;
  ts_str_add(out, ".TP\n.B ");
  add_text(out, term);
  ts_str_add_char(out, '\n');
  add_text(out, *text ? text : term);
  ts_str_add_char(out, '\n');
}

static void write_literal(struct ts_str *out, const char *lines) {
  ts_str_add(out, ".PP\n.nf\n");
  add_text(out, lines);
  ts_str_add(out, ".fi\n");
}

void ts_man_topic(struct ts_str *out, const struct ts_topic *topic) {
  const struct ts_topic_writer writer = {0, write_heading, write_paragraph, write_entry, write_literal};
  ts_auto(ts_str_release) struct ts_str title = {0};
  ts_auto(ts_str_release) struct ts_str summary = {0};
  ts_str_addf(&title, "tessera-%s", topic->name);
  ts_topic_summary(topic, &summary);
  add_title(out, ts_str_get(&title), topic->section,
            strcmp(topic->section, "5") == 0 ? "File Formats" : "Miscellaneous", ts_str_get(&summary));
  ts_str_add(out, ".SH DESCRIPTION\n");
  ts_topic_write(topic, &writer, out);
  ts_str_add(out, ".SH SEE ALSO\n.BR tessera (1)\n");
}
