/* Copies a request, which the caller may change or free as soon as a call has returned.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The option table says which fields are texts and lists; the few texts that are no options are listed here. */
#include "request/table.h"
#include "request/typed.h"

#include <string.h>

static void copy_text(struct ts_arena *arena, const char **text) {
  if (*text) *text = ts_arena_strdup(arena, *text);
}

static void copy_list(struct ts_arena *arena, const char *const **list, size_t count) {
  const char **copy = ts_arena_array(arena, count + 1, sizeof *copy);
  for (size_t i = 0; i < count; i++) {
    copy[i] = (*list)[i];
    copy_text(arena, &copy[i]);
  }
  *list = copy;
}

static void copy_settings(struct ts_arena *arena, const struct tessera_setting **list, size_t count) {
  struct tessera_setting *copy = ts_arena_array(arena, count + 1, sizeof *copy);
  for (size_t i = 0; i < count; i++) {
    copy[i] = (*list)[i];
    copy_text(arena, &copy[i].name);
    copy_text(arena, &copy[i].value);
  }
  *list = copy;
}

static void copy_option(struct ts_arena *arena, const struct ts_option_row *row, struct ts_request *copy) {
  void *field = (char *)copy + row->member;
  const size_t *count = (const size_t *)(const void *)((char *)copy + row->given); /* of lists */
  switch (row->shown.kind) {
  case TESSERA_OPTION_TEXT:
  case TESSERA_OPTION_WORD:
  case TESSERA_OPTION_OPTIONAL: copy_text(arena, field); return;
  case TESSERA_OPTION_LIST: copy_list(arena, field, *count); return;
  case TESSERA_OPTION_SETTING: copy_settings(arena, field, *count); return;
  default: return;
  }
}

void ts_request_copy(struct ts_arena *arena, const struct ts_request *given, struct ts_request *copy) {
  *copy = *given;
  const char **const others[] = {&copy->file, &copy->command, &copy->program,
                                 &copy->run,  &copy->task,    &copy->operation};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) copy_text(arena, others[i]);
  copy_list(arena, &copy->runs, copy->run_count);
  for (size_t i = 0; i < ts_option_row_count; i++)
    if (!ts_option_rows[i].shown.is_program) copy_option(arena, &ts_option_rows[i], copy);
}
