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

static void begin_line(const struct ts_snapshot *snapshot, const char *name, struct ts_str *out) {
  char elapsed[32];
  ts_str_addf(out, "%s ", ts_format_duration(snapshot->elapsed_s, elapsed));
  ts_cli_text_add_safe(out, name);
}

static void add_count(uint64_t done, uint64_t total, struct ts_str *out) {
  ts_str_addf(out, " %" PRIu64, done);
  if (total > 0) ts_str_addf(out, "/%" PRIu64 " %u %%", total, ts_display_percent(done, total));
}

static void end_line(const struct ts_snapshot *snapshot, struct ts_str *out) {
  if (snapshot->share >= 0 && snapshot->stage_count > 0)
    ts_str_addf(out, " all=%u%%", ts_display_share_percent(snapshot->share));
  if (*snapshot->part) ts_str_addf(out, " (%s)", snapshot->part);
  ts_str_add_char(out, '\n');
}

static void add_left(const struct ts_snapshot *snapshot, struct ts_str *out) {
  const double left_s = ts_snapshot_left(snapshot);
  if (left_s >= 0) ts_str_addf(out, " eta=%.0fs", floor(left_s));
}

void ts_display_plain_line(const struct ts_snapshot *snapshot, size_t stage, struct ts_str *out) {
  const struct tessera_stage *row = &snapshot->stages[stage];
  begin_line(snapshot, row->name, out);
  add_count(row->done, row->total, out);
  ts_str_addf(out, " reused=%" PRIu64 " failed=%" PRIu64, row->reused, row->failed);
  add_left(snapshot, out);
  end_line(snapshot, out);
}

void ts_display_plain_phase(const struct ts_snapshot *snapshot, bool is_over, struct ts_str *out) {
  const struct ts_snapshot_phase *phase = &snapshot->phase;
  begin_line(snapshot, phase->name, out);
  if (phase->total > 0) add_count(is_over ? phase->total : phase->done, phase->total, out);
  if (is_over)
    ts_str_addf(out, " took=%ss", TS_DECIMALS(phase->seconds, 1));
  else
    add_left(snapshot, out);
  end_line(snapshot, out);
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

static void set_phase(json_t *object, const struct tessera_event *event) {
  set_text(object, "phase", event->phase);
  set_text(object, "state", event->phase_state);
  json_object_set_new(object, "done", json_integer((json_int_t)event->phase_done));
  if (event->phase_total > 0) json_object_set_new(object, "total", json_integer((json_int_t)event->phase_total));
  json_object_set_new(object, "s", milliseconds(event->phase_seconds));
}

/* What every event says of the whole. */
static void set_whole(json_t *object, const struct tessera_event *event) {
  if (event->share >= 0) json_object_set_new(object, "share", milliseconds(event->share));
  if (event->left_s >= 0) json_object_set_new(object, "left_s", milliseconds(event->left_s));
  set_text(object, "part", event->part);
}

void ts_display_json_line(const struct tessera_event *event, struct ts_str *out) {
  json_t *object = json_object();
  json_object_set_new(object, "t", milliseconds(event->elapsed_s));
  set_text(object, "ev", tessera_event_name(event->kind));
  set_text(object, "run", event->run);
  if (event->kind == TESSERA_TASK_DONE) {
    set_task(object, event);
    set_outcome(object, event);
  } else if (event->kind == TESSERA_PHASE) {
    set_phase(object, event);
  } else {
    json_object_set_new(object, "threads", json_integer((json_int_t)event->threads));
    json_object_set_new(object, "stages", stages_json(event));
  }
  set_whole(object, event);
  char *text = ts_json_dump(object, false, false);
  ts_str_add(out, text);
  ts_str_add_char(out, '\n');
  free(text);
  json_decref(object);
}
