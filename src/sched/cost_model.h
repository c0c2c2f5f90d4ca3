/* The cost model: seconds and bytes of an operation as a function of the size of its input, learnt from calls.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calls are kept by size in bins, half an octave each, of which every one holds a bounded sample. A bin gives one
 * point: the mean without values that lie far out. Between points the model is linear, beyond them in proportion, and
 * never falls. The bytes of a single output port are its share of all bytes, at the nearest size where it is known.
 * Calls on other machines or of other versions of an operation serve as a guess where there is nothing better; those of
 * another device never do. Nothing here decides a result: only where, when, and whether to compute or to load. */
#ifndef TS_SCHED_COST_MODEL_H
#define TS_SCHED_COST_MODEL_H

#include "base/digest.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_COST_SAMPLES 64    /* of a bin */
#define TS_COST_PORTS   8     /* output ports whose bytes are known one by one; those of others only in the sum */
#define TS_DEVICE_CPU   "cpu" /* the device of threads */

/* One call. Size in pixels or bytes, whatever the operation's pieces of data are measured in. */
struct ts_cost_sample {
  double size, seconds, bytes, peak_bytes; /* CPU seconds; bytes of its products; most bytes it took meanwhile */
  size_t port_count;                       /* output ports below; 0: only the sum is known */
  double port_bytes[TS_COST_PORTS];
};

/* Calls on inputs of about one size. A zeroed struct with a number is an empty bin. */
struct ts_cost_bin {
  int32_t number;      /* ts_cost_bin_number of its sizes */
  uint64_t calls;      /* seen in all */
  uint64_t asked, cut; /* calls that early cutoff could have saved, and how many it did */
  size_t count;        /* of samples */
  struct ts_cost_sample samples[TS_COST_SAMPLES];
};
int32_t ts_cost_bin_number(double size);
/* Every call that was ever added has the same chance to be among the samples. */
void ts_cost_bin_add(struct ts_cost_bin *bin, const struct ts_cost_sample *sample);
/* Adds the calls of a later run. Earlier calls fade: however many there were, they count for 256 at most. */
void ts_cost_bin_merge(struct ts_cost_bin *bin, const struct ts_cost_bin *later);
/* The samples as bytes, and back; false if they are damaged or not of this bin. calls and number are set before. */
void ts_cost_bin_encode(const struct ts_cost_bin *bin, struct ts_str *out);
bool ts_cost_bin_decode(struct ts_cost_bin *bin, const void *bytes, size_t size);

/* Mean of the values within three interquartile ranges of the quartiles. At least one value. Sorts a copy. */
double ts_robust_mean(const double *values, size_t count);

struct ts_cost_key {
  const char *operation;
  struct ts_sha256 implementation;
  const char *machine;
  const char *measure; /* "px" or "bytes" */
  const char *device;  /* what it ran on: TS_DEVICE_CPU */
};
bool ts_cost_key_equal(const struct ts_cost_key *a, const struct ts_cost_key *b);

/* A bin and whose it is. */
struct ts_cost_entry {
  struct ts_cost_key key;        /* borrowed texts */
  const struct ts_cost_bin *bin; /* borrowed */
};

/* MEASURED: this operation, on this class of machine, at sizes within a factor of 4. GUESS: another version, another
 * class, or far from any size seen. */
enum ts_cost_knowledge { TS_COST_UNKNOWN, TS_COST_GUESS, TS_COST_MEASURED };

struct ts_cost_estimate {
  enum ts_cost_knowledge knowledge;
  double seconds, bytes, peak_bytes; /* of one call; 0 if unknown */
  double executed_share; /* of the calls that early cutoff could save, those that it does not; 1 if unknown */
  size_t port_count;     /* output ports below; 0: only the sum is known */
  double port_bytes[TS_COST_PORTS];
};

struct ts_cost_model;
/* Copies the bins. Bins without samples are passed over. */
struct ts_cost_model *ts_cost_model_create(const struct ts_cost_entry *entries, size_t count);
void ts_cost_model_destroy(struct ts_cost_model *model);
struct ts_cost_estimate ts_cost_model_predict(const struct ts_cost_model *model, const struct ts_cost_key *key,
                                              double size);

/* All that is known of one key, for people. */
struct ts_cost_summary {
  struct ts_cost_key key; /* borrowed from the model */
  uint64_t calls, asked, cut;
  double size_min, size_max;
  double size, seconds, bytes, peak_bytes; /* of a call, on average */
  size_t port_count;                       /* output ports below; 0: only the sum is known */
  double port_bytes[TS_COST_PORTS];
};
size_t ts_cost_model_count(const struct ts_cost_model *model); /* of keys */
struct ts_cost_summary ts_cost_model_at(const struct ts_cost_model *model, size_t index);

#endif
