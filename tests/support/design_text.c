/* A design written cell by cell as CSV.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support/design_text.h"

#include "csv/csv.h"

void design_write_csv(const struct ts_design *design, struct ts_str *out) {
  for (size_t c = 0; c < design->column_count; c++) ts_csv_add_cell(out, design->names[c], c == 0);
  ts_str_add_char(out, '\n');
  struct ts_str text = {0};
  for (size_t r = 0; r < design->row_count; r++) {
    for (size_t c = 0; c < design->column_count; c++) {
      ts_str_clear(&text);
      ts_value_print(&design->values[r * design->column_count + c], &text);
      ts_csv_add_cell(out, ts_str_get(&text), c == 0);
    }
    ts_str_add_char(out, '\n');
  }
  ts_str_release(&text);
}
