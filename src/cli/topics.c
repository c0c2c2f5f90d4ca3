/* Pages of help that are about no command, and how their texts are read.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/topics.h"

#include "base/alloc.h"
#include "base/embedded.h"

#include <stdlib.h>
#include <string.h>

static const struct ts_topic topics[] = {
    {"workflow", "5", "topics/workflow.txt", NULL, NULL},
    {"study", "5", "topics/study.txt", NULL, NULL},
    {"manifest", "5", "topics/manifest.txt", NULL, NULL},
    {"operations", "7", NULL, "the operations that a workflow can be made of", ts_topic_operations},
    {"methods", "7", NULL, "how parameter sets are drawn, judged and tuned", ts_topic_methods},
};

const struct ts_topic *ts_topic_at(size_t number) {
  return number < sizeof topics / sizeof *topics ? &topics[number] : NULL;
}

const struct ts_topic *ts_topic_find(const char *name) {
  const size_t length = strcspn(name, ".");
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
    if (strlen(topics[i].name) != length || strncmp(name, topics[i].name, length) != 0) continue;
    if (!name[length] || strcmp(name + length + 1, topics[i].section) == 0) return &topics[i];
  }
  return NULL;
}

static const char *text_of(const struct ts_topic *topic) {
  const struct ts_embedded_file *file = ts_embedded_find(topic->file);
  if (!file) TS_BUG("the program does not carry '%s'", topic->file);
  return (const char *)file->data;
}

void ts_topic_summary(const struct ts_topic *topic, struct ts_str *out) {
  if (topic->summary) {
    ts_str_add(out, topic->summary);
  } else {
    const char *text = text_of(topic);
    ts_str_add_bytes(out, text, strcspn(text, "\n"));
  }
}

/* ---- texts ---- */

#define LITERAL "    "

/* Lines that begin with four spaces, up to the next one that does not. */
static const char *write_literal(const struct ts_topic_writer *writer, struct ts_str *out, const char *text) {
  ts_auto(ts_str_release) struct ts_str lines = {0};
  while (ts_str_starts_with(text, LITERAL)) {
    const size_t length = strcspn(text, "\n");
    ts_str_add_bytes(&lines, text + strlen(LITERAL), length - strlen(LITERAL));
    ts_str_add_char(&lines, '\n');
    text += length + (text[length] == '\n');
  }
  writer->literal(out, ts_str_get(&lines));
  return text;
}

/* A heading, an entry or a paragraph is one line. */
static const char *write_line(const struct ts_topic_writer *writer, struct ts_str *out, const char *text) {
  const size_t length = strcspn(text, "\n");
  ts_auto_free char *line = ts_strndup(text, length);
  char *colon = strstr(line, ": ");
  if (ts_str_starts_with(line, "# ")) {
    writer->heading(out, line + 2);
  } else if (ts_str_starts_with(line, "- ") && colon) {
    *colon = '\0';
    writer->entry(writer, out, line + 2, colon + 2);
  } else if (length > 0) {
    writer->paragraph(writer, out, line);
  }
  return text + length + (text[length] == '\n');
}

void ts_topic_write(const struct ts_topic *topic, const struct ts_topic_writer *writer, struct ts_str *out) {
  if (topic->write) {
    topic->write(writer, out);
    return;
  }
  const char *text = text_of(topic);
  text += strcspn(text, "\n");
  while (*text)
    text = ts_str_starts_with(text, LITERAL) ? write_literal(writer, out, text) : write_line(writer, out, text);
}
