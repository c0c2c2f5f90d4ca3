/* The plan: which distinct tasks a design needs, each once, and which run uses which product. Read-only once made.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A plan is made once per design and does not know tiles: a node is "this operation with these parameters on these
 * inputs", and every tile (file, dataset) instantiates the same graph with its own keys. Planning cost and memory
 * therefore do not grow with the number of tiles. Nodes are in an order in which each follows its inputs. */
#ifndef TS_PLAN_PLAN_H
#define TS_PLAN_PLAN_H

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "workflow/workflow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TS_NO_NODE UINT32_MAX

/* none: every run computes everything. stage: equal stages are shared. lineage: every equal task is shared. The others
 * plan as lineage does and then split stages into buckets for workers that do not share memory (plan/bucket.h). */
enum ts_merge {
  TS_MERGE_LINEAGE,
  TS_MERGE_STAGE,
  TS_MERGE_NONE,
  TS_MERGE_NAIVE,
  TS_MERGE_SCA,
  TS_MERGE_RTMA,
  TS_MERGE_TRTMA
};
bool ts_merge_parse(const char *name, enum ts_merge *merge);
const char *ts_merge_name(enum ts_merge merge);
bool ts_merge_shares_tasks(enum ts_merge merge); /* not stages alone, or nothing */
bool ts_merge_needs_buckets(enum ts_merge merge);

/* TASK: an operation of the workflow. SOURCE: reads a workflow input. CROP: cuts a tile's halo off. GATHER: joins the
 * pieces of a finer scope. */
enum ts_node_kind { TS_NODE_TASK, TS_NODE_SOURCE, TS_NODE_CROP, TS_NODE_GATHER };

struct ts_node_input {
  uint32_t node; /* TS_NO_NODE: optional port, not connected */
  uint32_t port; /* output port of that node */
};

struct ts_node {
  enum ts_node_kind kind;
  enum ts_scope scope;
  uint32_t task;       /* TASK: index in the workflow; SOURCE: index of the workflow input */
  uint32_t first_set;  /* the first run that asks for it, in the order of execution */
  uint32_t run_count;  /* how many runs of the design use it */
  bool reference_only; /* asked for by the reference run alone */
  uint32_t input_count;
  uint32_t sampled_for;               /* SOURCE: 1 + the stage whose sample_px limits what is read; 0: all is read */
  const struct ts_node_input *inputs; /* operation's port order; CROP and GATHER: one */
  const struct ts_value *parameters;  /* canonical, operation's order; TASK only */
};

struct ts_task_count {
  size_t requested;    /* runs that ask for this task */
  size_t stage_reused; /* avoided because the whole stage is shared */
  size_t task_reused;  /* avoided because the task is shared */
  size_t distinct;     /* the remainder */
  size_t reference_distinct;
};

struct ts_plan_options {
  enum ts_merge merge;
  bool raw_values;                /* compare values as given, not in canonical form */
  bool crop_halo;                 /* tiles have a halo */
  bool chain;                     /* a task is shared only if all earlier tasks of its stage are the same, too */
  bool keep_instances;            /* fill ts_plan.instances, for buckets; not with merge none */
  size_t only_stage;              /* TS_NONE, or the stage to run alone; see plan.c */
  const bool *supplied;           /* per workflow input: the dataset has files for it */
  const struct ts_source *wanted; /* products wanted from every run */
  size_t wanted_count;
};

/* The distinct instances of a stage, in the order in which runs ask for them. */
struct ts_stage_instances {
  size_t count;
  const uint32_t *nodes; /* instance after instance, the nodes of the stage's tasks; TS_NO_NODE: not needed */
  const uint32_t *runs;  /* the first run that asks for each */
};

struct ts_plan {
  struct ts_arena arena;              /* owns everything below */
  const struct ts_workflow *workflow; /* borrowed */
  struct ts_plan_options options;
  struct ts_node *nodes;
  size_t node_count;
  size_t set_count;
  size_t wanted_count;
  /* The node that makes wanted product w of run s: products[s * wanted_count + w]; the port beside it. */
  struct ts_node_input *products;
  /* Wanted products of the run with default parameters; node TS_NO_NODE if they are not needed. */
  struct ts_node_input *reference_products;
  struct ts_task_count *counts; /* per task of the workflow */
  bool *active;                 /* per task: whether any run needs it; then per task, whether the reference run does */
  struct ts_stage_instances *instances; /* per stage of the workflow; NULL without keep_instances */
  const uint32_t *set_order;            /* runs in the order of execution (depth first along the reuse tree) */
  enum ts_scope coarsest;               /* coarsest scope of any node: its units are open at once */
};

/* sets: set_count rows of workflow->parameter_count values, all inside their domains. want_reference: also plan the
 * wanted products of the run with default parameters (for pictures), beside those the workflow itself needs. */
struct ts_plan *ts_plan_create(const struct ts_workflow *workflow, const struct ts_value *sets, size_t set_count,
                               const struct ts_plan_options *options, bool want_reference, struct ts_error *err);
/* Whether a product can be made from the supplied inputs. */
bool ts_plan_can_make(const struct ts_workflow *workflow, const bool *supplied, const struct ts_source *source);
void ts_plan_destroy(struct ts_plan *plan);

/* Marks the ports that the plan wants as bits, per node; adds to those that are set. */
void ts_plan_mark_wanted(const struct ts_plan *plan, uint64_t *ports);

/* The walk backwards from a wanted vertex to all that it needs, depth first, inputs in their order. The one such walk,
 * whatever the graph: tasks of a workflow (active.c), nodes of a plan, instances of a window (run/window.c). */
typedef bool ts_walk_enter(void *user, size_t vertex); /* whether to go on to what the vertex reads */
struct ts_walk {
  /* The vertices that one input reads: *count from *first on. False: the vertex has no more inputs. */
  bool (*input)(const void *graph, size_t vertex, size_t input, size_t *first, size_t *count);
  const void *graph;                        /* borrowed */
  bool *met;                                /* borrowed: per vertex, entered already; NULL: enter remembers it */
  ts_walk_enter *enter;                     /* may be NULL if met is not */
  void (*leave)(void *user, size_t vertex); /* all that an entered vertex reads has been walked; may be NULL */
  void *user;
};
void ts_walk_back(const struct ts_walk *walk, size_t vertex);
/* From a node of a plan; from TS_NO_NODE nowhere. */
void ts_plan_walk(const struct ts_plan *plan, uint32_t node, bool *met, ts_walk_enter *enter, void *user);

/* The identity of a task: bytes that are equal exactly when kind, operation, parameters and inputs are. What an
 * operation and an input are known by is the caller's choice: in a plan the task of the workflow and nodes, in a run
 * the recipe and contents. Keys that outlive the process are made in base/key.h. */
struct ts_identity {
  enum ts_node_kind kind;
  uint64_t operation;
  const struct ts_value *parameters;     /* borrowed; canonical */
  const void *inputs;                    /* borrowed: input_count times input_bytes */
  uint32_t parameter_count, input_count; /* the first below 2^24 */
  size_t input_bytes;                    /* the same wherever identities are compared */
};
void ts_identity_add(const struct ts_identity *identity, struct ts_str *bytes);
void ts_node_add_identity(const struct ts_workflow *workflow, const struct ts_node *node, struct ts_str *bytes);

/* "segment.split" for messages; source nodes "image". The buffer is the caller's. */
const char *ts_plan_node_name(const struct ts_plan *plan, uint32_t node, char *buffer, size_t size);

#endif
