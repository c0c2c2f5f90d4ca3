/* The look of progress in lines: for a log file, and for programs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/display.h"

#include "base/json.h"
#include "cli/reply.h"
#include "cli/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEY_DIGITS 6

void ts_display_plain_line(const struct ts_snapshot *snapshot, size_t stage, struct ts_str *out) {
  const struct ts_stage_progress *row = &snapshot->stages[stage];
  char elapsed[32];
  ts_str_addf(out, "%s ", ts_format_duration(snapshot->elapsed_s, elapsed));
  ts_cli_text_add_safe(out, row->name);
  ts_str_addf(out, " %" PRIu64 "/%" PRIu64 " reused=%" PRIu64 " failed=%" PRIu64, row->done, row->total, row->reused,
              row->failed);
  if (snapshot->left_s >= 0) ts_str_addf(out, " eta=%.0fs", snapshot->left_s);
  ts_str_add_char(out, '\n');
}

static json_t *milliseconds(double seconds) { return json_real(round(seconds * 1000) / 1000); }

/* Text that is not UTF-8 (a file name may be anything) is left out. */
static void set_text(json_t *object, const char *name, const char *text) {
  if (text && *text) json_object_set_new(object, name, json_string(text));
}

static json_t *stages_json(const struct ts_progress *progress) {
  json_t *list = json_array();
  for (size_t i = 0; i < progress->stage_count; i++) {
    const struct ts_stage_progress *stage = &progress->stages[i];
    json_t *item = json_object();
    set_text(item, "name", stage->name);
    json_object_set_new(item, "total", json_integer((json_int_t)stage->total));
    json_object_set_new(item, "done", json_integer((json_int_t)stage->done));
    json_object_set_new(item, "reused", json_integer((json_int_t)stage->reused));
    json_object_set_new(item, "failed", json_integer((json_int_t)stage->failed));
    json_array_append_new(list, item);
  }
  return list;
}

/* "segment/9c1e4f", which log and explain take. */
static void set_task(json_t *object, const struct ts_progress *progress) {
  struct ts_str task = {0};
  const char *stage = progress->stage ? progress->stage : "";
  ts_str_addf(&task, "%s/%.*s", stage, KEY_DIGITS, ts_cli_reply_key(progress->key ? progress->key : ""));
  set_text(object, "task", ts_str_get(&task));
  set_text(object, "name", progress->task);
  set_text(object, "key", progress->key);
  ts_str_release(&task);
}

static void set_outcome(json_t *object, const struct ts_progress *progress) {
  const char *outcome = progress->outcome ? progress->outcome : "";
  bool reused = strcmp(outcome, "cutoff") == 0 || strcmp(outcome, "store") == 0;
  set_text(object, "file", progress->file);
  if (progress->tile_x >= 0 && progress->tile_y >= 0) {
    json_object_set_new(object, "tile",
                        json_pack("[I, I]", (json_int_t)progress->tile_x, (json_int_t)progress->tile_y));
  }
  json_object_set_new(object, "s", milliseconds(progress->seconds));
  json_object_set_new(object, "reused", json_boolean(reused));
  set_text(object, "outcome", outcome);
  set_text(object, "message", progress->message);
  if (progress->code > 0) {
    json_object_set_new(object, "code", json_integer(progress->code));
    set_text(object, "help", progress->help);
  }
}

void ts_display_json_line(const struct ts_progress *progress, struct ts_str *out) {
  json_t *object = json_object();
  json_object_set_new(object, "t", milliseconds(progress->elapsed_s));
  set_text(object, "ev", progress->event);
  set_text(object, "run", progress->run);
  if (strcmp(progress->event, "task_done") == 0) {
    set_task(object, progress);
    set_outcome(object, progress);
  } else {
    json_object_set_new(object, "threads", json_integer((json_int_t)progress->threads));
    json_object_set_new(object, "stages", stages_json(progress));
  }
  char *text = ts_json_dump(object, false, false);
  ts_str_add(out, text);
  ts_str_add_char(out, '\n');
  free(text);
  json_decref(object);
}
