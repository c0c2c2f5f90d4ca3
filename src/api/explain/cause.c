/* Walks the histories of two products side by side and names what differs in the user's words.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Records name operations, their own parameters and digests. What a user knows are parameters of the workflow, found by
 * their values in the sets of both runs, and files, found by their digests in both work orders. */
#include "api/explain/explain_int.h"

#include "base/alloc.h"
#include "base/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_MAX    20000 /* of records that are compared: a gather of many tiles has no end otherwise */
#define CAUSES_SHOWN 3

struct walk {
  struct ts_past *past;                   /* borrowed */
  const struct ts_told_run *here, *there; /* borrowed */
  json_t *values_here, *values_there;     /* owned: of the parameters of the workflow */
  struct ts_map met;                      /* pairs of keys */
  struct ts_cause_list *causes;           /* borrowed */
};

void ts_cause_list_release(struct ts_cause_list *causes) {
  for (size_t i = 0; i < causes->count; i++) {
    json_decref(causes->items[i].here);
    json_decref(causes->items[i].there);
  }
  free(causes->items);
  *causes = (struct ts_cause_list){0};
}

/* ---- Values of a set ---- */

/* The part of an order that has a set, and where the set stands in it. */
static const json_t *part_of_set(const struct ts_order *order, int64_t set, size_t *place) {
  *place = (size_t)set;
  if (*place < json_array_size(json_object_get(order->root, "sets"))) return order->root;
  for (size_t i = 0; i < json_array_size(order->rounds); i++) {
    const json_t *round = json_array_get(order->rounds, i);
    const json_int_t first = json_integer_value(json_object_get(round, "first"));
    *place = (size_t)(set - first);
    if (set >= first && *place < json_array_size(json_object_get(round, "sets"))) return round;
  }
  return NULL;
}

/* {NAME: VALUE} of all parameters of the workflow; set -1 is the run at the defaults. A new reference. */
static json_t *values_of(const struct ts_told_run *run, int64_t set) {
  const char *text = json_string_value(json_object_get(run->order.root, "workflow"));
  ts_auto(json_decrefp) json_t *workflow = text ? json_loads(text, 0, NULL) : NULL;
  json_t *values = json_object(), *parameter;
  const char *name;
  json_object_foreach(json_object_get(workflow, "parameters"), name, parameter) {
    json_object_set(values, name, json_object_get(parameter, "default"));
  }
  size_t place = 0;
  const json_t *part = set >= 0 ? part_of_set(&run->order, set, &place) : NULL;
  const json_t *names = json_object_get(json_object_get(part, "space"), "parameters");
  const json_t *row = json_array_get(json_object_get(part, "sets"), place);
  for (size_t i = 0; i < json_array_size(names); i++)
    json_object_set(values, json_string_value(json_array_get(names, i)), json_array_get(row, i));
  return values;
}

static bool is_same_value(const json_t *a, const json_t *b) {
  if (json_is_number(a) && json_is_number(b)) return fabs(json_number_value(a) - json_number_value(b)) <= 0;
  return json_equal(a, b);
}

/* The parameter of the workflow that had both values; of several the one that is called like the operation's. NULL:
 * there is none, as where a unit was converted. */
static const char *workflow_name(const struct walk *walk, const char *own, const json_t *here, const json_t *there) {
  const char *name, *found = NULL;
  json_t *value;
  json_object_foreach(walk->values_here, name, value) {
    if (!is_same_value(value, here) || !is_same_value(json_object_get(walk->values_there, name), there)) continue;
    if (!found || strcmp(name, own) == 0) found = name;
  }
  return found;
}

/* ---- Causes ---- */

/* Takes the references. */
static void add_cause(struct walk *walk, enum ts_cause_kind kind, const char *name, json_t *here, json_t *there) {
  struct ts_cause_list *list = walk->causes;
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].kind != kind || strcmp(list->items[i].name, name) != 0) continue;
    json_decref(here);
    json_decref(there);
    return;
  }
  list->items = ts_grow(list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = (struct ts_cause){kind, ts_arena_strdup(&walk->past->arena, name), here, there};
}

static void add_parameter(struct walk *walk, const char *operation, const char *own, json_t *here, json_t *there) {
  const char *name = workflow_name(walk, own, here, there);
  if (!name) name = ts_arena_printf(&walk->past->arena, "%s of '%s'", own, operation);
  add_cause(walk, TS_CAUSE_PARAMETER, name, json_incref(here), json_incref(there));
}

/* Name of the file with this digest in an order; NULL: it has none. */
static const char *file_name(const struct ts_told_run *run, const struct ts_key *key) {
  char hex[65];
  ts_hex_encode(key->digest.bytes, sizeof key->digest.bytes, hex);
  const json_t *items = json_object_get(run->order.root, "items");
  for (size_t i = 0; i < json_array_size(items); i++) {
    const char *input;
    json_t *file;
    json_object_foreach(json_object_get(json_array_get(items, i), "inputs"), input, file) {
      const char *digest = json_string_value(json_object_get(file, "digest"));
      if (digest && strcmp(digest, hex) == 0) return json_string_value(json_object_get(file, "name"));
    }
  }
  return NULL;
}

static void add_data(struct walk *walk, const struct ts_key *here, const struct ts_key *there) {
  const char *now = file_name(walk->here, here), *then = file_name(walk->there, there);
  const bool is_other = now && then && strcmp(now, then) != 0;
  add_cause(walk, TS_CAUSE_DATA, now ? now : "", NULL, is_other ? json_string(then) : NULL);
}

/* ---- The walk ---- */

/* Reading a file is the only operation whose input is no product, but has the digest of the file. */
static bool reads_file(const struct ts_record *record) {
  return record->input_count == 1 && strcmp(record->inputs[0].port, "file") == 0;
}

static void compare_parameters(struct walk *walk, const struct ts_record *a, const struct ts_record *b) {
  ts_auto(json_decrefp) json_t *here = json_loads(a->parameters_json, 0, NULL);
  ts_auto(json_decrefp) json_t *there = json_loads(b->parameters_json, 0, NULL);
  const char *name;
  json_t *value;
  json_object_foreach(here, name, value) {
    json_t *other = json_object_get(there, name);
    if (json_equal(value, other)) continue;
    if (reads_file(a))
      add_cause(walk, TS_CAUSE_TILES, "", NULL, NULL);
    else
      add_parameter(walk, a->operation, name, value, other);
  }
}

static const struct ts_record_input *input_named(const struct ts_record *record, const char *port) {
  for (size_t i = 0; i < record->input_count; i++)
    if (strcmp(record->inputs[i].port, port) == 0) return &record->inputs[i];
  return NULL;
}

static bool is_new_pair(struct walk *walk, const struct ts_key *a, const struct ts_key *b) {
  const struct ts_key pair[2] = {*a, *b};
  bool is_new = false;
  if (ts_map_count(&walk->met) < PAIRS_MAX) ts_map_insert(&walk->met, pair, sizeof pair, &is_new);
  return is_new;
}

static void compare(struct walk *walk, const struct ts_record *a, const struct ts_record *b);

static void compare_input(struct walk *walk, const struct ts_key *a, const struct ts_key *b) {
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  struct ts_record here, there;
  struct ts_error ignored = {0};
  if (ts_key_equal(a, b) || !is_new_pair(walk, a, b)) return;
  if (ts_store_find(walk->past->store, a, &arena, &here, &ignored) &&
      ts_store_find(walk->past->store, b, &arena, &there, &ignored))
    compare(walk, &here, &there);
}

/* Another file is cut in another way, too: that is not another cause. */
static void compare_reading(struct walk *walk, const struct ts_record *a, const struct ts_record *b) {
  if (reads_file(b) && !ts_key_equal(&a->inputs[0].key, &b->inputs[0].key))
    add_data(walk, &a->inputs[0].key, &b->inputs[0].key);
  else
    compare_parameters(walk, a, b);
}

static void compare_inputs(struct walk *walk, const struct ts_record *a, const struct ts_record *b) {
  /* Engine's own operations have a piece for each tile, others a port for each input. */
  if (a->input_count != b->input_count)
    add_cause(walk, ts_str_starts_with(a->operation, "engine.") ? TS_CAUSE_TILES : TS_CAUSE_WORKFLOW, a->operation,
              NULL, NULL);
  for (size_t i = 0; i < a->input_count; i++) {
    const struct ts_record_input *other = input_named(b, a->inputs[i].port);
    if (other) compare_input(walk, &a->inputs[i].key, &other->key);
  }
}

static void compare(struct walk *walk, const struct ts_record *a, const struct ts_record *b) {
  if (strcmp(a->operation, b->operation) != 0) {
    add_cause(walk, TS_CAUSE_WORKFLOW, a->operation, NULL, NULL);
    return;
  }
  if (memcmp(&a->implementation, &b->implementation, sizeof a->implementation) != 0)
    add_cause(walk, TS_CAUSE_CODE, a->operation, NULL, NULL);
  if (reads_file(a)) {
    compare_reading(walk, a, b);
    return;
  }
  compare_parameters(walk, a, b);
  compare_inputs(walk, a, b);
}

/* What somebody set comes first; within a kind by name, so that the order of the walk is not seen. */
static int by_kind(const void *a, const void *b) {
  const struct ts_cause *x = a, *y = b;
  return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->name, y->name);
}

void ts_causes_find(struct ts_past *past, const struct ts_record *a, const struct ts_told_run *here, int64_t set,
                    const struct ts_record *b, const struct ts_told_run *there, int64_t there_set,
                    struct ts_cause_list *causes) {
  struct walk walk = {.past = past, .here = here, .there = there, .causes = causes};
  walk.values_here = values_of(here, set);
  walk.values_there = values_of(there, there_set);
  compare(&walk, a, b);
  if (causes->count > 0) qsort(causes->items, causes->count, sizeof *causes->items, by_kind);
  json_decref(walk.values_here);
  json_decref(walk.values_there);
  ts_map_release(&walk.met);
}

/* ---- Words ---- */

/* As -p takes it: 3, not 3.0. */
static void print_value(const json_t *value, struct ts_str *out) {
  ts_auto_free char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
  if (json_is_real(value))
    ts_str_add_double(out, json_real_value(value));
  else
    ts_str_add(out, text ? text : value ? json_string_value(value) : "not there");
}

void ts_values_print(json_t *values, struct ts_str *out) {
  const char *name, *before = "";
  json_t *value;
  json_object_foreach(values, name, value) {
    ts_str_addf(out, "%s%s = ", before, name);
    print_value(value, out);
    before = ", ";
  }
}

static void print_cause(const struct ts_cause *cause, struct ts_str *out) {
  switch (cause->kind) {
  case TS_CAUSE_PARAMETER:
    ts_str_addf(out, "%s = ", cause->name);
    print_value(cause->here, out);
    ts_str_add(out, " (was ");
    print_value(cause->there, out);
    ts_str_add_char(out, ')');
    break;
  case TS_CAUSE_CODE: ts_str_addf(out, "the code of the operation '%s' changed", cause->name); break;
  case TS_CAUSE_DATA:
    ts_str_add(out, cause->name[0] ? cause->name : "a file");
    if (cause->there)
      ts_str_addf(out, " is another file than %s", json_string_value(cause->there));
    else
      ts_str_add(out, " changed");
    break;
  case TS_CAUSE_TILES: ts_str_add(out, "the image is cut into other tiles"); break;
  case TS_CAUSE_WORKFLOW: ts_str_addf(out, "the workflow changed at the operation '%s'", cause->name); break;
  }
}

void ts_causes_print(const struct ts_cause_list *causes, struct ts_str *out) {
  const size_t shown = causes->count > CAUSES_SHOWN + 1 ? CAUSES_SHOWN : causes->count;
  for (size_t i = 0; i < shown; i++) {
    const bool is_last = i + 1 == causes->count;
    if (i > 0) ts_str_add(out, is_last ? " and " : ", ");
    print_cause(&causes->items[i], out);
  }
  if (shown < causes->count) ts_str_addf(out, " and %zu more differ", causes->count - shown);
}

json_t *ts_causes_json(const struct ts_cause_list *causes) {
  static const char *const kinds[] = {"parameter", "code", "data", "tiles", "workflow"};
  json_t *list = json_array();
  for (size_t i = 0; i < causes->count; i++) {
    const struct ts_cause *cause = &causes->items[i];
    json_t *object = json_pack("{s:s, s:s}", "kind", kinds[cause->kind], "name", cause->name);
    if (cause->here) json_object_set(object, "here", cause->here);
    if (cause->there) json_object_set(object, "there", cause->there);
    json_array_append_new(list, object);
  }
  return list;
}
