/* Takes the descriptors of plugins over: copies in which every struct has the length that this program knows.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A plugin was compiled with a tessera_op.h that may be older or newer than ours, so its structs may be shorter or
 * longer: each says so in its first member. A copy is filled up with zeros, or cut. Behind this file all structs are
 * whole, and no other file looks at a size. */
#include "op/op_int.h"

#include "base/const.h"

#include <stddef.h>
#include <string.h>

#define END_OF(type, field) (offsetof(struct type, field) + sizeof(((struct type *)NULL)->field))

/* One kind of struct: what messages call it, and its length up to the last field without which it makes no sense. */
struct kind {
  const char *word;
  size_t least_bytes, whole_bytes;
};
#define KIND(text, type, last_needed)                                                                                  \
  { (text), END_OF(type, last_needed), sizeof(struct type) }
static const struct kind input_kind = KIND("input", ts_op_port, type), output_kind = KIND("output", ts_op_port, type),
                         parameter_kind = KIND("parameter", ts_op_parameter, high),
                         column_kind = KIND("column", ts_op_column, name),
                         count_kind = KIND("count", ts_op_column, name),
                         object_kind = KIND("column of objects", ts_op_column, name),
                         ratio_kind = KIND("ratio", ts_op_ratio, denominator_count),
                         term_kind = KIND("term", ts_op_term, factor), place_kind = KIND("place", ts_op_place, y),
                         variant_kind = KIND("variant", ts_op_variant, run),
                         needs_kind = KIND("block of needs", ts_op_needs, struct_bytes);

struct adoption {
  struct ts_arena *arena;   /* borrowed: gets the copies */
  const char *path;         /* borrowed */
  const char *operation;    /* borrowed: its name, for messages; NULL: none */
  struct ts_faults *faults; /* borrowed */
};

static uint32_t size_of(const void *given) {
  uint32_t size;
  memcpy(&size, given, sizeof size);
  return size;
}

/* Into memory of whole_bytes that holds zeros; false if it is too short. */
static bool copy(const struct kind *kind, const void *given, void *target) {
  const size_t size = size_of(given);
  if (size < kind->least_bytes) return false;
  memcpy(target, given, size < kind->whole_bytes ? size : kind->whole_bytes);
  const uint32_t whole = (uint32_t)kind->whole_bytes;
  memcpy(target, &whole, sizeof whole);
  return true;
}

static void complain(const struct adoption *a, const struct kind *kind, size_t index, const void *given) {
  const char *name = a->operation ? a->operation : "";
  struct ts_error *err =
      given ? ts_op_fault(a->faults, a->path, TS_ERR_PLUGIN, "operation '%s': %s %zu has %u bytes, %zu are needed",
                          name, kind->word, index, (unsigned)size_of(given), kind->least_bytes)
            : ts_op_fault(a->faults, a->path, TS_ERR_PLUGIN, "operation '%s': %s %zu is NULL", name, kind->word, index);
  ts_error_help(err, "make it with the macros of tessera_op.h, which set struct_bytes");
}

static void *adopt(const struct adoption *a, const struct kind *kind, size_t index, const void *given) {
  void *own = ts_arena_alloc(a->arena, kind->whole_bytes);
  if (given && copy(kind, given, own)) return own;
  complain(a, kind, index, given);
  return NULL;
}

/* A list of pointers to structs, in which each struct is replaced by a copy. Lists that cannot be right stay as they
 * are: ts_op_descriptor_check refuses them by their counts. */
static void adopt_list(const struct adoption *a, const struct kind *kind, void *list, size_t count, size_t most) {
  const char *given;
  memcpy(&given, list, sizeof given);
  if (!given || count > most) return;
  char *own = ts_arena_array(a->arena, count + 1, sizeof(void *));
  for (size_t i = 0; i < count; i++) {
    const void *entry;
    memcpy(&entry, given + i * sizeof entry, sizeof entry);
    const void *adopted = adopt(a, kind, i, entry);
    memcpy(own + i * sizeof adopted, &adopted, sizeof adopted);
  }
  memcpy(list, &own, sizeof own);
}

/* What a ratio points at. It is a copy already, made by adopt_list. */
static void adopt_ratio(const struct adoption *a, struct ts_op_ratio *ratio, size_t index) {
  if (!ratio) return;
  ratio->column = adopt(a, &column_kind, index, ratio->column);
  adopt_list(a, &term_kind, &ratio->numerator, ratio->numerator_count, TS_OP_MAX_DECLARED);
  adopt_list(a, &term_kind, &ratio->denominator, ratio->denominator_count, TS_OP_MAX_DECLARED);
}

static void adopt_lists(const struct adoption *a, struct ts_op_descriptor *d) {
  adopt_list(a, &input_kind, &d->inputs, d->input_count, TS_OP_MAX_PORTS);
  adopt_list(a, &output_kind, &d->outputs, d->output_count, TS_OP_MAX_PORTS);
  adopt_list(a, &parameter_kind, &d->parameters, d->parameter_count, TS_OP_MAX_PARAMETERS);
  adopt_list(a, &column_kind, &d->columns, d->column_count, TS_OP_MAX_DECLARED);
  adopt_list(a, &count_kind, &d->counts, d->counts_count, TS_OP_MAX_DECLARED);
  adopt_list(a, &object_kind, &d->objects, d->objects_count, TS_OP_MAX_DECLARED);
  adopt_list(a, &variant_kind, &d->variants, d->variant_count, TS_OP_MAX_VARIANTS);
  if (d->needs) d->needs = adopt(a, &needs_kind, 0, d->needs);
  if (!d->ratios || d->ratio_count > TS_OP_MAX_DECLARED) return;
  adopt_list(a, &ratio_kind, &d->ratios, d->ratio_count, TS_OP_MAX_DECLARED);
  for (size_t i = 0; i < d->ratio_count; i++) adopt_ratio(a, ts_without_const(d->ratios[i]), i);
}

/* The API number, then the size: before them nothing else of a descriptor means anything. */
static bool check_head(const struct ts_op_descriptor *given, const char *path, struct ts_faults *faults) {
  const size_t least = END_OF(ts_op_descriptor, run);
  if (!given) {
    ts_op_fault(faults, path, TS_ERR_PLUGIN, "plugin '%s' lists an operation that is NULL", path);
    return false;
  }
  if (given->api != TESSERA_OP_API) {
    ts_op_refuse_api(path, given->api, faults);
    return false;
  }
  if (given->struct_bytes >= least) return true;
  struct ts_error *err =
      ts_op_fault(faults, path, TS_ERR_PLUGIN, "plugin '%s' has a descriptor of %u bytes, %zu are needed", path,
                  (unsigned)given->struct_bytes, least);
  return ts_error_help(err, "begin it with TS_OP_DESCRIPTOR_HEAD");
}

const struct ts_op_descriptor *ts_op_adopt(struct ts_arena *arena, const struct ts_op_descriptor *given,
                                           const char *path, struct ts_faults *faults) {
  const size_t before = faults->count;
  if (!check_head(given, path, faults)) return NULL;
  struct ts_op_descriptor *own = ts_arena_alloc(arena, sizeof *own);
  memcpy(own, given, given->struct_bytes < sizeof *own ? given->struct_bytes : sizeof *own);
  own->struct_bytes = sizeof *own;
  const struct adoption adoption = {arena, path, own->name, faults};
  adopt_lists(&adoption, own);
  return faults->count == before ? own : NULL;
}

bool ts_op_adopt_place(const struct ts_op_place *given, struct ts_op_place *place) {
  memset(place, 0, sizeof *place);
  return given && copy(&place_kind, given, place);
}
