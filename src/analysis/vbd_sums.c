/* Sums over base samples for many weightings at once: a product of matrices in blocks that stay in the cache.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every sum is made of one product and one addition per base sample, in the order of the base samples; lanes run over
 * columns, so neither their number nor the sizes of the blocks change a bit of the result. */
#include "analysis/vbd_int.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define TILE  ((size_t)64) /* base samples at a time */
#define WIDE  ((size_t)8)  /* columns of a block */
#define HIGH  ((size_t)4)  /* weightings of a block */
#define BLOCK (WIDE * HIGH)

/* Columns side by side; may lie at any address that suits a double, and alias one. */
typedef double four_columns __attribute__((vector_size(32), aligned(8), may_alias));
typedef double eight_columns __attribute__((vector_size(64), aligned(8), may_alias));

/* One block: sums[h][w] += weights[i][h] * terms[i][w] for i below count. */
#define ACCUMULATE(vector, first)                                                                                      \
  do {                                                                                                                 \
    vector s0 = *(const vector *)(sums + (first)), s1 = *(const vector *)(sums + WIDE + (first));                      \
    vector s2 = *(const vector *)(sums + 2 * WIDE + (first)), s3 = *(const vector *)(sums + 3 * WIDE + (first));       \
    for (size_t i = 0; i < count; i++) {                                                                               \
      vector term = *(const vector *)(terms + i * WIDE + (first));                                                     \
      const double *weight = weights + i * HIGH;                                                                       \
      s0 += weight[0] * term;                                                                                          \
      s1 += weight[1] * term;                                                                                          \
      s2 += weight[2] * term;                                                                                          \
      s3 += weight[3] * term;                                                                                          \
    }                                                                                                                  \
    *(vector *)(sums + (first)) = s0;                                                                                  \
    *(vector *)(sums + WIDE + (first)) = s1;                                                                           \
    *(vector *)(sums + 2 * WIDE + (first)) = s2;                                                                       \
    *(vector *)(sums + 3 * WIDE + (first)) = s3;                                                                       \
  } while (0)

static void accumulate(const double *weights, const double *terms, size_t count, double *sums) {
  ACCUMULATE(four_columns, 0);
  ACCUMULATE(four_columns, 4);
}

#if defined(__x86_64__)
/* The same operations in registers of twice the size. */
__attribute__((target("avx2"))) static void accumulate_avx2(const double *weights, const double *terms, size_t count,
                                                            double *sums) {
  ACCUMULATE(eight_columns, 0);
}
#endif

typedef void accumulate_function(const double *weights, const double *terms, size_t count, double *sums);

static accumulate_function *choose(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return accumulate_avx2;
#endif
  return accumulate;
}

/* Work space of one call. */
struct product {
  const struct ts_vbd *vbd; /* borrowed */
  const uint8_t *counts;    /* borrowed */
  size_t row_count;
  size_t high_blocks, wide_blocks; /* of the wider kind of columns */
  accumulate_function *accumulate;
  double *block;   /* owned; outputs of one base sample */
  double *line;    /* owned; its contributions, padded with zeros */
  double *terms;   /* owned; block of columns by block, TILE base samples each */
  double *weights; /* owned; block of weightings by block, TILE base samples each */
  double *sums;    /* owned; of one segment: block of weightings by block of columns */
};

static size_t blocks_of(size_t count, size_t size) { return (count + size - 1) / size; }

static void product_init(struct product *product, const struct ts_vbd *vbd, const uint8_t *counts, size_t row_count) {
  size_t widest = vbd->shared_columns > vbd->apart_columns ? vbd->shared_columns : vbd->apart_columns;
  *product = (struct product){.vbd = vbd, .counts = counts, .row_count = row_count, .accumulate = choose()};
  product->high_blocks = blocks_of(row_count, HIGH);
  product->wide_blocks = blocks_of(widest, WIDE);
  product->block = ts_calloc(vbd->block_rows, sizeof(double));
  product->line = ts_calloc(product->wide_blocks, WIDE * sizeof(double));
  product->terms = ts_calloc(product->wide_blocks, TILE * WIDE * sizeof(double));
  product->weights = ts_calloc(product->high_blocks, TILE * HIGH * sizeof(double));
  product->sums = ts_calloc(product->high_blocks * product->wide_blocks, BLOCK * sizeof(double));
}

static void product_release(struct product *product) {
  free(product->block);
  free(product->line);
  free(product->terms);
  free(product->weights);
  free(product->sums);
}

static void fill_terms(struct product *product, const uint32_t *samples, size_t count, bool complete, size_t wide) {
  for (size_t i = 0; i < count; i++) {
    ts_vbd_block(product->vbd, samples[i], product->block);
    memset(product->line, 0, product->wide_blocks * WIDE * sizeof(double));
    (complete ? ts_vbd_shared : ts_vbd_apart)(product->vbd, product->block, product->line);
    for (size_t w = 0; w < wide; w++) {
      memcpy(product->terms + (w * TILE + i) * WIDE, product->line + w * WIDE, WIDE * sizeof(double));
    }
  }
}

static void fill_weights(struct product *product, const uint32_t *samples, size_t count) {
  for (size_t r = 0; r < product->row_count; r++) {
    const uint8_t *counts = product->counts + r * product->vbd->sample_count;
    double *weights = product->weights + r / HIGH * (TILE * HIGH) + r % HIGH;
    for (size_t i = 0; i < count; i++) weights[i * HIGH] = counts[samples[i]];
  }
}

/* Sums of the base samples at places first .. end of the order, into the columns from `column` on. */
static void sum_places(struct product *product, size_t first, size_t end, bool complete, double *sums) {
  const struct ts_vbd *vbd = product->vbd;
  size_t columns = complete ? vbd->shared_columns : vbd->apart_columns, wide = blocks_of(columns, WIDE);
  memset(product->sums, 0, product->high_blocks * wide * BLOCK * sizeof(double));
  for (size_t place = first; place < end; place += TILE) {
    size_t count = end - place < TILE ? end - place : TILE;
    fill_terms(product, vbd->order + place, count, complete, wide);
    fill_weights(product, vbd->order + place, count);
    for (size_t b = 0; b < product->high_blocks * wide; b++) {
      product->accumulate(product->weights + b / wide * (TILE * HIGH), product->terms + b % wide * (TILE * WIDE), count,
                          product->sums + b * BLOCK);
    }
  }
  size_t stride = TS_VBD_SEGMENTS * (vbd->shared_columns + vbd->apart_columns);
  for (size_t r = 0; r < product->row_count; r++) {
    const double *blocks = product->sums + r / HIGH * wide * BLOCK + r % HIGH * WIDE;
    for (size_t c = 0; c < columns; c++) sums[r * stride + c] = blocks[c / WIDE * BLOCK + c % WIDE];
  }
}

void ts_vbd_sums(const struct ts_vbd *vbd, const uint8_t *counts, size_t row_count, double *sums) {
  ts_auto(product_release) struct product product;
  product_init(&product, vbd, counts, row_count);
  size_t first = 0;
  for (size_t s = 0; s < TS_VBD_SEGMENTS; s++) {
    double *segment = sums + s * (vbd->shared_columns + vbd->apart_columns);
    sum_places(&product, first, vbd->complete_end[s], true, segment);
    if (vbd->apart_columns) {
      sum_places(&product, vbd->complete_end[s], vbd->segment_end[s], false, segment + vbd->shared_columns);
    }
    first = vbd->segment_end[s];
  }
}
