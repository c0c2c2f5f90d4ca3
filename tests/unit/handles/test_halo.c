/* Runs of one open project with tiles and values of their own: each gets the halo that it needs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "unit/base/testing.h"

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"
#include "support/small_project.h"

#include <jansson.h>

/* The plugin's smoothing looks 1 + R pixels far, its objects are at most 12 pixels large. */
static const char workflow[] =
    "{\"tessera\": 1, \"name\": \"w\", \"operations\": [\"%s/tests/plugins/libhalo.so\"], \"inputs\": {\"image\": "
    "{\"type\": \"image/gray8\"}}, \"parameters\": {\"R\": {\"type\": \"integer\", \"domain\": [0, 100], \"default\": "
    "1}}, \"stages\": [{\"name\": \"segment\", \"per\": \"tile\", \"in\": {\"image\": \"image\"}, \"out\": {\"mask\": "
    "\"choose.mask\"}, \"tasks\": ["
    "{\"name\": \"smooth\", \"op\": \"halo.smooth\", \"in\": {\"image\": \"image\"}, \"params\": {\"radius\": \"R\"}}, "
    "{\"name\": \"dark\", \"op\": \"halo.threshold\", \"in\": {\"image\": \"smooth.image\"}}, "
    "{\"name\": \"choose\", \"op\": \"halo.choose\", \"in\": {\"mask\": \"dark.mask\"}, \"params\": {\"extent\": "
    "{\"value\": 12}}}]}]}";

static struct small_project project;

static int set_up(void **state) {
  (void)state;
  char scratch[64], text[2000];
  const char *build = getenv("TESSERA_BUILD_DIR");
  struct ts_error err = {0};
  snprintf(project.folder, sizeof project.folder, "%s/p", scratch_create(scratch));
  if (!build || !ts_folder_create(project.folder, &err) || !ts_image_startup(&err)) return -1;
  snprintf(text, sizeof text, workflow, build);
  small_project_write(&project, "workflow.json", text);
  const struct ts_region region = {.width = 100, .height = 70};
  ts_auto(ts_data_unref_pointer) struct ts_data *pixels =
      ts_data_create_pixels(ts_type_find("image/gray8"), &region, &err);
  ts_auto_free char *path = ts_path_join(project.folder, "slide.png");
  memset(ts_data_writable(pixels), 128, 100 * 70);
  return ts_image_write_png(path, pixels, &err) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  small_project_remove(&project);
  return 0;
}

/* Opened with tiles of this edge; 0: whole images. */
static struct tessera_project *open_project(int64_t tile_px) {
  const char *data[] = {"slide.png"};
  const struct tessera_project_request request = {TESSERA_HEAD(struct tessera_project_request),
                                                  .folder = project.folder,
                                                  .file = "workflow.json",
                                                  .data = data,
                                                  .data_count = 1,
                                                  .has_tile = true,
                                                  .tile_px = tile_px};
  char *reply = NULL;
  struct tessera_project *opened = tessera_project_open(&request, NULL, &reply);
  if (!opened) fail_msg("%s", reply);
  tessera_reply_free(reply);
  return opened;
}

/* The halo in the reply of a run; -1: null. */
static int64_t halo_of_run(struct tessera_project *opened, struct tessera_run_request request) {
  char *reply = NULL;
  request.size_bytes = sizeof request;
  struct tessera_run *run = tessera_run_start(opened, &request, &reply);
  if (!run) fail_msg("%s", reply);
  if (tessera_run_wait(run, &reply) != 0) fail_msg("%s", reply);
  ts_auto(json_decrefp) json_t *object = json_loads(reply, 0, NULL);
  const json_t *halo = json_object_get(object, "halo");
  const int64_t px = json_is_null(halo) ? -1 : json_integer_value(json_object_get(halo, "px"));
  tessera_reply_free(reply);
  tessera_run_close(run);
  return px;
}

static void every_run_has_its_own(void **state) {
  (void)state;
  const struct tessera_setting far[] = {{"R", "9"}};
  const int64_t tiles[] = {0, 32};
  for (size_t i = 0; i < COUNT_OF(tiles); i++) {
    struct tessera_project *opened = open_project(tiles[i]);
    assert_int_equal(halo_of_run(opened, (struct tessera_run_request){0}), tiles[i] > 0 ? 2 + 13 : -1);
    assert_int_equal(halo_of_run(opened, (struct tessera_run_request){.has_tile = true, .tile_px = 64}), 2 + 13);
    assert_int_equal(halo_of_run(opened,
                                 (struct tessera_run_request){
                                     .has_tile = true, .tile_px = 64, .parameters = far, .parameter_count = 1}),
                     10 + 13);
    assert_int_equal(halo_of_run(opened, (struct tessera_run_request){.has_tile = true, .tile_px = 0}), -1);
    tessera_project_close(opened);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_run_has_its_own),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
