/* The text of an option, read into the field of a request that it sets.
 * SPDX-License-Identifier: Apache-2.0 */
#include "request/table.h"

#include "base/size.h"
#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const char *text, uint64_t *number) {
  if (*text == '\0' || text[strspn(text, "0123456789")] != '\0') return false;
  errno = 0;
  *number = strtoull(text, NULL, 10);
  return errno == 0;
}

static bool read_bounded(const struct tessera_option *option, const char *called, const char *text, uint64_t *number,
                         struct ts_error *err) {
  if (read_number(text, number) && *number >= option->least && *number <= option->most) return true;
  ts_fail(err, TS_ERR_USAGE, "'%s' is not a number that '%s' takes", text, called);
  ts_error_help(err, "give a whole number from %" PRIu64 " to %" PRIu64, option->least, option->most);
  return false;
}

bool ts_option_is_choice(const char *what, const char *word, const char *const *choices, struct ts_error *err) {
  struct ts_str all = {0};
  size_t count = 0;
  for (; choices[count]; count++) {
    if (strcmp(choices[count], word) == 0) break;
    if (count > 0) ts_str_add(&all, choices[count + 1] ? ", " : " or ");
    ts_str_add(&all, choices[count]);
  }
  bool found = choices[count] != NULL;
  if (!found) {
    ts_fail(err, TS_ERR_USAGE, "'%s' is nothing that '%s' takes", word, what);
    const char *near = ts_suggest(word, choices, count);
    if (near) {
      ts_error_help(err, "did you mean '%s'? it takes %s", near, ts_str_get(&all));
    } else {
      ts_error_help(err, "it takes %s", ts_str_get(&all));
    }
  }
  ts_str_release(&all);
  return found;
}

/* Lists grow by one: they are short, and arrays in an arena cannot be moved. */
static void *add_to_list(struct ts_arena *arena, void *list, size_t *count, size_t item_bytes) {
  char **items = list, *longer = ts_arena_array(arena, *count + 1, item_bytes);
  if (*count > 0) memcpy(longer, *items, *count * item_bytes);
  *items = longer;
  return longer + (*count)++ * item_bytes;
}

static bool add_setting(struct ts_arena *arena, void *list, size_t *count, const char *called, const char *text,
                        struct ts_error *err) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) {
    ts_fail(err, TS_ERR_USAGE, "'%s' is not a setting of a parameter", text);
    const bool is_option = *called == '-';
    ts_error_help(err, "write %s%sNAME=VALUE, such as %s%sG1=40", is_option ? called : "", is_option ? " " : "",
                  is_option ? called : "", is_option ? " " : "");
    return false;
  }
  struct tessera_setting *setting = add_to_list(arena, list, count, sizeof *setting);
  *setting = (struct tessera_setting){.name = ts_arena_strndup(arena, text, (size_t)(equals - text)),
                                      .value = ts_arena_strdup(arena, equals + 1)};
  return true;
}

static bool store_number(void *field, const struct tessera_option *option, const char *called, const char *value,
                         struct ts_error *err) {
  uint64_t number = 0;
  if (!read_bounded(option, called, value, &number, err)) return false;
  if (option->kind == TESSERA_OPTION_COUNT) {
    *(size_t *)field = (size_t)number;
  } else {
    *(int64_t *)field = (int64_t)number;
  }
  return true;
}

/* "800M": a number and a unit. */
static bool store_bytes(uint64_t *field, const char *called, const char *value, struct ts_error *err) {
  uint64_t bytes = 0;
  if (ts_parse_bytes(value, &bytes) && bytes >= 1000000) {
    *field = bytes;
    return true;
  }
  ts_fail(err, TS_ERR_USAGE, "'%s' is not a size that '%s' takes", value, called);
  ts_error_help(err, "give bytes or a number with k, M, G or T, at least 1M, such as 800M, 2.5G or 4GiB");
  return false;
}

static bool store_seed(uint64_t *field, const char *called, const char *value, struct ts_error *err) {
  if (read_number(value, field)) return true;
  ts_fail(err, TS_ERR_USAGE, "'%s' is not a number that '%s' takes", value, called);
  ts_error_help(err, "give a whole number from 0 to %" PRIu64, UINT64_MAX);
  return false;
}

static bool store_real(double *field, const struct tessera_option *option, const char *called, const char *value,
                       struct ts_error *err) {
  double number = 0;
  if (ts_parse_double(value, &number) && number > option->above && number < option->below) {
    *field = number;
    return true;
  }
  ts_fail(err, TS_ERR_USAGE, "'%s' is not a number that '%s' takes", value, called);
  ts_error_help(err, "give a number between %s and %s", TS_SIGNIFICANT(option->above, 6),
                TS_SIGNIFICANT(option->below, 6));
  return false;
}

static bool store_text(const struct ts_option_row *row, const char *called, const char *text, struct ts_arena *arena,
                       const char **field, struct ts_error *err) {
  if (row->shown.kind == TESSERA_OPTION_WORD && !ts_option_is_choice(called, text, row->shown.choices, err))
    return false;
  if (!text) text = row->fallback; /* of an OPTIONAL, whose field is left alone without either */
  if (text) *field = ts_arena_strdup(arena, text);
  return true;
}

/* A command line says nothing more than its name; other callers may say which. */
static bool store_flag(bool *field, const char *called, const char *text, struct ts_error *err) {
  static const char *const choices[] = {"true", "false", NULL};
  if (text && !ts_option_is_choice(called, text, choices, err)) return false;
  *field = !text || strcmp(text, "true") == 0;
  return true;
}

static bool store_switch(bool *is_off, const struct tessera_option *option, const char *called, const char *text,
                         struct ts_error *err) {
  if (!ts_option_is_choice(called, text, option->choices, err)) return false;
  *is_off = strcmp(text, "off") == 0;
  return true;
}

static bool store_by_kind(const struct ts_option_row *row, const char *called, const char *text, struct ts_arena *arena,
                          struct ts_request *request, struct ts_error *err) {
  void *field = (char *)request + row->member;
  size_t *count = (size_t *)(void *)((char *)request + row->given); /* of lists */
  switch (row->shown.kind) {
  case TESSERA_OPTION_FLAG: return store_flag(field, called, text, err);
  case TESSERA_OPTION_TEXT:
  case TESSERA_OPTION_WORD:
  case TESSERA_OPTION_OPTIONAL: return store_text(row, called, text, arena, field, err);
  case TESSERA_OPTION_SWITCH: return store_switch(field, &row->shown, called, text, err);
  case TESSERA_OPTION_COUNT:
  case TESSERA_OPTION_PIXELS: return store_number(field, &row->shown, called, text, err);
  case TESSERA_OPTION_REAL: return store_real(field, &row->shown, called, text, err);
  case TESSERA_OPTION_BYTES: return store_bytes(field, called, text, err);
  case TESSERA_OPTION_SEED: return store_seed(field, called, text, err);
  case TESSERA_OPTION_LIST:
    *(const char **)add_to_list(arena, field, count, sizeof(const char *)) = ts_arena_strdup(arena, text);
    return true;
  case TESSERA_OPTION_SETTING: return add_setting(arena, field, count, called, text, err);
  case TESSERA_OPTION_TALLY: break; /* of the program alone */
  }
  TS_BUG("option kind %d", (int)row->shown.kind);
}

/* Whether there is text where it is needed, and none where it has no meaning. */
static bool is_fit(const struct ts_option_row *row, const char *called, const char *text, struct ts_error *err) {
  const struct tessera_option *option = &row->shown;
  if (option->kind == TESSERA_OPTION_OPTIONAL && text && !row->belongs(text)) {
    ts_fail(err, TS_ERR_USAGE, "'%s' is nothing that '%s' takes", text, called);
    ts_error_help(err, "%s: %s", called, option->help);
    return false;
  }
  if (!option->argument || option->kind == TESSERA_OPTION_OPTIONAL) return true;
  const bool needs_text = option->kind == TESSERA_OPTION_TEXT || option->kind == TESSERA_OPTION_LIST;
  if (text && (!needs_text || *text != '\0')) return true;
  ts_fail(err, TS_ERR_USAGE, "'%s' has an empty value", called);
  ts_error_help(err, "%s %s: %s", called, option->argument, option->help);
  return false;
}

static bool is_list(const struct tessera_option *option) {
  return option->kind == TESSERA_OPTION_LIST || option->kind == TESSERA_OPTION_SETTING;
}

bool ts_option_store(const struct ts_option_row *row, const char *called, const char *text, struct ts_arena *arena,
                     struct ts_request *request, struct ts_error *err) {
  if (!is_fit(row, called, text, err) || !store_by_kind(row, called, text, arena, request, err)) return false;
  if (row->given && !is_list(&row->shown)) *(bool *)((char *)request + row->given) = true;
  return true;
}
