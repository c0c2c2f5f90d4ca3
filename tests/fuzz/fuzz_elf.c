/* Fuzz target: the headers and notes of a shared library, as far as they are read before the system loads it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "op/op_int.h"

#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  fuzz_start();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_write("plugin.so", data, size);
  uint8_t id[64];
  size_t id_bytes = 0;
  struct ts_error err = {0};
  if (!ts_elf_build_id("plugin.so", id, &id_bytes, &err))
    fuzz_check_error(&err);
  else if (id_bytes > sizeof id)
    abort();
  ts_error_clear(&err);
  if (!ts_elf_check("plugin.so", "plugin.so", &err)) fuzz_check_error(&err);
  return 0;
}
