/* Fuzz target: a manifest of images, truth, groups, resolutions, tissue and splits through the public tessera_check.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "image/image.h"
#include "tessera.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char workflow[] =
    "{\"tessera\": 1, \"name\": \"score\", \"inputs\": {\"found\": {\"type\": \"mask\"}, "
    "\"reference\": {\"type\": \"mask|labels\"}},"
    " \"parameters\": {\"FH\": {\"type\": \"integer\", \"grid\": [4, 8], \"default\": 4}},"
    " \"stages\": [{\"name\": \"compare\", \"per\": \"tile\", \"in\": {\"mask\": \"found\", \"reference\": "
    "\"reference\"},"
    " \"out\": {\"table\": \"scores.table\"}, \"tasks\": ["
    "{\"name\": \"size\", \"op\": \"nuclei.final_size\", \"in\": {\"split\": \"mask\"}, \"params\": {\"FH\": \"FH\","
    " \"minSizeSeg\": {\"value\": 0}, \"maxSizeSeg\": {\"value\": 100}}},"
    "{\"name\": \"scores\", \"op\": \"nuclei.compare\", \"in\": {\"mask\": \"size.mask\", \"reference\": "
    "\"reference\"}}]}]}";
#define STUDY(more)                                                                                                    \
  "{\"tessera\": 1, \"workflow\": \"workflow.json\", \"data\": {\"manifest\": \"data.csv\", \"groups\": "              \
  "[\"patient\", "                                                                                                     \
  "\"site\"], \"tile\": 8" more "}, \"outputs\": [\"compare.table:dice\"]}"
static const char *const studies[] = {STUDY(""), STUDY(", \"hold_out\": {\"site\": [\"north\"]}")};
static const char truth[] =
    "[{\"type\": \"Feature\", \"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[1, 1], [9, 1], [9, 8]]]}}]";

static void write_text(const char *name, const char *text) { fuzz_write(name, text, strlen(text)); }

static void write_mask(const char *name) {
  struct ts_data *pixels =
      ts_data_create_pixels(ts_type_find("mask"), &(struct ts_region){.width = 24, .height = 16}, NULL);
  memset(ts_data_writable(pixels), 255, ts_data_size_bytes(pixels));
  ts_data_finish(pixels);
  if (!ts_image_write_png(name, pixels, NULL)) abort();
  ts_data_unref(pixels);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  if (!ts_image_startup(NULL)) abort();
  write_text("workflow.json", workflow);
  write_text("t.geojson", truth);
  write_mask("a.png");
  write_mask("b.png");
  return 0;
}

/* Every fault says where. */
static void check_fault(const json_t *fault) {
  struct ts_error err = {.code = TS_ERR_BAD_VALUE};
  const char *text = json_string_value(json_object_get(fault, "text"));
  const char *help = json_string_value(json_object_get(fault, "help"));
  strncpy(err.text, text ? text : "", sizeof err.text - 1);
  strncpy(err.help, help ? help : "", sizeof err.help - 1);
  fuzz_check_error(&err);
  if (json_integer_value(json_object_get(fault, "line")) < 1) abort();
  if (json_integer_value(json_object_get(fault, "column")) < 1) abort();
}

static void check_study(const char *study) {
  write_text("study.json", study);
  struct tessera_check_request request = {.size_bytes = sizeof request, .file = "study.json", .store = "memory"};
  char *reply = NULL;
  const int code = tessera_check(&request, &reply);
  json_t *root = json_loads(reply, 0, NULL);
  const json_t *faults = json_object_get(root, "faults");
  if (!root || (code == 0) != (json_array_size(faults) == 0)) abort();
  for (size_t i = 0; i < json_array_size(faults); i++) check_fault(json_array_get(faults, i));
  json_decref(root);
  tessera_reply_free(reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_write("data.csv", data, size);
  for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) check_study(studies[i]);
  return 0;
}
