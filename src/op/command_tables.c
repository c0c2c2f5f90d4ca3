/* Command manifests: declarations about the columns of their tables.
 * SPDX-License-Identifier: Apache-2.0
 *
 *   "columns": {"table": ["dice", "both_px", ...]},
 *   "ratios": {"dice": [{"both_px": 2}, {"found_px": 1, "reference_px": 1}]},
 *   "counts": ["nuclei"], "objects": ["nuclei"]
 * Of a command with several tables, columns are written PORT:COLUMN. */
#include "op/op_int.h"

#include "base/alloc.h"
#include "base/const.h"

#include <stdio.h>
#include <string.h>

struct reading {
  const struct ts_reader *reader;
  struct ts_op_descriptor *descriptor;
  const char **pointers[3]; /* of "columns", "counts" and "objects": where each entry is in the file */
  const char **ratio_pointers;
};

static const char *only_table(const struct ts_op_descriptor *d) {
  const char *name = NULL;
  size_t count = 0;
  for (size_t i = 0; i < d->output_count; i++) {
    if (!d->outputs[i]->type || strcmp(d->outputs[i]->type, "table") != 0) continue;
    name = d->outputs[i]->name;
    count++;
  }
  return count == 1 ? name : NULL;
}

/* "COLUMN" of the only table, or "PORT:COLUMN". */
static bool read_column(const struct reading *r, const char *text, const char *pointer, struct ts_op_column *column) {
  struct ts_arena *arena = r->reader->arena;
  const char *colon = strchr(text, ':');
  if (colon) {
    column->output = ts_arena_strndup(arena, text, (size_t)(colon - text));
    column->name = ts_arena_strdup(arena, colon + 1);
    return true;
  }
  column->output = only_table(r->descriptor);
  column->name = ts_arena_strdup(arena, text);
  if (column->output) return true;
  struct ts_error *err =
      ts_reader_fault(r->reader, TS_ERR_BAD_VALUE, pointer, TS_JSON_VALUE, "which table has the column '%s'?", text);
  return ts_error_help(err, "the command does not have exactly one table output: write PORT:%s", text);
}

static void need_string(const struct reading *r, const json_t *value, const char *pointer) {
  struct ts_error *err = ts_reader_fault(r->reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                                         "the name of a column is expected here, not %s", ts_json_kind(value));
  ts_error_help(err, "put it in double quotation marks");
}

/* Appends the columns of a JSON list; `output`: of this port, NULL: as the entries say. */
static void read_list(const struct reading *r, const json_t *list, const char *pointer, const char *output,
                      const struct ts_op_column **columns, size_t *count, const char **pointers) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *item = json_array_get(list, i);
    char index[24];
    snprintf(index, sizeof index, "%zu", i);
    const char *place = ts_reader_child(r->reader, pointer, index);
    struct ts_op_column column = {.struct_bytes = sizeof column, .output = output};
    if (!json_is_string(item)) {
      need_string(r, item, place);
      continue;
    }
    if (output)
      column.name = ts_arena_strdup(r->reader->arena, json_string_value(item));
    else if (!read_column(r, json_string_value(item), place, &column))
      continue;
    pointers[*count] = place;
    columns[(*count)++] = ts_arena_memdup(r->reader->arena, &column, sizeof column);
  }
}

static const struct ts_op_column *const *read_named(struct reading *r, const json_t *manifest, const char *key,
                                                    size_t *count, const char ***pointers) {
  const json_t *list = ts_reader_get(manifest, key, TS_WANT_LIST);
  const struct ts_op_column **columns = ts_arena_array(r->reader->arena, json_array_size(list) + 1, sizeof *columns);
  *pointers = ts_arena_array(r->reader->arena, json_array_size(list) + 1, sizeof **pointers);
  read_list(r, list, ts_reader_child(r->reader, "", key), NULL, columns, count, *pointers);
  return columns;
}

static void read_columns(struct reading *r, const json_t *manifest) {
  json_t *object = ts_without_const(ts_reader_get(manifest, "columns", TS_WANT_OBJECT));
  const char *port;
  json_t *list;
  size_t total = 0;
  json_object_foreach(object, port, list) total += json_array_size(list);
  const struct ts_op_column **columns = ts_arena_array(r->reader->arena, total + 1, sizeof *columns);
  r->pointers[0] = ts_arena_array(r->reader->arena, total + 1, sizeof *r->pointers[0]);
  r->descriptor->columns = columns;
  json_object_foreach(object, port, list) {
    const char *pointer = ts_reader_child(r->reader, "/columns", port);
    if (json_array_size(list) > 0) {
      read_list(r, list, pointer, ts_arena_strdup(r->reader->arena, port), columns, &r->descriptor->column_count,
                r->pointers[0]);
      continue;
    }
    struct ts_error *err = ts_reader_fault(r->reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                                           "the columns of '%s' must be a list of at least one name", port);
    ts_error_help(err, "list all columns of the table, or remove it");
  }
}

/* {"both_px": 2} */
static const struct ts_op_term *const *read_terms(const struct reading *r, json_t *object, const char *pointer,
                                                  size_t *count) {
  const struct ts_op_term **terms = ts_arena_array(r->reader->arena, json_object_size(object) + 1, sizeof *terms);
  const char *column;
  json_t *factor;
  json_object_foreach(object, column, factor) {
    if (!json_is_number(factor)) {
      const char *place = ts_reader_child(r->reader, pointer, column);
      struct ts_error *err =
          ts_reader_fault(r->reader, TS_ERR_WRONG_TYPE, place, TS_JSON_VALUE,
                          "the factor of '%s' must be a number, not %s", column, ts_json_kind(factor));
      ts_error_help(err, "write \"%s\": 1", column);
    }
    const struct ts_op_term term = {.struct_bytes = sizeof term,
                                    .column = ts_arena_strdup(r->reader->arena, column),
                                    .factor = json_is_number(factor) ? json_number_value(factor) : 1};
    terms[(*count)++] = ts_arena_memdup(r->reader->arena, &term, sizeof term);
  }
  return terms;
}

static void read_ratio(const struct reading *r, const char *key, const json_t *value, const char *pointer,
                       struct ts_op_ratio *ratio) {
  json_t *numerator = json_array_get(value, 0), *denominator = json_array_get(value, 1);
  if (json_array_size(value) != 2 || !json_is_object(numerator) || !json_is_object(denominator)) {
    struct ts_error *err = ts_reader_fault(r->reader, TS_ERR_WRONG_TYPE, pointer, TS_JSON_VALUE,
                                           "the ratio '%s' must be two objects: numerator and denominator", key);
    ts_error_help(err, "write [{\"COLUMN\": FACTOR}, {\"COLUMN\": FACTOR}]");
    return;
  }
  struct ts_op_column *column = ts_arena_alloc(r->reader->arena, sizeof *column);
  column->struct_bytes = sizeof *column;
  ratio->column = column;
  if (!read_column(r, key, pointer, column)) return;
  ratio->numerator = read_terms(r, numerator, ts_reader_child(r->reader, pointer, "0"), &ratio->numerator_count);
  ratio->denominator = read_terms(r, denominator, ts_reader_child(r->reader, pointer, "1"), &ratio->denominator_count);
}

static void read_ratios(struct reading *r, const json_t *manifest) {
  json_t *object = ts_without_const(ts_reader_get(manifest, "ratios", TS_WANT_OBJECT));
  const struct ts_op_ratio **ratios = ts_arena_array(r->reader->arena, json_object_size(object) + 1, sizeof *ratios);
  r->ratio_pointers = ts_arena_array(r->reader->arena, json_object_size(object) + 1, sizeof *r->ratio_pointers);
  r->descriptor->ratios = ratios;
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    const char *pointer = ts_reader_child(r->reader, "/ratios", key);
    r->ratio_pointers[r->descriptor->ratio_count] = pointer;
    struct ts_op_ratio *ratio = ts_arena_alloc(r->reader->arena, sizeof *ratio);
    ratio->struct_bytes = sizeof *ratio;
    ratios[r->descriptor->ratio_count++] = ratio;
    read_ratio(r, key, value, pointer, ratio);
  }
}

static void report(void *user, const struct ts_op_tables_fault *fault) {
  const struct reading *r = user;
  static const char *const lists[] = {"columns", "counts", "objects"};
  const char *pointer = NULL;
  if (strcmp(fault->list, "ratios") == 0) pointer = r->ratio_pointers[fault->index];
  for (size_t i = 0; i < 3; i++)
    if (strcmp(fault->list, lists[i]) == 0) pointer = r->pointers[i][fault->index];
  struct ts_error *err =
      ts_reader_fault(r->reader, fault->code, pointer ? pointer : "", TS_JSON_VALUE, "%s", fault->text);
  ts_error_help(err, "%s", fault->help);
}

void ts_command_read_tables(const struct ts_reader *reader, const json_t *manifest,
                            struct ts_op_descriptor *descriptor) {
  struct reading r = {.reader = reader, .descriptor = descriptor};
  size_t before = reader->faults->count;
  if (!descriptor->outputs) return;
  read_columns(&r, manifest);
  descriptor->counts = read_named(&r, manifest, "counts", &descriptor->counts_count, &r.pointers[1]);
  descriptor->objects = read_named(&r, manifest, "objects", &descriptor->objects_count, &r.pointers[2]);
  read_ratios(&r, manifest);
  for (size_t i = 0; i < descriptor->output_count; i++)
    if (!descriptor->outputs[i]->type) return; /* reported already */
  if (reader->faults->count == before) ts_op_tables_check(descriptor, report, &r);
}
