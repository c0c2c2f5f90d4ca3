/* Compares what tasks need with what workers have, and counts what is taken.
 * SPDX-License-Identifier: Apache-2.0 */
#include "sched/resources.h"

#include "base/size.h"

#include <stdio.h>
#include <string.h>

#define VALUE_BYTES 64
#define MOST        1000000 /* cores, GPUs: more are a slip of the keyboard */

static uint32_t at_least_one(uint32_t count) { return count > 0 ? count : 1; }

bool ts_task_needs_equal(const struct ts_task_needs *a, const struct ts_task_needs *b) {
  return a->cores == b->cores && a->gpus == b->gpus && a->gang == b->gang && a->exclusive == b->exclusive &&
         a->memory_bytes == b->memory_bytes && strcmp(a->site, b->site) == 0;
}

bool ts_worker_may_run(const struct ts_worker_class *worker, const struct ts_task_needs *needs) {
  return at_least_one(needs->cores) <= worker->cores && needs->gpus <= worker->gpus &&
         at_least_one(needs->gang) <= at_least_one(worker->workers) && needs->memory_bytes <= worker->memory_bytes &&
         (needs->site[0] == '\0' || strcmp(needs->site, worker->site) == 0);
}

bool ts_places_fit(const struct ts_places *places, const struct ts_worker_class *worker,
                   const struct ts_task_needs *needs) {
  if (places->exclusive || (needs->exclusive && places->tasks > 0)) return false;
  return places->cores + at_least_one(needs->cores) <= worker->cores && places->gpus + needs->gpus <= worker->gpus;
}

void ts_places_take(struct ts_places *places, const struct ts_task_needs *needs) {
  places->tasks++;
  places->cores += at_least_one(needs->cores);
  places->gpus += needs->gpus;
  places->exclusive = needs->exclusive;
}

void ts_places_leave(struct ts_places *places, const struct ts_task_needs *needs) {
  places->tasks--;
  places->cores -= at_least_one(needs->cores);
  places->gpus -= needs->gpus;
  places->exclusive = false;
}

static bool fail_class(struct ts_error *err, const char *text, const char *part) {
  ts_fail(err, TS_ERR_BAD_VALUE, "'%s' in '%s' does not say what a worker has", part, text);
  return ts_error_help(err, "write cores=N, gpu=N, memory=SIZE and site=NAME with commas between them, such as "
                            "gpu=1,memory=8G,site=a");
}

static bool read_count(const char *value, uint32_t least, uint32_t *count) {
  int64_t number = 0;
  if (!ts_parse_int64(value, &number) || number < least || number > MOST) return false;
  *count = (uint32_t)number;
  return true;
}

static bool read_site(const char *value, char site[TS_SITE_BYTES]) {
  const size_t length = strlen(value);
  if (length == 0 || length >= TS_SITE_BYTES) return false;
  memcpy(site, value, length + 1);
  return true;
}

/* "NAME=VALUE". */
static bool read_part(struct ts_worker_class *worker, const char *part) {
  const char *equals = strchr(part, '=');
  if (!equals) return false;
  const char *value = equals + 1;
  if (ts_str_starts_with(part, "cores=")) return read_count(value, 1, &worker->cores);
  if (ts_str_starts_with(part, "gpu=")) return read_count(value, 0, &worker->gpus);
  if (ts_str_starts_with(part, "memory=")) return ts_parse_bytes(value, &worker->memory_bytes);
  return ts_str_starts_with(part, "site=") && read_site(value, worker->site);
}

bool ts_worker_class_parse(struct ts_worker_class *worker, const char *text, struct ts_error *err) {
  struct ts_worker_class read = *worker;
  for (const char *next = text;;) {
    const size_t length = strcspn(next, ",");
    char part[VALUE_BYTES];
    snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : sizeof part - 1), next);
    if (length >= sizeof part || !read_part(&read, part)) return fail_class(err, text, part);
    if (next[length] == '\0') break;
    next += length + 1;
  }
  *worker = read;
  return true;
}

static void add_part(struct ts_str *out, size_t begin, const char *name, const char *value) {
  if (*value) ts_str_addf(out, "%s%s%s%s", out->length > begin ? "," : "", name, *name ? "=" : "", value);
}

static void add_number(struct ts_str *out, size_t begin, const char *name, uint32_t number) {
  char value[16];
  snprintf(value, sizeof value, "%u", number);
  if (number > 0) add_part(out, begin, name, value);
}

static void add_memory(struct ts_str *out, size_t begin, uint64_t bytes) {
  char value[32];
  if (bytes > 0) add_part(out, begin, "memory", ts_format_bytes(bytes, value));
}

void ts_task_needs_add(struct ts_str *out, const struct ts_task_needs *needs) {
  const size_t begin = out->length;
  add_number(out, begin, "cores", needs->cores);
  add_number(out, begin, "gpu", needs->gpus);
  add_memory(out, begin, needs->memory_bytes);
  add_part(out, begin, "site", needs->site);
  add_number(out, begin, "gang", needs->gang);
  if (needs->exclusive) add_part(out, begin, "", "exclusive");
}

void ts_worker_class_add(struct ts_str *out, const struct ts_worker_class *worker) {
  const size_t begin = out->length;
  add_number(out, begin, "cores", worker->cores);
  add_number(out, begin, "gpu", worker->gpus);
  add_memory(out, begin, worker->memory_bytes);
  add_part(out, begin, "site", worker->site);
  if (worker->workers > 1) add_number(out, begin, "workers", worker->workers);
}
