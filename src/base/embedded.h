/* Files that the program carries, so that it needs no installed folder: workflows, demo projects, pages of help.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_BASE_EMBEDDED_H
#define TS_BASE_EMBEDDED_H

#include <stddef.h>

struct ts_embedded_file {
  const char *path; /* "nuclei/workflow.json" (workflows/), "topics/study.txt" (docs/), "include/tessera_op.h" */
  const unsigned char *data; /* borrowed, constant; one zero byte follows the last, not counted */
  size_t size;               /* bytes */
};

/* Sorted by the bytes of the path; an entry with a NULL path follows the last. */
extern const struct ts_embedded_file ts_embedded_files[];
extern const size_t ts_embedded_file_count;

const struct ts_embedded_file *ts_embedded_find(const char *path); /* NULL: there is none */

#endif
