/* Reads the values of options and puts them into the request.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/arguments_int.h"

#include "base/alloc.h"
#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *field_of(struct ts_arguments *arguments, size_t offset) { return (char *)arguments + offset; }

static bool read_number(const char *text, uint64_t *number) {
  if (*text == '\0' || text[strspn(text, "0123456789")] != '\0') return false;
  errno = 0;
  *number = strtoull(text, NULL, 10);
  return errno == 0;
}

static bool read_bounded(const struct ts_option *option, const char *spelled, const char *text, uint64_t *number,
                         struct ts_error *err) {
  if (read_number(text, number) && *number >= option->least && *number <= option->most) return true;
  ts_fail(err, TS_ERR_USAGE, "'%s' is not a number that '%s' takes", text, spelled);
  ts_error_help(err, "give a whole number from %" PRIu64 " to %" PRIu64, option->least, option->most);
  return false;
}

bool ts_argument_is_choice(const char *what, const char *word, const char *const *choices, struct ts_error *err) {
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

static void add_text(struct ts_cli_text_list *list, const char *text) {
  list->items = ts_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = text;
}

static bool add_setting(struct ts_setting_list *list, const char *spelled, const char *text, struct ts_error *err) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) {
    ts_fail(err, TS_ERR_USAGE, "'%s' is not a setting of a parameter", text);
    ts_error_help(err, "write %s NAME=VALUE, such as %s G1=40", spelled, spelled);
    return false;
  }
  list->items = ts_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] =
      (struct ts_parameter_setting){.name = ts_strndup(text, (size_t)(equals - text)), .value = equals + 1};
  return true;
}

static bool store_number(void *field, const struct ts_option *option, const char *spelled, const char *value,
                         struct ts_error *err) {
  uint64_t number = 0;
  if (!read_bounded(option, spelled, value, &number, err)) return false;
  if (option->kind == TS_OPTION_COUNT) {
    *(size_t *)field = (size_t)number;
  } else {
    *(int64_t *)field = (int64_t)number;
  }
  return true;
}

/* "800M": a number and a unit. */
static bool store_bytes(uint64_t *field, const char *spelled, const char *value, struct ts_error *err) {
  uint64_t bytes = 0;
  if (ts_parse_bytes(value, &bytes) && bytes >= 1000000) {
    *field = bytes;
    return true;
  }
  ts_fail(err, TS_ERR_USAGE, "'%s' is not a size that '%s' takes", value, spelled);
  ts_error_help(err, "give bytes or a number with k, M, G or T, at least 1M, such as 800M, 2.5G or 4GiB");
  return false;
}

static bool store_seed(uint64_t *field, const char *spelled, const char *value, struct ts_error *err) {
  if (read_number(value, field)) return true;
  ts_fail(err, TS_ERR_USAGE, "'%s' is not a number that '%s' takes", value, spelled);
  ts_error_help(err, "give a whole number from 0 to %" PRIu64, UINT64_MAX);
  return false;
}

static bool store_real(double *field, const struct ts_option *option, const char *spelled, const char *value,
                       struct ts_error *err) {
  double number = 0;
  if (ts_parse_double(value, &number) && number > option->above && number < option->below) {
    *field = number;
    return true;
  }
  ts_fail(err, TS_ERR_USAGE, "'%s' is not a number that '%s' takes", value, spelled);
  ts_error_help(err, "give a number between %s and %s", TS_SIGNIFICANT(option->above, 6),
                TS_SIGNIFICANT(option->below, 6));
  return false;
}

static bool store_by_kind(void *field, const struct ts_option *option, const char *spelled, const char *value,
                          struct ts_error *err) {
  switch (option->kind) {
  case TS_OPTION_FLAG: *(bool *)field = true; return true;
  case TS_OPTION_TALLY: ++*(int *)field; return true;
  case TS_OPTION_WORD:
    if (!ts_argument_is_choice(spelled, value, option->choices, err)) return false;
    *(const char **)field = value;
    return true;
  case TS_OPTION_TEXT: *(const char **)field = value; return true;
  case TS_OPTION_OPTIONAL:
    if (value) *(const char **)field = value;
    return true;
  case TS_OPTION_COUNT:
  case TS_OPTION_PIXELS: return store_number(field, option, spelled, value, err);
  case TS_OPTION_REAL: return store_real(field, option, spelled, value, err);
  case TS_OPTION_BYTES: return store_bytes(field, spelled, value, err);
  case TS_OPTION_SEED: return store_seed(field, spelled, value, err);
  case TS_OPTION_LIST: add_text(field, value); return true;
  case TS_OPTION_SETTING: return add_setting(field, spelled, value, err);
  }
  TS_BUG("option kind %d", (int)option->kind);
}

bool ts_argument_store(struct ts_arguments *arguments, const struct ts_option *option, const char *spelled,
                       const char *value, struct ts_error *err) {
  if (option->kind == TS_OPTION_OPTIONAL && value && !option->belongs(value)) {
    ts_fail(err, TS_ERR_USAGE, "'%s' is nothing that '%s' takes", value, spelled);
    ts_error_help(err, "%s: %s", spelled, option->help);
    return false;
  }
  bool needs_text = option->kind == TS_OPTION_TEXT || option->kind == TS_OPTION_LIST;
  if (needs_text && *value == '\0') {
    ts_fail(err, TS_ERR_USAGE, "'%s' has an empty value", spelled);
    ts_error_help(err, "%s %s: %s", spelled, option->argument, option->help);
    return false;
  }
  if (!store_by_kind(field_of(arguments, option->field), option, spelled, value, err)) return false;
  if (option->given) *(bool *)field_of(arguments, option->given) = true;
  return true;
}

void ts_shell_quote(struct ts_str *out, const char *word) {
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+";
  if (*word != '\0' && word[strspn(word, safe)] == '\0') {
    ts_str_add(out, word);
    return;
  }
  ts_str_add_char(out, '\'');
  for (; *word; word++) {
    if (*word == '\'') {
      ts_str_add(out, "'\\''");
    } else {
      ts_str_add_char(out, *word);
    }
  }
  ts_str_add_char(out, '\'');
}
