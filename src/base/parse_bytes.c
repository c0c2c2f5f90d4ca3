/* Sizes as people write them: 800M, 2.5G, 4GiB.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* The factor of "M", "MB" (powers of 1000) or "MiB" (of 1024); 0 if there is no such unit. */
static double unit_factor(const char *unit) {
  static const char letters[] = "kMGT";
  if (!*unit || strcmp(unit, "B") == 0) return 1;
  const char *letter = strchr(letters, *unit == 'K' ? 'k' : *unit);
  bool is_binary = strcmp(unit + 1, "iB") == 0;
  if (!letter || (unit[1] && !is_binary && strcmp(unit + 1, "B") != 0)) return 0;
  double factor = 1;
  for (const char *l = letters; l <= letter; l++) factor *= is_binary ? 1024 : 1000;
  return factor;
}

bool ts_parse_bytes(const char *text, uint64_t *bytes) {
  size_t digit_count = strspn(text, "0123456789.");
  char digits[32] = "";
  double number = 0;
  snprintf(digits, sizeof digits, "%.*s", (int)digit_count, text);
  if (ts_parse_double(digits, &number)) number *= unit_factor(text + digit_count);
  if (!(number >= 1 && number < 1e18)) return false;
  *bytes = (uint64_t)number;
  return true;
}
