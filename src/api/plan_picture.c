/* From a plan and its buckets to a picture of the most expensive stage.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/plan_int.h"

#include "base/alloc.h"
#include "base/file.h"
#include "report/bucket_picture.h"

#include <string.h>

struct plan_picture {
  const struct ts_plan *plan; /* borrowed */
  struct ts_arena arena;      /* owns everything below */
  struct ts_bucket_picture picture;
  struct ts_bucket_panel *panels;
  size_t stage;
  struct ts_stage_keys keys[2]; /* owned: along the chain, of the graph */
};

/* The stage with the most work, were nothing of it shared; TS_NONE: no stage is needed. */
static size_t costliest_stage(const struct ts_plan *plan, const struct ts_plan_bucket_options *options) {
  const struct ts_workflow *w = plan->workflow;
  size_t found = TS_NONE;
  double most = 0;
  for (size_t s = 0; s < w->stage_count; s++) {
    double cost = 0;
    for (size_t t = w->stages[s].first_task; t < w->stages[s].first_task + w->stages[s].task_count; t++) {
      if (plan->active[t]) cost += options->costs ? options->costs[t] : 1;
    }
    cost *= (double)plan->instances[s].count * (double)options->units[w->stages[s].scope];
    if (cost > most) found = s;
    most = cost > most ? cost : most;
  }
  return found;
}

static bool refuse_picture(const char *why, struct ts_issues *issues) {
  return ts_issues_usage(issues, "ask for '--compare', '--merge rtma', or leave out '--merge'",
                         "'--picture' draws buckets, and %s", why);
}

static void set_titles(struct plan_picture *p, const struct ts_project *project,
                       const struct ts_plan_bucket_options *options) {
  const struct ts_stage *stage = &p->plan->workflow->stages[p->stage];
  size_t units = options->units[stage->scope];
  p->picture.title =
      ts_arena_printf(&p->arena, "Buckets of study \xe2\x80\x98%s\xe2\x80\x99, stage \xe2\x80\x98%s\xe2\x80\x99",
                      project->study.name, stage->name);
  const char *pieces = ts_scope_name(stage->scope);
  const char *same = units == 1 ? ts_arena_printf(&p->arena, "for one %s", pieces)
                                : ts_arena_printf(&p->arena, "the same for each of %zu %ss", units, pieces);
  p->picture.subtitle =
      ts_arena_printf(&p->arena, "%zu %s, %zu distinct in this stage, %zu %s each, %s.", p->plan->set_count,
                      p->plan->set_count == 1 ? "run" : "runs", p->keys[0].member_count, p->keys[0].task_count,
                      p->keys[0].task_count == 1 ? "task" : "tasks", same);
}

struct plan_picture *ts_plan_picture_create(const struct ts_project *project, const struct ts_plan *plan,
                                            const struct ts_plan_bucket_options *options, struct ts_issues *issues) {
  if (!project->request->picture) return NULL;
  size_t stage = plan->instances ? costliest_stage(plan, options) : TS_NONE;
  if (stage == TS_NONE) {
    refuse_picture(plan->instances ? "there is nothing to do" : "this way to merge has none", issues);
    return NULL;
  }
  struct plan_picture *p = ts_calloc(1, sizeof *p);
  size_t merger_count = 0;
  ts_merger_list(&merger_count);
  *p = (struct plan_picture){.plan = plan, .stage = stage};
  p->panels = ts_arena_array(&p->arena, merger_count, sizeof *p->panels);
  for (int dag = 0; dag < 2; dag++) ts_stage_keys_init(&p->keys[dag], plan, stage, dag == 1);
  const char **names = ts_arena_array(&p->arena, p->keys[0].task_count + 1, sizeof *names);
  for (size_t t = 0; t < p->keys[0].task_count; t++) names[t] = plan->workflow->tasks[p->keys[0].tasks[t]].name;
  p->picture = (struct ts_bucket_picture){.tasks = names,
                                          .task_count = p->keys[0].task_count,
                                          .seconds = options->costs != NULL,
                                          .workers = options->workers,
                                          .panels = p->panels};
  set_titles(p, project, options);
  return p;
}

void ts_plan_picture_destroy(struct plan_picture *picture) {
  if (!picture) return;
  for (int dag = 0; dag < 2; dag++) ts_stage_keys_release(&picture->keys[dag]);
  ts_arena_release(&picture->arena);
  free(picture);
}

/* Rows of keys in the order of the buckets. */
static const uint32_t *columns_of(struct plan_picture *p, const struct ts_bucket *buckets, size_t count, bool dag) {
  const struct ts_stage_keys *keys = &p->keys[dag];
  const struct ts_stage_instances *instances = &p->plan->instances[p->stage];
  ts_auto_free uint32_t *member_of = ts_calloc(p->plan->set_count + 1, sizeof *member_of); /* first run -> member */
  for (size_t m = 0; m < instances->count; m++) member_of[instances->runs[m]] = (uint32_t)m;
  uint32_t *rows = ts_arena_array(&p->arena, keys->member_count * keys->task_count + 1, sizeof *rows);
  uint32_t *row = rows;
  for (size_t b = 0; b < count; b++) {
    for (size_t i = 0; i < buckets[b].member_count; i++, row += keys->task_count)
      memcpy(row, keys->keys + member_of[buckets[b].members[i]] * keys->task_count, keys->task_count * sizeof *row);
  }
  return rows;
}

void ts_plan_picture_add(struct plan_picture *picture, const struct ts_plan_bucket_options *options,
                         const struct ts_buckets *buckets, const struct ts_stage_forecast *forecasts) {
  const struct ts_stage_forecast *f = &forecasts[picture->stage];
  const struct ts_bucket *items = buckets->items + f->bucket_first;
  size_t *sizes = ts_arena_array(&picture->arena, f->bucket_count + 1, sizeof *sizes);
  double *costs = ts_arena_array(&picture->arena, f->bucket_count + 1, sizeof *costs);
  for (size_t b = 0; b < f->bucket_count; b++) {
    sizes[b] = items[b].member_count;
    costs[b] = items[b].cost;
  }
  picture->panels[picture->picture.panel_count++] = (struct ts_bucket_panel){
      .name = ts_arena_printf(&picture->arena, "%s, %s keys", options->merger->name, options->dag ? "dag" : "chain"),
      .bucket_count = f->bucket_count,
      .sizes = sizes,
      .costs = costs,
      .keys = columns_of(picture, items, f->bucket_count, options->dag),
      .key_count = picture->keys[options->dag].key_count,
      .imbalance = f->imbalance,
      .makespan = f->makespan,
      .lower_bound = f->lower_bound};
}

void ts_plan_picture_refuse(struct plan_picture *picture, const char *name, const char *why) {
  picture->panels[picture->picture.panel_count++] = (struct ts_bucket_panel){
      .name = ts_arena_strdup(&picture->arena, name), .refused = ts_arena_strdup(&picture->arena, why)};
}

bool ts_plan_picture_write(const struct plan_picture *picture, struct ts_work *work, struct ts_issues *issues) {
  const struct ts_project *project = work->project;
  ts_auto(ts_str_release) struct ts_str svg = {0};
  struct ts_error err = {0};
  ts_draw_buckets(&svg, &picture->picture);
  bool ok = ts_file_write_atomic(ts_request_path(project->request, &work->arena, project->request->picture),
                                 ts_str_get(&svg), svg.length, &err);
  if (!ok) ts_issues_fault(issues, &err);
  return ok;
}
