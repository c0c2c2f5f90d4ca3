/* Shared by the files of the plan module while a plan is being built.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_PLAN_PLAN_INT_H
#define TS_PLAN_PLAN_INT_H

#include "plan/plan.h"

#include "base/map.h"
#include "base/str.h"

/* A stage met before in a run of the design. */
struct known_stage {
  size_t stage;
  uint32_t run; /* the first that asked for it */
  size_t count;
  uint32_t nodes[]; /* of its tasks */
};

struct builder {
  struct ts_plan *plan;  /* borrowed: being filled */
  struct ts_node *nodes; /* owned until copied into the plan */
  size_t node_capacity;
  struct ts_map node_map;     /* identity -> node */
  struct ts_map lineage_map;  /* chain: identity without the earlier tasks -> the first node of it */
  uint32_t *first_of_lineage; /* owned; chain: per node, the first one that makes the same */
  size_t first_capacity;
  struct ts_map stage_map; /* identity of a stage -> struct known_stage */
  struct ts_arena scratch;
  struct ts_str key, stage_key; /* work space */
  struct ts_node_input *inputs;
  struct ts_value *parameters;
  const struct ts_value *values; /* of the run being walked */
  uint32_t *reference;           /* nodes of the reference run, by task */
  uint32_t reference_node_count; /* nodes that existed when the reference run was done */
  bool reference_done;
  uint32_t run;         /* being walked */
  uint32_t *task_nodes; /* per run, per task; for the order of execution */
};

/* Which tasks the wanted products need, given the supplied inputs: fills plan->active. */
bool ts_plan_mark_active(struct ts_plan *plan, bool want_reference, struct ts_error *err);
/* The workflow input that replaces a port when its stage runs alone, or TS_NONE. */
size_t ts_plan_stand_in(const struct ts_workflow *workflow, const bool *supplied, const struct ts_op_port *port);
/* Copies the distinct instances of every stage into the plan. */
void ts_plan_keep_instances(struct builder *b);
/* Order of runs and first_set of each node. */
void ts_plan_order(struct builder *b);

#endif
