/* Checks of parameters in micrometres that need the files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "project/units.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

#define FILES_NAMED 3

/* Resolutions that differ by less are those of one kind of scanner; see data/resolution.c. */
#define DIFFERENCE       1.05
#define DIFFERENCE_SLACK 1e-9

bool ts_units_are_used(const struct ts_workflow *workflow) {
  for (size_t p = 0; p < workflow->parameter_count; p++)
    if (workflow->parameters[p].unit != TS_UNIT_NONE) return true;
  return false;
}

/* The geometric mean of the two edges; 0: not known. */
static double edge_um(const struct ts_pixel_size *size) {
  if (!ts_pixel_size_is_known(size)) return 0;
  return size->x_um == size->y_um ? size->x_um : sqrt(size->x_um * size->y_um);
}

static bool is_same(const struct ts_pixel_size *a, const struct ts_pixel_size *b) {
  return a->x_um == b->x_um && a->y_um == b->y_um;
}

struct ts_pixel_size ts_units_finest(const struct ts_dataset *dataset) {
  struct ts_pixel_size finest = {0};
  for (size_t i = 0; i < dataset->item_count; i++) {
    const struct ts_pixel_size *size = &dataset->items[i].pixel_size;
    if (edge_um(size) > 0 && (edge_um(&finest) <= 0 || edge_um(size) < edge_um(&finest))) finest = *size;
  }
  return finest;
}

/* "'a', 'b', 'c' and 4 more" */
static void add_name(struct ts_str *names, size_t *count, const char *name) {
  if ((*count)++ < FILES_NAMED) ts_str_addf(names, "%s'%s'", *count > 1 ? ", " : "", name);
}
static void end_names(struct ts_str *names, size_t count) {
  if (count > FILES_NAMED) ts_str_addf(names, " and %zu more", count - FILES_NAMED);
}

/* ---- Files. ---- */

static const struct ts_parameter *first_with_unit(const struct ts_workflow *w) {
  const struct ts_parameter *parameter = w->parameters;
  while (parameter->unit == TS_UNIT_NONE) parameter++;
  return parameter;
}

static bool refuse_unknown(const struct ts_project *project, struct ts_issues *issues) {
  const struct ts_dataset *d = &project->dataset;
  const struct ts_parameter *parameter = first_with_unit(project->workflow);
  ts_auto(ts_str_release) struct ts_str names = {0};
  size_t count = 0;
  for (size_t i = 0; i < d->item_count; i++)
    if (!ts_pixel_size_is_known(&d->items[i].pixel_size)) add_name(&names, &count, d->items[i].name);
  if (count == 0) return true;
  end_names(&names, count);
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_NO_PIXEL_SIZE, "parameter '%s' is in %s, but %zu of %zu files %s no known pixel size: %s",
          parameter->name, ts_unit_symbol(parameter->unit), count, d->item_count, count == 1 ? "has" : "have",
          ts_str_get(&names));
  ts_error_help(&err, "give mpp in the manifest: a column 'mpp' with the micrometres per pixel at full resolution");
  return ts_issues_fault(issues, &err);
}

static bool has_unit(const struct ts_task *task) {
  for (size_t i = 0; i < task->op->descriptor->parameter_count; i++)
    if (task->parameters[i].unit != TS_UNIT_NONE) return true;
  return false;
}

/* A task over all files gets one number of pixels. */
static void refuse_mixed(const struct ts_project *project, size_t task, struct ts_issues *issues) {
  const struct ts_dataset *d = &project->dataset;
  char name[128];
  size_t other = 1;
  while (other < d->item_count && is_same(&d->items[other].pixel_size, &d->items[0].pixel_size)) other++;
  if (other == d->item_count) return;
  struct ts_error err = {0};
  ts_fail(&err, TS_ERR_NO_PIXEL_SIZE,
          "'%s' runs once per dataset and has a parameter in micrometres, but '%s' has %s and '%s' %s µm per pixel",
          ts_task_name(project->workflow, task, name, sizeof name), d->items[0].name,
          TS_SIGNIFICANT(edge_um(&d->items[0].pixel_size), 6), d->items[other].name,
          TS_SIGNIFICANT(edge_um(&d->items[other].pixel_size), 6));
  ts_error_help(&err, "give it a parameter in pixels, or run it on files of one resolution");
  ts_issues_fault(issues, &err);
}

bool ts_units_check_files(const struct ts_project *project, struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  if (!ts_units_are_used(w)) return true;
  if (!refuse_unknown(project, issues)) return false;
  for (size_t t = 0; t < w->task_count; t++)
    if (!ts_scope_is_in_item(w->stages[w->tasks[t].stage].scope) && has_unit(&w->tasks[t]))
      refuse_mixed(project, t, issues);
  return ts_issues_ok(issues);
}

/* ---- Values. ---- */

/* The first item of every pixel size. */
struct sizes {
  size_t *items; /* owned */
  size_t count;
};

static struct sizes list_sizes(const struct ts_dataset *d) {
  struct sizes sizes = {.items = ts_calloc(d->item_count + 1, sizeof *sizes.items)};
  for (size_t i = 0; i < d->item_count; i++) {
    size_t s = 0;
    while (s < sizes.count && !is_same(&d->items[sizes.items[s]].pixel_size, &d->items[i].pixel_size)) s++;
    if (s == sizes.count && ts_pixel_size_is_known(&d->items[i].pixel_size)) sizes.items[sizes.count++] = i;
  }
  return sizes;
}

static void refuse_value(const struct ts_project *project, const struct ts_task *task, size_t index,
                         const struct ts_value *value, const struct ts_value *pixels, const struct ts_item *item,
                         struct ts_issues *issues) {
  const struct ts_parameter *parameter = &project->workflow->parameters[task->parameters[index].parameter];
  const struct ts_op_parameter *accepted = task->op->descriptor->parameters[index];
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_error err = {0};
  ts_str_addf(&text, "parameter '%s' = ", parameter->name);
  ts_value_print(value, &text);
  ts_str_addf(&text, " %s is ", ts_unit_symbol(parameter->unit));
  ts_value_print(pixels, &text);
  ts_str_addf(&text, " %s in '%s' (%s µm per pixel), outside ", ts_unit_pixels(parameter->unit), item->name,
              TS_SIGNIFICANT(edge_um(&item->pixel_size), 6));
  ts_str_add_double(&text, accepted->low);
  ts_str_add(&text, "..");
  ts_str_add_double(&text, accepted->high);
  ts_str_addf(&text, ", which '%s' of operation '%s' accepts", accepted->name, task->op->descriptor->name);
  ts_fail(&err, TS_ERR_OUTSIDE_DOMAIN, "%s", ts_str_get(&text));
  ts_error_help(&err, "choose another value, or read this file at a level of another resolution");
  ts_issues_fault(issues, &err);
}

/* One value of a parameter of an operation against all sizes; false with a fault. */
static bool check_value(const struct ts_project *project, const struct ts_task *task, size_t index,
                        const struct ts_value *value, const struct sizes *sizes, struct ts_issues *issues) {
  const struct ts_binding *binding = &task->parameters[index];
  const struct ts_op_parameter *accepted = task->op->descriptor->parameters[index];
  for (size_t s = 0; s < sizes->count; s++) {
    const struct ts_item *item = &project->dataset.items[sizes->items[s]];
    const struct ts_value pixels = ts_unit_value(binding->unit, value, &item->pixel_size, accepted);
    struct ts_error ignored = {0};
    if (ts_op_check_value(accepted, &pixels, &ignored)) continue;
    refuse_value(project, task, index, value, &pixels, item, issues);
    return false;
  }
  return true;
}

bool ts_units_check_plan(const struct ts_project *project, const struct ts_plan *plan, struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  if (!ts_units_are_used(w)) return true;
  struct sizes sizes = list_sizes(&project->dataset);
  ts_auto_free bool *reported = ts_calloc(w->task_count * TS_OP_MAX_PARAMETERS + 1, sizeof *reported);
  for (size_t n = 0; n < plan->node_count; n++) {
    const struct ts_node *node = &plan->nodes[n];
    if (node->kind != TS_NODE_TASK) continue;
    const struct ts_task *task = &w->tasks[node->task];
    for (size_t i = 0; i < task->op->descriptor->parameter_count; i++) {
      bool *is_reported = &reported[(size_t)node->task * TS_OP_MAX_PARAMETERS + i];
      if (task->parameters[i].unit != TS_UNIT_NONE && !*is_reported)
        *is_reported = !check_value(project, task, i, &node->parameters[i], &sizes, issues);
    }
  }
  free(sizes.items);
  return ts_issues_ok(issues);
}

/* Conversion keeps the order of values: the ends of a range stand for all between them. */
static bool check_parameter(const struct ts_project *project, const struct ts_task *task, size_t index,
                            const struct sizes *sizes, struct ts_issues *issues) {
  const struct ts_parameter *p = &project->workflow->parameters[task->parameters[index].parameter];
  bool ok = check_value(project, task, index, &p->default_value, sizes, issues);
  for (size_t l = 0; ok && l < p->level_count; l++)
    ok = check_value(project, task, index, &p->levels[l], sizes, issues);
  const struct ts_value ends[] = {ts_value_real(p->range_low), ts_value_real(p->range_high)};
  for (size_t e = 0; ok && p->has_range && e < 2; e++) ok = check_value(project, task, index, &ends[e], sizes, issues);
  return ok;
}

bool ts_units_check_space(const struct ts_project *project, struct ts_issues *issues) {
  const struct ts_workflow *w = project->workflow;
  if (!ts_units_are_used(w)) return true;
  struct sizes sizes = list_sizes(&project->dataset);
  for (size_t t = 0; t < w->task_count; t++) {
    for (size_t i = 0; i < w->tasks[t].op->descriptor->parameter_count; i++)
      if (w->tasks[t].parameters[i].unit != TS_UNIT_NONE) check_parameter(project, &w->tasks[t], i, &sizes, issues);
  }
  free(sizes.items);
  return ts_issues_ok(issues);
}

/* ---- Different resolutions. ---- */

static bool reads_pixels(const struct ts_op_descriptor *d) {
  for (size_t i = 0; i < d->input_count; i++) {
    const size_t length = strcspn(d->inputs[i]->type, "|");
    char name[64];
    if (length >= sizeof name) continue;
    memcpy(name, d->inputs[i]->type, length);
    name[length] = '\0';
    const struct ts_type *type = ts_type_find(name);
    if (type && type->kind == TS_DATA_PIXELS) return true;
  }
  return false;
}

/* A radius or extent in pixels, whatever unit other parameters have. */
static bool has_radius_in_pixels(const struct ts_task *task) {
  const struct ts_op_descriptor *d = task->op->descriptor;
  size_t index = 0;
  if (!d->radius_parameter || !ts_op_find_parameter(task->op, d->radius_parameter, &index)) return false;
  return task->parameters[index].unit == TS_UNIT_NONE;
}

static bool measures_in_pixels(const struct ts_workflow *w) {
  const bool has_units = ts_units_are_used(w);
  for (size_t t = 0; t < w->task_count; t++) {
    const struct ts_op_descriptor *d = w->tasks[t].op->descriptor;
    if (d->reach == TS_OP_REACH_PIXEL || !reads_pixels(d)) continue;
    if (!has_units || has_radius_in_pixels(&w->tasks[t])) return true;
  }
  return false;
}

/* "0.25 µm per pixel ('a', 'b' and 3 more)": the files that are within the difference of one resolution. */
static void add_files(const struct ts_dataset *d, double um, struct ts_str *text) {
  ts_auto(ts_str_release) struct ts_str names = {0};
  size_t count = 0;
  for (size_t i = 0; i < d->item_count; i++) {
    const double other = edge_um(&d->items[i].pixel_size);
    if (other > 0 && fmax(other, um) <= fmin(other, um) * DIFFERENCE * (1 + DIFFERENCE_SLACK))
      add_name(&names, &count, d->items[i].name);
  }
  end_names(&names, count);
  ts_str_addf(text, "%s µm per pixel (%s)", TS_SIGNIFICANT(um, 4), ts_str_get(&names));
}

void ts_units_warn_resolutions(const struct ts_project *project, struct ts_issues *issues) {
  const struct ts_dataset *d = &project->dataset;
  double least = HUGE_VAL, most = 0;
  for (size_t i = 0; i < d->item_count; i++) {
    const double um = edge_um(&d->items[i].pixel_size);
    if (um <= 0) continue;
    least = fmin(least, um);
    most = fmax(most, um);
  }
  if (!(most > least * DIFFERENCE * (1 + DIFFERENCE_SLACK)) || !measures_in_pixels(project->workflow)) return;
  ts_auto(ts_str_release) struct ts_str text = {0};
  add_files(d, least, &text);
  ts_str_add(&text, " to ");
  add_files(d, most, &text);
  ts_issues_warn_once(issues,
                      "the files differ in resolution, from %s, but sizes in this workflow are in pixels: one value "
                      "means different sizes; declare such parameters with \"unit\": \"um\" (areas: \"um2\"), or read "
                      "the files at levels of equal resolution",
                      ts_str_get(&text));
}

/* ---- Records. ---- */

json_t *ts_units_in_pixels(const struct ts_project *project, const struct ts_item *item,
                           const struct ts_value *values) {
  const struct ts_workflow *w = project->workflow;
  if (!ts_units_are_used(w) || !ts_pixel_size_is_known(&item->pixel_size)) return NULL;
  json_t *pixels = json_object();
  for (size_t t = 0; t < w->task_count; t++) {
    const struct ts_task *task = &w->tasks[t];
    for (size_t i = 0; i < task->op->descriptor->parameter_count; i++) {
      const struct ts_binding *binding = &task->parameters[i];
      if (binding->unit == TS_UNIT_NONE || binding->parameter == TS_NONE) continue;
      const char *name = w->parameters[binding->parameter].name;
      if (json_object_get(pixels, name)) continue;
      const struct ts_value value = ts_unit_value(binding->unit, &values[binding->parameter], &item->pixel_size,
                                                  task->op->descriptor->parameters[i]);
      json_object_set_new(pixels, name, ts_value_to_json(&value));
    }
  }
  return pixels;
}
