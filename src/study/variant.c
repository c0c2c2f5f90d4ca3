/* Copies project and work of a study and gives them the settings of one set, or other data.
 * SPDX-License-Identifier: Apache-2.0 */
#include "study/variant.h"
#include "work/workers.h"

#include "base/alloc.h"

static void apply(struct ts_request *request, enum ts_engine_setting setting, int64_t value) {
  if (setting == TS_ENGINE_THREADS) request->threads = (size_t)value;
  if (setting == TS_ENGINE_WORKERS) request->workers = (size_t)value;
  if (setting == TS_ENGINE_TILE) {
    request->has_tile = true;
    request->tile_px = value;
  }
}

/* The request with the settings of a set. */
static struct ts_request settings_of(const struct study_course *course, const struct ts_value *point) {
  struct ts_request request = *course->project->request;
  request.no_reuse = true;
  for (size_t c = 0; c < course->column_count; c++) {
    enum ts_engine_setting setting;
    if (ts_study_engine_find(course->columns[c], &setting)) apply(&request, setting, point[c].as.integer);
  }
  return request;
}

static struct study_variant *copy_work(struct ts_work *work, struct ts_request request) {
  struct study_variant *v = ts_calloc(1, sizeof *v);
  v->request = request;
  v->project = *work->project;
  v->project.request = &v->request;
  v->project.arena = (struct ts_arena){0};
  v->work =
      (struct ts_work){.project = &v->project, .store = work->store, .machine = work->machine, .trace = work->trace};
  v->origin = work;
  return v;
}

struct study_variant *ts_variant_create(struct ts_work *work, const struct study_course *course,
                                        const struct ts_value *point, struct ts_issues *issues) {
  struct study_variant *v = copy_work(work, settings_of(course, point));
  v->work.costs = work->costs;
  if (!v->request.has_tile || ts_project_cut_again(&v->project, issues)) return v;
  ts_variant_destroy(v);
  return NULL;
}

/* Its costs are its own: they measure files by their numbers. */
struct study_variant *ts_variant_of_held_out(struct ts_work *work) {
  struct study_variant *v = copy_work(work, *work->project->request);
  v->project.dataset = work->project->held_out;
  v->project.held_out = v->project.all = (struct ts_dataset){0};
  return v;
}

void ts_variant_destroy(struct study_variant *v) {
  if (!v) return;
  v->work.store = NULL;
  v->work.trace = NULL;
  if (v->work.costs == v->origin->costs) v->work.costs = NULL;
  ts_work_release(&v->work);
  ts_arena_release(&v->project.arena);
  free(v);
}

size_t ts_variant_most_threads(const struct study_course *course) {
  struct ts_request most = *course->project->request;
  for (size_t e = 0; e < course->project->study.engine_count; e++) {
    const struct ts_parameter *parameter = &course->project->study.engine[e];
    enum ts_engine_setting setting;
    double highest = parameter->range_high, level;
    for (size_t i = 0; i < parameter->level_count; i++) {
      if (ts_value_number(&parameter->levels[i], &level) && (i == 0 || level > highest)) highest = level;
    }
    if (ts_study_engine_find(parameter->name, &setting)) apply(&most, setting, (int64_t)highest);
  }
  struct ts_request alone = most;
  alone.workers = 0;
  const size_t threads = ts_workers_threads(&alone), processes = ts_workers_threads(&most);
  return threads > processes ? threads : processes;
}
