/* Reads the condition at which a study may stop: "ci(mu_star) < 0.05" or "rank(3)".
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/project.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *text) { return text + strspn(text, " \t\n\v\f\r"); }

/* "(WORD)": the word, and where the text goes on; NULL if it is not there. */
static const char *read_argument(struct ts_arena *arena, const char **text) {
  const char *at = skip_space(*text);
  if (*at++ != '(') return NULL;
  at = skip_space(at);
  size_t length = strcspn(at, ") \t");
  const char *word = ts_arena_strndup(arena, at, length);
  at = skip_space(at + length);
  if (length == 0 || *at != ')') return NULL;
  *text = skip_space(at + 1);
  return word;
}

static bool parse_interval(struct ts_arena *arena, const char *rest, struct study_until *until) {
  until->column = read_argument(arena, &rest);
  if (!until->column || *rest != '<') return false;
  const char *number = skip_space(rest + 1);
  size_t length = strcspn(number, " \t\n\v\f\r");
  if (*skip_space(number + length) != '\0') return false;
  return ts_parse_double(ts_arena_strndup(arena, number, length), &until->limit) && until->limit > 0;
}

static bool parse_rank(struct ts_arena *arena, const char *rest, struct study_until *until) {
  char *end = NULL;
  const char *word = read_argument(arena, &rest);
  if (!word || *word < '0' || *word > '9') return false;
  until->top = (size_t)strtoul(word, &end, 10);
  return *end == '\0' && until->top > 0 && (*rest == '\0' || strcmp(rest, "settled") == 0);
}

bool ts_until_parse(struct ts_arena *arena, const char *text, struct study_until *until, struct ts_error *err) {
  const char *at = skip_space(text);
  *until = (struct study_until){.text = ts_arena_strdup(arena, text)};
  if (strncmp(at, "ci", 2) == 0 && parse_interval(arena, at + 2, until)) return true;
  if (strncmp(at, "rank", 4) == 0 && parse_rank(arena, at + 4, until)) return true;
  *until = (struct study_until){0};
  ts_fail(err, TS_ERR_USAGE, "'%s' is not a condition to stop at", text);
  ts_error_help(err,
                "write 'ci(mu_star) < 0.05' (half widths of intervals, as a share of the largest index) or 'rank(3)' "
                "(the first three ranks do not overlap)");
  return false;
}
