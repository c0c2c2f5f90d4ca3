/* Pages of help that are about no command: what the files say, which operations and methods there are.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A page is written block by block: one writer makes text for a terminal of them (help.c), another one roff (man.c).
 * Pages come from a text below docs/topics, or from what the library lists. In a text, the first line is the summary,
 * "# " begins a heading, "- TERM: " an entry, four spaces a line that stays as it is; all else are paragraphs. */
#ifndef TS_CLI_TOPICS_H
#define TS_CLI_TOPICS_H

#include "base/str.h"

#include <stddef.h>

struct ts_topic_writer {
  size_t width; /* of lines; 0: they are not wrapped */
  void (*heading)(struct ts_str *out, const char *text);
  void (*paragraph)(const struct ts_topic_writer *writer, struct ts_str *out, const char *text);
  void (*entry)(const struct ts_topic_writer *writer, struct ts_str *out, const char *term, const char *text);
  void (*literal)(struct ts_str *out, const char *lines); /* each with its line end */
};

struct ts_topic {
  const char *name;    /* "study" */
  const char *section; /* of its man page: "5" for files, "7" for the rest */
  const char *file;    /* embedded text; NULL: the page is made from lists */
  const char *summary; /* NULL: the first line of the text */
  void (*write)(const struct ts_topic_writer *writer, struct ts_str *out); /* NULL: from the text */
};

const struct ts_topic *ts_topic_at(size_t number); /* NULL behind the last */
/* The topic of this name, "study" or "study.5"; NULL: there is none. */
const struct ts_topic *ts_topic_find(const char *name);
void ts_topic_summary(const struct ts_topic *topic, struct ts_str *out);
void ts_topic_write(const struct ts_topic *topic, const struct ts_topic_writer *writer, struct ts_str *out);

/* topic_lists.c: pages from what the library lists. */
void ts_topic_operations(const struct ts_topic_writer *writer, struct ts_str *out);
void ts_topic_methods(const struct ts_topic_writer *writer, struct ts_str *out);

#endif
