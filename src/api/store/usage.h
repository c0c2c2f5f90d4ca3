/* Who uses what a store has: its products by run and by stage.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A run uses what its task rows name, what it made, and the inputs of all these, however far back: with them every one
 * of its products could be made again without another call. Work orders, which runs name by digest, are texts. */
#ifndef TS_API_STORE_USAGE_H
#define TS_API_STORE_USAGE_H

#include "store/store.h"
#include "store/survey.h"

#include "base/map.h"

#define USAGE_NONE UINT32_MAX

struct used_product {
  struct ts_sha256 digest;
  uint64_t size_bytes, packed_bytes;
  uint32_t record;     /* the task that it is attributed to: the most expensive one; USAGE_NONE: none, as of texts */
  uint32_t mark;       /* of the walk that was there last */
  uint32_t user_count; /* runs */
  bool is_file, is_text;
  bool is_kept, is_chosen; /* gc: a run that is kept uses it; it is to be removed */
};

struct used_record {
  const char *operation;               /* in the arena */
  double seconds;                      /* 0 for one that took the result of another */
  uint32_t stage;                      /* in usage.stages */
  uint32_t made_by;                    /* run; USAGE_NONE: none that is listed */
  uint32_t first_input, input_count;   /* in usage.inputs */
  uint32_t first_output, output_count; /* in usage.outputs: products that are there */
  uint32_t mark;                       /* of the walk that was there last */
};

struct usage_run {
  const struct ts_run_row *row; /* in the arena */
  const char *name;             /* of the study or workflow, in the arena */
  uint32_t *roots;              /* owned: records that its task rows name */
  size_t root_count, root_capacity;
  uint64_t task_rows;
  uint64_t products, bytes; /* that it uses, as they lie in the store */
  uint64_t own_bytes;       /* of these, used by no other run */
  const char *kept_because; /* gc; NULL: it is not kept */
};

struct store_usage {
  struct ts_arena arena;
  struct ts_store_footprint footprint;
  struct used_product *products; /* owned, as all arrays here */
  size_t product_count, product_capacity;
  struct used_record *records;
  size_t record_count, record_capacity;
  struct ts_key *input_keys; /* until all records are known */
  uint32_t *inputs;          /* records; USAGE_NONE: not in the store */
  size_t input_count, input_capacity;
  uint32_t *outputs;
  size_t output_count, output_capacity;
  struct usage_run *runs; /* newest first */
  size_t run_count;
  const char **stages; /* of tasks; operations of those that no run lists */
  size_t stage_count, stage_capacity;
  uint64_t product_bytes, file_bytes;                /* as they lie in the store; of these, in files of their own */
  uint32_t mark;                                     /* of the last walk */
  struct ts_map by_digest, by_key, by_run, by_stage; /* -> numbers of the above */
};

void ts_usage_release(struct store_usage *usage);
/* Reads the whole store. */
bool ts_usage_read(struct store_usage *usage, struct ts_store *store, struct ts_error *err);

/* Calls the visitor for each product that the run uses, once. */
typedef void usage_visitor(void *user, struct store_usage *usage, uint32_t product);
void ts_usage_walk(struct store_usage *usage, size_t run, usage_visitor *visit, void *user);
/* Name of the stage, or operation, that a product is attributed to; "" for a text. */
const char *ts_usage_stage(const struct store_usage *usage, const struct used_product *product);
/* Files below objects/ that belong to no product. */
uint64_t ts_usage_stray_bytes(const struct store_usage *usage);

#endif
