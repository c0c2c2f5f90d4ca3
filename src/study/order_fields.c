/* Which members of a request go into a work order, and where: the one list of them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A new member of ts_request is one line here, or a test fails. */
#include "study/order.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, COUNT, NUMBER, FLAG, REAL };

struct field {
  const char *member; /* of the request */
  const char *name;   /* in the order */
  enum ts_order_part part;
  enum kind kind;
  size_t at;
  size_t given; /* NUMBER: where the request says whether there is one */
};

#define MEMBER(member) offsetof(struct ts_request, member)
#define FIELD(part, kind, member)                                                                                      \
  { #member, #member, TS_ORDER_##part, kind, MEMBER(member), 0 }
#define GIVEN(part, member, name, has)                                                                                 \
  { #member, name, TS_ORDER_##part, NUMBER, MEMBER(member), MEMBER(has) }

static const struct field fields[] = {
    FIELD(OPTIONS, TEXT, method),
    GIVEN(OPTIONS, seed, "seed", has_seed),
    FIELD(OPTIONS, COUNT, trajectories),
    FIELD(OPTIONS, TEXT, until),
    FIELD(OPTIONS, COUNT, max_runs),
    FIELD(OPTIONS, TEXT, keep),
    GIVEN(OPTIONS, tile_px, "tile", has_tile),
    FIELD(OPTIONS, TEXT, only_stage),
    FIELD(OPTIONS, COUNT, count),
    FIELD(OPTIONS, COUNT, levels),
    FIELD(OPTIONS, TEXT, base),
    FIELD(OPTIONS, TEXT, scramble),
    FIELD(OPTIONS, COUNT, skip),
    FIELD(OPTIONS, COUNT, improve),
    FIELD(OPTIONS, COUNT, candidates),
    FIELD(OPTIONS, COUNT, harmonics),
    FIELD(OPTIONS, COUNT, slices),
    FIELD(OPTIONS, COUNT, degree),
    FIELD(OPTIONS, REAL, step),
    FIELD(OPTIONS, FLAG, second_order),
    FIELD(OPTIONS, FLAG, radial),
    FIELD(OPTIONS, FLAG, brute_force),
    FIELD(OPTIONS, FLAG, scaled),
    FIELD(OPTIONS, FLAG, convergence),
    FIELD(OPTIONS, TEXT, estimator),
    FIELD(OPTIONS, TEXT, interval),
    FIELD(OPTIONS, REAL, confidence),
    GIVEN(OPTIONS, resamples, "resamples", has_resamples),
    FIELD(SETTINGS, COUNT, threads),
    FIELD(SETTINGS, COUNT, workers),
    FIELD(SETTINGS, COUNT, lease_s),
    FIELD(SETTINGS, TEXT, has),
    FIELD(SETTINGS, COUNT, memory_bytes),
    FIELD(SETTINGS, COUNT, scratch_bytes),
    FIELD(SETTINGS, FLAG, no_reuse),
    FIELD(SETTINGS, FLAG, no_cutoff),
    FIELD(SETTINGS, FLAG, no_parts),
    FIELD(SETTINGS, TEXT, merge),
    FIELD(SETTINGS, FLAG, raw_values),
    FIELD(SETTINGS, COUNT, max_bucket_size),
    FIELD(SETTINGS, COUNT, max_buckets),
    FIELD(SETTINGS, COUNT, max_bucket_bytes),
    FIELD(SETTINGS, TEXT, keys),
    FIELD(SETTINGS, FLAG, overlays),
    FIELD(PLACES, TEXT, design),
    FIELD(PLACES, TEXT, output),
    FIELD(PLACES, TEXT, cost), /* a word, or a file */
};
#define FIELD_COUNT (sizeof fields / sizeof *fields)

/* Lists: parameters are options, data are places. */
static const char *const lists[] = {"parameters", "data"};

/* What belongs to one call, and the members that only say whether or how many of another there are. */
static const char *const left_out[] = {"folder",
                                       "file",
                                       "command",
                                       "store",
                                       "program",
                                       "connect",
                                       "resume",
                                       "resume_id",
                                       "single",
                                       "compare",
                                       "picture",
                                       "run",
                                       "trace",
                                       "task",
                                       "demo",
                                       "recompute",
                                       "space",
                                       "with_unit",
                                       "outputs",
                                       "processors",
                                       "ports",
                                       "throughput",
                                       "throughput_fraction",
                                       "latency",
                                       "algorithm",
                                       "no_replication",
                                       "no_duplication",
                                       "literal",
                                       "fewest_processors",
                                       "refine_s",
                                       "bandwidth",
                                       "wfformat",
                                       "table",
                                       "objectives",
                                       "ignored",
                                       "objective_count",
                                       "ignored_count",
                                       "maximise",
                                       "minimise",
                                       "components",
                                       "component_count",
                                       "combine",
                                       "budget",
                                       "seeds",
                                       "first_seed",
                                       "has_first_seed",
                                       "history",
                                       "expert",
                                       "has_expert",
                                       "random_share",
                                       "component_share",
                                       "batches",
                                       "no_confirmation",
                                       "pretrain",
                                       "adaptive_random",
                                       "on_text",
                                       "text_user",
                                       "stop",
                                       "on_progress",
                                       "user",
                                       "data_roots",
                                       "operations",
                                       "has_seed",
                                       "has_tile",
                                       "has_resamples",
                                       "data_count",
                                       "output_columns",
                                       "parameter_count",
                                       "output_column_count",
                                       "data_root_count",
                                       "operations_count"};

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts and bytes are read and written alike");

enum ts_order_part ts_order_part_of(const char *member) {
  for (size_t i = 0; i < FIELD_COUNT; i++)
    if (strcmp(fields[i].member, member) == 0) return fields[i].part;
  for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
    if (strcmp(left_out[i], member) == 0) return TS_ORDER_LEFT_OUT;
  if (strcmp(member, lists[0]) == 0) return TS_ORDER_OPTIONS;
  return strcmp(member, lists[1]) == 0 ? TS_ORDER_PLACES : TS_ORDER_UNKNOWN;
}

union place {
  void *any;
  const char **text;
  uint64_t *number;
  double *real;
  bool *flag;
};

static union place place_of(struct ts_request *r, size_t at) { return (union place){.any = (char *)r + at}; }

static bool is_given(struct ts_request *r, const struct field *field) {
  union place place = place_of(r, field->at);
  switch (field->kind) {
  case TEXT: return *place.text != NULL;
  case COUNT: return *place.number != 0;
  case FLAG: return *place.flag;
  case REAL: return *place.real != 0;
  case NUMBER: return *place_of(r, field->given).flag;
  }
  TS_BUG("no such kind of field: %d", (int)field->kind);
}

static json_t *value_of(struct ts_request *r, const struct field *field) {
  union place place = place_of(r, field->at);
  switch (field->kind) {
  case TEXT: return json_string(*place.text);
  case FLAG: return json_true();
  case REAL: return json_real(*place.real);
  default: return json_integer((json_int_t)*place.number);
  }
}

static void write_lists(const struct ts_request *r, enum ts_order_part part, json_t *object) {
  if (part == TS_ORDER_OPTIONS && r->parameter_count > 0) {
    json_t *parameters = json_object();
    for (size_t i = 0; i < r->parameter_count; i++)
      json_object_set_new(parameters, r->parameters[i].name, json_string(r->parameters[i].value));
    json_object_set_new(object, lists[0], parameters);
  }
  if (part == TS_ORDER_PLACES && r->data_count > 0) {
    json_t *data = json_array();
    for (size_t i = 0; i < r->data_count; i++) json_array_append_new(data, json_string(r->data[i]));
    json_object_set_new(object, lists[1], data);
  }
}

void ts_order_fields_write(const struct ts_request *request, enum ts_order_part part, json_t *object) {
  struct ts_request r = *request;
  for (size_t i = 0; i < FIELD_COUNT; i++)
    if (fields[i].part == part && is_given(&r, &fields[i]))
      json_object_set_new(object, fields[i].name, value_of(&r, &fields[i]));
  write_lists(&r, part, object);
}

static void restore(struct ts_arena *arena, struct ts_request *r, const struct field *field, const json_t *value) {
  union place place = place_of(r, field->at);
  if (field->kind == TEXT && json_is_string(value)) *place.text = ts_arena_strdup(arena, json_string_value(value));
  if (field->kind == FLAG) *place.flag = json_is_true(value);
  if (field->kind == REAL) *place.real = json_number_value(value);
  if (field->kind == COUNT || field->kind == NUMBER) *place.number = (uint64_t)json_integer_value(value);
  if (field->kind == NUMBER) *place_of(r, field->given).flag = true;
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
  struct ts_parameter_setting *list = ts_arena_array(arena, json_object_size(parameters), sizeof *list);
  const char *name;
  json_t *value;
  json_object_foreach(parameters, name, value) {
    if (!json_is_string(value)) continue;
    list[r->parameter_count].name = ts_arena_strdup(arena, name);
    list[r->parameter_count++].value = ts_arena_strdup(arena, json_string_value(value));
  }
  r->parameters = list;
}

void ts_order_fields_restore(struct ts_arena *arena, const json_t *object, enum ts_order_part part,
                             struct ts_request *request) {
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    const json_t *value = json_object_get(object, fields[i].name);
    if (value && fields[i].part == part && !is_given(request, &fields[i])) restore(arena, request, &fields[i], value);
  }
  if (part == TS_ORDER_OPTIONS) restore_parameters(arena, request, json_object_get(object, lists[0]));
  if (part == TS_ORDER_PLACES) restore_data(arena, request, json_object_get(object, lists[1]));
}
