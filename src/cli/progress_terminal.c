/* The look of progress on a terminal: a head line, a line per stage, a hint.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/display.h"

#include "base/alloc.h"
#include "base/order.h"
#include "cli/text.h"

#include <string.h>

struct widths {
  size_t name, count, state;
};

/* A stage that nobody asks for is not worth a line. */
static bool is_idle(const struct tessera_stage *stage) { return stage->total == 0 && stage->reused == 0; }

static bool is_done(const struct tessera_stage *stage) { return stage->done >= stage->total; }

static void add_state(struct ts_str *out, const struct tessera_stage *stage) {
  char number[32];
  if (is_done(stage)) {
    ts_str_add(out, "done");
  } else if (stage->running > 0) {
    ts_str_addf(out, "%s running", ts_format_count(stage->running, number));
  } else if (stage->done == 0) {
    ts_str_add(out, "waiting");
  }
}

/* done <= total, so the width of the totals does for both. */
static struct widths widths_of(const struct ts_snapshot *snapshot) {
  struct widths widths = {0};
  for (size_t i = 0; i < snapshot->stage_count; i++) {
    const struct tessera_stage *stage = &snapshot->stages[i];
    char number[32];
    struct ts_str state = {0};
    if (is_idle(stage)) continue;
    add_state(&state, stage);
    widths.name = ts_larger_size(widths.name, ts_cli_text_width(stage->name));
    widths.count =
        ts_larger_size(widths.count, strlen(ts_format_count(ts_larger_size(stage->done, stage->total), number)));
    widths.state = ts_larger_size(widths.state, state.length);
    ts_str_release(&state);
  }
  return widths;
}

static void add_padded(struct ts_str *out, const char *text, size_t width) {
  ts_str_add(out, text);
  size_t columns = ts_cli_text_width(text);
  ts_cli_text_add_repeated(out, " ", width > columns ? width - columns : 0);
}

static void add_stage(struct ts_str *line, const struct tessera_stage *stage, const struct widths *widths) {
  char number[32];
  struct ts_str name = {0}, state = {0};
  ts_cli_text_add_safe(&name, stage->name);
  add_state(&state, stage);
  ts_str_add(line, "  ");
  add_padded(line, ts_str_get(&name), widths->name);
  ts_format_count(stage->done, number);
  ts_cli_text_add_repeated(line, " ", 1 + widths->count - strlen(number));
  ts_str_addf(line, "%s/", number);
  add_padded(line, ts_format_count(stage->total, number), widths->count);
  ts_str_add_char(line, ' ');
  add_padded(line, ts_str_get(&state), widths->state);
  if (stage->reused > 0) ts_str_addf(line, " %s reused", ts_format_count(stage->reused, number));
  if (stage->failed > 0) ts_str_addf(line, " %s failed", ts_format_count(stage->failed, number));
  ts_str_release(&name);
  ts_str_release(&state);
}

static void add_head(struct ts_str *line, const struct ts_snapshot *snapshot,
                     const struct ts_display_options *options) {
  char elapsed[32], left[32];
  ts_cli_text_add_safe(line, options->name);
  if (*snapshot->run) ts_str_addf(line, "-%s", snapshot->run);
  ts_str_add(line, "  ");
  ts_cli_text_add_count(line, snapshot->threads, "worker");
  ts_str_addf(line, "  %s elapsed", ts_format_duration(snapshot->elapsed_s, elapsed));
  if (snapshot->left_s >= 0) ts_str_addf(line, ", about %s left", ts_format_duration(snapshot->left_s, left));
}

/* Cuts the line to the screen (a full last column would wrap), colours it, and ends it. */
static void finish_line(struct ts_str *out, struct ts_str *line, const struct ts_display_options *options,
                        const char *color) {
  size_t length = line->length;
  if (options->width > 1) {
    size_t cut = ts_cli_text_cut(ts_str_get(line), (size_t)options->width - 1);
    length = cut < length ? cut : length;
  }
  while (length > 0 && line->data[length - 1] == ' ') length--;
  bool colored = options->color && *color;
  if (colored) ts_str_add(out, color);
  ts_str_add_bytes(out, ts_str_get(line), length);
  if (colored) ts_str_add(out, TS_PLAIN);
  ts_str_add(out, "\n");
  ts_str_clear(line);
}

/* On a low screen the finished stages go first. */
static size_t add_stages(struct ts_str *out, const struct ts_snapshot *snapshot,
                         const struct ts_display_options *options, size_t room) {
  struct widths widths = widths_of(snapshot);
  struct ts_str line = {0};
  size_t count = 0, done = 0, shown = 0;
  for (size_t i = 0; i < snapshot->stage_count; i++) {
    count += !is_idle(&snapshot->stages[i]);
    done += !is_idle(&snapshot->stages[i]) && is_done(&snapshot->stages[i]);
  }
  size_t hidden = count > room ? count - room + 1 : 0; /* the line that says so needs room as well */
  size_t to_skip = hidden < done ? hidden : done;
  for (size_t i = 0; i < snapshot->stage_count && shown + hidden < count; i++) {
    const struct tessera_stage *stage = &snapshot->stages[i];
    if (is_idle(stage)) continue;
    if (to_skip > 0 && is_done(stage)) {
      to_skip--;
      continue;
    }
    add_stage(&line, stage, &widths);
    finish_line(out, &line, options, stage->failed > 0 ? TS_RED : "");
    shown++;
  }
  if (hidden > 0) {
    ts_str_addf(&line, "  and %zu more stages", hidden);
    finish_line(out, &line, options, TS_DIM);
    shown++;
  }
  ts_str_release(&line);
  return shown;
}

/* At most 78 columns, so that a terminal of 80 shows all of it. */
const char *ts_display_stop_text(int stops) {
  if (stops == 0) return "Ctrl-C pauses; finished tasks are kept";
  if (stops == 1) return "Pausing after running tasks; a 2nd Ctrl-C makes them give up, a 3rd ends now";
  return "Giving up running tasks, within 2 seconds; a 3rd Ctrl-C ends at once";
}

size_t ts_display_draw(const struct ts_snapshot *snapshot, const struct ts_display_options *options,
                       struct ts_str *out) {
  struct ts_str line = {0};
  add_head(&line, snapshot, options);
  finish_line(out, &line, options, TS_BOLD);
  size_t room = options->height > 4 ? (size_t)options->height - 3 : options->height > 0 ? 1 : SIZE_MAX;
  size_t lines = 2 + add_stages(out, snapshot, options, room);
  int stops = options->stop ? __atomic_load_n(options->stop, __ATOMIC_RELAXED) : 0;
  ts_str_addf(&line, "  %s", options->ends ? "Ctrl-C stops" : ts_display_stop_text(stops));
  finish_line(out, &line, options, TS_DIM);
  ts_str_release(&line);
  return lines;
}
