/* One call of an operation without an engine: look up, compute, digest, record.
 * SPDX-License-Identifier: Apache-2.0
 *
 * For a run, a stream, a worker or a test: whoever makes a call knows where its inputs come from; nothing here knows
 * plans, windows or the threads of a run. Order: find the products by their content; if there are none, compute and
 * digest them; then record. Calls of several threads may use one environment. */
#ifndef TS_RUN_CALL_H
#define TS_RUN_CALL_H

#include "data/failure.h"
#include "run/run.h"

struct ts_cache;
struct ts_pool;

/* Common to all calls of a run. */
struct ts_call_env {
  const struct ts_run_options *options; /* borrowed: store, run_id, keep_all, store_speed, memo, scratch_folder */
  struct ts_op *const *source_ops;      /* borrowed: the operations that read files */
  size_t source_count;
  const char *producer;         /* borrowed: this machine and program, for records */
  struct ts_cache *cache;       /* borrowed: products beside the store; may be NULL */
  const atomic_bool *cancelled; /* borrowed: seen by operations; may be NULL */
  uint64_t start_ns;            /* when the run began */
  /* How many threads a call may use, and the pool that has the others; NULL: its own alone. */
  size_t (*lend)(void *user, size_t input_bytes, struct ts_pool **pool);
  void *user;
};

/* All borrowed. */
struct ts_call {
  const struct ts_call_env *env;
  enum ts_node_kind kind;
  struct ts_op *op;                      /* NULL: crop and gather, which need none */
  const struct ts_value *values;         /* of the operation's parameters, canonical */
  const char *parameters_json;           /* the same in clear; NULL: made when needed */
  struct ts_key key;                     /* lineage */
  struct ts_source_file *file;           /* SOURCE: sees whether it changes; NULL: it is taken on trust */
  struct ts_pixel_size pixel_size;       /* for operations that read it; zero for all others */
  const struct ts_region *core;          /* CROP: what remains; GATHER: the image that lacks tiles; NULL */
  const struct ts_xxh128 *input_digests; /* zero: not known; may be NULL */
  const char *task;                      /* its name, for messages */
  bool is_stage_output, is_wanted;
  bool is_asked_for; /* its products are kept, also cheap ones: somebody else will ask for them */
};

struct ts_call_times {
  double start_s, wall_s, cpu_s;
  size_t worker;
  uint64_t peak_bytes;
  size_t repeats; /* SOURCE: calls beyond the first, because the file was touched meanwhile */
};

/* Per output of a call; arrays are the caller's. */
struct ts_outputs {
  size_t count;
  struct ts_data **data;         /* references, or NULL */
  struct ts_xxh128 *run_digests; /* within the run */
  struct ts_sha256 *digests;     /* only with a store */
  size_t *sizes;                 /* bytes */
};

/* call.c */
/* Computes the outputs from inputs in the order of the operation's ports (GATHER: the pieces); adds to the times.
 * False: failure (may be NULL) says why. It has what the operation wrote in either case. */
bool ts_call_compute(const struct ts_call *call, struct ts_data *const *inputs, size_t input_count,
                     struct ts_data **outputs, struct ts_call_times *times, struct ts_failure *failure);
/* Fills digests and sizes from the data. */
void ts_call_digest(const struct ts_call_env *env, struct ts_outputs *out);
/* The same from a record; sizes of the data that are there. */
void ts_outputs_recall(struct ts_outputs *out, const struct ts_record *record);

/* record.c */
/* A product by its digest, from an earlier part or the store; NULL if it is not there. */
struct ts_data *ts_call_load_product(const struct ts_call_env *env, const struct ts_sha256 *digest,
                                     struct ts_error *err);
/* Whether loading a record's products takes less time than computing them again, from inputs that are at hand or have
 * to be had first. Outputs of stages, tables, wanted products and those of this run are always loaded, and so is
 * everything while the speed of loading was not measured. Depends on the store and the options alone, so a plan and the
 * run that follows agree. */
bool ts_call_worth_loading(const struct ts_call *call, const struct ts_record *record, bool inputs_at_hand);
/* Loads the products of a call that was made before on inputs of the same content, whatever their lineage; with
 * content_key NULL, of the call with this lineage key. */
bool ts_call_find(const struct ts_call *call, const struct ts_key *content_key, struct ts_outputs *out);
/* Records the outputs; without data as an alias of the record that has them. Whether the store keeps all of them. */
bool ts_call_record(const struct ts_call *call, const struct ts_record_input *inputs, size_t input_count,
                    const struct ts_key *content_key, const struct ts_outputs *out, const struct ts_call_times *times);

#endif
