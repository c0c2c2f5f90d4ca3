/* The halo that a project gets: from the largest values of a request, the finest pixels, a work order or the study; and
 * what is said about it. All numbers by hand.
 * SPDX-License-Identifier: Apache-2.0
 * test-needs: study
 * test-label: one-thread */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"
#include "op/implementation.h"
#include "project/data/halo.h"
#include "support/study_case.h"

/* ---- Operations: smooth looks 1 + r pixels far, select at objects of an extent, whole at the tile. ---- */

static int run_never(struct ts_op_call *call) {
  (void)call;
  return 1;
}

static const struct ts_op_port *const image[] = {TS_OP_PORT("image", "image/gray8", "")};
static const struct ts_op_parameter *const far_parameter[] = {
    TS_OP_PARAMETER(.name = "far", .type = TS_OP_INTEGER, .low = 0, .high = 1e6, .help = "")};
#define REACHING(name_, reach_, ...)                                                                                   \
  {                                                                                                                    \
    TS_OP_DESCRIPTOR_HEAD, .name = (name_), .version = 1, .inputs = image, .input_count = 1, .outputs = image,         \
                           .output_count = 1, .run = run_never, .reach = (reach_), __VA_ARGS__                         \
  }
#define FAR .parameters = far_parameter, .parameter_count = 1, .radius_parameter = "far"
static const struct ts_op_descriptor operations[] = {
    REACHING("h.select", TS_OP_REACH_COMPONENT, FAR),
    REACHING("h.smooth", TS_OP_REACH_RADIUS, FAR, .radius_px = 1),
    REACHING("h.whole", TS_OP_REACH_TILE, .radius_px = 0),
};

static struct ts_registry *make_registry(void) {
  struct ts_implementation implementations[COUNT_OF(operations)] = {0};
  const struct ts_op_descriptor *descriptors[COUNT_OF(operations)];
  for (size_t i = 0; i < COUNT_OF(operations); i++) {
    implementations[i].operation = operations[i].name;
    descriptors[i] = &operations[i];
  }
  struct ts_registry *registry = toy_registry_create();
  ts_registry_add_built_in(registry, descriptors, COUNT_OF(operations), implementations, COUNT_OF(operations));
  return registry;
}

/* ---- Projects. ---- */

#define TASK(name, op, from, params)                                                                                   \
  "{\"name\": \"" name "\", \"op\": \"" op "\", \"in\": {\"image\": \"" from "\"}, \"params\": {" params "}}"
#define HEAD(extent)                                                                                                   \
  "{\"tessera\": 1, \"name\": \"w\", \"inputs\": {\"i\": {\"type\": \"image/gray8\"}}, \"parameters\": {"              \
  "\"R\": {\"type\": \"integer\", \"grid\": [4, 2], \"default\": 3}, \"E\": {" extent "}}, \"stages\": [{\"name\": "   \
  "\"segment\", \"per\": \"tile\", \"in\": {\"i\": \"i\"}, \"out\": {\"image\": \"select.image\"}, \"tasks\": ["
/* Of one of the demonstrated length: in micrometres 5 to 10, at 0.5 per pixel 10 to 20 pixels. */
static const char in_um[] = HEAD("\"type\": \"real\", \"unit\": \"um\", \"range\": [5, 10], \"default\": 5")
    TASK("smooth", "h.smooth", "i", "\"far\": \"R\"") ", " TASK("select", "h.select", "smooth.image",
                                                                "\"far\": \"E\"") "]}]}";
static const char in_pixels[] = HEAD("\"type\": \"integer\", \"default\": 10")
    TASK("smooth", "h.smooth", "i", "\"far\": \"R\"") ", " TASK("select", "h.select", "smooth.image",
                                                                "\"far\": \"E\"") "]}]}";
static const char with_whole[] = HEAD("\"type\": \"integer\", \"default\": 10")
    TASK("smooth", "h.smooth", "i", "\"far\": \"R\"") ", " TASK("first", "h.whole", "smooth.image", "") ", " TASK(
        "second", "h.whole", "first.image",
        "") ", " TASK("third", "h.whole", "second.image",
                      "") ", " TASK("fourth", "h.whole", "third.image",
                                    "") ", " TASK("select", "h.select", "fourth.image", "\"far\": \"E\"") "]}]}";

static char folder[64];

static const char *at(const char *name) {
  static char paths[8][160];
  static size_t next;
  char *path = paths[next++ % COUNT_OF(paths)];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void write_text(const char *name, const char *text) {
  struct ts_error err = {0};
  if (!ts_file_write_atomic(at(name), text, strlen(text), &err)) fail_msg("%s", err.text);
}

static void write_image(const char *name, int64_t width, int64_t height) {
  struct ts_error err = {0};
  const struct ts_region region = {.width = width, .height = height};
  ts_auto(ts_data_unref_pointer) struct ts_data *pixels =
      ts_data_create_pixels(ts_type_find("image/gray8"), &region, &err);
  memset(ts_data_writable(pixels), 128, (size_t)(width * height));
  if (!ts_image_write_png(at(name), pixels, &err)) fail_msg("%s", err.text);
}

static int set_up(void **state) {
  (void)state;
  scratch_create(folder);
  if (!ts_image_startup(NULL)) return -1;
  write_image("a.png", 100, 70);
  write_image("b.png", 64, 64);
  write_text("one.csv", "i,mpp\na.png,0.5\n");
  write_text("two.csv", "i,mpp\na.png,0.5\nb.png,0.25\n");
  write_text("small.csv", "i,mpp\nb.png,0.5\n");
  write_text("sets.csv", "R,E\n7,5\n2,19.9\n");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

struct subject {
  struct ts_request request;
  struct ts_issues issues;
  struct ts_project project;
};

static bool is_bare(const char *data) { return !data; }

/* A project whose study has these members of data; NULL: a workflow alone. The request may be filled before. */
static void open_case(struct subject *s, const char *workflow, const char *data, const char *more) {
  struct ts_error err = {0};
  ts_project_init(&s->project, &s->request);
  s->project.registry = make_registry();
  s->project.workflow = toy_workflow(workflow, s->project.registry);
  s->project.study.is_bare_workflow = is_bare(data);
  const char *text = ts_arena_printf(&s->project.arena,
                                     "{\"tessera\": 1, \"workflow\": \"w.json\", \"data\": {%s}, %s\"outputs\": "
                                     "[\"segment.table:n\"]}",
                                     data ? data : "", more ? more : "");
  if (!ts_json_doc_parse(&s->project.doc, at("study.json"), text, strlen(text), &err)) fail_msg("%s", err.text);
  if (!ts_study_file_parse(&s->project, &s->issues) ||
      !ts_project_open_dataset(&s->project, !is_bare(data), &s->issues)) {
    for (size_t i = 0; i < s->issues.faults.count; i++) print_error("%s\n", s->issues.faults.items[i].text);
    fail();
  }
}

static void close_case(struct subject *s) {
  ts_project_release(&s->project);
  ts_issues_release(&s->issues);
}

static void assert_halo(const struct subject *s, int64_t px, int64_t needed_px) {
  const struct ts_project_halo *halo = &s->project.halo;
  if (halo->px != px || halo->needed.needed_px != needed_px)
    fail_msg("%lld of %lld px, not %lld of %lld", (long long)halo->px, (long long)halo->needed.needed_px, (long long)px,
             (long long)needed_px);
  for (size_t i = 0; i < s->project.dataset.item_count; i++)
    assert_int_equal(s->project.dataset.items[i].grid.halo_px, px);
}

/* All warnings about tiling, and no other. */
static void assert_warnings(struct subject *s, const char *const *texts, size_t count) {
  const size_t before = s->issues.warning_count;
  ts_project_halo_warn(&s->project, &s->issues);
  assert_int_equal(s->issues.warning_count - before, count);
  for (size_t i = 0; i < count; i++) assert_string_equal(s->issues.warnings[before + i], texts[i]);
}

#define ONE "\"manifest\": \"one.csv\", \"tile\": 64"

static void reaches_of_a_study_add_up(void **state) {
  (void)state;
  struct subject s = {0};
  open_case(&s, in_um, ONE, NULL);
  /* 1 + the larger level of R; 10 / 0.5 and one pixel more */
  assert_halo(&s, 5 + 21, 26);
  assert_true(!s.project.halo.is_given && s.project.halo.is_cut);
  const struct ts_region *region = &s.project.dataset.tiles[0].region; /* of a core of 64 x 64 */
  assert_int_equal(region->width, 64 + 26);
  assert_int_equal(region->height, 70);
  assert_warnings(&s, NULL, 0);
  ts_auto(json_decrefp) json_t *json = ts_project_halo_json(&s.project);
  ts_auto_free char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
  assert_string_equal(text,
                      "{\"given\":false,\"needed_px\":26,\"path\":[{\"px\":5,\"task\":\"segment.smooth\"},{\"px\":"
                      "21,\"task\":\"segment.select\"}],\"px\":26,\"tile_tasks\":[]}");
  close_case(&s);
}

static void only_varied_parameters_leave_their_default(void **state) {
  (void)state;
  struct subject s = {0};
  open_case(&s, in_um, ONE, "\"parameters\": [\"R\"], ");
  assert_halo(&s, 5 + 11, 16); /* 5 / 0.5 and one */
  close_case(&s);
  s = (struct subject){0};
  open_case(&s, in_um, ONE, "\"parameters\": [\"E\"], ");
  assert_halo(&s, 4 + 21, 25); /* R is 3 */
  close_case(&s);
  s = (struct subject){0}; /* with settings of the engine, parameters are varied only where they are named */
  open_case(&s, in_um, ONE, "\"engine\": {\"threads\": {\"grid\": [1, 2]}}, ");
  assert_halo(&s, 4 + 11, 15);
  close_case(&s);
}

static void the_finest_pixels_count(void **state) {
  (void)state;
  struct subject s = {0};
  open_case(&s, in_um, "\"manifest\": \"two.csv\", \"tile\": 64", NULL);
  assert_halo(&s, 5 + 41, 46); /* 10 / 0.25 and one; also around the tiles of the other file */
  close_case(&s);
}

static void settings_and_designs_may_go_farther(void **state) {
  (void)state;
  const struct tessera_setting more[] = {{"R", "9"}}, less[] = {{"R", "0"}}, wrong[] = {{"R", "x"}, {"Q", "9"}};
  struct subject s = {.request = {.parameters = more, .parameter_count = 1}};
  open_case(&s, in_um, ONE, NULL);
  assert_halo(&s, 10 + 21, 31);
  close_case(&s);
  s = (struct subject){.request = {.parameters = less, .parameter_count = 1}};
  open_case(&s, in_um, ONE, NULL);
  assert_halo(&s, 5 + 21, 26); /* that of the study, whose products the run shares */
  close_case(&s);
  s = (struct subject){.request = {.parameters = wrong, .parameter_count = 2}};
  open_case(&s, in_um, ONE, NULL);
  assert_halo(&s, 5 + 21, 26);
  close_case(&s);
  s = (struct subject){.request = {.design = at("sets.csv")}};
  open_case(&s, in_um, ONE, NULL);
  assert_halo(&s, 8 + 41, 49); /* R is 7 in one row, E 19.9 in another: 39.8 pixels are 40 */
  close_case(&s);
}

static void a_workflow_alone_has_its_values(void **state) {
  (void)state;
  const char *data[] = {at("a.png")};
  const struct tessera_setting more[] = {{"R", "9"}}, less[] = {{"R", "1"}};
  struct subject s = {.request = {.data = data, .data_count = 1, .has_tile = true, .tile_px = 64}};
  open_case(&s, in_pixels, NULL, NULL);
  assert_halo(&s, 4 + 11, 15); /* a grid is for studies */
  close_case(&s);
  s = (struct subject){.request = s.request};
  s.request.parameters = more;
  s.request.parameter_count = 1;
  open_case(&s, in_pixels, NULL, NULL);
  assert_halo(&s, 10 + 11, 21);
  close_case(&s);
  s = (struct subject){.request = s.request};
  s.request.parameters = less;
  open_case(&s, in_pixels, NULL, NULL);
  assert_halo(&s, 4 + 11, 15); /* a run with the defaults may be its reference */
  close_case(&s);
}

static void images_of_one_tile_need_none(void **state) {
  (void)state;
  const char *const whole[] = {"\"manifest\": \"one.csv\"", "\"manifest\": \"one.csv\", \"tile\": 100",
                               "\"manifest\": \"small.csv\", \"tile\": 64"};
  for (size_t i = 0; i < COUNT_OF(whole); i++) {
    struct subject s = {0};
    open_case(&s, i == 0 ? with_whole : in_um, whole[i], NULL);
    assert_halo(&s, 0, 0);
    assert_warnings(&s, NULL, 0);
    ts_auto(json_decrefp) json_t *json = ts_project_halo_json(&s.project);
    assert_true(json_is_null(json));
    close_case(&s);
  }
}

static void a_given_halo_is_used_and_judged(void **state) {
  (void)state;
  static const struct {
    const char *data;
    int64_t px;
    const char *warning;
  } cases[] = {
      {ONE ", \"halo\": 0", 0,
       "the halo of 0 px is smaller than the 26 px that tasks look at, one after another (segment.smooth 5, "
       "segment.select 21): results near tile edges depend on the tiling; set \"halo\": 26 in the study's data, or "
       "leave it out to have it computed"},
      {ONE ", \"halo\": 25", 25,
       "the halo of 25 px is smaller than the 26 px that tasks look at, one after another (segment.smooth 5, "
       "segment.select 21): results near tile edges depend on the tiling; set \"halo\": 26 in the study's data, or "
       "leave it out to have it computed"},
      {ONE ", \"halo\": 26", 26, NULL},
      {ONE ", \"halo\": 300", 300, NULL},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct subject s = {0};
    open_case(&s, in_um, cases[i].data, NULL);
    assert_halo(&s, cases[i].px, 26);
    assert_true(s.project.halo.is_given);
    assert_warnings(&s, &cases[i].warning, cases[i].warning ? 1 : 0);
    close_case(&s);
  }
}

#define WHOLE                                                                                                          \
  "'segment.first' (h.whole), 'segment.second' (h.whole), 'segment.third' (h.whole) and 1 more look at the whole "     \
  "tile: results near tile edges depend on the tiling, whatever the halo; "

static void tasks_that_look_at_the_tile_are_named(void **state) {
  (void)state;
  static const struct {
    const char *data;
    int64_t px;
    const char *advice;
  } cases[] = {
      {ONE, 16, "\"halo\": 128 in the study's data lowers the effect, \"tile\": 0 (or --tile 0)"},
      {ONE ", \"halo\": 127", 127, "\"halo\": 128 in the study's data lowers the effect, \"tile\": 0 (or --tile 0)"},
      {ONE ", \"halo\": 128", 128, "a larger halo lowers the effect, \"tile\": 0 (or --tile 0)"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct subject s = {0};
    char text[600];
    const char *const warning = text;
    snprintf(text, sizeof text, "%s%s for whole images avoids it", WHOLE, cases[i].advice);
    open_case(&s, with_whole, cases[i].data, NULL);
    assert_halo(&s, cases[i].px, 5 + 11); /* smooth before them, select after them */
    assert_warnings(&s, &warning, 1);
    close_case(&s);
  }
  const char *data[] = {at("a.png")};
  struct subject s = {.request = {.data = data, .data_count = 1, .has_tile = true, .tile_px = 64}};
  const char *const warning =
      WHOLE "a study with \"halo\": 128 in its data lowers the effect, --tile 0 for whole images avoids it";
  open_case(&s, with_whole, NULL, NULL);
  assert_warnings(&s, &warning, 1);
  close_case(&s);
}

static void a_halo_larger_than_the_tiles_is_expensive(void **state) {
  (void)state;
  struct subject s = {0};
  const char *const warning = "the halo of 26 px (segment.smooth 5, segment.select 21) is larger than the tiles of 16 "
                              "px: most pixels are computed more than nine times; larger tiles need less work";
  open_case(&s, in_um, "\"manifest\": \"one.csv\", \"tile\": 16", NULL);
  assert_halo(&s, 26, 26);
  assert_warnings(&s, &warning, 1);
  close_case(&s);
}

/* ---- What a work order says. ---- */

static json_t *ordered_grid;
static const json_t *grid_of(const struct ts_order *order) {
  (void)order;
  return ordered_grid;
}
static const struct ts_order_reader reader = {.grid = grid_of};
static int some_order; /* its address is that of an order */

/* As if the run of a project that was opened had an order. */
static void settle_again(struct subject *s, const char *grid, bool is_begun) {
  ordered_grid = json_loads(grid, JSON_DECODE_ANY, NULL);
  s->project.order_reader = &reader;
  s->project.begun = is_begun ? (const struct ts_order *)(const void *)&some_order : NULL;
  s->project.order = is_begun ? NULL : (const struct ts_order *)(const void *)&some_order;
  ts_project_halo_settle(&s->project);
  s->project.begun = s->project.order = NULL;
  json_decref(ordered_grid);
}

static void a_work_order_is_followed(void **state) {
  (void)state;
  static const struct {
    const char *data, *grid;
    int64_t px;
  } cases[] = {
      {ONE, "{\"tile\": 64, \"halo\": 7}", 7},
      {ONE, "{\"tile\": 64, \"halo\": 0}", 0},
      {ONE, "{\"tile\": 32, \"halo\": 7}", 26},                /* the images are cut in another way */
      {ONE, "{\"tile\": 64}", 26},                             /* a project that was not run */
      {ONE, "null", 26},                                       /* a run that kept no order */
      {ONE ", \"halo\": 9", "{\"tile\": 64, \"halo\": 7}", 9}, /* the study was edited */
  };
  for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
    struct subject s = {0};
    open_case(&s, in_um, cases[i / 2].data, NULL);
    settle_again(&s, cases[i / 2].grid, i % 2 == 0);
    assert_int_equal(s.project.halo.px, cases[i / 2].px);
    assert_int_equal(s.project.halo.needed.needed_px, 26);
    close_case(&s);
  }
  struct subject s = {0};
  const char *const warning =
      "the halo of 7 px is smaller than the 26 px that tasks look at, one after another (segment.smooth 5, "
      "segment.select 21): results near tile edges depend on the tiling; the run was begun with it; a new run computes "
      "its own";
  open_case(&s, in_um, ONE, NULL);
  settle_again(&s, "{\"tile\": 64, \"halo\": 7}", true);
  assert_warnings(&s, &warning, 1);
  close_case(&s);
}

static void images_that_are_cut_again_get_theirs(void **state) {
  (void)state;
  static const struct {
    const char *data;
    int64_t tile_px, px;
  } cases[] = {{"\"manifest\": \"one.csv\"", 64, 26},
               {"\"manifest\": \"one.csv\", \"tile\": 32", 0, 0},
               {"\"manifest\": \"one.csv\", \"tile\": 32, \"halo\": 3", 64, 3}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct subject s = {0};
    open_case(&s, in_um, cases[i].data, NULL);
    struct ts_project copy = s.project;
    struct ts_request request = {.has_tile = true, .tile_px = cases[i].tile_px};
    copy.request = &request;
    copy.arena = (struct ts_arena){0};
    assert_true(ts_project_cut_again(&copy, &s.issues));
    assert_int_equal(copy.halo.px, cases[i].px);
    assert_int_equal(copy.dataset.items[0].grid.halo_px, cases[i].px);
    assert_int_equal(copy.dataset.tile_count, cases[i].tile_px == 64 ? 4 : 1);
    ts_arena_release(&copy.arena);
    close_case(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reaches_of_a_study_add_up),
      cmocka_unit_test(only_varied_parameters_leave_their_default),
      cmocka_unit_test(the_finest_pixels_count),
      cmocka_unit_test(settings_and_designs_may_go_farther),
      cmocka_unit_test(a_workflow_alone_has_its_values),
      cmocka_unit_test(images_of_one_tile_need_none),
      cmocka_unit_test(a_given_halo_is_used_and_judged),
      cmocka_unit_test(tasks_that_look_at_the_tile_are_named),
      cmocka_unit_test(a_halo_larger_than_the_tiles_is_expensive),
      cmocka_unit_test(a_work_order_is_followed),
      cmocka_unit_test(images_that_are_cut_again_get_theirs),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
