/* Makes a small project: the files of the demo, with a part of its slide.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/small_project.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "image/image.h"
#include "unit/base/testing.h"

#define STUDY(reference)                                                                                               \
  "{\"tessera\": 1, \"name\": \"small\", \"workflow\": \"workflow.json\", "                                            \
  "\"data\": {\"manifest\": \"data.csv\", \"tile\": 64}, "                                                             \
  "\"method\": {\"name\": \"morris\", \"trajectories\": 2, \"levels\": 4, \"seed\": 1}, "                              \
  "\"outputs\": [\"compare.table:diff\"]" reference "}"

static const struct tessera_setting sets[SMALL_SETS][2] = {
    {{"G1", "80"}, {"minSize", "11"}}, {{"G1", "20"}, {"minSize", "2"}}, {{"G1", "40"}, {"minSize", "20"}}};

const struct tessera_setting *small_project_set(size_t row, size_t *count) {
  *count = row < SMALL_SETS ? 2 : 0;
  return row < SMALL_SETS ? sets[row] : NULL;
}

void small_project_write(const struct small_project *project, const char *name, const char *text) {
  struct ts_error err = {0};
  ts_auto_free char *path = ts_path_join(project->folder, name);
  if (!ts_file_write(path, text, strlen(text), &err)) fail_msg("%s", err.text);
}

static void crop(const struct small_project *project, const char *name, const char *type) {
  const struct ts_region part = {.x = 256, .y = 256, .width = SMALL_WIDTH, .height = SMALL_HEIGHT};
  struct ts_error err = {0};
  ts_auto_free char *path = ts_path_join(project->folder, name);
  struct ts_data *pixels = ts_image_read(path, ts_type_find(type), &part, &err);
  if (!pixels || remove(path) != 0 || !ts_image_write_png(path, pixels, &err)) fail_msg("%s", err.text);
  ts_data_unref(pixels);
}

/* The workflow that looks at each tile by itself: every stage runs per tile. */
static void copy_workflow(const struct small_project *project) {
  const char *root = getenv("TESSERA_SOURCE_DIR");
  ts_auto_free char *path = ts_path_join(root ? root : ".", "workflows/nuclei-tiles/workflow.json");
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_error err = {0};
  if (!ts_file_read(path, (size_t)1 << 20, &text, &err)) fail_msg("%s", err.text);
  small_project_write(project, "workflow.json", ts_str_get(&text));
}

static void write_design(const struct small_project *project) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  ts_str_add(&text, "G1,minSize\n");
  for (size_t i = 0; i < SMALL_SETS; i++) ts_str_addf(&text, "%s,%s\n", sets[i][0].value, sets[i][1].value);
  small_project_write(project, "design.csv", ts_str_get(&text));
}

void small_project_make(struct small_project *project) {
  char scratch[64];
  char *reply = NULL;
  snprintf(project->folder, sizeof project->folder, "%s/p", scratch_create(scratch));
  const struct tessera_init_request request = {TESSERA_HEAD(struct tessera_init_request), .folder = project->folder,
                                               .demo = "nuclei"};
  if (tessera_init_project(&request, &reply) != 0) fail_msg("%s", reply);
  tessera_reply_free(reply);
  assert_true(ts_image_startup(NULL));
  crop(project, "slide.png", "image/rgb8");
  crop(project, "truth.png", "labels");
  copy_workflow(project);
  small_project_write(project, "study.json", STUDY(""));
  small_project_write(project, "default.json", STUDY(", \"reference\": \"default\""));
  write_design(project);
}

void small_project_remove(const struct small_project *project) {
  ts_auto_free char *scratch = ts_path_folder(project->folder);
  scratch_remove(scratch);
}
