/* Process identities from /proc.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/process/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STAT_START_FIELD 22 /* proc(5): starttime, in clock ticks since boot */

/* Reads a small file of /proc as text. */
static bool read_proc(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t length = read(fd, text, size - 1);
  close(fd);
  if (length <= 0) return false;
  text[length] = '\0';
  return true;
}

/* The name in field 2 may hold blanks and brackets, so counting starts behind the last bracket, at field 3. */
static const char *find_start(char *stat) {
  char *field = strrchr(stat, ')');
  if (!field) return NULL;
  field++;
  for (int number = 3; number <= STAT_START_FIELD; number++) {
    field = strchr(field, ' ');
    if (!field) return NULL;
    field++;
  }
  field[strcspn(field, " \n")] = '\0';
  return field;
}

/* A process that has ended but was not waited for yet is gone. */
static bool is_zombie(const char *stat) {
  const char *bracket = strrchr(stat, ')');
  return bracket && (strncmp(bracket, ") Z", 3) == 0 || strncmp(bracket, ") X", 3) == 0);
}

bool ts_process_identity(int64_t process_id, char identity[TS_PROCESS_IDENTITY_SIZE]) {
  char path[64];
  char stat[1024];
  char boot[48] = "";
  snprintf(path, sizeof path, "/proc/%lld/stat", (long long)process_id);
  if (!read_proc(path, stat, sizeof stat) || is_zombie(stat)) return false;
  const char *start = find_start(stat);
  if (!start) return false;
  if (read_proc("/proc/sys/kernel/random/boot_id", boot, sizeof boot)) boot[strcspn(boot, "\n")] = '\0';
  snprintf(identity, TS_PROCESS_IDENTITY_SIZE, "%s %.24s", boot, start);
  return true;
}

bool ts_process_is_alive(int64_t process_id, const char *identity) {
  char current[TS_PROCESS_IDENTITY_SIZE];
  return ts_process_identity(process_id, current) && strcmp(current, identity) == 0;
}
