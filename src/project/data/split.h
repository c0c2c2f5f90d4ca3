/* Held-out data: items that a study does not see while it draws, runs and analyses sets, and is judged on afterwards.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A column 'split' of the manifest says it item by item, or "hold_out" in the study's data by values of a group; not
 * both. A study works on the other items alone (project.dataset) and runs few sets on those (project.held_out), so that
 * they cannot influence any index. A run works on all of them and reports both apart. */
#ifndef TS_PROJECT_DATA_SPLIT_H
#define TS_PROJECT_DATA_SPLIT_H

#include "project/data/manifest.h"

#define TS_SPLIT_COLUMN "split"

extern const char *const ts_split_names[2]; /* "train", "test": by item.is_held_out */

/* A cell: "train", "test", or blank for train; BAD_VALUE without a place. */
bool ts_split_read(const char *cell, bool *is_held_out, struct ts_error *err);
/* "hold_out" of a study file's data, once its groups are read. */
struct study_reader;
void ts_hold_out_read(struct study_reader *reader, const json_t *data);
/* Once the manifest is read: which items the study's "hold_out" means. Faults for values that no item has, and if the
 * manifest has a column for the same; a warning for files of the command line, which have no groups. */
void ts_hold_out_apply(struct ts_project *project, struct item_facts *facts, struct ts_issues *issues);

/* Once the items are known: takes the held-out ones out of the dataset of a study. A fault if no other is left, unless
 * a work order has no other: it is that of the held-out items. */
bool ts_split_settle(struct ts_project *project, const struct item_facts *facts, struct ts_issues *issues);

/* The member `split` of an item in JSON, where the data is split. */
void ts_split_write(const struct ts_project *project, const struct ts_item *item, json_t *object);
/* The same back for all items of a work order, in the arena; NULL: the data is not split. STORE_FORMAT if a member is
 * not as it would be written: then err is set. */
const bool *ts_split_restore(const json_t *items, struct ts_arena *arena, struct ts_error *err);

#endif
