/* Finds files that the program carries.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/embedded.h"

#include <string.h>

const struct ts_embedded_file *ts_embedded_find(const char *path) {
  for (size_t i = 0; i < ts_embedded_file_count; i++)
    if (strcmp(ts_embedded_files[i].path, path) == 0) return &ts_embedded_files[i];
  return NULL;
}
