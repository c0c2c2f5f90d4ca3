/* Workflows and designs for tests of the planner and the engine: written by hand as JSON, or drawn from a seed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_SUPPORT_TOY_CASE_H
#define TS_TESTS_SUPPORT_TOY_CASE_H

#include "base/arena.h"
#include "base/random.h"
#include "plan/plan.h"
#include "support/toy_ops.h"
#include "workflow/workflow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a drawn case may contain. */
struct toy_settings {
  size_t stages, tasks, sets; /* at most; tasks per stage */
  int64_t digits;             /* integer parameters take values below this */
  bool collapse;              /* operations whose outputs often are equal */
  bool faults;                /* toy.risky */
  bool one_scope;             /* every stage runs per tile */
};

struct toy_case {
  struct ts_arena arena;        /* owns everything but the workflow */
  struct ts_workflow *workflow; /* owned */
  struct ts_value *sets;
  size_t set_count;
  struct ts_plan_options options; /* arrays in the arena */
  bool want_reference;
};

/* Parses a workflow; fails the test with all faults of the text. */
struct ts_workflow *toy_workflow(const char *json, struct ts_registry *registry);
/* A case for a workflow written by hand: every input supplied, every stage output wanted, one run with default
 * values. */
void toy_case_init(struct toy_case *toy, const char *json, struct ts_registry *registry);
/* Lets everything that a stage takes lose its halo, or keep it: what its "region" would say. */
void toy_case_take_cores(struct toy_case *toy, size_t stage, bool core);
/* Sets value `number` of the named parameter in run `set`; more runs are made as needed, with default values. */
void toy_case_set(struct toy_case *toy, size_t set, const char *parameter, int64_t number);
/* Wants only the named products ("stage.output"). */
void toy_case_want(struct toy_case *toy, const char *const *names, size_t count);
void toy_case_supply(struct toy_case *toy, const char *input, bool supplied);
void toy_case_draw(struct toy_case *toy, struct ts_registry *registry, const struct toy_settings *settings,
                   uint64_t seed);
void toy_case_release(struct toy_case *toy);
struct ts_plan *toy_case_plan(const struct toy_case *toy); /* fails the test on an error */

/* The text of a parameter value in its canonical form, by the operation's own rule; raw: as it is. */
void toy_add_value(struct ts_str *out, const struct ts_op_parameter *parameter, struct ts_value value, bool raw);
/* The value a run gives to a parameter of a task. */
struct ts_value toy_bound_value(const struct ts_workflow *workflow, const struct ts_value *values, size_t task,
                                size_t parameter);
const struct ts_value *toy_case_values(const struct toy_case *toy, size_t set); /* SIZE_MAX: the default values */

#endif
