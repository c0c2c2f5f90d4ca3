/* Identifiers of objects: the same whenever the same thing is computed, whatever the run.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The key of a file covers what its results depend on: the text of the workflow, the digests of operations and of the
 * file itself, a tissue mask of its own, resolution, level, parameter values and the stage that runs alone. Not the
 * tiles, and not which of them have tissue: results that do not depend on these have the same identifiers for every
 * tile size. Nor the other files, the run or the machine. */
#ifndef TS_WORK_OBJECT_IDS_H
#define TS_WORK_OBJECT_IDS_H

#include "base/uuid.h"
#include "project/project.h"

struct ts_object_ids {
  struct ts_sha256 *keys; /* owned: per item */
};

/* `values`: the parameter set that is run. */
void ts_object_ids_init(struct ts_object_ids *ids, const struct ts_project *project, const struct ts_plan *plan,
                        const struct ts_value *values);
void ts_object_ids_release(struct ts_object_ids *ids);
/* Of the object `name` (its number) that a stage finds in a file; tile: in which tile, where numbers begin anew in
 * each; NULL: they do not. */
void ts_object_id(const struct ts_object_ids *ids, size_t item, const char *stage, const struct ts_tile *tile,
                  const char *name, char text[TS_UUID_TEXT_SIZE]);

#endif
