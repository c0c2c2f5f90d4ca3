/* The look of progress on a terminal: a head line, a bar for the whole, a line per active stage or for a phase, a hint.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/display.h"

#include "base/alloc.h"
#include "base/order.h"
#include "cli/text.h"

#include <string.h>

#define BAR_MOST  24 /* columns */
#define BAR_LEAST 6

struct widths {
  size_t name, count, state;
};

bool ts_stage_is_open(const struct tessera_stage *stage) { return stage->total == 0 && stage->running > 0; }

/* Stages that wait or are done are counted in the line of the whole. */
static bool is_active(const struct tessera_stage *stage) {
  return ts_stage_is_open(stage) || (stage->done < stage->total && (stage->done > 0 || stage->running > 0));
}

static void add_state(struct ts_str *out, const struct tessera_stage *stage) {
  char number[32];
  if (stage->running > 0) ts_str_addf(out, "%s running", ts_format_count(stage->running, number));
}

/* done <= total, so the width of the totals does for both. Of all stages, so that columns stay where they are. */
static struct widths widths_of(const struct ts_snapshot *snapshot) {
  struct widths widths = {0};
  for (size_t i = 0; i < snapshot->stage_count; i++) {
    const struct tessera_stage *stage = &snapshot->stages[i];
    char number[32];
    struct ts_str state = {0};
    if (stage->total == 0 && !ts_stage_is_open(stage)) continue;
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
  ts_str_addf(line, "%s%s", number, ts_stage_is_open(stage) ? " " : "/");
  if (!ts_stage_is_open(stage)) {
    add_padded(line, ts_format_count(stage->total, number), widths->count);
    ts_str_addf(line, " %3u %% ", ts_display_percent(stage->done, stage->total));
  }
  add_padded(line, ts_str_get(&state), widths->state);
  if (stage->reused > 0) ts_str_addf(line, " %s reused", ts_format_count(stage->reused, number));
  if (stage->failed > 0) ts_str_addf(line, " %s failed", ts_format_count(stage->failed, number));
  ts_str_release(&name);
  ts_str_release(&state);
}

struct tessera_stage ts_snapshot_all(const struct ts_snapshot *snapshot) {
  struct tessera_stage all = {.name = ""};
  for (size_t i = 0; i < snapshot->stage_count; i++) {
    all.done += snapshot->stages[i].done;
    all.total += snapshot->stages[i].total;
    all.running += snapshot->stages[i].running;
    all.reused += snapshot->stages[i].reused;
    all.failed += snapshot->stages[i].failed;
  }
  return all;
}

unsigned ts_display_percent(uint64_t done, uint64_t total) {
  return ts_display_share_percent(total > 0 ? (double)done / (double)total : 0);
}

/* The small number makes up for shares such as 0.29 that are a little below their decimals. */
unsigned ts_display_share_percent(double share) {
  return share >= 1 ? 100 : share <= 0 ? 0 : (unsigned)(share * 100 + 1e-9);
}

double ts_snapshot_left(const struct ts_snapshot *snapshot) { return snapshot->left_s >= 1 ? snapshot->left_s : -1; }

/* From all of it (0) to what is needed most. */
enum { HEAD_WHOLE, HEAD_NO_WORKERS, HEAD_SHORT, HEAD_VARIANTS };

static void add_head(struct ts_str *line, const struct ts_snapshot *snapshot, const struct ts_display_options *options,
                     int variant) {
  char elapsed[32], left[32];
  const double left_s = ts_snapshot_left(snapshot);
  ts_cli_text_add_safe(line, options->name);
  if (*snapshot->run) ts_str_addf(line, "-%s", snapshot->run);
  ts_str_add(line, "  ");
  if (variant == HEAD_WHOLE && snapshot->threads > 0) {
    ts_cli_text_add_count(line, snapshot->threads, "worker");
    ts_str_add(line, "  ");
  }
  ts_str_addf(line, "%s%s", ts_format_duration(snapshot->elapsed_s, elapsed), variant == HEAD_SHORT ? "" : " elapsed");
  if (left_s >= 0)
    ts_str_addf(line, ", %s%s left", variant == HEAD_SHORT ? "" : "about ", ts_format_duration(left_s, left));
  else if (snapshot->tasks_ended)
    ts_str_add(line, ", finishing");
}

static bool fits(const struct ts_str *line, const struct ts_display_options *options) {
  return options->width <= 0 || ts_cli_text_width(ts_str_get(line)) < (size_t)options->width;
}

static void add_fitting_head(struct ts_str *line, const struct ts_snapshot *snapshot,
                             const struct ts_display_options *options) {
  for (int variant = HEAD_WHOLE; variant < HEAD_VARIANTS; variant++) {
    ts_str_clear(line);
    add_head(line, snapshot, options, variant);
    if (fits(line, options)) return;
  }
}

/* What stands behind the bar of the whole; the counts only where there is room for them. */
static void add_whole_text(struct ts_str *text, const struct ts_snapshot *snapshot, bool with_counts) {
  const struct tessera_stage all = ts_snapshot_all(snapshot);
  char done[32], total[32];
  ts_str_addf(text, " %3u %%", ts_display_share_percent(snapshot->share));
  if (*snapshot->part) ts_str_addf(text, "  %s", snapshot->part);
  if (!with_counts) return;
  ts_str_addf(text, "  %s/%s tasks", ts_format_count(all.done, done), ts_format_count(all.total, total));
  if (all.reused > 0) ts_str_addf(text, ", %s reused", ts_format_count(all.reused, done));
  if (all.failed > 0) ts_str_addf(text, ", %s failed", ts_format_count(all.failed, done));
}

/* Columns for a bar beside a text, with its brackets and indent; 0: there is no room. */
static size_t bar_room(const struct ts_str *text, const struct ts_display_options *options) {
  const size_t frame = 4, taken = ts_cli_text_width(ts_str_get(text)) + frame;
  if (options->width <= 0) return BAR_MOST;
  const size_t width = (size_t)options->width - 1;
  if (width < taken + BAR_LEAST) return 0;
  return width - taken < BAR_MOST ? width - taken : BAR_MOST;
}

static void add_bar(struct ts_str *line, double share, size_t room) {
  const size_t filled = (size_t)(share * (double)room + 1e-9);
  ts_str_add(line, "  ");
  if (room == 0) return;
  ts_str_add_char(line, '[');
  ts_cli_text_add_repeated(line, "#", filled < room ? filled : room);
  ts_cli_text_add_repeated(line, ".", filled < room ? room - filled : 0);
  ts_str_add_char(line, ']');
}

static void add_whole(struct ts_str *line, const struct ts_snapshot *snapshot,
                      const struct ts_display_options *options) {
  struct ts_str text = {0};
  add_whole_text(&text, snapshot, true);
  if (bar_room(&text, options) == 0) {
    ts_str_clear(&text);
    add_whole_text(&text, snapshot, false);
  }
  add_bar(line, snapshot->share, bar_room(&text, options));
  ts_str_add(line, ts_str_get(&text));
  ts_str_release(&text);
}

static void add_phase(struct ts_str *line, const struct ts_snapshot *snapshot) {
  const struct ts_snapshot_phase *phase = &snapshot->phase;
  char number[32];
  ts_str_addf(line, "  %s", phase->name);
  if (phase->total > 0) {
    ts_str_addf(line, " %s", ts_format_count(phase->done, number));
    ts_str_addf(line, "/%s %3u %%", ts_format_count(phase->total, number),
                ts_display_percent(phase->done, phase->total));
  }
  ts_str_addf(line, "  for %s", ts_format_duration(phase->seconds, number));
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

static size_t add_stages(struct ts_str *out, const struct ts_snapshot *snapshot,
                         const struct ts_display_options *options, size_t room) {
  struct widths widths = widths_of(snapshot);
  struct ts_str line = {0};
  size_t count = 0, shown = 0;
  for (size_t i = 0; i < snapshot->stage_count; i++) count += is_active(&snapshot->stages[i]);
  const size_t most = count <= room ? count : room > 0 ? room - 1 : 0; /* the line that says so needs room as well */
  for (size_t i = 0; i < snapshot->stage_count && shown < most; i++) {
    const struct tessera_stage *stage = &snapshot->stages[i];
    if (!is_active(stage)) continue;
    add_stage(&line, stage, &widths);
    finish_line(out, &line, options, stage->failed > 0 ? TS_RED : "");
    shown++;
  }
  if (most < count && room > 0) {
    ts_str_addf(&line, "  and %zu more stages", count - most);
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

static bool has_whole(const struct ts_snapshot *snapshot) {
  return snapshot->share >= 0 && ts_snapshot_all(snapshot).total > 0;
}

/* Head and hint come first on a low screen, then the whole, then the phase; stages get what is left. */
size_t ts_display_draw(const struct ts_snapshot *snapshot, const struct ts_display_options *options,
                       struct ts_str *out) {
  struct ts_str line = {0};
  size_t room = options->height <= 0 ? SIZE_MAX : options->height > 4 ? (size_t)options->height - 3 : 1;
  size_t lines = 2;
  add_fitting_head(&line, snapshot, options);
  finish_line(out, &line, options, TS_BOLD);
  if (has_whole(snapshot)) {
    add_whole(&line, snapshot, options);
    finish_line(out, &line, options, ts_snapshot_all(snapshot).failed > 0 ? TS_RED : "");
    lines++, room--;
  }
  if (*snapshot->phase.name && room > 0) {
    add_phase(&line, snapshot);
    finish_line(out, &line, options, "");
    lines++, room--;
  }
  lines += add_stages(out, snapshot, options, room);
  int stops = options->stop ? __atomic_load_n(options->stop, __ATOMIC_RELAXED) : 0;
  const char *hint = options->ends ? "Ctrl-C stops" : ts_display_stop_text(stops);
  ts_str_addf(&line, "  %s", hint);
  if (!fits(&line, options)) { /* 40 columns take it without the indent */
    ts_str_clear(&line);
    ts_str_add(&line, hint);
  }
  finish_line(out, &line, options, TS_DIM);
  ts_str_release(&line);
  return lines;
}
