/* What a bucket leaves behind: records of finished tasks, their products, and task rows, written all or none.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The store keeps batches, and a queue completes a bucket together with its batch; so the type lies below both. */
#ifndef TS_DATA_BATCH_H
#define TS_DATA_BATCH_H

#include "base/key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ts_record_input {
  const char *port;
  struct ts_key key; /* lineage key of what was connected there */
};

struct ts_record_output {
  const char *port;
  const char *type;        /* data type name */
  struct ts_sha256 digest; /* of the content; kept as a tombstone after eviction */
  uint64_t size_bytes;     /* unpacked */
};

/* One finished task. All pointers are borrowed by who takes it; whoever reads one back says what owns it. */
struct ts_record {
  struct ts_key key;         /* lineage */
  struct ts_key content_key; /* content key */
  bool is_alias;             /* found by content key: not executed under this lineage */
  const char *operation;
  const char *parameters_json; /* in clear, sorted keys */
  struct ts_sha256 implementation;
  const char *numeric;
  const struct ts_record_input *inputs;
  size_t input_count;
  const struct ts_record_output *outputs;
  size_t output_count;
  double seconds; /* CPU time it cost */
  uint64_t peak_bytes;
  const char *run;      /* run that made it */
  const char *producer; /* "user@host class"; behind it " #" and 16 digits where the execution of the run matters */
  int64_t made_unix_ns;
};

/* What happened to each task of a run, for status, log, explain and the report. */
struct ts_task_row {
  uint64_t task; /* number within the run */
  const char *stage;
  const char *name;
  int64_t set;  /* first parameter set that asked for it; -1: the reference run */
  int64_t unit; /* tile, file or 0 */
  struct ts_key key;
  const char *outcome;     /* "executed", "stage", "task", "cutoff", "store", "failed", "skipped" */
  double start_s, seconds; /* since the run began; wall seconds */
  double cpu_seconds;
  int32_t worker;
  const char *message; /* why it failed and what it wrote, as data/failure.h writes them; "": neither */
};

/* A product in the packed form of ts_data_pack. */
struct ts_batch_product {
  struct ts_sha256 digest;
  uint64_t size_bytes; /* unpacked */
  const void *packed;  /* borrowed from the batch */
  size_t packed_bytes;
};

/* One thing to write: a record, or a task row of a run. */
struct ts_batch_entry {
  const struct ts_record *record; /* borrowed; NULL for a task row */
  const struct ts_task_row *task; /* borrowed; NULL for a record */
  const char *run;                /* borrowed; of the task row */
};

struct ts_batch {
  const struct ts_batch_product *products; /* borrowed; no digest twice */
  size_t product_count;
  const struct ts_batch_entry *entries; /* borrowed; in the order they were put */
  size_t entry_count;
};

#endif
