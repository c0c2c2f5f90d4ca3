/* Features of labelled objects.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The label plane is turned into horizontal runs, ordered by label; each object is then a stretch of that list. Only
 * edges need the whole image, one channel after the other to keep one plane of scratch instead of three; everything
 * else is done on the pixels of the objects, which threads can share. Sums are taken in a fixed order. */
#include "kernels/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact_math.h"
#include "kernels/cpu/bands.h"
#include "kernels/cpu/bits.h"
#include "kernels/cpu/canny.h"
#include "kernels/cpu/label_runs.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernels.h"

#define NAME(column, name) name
const char *const ts_feature_names[TS_FEATURES_COUNT] = {TS_FEATURE_LIST(NAME)};
_Static_assert(sizeof((const char *[]){TS_FEATURE_LIST(NAME)}) == sizeof ts_feature_names, "a name for every column");

/* The numbers of nscale's ObjFeatures, whose features these are. Its lengths have four digits: exact roots of 2 would
 * give other perimeters. */
#define HALF_DIAGONAL 0.7071 /* a quad's side of the boundary with one or three pixels of the object */
#define DIAGONAL      1.4142 /* and with two on a diagonal */
enum { CANNY_LOW = 70, CANNY_HIGH = 90 };

static int compare_runs(const void *a, const void *b) {
  const struct ts_label_run *p = a;
  const struct ts_label_run *q = b;
  if (p->label != q->label) return p->label < q->label ? -1 : 1;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return (p->begin > q->begin) - (p->begin < q->begin);
}

/* Orders runs by label; those of one label keep their order. Labels are small numbers as a rule: then it is enough to
 * count them. */
static bool sort_runs(struct ts_label_runs *list, struct ts_error *err) {
  uint32_t largest = 0;
  for (size_t i = 0; i < list->count; i++) largest = list->items[i].label > largest ? list->items[i].label : largest;
  if (largest / 4 > list->count) {
    qsort(list->items, list->count, sizeof *list->items, compare_runs);
    return true;
  }
  size_t *place = ts_scratch_zero((int64_t)largest + 2, sizeof *place, err);
  struct ts_label_run *sorted = place ? ts_scratch((int64_t)list->count, sizeof *sorted, err) : NULL;
  if (sorted) {
    for (size_t i = 0; i < list->count; i++) place[list->items[i].label + 1]++;
    for (uint32_t label = 1; label <= largest; label++) place[label + 1] += place[label];
    for (size_t i = 0; i < list->count; i++) sorted[place[list->items[i].label]++] = list->items[i];
    ts_scratch_free(list->items);
    list->items = sorted;
    list->capacity = list->count;
  }
  ts_scratch_free(place);
  return sorted != NULL;
}

/* A stretch of the list. */
struct object {
  const struct ts_label_run *runs; /* borrowed */
  size_t count;
};

/* The objects of an ordered list: owned by the caller, NULL with an error. */
static struct object *find_objects(const struct ts_label_runs *list, size_t *count, struct ts_error *err) {
  *count = 0;
  for (size_t i = 0; i < list->count; i++) *count += i == 0 || list->items[i].label != list->items[i - 1].label;
  struct object *objects = ts_scratch((int64_t)*count, sizeof *objects, err);
  if (!objects) return NULL;
  struct object *next = objects;
  for (size_t i = 0; i < list->count; i++) {
    if (i == 0 || list->items[i].label != list->items[i - 1].label) *next++ = (struct object){.runs = &list->items[i]};
    next[-1].count++;
  }
  return objects;
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

/* Two rows of an object as bits, with an empty column before its box: the upper and the lower half of a row of
 * quads. */
struct quad_rows {
  struct ts_bits bits; /* rows 0 and 1, in turn */
  int64_t counts[3];   /* quads with a corner, a side, a diagonal */
};

/* Counts quads between two rows of words; pixels outside are not set. */
static void count_quads(struct quad_rows *q, const uint64_t *upper, const uint64_t *lower) {
  for (int64_t i = 0; i < q->bits.stride; i++) {
    uint64_t a = upper[i];
    uint64_t b = a >> 1 | (i + 1 < q->bits.stride ? upper[i + 1] << 63 : 0);
    uint64_t c = lower[i];
    uint64_t d = c >> 1 | (i + 1 < q->bits.stride ? lower[i + 1] << 63 : 0);
    uint64_t odd = a ^ b ^ c ^ d;
    uint64_t diagonal = ~odd & ~(a ^ d) & ~(b ^ c) & (a ^ b);
    uint64_t side = ~odd & ~diagonal & (a | b | c | d) & ~(a & b & c & d);
    q->counts[0] += __builtin_popcountll(odd);
    q->counts[1] += __builtin_popcountll(side);
    q->counts[2] += __builtin_popcountll(diagonal);
  }
}

static bool perimeter_of(struct quad_rows *q, const struct object *object, const struct shape *s, double *perimeter,
                         struct ts_error *err) {
  if (!ts_bits_reserve(&q->bits, (int64_t)s->right - s->left + 1, 2, err)) return false;
  size_t row_bytes = (size_t)q->bits.stride * sizeof *q->bits.words;
  memset(q->bits.words, 0, 2 * row_bytes);
  memset(q->counts, 0, sizeof q->counts);
  size_t i = 0;
  for (int32_t y = s->top; y <= s->bottom; y++) { /* one row more, which is empty */
    uint64_t *here = ts_bits_row(&q->bits, y & 1);
    memset(here, 0, row_bytes);
    for (; i < object->count && object->runs[i].y == y; i++)
      ts_bits_set_range(here, object->runs[i].begin - s->left + 1, object->runs[i].end - s->left + 1);
    count_quads(q, ts_bits_row(&q->bits, (y & 1) ^ 1), here);
  }
  *perimeter = HALF_DIAGONAL * (double)q->counts[0] + (double)q->counts[1] + DIAGONAL * (double)q->counts[2];
  return true;
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
  row[TS_FEATURE_LABEL] = (double)label;
  row[TS_FEATURE_AREA] = n;
  row[TS_FEATURE_BOX_X] = (double)s->left;
  row[TS_FEATURE_BOX_Y] = (double)s->top;
  row[TS_FEATURE_BOX_WIDTH] = box_width;
  row[TS_FEATURE_BOX_HEIGHT] = box_height;
  row[TS_FEATURE_CENTROID_X] = (double)s->left + x;
  row[TS_FEATURE_CENTROID_Y] = (double)s->top + y;
  row[TS_FEATURE_MAJOR_AXIS] = major;
  row[TS_FEATURE_MINOR_AXIS] = minor;
  row[TS_FEATURE_ECCENTRICITY] = root_of(major * major - minor * minor) / major;
  row[TS_FEATURE_EXTENT] = n / (box_width * box_height);
  row[TS_FEATURE_PERIMETER] = perimeter;
  row[TS_FEATURE_CIRCULARITY] = 4.0 * pi * n / (perimeter * perimeter);
}

/* ---- Channels ---- */

/* Statistics of a histogram with 256 bins. */
struct statistics {
  double mean, std, entropy, energy, skewness, kurtosis;
  int min, max;
};

/* p and p * log2(p) for shares p = count / pixels of one object: histograms have the same small counts again and
 * again. */
enum { KNOWN_SHARES = 256 };

struct shares {
  double pixels;
  double share[KNOWN_SHARES];
  double term[KNOWN_SHARES]; /* 0: not computed yet, or 0 indeed */
};

static void shares_start(struct shares *s, int64_t pixels) {
  s->pixels = (double)pixels;
  memset(s->term, 0, sizeof s->term);
}

static inline double share_of(struct shares *s, int64_t count, double *term) {
  if (count < KNOWN_SHARES && s->term[count] != 0) {
    *term = s->term[count];
    return s->share[count];
  }
  double p = (double)count / s->pixels;
  *term = p * ts_exact_log2(p);
  if (count < KNOWN_SHARES) {
    s->share[count] = p;
    s->term[count] = *term;
  }
  return p;
}

static void add_moments(const int32_t histogram[256], double n, struct statistics *s) {
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

static struct statistics statistics_of(const int32_t histogram[256], struct shares *shares) {
  struct statistics s = {.min = 256, .max = -1};
  int64_t sum = 0;
  for (int i = 0; i < 256; i++) {
    if (histogram[i] == 0) continue;
    if (s.min == 256) s.min = i;
    s.max = i;
    sum += (int64_t)histogram[i] * i;
  }
  s.mean = (double)sum / shares->pixels;
  for (int i = s.min; i <= s.max; i++) {
    if (histogram[i] == 0) continue;
    double term;
    double p = share_of(shares, histogram[i], &term);
    s.entropy -= term;
    s.energy += p * p;
  }
  add_moments(histogram, shares->pixels, &s);
  return s;
}

/* Read by all threads. */
struct measuring {
  const uint8_t *rgb; /* borrowed, like all below */
  int64_t width;
  int64_t height;
  const struct object *objects;
  double *rows; /* of the table */
  size_t object_count;
  size_t piece_count;
  struct ts_edges edges; /* owned: of one channel at a time */
  int channel;
  struct ts_error *errors; /* owned: one per piece */
};

static struct ts_channel channel_of(const struct measuring *m, int channel) {
  return (struct ts_channel){m->rgb + channel, m->width, m->height, 3};
}

static void fill_histogram(const struct measuring *m, const struct object *object, int channel,
                           int32_t histogram[256]) {
  memset(histogram, 0, 256 * sizeof *histogram);
  for (size_t i = 0; i < object->count; i++) {
    const struct ts_label_run *run = &object->runs[i];
    const uint8_t *row = m->rgb + 3 * (run->y * m->width) + channel;
    for (int64_t x = run->begin; x < run->end; x++) histogram[row[3 * x]]++;
  }
}

static void fill_gradient_histogram(const struct measuring *m, const struct object *object, int channel,
                                    int32_t histogram[256]) {
  enum { PART = 256 };
  struct ts_channel plane = channel_of(m, channel);
  memset(histogram, 0, 256 * sizeof *histogram);
  for (size_t i = 0; i < object->count; i++) {
    const struct ts_label_run *run = &object->runs[i];
    for (int64_t begin = run->begin; begin < run->end; begin += PART) {
      uint8_t gradient[PART];
      int64_t end = begin + PART < run->end ? begin + PART : run->end;
      ts_gradient_row(&plane, run->y, begin, end, gradient);
      for (int64_t x = 0; x < end - begin; x++) histogram[gradient[x]]++;
    }
  }
}

static void write_channel(const struct measuring *m, const struct object *object, int channel, struct shares *shares,
                          double *to) {
  int32_t histogram[256];
  fill_histogram(m, object, channel, histogram);
  struct statistics s = statistics_of(histogram, shares);
  to[TS_FEATURE_MEAN] = s.mean;
  to[TS_FEATURE_MAX] = (double)s.max;
  to[TS_FEATURE_MIN] = (double)s.min;
  to[TS_FEATURE_STD] = s.std;
  to[TS_FEATURE_ENTROPY] = s.entropy;
  to[TS_FEATURE_ENERGY] = s.energy;
  to[TS_FEATURE_SKEWNESS] = s.skewness;
  to[TS_FEATURE_KURTOSIS] = s.kurtosis;
  fill_gradient_histogram(m, object, channel, histogram);
  s = statistics_of(histogram, shares);
  to[TS_FEATURE_GRADIENT_MEAN] = s.mean;
  to[TS_FEATURE_GRADIENT_STD] = s.std;
  to[TS_FEATURE_GRADIENT_ENTROPY] = s.entropy;
  to[TS_FEATURE_GRADIENT_ENERGY] = s.energy;
  to[TS_FEATURE_GRADIENT_SKEWNESS] = s.skewness;
  to[TS_FEATURE_GRADIENT_KURTOSIS] = s.kurtosis;
}

/* ---- Threads: pieces of the list of objects ---- */

enum { PIECES_PER_THREAD = 8 };

static size_t piece_begin(const struct measuring *m, size_t piece) { return m->object_count * piece / m->piece_count; }

/* All but the edges. */
static void measure_piece(void *context, size_t piece) {
  struct measuring *m = context;
  struct quad_rows quads = {0};
  struct shares shares;
  for (size_t i = piece_begin(m, piece); i < piece_begin(m, piece + 1); i++) {
    const struct object *object = &m->objects[i];
    double *row = m->rows + i * TS_FEATURES_COUNT;
    struct shape shape = measure(object->runs, object->count);
    double perimeter;
    if (!perimeter_of(&quads, object, &shape, &perimeter, &m->errors[piece])) break;
    write_shape(&shape, object->runs[0].label, perimeter, row);
    shares_start(&shares, shape.area);
    for (int c = 0; c < 3; c++)
      write_channel(m, object, c, &shares, row + TS_FEATURES_SHAPE + (ptrdiff_t)c * TS_FEATURES_CHANNEL);
  }
  ts_bits_release(&quads.bits);
}

static void count_edges_of_piece(void *context, size_t piece) {
  const struct measuring *m = context;
  for (size_t i = piece_begin(m, piece); i < piece_begin(m, piece + 1); i++) {
    const struct object *object = &m->objects[i];
    int64_t edges = 0;
    int64_t pixels = 0;
    for (size_t k = 0; k < object->count; k++) {
      const struct ts_label_run *run = &object->runs[k];
      const uint8_t *row = ts_edges_row(&m->edges, run->y);
      pixels += run->end - run->begin;
      for (int32_t x = run->begin; x < run->end; x++) edges += row[x] == 255;
    }
    double *to = m->rows + i * TS_FEATURES_COUNT + TS_FEATURES_SHAPE + (ptrdiff_t)m->channel * TS_FEATURES_CHANNEL;
    to[TS_FEATURE_EDGE_PX] = (double)edges;
    to[TS_FEATURE_EDGE_MEAN] = 255.0 * (double)edges / (double)pixels;
  }
}

static bool measure_objects(struct measuring *m, const struct ts_kernel_threads *threads, struct ts_error *err) {
  m->piece_count = threads && threads->count > 1 ? threads->count * PIECES_PER_THREAD : 1;
  m->errors = ts_scratch_zero((int64_t)m->piece_count, sizeof *m->errors, err);
  if (!m->errors) return false;
  ts_pieces_run(threads, m->piece_count, measure_piece, m);
  bool ok = true;
  for (size_t i = 0; ok && i < m->piece_count; i++) {
    ok = m->errors[i].code == TS_ERR_OK;
    if (!ok && err) *err = m->errors[i];
  }
  for (m->channel = 0; ok && m->channel < 3; m->channel++) {
    struct ts_channel channel = channel_of(m, m->channel);
    ok = ts_edges_find(&m->edges, &channel, CANNY_LOW, CANNY_HIGH, threads, err);
    if (ok) ts_pieces_run(threads, m->piece_count, count_edges_of_piece, m);
  }
  ts_edges_release(&m->edges);
  ts_scratch_free(m->errors);
  return ok;
}

bool ts_features(const uint8_t *rgb, const uint32_t *labels, int64_t width, int64_t height,
                 struct ts_feature_table *table, const struct ts_kernel_threads *threads, struct ts_error *err) {
  *table = (struct ts_feature_table){0};
  if (!ts_kernels_check_size(width, height, err)) return false;
  struct ts_label_runs list;
  struct object *objects = NULL;
  size_t count = 0;
  bool ok = ts_label_runs_init(&list, labels, width, height, err);
  if (ok && list.count > 0) {
    ok = sort_runs(&list, err) && (objects = find_objects(&list, &count, err)) &&
         (table->values = ts_scratch((int64_t)count * TS_FEATURES_COUNT, sizeof *table->values, err));
    if (ok) {
      table->object_count = count;
      struct measuring m = {.rgb = rgb,
                            .width = width,
                            .height = height,
                            .objects = objects,
                            .rows = table->values,
                            .object_count = count};
      ok = measure_objects(&m, threads, err);
    }
  }
  ts_scratch_free(objects);
  ts_label_runs_release(&list);
  return ok;
}

void ts_feature_table_release(struct ts_feature_table *table) {
  ts_scratch_free(table->values);
  *table = (struct ts_feature_table){0};
}
