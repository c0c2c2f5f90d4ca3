/* Makes project folders: for data that is there, from a demo that the program carries, or with the smallest workflow.
 * SPDX-License-Identifier: Apache-2.0 */
#include "api/init/init_int.h"

#include "base/alloc.h"
#include "base/file.h"
#include "demo/slide.h"
#include "image/image.h"

#include <string.h>
#include <sys/stat.h>

#define SLIDE_SEED 1

struct demo {
  const char *name, *help;
  const char *next[3];   /* commands for the new folder */
  int64_t width, height; /* of the slide that is drawn; 0: none */
};

static const struct demo demos[] = {
    {"nuclei",
     "nuclei segmentation on a synthetic H&E slide with known nuclei",
     {"tessera study", "tessera run"},
     1024,
     768},
    {"decay",
     "a simulated decay fitted to time series: a plugin and a Python command",
     {"make -C plugin", "tessera study"},
     0,
     0},
    {"empty", "the smallest workflow and study that run, to build on", {"tessera study", "tessera run"}, 512, 384}};

json_t *ts_demo_list(void) {
  json_t *list = json_array();
  for (size_t i = 0; i < sizeof demos / sizeof *demos; i++)
    json_array_append_new(list, json_pack("{s:s, s:s}", "name", demos[i].name, "help", demos[i].help));
  return list;
}

static const struct demo *find_demo(const char *name, struct ts_error *err) {
  const char *names[sizeof demos / sizeof *demos];
  for (size_t i = 0; i < sizeof demos / sizeof *demos; i++) {
    names[i] = demos[i].name;
    if (strcmp(demos[i].name, name) == 0) return &demos[i];
  }
  const char *near = ts_nearest_word(name, names, sizeof demos / sizeof *demos);
  ts_fail(err, TS_ERR_USAGE, "there is no demo '%s'", name);
  ts_error_help(err, near ? "did you mean '%s'?" : "there are: nuclei, decay%s", near ? near : "");
  return NULL;
}

bool ts_init_write(const char *folder, const char *name, const void *bytes, size_t size, json_t *files,
                   struct ts_error *err) {
  ts_auto_free char *path = ts_path_join(folder, name);
  ts_auto_free char *parent = ts_path_folder(path);
  bool ok = ts_folder_create(parent, err) && ts_file_write(path, bytes, size, err);
  if (ok) json_array_append_new(files, json_string(name));
  return ok;
}

static bool write_embedded(const char *folder, const char *demo, json_t *files, struct ts_error *err) {
  size_t length = strlen(demo);
  for (size_t i = 0; i < ts_embedded_file_count; i++) {
    const struct ts_embedded_file *file = &ts_embedded_files[i];
    const char *name = file->path + length + 1;
    if (strcmp(file->path, "include/tessera_op.h") == 0 && strcmp(demo, "decay") == 0)
      name = "plugin/tessera_op.h";
    else if (strncmp(file->path, demo, length) != 0 || file->path[length] != '/')
      continue;
    if (!ts_init_write(folder, name, file->data, file->size, files, err)) return false;
  }
  return true;
}

static bool write_image(const char *folder, const char *name, const struct ts_data *data, json_t *files,
                        struct ts_error *err) {
  ts_auto_free char *path = ts_path_join(folder, name);
  bool ok = ts_image_write_png(path, data, err);
  if (ok) json_array_append_new(files, json_string(name));
  return ok;
}

/* The synthetic slide and the labels of its nuclei. */
static bool draw_slide(const char *folder, const struct demo *demo, json_t *files, struct ts_error *err) {
  struct ts_data *image = NULL;
  struct ts_data *labels = NULL;
  bool ok = ts_image_startup(err) && ts_demo_slide(demo->width, demo->height, SLIDE_SEED, &image, &labels, err) &&
            write_image(folder, "slide.png", image, files, err) && write_image(folder, "truth.png", labels, files, err);
  ts_data_unref(image);
  ts_data_unref(labels);
  return ok;
}

static bool fail_not_empty(const char *folder, const struct demo *demo, bool is_asked, struct ts_error *err) {
  ts_fail(err, TS_ERR_USAGE, "'%s' is not empty", folder);
  if (is_asked) return ts_error_help(err, "name a new folder: tessera init --demo %s NEW", demo->name);
  return ts_error_help(err,
                       "name a new folder: tessera init NEW; or start from the images in this one: "
                       "tessera init NEW --data %s",
                       folder);
}

static bool fill_project(const char *folder, const struct demo *demo, bool is_asked, json_t *files,
                         struct ts_error *err) {
  if (!ts_folder_is_empty(folder)) return fail_not_empty(folder, demo, is_asked, err);
  if (!ts_folder_create(folder, err)) return false;
  if (demo->width > 0 && !draw_slide(folder, demo, files, err)) return false;
  return write_embedded(folder, demo->name, files, err);
}

static const char *const data_next[] = {"tessera check", "tessera study", "tessera run"};

static void add_next(json_t *list, const char *const *commands, size_t most) {
  for (size_t i = 0; i < most && commands[i]; i++) json_array_append_new(list, json_string(commands[i]));
}

static bool make_demo(const struct ts_request *request, const char *folder, json_t *files, json_t *next,
                      struct ts_issues *issues) {
  struct ts_error err = {0};
  const struct demo *demo = find_demo(request->demo ? request->demo : "empty", &err);
  if (!demo || !fill_project(folder, demo, request->demo != NULL, files, &err)) return ts_issues_fault(issues, &err);
  add_next(next, demo->next, sizeof demo->next / sizeof *demo->next);
  return true;
}

static bool check_request(const struct ts_request *request, struct ts_issues *issues) {
  if (request->demo && request->data_count > 0)
    return ts_issues_usage(issues, "leave out --demo for a project around your data",
                           "a demo draws its own data: --demo and --data do not go together");
  if (request->truth && request->data_count == 0)
    return ts_issues_usage(issues, "name the images too: tessera init --data slides/ --truth '*_labels.png'",
                           "--truth says which files beside the images show the truth, but there is no --data");
  return true;
}

int ts_init(const struct ts_request *request, char **reply) {
  struct ts_issues issues = {0};
  const char *folder = ts_request_folder(request);
  json_t *object = ts_reply_new("tessera.init/1");
  json_t *files = json_array(), *next = json_array();
  if (check_request(request, &issues)) {
    if (request->data_count == 0)
      make_demo(request, folder, files, next, &issues);
    else if (ts_init_data(request, folder, files, object, &issues))
      add_next(next, data_next, sizeof data_next / sizeof *data_next);
  }
  json_object_set_new(object, "folder", json_string(folder));
  json_object_set_new(object, "files", files);
  json_object_set_new(object, "next", next);
  return ts_reply_finish(object, 0, reply, NULL, &issues);
}
