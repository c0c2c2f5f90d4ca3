/* Which tasks of a run somebody means, and what to say if there are none of that name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"

#include "base/alloc.h"
#include "base/map.h"

#include <string.h>

#define KEY_DIGITS_LEAST 4
#define NAMES_SHOWN      6

/* "segment.split" or "split" by name, "segment/9c1e" or "9c1e…" by the first digits of the key. */
bool ts_task_row_fits(const struct ts_task_row *row, const char *asked) {
  char name[160];
  char key[TS_KEY_TEXT_SIZE];
  ts_key_print(&row->key, key);
  ts_join_names(row->stage, row->name, name, sizeof name);
  if (strcmp(asked, name) == 0 || strcmp(asked, row->name) == 0) return true;
  const char *slash = strchr(asked, '/');
  size_t stage_length = slash ? (size_t)(slash - asked) : 0;
  if (slash && (strncmp(asked, row->stage, stage_length) != 0 || row->stage[stage_length] != '\0') &&
      (strncmp(asked, name, stage_length) != 0 || name[stage_length] != '\0'))
    return false;
  const char *digits = slash ? slash + 1 : asked;
  if (strncmp(digits, "k1:", 3) == 0) digits += 3;
  return strlen(digits) >= KEY_DIGITS_LEAST && strncmp(digits, key + 3, strlen(digits)) == 0;
}

/* Names of the tasks, each once, in the order of the rows; of one stage, or of all (NULL). In the arena. */
static const char **list_names(const struct ts_task_row *rows, size_t count, const char *stage, struct ts_arena *arena,
                               size_t *name_count) {
  ts_auto(ts_map_release) struct ts_map met = {0};
  const char **names = ts_arena_array(arena, count + 1, sizeof *names);
  *name_count = 0;
  for (size_t i = 0; i < count; i++) {
    char name[160];
    bool is_new = false;
    if (stage && strcmp(rows[i].stage, stage) != 0) continue;
    ts_map_insert_name(&met, ts_join_names(rows[i].stage, rows[i].name, name, sizeof name), &is_new);
    if (is_new) names[(*name_count)++] = ts_arena_strdup(arena, name);
  }
  return names;
}

const char **ts_task_names_of_stage(const struct ts_task_row *rows, size_t count, const char *stage,
                                    struct ts_arena *arena, size_t *name_count) {
  return list_names(rows, count, stage, arena, name_count);
}

static const char *nearest_stage(const struct ts_task_row *rows, size_t count, const char *asked,
                                 struct ts_arena *arena) {
  const char **stages = ts_arena_array(arena, count + 1, sizeof *stages);
  for (size_t i = 0; i < count; i++) stages[i] = rows[i].stage;
  return ts_nearest_word(asked, stages, count);
}

bool ts_task_fail_unknown(const struct ts_task_row *rows, size_t count, const char *run, const char *asked,
                          struct ts_error *err) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  ts_auto(ts_str_release) struct ts_str list = {0};
  size_t name_count = 0;
  const char **names = list_names(rows, count, NULL, &arena, &name_count);
  const char *nearest = ts_suggest(asked, names, name_count);
  if (!nearest && !strchr(asked, '.')) nearest = nearest_stage(rows, count, asked, &arena);
  ts_fail(err, TS_ERR_NO_SUCH_RUN, "run %s has no task '%s'", run, asked);
  for (size_t i = 0; i < name_count && i < NAMES_SHOWN; i++) ts_str_addf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
  if (name_count > NAMES_SHOWN) ts_str_addf(&list, " and %zu more", name_count - NAMES_SHOWN);
  if (nearest)
    ts_error_help(err, "did you mean '%s'?", nearest);
  else if (name_count > 0)
    ts_error_help(err, "it has %s; see them with: tessera status %s", ts_str_get(&list), run);
  else
    ts_error_help(err, "it ended before any task did; see: tessera status %s", run);
  return false;
}
