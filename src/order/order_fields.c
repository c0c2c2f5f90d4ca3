/* What a request asks for, in a work order: the fields that the option table marks, under the names of these fields.
 * SPDX-License-Identifier: Apache-2.0 */
#include "order/order.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts and bytes are read and written alike");

/* Members whose value may be anything have another that says whether there is one; of lists it is their count. */
static bool is_list(const struct ts_option_row *row) {
  return row->shown.kind == TESSERA_OPTION_LIST || row->shown.kind == TESSERA_OPTION_SETTING;
}

/* In an order the unit is left out. */
static const char *name_of(const struct ts_option_row *row) {
  return strcmp(row->member_name, "tile_px") == 0 ? "tile" : row->member_name;
}

union place {
  void *any;
  const char **text;
  uint64_t *number;
  double *real;
  bool *flag;
};

static union place place_of(struct ts_request *r, size_t at) { return (union place){.any = (char *)r + at}; }

static bool is_given(struct ts_request *r, const struct ts_option_row *row) {
  union place place = place_of(r, row->member);
  if (row->given && row->shown.kind != TESSERA_OPTION_OPTIONAL) return *place_of(r, row->given).flag;
  switch (row->shown.kind) {
  case TESSERA_OPTION_FLAG:
  case TESSERA_OPTION_SWITCH: return *place.flag;
  case TESSERA_OPTION_REAL: return *place.real != 0;
  case TESSERA_OPTION_TEXT:
  case TESSERA_OPTION_WORD:
  case TESSERA_OPTION_OPTIONAL: return *place.text != NULL;
  default: return *place.number != 0;
  }
}

static json_t *value_of(struct ts_request *r, const struct ts_option_row *row) {
  union place place = place_of(r, row->member);
  switch (row->shown.kind) {
  case TESSERA_OPTION_FLAG:
  case TESSERA_OPTION_SWITCH: return json_true();
  case TESSERA_OPTION_REAL: return json_real(*place.real);
  case TESSERA_OPTION_TEXT:
  case TESSERA_OPTION_WORD:
  case TESSERA_OPTION_OPTIONAL: return json_string(*place.text);
  default: return json_integer((json_int_t)*place.number);
  }
}

static void write_lists(const struct ts_request *r, enum ts_request_part part, json_t *object) {
  if (part == TS_PART_OPTIONS && r->parameter_count > 0) {
    json_t *parameters = json_object();
    for (size_t i = 0; i < r->parameter_count; i++)
      json_object_set_new(parameters, r->parameters[i].name, json_string(r->parameters[i].value));
    json_object_set_new(object, "parameters", parameters);
  }
  if (part == TS_PART_PLACES && r->data_count > 0) {
    json_t *data = json_array();
    for (size_t i = 0; i < r->data_count; i++) json_array_append_new(data, json_string(r->data[i]));
    json_object_set_new(object, "data", data);
  }
}

void ts_order_fields_write(const struct ts_request *request, enum ts_request_part part, json_t *object) {
  struct ts_request r = *request;
  for (size_t i = 0; i < ts_option_row_count; i++) {
    const struct ts_option_row *row = &ts_option_rows[i];
    if (row->part == part && !is_list(row) && is_given(&r, row))
      json_object_set_new(object, name_of(row), value_of(&r, row));
  }
  write_lists(&r, part, object);
}

static void restore(struct ts_arena *arena, struct ts_request *r, const struct ts_option_row *row,
                    const json_t *value) {
  union place place = place_of(r, row->member);
  switch (row->shown.kind) {
  case TESSERA_OPTION_FLAG:
  case TESSERA_OPTION_SWITCH: *place.flag = json_is_true(value); return;
  case TESSERA_OPTION_REAL: *place.real = json_number_value(value); return;
  case TESSERA_OPTION_TEXT:
  case TESSERA_OPTION_WORD:
  case TESSERA_OPTION_OPTIONAL:
    if (json_is_string(value)) *place.text = ts_arena_strdup(arena, json_string_value(value));
    return;
  default:
    *place.number = (uint64_t)json_integer_value(value);
    if (row->given) *place_of(r, row->given).flag = true;
  }
}

static void restore_data(struct ts_arena *arena, struct ts_request *r, const json_t *data) {
  if (json_array_size(data) == 0 || r->data_count > 0) return;
  const char **items = ts_arena_array(arena, json_array_size(data), sizeof *items);
  for (size_t i = 0; i < json_array_size(data); i++) {
    const char *item = json_string_value(json_array_get(data, i));
    if (item) items[r->data_count++] = ts_arena_strdup(arena, item);
  }
  r->data = items;
}

static void restore_parameters(struct ts_arena *arena, struct ts_request *r, json_t *parameters) {
  if (json_object_size(parameters) == 0 || r->parameter_count > 0) return;
  struct tessera_setting *list = ts_arena_array(arena, json_object_size(parameters), sizeof *list);
  const char *name;
  json_t *value;
  json_object_foreach(parameters, name, value) {
    if (!json_is_string(value)) continue;
    list[r->parameter_count].name = ts_arena_strdup(arena, name);
    list[r->parameter_count++].value = ts_arena_strdup(arena, json_string_value(value));
  }
  r->parameters = list;
}

void ts_order_fields_restore(struct ts_arena *arena, const json_t *object, enum ts_request_part part,
                             struct ts_request *request) {
  for (size_t i = 0; i < ts_option_row_count; i++) {
    const struct ts_option_row *row = &ts_option_rows[i];
    if (row->part != part || is_list(row)) continue;
    const json_t *value = json_object_get(object, name_of(row));
    if (value && !is_given(request, row)) restore(arena, request, row, value);
  }
  if (part == TS_PART_OPTIONS) restore_parameters(arena, request, json_object_get(object, "parameters"));
  if (part == TS_PART_PLACES) restore_data(arena, request, json_object_get(object, "data"));
}
