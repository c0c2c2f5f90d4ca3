/* The table of store backends: a new one is a folder and a line here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "store/backend.h"

#include "base/alloc.h"

#include <string.h>

/* The first one with a folder serves a path, the first one without serves no path. */
static const struct ts_store_backend *const backends[] = {
    &ts_store_sqlite,
    &ts_store_memory,
    &ts_store_remote,
};

#define BACKEND_COUNT (sizeof backends / sizeof backends[0])

const struct ts_store_backend *const *ts_store_backend_list(size_t *count) {
  *count = BACKEND_COUNT;
  return backends;
}

static const struct ts_store_backend *find_name(const char *name, struct ts_error *err) {
  const char *names[BACKEND_COUNT];
  for (size_t i = 0; i < BACKEND_COUNT; i++) {
    if (strcmp(backends[i]->name, name) == 0) return backends[i];
    names[i] = backends[i]->name;
  }
  ts_fail(err, TS_ERR_USAGE, "unknown store backend '%s'", name);
  const char *nearest = ts_nearest_word(name, names, BACKEND_COUNT);
  ts_error_help(err, "use '%s'", nearest ? nearest : names[0]);
  return NULL;
}

const struct ts_store_backend *ts_store_backend_choose(const struct ts_store_options *options, struct ts_error *err) {
  const bool has_path = options->path && options->path[0] != '\0';
  if (options->backend) {
    const struct ts_store_backend *backend = find_name(options->backend, err);
    if (!backend || !backend->has_folder || has_path) return backend;
    ts_fail(err, TS_ERR_USAGE, "the store backend '%s' needs a path", backend->name);
    ts_error_help(err, "name a path, or use the backend 'memory'");
    return NULL;
  }
  for (size_t i = 0; i < BACKEND_COUNT; i++) {
    if (backends[i]->has_folder == has_path) return backends[i];
  }
  TS_BUG("no store backend %s a folder", has_path ? "with" : "without");
}

bool ts_store_backend_refuse(const struct ts_store_backend *backend, const char *what, struct ts_error *err) {
  ts_fail(err, TS_ERR_STORE, "the store backend '%s' %s", backend->name, what);
  return ts_error_help(err, "use another store backend");
}
