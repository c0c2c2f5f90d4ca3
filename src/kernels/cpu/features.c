/* Features of labelled objects.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every object is a list of horizontal runs. What needs its pixels is counted first and finished then, so that an
 * object whose pieces were counted apart comes to the same bits. Only edges need the whole image, one channel after
 * the other to keep one plane of scratch instead of three; everything else is done on the pixels of the objects, which
 * threads can share. Sums are taken in a fixed order. */
#include "kernels/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact_math.h"
#include "kernels/cpu/bands.h"
#include "kernels/cpu/bits.h"
#include "kernels/cpu/canny.h"
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

/* ---- Shape ---- */

struct shape {
  int64_t area;
  int32_t left, top, right, bottom; /* right and bottom are one past the end */
  double x, y, xx, yy, xy;          /* sums over the pixels, counted from left and top */
};

/* 0 + 1 + ... + (n - 1), and the same of squares. In doubles: squares along a long row exceed 64 bits. */
static double sum_below(double n) { return n * (n - 1) / 2; }
static double sum_squares_below(double n) { return n * (n - 1) * (2 * n - 1) / 6; }

static struct shape measure(const struct ts_pixel_run *runs, size_t count) {
  struct shape s = {.left = INT32_MAX, .right = INT32_MIN, .top = runs[0].y, .bottom = runs[count - 1].y + 1};
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

/* Quads with a corner, a side, a diagonal of the object. */
struct quads {
  int64_t corner, side, diagonal;
};

/* Counts quads between two rows of words; pixels outside are not set. */
static void count_quads(struct quads *q, const uint64_t *upper, const uint64_t *lower, int64_t stride) {
  for (int64_t i = 0; i < stride; i++) {
    uint64_t a = upper[i];
    uint64_t b = a >> 1 | (i + 1 < stride ? upper[i + 1] << 63 : 0);
    uint64_t c = lower[i];
    uint64_t d = c >> 1 | (i + 1 < stride ? lower[i + 1] << 63 : 0);
    uint64_t odd = a ^ b ^ c ^ d;
    uint64_t diagonal = ~odd & ~(a ^ d) & ~(b ^ c) & (a ^ b);
    uint64_t side = ~odd & ~diagonal & (a | b | c | d) & ~(a & b & c & d);
    q->corner += __builtin_popcountll(odd);
    q->side += __builtin_popcountll(side);
    q->diagonal += __builtin_popcountll(diagonal);
  }
}

/* Two rows of the object as bits, in turn, with an empty column before its box: the upper and the lower half of a row
 * of quads. */
static bool perimeter_of(struct ts_bits *rows, const struct ts_pixel_run *runs, size_t count, const struct shape *s,
                         double *perimeter, struct ts_error *err) {
  if (!ts_bits_reserve(rows, (int64_t)s->right - s->left + 1, 2, err)) return false;
  size_t row_bytes = (size_t)rows->stride * sizeof *rows->words;
  memset(rows->words, 0, 2 * row_bytes);
  struct quads q = {0};
  size_t i = 0;
  for (int32_t y = s->top; y <= s->bottom; y++) { /* one row more, which is empty */
    uint64_t *here = ts_bits_row(rows, y & 1);
    memset(here, 0, row_bytes);
    for (; i < count && runs[i].y == y; i++)
      ts_bits_set_range(here, runs[i].begin - s->left + 1, runs[i].end - s->left + 1);
    count_quads(&q, ts_bits_row(rows, (y & 1) ^ 1), here, rows->stride);
  }
  *perimeter = HALF_DIAGONAL * (double)q.corner + (double)q.side + DIAGONAL * (double)q.diagonal;
  return true;
}

static double root_of(double x) { return x > 0 ? sqrt(x) : 0.0; }

static void write_shape(const struct shape *s, double perimeter, double *row) {
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

bool ts_features_shape(const struct ts_pixel_run *runs, size_t count, struct ts_bits *scratch, double *row,
                       struct ts_error *err) {
  struct shape shape = measure(runs, count);
  double perimeter;
  if (!perimeter_of(scratch, runs, count, &shape, &perimeter, err)) return false;
  write_shape(&shape, perimeter, row);
  return true;
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

static struct statistics statistics_of(const int64_t histogram[256], struct shares *shares) {
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

static struct ts_channel channel_of(const struct ts_feature_image *image, int channel) {
  return (struct ts_channel){image->rgb + channel, image->width, image->height, 3};
}

static void count_intensities(const struct ts_feature_image *image, const struct ts_pixel_run *runs, size_t count,
                              int channel, int64_t histogram[256]) {
  for (size_t i = 0; i < count; i++) {
    const uint8_t *row = image->rgb + 3 * ((runs[i].y + image->y) * image->width + image->x) + channel;
    for (int64_t x = runs[i].begin; x < runs[i].end; x++) histogram[row[3 * x]]++;
  }
}

static void count_gradients(const struct ts_feature_image *image, const struct ts_pixel_run *runs, size_t count,
                            int channel, int64_t histogram[256]) {
  enum { PART = 256 };
  struct ts_channel plane = channel_of(image, channel);
  for (size_t i = 0; i < count; i++) {
    const int64_t row_end = runs[i].end + image->x;
    for (int64_t begin = runs[i].begin + image->x; begin < row_end; begin += PART) {
      uint8_t gradient[PART];
      int64_t end = begin + PART < row_end ? begin + PART : row_end;
      ts_gradient_row(&plane, runs[i].y + image->y, begin, end, gradient);
      for (int64_t x = 0; x < end - begin; x++) histogram[gradient[x]]++;
    }
  }
}

void ts_features_count(const struct ts_feature_image *image, const struct ts_pixel_run *runs, size_t count,
                       struct ts_feature_counts *counts) {
  for (int c = 0; c < TS_FEATURE_CHANNELS; c++) {
    count_intensities(image, runs, count, c, counts->intensity[c]);
    count_gradients(image, runs, count, c, counts->gradient[c]);
  }
}

static void write_channel(const struct ts_feature_counts *counts, int channel, struct shares *shares, double *to) {
  struct statistics s = statistics_of(counts->intensity[channel], shares);
  to[TS_FEATURE_MEAN] = s.mean;
  to[TS_FEATURE_MAX] = (double)s.max;
  to[TS_FEATURE_MIN] = (double)s.min;
  to[TS_FEATURE_STD] = s.std;
  to[TS_FEATURE_ENTROPY] = s.entropy;
  to[TS_FEATURE_ENERGY] = s.energy;
  to[TS_FEATURE_SKEWNESS] = s.skewness;
  to[TS_FEATURE_KURTOSIS] = s.kurtosis;
  s = statistics_of(counts->gradient[channel], shares);
  to[TS_FEATURE_GRADIENT_MEAN] = s.mean;
  to[TS_FEATURE_GRADIENT_STD] = s.std;
  to[TS_FEATURE_GRADIENT_ENTROPY] = s.entropy;
  to[TS_FEATURE_GRADIENT_ENERGY] = s.energy;
  to[TS_FEATURE_GRADIENT_SKEWNESS] = s.skewness;
  to[TS_FEATURE_GRADIENT_KURTOSIS] = s.kurtosis;
}

void ts_features_finish(const struct ts_feature_counts *counts, int64_t pixels, double *row) {
  struct shares shares;
  shares_start(&shares, pixels);
  for (int c = 0; c < TS_FEATURE_CHANNELS; c++)
    write_channel(counts, c, &shares, row + TS_FEATURES_SHAPE + (ptrdiff_t)c * TS_FEATURES_CHANNEL);
}

/* ---- Edges ---- */

bool ts_features_find_edges(const struct ts_feature_image *image, int channel, struct ts_edges *edges,
                            const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct ts_channel plane = channel_of(image, channel);
  return ts_edges_find(edges, &plane, CANNY_LOW, CANNY_HIGH, threads, err);
}

int64_t ts_features_count_edges(const struct ts_feature_image *image, const struct ts_edges *edges,
                                const struct ts_pixel_run *runs, size_t count) {
  int64_t edge_px = 0;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *row = ts_edges_row(edges, runs[i].y + image->y) + image->x;
    for (int64_t x = runs[i].begin; x < runs[i].end; x++) edge_px += row[x] == 255;
  }
  return edge_px;
}

void ts_features_finish_edges(int64_t edge_px, int64_t pixels, int channel, double *row) {
  double *to = row + TS_FEATURES_SHAPE + (ptrdiff_t)channel * TS_FEATURES_CHANNEL;
  to[TS_FEATURE_EDGE_PX] = (double)edge_px;
  to[TS_FEATURE_EDGE_MEAN] = 255.0 * (double)edge_px / (double)pixels;
}

/* ---- Threads: pieces of the list of objects ---- */

enum { PIECES_PER_THREAD = 8 };

/* Read by all threads. */
struct measuring {
  struct ts_feature_image image;
  const struct ts_object *objects; /* borrowed, like the rows */
  double *rows;                    /* of the table */
  size_t object_count;
  size_t piece_count;
  struct ts_edges edges; /* owned: of one channel at a time */
  int channel;
  struct ts_error *errors; /* owned: one per piece */
};

static size_t piece_begin(const struct measuring *m, size_t piece) { return m->object_count * piece / m->piece_count; }

/* All but the edges. */
static void measure_piece(void *context, size_t piece) {
  struct measuring *m = context;
  struct ts_bits scratch = {0};
  struct ts_feature_counts counts;
  for (size_t i = piece_begin(m, piece); i < piece_begin(m, piece + 1); i++) {
    const struct ts_object *object = &m->objects[i];
    double *row = m->rows + i * TS_FEATURES_COUNT;
    row[TS_FEATURE_LABEL] = (double)object->label;
    if (!ts_features_shape(object->runs, object->count, &scratch, row, &m->errors[piece])) break;
    memset(&counts, 0, sizeof counts);
    ts_features_count(&m->image, object->runs, object->count, &counts);
    ts_features_finish(&counts, (int64_t)row[TS_FEATURE_AREA], row);
  }
  ts_bits_release(&scratch);
}

static void count_edges_of_piece(void *context, size_t piece) {
  const struct measuring *m = context;
  for (size_t i = piece_begin(m, piece); i < piece_begin(m, piece + 1); i++) {
    const struct ts_object *object = &m->objects[i];
    double *row = m->rows + i * TS_FEATURES_COUNT;
    int64_t edge_px = ts_features_count_edges(&m->image, &m->edges, object->runs, object->count);
    ts_features_finish_edges(edge_px, (int64_t)row[TS_FEATURE_AREA], m->channel, row);
  }
}

/* The objects must be those of the rows. */
static bool measure_rows(struct measuring *m, const struct ts_kernel_threads *threads, struct ts_error *err) {
  m->piece_count = threads && threads->count > 1 ? threads->count * PIECES_PER_THREAD : 1;
  m->errors = ts_scratch_zero((int64_t)m->piece_count, sizeof *m->errors, err);
  if (!m->errors) return false;
  ts_pieces_run(threads, m->piece_count, measure_piece, m);
  bool ok = true;
  for (size_t i = 0; ok && i < m->piece_count; i++) {
    ok = m->errors[i].code == TS_ERR_OK;
    if (!ok && err) *err = m->errors[i];
  }
  ts_scratch_free(m->errors);
  return ok;
}

bool ts_features_rows(const struct ts_feature_image *image, const struct ts_object *objects, size_t count, double *rows,
                      const struct ts_kernel_threads *threads, struct ts_error *err) {
  struct measuring m = {.image = *image, .objects = objects, .object_count = count};
  m.rows = rows;
  return measure_rows(&m, threads, err);
}

static bool measure_objects(struct measuring *m, const struct ts_kernel_threads *threads, struct ts_error *err) {
  bool ok = measure_rows(m, threads, err);
  for (m->channel = 0; ok && m->channel < TS_FEATURE_CHANNELS; m->channel++) {
    ok = ts_features_find_edges(&m->image, m->channel, &m->edges, threads, err);
    if (ok) ts_pieces_run(threads, m->piece_count, count_edges_of_piece, m);
  }
  ts_edges_release(&m->edges);
  return ok;
}

bool ts_features(const uint8_t *rgb, const uint32_t *labels, int64_t width, int64_t height,
                 struct ts_feature_table *table, const struct ts_kernel_threads *threads, struct ts_error *err) {
  *table = (struct ts_feature_table){0};
  struct ts_objects objects;
  bool ok = ts_objects_of_labels(labels, width, height, &objects, err);
  if (ok && objects.count > 0) {
    ok = (table->values = ts_scratch((int64_t)objects.count * TS_FEATURES_COUNT, sizeof *table->values, err)) != NULL;
    if (ok) {
      table->object_count = objects.count;
      struct measuring m = {.image = {.rgb = rgb, .width = width, .height = height},
                            .objects = objects.items,
                            .rows = table->values,
                            .object_count = objects.count};
      ok = measure_objects(&m, threads, err);
    }
  }
  ts_objects_release(&objects);
  return ok;
}

void ts_feature_table_release(struct ts_feature_table *table) {
  ts_scratch_free(table->values);
  *table = (struct ts_feature_table){0};
}
