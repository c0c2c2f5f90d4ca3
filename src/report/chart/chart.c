/* Chart mathematics: axes with nice ticks, the room that text needs, and labels that do not collide.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report/chart/chart.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* The smallest of 1, 2, 5 times a power of ten that is not below `rough` (> 0); *decimals: digits its multiples
 * need. */
static double nice_step(double rough, int *decimals) {
  int exponent = (int)floor(log10(rough));
  static const double factors[] = {1, 2, 5, 10};
  for (size_t i = 0; i < 4; i++) {
    /* Divided by an exact power of ten rather than multiplied by an inexact one: 0.1 is then the double nearest 0.1. */
    double step = exponent < 0 ? factors[i] / pow(10, -exponent) : factors[i] * pow(10, exponent);
    if (step < rough * (1 - 1e-9)) continue;
    int digits = i == 3 ? -exponent - 1 : -exponent;
    *decimals = digits > 0 ? digits : 0;
    return step;
  }
  return rough;
}

/* Ticks at whole multiples of a step, from the one next to low (before it, or if `inside` after it) to that next to
 * high; the smallest step that gives at most max_ticks of them. */
static void choose_ticks(struct ts_axis *axis, double low, double high, size_t max_ticks, bool inside) {
  if (max_ticks < 2) max_ticks = 2;
  if (!(high > low) || !isfinite(high - low)) high = low + 1;
  axis->low = low;
  axis->high = high;
  double rough = (high - low) / (double)max_ticks, slack = 1e-9;
  for (int i = 0; i < 8; i++) {
    axis->step = nice_step(rough, &axis->decimals);
    double from = low / axis->step, to = high / axis->step;
    double first = inside ? ceil(from - slack) : floor(from + slack),
           last = inside ? floor(to + slack) : ceil(to - slack);
    axis->first = first * axis->step;
    axis->tick_count = last >= first ? (size_t)(last - first) + 1 : 0;
    if (axis->tick_count <= max_ticks) return;
    rough = axis->step * 1.5;
  }
}

void ts_axis_fit(struct ts_axis *axis, double low, double high, size_t max_ticks) {
  choose_ticks(axis, low, high, max_ticks, false);
  axis->low = axis->first;
  axis->high = ts_axis_tick(axis, axis->tick_count - 1);
}

void ts_axis_fit_tight(struct ts_axis *axis, double low, double high, size_t max_ticks) {
  choose_ticks(axis, low, high, max_ticks, true);
}

double ts_axis_tick(const struct ts_axis *axis, size_t index) {
  /* From the count of steps, so that errors do not add up and a tick at zero is zero. */
  return (round(axis->first / axis->step) + (double)index) * axis->step;
}

double ts_axis_map(const struct ts_axis *axis, double value, double from_px, double to_px) {
  return from_px + (value - axis->low) / (axis->high - axis->low) * (to_px - from_px);
}

/* Widths in em, rounded up from the widest of the usual sans-serif fonts. */
static double character_width(unsigned char c) {
  if (strchr("ijl|.,:;'!I ", c)) return 0.34;
  if (strchr("frt()[]{}/\\-\"J", c)) return 0.44;
  if (strchr("mwMW%@", c)) return 0.98;
  if (c >= '0' && c <= '9') return 0.64;
  if (strchr("csvxyzk_*^", c)) return 0.6;
  if (c >= 'a' && c <= 'z') return 0.64;
  if (strchr("+<>=~#", c)) return 0.84;
  return 0.79; /* capitals and the rest */
}

/* Bytes of the UTF-8 character at p (1 if it is none). */
static size_t character_bytes(const char *p) {
  unsigned char c = (unsigned char)*p;
  size_t size = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
  for (size_t i = 1; i < size; i++) {
    if (((unsigned char)p[i] & 0xc0) != 0x80) return 1;
  }
  return size;
}

static double width_of_character(const char *p, size_t size) {
  if (size == 1) return character_width((unsigned char)*p);
  if (size == 2 && memcmp(p, "\xc2\xa0", 2) == 0) return 0.34;
  return size == 2 ? 0.8 : 1.0; /* letters with accents and Greek; East Asian signs and arrows */
}

double ts_text_width(const char *text, double font_px) {
  double width = 0;
  for (const char *p = text; *p;) {
    size_t size = character_bytes(p);
    width += width_of_character(p, size);
    p += size;
  }
  return width * font_px;
}

char *ts_text_fit(const char *text, double font_px, double room_px) {
  if (ts_text_width(text, font_px) <= room_px) return ts_strdup(text);
  double width = 1; /* of the sign for what is missing */
  size_t length = 0;
  for (const char *p = text; *p;) {
    size_t size = character_bytes(p);
    width += width_of_character(p, size);
    if (width * font_px > room_px) break;
    p += size;
    length = (size_t)(p - text);
  }
  if (length == 0) return ts_strdup("");
  char *result = ts_malloc(length + 4);
  memcpy(result, text, length);
  memcpy(result + length, "\xe2\x80\xa6", 4);
  return result;
}

size_t ts_text_break(const char *text, double font_px, double room_px) {
  double width = 0;
  size_t end = 0, last = 0; /* after the last place to break at */
  while (text[end]) {
    size_t size = character_bytes(text + end);
    width += width_of_character(text + end, size) * font_px;
    if (width > room_px && end > 0) break;
    end += size;
    if (strchr(" ._-/:,", text[end - 1])) last = end;
  }
  return text[end] && 2 * last > end ? last : end;
}

bool ts_box_overlaps(const struct ts_box *a, const struct ts_box *b) {
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height && b->y < a->y + a->height;
}

static bool is_inside(const struct ts_box *box, const struct ts_box *frame) {
  return box->x >= frame->x && box->y >= frame->y && box->x + box->width <= frame->x + frame->width &&
         box->y + box->height <= frame->y + frame->height;
}

static bool is_free(const struct ts_box *box, const struct ts_label *labels, size_t label_count,
                    const struct ts_box *obstacles, size_t obstacle_count) {
  for (size_t i = 0; i < obstacle_count; i++) {
    if (ts_box_overlaps(box, &obstacles[i])) return false;
  }
  for (size_t i = 0; i < label_count; i++) {
    if (labels[i].placed && ts_box_overlaps(box, &labels[i].box)) return false;
  }
  return true;
}

void ts_labels_place(struct ts_label *labels, size_t count, const struct ts_box *obstacles, size_t obstacle_count,
                     const struct ts_box *frame, double font_px) {
  /* Shift of the label's middle from the point, in units of (half label + marker); nearest and most usual places
   * first. */
  static const double places[][2] = {{1, 0},     {0, -1},   {0, 1},    {-1, 0},  {1, -0.8},  {1, 0.8},
                                     {-1, -0.8}, {-1, 0.8}, {0.6, -1}, {0.6, 1}, {-0.6, -1}, {-0.6, 1}};
  for (size_t i = 0; i < count; i++) {
    struct ts_label *label = &labels[i];
    label->placed = false;
    double width = ts_text_width(label->text, font_px), height = font_px * 1.25;
    for (size_t k = 0; k < sizeof places / sizeof *places && !label->placed; k++) {
      double reach_x = width / 2 + label->radius + 4, reach_y = height / 2 + label->radius + 2;
      struct ts_box box = {.width = width, .height = height};
      box.x = label->x + places[k][0] * reach_x - width / 2;
      box.y = label->y + places[k][1] * reach_y - height / 2;
      if (!is_inside(&box, frame) || !is_free(&box, labels, i, obstacles, obstacle_count)) continue;
      label->box = box;
      label->placed = true;
    }
  }
}
