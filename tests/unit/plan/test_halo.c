/* The needed halo: against an enumeration of all paths of drawn workflows, and by hand for single operations.
 * SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/random.h"
#include "op/implementation.h"
#include "plan/halo.h"
#include "support/toy_case.h"

#include <string.h>

#define CASES           2000
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Every path, one by one, from its end back to its beginning. ---- */

struct oracle {
  const struct ts_workflow *w;
  const struct ts_task_reach *reaches;
  int64_t largest;
  bool *tile_tasks; /* per task */
  size_t paths;
};

static bool is_tiled(const struct ts_workflow *w, size_t task) {
  return w->stages[w->tasks[task].stage].scope == TS_PER_TILE;
}

static bool is_pixels_port(const struct ts_op_port *port) { return strncmp(port->type, "image/gray8", 11) == 0; }

static bool makes_image(const struct ts_workflow *w, size_t task) {
  const struct ts_op_descriptor *d = w->tasks[task].op->descriptor;
  for (size_t i = 0; i < d->output_count; i++)
    if (is_pixels_port(d->outputs[i])) return true;
  return false;
}

static const struct ts_source *read_by(const struct ts_workflow *w, size_t task, size_t input) {
  const struct ts_source *source = &w->tasks[task].inputs[input];
  if (source->kind == TS_SOURCE_INPUT) source = &w->inputs[source->index].default_run;
  return source->kind == TS_SOURCE_TASK && is_tiled(w, source->index) ? source : NULL;
}

static bool reads_pixels(const struct ts_workflow *w, size_t task, size_t input) {
  const struct ts_source *from = read_by(w, task, input);
  if (!from) return is_pixels_port(w->tasks[task].op->descriptor->inputs[input]);
  return is_pixels_port(w->tasks[from->index].op->descriptor->outputs[from->port]);
}

static bool is_crop_at(const struct ts_workflow *w, size_t task, size_t input) {
  const struct ts_task *t = &w->tasks[task];
  const struct ts_source *from = read_by(w, task, input);
  return t->core[input] && reads_pixels(w, task, input) && (!from || w->tasks[from->index].stage != t->stage);
}

/* Whether the task gets cores, itself or by tasks before it, and no pixels with a halo. */
static bool has_no_halo(const struct ts_workflow *w, size_t task) {
  size_t cut = 0, whole = 0;
  for (size_t i = 0; i < w->tasks[task].op->descriptor->input_count; i++) {
    if (w->tasks[task].inputs[i].kind == TS_SOURCE_NONE) continue;
    const struct ts_source *from = read_by(w, task, i);
    if (is_crop_at(w, task, i) || (from && has_no_halo(w, from->index)))
      cut++;
    else if (reads_pixels(w, task, i))
      whole++;
  }
  return cut > 0 && whole == 0;
}

static void follow(struct oracle *o, size_t task, int64_t sum) {
  const struct ts_task *t = &o->w->tasks[task];
  const bool at_tile = o->reaches[task].is_tile || (o->reaches[task].px > 0 && has_no_halo(o->w, task));
  if (at_tile)
    o->tile_tasks[task] = true;
  else
    sum += o->reaches[task].px;
  if (sum > o->largest) o->largest = sum;
  o->paths++;
  for (size_t i = 0; i < t->op->descriptor->input_count; i++) {
    const struct ts_source *from = read_by(o->w, task, i);
    if (!from) continue;
    follow(o, from->index,
           is_crop_at(o->w, task, i) ? 0 : sum); /* a crop ends one path, and another goes on before it */
  }
}

static int64_t sum_of(const struct ts_halo *halo, const struct ts_task_reach *reaches) {
  int64_t sum = 0;
  for (size_t i = 0; i < halo->path_count; i++) sum += reaches[halo->path[i]].px;
  return sum;
}

/* ---- Drawn workflows, put together without a file. ---- */

#define MOST_TASKS  14
#define MOST_STAGES 5
#define INPUTS      3

static int run_nothing(struct ts_op_call *call) {
  (void)call;
  return -1;
}

static const struct ts_op_port *const image[] = {TS_OP_PORT("image", "image/gray8", "")};
static const struct ts_op_port *const three[] = {TS_OP_PORT("a", "image/gray8", ""), TS_OP_PORT("b", "table", ""),
                                                 TS_OP_PORT("c", "table", "")};
static const struct ts_op_port *const table[] = {TS_OP_PORT("table", "table", "")};
static const struct ts_op_port *const both[] = {TS_OP_PORT("table", "table", ""),
                                                TS_OP_PORT("m", "image/gray8|mask", "")};
static const struct ts_op_descriptor drawn_ops[] = {
    {TS_OP_DESCRIPTOR_HEAD, .name = "d.image", .inputs = three, .input_count = 3, .outputs = image, .output_count = 1},
    {TS_OP_DESCRIPTOR_HEAD, .name = "d.table", .inputs = three, .input_count = 3, .outputs = table, .output_count = 1},
    {TS_OP_DESCRIPTOR_HEAD, .name = "d.both", .inputs = three, .input_count = 3, .outputs = both, .output_count = 2}};

struct drawn {
  struct ts_workflow workflow;
  struct ts_workflow_input inputs[2]; /* the second is the product of the default run, of some task */
  struct ts_stage stages[MOST_STAGES];
  struct ts_task tasks[MOST_TASKS];
  struct ts_op ops[MOST_TASKS];
  struct ts_source sources[MOST_TASKS][INPUTS];
  bool core[MOST_TASKS][INPUTS];
  struct ts_task_reach reaches[MOST_TASKS];
};

static struct ts_source draw_source(const struct drawn *d, size_t task, struct ts_random *random) {
  const size_t pick = (size_t)ts_random_below(random, task + 3);
  if (pick >= task + 2) return (struct ts_source){.kind = TS_SOURCE_NONE};
  if (pick >= task) return (struct ts_source){.kind = TS_SOURCE_INPUT, .index = task > 6 ? pick - task : 0};
  const size_t from = ts_random_below(random, 3) ? task - 1 : pick; /* chains more often than bushes */
  return (struct ts_source){.kind = TS_SOURCE_TASK,
                            .index = from,
                            .port = (size_t)ts_random_below(random, d->ops[from].descriptor->output_count)};
}

static void draw(struct drawn *d, uint64_t seed) {
  struct ts_random random;
  ts_random_init(&random, seed, 0);
  memset(d, 0, sizeof *d);
  const size_t count = 1 + (size_t)ts_random_below(&random, MOST_TASKS);
  d->inputs[1].default_run = (struct ts_source){.kind = TS_SOURCE_TASK, .index = ts_random_below(&random, 7)};
  d->workflow = (struct ts_workflow){
      .inputs = d->inputs, .input_count = 2, .stages = d->stages, .tasks = d->tasks, .task_count = count};
  for (size_t s = 0; s < MOST_STAGES; s++)
    d->stages[s] = (struct ts_stage){.scope = ts_random_below(&random, 6) ? TS_PER_TILE : TS_PER_FILE,
                                     .name = ts_random_below(&random, 5) ? "tile" : "core"};
  for (size_t t = 0; t < count; t++) {
    d->ops[t].descriptor = &drawn_ops[ts_random_below(&random, 8) % COUNT_OF(drawn_ops)];
    for (size_t i = 0; i < INPUTS; i++) d->sources[t][i] = draw_source(d, t, &random);
    d->tasks[t] = (struct ts_task){
        .stage = t * MOST_STAGES / MOST_TASKS, .op = &d->ops[t], .inputs = d->sources[t], .core = d->core[t]};
    const bool is_core = strcmp(d->stages[d->tasks[t].stage].name, "core") == 0;
    for (size_t i = 0; i < INPUTS; i++) d->core[t][i] = is_core || ts_random_below(&random, 12) == 0;
    d->reaches[t] = (struct ts_task_reach){.is_tile = ts_random_below(&random, 6) == 0,
                                           .px = (int64_t)(ts_random_below(&random, 3) * ts_random_below(&random, 9))};
  }
}

static void check_case(uint64_t seed, size_t *long_paths, size_t *with_tile) {
  static struct drawn d;
  struct ts_halo halo;
  ts_auto(ts_arena_release) struct ts_arena arena = {0};
  bool at_tile[MOST_TASKS] = {false};
  draw(&d, seed);
  struct oracle oracle = {&d.workflow, d.reaches, 0, at_tile, 0};
  for (size_t t = 0; t < d.workflow.task_count; t++)
    if (is_tiled(&d.workflow, t) && makes_image(&d.workflow, t)) follow(&oracle, t, 0);
  ts_halo_find(&d.workflow, d.reaches, &arena, &halo);
  if (halo.needed_px != oracle.largest)
    fail_msg("seed %llu: %lld, not %lld", (unsigned long long)seed, (long long)halo.needed_px,
             (long long)oracle.largest);
  assert_int_equal(sum_of(&halo, d.reaches), halo.needed_px);
  size_t listed = 0;
  for (size_t t = 0; t < d.workflow.task_count; t++) {
    if (!at_tile[t]) continue;
    assert_true(listed < halo.tile_count);
    assert_int_equal(halo.tile_tasks[listed++], t);
  }
  assert_int_equal(listed, halo.tile_count);
  *long_paths += halo.path_count > 3 ? 1 : 0;
  *with_tile += halo.tile_count > 0 ? 1 : 0;
}

static void drawn_workflows_need_the_largest_sum(void **state) {
  (void)state;
  size_t long_paths = 0, with_tile = 0;
  for (uint64_t seed = 0; seed < CASES; seed++) check_case(seed, &long_paths, &with_tile);
  assert_true(long_paths > CASES / 10 && with_tile > CASES / 4 &&
              with_tile < CASES); /* the cases are worth something */
}

/* ---- One operation. ---- */

static const struct ts_op_parameter *const size[] = {
    TS_OP_PARAMETER(.name = "size", .type = TS_OP_INTEGER, .low = 0, .high = 1e6, .help = "")};
#define REACHING(name_, reach_, ...)                                                                                   \
  {                                                                                                                    \
    TS_OP_DESCRIPTOR_HEAD, .name = (name_), .version = 1, .inputs = image, .input_count = 1, .outputs = image,         \
                           .output_count = 1, .run = run_nothing, .parameters = size, .parameter_count = 1,            \
                           .reach = (reach_), __VA_ARGS__                                                              \
  }
static const struct ts_op_descriptor reaching[] = {
    REACHING("reach.pixel", TS_OP_REACH_PIXEL, .radius_px = 0),
    REACHING("reach.radius", TS_OP_REACH_RADIUS, .radius_px = 3),
    REACHING("reach.by", TS_OP_REACH_RADIUS, .radius_px = 3, .radius_parameter = "size"),
    REACHING("reach.extent", TS_OP_REACH_COMPONENT, .radius_px = 20),
    REACHING("reach.kept", TS_OP_REACH_COMPONENT, .radius_parameter = "size"),
    REACHING("reach.open", TS_OP_REACH_COMPONENT, .radius_px = 0),
    REACHING("reach.tile", TS_OP_REACH_TILE, .radius_px = 0),
};

static struct ts_task_reach reach_of(const struct ts_op_descriptor *d, const char *parameter, const char *bound,
                                     struct ts_value largest, double mpp_um) {
  const struct ts_op_descriptor *const all[] = {d};
  const struct ts_implementation implementation = {.operation = d->name};
  struct ts_registry *registry = ts_registry_create();
  ts_registry_add_built_in(registry, all, 1, &implementation, 1);
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_addf(&text,
              "{\"tessera\": 1, \"name\": \"w\", \"inputs\": {\"i\": {\"type\": \"image/gray8\"}}, \"parameters\": "
              "{%s}, \"stages\": [{\"name\": \"s\", \"per\": \"tile\", \"in\": {\"i\": \"i\"}, \"out\": {\"o\": "
              "\"t.image\"}, \"tasks\": [{\"name\": \"t\", \"op\": \"%s\", \"in\": {\"image\": \"i\"}, \"params\": "
              "{\"size\": %s}}]}]}",
              parameter, d->name, bound);
  struct ts_workflow *w = toy_workflow(ts_str_get(&text), registry);
  const struct ts_task_reach reach = ts_task_reach(w, 0, &largest, &(struct ts_pixel_size){mpp_um, mpp_um});
  ts_workflow_destroy(w);
  ts_registry_destroy(registry);
  return reach;
}

static void reaches_come_from_radius_and_parameter(void **state) {
  (void)state;
  static const struct {
    bool is_tile;
    int64_t px; /* with a size of 7 */
  } wanted[] = {{false, 0}, {false, 3}, {false, 10}, {false, 21}, {false, 8}, {true, 0}, {true, 0}};
  for (size_t i = 0; i < COUNT_OF(reaching); i++) {
    const struct ts_task_reach fixed = reach_of(&reaching[i], "", "{\"value\": 7}", ts_value_integer(0), 0);
    const struct ts_task_reach bound =
        reach_of(&reaching[i], "\"p\": {\"type\": \"integer\", \"default\": 1}", "\"p\"", ts_value_integer(7), 0);
    /* 3.4 micrometres are 6.8 pixels of 0.5, and 7 for the operation */
    const struct ts_task_reach in_um =
        reach_of(&reaching[i], "\"p\": {\"type\": \"real\", \"unit\": \"um\", \"default\": 1}", "\"p\"",
                 ts_value_real(3.4), 0.5);
    const struct ts_task_reach all[] = {fixed, bound, in_um};
    for (size_t k = 0; k < COUNT_OF(all); k++) {
      assert_int_equal(all[k].is_tile, wanted[i].is_tile);
      if (!all[k].is_tile) assert_int_equal(all[k].px, wanted[i].px);
    }
  }
}

/* A value that cannot be one of pixels does not overflow. */
static void far_reaches_have_an_end(void **state) {
  (void)state;
  const struct ts_task_reach reach =
      reach_of(&reaching[2], "\"p\": {\"type\": \"integer\", \"default\": 1}", "\"p\"", ts_value_integer(INT64_MAX), 0);
  assert_true(!reach.is_tile && reach.px >= INT64_C(1) << 32 && reach.px <= INT64_C(1) << 41);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drawn_workflows_need_the_largest_sum),
      cmocka_unit_test(reaches_come_from_radius_and_parameter),
      cmocka_unit_test(far_reaches_have_an_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
