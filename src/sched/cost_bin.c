/* Bins of calls: a bounded sample of each, its merging from run to run, and its form as bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/cost_model.h"

#include "base/alloc.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

#define FADING_CALLS  256 /* calls that earlier runs count for at most */
#define SAMPLE_FIELDS 4
#define FIELD_BYTES   ((size_t)8)
#define SAMPLE_BYTES  (SAMPLE_FIELDS * FIELD_BYTES)

/* Half octaves, without a logarithm: exact, and the same everywhere. Sizes below 1 share bin -1. */
int32_t ts_cost_bin_number(double size) {
  int exponent = 0;
  if (!(size >= 1)) return -1;
  double mantissa = frexp(size, &exponent); /* 0.5 .. 1 */
  return 2 * (exponent - 1) + (mantissa >= 0.70710678118654752);
}

void ts_cost_bin_add(struct ts_cost_bin *bin, const struct ts_cost_sample *sample) {
  bin->calls++;
  if (bin->count < TS_COST_SAMPLES) {
    bin->samples[bin->count++] = *sample;
    return;
  }
  struct ts_random random;
  ts_random_init(&random, bin->calls, 1);
  uint64_t place = ts_random_below(&random, bin->calls);
  if (place < TS_COST_SAMPLES) bin->samples[place] = *sample;
}

/* Leaves `keep` samples, drawn at random. */
static void thin(struct ts_cost_bin *bin, size_t keep, struct ts_random *random) {
  for (size_t i = 0; i < keep; i++) {
    size_t other = i + (size_t)ts_random_below(random, bin->count - i);
    struct ts_cost_sample sample = bin->samples[i];
    bin->samples[i] = bin->samples[other];
    bin->samples[other] = sample;
  }
  bin->count = keep;
}

/* How many samples of the later run stay. */
static size_t later_share(const struct ts_cost_bin *bin, const struct ts_cost_bin *later) {
  double before = bin->calls < FADING_CALLS ? (double)bin->calls : FADING_CALLS;
  double wanted = floor(TS_COST_SAMPLES * (double)later->calls / (before + (double)later->calls) + 0.5);
  double least = bin->count < TS_COST_SAMPLES ? (double)(TS_COST_SAMPLES - bin->count) : 1;
  return (size_t)fmin(fmax(wanted, least), (double)later->count);
}

void ts_cost_bin_merge(struct ts_cost_bin *bin, const struct ts_cost_bin *later) {
  struct ts_cost_bin more = *later;
  if (bin->count + more.count > TS_COST_SAMPLES) {
    struct ts_random random;
    ts_random_init(&random, bin->calls, later->calls);
    thin(&more, later_share(bin, later), &random);
    thin(bin, TS_COST_SAMPLES - more.count, &random);
  }
  memcpy(&bin->samples[bin->count], more.samples, more.count * sizeof more.samples[0]);
  bin->count += more.count;
  bin->calls += later->calls;
  bin->asked += later->asked;
  bin->cut += later->cut;
}

static void add_number(struct ts_str *out, double number) {
  uint64_t bits = 0;
  unsigned char bytes[FIELD_BYTES];
  memcpy(&bits, &number, sizeof bits);
  for (size_t i = 0; i < FIELD_BYTES; i++) bytes[i] = (unsigned char)(bits >> (8 * i));
  ts_str_add_bytes(out, bytes, sizeof bytes);
}

static double read_number(const unsigned char *bytes) {
  uint64_t bits = 0;
  double number = 0;
  for (size_t i = 0; i < FIELD_BYTES; i++) bits |= (uint64_t)bytes[i] << (8 * i);
  memcpy(&number, &bits, sizeof number);
  return number;
}

void ts_cost_bin_encode(const struct ts_cost_bin *bin, struct ts_str *out) {
  for (size_t i = 0; i < bin->count; i++) {
    const struct ts_cost_sample *sample = &bin->samples[i];
    add_number(out, sample->size);
    add_number(out, sample->seconds);
    add_number(out, sample->bytes);
    add_number(out, sample->peak_bytes);
  }
}

static bool is_sound(const struct ts_cost_sample *sample, int32_t bin) {
  const double numbers[SAMPLE_FIELDS] = {sample->size, sample->seconds, sample->bytes, sample->peak_bytes};
  for (size_t i = 0; i < SAMPLE_FIELDS; i++) {
    if (!isfinite(numbers[i]) || numbers[i] < 0) return false;
  }
  return ts_cost_bin_number(sample->size) == bin;
}

bool ts_cost_bin_decode(struct ts_cost_bin *bin, const void *bytes, size_t size) {
  const unsigned char *next = bytes;
  bin->count = 0;
  size_t count = size / SAMPLE_BYTES;
  if (size % SAMPLE_BYTES != 0 || count > TS_COST_SAMPLES || count > bin->calls || bin->cut > bin->asked) return false;
  for (size_t i = 0; i < count; i++, next += SAMPLE_BYTES) {
    struct ts_cost_sample *sample = &bin->samples[i];
    *sample = (struct ts_cost_sample){read_number(next), read_number(next + FIELD_BYTES),
                                      read_number(next + 2 * FIELD_BYTES), read_number(next + 3 * FIELD_BYTES)};
    if (!is_sound(sample, bin->number)) return false;
  }
  bin->count = count;
  return true;
}
