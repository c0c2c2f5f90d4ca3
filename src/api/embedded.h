/* The files of the demo projects, carried inside the program so that it needs no installed folder to write them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_API_EMBEDDED_H
#define TS_API_EMBEDDED_H

#include <stddef.h>

struct ts_embedded_file {
  const char *path;          /* "nuclei/workflow.json", relative to workflows/; or "include/tessera_op.h" */
  const unsigned char *data; /* borrowed, constant; one zero byte follows the last, not counted */
  size_t size;               /* bytes */
};

/* Sorted by the bytes of the path; an entry with a NULL path follows the last. */
extern const struct ts_embedded_file ts_embedded_files[];
extern const size_t ts_embedded_file_count;

#endif
