/* Pages of help that are made from what the library lists: operations and methods.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/topics.h"

#include "base/alloc.h"
#include "cli/help.h"
#include "cli/reply.h"
#include "cli/view.h"

#include <string.h>

static json_t *list_of_library(void) {
  const struct tessera_list_request request = TESSERA_INIT(struct tessera_list_request);
  char *text = NULL;
  tessera_list(&request, &text);
  json_t *reply = text ? json_loads(text, 0, NULL) : NULL;
  tessera_reply_free(text);
  return reply;
}

/* A sentence for each part that an operation has. */
static void write_operation(const struct ts_topic_writer *writer, struct ts_str *out, const json_t *operation) {
  static const struct {
    const char *list, *words;
    void (*add)(struct ts_str *out, const json_t *list);
  } parts[] = {{"inputs", "Takes", ts_show_ports},
               {"outputs", "Gives", ts_show_ports},
               {"parameters", "Parameters:", ts_show_parameters}};
  ts_auto(ts_str_release) struct ts_str text = {0};
  const char *help = ts_cli_reply_text(operation, "help");
  ts_str_add(&text, help);
  if (text.length > 0) text.data[0] = ts_char_upper(text.data[0]);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const json_t *list = ts_cli_reply_member(operation, parts[i].list);
    if (json_array_size(list) == 0) continue;
    ts_str_addf(&text, "%s%s ", text.length > 0 ? ". " : "", parts[i].words);
    parts[i].add(&text, list);
  }
  ts_str_add_char(&text, '.');
  writer->entry(writer, out, ts_cli_reply_text(operation, "name"), ts_str_get(&text));
}

void ts_topic_operations(const struct ts_topic_writer *writer, struct ts_str *out) {
  json_t *reply = list_of_library();
  const json_t *operations = ts_cli_reply_member(reply, "operations");
  writer->paragraph(writer, out,
                    "A task of a workflow names one of these as its \"op\" ('tessera help workflow'). A workflow can "
                    "bring more of them, as plugins and commands; 'tessera list FILE' shows those too.");
  writer->heading(out, "Operations");
  for (size_t i = 0; i < json_array_size(operations); i++) write_operation(writer, out, json_array_get(operations, i));
  json_decref(reply);
}

static void write_methods(const struct ts_topic_writer *writer, struct ts_str *out, const json_t *list) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    ts_auto(ts_str_release) struct ts_str text = {0};
    ts_cli_method_text(json_array_get(list, i), &text);
    writer->entry(writer, out, ts_cli_method_name(json_array_get(list, i)), ts_str_get(&text));
  }
}

void ts_topic_methods(const struct ts_topic_writer *writer, struct ts_str *out) {
  static const struct {
    const char *list, *heading;
  } lists[] = {{"methods", "Methods of studies (\"method\" of a study file; tessera study --method)"},
               {"samplers", "Samplers (tessera sample --method)"},
               {"analyses", "Analyses (tessera analyse --method)"},
               {"schedulers", "Algorithms for streams (tessera schedule --algorithm)"},
               {"tuners", "Tuners (tessera tune --algorithm)"}};
  json_t *reply = list_of_library();
  writer->paragraph(writer, out,
                    "A study names one of the first list; the others are for models of your own, for streams and for "
                    "tuning.");
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    writer->heading(out, lists[i].heading);
    write_methods(writer, out, ts_cli_reply_member(reply, lists[i].list));
  }
  json_decref(reply);
}
