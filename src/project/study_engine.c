/* Settings of the engine that a study varies beside the parameters of its workflow: tile, threads, workers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/study_reader.h"

#include "base/alloc.h"
#include "base/pool.h"

#include <string.h>

#define LEAST_TILE_PX  16 /* the smallest tile that is worth a task: below it, slides have millions */
#define MOST_TILE_PX   (1 << 20)
#define MOST_THREADS   1024
#define MOST_PROCESSES 256

static const struct {
  const char *key, *name, *help;
  int64_t lowest, highest;
} settings[] = {
    [TS_ENGINE_TILE] = {"tile", "engine:tile", "edge of a tile in pixels", LEAST_TILE_PX, MOST_TILE_PX},
    [TS_ENGINE_THREADS] = {"threads", "engine:threads", "threads, of each worker process if there are any", 1,
                           MOST_THREADS},
    [TS_ENGINE_WORKERS] = {"workers", "engine:workers", "worker processes; 0: threads of one process", 0,
                           MOST_PROCESSES},
};
#define SETTINGS (sizeof settings / sizeof *settings)

bool ts_study_engine_find(const char *column, enum ts_engine_setting *setting) {
  for (size_t i = 0; i < SETTINGS; i++) {
    if (strcmp(settings[i].name, column) != 0) continue;
    *setting = (enum ts_engine_setting)i;
    return true;
  }
  return false;
}

/* What a set without this column has. */
static int64_t usual_value(const struct ts_project *project, enum ts_engine_setting setting) {
  const struct ts_request *request = project->request;
  if (setting == TS_ENGINE_WORKERS) return (int64_t)request->workers;
  if (setting == TS_ENGINE_THREADS) return (int64_t)(request->threads ? request->threads : ts_cpu_count());
  return request->has_tile ? request->tile_px : project->study.tile_px;
}

static void read_setting(struct study_reader *r, const json_t *object, size_t index) {
  static const char *const keys[] = {"grid", "range", "default"};
  struct study_file *f = &r->project->study;
  struct study_reader inner;
  const json_t *value;
  if (!ts_study_enter(r, object, settings[index].key, &inner, &value)) return;
  ts_study_check_keys(&inner, value, keys, sizeof keys / sizeof *keys);
  ts_auto(json_decrefp) json_t *whole = json_deep_copy(value);
  json_object_set_new(whole, "type", json_string("integer"));
  json_object_set_new(whole, "domain",
                      json_pack("[I, I]", (json_int_t)settings[index].lowest, (json_int_t)settings[index].highest));
  struct ts_parameter *parameter = &f->engine[f->engine_count];
  if (!ts_parameter_parse(&r->project->doc, whole, inner.pointer, settings[index].key, &r->project->arena, parameter,
                          &r->issues->faults))
    return;
  if ((parameter->level_count == 0 && !parameter->has_range) || ts_space_value_count(parameter) < 2) {
    ts_study_complain(&inner, NULL, TS_ERR_BAD_VALUE, TS_JSON_VALUE,
                      "a setting of the engine has fewer than two values to choose from",
                      "write \"grid\": [1, 2, 4] or \"range\": [1, 8]");
    return;
  }
  parameter->name = settings[index].name;
  parameter->help = settings[index].help;
  if (!json_object_get(value, "default"))
    parameter->default_value = ts_value_integer(usual_value(r->project, (enum ts_engine_setting)index));
  f->engine_count++;
}

void ts_study_engine_read(struct study_reader *r, const json_t *root) {
  const char *keys[SETTINGS];
  struct study_reader inner;
  const json_t *object;
  if (!ts_study_enter(r, root, "engine", &inner, &object)) return;
  for (size_t i = 0; i < SETTINGS; i++) keys[i] = settings[i].key;
  ts_study_check_keys(&inner, object, keys, SETTINGS);
  r->project->study.engine = ts_arena_array(&r->project->arena, SETTINGS, sizeof *r->project->study.engine);
  for (size_t i = 0; i < SETTINGS; i++) read_setting(&inner, object, i);
}
