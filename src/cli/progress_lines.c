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
  const struct tessera_stage *row = &snapshot->stages[stage];
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

static json_t *stages_json(const struct tessera_event *event) {
  json_t *list = json_array();
  for (size_t i = 0; i < event->stage_count; i++) {
    const struct tessera_stage *stage = &event->stages[i];
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
static void set_task(json_t *object, const struct tessera_event *event) {
  struct ts_str task = {0};
  const char *stage = event->stage ? event->stage : "";
  ts_str_addf(&task, "%s/%.*s", stage, KEY_DIGITS, ts_cli_reply_key(event->key ? event->key : ""));
  set_text(object, "task", ts_str_get(&task));
  set_text(object, "name", event->task);
  set_text(object, "key", event->key);
  ts_str_release(&task);
}

static void set_outcome(json_t *object, const struct tessera_event *event) {
  const char *outcome = event->outcome ? event->outcome : "";
  bool reused = strcmp(outcome, "cutoff") == 0 || strcmp(outcome, "store") == 0;
  set_text(object, "file", event->file);
  if (event->tile_x >= 0 && event->tile_y >= 0) {
    json_object_set_new(object, "tile", json_pack("[I, I]", (json_int_t)event->tile_x, (json_int_t)event->tile_y));
  }
  json_object_set_new(object, "s", milliseconds(event->seconds));
  json_object_set_new(object, "reused", json_boolean(reused));
  set_text(object, "outcome", outcome);
  set_text(object, "message", event->message);
  if (event->code > 0) {
    json_object_set_new(object, "code", json_integer(event->code));
    set_text(object, "help", event->help);
  }
}

void ts_display_json_line(const struct tessera_event *event, struct ts_str *out) {
  json_t *object = json_object();
  json_object_set_new(object, "t", milliseconds(event->elapsed_s));
  set_text(object, "ev", tessera_event_name(event->kind));
  set_text(object, "run", event->run);
  if (event->kind == TESSERA_TASK_DONE) {
    set_task(object, event);
    set_outcome(object, event);
  } else {
    json_object_set_new(object, "threads", json_integer((json_int_t)event->threads));
    json_object_set_new(object, "stages", stages_json(event));
  }
  char *text = ts_json_dump(object, false, false);
  ts_str_add(out, text);
  ts_str_add_char(out, '\n');
  free(text);
  json_decref(object);
}
