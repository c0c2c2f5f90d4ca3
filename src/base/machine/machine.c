/* Names the class of machine after its processor, and the machine itself by a digest of the id that the system keeps.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/machine/machine.h"

#include "base/alloc.h"
#include "base/digest.h"
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
  ts_auto(ts_str_release) struct ts_str cpuinfo = {0};
  struct utsname system = {0};
  FILE *file = fopen("/proc/cpuinfo", "re");
  char part[4096];
  size_t got = 0;
  while (file && cpuinfo.length < CPUINFO_BYTES && (got = fread(part, 1, sizeof part, file)) > 0)
    ts_str_add_bytes(&cpuinfo, part, got);
  if (file) fclose(file);
  const char *kind = uname(&system) == 0 ? system.machine : "unknown processor";
  ts_machine_class_from(ts_str_get(&cpuinfo), kind, ts_cpu_count(), this_class);
}

const char *ts_machine_class(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_class);
  return this_class;
}

/* The system's id is for its own programs, so a digest of it leaves the machine. */
void ts_machine_id_from(const char *id, const char *name, char text[TS_MACHINE_ID_SIZE]) {
  ts_auto(ts_str_release) struct ts_str whole = {0};
  struct ts_sha256 digest;
  ts_str_addf(&whole, "tessera machine %s %s", id[0] ? "id" : "name", id[0] ? id : name);
  ts_sha256_of(ts_str_get(&whole), whole.length, &digest);
  ts_hex_encode(digest.bytes, (TS_MACHINE_ID_SIZE - 1) / 2, text);
}

static char this_id[TS_MACHINE_ID_SIZE];

static void find_id(void) {
  static const char *const places[] = {"/etc/machine-id", "/var/lib/dbus/machine-id"};
  char id[64] = "";
  struct utsname system = {0};
  for (size_t i = 0; i < sizeof places / sizeof places[0] && !id[0]; i++) {
    FILE *file = fopen(places[i], "re");
    if (file && !fgets(id, sizeof id, file)) id[0] = '\0';
    if (file) fclose(file);
    id[strcspn(id, "\r\n")] = '\0';
  }
  ts_machine_id_from(id, uname(&system) == 0 ? system.nodename : "", this_id);
}

const char *ts_machine_id(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_id);
  return this_id;
}
