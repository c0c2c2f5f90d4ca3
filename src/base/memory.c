/* Reads the size of the machine's memory and the limits of control groups, version 2 and 1.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "base/alloc.h"

#include "base/block.h"
#include "base/file.h"
#include "base/str.h"

#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number in a limit file; "max", unreadable or absurd: no limit. */
static uint64_t read_limit(const char *path) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  struct ts_error ignored = {0};
  int64_t value = 0;
  if (ts_file_read(path, 64, &text, &ignored)) {
    char *end = strchr(text.data ? text.data : "", '\n');
    if (end) *end = '\0';
    if (!ts_parse_int64(ts_str_get(&text), &value) || value < 0) value = 0;
  }
  return value > 0 ? (uint64_t)value : UINT64_MAX;
}

uint64_t ts_memory_available(void) {
  uint64_t least = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  const char *const limits[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    uint64_t limit = read_limit(limits[i]);
    if (limit < least) least = limit;
  }
  return least;
}

uint64_t ts_memory_default(void) { return ts_memory_available() / 10 * 7; }

bool ts_memory_has_room(size_t bytes) {
  void *volatile probe =
      bytes <= PTRDIFF_MAX ? malloc(bytes) : NULL; /* volatile: the pair must not be optimised away */
  free(probe);
  return probe || bytes == 0;
}

/* "size resident shared ...", in pages. */
uint64_t ts_memory_resident_bytes(void) {
  char text[128] = "";
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  if (length <= 0) return 0;
  char *next = text;
  strtoull(next, &next, 10);
  unsigned long long resident = strtoull(next, &next, 10), shared = strtoull(next, &next, 10);
  return resident > shared ? (uint64_t)(resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

void ts_memory_trim(void) {
  ts_blocks_trim();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
