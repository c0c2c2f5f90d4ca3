/* How many CPUs this process may use: its affinity, cut down by the quota of its control group.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include "base/file.h"
#include "base/machine/cpu_count_int.h"
#include "base/pool.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CPUS ((size_t)1 << 16)

static size_t affinity_count(void) {
  for (size_t cpus = 1024; cpus <= MAX_CPUS; cpus *= 2) {
    cpu_set_t *set = CPU_ALLOC(cpus);
    if (!set) break;
    size_t bytes = CPU_ALLOC_SIZE(cpus);
    bool ok = sched_getaffinity(0, bytes, set) == 0;
    bool too_small = !ok && errno == EINVAL;
    int count = ok ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return (size_t)count;
    if (!too_small) break;
  }
  return 1;
}

/* The first line of folder/name, without its end; NULL if it cannot be read. Owned result. */
static char *read_line(const char *folder, const char *name) {
  ts_auto_free char *path = ts_path_join(folder, name);
  struct ts_str text = {0};
  if (!ts_file_read(path, 4096, &text, NULL)) {
    ts_str_release(&text);
    return NULL;
  }
  char *line = ts_str_detach(&text);
  line[strcspn(line, "\n")] = '\0';
  return line;
}

static size_t cpus_of(int64_t quota_us, int64_t period_us) {
  if (quota_us <= 0 || period_us <= 0) return 0;
  return (size_t)((quota_us - 1) / period_us + 1);
}

/* cpu.max: "max 100000" or "150000 100000". */
static size_t quota_v2(const char *folder) {
  ts_auto_free char *line = read_line(folder, "cpu.max");
  char *period = line ? strchr(line, ' ') : NULL;
  if (!period) return 0;
  *period++ = '\0';
  int64_t quota_us, period_us;
  if (!ts_parse_int64(line, &quota_us) || !ts_parse_int64(period, &period_us)) return 0;
  return cpus_of(quota_us, period_us);
}

static size_t quota_v1(const char *folder) {
  ts_auto_free char *quota = read_line(folder, "cpu.cfs_quota_us");
  ts_auto_free char *period = read_line(folder, "cpu.cfs_period_us");
  int64_t quota_us, period_us;
  if (!quota || !period || !ts_parse_int64(quota, &quota_us) || !ts_parse_int64(period, &period_us)) return 0;
  return cpus_of(quota_us, period_us);
}

/* The tightest quota from a group up to the mount: each one above it binds as well. */
static size_t quota_upwards(const char *mount, const char *group, size_t (*quota_of)(const char *folder)) {
  ts_auto(ts_str_release) struct ts_str folder = {0};
  ts_str_add(&folder, mount);
  size_t mount_length = folder.length;
  ts_str_add(&folder, group);
  size_t tightest = 0;
  for (;;) {
    size_t quota = quota_of(folder.data);
    if (quota && (!tightest || quota < tightest)) tightest = quota;
    char *slash = strrchr(folder.data + mount_length, '/');
    if (!slash) break;
    *slash = '\0';
  }
  return tightest;
}

/* Whether "cpu" is in a list such as "cpu,cpuacct". */
static bool names_cpu(const char *controllers) {
  for (const char *p = controllers; *p; p += strcspn(p, ",")) {
    p += *p == ',';
    if (strncmp(p, "cpu", 3) == 0 && (p[3] == ',' || p[3] == '\0')) return true;
  }
  return false;
}

/* A line of the membership file: "0::/group" (version 2) or "4:cpu,cpuacct:/group" (version 1). */
static size_t quota_of_line(char *line, const char *mount) {
  char *controllers = strchr(line, ':');
  char *group = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!group) return 0;
  controllers++;
  *group++ = '\0';
  if (controllers[0] == '\0') return quota_upwards(mount, group, quota_v2);
  if (!names_cpu(controllers)) return 0;
  ts_auto_free char *folder = ts_path_join(mount, "cpu");
  size_t quota = quota_upwards(folder, group, quota_v1);
  if (quota) return quota;
  ts_auto_free char *named = ts_path_join(mount, controllers); /* without the usual link cpu -> cpu,cpuacct */
  return quota_upwards(named, group, quota_v1);
}

size_t ts_cpu_quota(const char *membership, const char *mount) {
  ts_auto(ts_str_release) struct ts_str text = {0};
  size_t tightest = 0;
  if (ts_file_read(membership, 1 << 20, &text, NULL)) {
    char *rest = NULL;
    for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
      size_t quota = quota_of_line(line, mount);
      if (quota && (!tightest || quota < tightest)) tightest = quota;
    }
  }
  return tightest;
}

size_t ts_cpu_count(void) {
  size_t count = affinity_count();
  size_t quota = ts_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  return quota && quota < count ? quota : count;
}
