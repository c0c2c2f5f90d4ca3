/* What --method, or --algorithm, takes: asked of the library, so that help and completion name what is built in.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include "cli/reply.h"

#include <string.h>

json_t *ts_cli_method_list(const struct tessera_command *command) {
  if (!command->methods) return json_array();
  const struct tessera_list_request request = TESSERA_INIT(struct tessera_list_request);
  char *text = NULL;
  tessera_list(&request, &text);
  json_t *reply = text ? json_loads(text, 0, NULL) : NULL;
  json_t *list = json_object_get(reply, command->methods);
  json_t *found = json_is_array(list) ? json_incref(list) : json_array();
  json_decref(reply);
  tessera_reply_free(text);
  return found;
}

const char *ts_cli_method_name(const json_t *item) {
  return json_is_string(item) ? json_string_value(item) : ts_cli_reply_text(item, "name");
}

/* A sentence with a capital and without its full stop. */
static void add_sentence(struct ts_str *out, const char *text) {
  size_t start = out->length, length = strlen(text);
  if (length > 0 && text[length - 1] == '.') length--;
  ts_str_add_bytes(out, text, length);
  if (length > 0) out->data[start] = ts_char_upper(out->data[start]);
}

void ts_cli_method_text(const json_t *item, struct ts_str *out) {
  const char *title = ts_cli_reply_text(item, "title"), *help = ts_cli_reply_text(item, "help");
  const char *alias = ts_cli_reply_text(item, "alias");
  add_sentence(out, title);
  if (*alias) ts_str_addf(out, "; also called %s", alias);
  if (*title && *help) ts_str_add(out, ". ");
  add_sentence(out, help);
}
