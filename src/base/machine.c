/* Names the class of machine after its processor.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/machine.h"

#include "base/pool.h"
#include "base/str.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define CPUINFO_BYTES  65536 /* the first processors are enough */
#define NAME_MAX_CHARS 80

/* The value of the first line "name : value"; NULL if there is none. */
static const char *find_value(const char *text, const char *name, size_t *length) {
  const size_t name_length = strlen(name);
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, name, name_length) != 0) continue;
    const char *value = line + name_length + strspn(line + name_length, " \t");
    if (*value != ':') continue;
    value += 1 + strspn(value + 1, " \t");
    *length = strcspn(value, "\n");
    return value;
  }
  return NULL;
}

/* Without marks such as "(R)", repeated spaces and the clock rate, which says nothing that the name does not. */
static void tidy(const char *name, size_t length, char text[NAME_MAX_CHARS + 1]) {
  size_t used = 0;
  for (size_t i = 0; i < length && used < NAME_MAX_CHARS; i++) {
    if (name[i] == '@') break;
    if (strncmp(name + i, "(R)", 3) == 0) {
      i += 2;
    } else if (strncmp(name + i, "(TM)", 4) == 0) {
      i += 3;
    } else if (name[i] != ' ' || (used > 0 && text[used - 1] != ' ')) {
      text[used++] = name[i] >= ' ' && name[i] < 127 ? name[i] : '?';
    }
  }
  while (used > 0 && text[used - 1] == ' ') used--;
  text[used] = '\0';
}

void ts_machine_class_from(const char *cpuinfo, const char *otherwise, size_t cpus, char text[TS_MACHINE_CLASS_SIZE]) {
  static const char *const names[] = {"model name", "Model", "cpu model", "cpu"};
  char name[NAME_MAX_CHARS + 1] = "";
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !name[0]; i++) {
    size_t length = 0;
    const char *value = find_value(cpuinfo, names[i], &length);
    if (value) tidy(value, length, name);
  }
  if (!name[0]) tidy(otherwise, strlen(otherwise), name);
  snprintf(text, TS_MACHINE_CLASS_SIZE, "%s, %zu %s", name, cpus, cpus == 1 ? "CPU" : "CPUs");
}

static char this_class[TS_MACHINE_CLASS_SIZE];

static void find_class(void) {
  struct ts_str cpuinfo = {0};
  struct utsname system = {0};
  FILE *file = fopen("/proc/cpuinfo", "re");
  char part[4096];
  size_t got = 0;
  while (file && cpuinfo.length < CPUINFO_BYTES && (got = fread(part, 1, sizeof part, file)) > 0)
    ts_str_add_bytes(&cpuinfo, part, got);
  if (file) fclose(file);
  const char *kind = uname(&system) == 0 ? system.machine : "unknown processor";
  ts_machine_class_from(ts_str_get(&cpuinfo), kind, ts_cpu_count(), this_class);
  ts_str_release(&cpuinfo);
}

const char *ts_machine_class(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_class);
  return this_class;
}
