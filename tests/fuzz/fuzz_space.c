/* Fuzz target: a space file; points of a space lead back to the same values, and what is kept of it reads back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "design/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  return 0;
}

/* The value at a unit coordinate has a unit coordinate, and that one has the same value. */
static void come_back(const struct ts_parameter *parameter, double unit) {
  int64_t level = 0, again_level = 0;
  struct ts_value value = ts_space_value(parameter, unit, &level);
  double back = ts_space_unit(parameter, &value);
  if (isnan(back) || back < 0 || back > 1) abort();
  ts_space_value(parameter, back, &again_level);
  if (level != again_level) abort();
}

/* What is kept beside a design reads back as a space of the same parameters. Weights may lose their last bits: a value
 * that is drawn once in 2^53 times may then never be. */
static void keep(const struct ts_space *space) {
  for (size_t i = 0; i < space->count; i++) {
    if (space->parameters[i]->shares) return;
  }
  struct ts_json_doc doc = {0};
  struct ts_error err = {0};
  struct ts_faults faults = {0};
  struct ts_space again = {0};
  json_t *json = ts_space_to_json(space);
  char *text = ts_json_dump(json, true, false);
  if (!ts_json_doc_parse(&doc, "kept.json", text, strlen(text), &err)) abort();
  if (!ts_space_read_object(&again, &doc, doc.root, "", &faults) || again.count != space->count) abort();
  ts_json_doc_close(&doc);
  ts_space_release(&again);
  ts_faults_release(&faults);
  json_decref(json);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_write("space.json", data, size);
  struct ts_faults faults = {0};
  struct ts_space space = {0};
  bool read = ts_space_read(&space, "space.json", &faults);
  fuzz_check_faults(&faults, !read);
  for (size_t i = 0; read && i < space.count; i++) {
    for (int step = 0; step <= 8; step++) come_back(space.parameters[i], step / 8.0);
  }
  if (read) keep(&space);
  if (read) ts_space_release(&space);
  ts_faults_release(&faults);
  return 0;
}
