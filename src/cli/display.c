/* Decides when progress is shown: redrawing in place, a line now and then, a line per task, or nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli/display.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/const.h"
#include "base/error.h"
#include "base/log.h"

#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#define MS             UINT64_C(1000000)
#define REDRAW_NS      (200 * MS)   /* at most five times a second */
#define CLOCK_NS       (1000 * MS)  /* how long a shown time may stand still */
#define PLAIN_NS       (10000 * MS) /* between two lines about the same stage */
#define FIRST_NS       (100 * MS)   /* before something is shown of a call that has no tasks yet */
#define LONG_PHASE_S   1            /* a shorter one has no plain line of its own at its end */
#define TICKER_WAIT_NS (50 * MS)

struct ts_display {
  struct ts_display_options options;
  pthread_mutex_t lock; /* guards everything below; taken under the log's lock, never the other way round */
  struct ts_snapshot snapshot;
  bool has_news; /* the snapshot is of something */
  uint64_t told_ns, first_told_ns;
  uint64_t shown_ns; /* when something was drawn, written or cleared */
  bool shown;
  struct ts_str drawn; /* on the terminal, above the cursor */
  bool *announced;     /* owned; plain: stages whose last line was written */
  size_t last_stage;   /* plain: of the last task */
  int stops_noticed;   /* of those the user asked for */
  pthread_t ticker;
  pthread_cond_t wake; /* the ticker is to end */
  bool ticking, ending;
};

static void write_out(const struct ts_display *display, const struct ts_str *text) {
  if (text->length == 0) return;
  fwrite(text->data, 1, text->length, display->options.out);
  fflush(display->options.out);
}

static void free_stages(struct ts_snapshot *snapshot) {
  for (size_t i = 0; i < snapshot->stage_count; i++) free(ts_without_const(snapshot->stages[i].name));
  free(snapshot->stages);
  snapshot->stages = NULL;
  snapshot->stage_count = 0;
}

static void take_phase(struct ts_snapshot_phase *phase, const struct tessera_event *event) {
  *phase = (struct ts_snapshot_phase){.name = ""};
  if (event->kind != TESSERA_PHASE) return;
  snprintf(phase->name, sizeof phase->name, "%s", event->phase);
  phase->done = event->phase_done;
  phase->total = event->phase_total;
  phase->seconds = event->phase_seconds;
}

/* The names seldom change: they are copied only when they do. */
static void snapshot_take(struct ts_snapshot *snapshot, const struct tessera_event *event) {
  bool same = snapshot->stage_count == event->stage_count;
  for (size_t i = 0; same && i < event->stage_count; i++) {
    same = strcmp(snapshot->stages[i].name, event->stages[i].name) == 0;
  }
  if (!same) {
    free_stages(snapshot);
    snapshot->stages = ts_calloc(event->stage_count, sizeof *snapshot->stages);
    snapshot->stage_count = event->stage_count;
    for (size_t i = 0; i < event->stage_count; i++) snapshot->stages[i].name = ts_strdup(event->stages[i].name);
  }
  for (size_t i = 0; i < event->stage_count; i++) {
    const char *name = snapshot->stages[i].name;
    snapshot->stages[i] = event->stages[i];
    snapshot->stages[i].name = name;
  }
  snprintf(snapshot->run, sizeof snapshot->run, "%s", event->run ? event->run : "");
  snapshot->elapsed_s = event->elapsed_s;
  snapshot->left_s = event->left_s;
  snapshot->threads = event->threads;
  snapshot->share = event->share;
  snapshot->tasks_ended = snapshot->tasks_ended || event->kind == TESSERA_RUN_END;
  snprintf(snapshot->part, sizeof snapshot->part, "%s", event->part ? event->part : "");
  take_phase(&snapshot->phase, event);
}

/* The snapshot with its times moved on to now; shares the stages. */
static struct ts_snapshot snapshot_now(const struct ts_display *display, uint64_t now) {
  struct ts_snapshot snapshot = display->snapshot;
  double since_s = (double)(now - display->told_ns) / 1e9;
  snapshot.elapsed_s += since_s;
  snapshot.phase.seconds += since_s;
  if (snapshot.left_s >= 0) snapshot.left_s -= since_s; /* below zero the forecast was wrong: there is none */
  return snapshot;
}

static int stops(const struct ts_display *display) {
  return display->options.stop ? __atomic_load_n(display->options.stop, __ATOMIC_RELAXED) : 0;
}

/* Rows that a text takes on a screen of so many columns; lines that were drawn for a wider one are broken by now. */
static size_t rows_of(const struct ts_str *text, size_t width) {
  size_t rows = 0, columns = 0;
  for (size_t i = 0; i < text->length; i++) {
    const unsigned char c = (unsigned char)text->data[i];
    if (c == 0x1b) {
      while (i < text->length && text->data[i] != 'm') i++; /* colours are all that lines contain */
    } else if (c == '\n') {
      rows += columns > width && width > 0 ? (columns + width - 1) / width : 1;
      columns = 0;
    } else {
      columns += (c & 0xC0) != 0x80;
    }
  }
  return rows;
}

static void add_erase(struct ts_display *display, size_t width, struct ts_str *out) {
  const size_t rows = rows_of(&display->drawn, width);
  if (rows > 0) ts_str_addf(out, "\r\x1b[%zuA\x1b[J", rows);
  ts_str_clear(&display->drawn);
}

static void ask_size(struct ts_display_options *options) {
  struct winsize size;
  bool known = ioctl(fileno(options->out), TIOCGWINSZ, &size) == 0;
  if (options->width == 0) options->width = known && size.ws_col ? size.ws_col : 80;
  if (options->height == 0) options->height = known && size.ws_row ? size.ws_row : 24;
}

static void draw(struct ts_display *display, uint64_t now) {
  struct ts_display_options options = display->options;
  ask_size(&options);
  struct ts_snapshot snapshot = snapshot_now(display, now);
  struct ts_str text = {0};
  add_erase(display, (size_t)options.width, &text);
  ts_display_draw(&snapshot, &options, &display->drawn);
  ts_str_add_bytes(&text, display->drawn.data, display->drawn.length);
  write_out(display, &text);
  ts_str_release(&text);
  display->shown = true;
  display->shown_ns = now;
}

static void write_line(struct ts_display *display, struct ts_str *line, uint64_t now) {
  write_out(display, line);
  ts_str_release(line);
  display->shown = true;
  display->shown_ns = now;
}

static void write_plain(struct ts_display *display, size_t stage, uint64_t now) {
  struct ts_snapshot snapshot = snapshot_now(display, now);
  struct ts_str line = {0};
  ts_display_plain_line(&snapshot, stage, &line);
  write_line(display, &line, now);
}

static void write_phase(struct ts_display *display, bool is_over, uint64_t now) {
  struct ts_snapshot snapshot = snapshot_now(display, now);
  struct ts_str line = {0};
  ts_display_plain_phase(&snapshot, is_over, &line);
  write_line(display, &line, now);
}

/* The stage of the last task, or the next one that is not finished. */
static size_t current_stage(const struct ts_display *display) {
  const struct ts_snapshot *snapshot = &display->snapshot;
  size_t stage = display->last_stage;
  for (size_t i = 0; i < snapshot->stage_count && display->announced[stage]; i++) {
    stage = (stage + 1) % snapshot->stage_count;
  }
  return stage;
}

/* The first line comes early, so that it is seen that something happens. */
static bool is_line_due(const struct ts_display *display, uint64_t now) {
  return now - (display->shown ? display->shown_ns : display->first_told_ns) >= (display->shown ? PLAIN_NS : FIRST_NS);
}

/* A stage that a later round has made longer is announced again when it is done again. */
static void announce_finished(struct ts_display *display, uint64_t now) {
  const struct ts_snapshot *snapshot = &display->snapshot;
  for (size_t i = 0; i < snapshot->stage_count; i++) {
    const struct tessera_stage *stage = &snapshot->stages[i];
    const bool was_announced = display->announced[i];
    display->announced[i] = stage->done >= stage->total && !ts_stage_is_open(stage);
    const bool idle = stage->total == 0 && stage->reused == 0;
    if (display->announced[i] && !was_announced && !idle) write_plain(display, i, now);
  }
}

static void show_plain(struct ts_display *display, uint64_t now) {
  announce_finished(display, now);
  if (!is_line_due(display, now)) return;
  if (*display->snapshot.phase.name) {
    write_phase(display, false, now);
  } else if (display->snapshot.stage_count > 0) {
    size_t stage = current_stage(display);
    if (!display->announced[stage]) write_plain(display, stage, now);
  }
}

/* The end of a phase: the last that is seen of it. */
static void end_phase(struct ts_display *display, const struct tessera_event *event, uint64_t now) {
  if (event->kind != TESSERA_PHASE || strcmp(event->phase_state, "end") != 0) return;
  if (display->options.mode == TS_DISPLAY_PLAIN && event->phase_seconds >= LONG_PHASE_S)
    write_phase(display, true, now);
  *display->snapshot.phase.name = '\0';
}

static void show_json(const struct ts_display *display, const struct tessera_event *event) {
  struct ts_str line = {0};
  ts_display_json_line(event, &line);
  write_out(display, &line);
  ts_str_release(&line);
}

/* A call that is over at once, before it has tasks, shows nothing. */
static bool is_drawing_due(const struct ts_display *display, uint64_t now) {
  if (display->shown) return now - display->shown_ns >= REDRAW_NS;
  return display->snapshot.stage_count > 0 || now - display->first_told_ns >= FIRST_NS;
}

/* Says once per stop what it does; the terminal shows it in its last line. */
static bool notice_stop(struct ts_display *display) {
  int count = stops(display);
  if (display->stops_noticed == count) return false;
  display->stops_noticed = count;
  if (display->options.mode == TS_DISPLAY_PLAIN && !display->options.ends) {
    fprintf(display->options.out, "%s\n", ts_display_stop_text(count));
    fflush(display->options.out);
  }
  return true;
}

static size_t stage_of_task(const struct tessera_event *event) {
  for (size_t i = 0; event->stage && i < event->stage_count; i++) {
    if (strcmp(event->stages[i].name, event->stage) == 0) return i;
  }
  return 0;
}

static void keep_event(struct ts_display *display, const struct tessera_event *event, uint64_t now) {
  bool other_count = event->stage_count != display->snapshot.stage_count;
  snapshot_take(&display->snapshot, event);
  if (other_count || !display->announced) {
    free(display->announced);
    display->announced = ts_calloc(event->stage_count + 1, sizeof *display->announced);
  }
  if (!display->has_news) display->first_told_ns = now;
  display->has_news = true;
  display->told_ns = now;
  display->last_stage = stage_of_task(event);
}

void ts_display_on_event(void *user, const struct tessera_event *event) {
  struct ts_display *display = user;
  pthread_mutex_lock(&display->lock);
  uint64_t now = ts_clock_ns(); /* under the lock: never before a time that is already noted */
  keep_event(display, event, now);
  notice_stop(display);
  end_phase(display, event, now);
  switch (display->options.mode) {
  case TS_DISPLAY_NONE: break;
  case TS_DISPLAY_TERMINAL:
    if (is_drawing_due(display, now)) draw(display, now);
    break;
  case TS_DISPLAY_PLAIN: show_plain(display, now); break;
  case TS_DISPLAY_JSON: show_json(display, event); break;
  }
  pthread_mutex_unlock(&display->lock);
}

void ts_display_tick(struct ts_display *display) {
  pthread_mutex_lock(&display->lock);
  uint64_t now = ts_clock_ns();
  bool pausing = notice_stop(display);
  if (display->has_news && display->options.mode == TS_DISPLAY_TERMINAL) {
    const uint64_t wait_ns = pausing ? REDRAW_NS : CLOCK_NS;
    if (display->shown ? now - display->shown_ns >= wait_ns : is_drawing_due(display, now)) draw(display, now);
  } else if (display->has_news && display->options.mode == TS_DISPLAY_PLAIN) {
    show_plain(display, now);
  }
  pthread_mutex_unlock(&display->lock);
}

/* Before a message of the log. Nothing is drawn for a moment, so that the message is written first. */
static void clear_for_message(void *user) {
  struct ts_display *display = user;
  pthread_mutex_lock(&display->lock);
  struct ts_display_options options = display->options;
  struct ts_str text = {0};
  ask_size(&options);
  add_erase(display, (size_t)options.width, &text);
  write_out(display, &text);
  ts_str_release(&text);
  display->shown_ns = ts_clock_ns();
  pthread_mutex_unlock(&display->lock);
}

struct ts_display *ts_display_create(const struct ts_display_options *options) {
  struct ts_display *display = ts_calloc(1, sizeof *display);
  display->options = *options;
  pthread_mutex_init(&display->lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&display->wake, &attributes);
  pthread_condattr_destroy(&attributes);
  if (options->mode == TS_DISPLAY_TERMINAL) ts_log_set_before_message(clear_for_message, display);
  return display;
}

static bool wait_for_tick(struct ts_display *display) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  uint64_t ns = (uint64_t)until.tv_nsec + TICKER_WAIT_NS;
  until.tv_sec += (time_t)(ns / (1000 * MS));
  until.tv_nsec = (long)(ns % (1000 * MS));
  pthread_mutex_lock(&display->lock);
  if (!display->ending) pthread_cond_timedwait(&display->wake, &display->lock, &until);
  bool more = !display->ending;
  pthread_mutex_unlock(&display->lock);
  return more;
}

static void *tick_on(void *argument) {
  while (wait_for_tick(argument)) ts_display_tick(argument);
  return NULL;
}

/* Without the thread the display is only less lively. */
void ts_display_start_ticker(struct ts_display *display) {
  bool useful = display->options.mode == TS_DISPLAY_TERMINAL || display->options.mode == TS_DISPLAY_PLAIN;
  if (useful && !display->ticking) display->ticking = pthread_create(&display->ticker, NULL, tick_on, display) == 0;
}

void ts_display_destroy(struct ts_display *display) {
  if (!display) return;
  if (display->ticking) {
    pthread_mutex_lock(&display->lock);
    display->ending = true;
    pthread_cond_signal(&display->wake);
    pthread_mutex_unlock(&display->lock);
    pthread_join(display->ticker, NULL);
  }
  if (display->options.mode == TS_DISPLAY_TERMINAL) {
    ts_log_set_before_message(NULL, NULL);
    clear_for_message(display);
  }
  free_stages(&display->snapshot);
  free(display->announced);
  ts_str_release(&display->drawn);
  pthread_cond_destroy(&display->wake);
  pthread_mutex_destroy(&display->lock);
  free(display);
}

bool ts_display_counts(struct ts_display *display, uint64_t *done, uint64_t *total) {
  pthread_mutex_lock(&display->lock);
  *done = *total = 0;
  for (size_t i = 0; i < display->snapshot.stage_count; i++) {
    *done += display->snapshot.stages[i].done;
    *total += display->snapshot.stages[i].total;
  }
  bool has_news = display->has_news;
  pthread_mutex_unlock(&display->lock);
  return has_news;
}
