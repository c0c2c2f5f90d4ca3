/* Times every operation of a workflow on one image: median of five runs without any reuse, one operation at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/api_int.h"
#include "study/sets.h"
#include "work/engine.h"
#include "work/planning.h"

#include "base/alloc.h"
#include "base/embedded.h"
#include "base/file.h"
#include "base/order.h"
#include "demo/slide.h"
#include "image/image.h"
#include "kernels/kernels.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPEATS  5
#define SLIDE_PX 2048

struct sample {
  double cpu_s[REPEATS];
  double wall_s[REPEATS];
};

struct bench {
  struct ts_work *work;     /* borrowed */
  struct ts_issues *issues; /* borrowed */
  const struct ts_plan *plan;
  struct sample *samples; /* per task */
  size_t round;
};

static void on_task(void *user, const struct ts_task_event *event) {
  struct bench *bench = user;
  const struct ts_node *node = &bench->plan->nodes[event->node];
  if (node->kind != TS_NODE_TASK || node->reference_only) return;
  bench->samples[node->task].cpu_s[bench->round] += event->cpu_s;
  bench->samples[node->task].wall_s[bench->round] += event->wall_s;
}

static double median(double *values) {
  qsort(values, REPEATS, sizeof *values, ts_compare_doubles);
  return values[REPEATS / 2];
}

static void add_operations(struct bench *bench, uint64_t peak_bytes, json_t *object) {
  const struct ts_workflow *w = bench->work->project->workflow;
  json_t *list = json_array();
  int64_t pixels = 0;
  double total = 0;
  for (size_t t = 0; t < bench->work->project->dataset.tile_count; t++)
    pixels +=
        bench->work->project->dataset.tiles[t].region.width * bench->work->project->dataset.tiles[t].region.height;
  for (size_t t = 0; t < w->task_count; t++) {
    char name[160];
    if (!bench->plan->active[t]) continue;
    ts_task_name(w, t, name, sizeof name);
    double cpu_s = median(bench->samples[t].cpu_s);
    total += cpu_s;
    json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:I, s:I}", "name", name, "cpu_s", cpu_s, "wall_s",
                                          median(bench->samples[t].wall_s), "pixels", (json_int_t)pixels, "peak_bytes",
                                          (json_int_t)peak_bytes));
  }
  json_object_set_new(object, "operations", list);
  json_object_set_new(object, "cpu_s", json_real(total));
}

static bool measure(struct bench *bench, json_t *object) {
  struct ts_work *work = bench->work;
  const struct ts_project *project = work->project;
  uint64_t peak_bytes = 0;
  for (bench->round = 0; bench->round < REPEATS; bench->round++) {
    struct ts_run_options options = ts_engine_options(work);
    struct ts_run_result result;
    struct ts_error err = {0};
    options.threads = 1; /* operations one after the other, each with all threads */
    options.inner_threads = project->request->threads ? project->request->threads : 1;
    options.store = NULL;
    options.user = bench;
    options.on_task = on_task;
    bool ok = ts_run(bench->plan, &project->dataset, &options, &result, &err);
    peak_bytes = result.peak_bytes > peak_bytes ? result.peak_bytes : peak_bytes;
    ts_run_result_release(&result);
    if (!ok) return ts_issues_fault(bench->issues, &err);
  }
  json_object_set_new(object, "variant", json_string(ts_kernels_variant()));
  json_object_set_new(object, "threads",
                      json_integer((json_int_t)(project->request->threads ? project->request->threads : 1)));
  json_object_set_new(object, "repeats", json_integer(REPEATS));
  add_operations(bench, peak_bytes, object);
  return true;
}

/* A new folder with a demo's workflow and, unless the user gave an image, a synthetic slide. */
struct made_project {
  char *folder, *workflow, *slide; /* owned */
  const char *data[1];
};

/* The workflow of a demo; NULL: there is no such demo. */
static const struct ts_embedded_file *find_workflow(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "%s/workflow.json", name);
  return ts_embedded_find(path);
}

static bool make_slide(const char *path, struct ts_error *err) {
  struct ts_data *image = NULL;
  struct ts_data *labels = NULL;
  bool ok = ts_image_startup(err) && ts_demo_slide(SLIDE_PX, SLIDE_PX, 1, &image, &labels, err) &&
            ts_image_write_png(path, image, err);
  ts_data_unref(image);
  ts_data_unref(labels);
  return ok;
}

static bool make_project(struct made_project *project, const struct ts_embedded_file *workflow,
                         struct ts_request *request, struct ts_error *err) {
  project->folder = ts_folder_create_scratch(NULL, "tessera-bench", err);
  if (!project->folder) return false;
  project->workflow = ts_path_join(project->folder, "workflow.json");
  project->slide = ts_path_join(project->folder, "slide.png");
  if (!ts_file_write(project->workflow, workflow->data, workflow->size, err)) return false;
  request->file = project->workflow;
  if (request->data_count > 0) return true;
  project->data[0] = project->slide;
  request->data = project->data;
  request->data_count = 1;
  return make_slide(project->slide, err);
}

static void remove_project(const struct made_project *project) {
  if (!project->folder) return;
  unlink(project->workflow);
  unlink(project->slide);
  rmdir(project->folder);
  free(project->workflow);
  free(project->slide);
  free(project->folder);
}

static void bench_project(struct ts_work *work, struct ts_project *project, json_t *object, struct ts_issues *issues) {
  ts_auto(ts_sets_release) struct parameter_sets sets = {0};
  struct bench bench = {.work = work, .issues = issues};
  if (ts_project_read(project, issues) && ts_project_open_dataset(project, false, issues) &&
      ts_sets_single(project, &sets, issues)) {
    size_t count = 0;
    struct ts_source *wanted = ts_planning_all_products(work, NULL, NULL, &count, issues);
    struct ts_plan *plan = ts_planning_make(work, sets.values, sets.count, wanted, count, false, issues);
    if (plan) {
      bench.plan = plan;
      bench.samples = ts_calloc(project->workflow->task_count + 1, sizeof *bench.samples);
      measure(&bench, object);
      free(bench.samples);
    }
    ts_plan_destroy(plan);
  }
}

int ts_bench(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  struct ts_project project;
  struct ts_work work;
  struct ts_request changed = *request;
  struct made_project made = {0};
  struct ts_error err = {0};
  ts_project_init(&project, &changed);
  const bool possible = ts_work_init(&work, &project, &issues);
  json_t *object = ts_reply_new("tessera.bench/1");
  const char *name = request->file ? request->file : "nuclei";
  const struct ts_embedded_file *embedded = ts_file_exists(name) ? NULL : find_workflow(name);
  if (embedded && !make_project(&made, embedded, &changed, &err))
    ts_issues_fault(&issues, &err);
  else if (possible)
    bench_project(&work, &project, object, &issues);
  ts_work_release(&work);
  ts_project_release(&project);
  remove_project(&made);
  return ts_reply_finish(object, 0, reply, NULL, &issues);
}
