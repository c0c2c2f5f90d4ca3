/* What a case must give: every run evaluated on its own, straight from the workflow, without plan or engine.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each task of each run also gets three numbers: equal numbers mean the same instance of the plan, the same lineage
 * key, and the same content key. They are numbers of texts; no digest of the program is used. */
#ifndef TS_TESTS_SUPPORT_TOY_ORACLE_H
#define TS_TESTS_SUPPORT_TOY_ORACLE_H

#include "base/map.h"
#include "support/toy_data.h"

#define TOY_REFERENCE SIZE_MAX /* instead of a run's number */

enum toy_status { TOY_DONE, TOY_FAILED, TOY_SKIPPED };
enum toy_identity { TOY_BY_NODE, TOY_BY_KEY, TOY_BY_CONTENT };

struct toy_instance {
  size_t set; /* or TOY_REFERENCE */
  size_t task, unit;
  enum toy_status status;
  uint64_t identity[3];     /* by enum toy_identity; the content is 0 if skipped */
  struct ts_data **outputs; /* owned; NULL unless done */
  size_t *needs;            /* owned: numbers of the instances it reads from */
  size_t need_count;
};

struct toy_oracle {
  const struct toy_case *toy;       /* borrowed */
  const struct ts_dataset *dataset; /* borrowed */
  struct ts_registry *registry;     /* owned: its counters are not those of the program under test */
  struct ts_map texts;
  struct ts_map places;           /* set, task and unit -> instance */
  struct toy_instance *instances; /* owned */
  size_t count, capacity;
  size_t *reading; /* owned: what the instances being evaluated have read so far */
  size_t reading_count, reading_capacity;
};

void toy_oracle_init(struct toy_oracle *oracle, const struct toy_case *toy, const struct ts_dataset *dataset);
void toy_oracle_release(struct toy_oracle *oracle);
/* NULL if nobody needs it. */
const struct toy_instance *toy_oracle_find(const struct toy_oracle *oracle, size_t set, size_t task, size_t unit);

struct toy_filter {
  enum toy_identity by;
  unsigned statuses;            /* bits 1 << enum toy_status */
  const char *op;               /* NULL: any */
  const size_t *task;           /* NULL: any */
  bool design, reference;       /* instances a run of the design asks for; those that only the reference run does */
  const enum ts_scope *grouped; /* count each unit of this scope apart; NULL: all together */
};
/* How many different ones there are. */
size_t toy_distinct(const struct toy_oracle *oracle, const struct toy_filter *filter);

#endif
