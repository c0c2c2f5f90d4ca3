/* Features of labelled objects.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The label plane is turned into horizontal runs, ordered by label; each object is then a stretch of that list. Colour
 * channels are worked on one after the other to keep three planes of scratch instead of nine. Sums are taken in a
 * fixed order. */
#include "kernels/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact_math.h"
#include "kernels/cpu/label_runs.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

#define CHANNEL_NAMES(c)                                                                                               \
  c "_mean", c "_max", c "_min", c "_std", c "_entropy", c "_energy", c "_skewness", c "_kurtosis",                    \
      c "_gradient_mean", c "_gradient_std", c "_gradient_entropy", c "_gradient_energy", c "_gradient_skewness",      \
      c "_gradient_kurtosis", c "_edge_px", c "_edge_mean"

#define SHAPE_NAMES                                                                                                    \
  "label", "area", "box_x", "box_y", "box_width", "box_height", "centroid_x", "centroid_y", "major_axis",              \
      "minor_axis", "eccentricity", "extent", "perimeter", "circularity"

const char *const ts_feature_names[TS_FEATURES_COUNT] = {SHAPE_NAMES, CHANNEL_NAMES("red"), CHANNEL_NAMES("green"),
                                                         CHANNEL_NAMES("blue")};

static int compare_runs(const void *a, const void *b) {
  const struct ts_label_run *p = a;
  const struct ts_label_run *q = b;
  if (p->label != q->label) return p->label < q->label ? -1 : 1;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return (p->begin > q->begin) - (p->begin < q->begin);
}

static size_t count_objects(const struct ts_label_runs *list) {
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) count += i == 0 || list->items[i].label != list->items[i - 1].label;
  return count;
}

/* How many runs from here on belong to the same object. */
static size_t runs_of_object(const struct ts_label_runs *list, size_t first) {
  size_t end = first + 1;
  while (end < list->count && list->items[end].label == list->items[first].label) end++;
  return end - first;
}

/* ---- Shape ---- */

struct shape {
  int64_t area;
  int32_t left, top, right, bottom; /* right and bottom are one past the end */
  double x, y, xx, yy, xy;          /* sums over the pixels, counted from left and top */
};

/* 0 + 1 + ... + (n - 1), and the same of squares. In doubles: squares along a long row exceed 64 bits. */
static double sum_below(double n) { return n * (n - 1) / 2; }
static double sum_squares_below(double n) { return n * (n - 1) * (2 * n - 1) / 6; }

static struct shape measure(const struct ts_label_run *runs, size_t count) {
  struct shape s = {.left = INT32_MAX, .top = runs[0].y, .bottom = runs[count - 1].y + 1};
  for (size_t i = 0; i < count; i++) {
    if (runs[i].begin < s.left) s.left = runs[i].begin;
    if (runs[i].end > s.right) s.right = runs[i].end;
  }
  for (size_t i = 0; i < count; i++) {
    double begin = (double)(runs[i].begin - s.left);
    double end = (double)(runs[i].end - s.left);
    double y = (double)(runs[i].y - s.top);
    double sum_x = sum_below(end) - sum_below(begin);
    s.area += runs[i].end - runs[i].begin;
    s.x += sum_x;
    s.y += y * (end - begin);
    s.xx += sum_squares_below(end) - sum_squares_below(begin);
    s.yy += y * y * (end - begin);
    s.xy += y * sum_x;
  }
  return s;
}

/* Which of the four pixels of a quad with this upper left corner belong to the object, as bits. */
static int quad_at(const uint32_t *labels, int64_t width, int64_t height, uint32_t label, int64_t x, int64_t y) {
  int quad = 0;
  for (int i = 0; i < 4; i++) {
    int64_t px = x + (i & 1);
    int64_t py = y + (i >> 1);
    if (px >= 0 && px < width && py >= 0 && py < height && labels[py * width + px] == label) quad |= 1 << i;
  }
  return quad;
}

static double perimeter_of(const uint32_t *labels, int64_t width, int64_t height, uint32_t label,
                           const struct shape *s) {
  /* By pixels set: 0 nothing, 1 corner (one or three), 2 side, 3 diagonal. */
  static const uint8_t kind[16] = {0, 1, 1, 2, 1, 2, 3, 1, 1, 3, 2, 1, 2, 1, 1, 0};
  int64_t counts[4] = {0};
  for (int64_t y = s->top - 1; y < s->bottom; y++)
    for (int64_t x = s->left - 1; x < s->right; x++) counts[kind[quad_at(labels, width, height, label, x, y)]]++;
  return 0.7071 * (double)counts[1] + (double)counts[2] + 1.4142 * (double)counts[3];
}

static double root_of(double x) { return x > 0 ? sqrt(x) : 0.0; }

static void write_shape(const struct shape *s, uint32_t label, double perimeter, double *row) {
  const double pi = 3.14159265358979323846;
  double n = (double)s->area;
  double x = s->x / n;
  double y = s->y / n;
  /* A pixel is a unit square: its own second moment is 1/12. */
  double uxx = s->xx / n - x * x + 1.0 / 12.0;
  double uyy = s->yy / n - y * y + 1.0 / 12.0;
  double uxy = s->xy / n - x * y;
  double common = sqrt((uxx - uyy) * (uxx - uyy) + 4.0 * uxy * uxy);
  double major = sqrt(8.0) * root_of(uxx + uyy + common);
  double minor = sqrt(8.0) * root_of(uxx + uyy - common);
  double box_width = (double)(s->right - s->left);
  double box_height = (double)(s->bottom - s->top);
  double *to = row;
  *to++ = (double)label;
  *to++ = n;
  *to++ = (double)s->left;
  *to++ = (double)s->top;
  *to++ = box_width;
  *to++ = box_height;
  *to++ = (double)s->left + x;
  *to++ = (double)s->top + y;
  *to++ = major;
  *to++ = minor;
  *to++ = root_of(major * major - minor * minor) / major;
  *to++ = n / (box_width * box_height);
  *to++ = perimeter;
  *to++ = 4.0 * pi * n / (perimeter * perimeter);
}

static void write_shapes(const struct ts_label_runs *list, const uint32_t *labels, int64_t width, int64_t height,
                         struct ts_feature_table *table) {
  double *row = table->values;
  for (size_t i = 0; i < list->count; row += TS_FEATURES_COUNT) {
    size_t count = runs_of_object(list, i);
    struct shape shape = measure(list->items + i, count);
    uint32_t label = list->items[i].label;
    write_shape(&shape, label, perimeter_of(labels, width, height, label, &shape), row);
    i += count;
  }
}

/* ---- Channels ---- */

struct planes {
  uint8_t *channel; /* owned, like the others */
  uint8_t *gradient;
  uint8_t *edges;
};

/* Statistics of a histogram with 256 bins. */
struct statistics {
  double mean, std, entropy, energy, skewness, kurtosis;
  int min, max;
};

static void fill_histogram(const uint8_t *plane, int64_t width, const struct ts_label_run *runs, size_t count,
                           int64_t histogram[256]) {
  memset(histogram, 0, 256 * sizeof *histogram);
  for (size_t i = 0; i < count; i++) {
    const uint8_t *row = plane + runs[i].y * width;
    for (int32_t x = runs[i].begin; x < runs[i].end; x++) histogram[row[x]]++;
  }
}

static void add_moments(const int64_t histogram[256], double n, struct statistics *s) {
  double m2 = 0, m3 = 0, m4 = 0;
  for (int i = s->min; i <= s->max; i++) {
    double d = i - s->mean;
    double weighted = (double)histogram[i] * d * d;
    m2 += weighted;
    m3 += weighted * d;
    m4 += weighted * d * d;
  }
  m2 /= n;
  m3 /= n;
  m4 /= n;
  s->std = sqrt(m2);
  s->skewness = s->min < s->max ? m3 / (m2 * s->std) : 0.0;
  s->kurtosis = s->min < s->max ? m4 / (m2 * m2) : 0.0;
}

static struct statistics statistics_of(const int64_t histogram[256]) {
  struct statistics s = {.min = 256, .max = -1};
  int64_t count = 0;
  int64_t sum = 0;
  for (int i = 0; i < 256; i++) {
    if (histogram[i] == 0) continue;
    if (s.min == 256) s.min = i;
    s.max = i;
    count += histogram[i];
    sum += histogram[i] * i;
  }
  double n = (double)count;
  s.mean = (double)sum / n;
  for (int i = s.min; i <= s.max; i++) {
    if (histogram[i] == 0) continue;
    double p = (double)histogram[i] / n;
    s.entropy -= p * ts_exact_log2(p);
    s.energy += p * p;
  }
  add_moments(histogram, n, &s);
  return s;
}

static void write_channel(const struct planes *planes, int64_t width, const struct ts_label_run *runs, size_t count,
                          double *to) {
  int64_t histogram[256];
  fill_histogram(planes->channel, width, runs, count, histogram);
  struct statistics s = statistics_of(histogram);
  const double intensity[8] = {s.mean,    (double)s.max, (double)s.min, s.std,
                               s.entropy, s.energy,      s.skewness,    s.kurtosis};
  memcpy(to, intensity, sizeof intensity);
  fill_histogram(planes->gradient, width, runs, count, histogram);
  s = statistics_of(histogram);
  const double gradient[6] = {s.mean, s.std, s.entropy, s.energy, s.skewness, s.kurtosis};
  memcpy(to + 8, gradient, sizeof gradient);
  fill_histogram(planes->edges, width, runs, count, histogram);
  to[14] = (double)histogram[255];
  to[15] = 255.0 * (double)histogram[255] / (double)(histogram[255] + histogram[0]);
}

static bool write_channels(const struct ts_label_runs *list, const uint8_t *rgb, int64_t width, int64_t height,
                           struct planes *planes, struct ts_feature_table *table, struct ts_error *err) {
  for (int c = 0; c < 3; c++) {
    for (int64_t i = 0; i < width * height; i++) planes->channel[i] = rgb[3 * i + c];
    if (!ts_gradient_magnitude(planes->channel, width, height, planes->gradient, err) ||
        !ts_canny(planes->channel, width, height, 70, 90, planes->edges, err))
      return false;
    double *to = table->values + TS_FEATURES_SHAPE + (ptrdiff_t)c * TS_FEATURES_CHANNEL;
    for (size_t i = 0; i < list->count; to += TS_FEATURES_COUNT) {
      size_t count = runs_of_object(list, i);
      write_channel(planes, width, list->items + i, count, to);
      i += count;
    }
  }
  return true;
}

static bool planes_init(struct planes *planes, int64_t pixels, struct ts_error *err) {
  planes->channel = ts_scratch(pixels, 1, err);
  planes->gradient = ts_scratch(pixels, 1, err);
  planes->edges = ts_scratch(pixels, 1, err);
  return planes->channel && planes->gradient && planes->edges;
}

bool ts_features(const uint8_t *rgb, const uint32_t *labels, int64_t width, int64_t height,
                 struct ts_feature_table *table, struct ts_error *err) {
  *table = (struct ts_feature_table){0};
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct ts_label_runs list;
  struct planes planes = {0};
  bool ok = ts_label_runs_init(&list, labels, width, height, err);
  if (ok && list.count > 0) {
    qsort(list.items, list.count, sizeof *list.items, compare_runs);
    size_t objects = count_objects(&list);
    table->values = ts_scratch((int64_t)objects * TS_FEATURES_COUNT, sizeof *table->values, err);
    ok = table->values && planes_init(&planes, width * height, err);
    if (ok) {
      table->object_count = objects;
      write_shapes(&list, labels, width, height, table);
      ok = write_channels(&list, rgb, width, height, &planes, table, err);
    }
  }
  free(planes.channel);
  free(planes.gradient);
  free(planes.edges);
  ts_label_runs_release(&list);
  return ok;
}

void ts_feature_table_release(struct ts_feature_table *table) {
  free(table->values);
  *table = (struct ts_feature_table){0};
}
