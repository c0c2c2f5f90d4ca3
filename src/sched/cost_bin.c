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
/* In front of samples that know the bytes of ports: a number that is none, so that no size looks like it, and the
 * count of ports in its lowest bits. Samples without it have the form of earlier versions. */
#define PORTS_MARK UINT64_C(0x7ff8747300000000)
#define PORTS_BITS UINT64_C(0xffffffff)
#define UNKNOWN    (-1.0) /* bytes of a port */

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

static void add_bits(struct ts_str *out, uint64_t bits) {
  unsigned char bytes[FIELD_BYTES];
  for (size_t i = 0; i < FIELD_BYTES; i++) bytes[i] = (unsigned char)(bits >> (8 * i));
  ts_str_add_bytes(out, bytes, sizeof bytes);
}

static void add_number(struct ts_str *out, double number) {
  uint64_t bits = 0;
  memcpy(&bits, &number, sizeof bits);
  add_bits(out, bits);
}

static uint64_t read_bits(const unsigned char *bytes) {
  uint64_t bits = 0;
  for (size_t i = 0; i < FIELD_BYTES; i++) bits |= (uint64_t)bytes[i] << (8 * i);
  return bits;
}

static double read_number(const unsigned char *bytes) {
  const uint64_t bits = read_bits(bytes);
  double number = 0;
  memcpy(&number, &bits, sizeof number);
  return number;
}

void ts_cost_bin_encode(const struct ts_cost_bin *bin, struct ts_str *out) {
  size_t ports = 0;
  for (size_t i = 0; i < bin->count; i++)
    ports = bin->samples[i].port_count > ports ? bin->samples[i].port_count : ports;
  if (ports > 0) add_bits(out, PORTS_MARK | ports);
  for (size_t i = 0; i < bin->count; i++) {
    const struct ts_cost_sample *sample = &bin->samples[i];
    add_number(out, sample->size);
    add_number(out, sample->seconds);
    add_number(out, sample->bytes);
    add_number(out, sample->peak_bytes);
    for (size_t p = 0; p < ports; p++) add_number(out, p < sample->port_count ? sample->port_bytes[p] : UNKNOWN);
  }
}

static bool is_sound(const struct ts_cost_sample *sample, int32_t bin) {
  const double numbers[SAMPLE_FIELDS] = {sample->size, sample->seconds, sample->bytes, sample->peak_bytes};
  for (size_t i = 0; i < SAMPLE_FIELDS; i++) {
    if (!isfinite(numbers[i]) || numbers[i] < 0) return false;
  }
  for (size_t p = 0; p < sample->port_count; p++) {
    if (!isfinite(sample->port_bytes[p]) || sample->port_bytes[p] < 0) return false;
  }
  return ts_cost_bin_number(sample->size) == bin;
}

/* Ports are known up to one that is not. */
static void read_ports(struct ts_cost_sample *sample, const unsigned char *next, size_t ports) {
  for (size_t p = 0; p < ports; p++) {
    const double bytes = read_number(next + p * FIELD_BYTES);
    if (bytes == UNKNOWN) return;
    sample->port_bytes[sample->port_count++] = bytes;
  }
}

/* How many ports each sample has; the bytes after the mark. False: the mark is damaged. */
static bool read_mark(const unsigned char **next, size_t *size, size_t *ports) {
  *ports = 0;
  if (*size < FIELD_BYTES || (read_bits(*next) & ~PORTS_BITS) != PORTS_MARK) return true;
  *ports = (size_t)(read_bits(*next) & PORTS_BITS);
  *next += FIELD_BYTES;
  *size -= FIELD_BYTES;
  return *ports > 0 && *ports <= TS_COST_PORTS;
}

bool ts_cost_bin_decode(struct ts_cost_bin *bin, const void *bytes, size_t size) {
  const unsigned char *next = bytes;
  size_t ports = 0;
  bin->count = 0;
  if (!read_mark(&next, &size, &ports)) return false;
  const size_t sample_bytes = (SAMPLE_FIELDS + ports) * FIELD_BYTES, count = size / sample_bytes;
  if (size % sample_bytes != 0 || count > TS_COST_SAMPLES || count > bin->calls || bin->cut > bin->asked) return false;
  for (size_t i = 0; i < count; i++, next += sample_bytes) {
    struct ts_cost_sample *sample = &bin->samples[i];
    *sample = (struct ts_cost_sample){.size = read_number(next),
                                      .seconds = read_number(next + FIELD_BYTES),
                                      .bytes = read_number(next + 2 * FIELD_BYTES),
                                      .peak_bytes = read_number(next + 3 * FIELD_BYTES)};
    read_ports(sample, next + SAMPLE_FIELDS * FIELD_BYTES, ports);
    if (!is_sound(sample, bin->number)) return false;
  }
  bin->count = count;
  return true;
}
