/* Replies of handles, and structs in the size that the caller has.
 * SPDX-License-Identifier: Apache-2.0 */
#include "handles/handles_int.h"

#include "api/lent.h"
#include "base/alloc.h"

#include <string.h>

void ts_handle_hand_over(char *text, char **reply) {
  if (reply)
    *reply = text;
  else
    free(text);
}

int ts_handle_refuse(struct ts_issues *issues, char **reply) {
  char *text = NULL;
  const int code = ts_reply_finish(ts_reply_new("tessera.error/1"), 0, &text, NULL, issues);
  ts_handle_hand_over(text, reply);
  return code;
}

int ts_handle_refuse_error(const struct ts_error *err, char **reply) {
  struct ts_issues issues = {0};
  ts_issues_fault(&issues, err);
  return ts_handle_refuse(&issues, reply);
}

bool ts_handle_copy_out(void *to, size_t size, const void *from, size_t known) {
  if (size < sizeof(size_t) + sizeof(void *)) return false;
  const size_t copied = size < known ? size : known;
  memcpy((char *)to + sizeof size, (const char *)from + sizeof size, copied - sizeof size);
  if (size > known) memset((char *)to + known, 0, size - known);
  return true;
}
