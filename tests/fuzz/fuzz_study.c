/* Fuzz target: a study file through the public tessera_check, beside the nuclei workflow, a small image and a manifest.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "image/image.h"
#include "tessera.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  fuzz_copy("workflows/nuclei/workflow.json", "workflow.json");
  if (!ts_image_startup(NULL)) abort();
  struct ts_data *pixels =
      ts_data_create_pixels(ts_type_find("image/rgb8"), &(struct ts_region){.width = 8, .height = 8}, NULL);
  memset(ts_data_writable(pixels), 200, ts_data_size_bytes(pixels));
  ts_data_finish(pixels);
  if (!ts_image_write_png("slide.png", pixels, NULL)) abort();
  ts_data_unref(pixels);
  fuzz_write("data.csv", "image\nslide.png\n", 16);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_write("study.json", data, size);
  struct tessera_check_request request = {.size_bytes = sizeof request, .file = "study.json", .store = "memory"};
  char *reply = NULL;
  int code = tessera_check(&request, &reply);
  json_t *root = json_loads(reply, 0, NULL);
  json_t *faults = json_object_get(root, "faults");
  if (!root || (code == 0) != (json_array_size(faults) == 0)) abort();
  for (size_t i = 0; i < json_array_size(faults); i++) {
    struct ts_error err = {.code = TS_ERR_BAD_VALUE};
    const json_t *fault = json_array_get(faults, i);
    const char *text = json_string_value(json_object_get(fault, "text"));
    const char *help = json_string_value(json_object_get(fault, "help"));
    strncpy(err.text, text ? text : "", sizeof err.text - 1);
    strncpy(err.help, help ? help : "", sizeof err.help - 1);
    fuzz_check_error(&err);
  }
  json_decref(root);
  tessera_reply_free(reply);
  return 0;
}
