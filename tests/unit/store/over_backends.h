/* Runs a suite over every registered backend, plain and behind the tracing wrapper; the remote one over a server in
 * here.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TS_TESTS_UNIT_STORE_OVER_BACKENDS_H
#define TS_TESTS_UNIT_STORE_OVER_BACKENDS_H

#include "unit/store/support.h"

#include "base/log.h"
#include "store/backend.h"
#include "store/serve.h"

static const struct ts_store_backend *backend; /* the one under test */
static const struct ts_store_backend *served;  /* what the remote one leads to; NULL for others */
static char folder[SCRATCH_SIZE];
static char place[SCRATCH_SIZE + 16]; /* the path that the backend under test is opened with; "" without a folder */
static struct ts_store *store;
static struct ts_store *served_store;
static struct ts_server *server;

static void start_server(void) {
  struct ts_error err = {0};
  snprintf(place, sizeof place, "%s/socket", folder);
  served_store = ts_store_open(
      &(struct ts_store_options){.path = served->has_folder ? folder : NULL, .backend = served->name}, &err);
  assert_no_error(&err);
  server = ts_server_create(served_store, place, &err);
  assert_no_error(&err);
  assert_non_null(server);
}

static int setup(void **state) {
  (void)state;
  struct ts_error err = {0};
  scratch_create(folder);
  snprintf(place, sizeof place, "%s", backend->has_folder ? folder : "");
  if (served) start_server();
  const struct ts_store_options options = {.path = place, .backend = backend->name};
  store = ts_store_open(&options, &err);
  assert_no_error(&err);
  assert_non_null(store);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  ts_store_close(store);
  if (served) {
    ts_server_destroy(server);
    ts_store_close(served_store);
  }
  scratch_remove(folder);
  return 0;
}

typedef int suite_of_tests(const char *name);

static int run_named(suite_of_tests *suite, const char *extra) {
  char name[64];
  snprintf(name, sizeof name, "%s%s%s%s", backend->name, served ? " over " : "", served ? served->name : "", extra);
  return suite(name);
}

static int run_both(suite_of_tests *suite) {
  unsetenv("TESSERA_STORE_TRACE");
  const int failed = run_named(suite, "");
  if (served && served->has_folder) return failed; /* one traced server is enough */
  setenv("TESSERA_STORE_TRACE", "1", 1);
  ts_log_set_level(TS_LOG_QUIET);
  return failed + run_named(suite, ", traced");
}

/* How many tests failed. */
static int over_backends(suite_of_tests *suite) {
  int failed = 0;
  size_t count;
  const struct ts_store_backend *const *backends = ts_store_backend_list(&count);
  for (size_t i = 0; i < count; i++) {
    backend = backends[i];
    served = NULL;
    if (backend != &ts_store_remote) failed += run_both(suite);
    for (size_t j = 0; backend == &ts_store_remote && j < count; j++) {
      served = backends[j];
      if (served != &ts_store_remote) failed += run_both(suite);
    }
  }
  return failed;
}

#endif
