/* Designs of values: their arrays, and values that outlive the space they came from.
 * SPDX-License-Identifier: Apache-2.0 */
#include "design/design_int.h"

void ts_design_init(struct ts_design *design, size_t row_count, size_t column_count) {
  *design = (struct ts_design){.row_count = row_count, .column_count = column_count};
  size_t cells = row_count * column_count;
  design->names = ts_arena_array(&design->arena, column_count + 1, sizeof *design->names);
  design->unit = ts_arena_array(&design->arena, cells + 1, sizeof *design->unit);
  design->levels = ts_arena_array(&design->arena, cells + 1, sizeof *design->levels);
  design->values = ts_arena_array(&design->arena, cells + 1, sizeof *design->values);
}

void ts_design_release(struct ts_design *design) {
  ts_arena_release(&design->arena);
  *design = (struct ts_design){0};
}

struct ts_value ts_design_copy_value(struct ts_arena *arena, const struct ts_value *value) {
  struct ts_value copy = *value;
  if (value->type == TS_VALUE_STRING) copy.as.string = ts_arena_strdup(arena, value->as.string);
  if (value->type == TS_VALUE_LIST) {
    size_t count = value->as.list->count;
    struct ts_value *items = ts_arena_array(arena, count + 1, sizeof *items);
    /* Lists hold plain values only, so this goes one level deep. */
    for (size_t i = 0; i < count; i++) items[i] = ts_design_copy_value(arena, &value->as.list->items[i]);
    struct ts_value_list *list = ts_arena_alloc(arena, sizeof *list);
    *list = (struct ts_value_list){.count = count, .items = items};
    copy.as.list = list;
  }
  return copy;
}
