/* Fuzz target: a table as CSV text; what is read is written and read again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "base/str.h"
#include "data/data.h"

#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  return 0;
}

static void read_back(const struct ts_data *table) {
  struct ts_str text = {0};
  ts_table_to_csv(table, NULL, NULL, &text);
  struct ts_data *again = ts_table_from_csv("again.csv", ts_str_get(&text), text.length, NULL);
  if (!again) abort();
  struct ts_xxh128 a = ts_data_run_digest(table);
  struct ts_xxh128 b = ts_data_run_digest(again);
  if (a.low != b.low || a.high != b.high) abort();
  ts_data_unref(again);
  ts_str_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ts_error err = {0};
  struct ts_data *table = ts_table_from_csv("table.csv", (const char *)data, size, &err);
  if (table)
    read_back(table);
  else
    fuzz_check_error(&err);
  ts_data_unref(table);
  return 0;
}
