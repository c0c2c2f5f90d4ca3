/* Lists the costs of operations that the store has learnt, for people and programs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "work/costs.h"
#include "api/api_int.h"

#include "base/alloc.h"
#include "base/machine/machine.h"

#include <math.h>
#include <string.h>

#define PIXELS_OF_MEGAPIXEL 1e6

static json_t *list_ports(const struct ts_cost_summary *c) {
  json_t *list = json_array();
  for (size_t i = 0; i < c->port_count; i++)
    json_array_append_new(list, json_integer((json_int_t)llround(c->port_bytes[i])));
  return list;
}

static json_t *describe(const struct ts_cost_summary *c) {
  char version[65];
  ts_hex_encode(c->key.implementation.bytes, sizeof c->key.implementation.bytes, version);
  json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:f, s:f, s:f, s:f, s:I, s:I}", "operation",
                             c->key.operation, "version", version, "machine", c->key.machine, "measure", c->key.measure,
                             "device", c->key.device, "port_bytes", list_ports(c), "calls", (json_int_t)c->calls,
                             "size_min", c->size_min, "size_max", c->size_max, "size", c->size, "seconds", c->seconds,
                             "bytes", (json_int_t)llround(c->bytes), "peak_bytes", (json_int_t)llround(c->peak_bytes));
  if (strcmp(c->key.measure, "px") == 0 && c->size > 0)
    json_object_set_new(object, "seconds_per_megapixel", json_real(c->seconds / c->size * PIXELS_OF_MEGAPIXEL));
  if (c->asked > 0) json_object_set_new(object, "cutoff_share", json_real((double)c->cut / (double)c->asked));
  return object;
}

static bool list_costs(struct ts_past *past, json_t *object, struct ts_issues *issues) {
  struct ts_cost_row *rows = NULL;
  size_t row_count = 0, count = 0, damaged = 0;
  struct ts_error err = {0};
  if (!ts_store_cost_list(past->store, &past->arena, &rows, &row_count, &err)) return ts_issues_fault(issues, &err);
  struct ts_cost_entry *entries = ts_cost_entries(rows, row_count, &past->arena, &count, &damaged);
  struct ts_cost_model *model = ts_cost_model_create(entries, count);
  json_t *list = json_array();
  for (size_t i = 0; i < ts_cost_model_count(model); i++) {
    struct ts_cost_summary summary = ts_cost_model_at(model, i);
    json_array_append_new(list, describe(&summary));
  }
  ts_cost_model_destroy(model);
  if (damaged > 0)
    ts_issues_warn(issues, "%zu damaged %s of costs skipped; the next run that measures the same replaces them",
                   damaged, damaged == 1 ? "row was" : "rows were");
  json_object_set_new(object, "machine", json_string(ts_machine_class()));
  json_object_set_new(object, "operations", list);
  return true;
}

int ts_costs_of_store(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct ts_past past;
  json_t *object = ts_reply_new("tessera.costs/1");
  if (ts_past_open(&past, request, &issues)) list_costs(&past, object, &issues);
  return ts_past_finish(&past, object, 0, reply, &issues);
}
