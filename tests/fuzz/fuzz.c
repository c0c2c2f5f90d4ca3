/* The scratch folder of a fuzz target, and the checks of what it is told about a bad input.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn static void give_up(const char *what, const char *detail) {
  fprintf(stderr, "fuzz: %s: %s\n", what, detail);
  abort();
}

void fuzz_start(void) {
  const char *parent = getenv("TMPDIR");
  char folder[256];
  snprintf(folder, sizeof folder, "%s/fuzz-XXXXXX", parent ? parent : "/tmp");
  if (!mkdtemp(folder) || chdir(folder) != 0) give_up("no scratch folder", folder);
}

void fuzz_write(const char *name, const void *data, size_t size) {
  FILE *file = fopen(name, "wb");
  bool good = file && fwrite(data, 1, size, file) == size;
  if (!file || fclose(file) != 0 || !good) give_up("cannot write", name);
}

void fuzz_copy(const char *source, const char *name) {
  const char *checkout = getenv("TESSERA_SOURCE_DIR");
  if (!checkout) give_up("not set", "TESSERA_SOURCE_DIR");
  ts_auto_free char *path = ts_path_join(checkout, source);
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_error err = {0};
  if (!ts_file_read(path, 0, &text, &err)) give_up("cannot copy", err.text);
  fuzz_write(name, text.data, text.length);
}

void fuzz_check_error(const struct ts_error *err) {
  if (err->code == TS_ERR_OK) give_up("refused without an error", "");
  char number[16];
  snprintf(number, sizeof number, "T%d", ts_error_number(err->code));
  if (!err->text[0]) give_up("an error without a text", number);
  if (!ts_utf8_valid(err->text, strlen(err->text))) give_up("a text that is not UTF-8", err->text);
  if (!ts_utf8_valid(err->help, strlen(err->help))) give_up("a help that is not UTF-8", err->text);
  if (!ts_utf8_valid(err->where.path, strlen(err->where.path))) give_up("a place that is not UTF-8", err->text);
  if (!err->help[0]) give_up("an error without help", err->text);
}

void fuzz_check_faults(const struct ts_faults *faults, int refused) {
  if (refused && faults->count == 0) give_up("refused without a fault", "");
  if (!refused && faults->count > 0) give_up("accepted with a fault", faults->items[0].text);
  for (size_t i = 0; i < faults->count; i++) fuzz_check_error(&faults->items[i]);
}
